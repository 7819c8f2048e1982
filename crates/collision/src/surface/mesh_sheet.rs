//! What contacts of deformable surfaces need of a rigid mesh.

use super::topology::Topology;
use crate::Mesh;
use glam::DVec3;

/// Edges and normals of the corners of a rigid mesh.
pub(crate) struct MeshSheet {
    pub(super) topology: Topology,
    pub(super) node_normals: Vec<DVec3>,
}

impl MeshSheet {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let topology = Topology::new(std::iter::once(&mesh.triangles[..]), mesh.vertices.len());
        let mut node_normals = vec![DVec3::ZERO; mesh.vertices.len()];
        for (index, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = mesh.corners(index);
            let twice_area = (b - a).cross(c - a);
            corners.iter().for_each(|&corner| node_normals[corner as usize] += twice_area);
        }
        node_normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
        Self { topology, node_normals }
    }
}
