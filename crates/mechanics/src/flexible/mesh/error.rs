//! What can be wrong with a mesh.

/// Why a mesh cannot be made or used. Elements, nodes and faces are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// No elements.
    #[error("the mesh has no elements")]
    Empty,
    /// Part of an element.
    #[error("{indices} node indices are no whole number of elements, which have {nodes} nodes each")]
    PartOfElement {
        /// Length of the list of elements.
        indices: usize,
        /// Nodes of an element.
        nodes: usize,
    },
    /// A coordinate that is no finite number.
    #[error("node {node}: position is {position}, expected finite numbers ({count} such nodes)")]
    NonFinite {
        /// The first such node.
        node: usize,
        /// Its position.
        position: crate::Vec3,
        /// How many there are.
        count: usize,
    },
    /// An element names a node that does not exist.
    #[error("element {element}: has node {index}, but there are {nodes} nodes ({count} such elements)")]
    IndexOutOfRange {
        /// The first such element.
        element: usize,
        /// The node it names.
        index: u32,
        /// Nodes of the mesh.
        nodes: usize,
        /// How many such elements there are.
        count: usize,
    },
    /// An element names a node twice.
    #[error("element {element}: has node {node} more than once ({count} such elements)")]
    RepeatedNode {
        /// The first such element.
        element: usize,
        /// The node.
        node: u32,
        /// How many such elements there are.
        count: usize,
    },
    /// The map from the reference element turns inside out somewhere in the element.
    #[error(
        "element {element} is inverted: its least Jacobian is {jacobian:e} of its longest edge cubed ({count} such elements); \
         order its nodes the other way around"
    )]
    Inverted {
        /// The first such element.
        element: usize,
        /// Least determinant at its nodes, divided by the cube of its longest edge.
        jacobian: f64,
        /// How many such elements there are.
        count: usize,
    },
    /// The element is flat, to rounding.
    #[error(
        "element {element} has no volume: its least Jacobian is {jacobian:e} of its longest edge cubed, \
         expected more than {:e} ({count} such elements)",
        super::DEGENERATE
    )]
    ZeroVolume {
        /// The first such element.
        element: usize,
        /// Least determinant at its nodes, divided by the cube of its longest edge.
        jacobian: f64,
        /// How many such elements there are.
        count: usize,
    },
    /// Nodes that no element has.
    #[error("node {node}: belongs to no element ({count} such nodes)")]
    UnusedNode {
        /// The first such node.
        node: usize,
        /// How many there are.
        count: usize,
    },
    /// More than one piece.
    #[error("the mesh is in {pieces} pieces that share no node: element {element} is not connected with element 0")]
    Disconnected {
        /// Number of pieces.
        pieces: usize,
        /// The first element that is not of the first piece.
        element: usize,
    },
    /// A set names something that does not exist.
    #[error("{what} `{name}`: entry {entry} is {found}, which does not exist ({count} such entries)")]
    SetEntry {
        /// Node set or face set.
        what: &'static str,
        /// Its name.
        name: String,
        /// The first such entry.
        entry: usize,
        /// What it names.
        found: String,
        /// How many there are.
        count: usize,
    },
    /// No such set.
    #[error("there is no {what} `{name}`; {known}")]
    UnknownSet {
        /// Node set or face set.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The sets there are.
        known: String,
    },
    /// A size that a generator cannot use.
    #[error("{what} is {found}, expected {expected}")]
    Size {
        /// Which one.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// A number of divisions that a generator cannot use.
    #[error("divisions {what}: {found}, expected at least {least}")]
    Divisions {
        /// Which one.
        what: &'static str,
        /// Its value.
        found: usize,
        /// The least allowed.
        least: usize,
    },
    /// Too many cells.
    #[error("{cells:e} cells, expected at most {most}")]
    TooMany {
        /// How many were asked for.
        cells: f64,
        /// How many there may be.
        most: usize,
    },
    /// Only elements with nodes in the middle of edges can be curved.
    #[error("sides of {kind} elements are straight; curved ones need tet10")]
    CannotCurve {
        /// The kind found.
        kind: super::ElementKind,
    },
    /// Only tetrahedra get nodes in the middle of edges.
    #[error("{kind} elements cannot be turned into tet10, only tet4 can")]
    NotTet4 {
        /// The kind found.
        kind: super::ElementKind,
    },
}
