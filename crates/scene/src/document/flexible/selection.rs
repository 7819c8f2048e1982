//! Nodes and faces by the names of sets, or by where they start.
//!
//! ```text
//! nodes = "x-min" | { box = [[…], […]] } | { plane = { point, normal, tolerance } } | { nearest = […] } | [several of these]
//! faces = "x-max" | ["x-max", "y-max"]
//! ```

use super::parts::Parts;
use crate::reader::nearest::hint;
use crate::reader::{Range, Table, Value};
use glam::DVec3;
use signorini_mechanics::flexible::mesh::FaceNodes;
use std::collections::BTreeMap;

/// Nodes this close to a box or plane \[largest coordinate or extent of the body\] are meant to be on it.
const ON: f64 = 1e-9;

/// The nodes a value selects, ascending, each once; never none.
pub(super) fn nodes(value: &Value<'_>, parts: &Parts) -> Option<Vec<u32>> {
    let mut nodes = match value.is_list() {
        true => {
            let several: Vec<_> = value.list()?.iter().map(|one| single(one, parts)).collect();
            several.into_iter().collect::<Option<Vec<_>>>()?.concat()
        }
        false => single(value, parts)?,
    };
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        value.error("is empty, expected at least one node");
        return None;
    }
    Some(nodes)
}

fn single(value: &Value<'_>, parts: &Parts) -> Option<Vec<u32>> {
    if !value.is_table() {
        let name = value.text()?;
        let of_faces = || {
            let nodes = |faces: &Vec<FaceNodes>| faces.iter().flat_map(|face| face.nodes().to_vec()).collect();
            parts.face_sets.get(name).map(nodes)
        };
        let nodes = parts.node_sets.get(name).cloned().or_else(of_faces);
        if nodes.is_none() {
            let known = parts.node_sets.keys().chain(parts.face_sets.keys()).map(String::as_str);
            let known: std::collections::BTreeSet<&str> = known.collect();
            let known = hint(name, "sets", known.into_iter().collect::<Vec<_>>());
            value.error_with(format_args!("names the unknown set of nodes \"{name}\""), known);
        }
        return nodes;
    }
    let table = value.table(value.what.clone())?;
    let within = table.get("box");
    let plane = table.table("plane");
    let nearest = table.get("nearest");
    let is_known = table.finish();
    let (low, high) = bounds(&parts.nodes);
    let rounding = ON * low.abs().max_element().max(high.abs().max_element());
    let count = usize::from(within.is_some()) + usize::from(table.has("plane")) + usize::from(nearest.is_some());
    if count != 1 {
        if is_known {
            table.error("expected one of `box`, `plane` and `nearest`");
        }
        return None;
    }
    let all = || parts.nodes.iter().zip(0_u32..);
    let selected: Vec<u32> = if let Some(value) = within {
        let corners = value.list_of::<2>("two corners [[x, y, z], [x, y, z]]")?;
        let [a, b] = corners.map(|corner| corner.vector(Range::COORDINATE));
        let (a, b) = (a?, b?);
        let (least, most) = (a.min(b) - rounding, a.max(b) + rounding);
        all().filter(|(place, _)| place.cmpge(least).all() && place.cmple(most).all()).map(|(_, k)| k).collect()
    } else if let Some(value) = nearest {
        let point = value.vector(Range::COORDINATE)?;
        let distance = |place: &DVec3| place.distance_squared(point);
        all().min_by(|a, b| distance(a.0).total_cmp(&distance(b.0))).map(|(_, k)| k).into_iter().collect()
    } else {
        let plane = plane?;
        let point = plane.require("point").and_then(|value| value.vector(Range::COORDINATE));
        let normal = plane.require("normal").and_then(|value| value.direction());
        let tolerance = plane.get("tolerance").map_or(Some(0.0), |value| value.number(Range::LENGTH_OR_ZERO));
        plane.finish();
        let (point, normal, tolerance) = (point?, normal?, tolerance?.max(rounding));
        all().filter(|(place, _)| (**place - point).dot(normal).abs() <= tolerance).map(|(_, k)| k).collect()
    };
    if selected.is_empty() {
        let body = format!("the body starts between {} and {}", shown(low), shown(high));
        table.error_with(
            format_args!("none of the {} nodes is selected, expected at least one", parts.nodes.len()),
            body,
        );
        return None;
    }
    Some(selected)
}

fn shown(place: DVec3) -> String {
    format!("[{:.6}, {:.6}, {:.6}]", place.x, place.y, place.z)
}

fn bounds(nodes: &[DVec3]) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    nodes.iter().fold(none, |(low, high), node| (low.min(*node), high.max(*node)))
}

/// The faces of the sets a value names.
pub(super) fn faces(value: &Value<'_>, parts: &Parts) -> Option<Vec<FaceNodes>> {
    let names = match value.is_list() {
        true => value.texts()?,
        false => vec![(value.clone(), value.text()?)],
    };
    let mut all = Vec::new();
    for (value, name) in names {
        match parts.face_sets.get(name) {
            Some(set) => all.extend_from_slice(set),
            None => {
                let known = hint(name, "face sets", parts.face_sets.keys().map(String::as_str).collect::<Vec<_>>());
                value.error_with(format_args!("names the unknown face set \"{name}\""), known);
                return None;
            }
        }
    }
    if all.is_empty() {
        value.error("has no faces, expected at least one");
        return None;
    }
    Some(all)
}

/// `nodes` with equal shares, or the nodes of `faces` with shares of their area: ∫ Nᵢ dA.
pub(super) fn shares<'a>(table: &Table<'a>, given: [Option<Value<'a>>; 2], parts: &Parts) -> Option<Vec<(u32, f64)>> {
    match given {
        [Some(value), None] => Some(nodes(&value, parts)?.into_iter().map(|node| (node, 1.0)).collect()),
        [None, Some(value)] => {
            let mut areas: BTreeMap<u32, f64> = BTreeMap::new();
            for face in faces(&value, parts)? {
                let place = |node: u32| parts.nodes[node as usize];
                face.areas(place, |node, area| *areas.entry(node).or_default() += area);
            }
            // Corners of quadratic faces have none but for rounding.
            let largest = areas.values().copied().fold(0.0, f64::max);
            Some(areas.into_iter().filter(|(_, area)| *area > 1e-9 * largest).collect())
        }
        _ => {
            table.error("expected one of `nodes` and `faces`");
            None
        }
    }
}
