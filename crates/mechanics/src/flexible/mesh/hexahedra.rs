//! What the generators have in common: hexahedra with named nodes, from which a mesh of any kind is made.

use super::split::split;
use super::{ElementKind, MeshError, Surface, VolumeMesh};
use crate::Vec3;
use std::collections::BTreeMap;

/// More cells are refused.
const MOST_CELLS: usize = 1 << 26;

/// Shape of the sides of round bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Nodes in the middle of edges are on straight lines between corners.
    #[default]
    Straight,
    /// Nodes in the middle of edges of round sides are on the true surface; for [`ElementKind::Tet10`] only.
    Curved,
}

/// Hexahedra of which neighbours share their nodes.
pub(super) struct Hexahedra {
    pub(super) nodes: Vec<Vec3>,
    pub(super) cells: Vec<u32>,
    /// 0 and 1, different at the ends of an edge wherever that is possible: diagonals then alternate.
    pub(super) colours: Vec<u8>,
    /// Nodes of the sides.
    pub(super) sides: BTreeMap<String, Vec<u32>>,
}

impl Hexahedra {
    /// A mesh with these sides as node sets and face sets.
    pub(super) fn into_mesh(self, kind: ElementKind) -> Result<VolumeMesh, MeshError> {
        let (linear, elements) = match kind {
            ElementKind::Hex8 => (ElementKind::Hex8, self.cells),
            ElementKind::Tet4 | ElementKind::Tet10 => (ElementKind::Tet4, split(&self.cells, &self.colours)),
        };
        let mut mesh =
            VolumeMesh { nodes: self.nodes, kind: linear, elements, node_sets: self.sides, face_sets: BTreeMap::new() };
        let outer = Surface::outer_faces(&mesh);
        let mut is_in_set = vec![false; mesh.nodes.len()];
        for (name, set) in &mesh.node_sets {
            is_in_set.fill(false);
            set.iter().for_each(|&node| is_in_set[node as usize] = true);
            let is_face = |&(element, face): &(u32, u8)| mesh.face(element, face).all(|node| is_in_set[node as usize]);
            mesh.face_sets.insert(name.clone(), outer.iter().copied().filter(is_face).collect());
        }
        if kind == ElementKind::Tet10 {
            mesh = mesh.to_tet10()?;
        }
        mesh.check_shapes()?;
        Ok(mesh)
    }
}

/// Refuses lengths that are not positive and finite.
pub(super) fn check_length(what: &'static str, found: f64) -> Result<(), MeshError> {
    match found.is_finite() && found > 0.0 {
        true => Ok(()),
        false => Err(MeshError::Size { what, found, expected: "a finite length > 0" }),
    }
}

/// Refuses too few divisions.
pub(super) fn check_divisions(what: &'static str, found: usize, least: usize) -> Result<(), MeshError> {
    match found >= least {
        true => Ok(()),
        false => Err(MeshError::Divisions { what, found, least }),
    }
}

/// Refuses more cells than can be numbered; `factors` are multiplied.
pub(super) fn check_cells(factors: &[usize]) -> Result<(), MeshError> {
    let cells: f64 = factors.iter().map(|&factor| factor as f64).product();
    match cells <= MOST_CELLS as f64 {
        true => Ok(()),
        false => Err(MeshError::TooMany { cells, most: MOST_CELLS }),
    }
}

/// Quadrilaterals of a plane, counter-clockwise, to be repeated along z.
pub(super) struct Section {
    pub(super) points: Vec<[f64; 2]>,
    pub(super) quadrilaterals: Vec<[u32; 4]>,
    pub(super) colours: Vec<u8>,
    /// Points of the round sides.
    pub(super) sides: BTreeMap<String, Vec<u32>>,
}

impl Section {
    /// `layers` cells from z = −height/2 to height/2; adds the sides `bottom` and `top`.
    pub(super) fn extrude(&self, height: f64, layers: usize) -> Hexahedra {
        let count = self.points.len() as u32;
        let mut nodes = Vec::with_capacity(self.points.len() * (layers + 1));
        let mut colours = Vec::with_capacity(nodes.capacity());
        for layer in 0..=layers {
            let z = height * (layer as f64 / layers as f64 - 0.5);
            nodes.extend(self.points.iter().map(|&[x, y]| Vec3::new(x, y, z)));
            colours.extend(self.colours.iter().map(|colour| (colour + (layer % 2) as u8) % 2));
        }
        let mut cells = Vec::with_capacity(self.quadrilaterals.len() * layers * 8);
        for layer in 0..layers as u32 {
            for corners in &self.quadrilaterals {
                cells.extend(corners.map(|corner| corner + count * layer));
                cells.extend(corners.map(|corner| corner + count * (layer + 1)));
            }
        }
        let lift =
            |points: &Vec<u32>| (0..=layers as u32).flat_map(|k| points.iter().map(move |p| p + k * count)).collect();
        let mut sides: BTreeMap<String, Vec<u32>> =
            self.sides.iter().map(|(name, points)| (name.clone(), lift(points))).collect();
        sides.insert("bottom".into(), (0..count).collect());
        sides.insert("top".into(), (count * layers as u32..count * (layers as u32 + 1)).collect());
        Hexahedra { nodes, cells, colours, sides }
    }
}
