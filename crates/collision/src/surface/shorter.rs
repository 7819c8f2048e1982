//! Is there a shorter way to part a triangle or an edge of a surface and what it overlaps than the one found?
//!
//! A block pressed flush on another overlaps it by very little. Triangles and edges of its sides enter the other block by
//! just that much, yet may lie far behind an edge or a corner of it: a way out sideways, many times as long as the overlap.
//! So what overlaps by h touches only if no face parts it sooner: the triangle or edge as a whole would have to reach h or
//! more behind every face that looks against the surface where it is deepest.

use super::distance::AGAINST;
use super::sheet::Sheet;
use super::topology::Edge;
use crate::narrow::general::convex::Core;
use glam::DVec3;

/// A way is shorter if it is so by more than this share: two faces beside an edge may be almost one.
const SHORTER: f64 = 1e-6;
/// And by more than this, relative to the triangle or edge: rounding.
const ROUNDING: f64 = 1e-10;

/// Whether nodes that span a triangle or an edge are all less than `overlap` behind the face at a point, and the surface
/// around the deepest of them looks against it.
fn leaves(sheet: &Sheet, nodes: &[u32], normal: DVec3, on_face: DVec3, overlap: f64) -> bool {
    let depth = |node: u32| -normal.dot(sheet.node(node) - on_face);
    let deepest = nodes.iter().map(|&node| depth(node)).fold(f64::NEG_INFINITY, f64::max);
    let nearly = deepest - SHORTER * overlap;
    let first = nodes.first().map_or(DVec3::ZERO, |&node| sheet.node(node));
    let size = nodes.iter().map(|&node| (sheet.node(node) - first).length()).fold(0.0, f64::max);
    deepest < overlap * (1.0 - SHORTER) - ROUNDING * size
        && nodes.iter().any(|&node| depth(node) >= nearly && sheet.facing(node, normal) < AGAINST)
}

/// Whether nodes that span a triangle or an edge of a surface leave a convex body through one of its flat faces by a way
/// shorter than `overlap`.
pub(super) fn leaves_body(core: &Core, sheet: &Sheet, nodes: &[u32], overlap: f64) -> bool {
    match core {
        Core::Polyhedron(core) => core.normals.iter().enumerate().any(|(face, &normal)| {
            let on_face = core.vertices[core.topology.corners[core.topology.face(face).start] as usize];
            leaves(sheet, nodes, normal, on_face, overlap)
        }),
        Core::Round(round) => {
            let up = round.axis * round.half_height;
            leaves(sheet, nodes, -round.axis, round.centre - up, overlap)
                || !round.cone && leaves(sheet, nodes, round.axis, round.centre + up, overlap)
        }
    }
}

/// Whether an edge of a surface leaves another surface by a way shorter than `overlap`: through a triangle beside an edge of
/// that, or around an end of it where the surface is convex along the edge.
pub(super) fn leaves_surface(sheet: &Sheet, edge: &Edge, other: &Sheet, crossed: &Edge, overlap: f64) -> bool {
    let ends = crossed.ends.map(|end| other.node(end));
    let along = ends[1] - ends[0];
    [(0, along), (1, -along)].into_iter().any(|(end, along)| {
        other.topology.around(crossed.ends[end]).iter().any(|&face| {
            let normal = other.normal(face);
            normal.dot(along) <= ROUNDING * along.length() && leaves(sheet, &edge.ends, normal, ends[end], overlap)
        })
    })
}
