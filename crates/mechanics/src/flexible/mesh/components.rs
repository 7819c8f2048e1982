//! The pieces of a mesh that share no node.

use super::VolumeMesh;

/// The root of a node's tree, with the path to it shortened.
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let above = parents[parents[node as usize] as usize];
        parents[node as usize] = above;
        node = above;
    }
    node
}

impl VolumeMesh {
    /// The elements of every piece, in ascending order; pieces in the order of their first elements. Elements that share a
    /// node are of one piece.
    ///
    /// ```
    /// use signorini_mechanics::Vec3;
    /// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
    /// let mut mesh = box_mesh(ElementKind::Hex8, Vec3::ONE, [3, 1, 1])?;
    /// assert_eq!(mesh.components(), [[0, 1, 2]]);
    /// // Without the cell in the middle.
    /// mesh.elements.drain(8..16);
    /// assert_eq!(mesh.components(), [[0], [1]]);
    /// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
    /// ```
    ///
    /// # Panics
    /// If an element names a node that does not exist.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut parents: Vec<u32> = (0..self.nodes.len() as u32).collect();
        for nodes in self.element_nodes() {
            for &node in &nodes[1..] {
                let (a, b) = (root(&mut parents, nodes[0]), root(&mut parents, node));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        let mut piece_of_root = vec![usize::MAX; self.nodes.len()];
        let mut pieces: Vec<Vec<u32>> = Vec::new();
        for (element, nodes) in self.element_nodes().enumerate() {
            let root = root(&mut parents, nodes[0]) as usize;
            if piece_of_root[root] == usize::MAX {
                piece_of_root[root] = pieces.len();
                pieces.push(Vec::new());
            }
            pieces[piece_of_root[root]].push(element as u32);
        }
        pieces
    }
}
