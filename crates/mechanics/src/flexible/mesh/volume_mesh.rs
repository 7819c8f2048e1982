//! A mesh: nodes, elements of one kind, named sets.

use super::{ElementKind, MeshError};
use crate::{Pose, Vec3};
use std::collections::BTreeMap;

/// A mesh of elements of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeMesh {
    /// Positions at rest \[m\].
    pub nodes: Vec<Vec3>,
    /// The kind of all elements.
    pub kind: ElementKind,
    /// Nodes of all elements, one element after the other.
    pub elements: Vec<u32>,
    /// Nodes by name.
    pub node_sets: BTreeMap<String, Vec<u32>>,
    /// Faces by name: element and local face.
    pub face_sets: BTreeMap<String, Vec<(u32, u8)>>,
}

impl VolumeMesh {
    /// Number of elements.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.elements.len() / self.kind.nodes()
    }
    /// Nodes of an element.
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn element(&self, element: usize) -> &[u32] {
        &self.elements[element * self.kind.nodes()..(element + 1) * self.kind.nodes()]
    }
    /// Nodes of all elements, element by element.
    pub fn element_nodes(&self) -> std::slice::ChunksExact<'_, u32> {
        self.elements.chunks_exact(self.kind.nodes())
    }
    /// Nodes of a face, corners first, counter-clockwise seen from outside the element.
    ///
    /// # Panics
    /// If there is no such element or face.
    pub fn face(&self, element: u32, face: u8) -> impl Iterator<Item = u32> + '_ {
        let nodes = self.element(element as usize);
        self.kind.faces()[face as usize].iter().map(move |&local| nodes[local as usize])
    }
    /// Turns and moves all nodes.
    ///
    /// ```
    /// use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
    /// use signorini_mechanics::{Pose, Vec3};
    /// let mut mesh = box_mesh(ElementKind::Hex8, Vec3::ONE, [1, 1, 1])?;
    /// mesh.transform(Pose::at(Vec3::new(0.5, 0.5, 0.5)));
    /// assert_eq!(mesh.nodes[0], Vec3::ZERO);
    /// # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
    /// ```
    pub fn transform(&mut self, pose: Pose) {
        for node in &mut self.nodes {
            *node = pose * *node;
        }
    }
    /// The nodes of a set.
    ///
    /// # Errors
    /// If there is no set of this name; the error lists those there are.
    pub fn node_set(&self, name: &str) -> Result<&[u32], MeshError> {
        self.node_sets.get(name).map(Vec::as_slice).ok_or_else(|| unknown("node set", name, self.node_sets.keys()))
    }
    /// The faces of a set: elements and local faces.
    ///
    /// # Errors
    /// If there is no set of this name; the error lists those there are.
    pub fn face_set(&self, name: &str) -> Result<&[(u32, u8)], MeshError> {
        self.face_sets.get(name).map(Vec::as_slice).ok_or_else(|| unknown("face set", name, self.face_sets.keys()))
    }
}

fn unknown<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a String>) -> MeshError {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let known = if known.is_empty() { "there are none".into() } else { format!("known: {}", known.join(", ")) };
    MeshError::UnknownSet { what, name: name.into(), known }
}
