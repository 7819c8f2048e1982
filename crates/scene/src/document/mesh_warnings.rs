//! What looks wrong with a mesh that can be used, and what the program does with it.
//!
//! A closed surface is solid inside. A sheet, such as a terrain, a cup or a funnel, holds bodies on the front of its
//! triangles, from where their corners are counter-clockwise; nothing is said of it.

use glam::DVec3;
use signorini_collision::{Mesh, MeshDefects};

/// What becomes of a surface that is neither closed nor a sheet.
const SHEET: &str = "until that is mended, it has no inside: it holds bodies on the front of its triangles \
    (corners counter-clockwise) and does not push out what is behind them";

/// One line for every kind of defect.
pub(super) fn of(mesh: &Mesh, defects: &MeshDefects) -> Vec<String> {
    let vertex = |v: u32| place(mesh.vertices[v as usize]);
    let edge = |ends: [u32; 2]| format!("{} to {} m", vertex(ends[0]), vertex(ends[1]));
    let triangle = |t: u32| {
        let [a, b, c] = mesh.corners(t as usize);
        format!("around {} m", place((a + b + c) / 3.0))
    };
    let mut found = Vec::new();
    if let Some(first) = defects.inside_out.first() {
        let (count, closed, volume) = (defects.inside_out.len(), defects.closed_pieces, first.volume);
        let what = match closed {
            1 => format!("is inside out: its volume is {volume:.3e} m³"),
            _ => format!(
                "has {count} of {closed} closed pieces inside out, the first {}, {volume:.3e} m³",
                triangle(first.triangle)
            ),
        };
        found.push(format!(
            "{what}; it holds bodies within it, and lets in what comes from outside; \
             if it is to be solid, reverse its triangles"
        ));
    }
    let topology = &defects.topology;
    if let Some(hole) = defects.holes.first() {
        let (count, edges) = (counted(defects.holes.len(), "hole"), topology.edges);
        let open: usize = defects.holes.iter().map(|hole| hole.edges).sum();
        let first = edge(hole.edge);
        found.push(format!("has {count}: {open} of {edges} edges are open, the first from {first}; {SHEET}"));
    }
    if let Some(first) = topology.first_inconsistent_edge {
        let (count, first) = (counted(topology.inconsistent_edges, "edge"), edge(first));
        found.push(format!("has {count} whose two triangles face opposite ways, the first from {first}; {SHEET}"));
    }
    if let Some(first) = topology.first_crowded_edge {
        let (count, first) = (counted(topology.crowded_edges, "edge"), edge(first));
        found.push(format!("has {count} with more than two triangles, the first from {first}; {SHEET}"));
    }
    if let Some(seam) = defects.seams.first() {
        let (count, first, other) = (counted(defects.seams.len(), "vertex"), vertex(seam.vertex), edge(seam.edge));
        found.push(format!(
            "has {count} on the rim of other triangles, the first at {first} m on the edge from {other}; \
             surfaces that meet without common vertices are not connected: bodies can catch there"
        ));
    }
    if let Some(&[one, other]) = defects.crossings.pairs.first() {
        let count = counted(defects.crossings.pairs.len(), "pair");
        let least = if defects.crossings.may_be_more { "at least " } else { "" };
        let (one, other) = (triangle(one), triangle(other));
        found.push(format!(
            "crosses itself: {least}{count} of triangles, the first {one} and {other}; \
             a body there is pushed by both, and what is within both counts twice in a mass by density"
        ));
    }
    found
}

fn counted(count: usize, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "vertex") => format!("{count} vertices"),
        _ => format!("{count} {what}s"),
    }
}

/// A place to six digits, so that messages stay short.
fn place(x: DVec3) -> DVec3 {
    DVec3::from_array(x.to_array().map(|x| format!("{x:.5e}").parse().unwrap_or(x)))
}
