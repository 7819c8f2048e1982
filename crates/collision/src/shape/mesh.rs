//! Surfaces of triangles.

use glam::DVec3;

/// A surface of triangles, corners counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The corners \[m\].
    pub vertices: Vec<DVec3>,
    /// Three corners a triangle.
    pub triangles: Vec<[u32; 3]>,
}
