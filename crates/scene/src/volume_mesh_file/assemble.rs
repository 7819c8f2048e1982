//! From the cells of a file to a mesh of one kind with named sets.

use super::cell::{Cell, CellKind, Cells};
use super::error::Problem;
use glam::DVec3;
use signorini_mechanics::flexible::mesh::{ElementKind, VolumeMesh};
use std::collections::{BTreeMap, BTreeSet};

/// The one kind of the volume elements.
fn kind_of(cells: &Cells) -> Result<ElementKind, Problem> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut first = None;
    let mut other_line = None;
    for cell in &cells.cells {
        let name = match cell.kind {
            CellKind::Volume(kind) => kind.to_string(),
            CellKind::OtherVolume(name) => name.to_owned(),
            CellKind::Face(_) | CellKind::Lower => continue,
        };
        *counts.entry(name).or_default() += 1;
        if *first.get_or_insert(cell.kind) != cell.kind || matches!(cell.kind, CellKind::OtherVolume(_)) {
            other_line.get_or_insert(cell.line);
        }
    }
    match (first, other_line) {
        (Some(CellKind::Volume(kind)), None) => Ok(kind),
        (Some(_), line) => {
            let list: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let list = list.join(", ");
            let message = format!("the volume elements are {list}; expected all tet4, all tet10 or all hex8");
            Err(Problem::new(line.unwrap_or(cells.last_line), message))
        }
        (None, _) => {
            let others = cells.cells.len();
            let message = format!("the file has no volume elements, only {others} points, lines and faces");
            Err(Problem::new(cells.last_line.max(1), message))
        }
    }
}

/// The corners of a face, sorted: the same for the element and for a face cell of the file.
fn face_key(corners: impl Iterator<Item = u32>) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key.iter_mut().zip(corners).for_each(|(key, node)| *key = node);
    key.sort_unstable();
    key
}

/// Numbers of the mesh for numbers of the file: nodes of no volume element are left out.
fn number_nodes(cells: &Cells, is_volume: impl Fn(&Cell) -> bool) -> (Vec<DVec3>, Vec<Option<u32>>) {
    let mut numbers = vec![None; cells.nodes.len()];
    for cell in cells.cells.iter().filter(|cell| is_volume(cell)) {
        cells.nodes_of(cell).iter().for_each(|&node| numbers[node as usize] = Some(0));
    }
    let mut nodes = Vec::new();
    for (number, position) in numbers.iter_mut().zip(&cells.nodes) {
        if let Some(number) = number {
            *number = nodes.len() as u32;
            nodes.push(*position);
        }
    }
    (nodes, numbers)
}

pub(super) fn assemble(cells: &Cells) -> Result<VolumeMesh, Problem> {
    let kind = kind_of(cells)?;
    let is_volume = |cell: &Cell| cell.kind == CellKind::Volume(kind);
    let (nodes, numbers) = number_nodes(cells, is_volume);
    let renumber = |cell| cells.nodes_of(cell).iter().filter_map(|&node: &u32| numbers[node as usize]);
    // Version 2.2 of Gmsh's format lists elements of two groups twice.
    let mut seen = BTreeSet::new();
    let is_new = |cell: &&Cell| is_volume(cell) && seen.insert(cells.nodes_of(cell));
    let elements: Vec<u32> = cells.cells.iter().filter(is_new).flat_map(renumber).collect();
    let mut mesh = VolumeMesh { nodes, kind, elements, node_sets: BTreeMap::new(), face_sets: BTreeMap::new() };

    // Faces of elements by their corners, needed only if faces of the file are in groups.
    let in_group = |cell: &&Cell| cell.groups.0 < cell.groups.1;
    let needs_faces = cells.cells.iter().filter(in_group).any(|cell| matches!(cell.kind, CellKind::Face(_)));
    let mut faces: BTreeMap<[u32; 4], (u32, u8)> = BTreeMap::new();
    for element in 0..if needs_faces { mesh.element_count() as u32 } else { 0 } {
        for face in 0..kind.faces().len() as u8 {
            // A face between two elements belongs to the first.
            let key = face_key(mesh.face(element, face).take(kind.face_corners()));
            faces.entry(key).or_insert((element, face));
        }
    }
    for cell in cells.cells.iter().filter(in_group) {
        let face = match cell.kind {
            CellKind::Face(corners) => {
                let on_mesh = cells.nodes_of(cell)[..corners].iter().map(|&node| numbers[node as usize]);
                let known: Option<Vec<u32>> = on_mesh.collect();
                let face = known.and_then(|corners| faces.get(&face_key(corners.into_iter())));
                Some(*face.ok_or_else(|| Problem::new(cell.line, "the face belongs to no volume element"))?)
            }
            _ => None,
        };
        for &group in &cells.group_lists[cell.groups.0..cell.groups.1] {
            let name = cells.group_name(group);
            if let Some(face) = face {
                mesh.face_sets.entry(name.clone()).or_default().push(face);
            }
            mesh.node_sets.entry(name).or_default().extend(renumber(cell));
        }
    }
    for set in mesh.node_sets.values_mut() {
        set.sort_unstable();
        set.dedup();
    }
    for set in mesh.face_sets.values_mut() {
        set.sort_unstable();
        set.dedup();
    }
    mesh.node_sets.retain(|_, set| !set.is_empty());
    Ok(mesh)
}
