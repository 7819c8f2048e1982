//! Where an edge of a surface is lowest, that is nearest to or deepest in a convex body: the distance from a convex body is
//! a convex function, so halving finds the place where it stops to fall.

use super::convex::{Body, Triangle};
use super::distance::{Distance, shortest_distance};
use super::found::{Kind, Meeting};
use super::topology::{Edge, NO_TRIANGLE};
use crate::contact::NO_FACE;
use glam::DVec3;

/// Halvings of a length.
const HALVINGS: usize = 60;

fn from_body(body: &Body, point: DVec3) -> Option<Distance> {
    shortest_distance(body.core, body.size, point, f64::INFINITY)
}

/// The lowest point of a segment, unless it is an end (a node) or too far away for a distance below `reach`. Inside, where
/// two ways out are equally long, the gradients f (falling) and r (rising) differ; the one across the segment d between them
/// is (r·d) f − (f·d) r.
fn lowest(body: &Body, [p, q]: [DVec3; 2], reach: f64) -> Option<(DVec3, Distance)> {
    let along = q - p;
    let [start, end] = [from_body(body, p)?, from_body(body, q)?];
    let [falls, rises_at_end] = [-start.normal.dot(along), end.normal.dot(along)];
    if falls < 0.0 || rises_at_end <= 0.0 {
        return None;
    }
    // A convex function is above its tangents; those at the ends meet at the value below.
    let least = (start.value * rises_at_end + end.value * falls - falls * rises_at_end) / (falls + rises_at_end);
    if least >= reach {
        return None;
    }
    let rises = |t: f64| from_body(body, p + along * t).is_none_or(|found| found.normal.dot(along) > 0.0);
    let [low, high] = halve(0.0, 1.0, rises);
    let point = p + along * low;
    let [falling, rising] = [from_body(body, point)?, from_body(body, p + along * high)?];
    let [f, r] = [falling, rising].map(|found| found.normal.dot(along));
    let across = (falling.normal * r - rising.normal * f).normalize_or(falling.normal);
    let unit = along.normalize_or_zero();
    let normal = (across - unit * across.dot(unit)).normalize_or_zero();
    Some((point, Distance { value: falling.value, normal }))
}

/// The last place where a condition does not hold, and the first where it does.
fn halve(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> [f64; 2] {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    [low, high]
}

/// Sides the triangle answers for, with their ends.
fn sides<'a>(triangle: &'a Triangle) -> impl Iterator<Item = (u32, &'a Edge, [DVec3; 2])> {
    let Triangle { sheet, face, .. } = triangle;
    (0..3).filter(|&k| sheet.topology.owns_side(*face, k)).map(|k| {
        let side = sheet.side(*face, k);
        let edge = sheet.edge(side);
        (side, edge, edge.ends.map(|end| sheet.node(end)))
    })
}

/// Edges along the side of a round body.
pub(super) fn edges(body: &Body, triangle: &Triangle, emit: &mut dyn FnMut(Meeting)) {
    let Triangle { sheet, margin, limit, depth, .. } = triangle;
    for (side, edge, ends) in sides(triangle) {
        let Some((point, Distance { value, normal })) = lowest(body, ends, limit + margin + body.sweep) else {
            continue;
        };
        let gap = value - body.sweep - margin;
        let allowed = normal.dot(sheet.edge_normal(edge)) < 0.0 && sheet.edge_allows(edge, -normal);
        if gap < *limit && value >= -depth && allowed {
            let points = [point - normal * (value - body.sweep), point];
            emit(contact(body, triangle, (Kind::RoundEdge, side), points, normal, gap));
        }
    }
}

/// Edges that pass through the body with both ends outside. Where it is so deep that no corner or edge of it is the one to
/// touch, the mean normal beside the edge or one of the two leads out, whichever way is the shortest: at the rim of a block
/// that is the front. The gap is that way.
pub(super) fn deep_edges(body: &Body, triangle: &Triangle, emit: &mut dyn FnMut(Meeting)) {
    let Triangle { sheet, margin, .. } = triangle;
    for (side, edge, ends) in sides(triangle) {
        let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]).length());
        // The distance changes by no more than the way.
        if shortest_distance(body.core, body.size, middle, body.sweep + half).is_none() {
            continue;
        }
        let inside = |end: &DVec3| shortest_distance(body.core, body.size, *end, body.sweep).is_some();
        if ends.iter().any(inside) {
            continue;
        }
        let Some((point, found)) = lowest(body, ends, body.sweep) else { continue };
        if found.value >= body.sweep {
            continue;
        }
        let out = |normal: DVec3| {
            let outside =
                |way: f64| from_body(body, point + normal * way).is_none_or(|found| found.value >= body.sweep);
            (normal, halve(0.0, 2.0 * (body.size + body.sweep), outside)[1])
        };
        let beside = edge.faces.into_iter().filter(|&face| face != NO_TRIANGLE).map(|face| sheet.normal(face));
        let all = std::iter::once(sheet.edge_normal(edge).normalize_or_zero()).chain(beside);
        let ways = all.filter(|normal| *normal != DVec3::ZERO).map(|normal| out(-normal));
        if let Some((normal, way)) = ways.min_by(|a, b| a.1.total_cmp(&b.1)) {
            let points = [point + normal * way, point];
            let meeting = contact(body, triangle, (Kind::DeepEdge, side), points, normal, -way - margin);
            emit(Meeting { last_resort: true, ..meeting });
        }
    }
}

fn contact(
    body: &Body,
    triangle: &Triangle,
    (kind, side): (Kind, u32),
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
) -> Meeting {
    Meeting {
        kind,
        part: body.part,
        what: [0, side],
        source: (kind, side),
        faces: [NO_FACE, triangle.face],
        points,
        normal,
        gap,
        height: 0.0,
        shown: true,
        sideways: false,
        last_resort: false,
        size: triangle.depth,
    }
}
