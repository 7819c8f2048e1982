//! Meshes of volume elements: nodes, elements, named sets.

use crate::Vec3;
use std::collections::BTreeMap;

/// Which element, with its nodes in the order of VTK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElementKind {
    /// Tetrahedron of four nodes.
    Tet4,
    /// Tetrahedron of ten nodes: corners, then the middles of 01, 12, 02, 03, 13, 23.
    Tet10,
    /// Hexahedron of eight nodes: the lower face around, then the upper.
    Hex8,
}

impl ElementKind {
    /// Number of nodes.
    #[must_use]
    pub fn nodes(self) -> usize {
        match self {
            Self::Tet4 => 4,
            Self::Tet10 => 10,
            Self::Hex8 => 8,
        }
    }
}

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
