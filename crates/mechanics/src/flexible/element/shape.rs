//! Shape functions and their derivatives in reference coordinates ξ.
//!
//! Tetrahedra: corners at 0, e₁, e₂, e₃, so that L = (1 − ξ − η − ζ, ξ, η, ζ); TET4 N = L; TET10 N = L (2L − 1) at
//! corners and 4 L_a L_b at middles. Hexahedron: [−1, 1]³, N = ⅛ Π(1 + ξ ξᵢ). Nodes in the order of VTK.

use crate::Vec3;
use crate::flexible::mesh::ElementKind;

/// Corners of the hexahedron in reference coordinates.
pub(crate) const HEX8_CORNERS: [Vec3; 8] = [
    Vec3::new(-1.0, -1.0, -1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(-1.0, 1.0, -1.0),
    Vec3::new(-1.0, -1.0, 1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(-1.0, 1.0, 1.0),
];

/// Edges of the tetrahedron which have nodes 4 to 9 in their middles.
const TET10_EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)];

/// ∂L/∂ξ of the four barycentric coordinates.
const BARYCENTRIC_GRADIENTS: [Vec3; 4] = [Vec3::NEG_ONE, Vec3::X, Vec3::Y, Vec3::Z];

fn barycentric(xi: Vec3) -> [f64; 4] {
    [1.0 - xi.x - xi.y - xi.z, xi.x, xi.y, xi.z]
}

/// N(ξ), one value a node.
///
/// # Panics
/// If `values` is shorter than the element has nodes.
pub fn values(kind: ElementKind, xi: Vec3, values: &mut [f64]) {
    let l = barycentric(xi);
    match kind {
        ElementKind::Tet4 => values[..4].copy_from_slice(&l),
        ElementKind::Tet10 => {
            for i in 0..4 {
                values[i] = l[i] * (2.0 * l[i] - 1.0);
            }
            for (k, (a, b)) in TET10_EDGES.into_iter().enumerate() {
                values[4 + k] = 4.0 * l[a] * l[b];
            }
        }
        ElementKind::Hex8 => {
            for (value, corner) in values[..8].iter_mut().zip(HEX8_CORNERS) {
                let s = Vec3::ONE + xi * corner;
                *value = 0.125 * s.x * s.y * s.z;
            }
        }
    }
}

/// ∂N/∂ξ, one vector a node.
///
/// # Panics
/// If `gradients` is shorter than the element has nodes.
pub fn gradients(kind: ElementKind, xi: Vec3, gradients: &mut [Vec3]) {
    let (l, dl) = (barycentric(xi), BARYCENTRIC_GRADIENTS);
    match kind {
        ElementKind::Tet4 => gradients[..4].copy_from_slice(&dl),
        ElementKind::Tet10 => {
            for i in 0..4 {
                gradients[i] = dl[i] * (4.0 * l[i] - 1.0);
            }
            for (k, (a, b)) in TET10_EDGES.into_iter().enumerate() {
                gradients[4 + k] = (dl[a] * l[b] + dl[b] * l[a]) * 4.0;
            }
        }
        ElementKind::Hex8 => {
            for (gradient, corner) in gradients[..8].iter_mut().zip(HEX8_CORNERS) {
                let s = Vec3::ONE + xi * corner;
                *gradient = corner * Vec3::new(s.y * s.z, s.x * s.z, s.x * s.y) * 0.125;
            }
        }
    }
}

/// Reference coordinates of a node.
pub(crate) fn node(kind: ElementKind, i: usize) -> Vec3 {
    let corner = |k: usize| if k == 0 { Vec3::ZERO } else { BARYCENTRIC_GRADIENTS[k] };
    match kind {
        ElementKind::Hex8 => HEX8_CORNERS[i],
        ElementKind::Tet4 | ElementKind::Tet10 if i < 4 => corner(i),
        ElementKind::Tet4 | ElementKind::Tet10 => {
            let (a, b) = TET10_EDGES[i - 4];
            (corner(a) + corner(b)) * 0.5
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [ElementKind; 3] = [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8];

    fn at(kind: ElementKind, xi: Vec3) -> Vec<f64> {
        let mut n = vec![0.0; kind.nodes()];
        values(kind, xi, &mut n);
        n
    }

    #[test]
    fn shape_functions_are_one_at_their_node_and_zero_at_the_others() {
        for kind in KINDS {
            for i in 0..kind.nodes() {
                let n = at(kind, node(kind, i));
                assert!((0..n.len()).all(|j| n[j] == f64::from(u8::from(i == j))), "{kind:?} {i} {n:?}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences_and_sum_to_zero() {
        let (xi, step) = (Vec3::new(0.21, 0.34, 0.17), 1e-5);
        for kind in KINDS {
            let mut exact = vec![Vec3::ZERO; kind.nodes()];
            gradients(kind, xi, &mut exact);
            for (axis, direction) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let (ahead, behind) = (at(kind, xi + direction * step), at(kind, xi - direction * step));
                for i in 0..kind.nodes() {
                    let slope = (ahead[i] - behind[i]) / (2.0 * step);
                    assert!((slope - exact[i][axis]).abs() < 1e-10, "{kind:?} {i}");
                }
            }
            assert!(exact.iter().sum::<Vec3>().length() < 1e-15);
            assert!((at(kind, xi).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }
}
