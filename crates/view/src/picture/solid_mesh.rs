//! Triangles with normals: smooth across blunt edges, flat across sharp ones.

use crate::mesh::TriangleMesh;
use glam::Vec3;
use std::collections::BTreeMap;

/// Edges blunter than this (cosine of 40°) are drawn round.
const CREASE: f32 = 0.766;

/// A mesh ready to be drawn.
#[derive(Clone, Debug)]
pub(super) struct SolidMesh {
    pub(super) corners: Vec<[Vec3; 3]>,
    pub(super) normals: Vec<[Vec3; 3]>,
    /// Corners of a box around it.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

impl SolidMesh {
    pub(super) fn of(mesh: &TriangleMesh) -> Self {
        let at = |corner: u32| Vec3::from_array(mesh.positions[corner as usize]);
        let corners: Vec<[Vec3; 3]> = mesh.triangles.iter().map(|triangle| triangle.map(at)).collect();
        // Corners at one place are one corner, also if they were listed twice.
        let mut places: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let place = |point: Vec3, places: &mut BTreeMap<[u32; 3], u32>| {
            let next = places.len() as u32;
            // + 0 makes one of both zeros.
            *places.entry((point + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(next)
        };
        let joined: Vec<[u32; 3]> = corners.iter().map(|three| three.map(|point| place(point, &mut places))).collect();
        let low = corners.iter().flatten().copied().reduce(Vec3::min).unwrap_or_default();
        let high = corners.iter().flatten().copied().reduce(Vec3::max).unwrap_or_default();
        Self { normals: normals(&corners, &joined), corners, low, high }
    }
}

/// Normals at the corners of triangles: the mean, by area, over the triangles at a corner that are not across a sharp edge.
pub(super) fn normals(corners: &[[Vec3; 3]], joined: &[[u32; 3]]) -> Vec<[Vec3; 3]> {
    let areas: Vec<Vec3> = corners.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a)).collect();
    let count = joined.iter().flatten().max().map_or(0, |most| *most as usize + 1);
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (triangle, three) in joined.iter().enumerate() {
        three.iter().for_each(|corner| around[*corner as usize].push(triangle as u32));
    }
    let of = |triangle: usize| {
        let own = areas[triangle].normalize_or_zero();
        joined[triangle].map(|corner| {
            let blunt = around[corner as usize].iter().map(|other| areas[*other as usize]);
            let blunt = blunt.filter(|area| area.normalize_or_zero().dot(own) >= CREASE);
            blunt.sum::<Vec3>().normalize_or(own)
        })
    };
    (0..joined.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::run::ShapeRecord;
    use signorini_scene::run::surface::Fineness;

    #[test]
    fn cubes_are_flat_and_cylinders_round() {
        let mesh = |shape| SolidMesh::of(&TriangleMesh::of(&shape, &Fineness::default()).unwrap());
        let cube = mesh(ShapeRecord::Cuboid { half: [1.0; 3] });
        for (corners, normals) in cube.corners.iter().zip(&cube.normals) {
            let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            assert!(normals.iter().all(|normal| (*normal - flat).length() < 1e-6));
        }
        let cylinder = mesh(ShapeRecord::Cylinder { half_height: 1.0, radius: 1.0 });
        for (corners, normals) in cylinder.corners.iter().zip(&cylinder.normals) {
            for (corner, normal) in corners.iter().zip(normals) {
                let side = Vec3::new(corner.x, corner.y, 0.0);
                assert!(normal.z.abs() > 0.999 || (*normal - side).length() < 0.1, "{corner} {normal}");
            }
        }
    }
}
