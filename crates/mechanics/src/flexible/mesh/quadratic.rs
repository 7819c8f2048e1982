//! Nodes in the middle of edges.

use super::{ElementKind, MeshError, VolumeMesh};
use crate::Vec3;
use std::collections::BTreeMap;

impl VolumeMesh {
    /// The same tetrahedra with nodes in the middle of their edges, numbered after the corners in the order in which
    /// elements meet them.
    ///
    /// Face sets stay as they are. A node set gains the middles of the faces of the face set that has its name; where there
    /// is none, the middles of all edges of which it has both ends.
    ///
    /// ```
    /// use signorini_mechanics::Vec3;
    /// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
    /// let linear = box_mesh(ElementKind::Tet4, Vec3::ONE, [2, 2, 2])?;
    /// let quadratic = linear.to_tet10()?;
    /// assert_eq!(quadratic, box_mesh(ElementKind::Tet10, Vec3::ONE, [2, 2, 2])?);
    /// // One node for each edge, for which the Euler characteristic of a ball speaks: V − E + F − C = 1.
    /// assert_eq!(quadratic.nodes.len() - linear.nodes.len(), 27 + (4 * 40 + 48) / 2 - 40 - 1);
    /// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// Other elements than Tet4, elements or sets that name what does not exist.
    pub fn to_tet10(&self) -> Result<Self, MeshError> {
        if self.kind != ElementKind::Tet4 {
            return Err(MeshError::NotTet4 { kind: self.kind });
        }
        self.check_references()?;
        let mut nodes = self.nodes.clone();
        let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut elements = Vec::with_capacity(self.element_count() * 10);
        for corners in self.element_nodes() {
            elements.extend_from_slice(corners);
            for ends in self.kind.edges() {
                let [a, b] = ends.map(|local| corners[local as usize]);
                let middle = *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    nodes.push(0.5 * (self.nodes[a as usize] + self.nodes[b as usize]));
                    (nodes.len() - 1) as u32
                });
                elements.push(middle);
            }
        }
        let (node_sets, face_sets) = (self.node_sets.clone(), self.face_sets.clone());
        let mut mesh = Self { nodes, kind: ElementKind::Tet10, elements, node_sets, face_sets };
        let mut is_in_set = vec![false; mesh.nodes.len()];
        for (name, set) in &self.node_sets {
            is_in_set.fill(false);
            set.iter().for_each(|&node| is_in_set[node as usize] = true);
            let mut gained: Vec<u32> = match mesh.face_sets.get(name) {
                Some(faces) => faces.iter().flat_map(|&(element, face)| mesh.face(element, face).skip(3)).collect(),
                None => {
                    let has_both = |ends: &(u32, u32)| is_in_set[ends.0 as usize] && is_in_set[ends.1 as usize];
                    middles.iter().filter(|(ends, _)| has_both(ends)).map(|(_, &middle)| middle).collect()
                }
            };
            gained.sort_unstable();
            gained.dedup();
            if let Some(set) = mesh.node_sets.get_mut(name) {
                set.extend(gained);
            }
        }
        Ok(mesh)
    }
    /// Moves the nodes in the middle of the edges of a face set by `onto`, for instance to the surface of a round body.
    /// Neighbouring elements share these nodes: the mesh still fits together. [`Self::check_shapes`] tells whether the
    /// elements can bear it.
    ///
    /// # Errors
    /// Other elements than Tet10, no such face set, elements or sets that name what does not exist.
    pub fn move_middles(&mut self, face_set: &str, onto: impl Fn(Vec3) -> Vec3) -> Result<(), MeshError> {
        if self.kind != ElementKind::Tet10 {
            return Err(MeshError::CannotCurve { kind: self.kind });
        }
        self.check_references()?;
        let faces = self.face_set(face_set)?;
        let mut middles: Vec<u32> =
            faces.iter().flat_map(|&(element, face)| self.face(element, face).skip(3)).collect();
        // Each node once: `onto` need not be a projection.
        middles.sort_unstable();
        middles.dedup();
        for middle in middles {
            let node = &mut self.nodes[middle as usize];
            *node = onto(*node);
        }
        Ok(())
    }
    /// Moves the middles of a face set to a cylinder about the z axis.
    pub(super) fn round_about_z(&mut self, face_set: &str, radius: f64) -> Result<(), MeshError> {
        self.move_middles(face_set, |node| {
            let scale = radius / node.x.hypot(node.y);
            Vec3::new(node.x * scale, node.y * scale, node.z)
        })
    }
}
