//! A face with the shape functions of its element: what loads on it give its nodes.
//!
//! ```text
//! ∫ Nᵢ n dA = ∫∫ Nᵢ (∂x/∂ξ × ∂x/∂η) dξ dη        exact where the face is plane; curved ones to the fourth degree
//! ```
//!
//! A uniform pressure on a plane face gives a Hex8 a quarter of it at every corner, a Tet10 a third at every middle of an edge and
//! nothing at corners: only that keeps a uniform stress uniform.

use super::VolumeMesh;
use crate::Vec3;

/// The nodes of a face, corners counter-clockwise seen from outside, then the middles of the edges that start at each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceNodes {
    /// Of a Tet4, or of a net.
    Triangle([u32; 3]),
    /// Of a Hex8.
    Quadrilateral([u32; 4]),
    /// Of a Tet10.
    QuadraticTriangle([u32; 6]),
}

/// Gauss points ± 1/√3.
const GAUSS: f64 = 0.577_350_269_189_625_8;
/// Points of the rule of degree 4 on a triangle: barycentric coordinate of the two equal ones, and weight (of a sum of 1).
const TRIANGLE: [(f64, f64); 2] =
    [(0.091_576_213_509_770_74, 0.109_951_743_655_321_87), (0.445_948_490_915_964_9, 0.223_381_589_678_011_47)];

impl FaceNodes {
    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[u32] {
        match self {
            Self::Triangle(nodes) => nodes,
            Self::Quadrilateral(nodes) => nodes,
            Self::QuadraticTriangle(nodes) => nodes,
        }
    }

    /// Calls `give` with points of the face: values of the shape functions and n dA, for nodes at `place`.
    fn integrate(&self, place: &impl Fn(u32) -> Vec3, mut give: impl FnMut(&[f64], Vec3)) {
        match self {
            Self::Triangle(nodes) => {
                let [a, b, c] = nodes.map(place);
                give(&[1.0 / 3.0; 3], (b - a).cross(c - a) * 0.5);
            }
            Self::Quadrilateral(nodes) => {
                let x = nodes.map(place);
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
                for [xi, eta] in corners.map(|corner: [f64; 2]| corner.map(|at| GAUSS * at)) {
                    let values = corners.map(|[a, b]| 0.25 * (1.0 + a * xi) * (1.0 + b * eta));
                    let along = |slopes: [f64; 4]| (0..4).map(|k| x[k] * slopes[k]).sum::<Vec3>();
                    let first = along(corners.map(|[a, b]| 0.25 * a * (1.0 + b * eta)));
                    let second = along(corners.map(|[a, b]| 0.25 * b * (1.0 + a * xi)));
                    give(&values, first.cross(second));
                }
            }
            Self::QuadraticTriangle(nodes) => {
                let x = nodes.map(place);
                for (equal, weight) in TRIANGLE {
                    for turn in 0..3 {
                        let mut at = [equal; 3];
                        at[turn] = 1.0 - 2.0 * equal;
                        let [p, q, r] = at;
                        let values = [
                            p * (2.0 * p - 1.0),
                            q * (2.0 * q - 1.0),
                            r * (2.0 * r - 1.0),
                            4.0 * p * q,
                            4.0 * q * r,
                            4.0 * r * p,
                        ];
                        // ∂/∂q and ∂/∂r with p = 1 − q − r.
                        let by_q = [1.0 - 4.0 * p, 4.0 * q - 1.0, 0.0, 4.0 * (p - q), 4.0 * r, -4.0 * r];
                        let by_r = [1.0 - 4.0 * p, 0.0, 4.0 * r - 1.0, -4.0 * q, 4.0 * q, 4.0 * (p - r)];
                        let along = |slopes: [f64; 6]| (0..6).map(|k| x[k] * slopes[k]).sum::<Vec3>();
                        give(&values, along(by_q).cross(along(by_r)) * (0.5 * weight));
                    }
                }
            }
        }
    }

    /// Calls `give` with every node and ∫ Nᵢ n dA \[m²\], for nodes at `place`.
    pub fn area_vectors(&self, place: impl Fn(u32) -> Vec3, mut give: impl FnMut(u32, Vec3)) {
        let mut sums = [Vec3::ZERO; 6];
        self.integrate(&place, |values, normal| {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += normal * *value);
        });
        self.nodes().iter().zip(sums).for_each(|(node, sum)| give(*node, sum));
    }

    /// Calls `give` with every node and ∫ Nᵢ dA \[m²\], for nodes at `place`.
    pub fn areas(&self, place: impl Fn(u32) -> Vec3, mut give: impl FnMut(u32, f64)) {
        let mut sums = [0.0; 6];
        self.integrate(&place, |values, normal| {
            let area = normal.length();
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += area * value);
        });
        self.nodes().iter().zip(sums).for_each(|(node, sum)| give(*node, sum));
    }
}

impl VolumeMesh {
    /// The faces of a set.
    ///
    /// # Errors
    /// If there is no set of this name; the error lists those there are.
    ///
    /// # Panics
    /// If a set names what does not exist: see [`VolumeMesh::check_references`].
    pub fn faces_of_set(&self, name: &str) -> Result<Vec<FaceNodes>, super::MeshError> {
        let of = |&(element, face): &(u32, u8)| {
            let mut nodes = [0; 6];
            let mut count = 0;
            for node in self.face(element, face) {
                nodes[count] = node;
                count += 1;
            }
            let [a, b, c, d, ..] = nodes;
            match count {
                3 => FaceNodes::Triangle([a, b, c]),
                4 => FaceNodes::Quadrilateral([a, b, c, d]),
                _ => FaceNodes::QuadraticTriangle(nodes),
            }
        };
        Ok(self.face_set(name)?.iter().map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ElementKind, box_mesh};
    use super::*;

    #[test]
    fn a_side_has_its_area_and_every_element_its_shares() {
        for (kind, corner, middle) in [
            (ElementKind::Tet4, None, None),
            (ElementKind::Hex8, Some(0.25), None),
            (ElementKind::Tet10, Some(0.0), Some(1.0 / 6.0)),
        ] {
            let mesh = box_mesh(kind, Vec3::new(2.0, 3.0, 4.0), [1, 1, 1]).unwrap();
            let faces = mesh.faces_of_set("z-max").unwrap();
            let (mut area, mut vector) = (0.0, Vec3::ZERO);
            for face in &faces {
                let mut at = 0;
                face.areas(
                    |node| mesh.nodes[node as usize],
                    |_, share| {
                        area += share;
                        if let Some(expected) = if at < kind.face_corners() { corner } else { middle } {
                            assert!((share - 6.0 * expected).abs() < 1e-13, "{kind} {share}");
                        }
                        at += 1;
                    },
                );
                face.area_vectors(|node| mesh.nodes[node as usize], |_, share| vector += share);
            }
            assert!((area - 6.0).abs() < 1e-13 && (vector - Vec3::Z * 6.0).length() < 1e-13, "{kind} {area} {vector}");
        }
    }
}
