//! Surfaces of triangles.

use crate::ShapeError;
use glam::DVec3;

/// A triangle is degenerate when twice its area is below this times the square of its longest side. Sixteen rounding
/// errors of the cross product: below, not even the direction of the normal is known.
const FLAT: f64 = 16.0 * f64::EPSILON;

/// A surface of triangles, corners counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The corners \[m\].
    pub vertices: Vec<DVec3>,
    /// Three corners a triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A checked mesh.
    ///
    /// # Errors
    /// Non-finite corners, indices out of range, triangles without area.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        let mesh = Self { vertices, triangles };
        mesh.check()?;
        Ok(mesh)
    }

    /// A mesh of loose triangles, as STL files have them: equal corners become one vertex.
    ///
    /// # Errors
    /// Non-finite corners, triangles without area.
    pub fn from_loose_triangles(triangles: &[[DVec3; 3]]) -> Result<Self, ShapeError> {
        let vertices: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        super::check::finite_points("mesh", &vertices)?;
        let count = triangles.len() as u32;
        let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Self { vertices, triangles }.welded();
        mesh.check()?;
        Ok(mesh)
    }

    /// The same surface with one vertex for all equal ones (−0 equals 0), in the order of their first use. Vertices no
    /// triangle uses are dropped.
    #[must_use]
    pub fn welded(&self) -> Self {
        let key = |v: u32| (self.vertices[v as usize] + DVec3::ZERO).to_array();
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        // total_cmp: an order exists whatever the numbers; equal positions keep the order of their indices.
        order.sort_by(|&a, &b| {
            let (p, q) = (key(a), key(b));
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2])).then(a.cmp(&b))
        });
        let mut representative = vec![0_u32; self.vertices.len()];
        let mut first = None;
        for &v in &order {
            match first {
                Some(f) if key(f) == key(v) => representative[v as usize] = f,
                _ => {
                    first = Some(v);
                    representative[v as usize] = v;
                }
            }
        }
        let mut new_index = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        let triangles = self.triangles.iter().map(|corners| {
            corners.map(|corner| {
                let old = representative[corner as usize] as usize;
                if new_index[old] == u32::MAX {
                    new_index[old] = vertices.len() as u32;
                    vertices.push(self.vertices[old]);
                }
                new_index[old]
            })
        });
        let triangles = triangles.collect();
        Self { vertices, triangles }
    }

    /// The corners of a triangle.
    #[must_use]
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.vertices[corner as usize])
    }

    /// Whether a triangle has no area, within rounding.
    #[must_use]
    pub fn is_degenerate(&self, triangle: usize) -> bool {
        let [a, b, c] = self.corners(triangle);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        let twice_area = (b - a).cross(c - a).length();
        twice_area <= FLAT * longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_triangles_of_a_tetrahedron_become_four_vertices() {
        let p = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let loose = [[p[0], p[2], p[1]], [p[0], p[1], p[3]], [p[1], p[2], p[3]], [-p[0], p[3], p[2]]];
        let mesh = Mesh::from_loose_triangles(&loose).unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        let topology = mesh.topology();
        assert!(topology.is_closed(), "{topology:?}");
        assert_eq!((topology.edges, topology.components, topology.euler_characteristic), (6, 1, 2));
    }

    #[test]
    fn degenerate_triangles_are_named_and_counted() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * 2.0];
        let error = Mesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [1, 1, 2]]).unwrap_err().to_string();
        assert!(error.contains("triangle 1") && error.contains("2 of 3"), "{error}");
    }

    #[test]
    fn a_mesh_without_triangles_is_refused() {
        let error = Mesh::new(vec![DVec3::ZERO], Vec::new()).unwrap_err().to_string();
        assert!(error.contains("it has no triangles"), "{error}");
        assert_eq!(Mesh::from_loose_triangles(&[]).unwrap_err().to_string(), error);
    }

    #[test]
    fn vertices_that_are_not_finite_are_named() {
        for bad in [f64::NAN, f64::INFINITY] {
            let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, bad, 0.0)];
            let error = Mesh::new(vertices, vec![[0, 1, 2]]).unwrap_err().to_string();
            assert!(error.contains("point 2 of 3") && error.contains("expected finite numbers"), "{error}");
        }
    }

    #[test]
    fn an_index_out_of_range_is_named() {
        let error = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 7]]).unwrap_err().to_string();
        assert!(error.contains("triangle 0") && error.contains("vertex 7") && error.contains("there are 3"), "{error}");
    }
}
