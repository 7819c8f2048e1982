//! The kinds of volume elements, with the local numbers of their faces and edges.

use std::fmt;

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

const TET4_FACES: [&[u8]; 4] = [&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 1]];
const TET10_FACES: [&[u8]; 4] = [&[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[2, 0, 3, 6, 7, 9], &[0, 2, 1, 6, 5, 4]];
const HEX8_FACES: [&[u8]; 6] =
    [&[0, 4, 7, 3], &[1, 2, 6, 5], &[0, 1, 5, 4], &[3, 7, 6, 2], &[0, 3, 2, 1], &[4, 5, 6, 7]];
/// Edge k of a Tet10 has node 4 + k in its middle.
const TET_EDGES: [[u8; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
const HEX_EDGES: [[u8; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

impl ElementKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Tet4, Self::Tet10, Self::Hex8];

    /// Number of nodes.
    #[must_use]
    pub fn nodes(self) -> usize {
        match self {
            Self::Tet4 => 4,
            Self::Tet10 => 10,
            Self::Hex8 => 8,
        }
    }
    /// Number of corners: the first nodes of an element.
    #[must_use]
    pub fn corners(self) -> usize {
        match self {
            Self::Tet4 | Self::Tet10 => 4,
            Self::Hex8 => 8,
        }
    }
    /// Number of corners of a face: the first nodes of a face.
    #[must_use]
    pub fn face_corners(self) -> usize {
        match self {
            Self::Tet4 | Self::Tet10 => 3,
            Self::Hex8 => 4,
        }
    }
    /// Local nodes of every face: corners counter-clockwise seen from outside, then the middles of the edges that start at
    /// each corner. Faces have the order of VTK.
    ///
    /// ```
    /// use signorini_mechanics::flexible::mesh::ElementKind;
    /// assert_eq!(ElementKind::Tet4.faces()[3], &[0, 2, 1]);
    /// assert_eq!(ElementKind::Hex8.faces().len(), 6);
    /// ```
    #[must_use]
    pub fn faces(self) -> &'static [&'static [u8]] {
        match self {
            Self::Tet4 => &TET4_FACES,
            Self::Tet10 => &TET10_FACES,
            Self::Hex8 => &HEX8_FACES,
        }
    }
    /// Local corners at the ends of every edge; edge k of a Tet10 has node 4 + k in its middle.
    #[must_use]
    pub fn edges(self) -> &'static [[u8; 2]] {
        match self {
            Self::Tet4 | Self::Tet10 => &TET_EDGES,
            Self::Hex8 => &HEX_EDGES,
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Tet4 => "tet4",
            Self::Tet10 => "tet10",
            Self::Hex8 => "hex8",
        })
    }
}
