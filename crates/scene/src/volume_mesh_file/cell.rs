//! Nodes and cells as files have them.

use glam::DVec3;
use signorini_mechanics::flexible::mesh::ElementKind;
use std::collections::BTreeMap;

/// What a cell of a file is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// A volume element that can be used.
    Volume(ElementKind),
    /// One that cannot, with its name.
    OtherVolume(&'static str),
    /// A face with this many corners; further nodes are on its edges.
    Face(usize),
    /// A line or a point.
    Lower,
}

impl CellKind {
    /// Its dimension, as Gmsh counts it.
    pub(super) fn dimension(self) -> u8 {
        match self {
            Self::Volume(_) | Self::OtherVolume(_) => 3,
            Self::Face(_) => 2,
            Self::Lower => 1,
        }
    }
}

/// A cell: its nodes are `nodes[first..first + count]` of [`Cells::indices`].
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) first: usize,
    pub(super) count: usize,
    /// The line it starts at.
    pub(super) line: usize,
    /// Range of its groups in [`Cells::group_lists`].
    pub(super) groups: (usize, usize),
}

/// Physical groups by dimension and tag, with names where the file gives some.
pub(super) type GroupNames = BTreeMap<(u8, i64), String>;

/// All of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub(super) nodes: Vec<DVec3>,
    pub(super) cells: Vec<Cell>,
    pub(super) indices: Vec<u32>,
    /// Groups of cells, each as dimension and tag.
    pub(super) group_lists: Vec<(u8, i64)>,
    pub(super) names: GroupNames,
    /// Where the cells end.
    pub(super) last_line: usize,
}

impl Cells {
    pub(super) fn nodes_of(&self, cell: &Cell) -> &[u32] {
        &self.indices[cell.first..cell.first + cell.count]
    }
    /// Adds a cell with the nodes that were added to `indices` since `first`.
    pub(super) fn push(&mut self, kind: CellKind, first: usize, line: usize, groups: (usize, usize)) {
        self.cells.push(Cell { kind, first, count: self.indices.len() - first, line, groups });
    }
    pub(super) fn group_name(&self, group: (u8, i64)) -> String {
        self.names.get(&group).cloned().unwrap_or_else(|| format!("physical-{}", group.1))
    }
}
