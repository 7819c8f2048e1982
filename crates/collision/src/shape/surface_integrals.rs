//! Volume integrals of a closed surface as sums of signed tetrahedra.
//!
//! The tetrahedron (o, a, b, c) has the volume V = a·(b×c)/6, the first moment V (a+b+c)/4 and the second moments
//! ∫ x xᵀ = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ) with s = a+b+c, all from the apex o. The apex is the mean of the vertices, so
//! that a body far from the origin loses no digits.

use super::MassProperties;
use glam::{DMat3, DVec3};

/// The solid inside a closed surface; negative volume for one inside out.
pub(super) fn solid(vertices: &[DVec3], triangles: &[[u32; 3]]) -> MassProperties {
    let apex = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let mut volume = 0.0;
    let mut first = DVec3::ZERO;
    let mut second = DMat3::ZERO;
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| vertices[corner as usize] - apex);
        let tetrahedron = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        volume += tetrahedron;
        first += sum * (tetrahedron / 4.0);
        second += (outer(sum) + outer(a) + outer(b) + outer(c)) * (tetrahedron / 20.0);
    }
    let from_apex = first / volume;
    // About the centre: ∫ y yᵀ = ∫ x xᵀ − V c cᵀ;  I = tr(∫ y yᵀ) 1 − ∫ y yᵀ.
    let second = second - outer(from_apex) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    MassProperties { volume, centre: apex + from_apex, inertia }
}
