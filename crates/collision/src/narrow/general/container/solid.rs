//! Signed distance of a point from a convex core, and the feature of the core that is nearest.
//!
//! Outside of a polyhedron the nearest point is the foot on a face that sees the point, if it is within the face, and else
//! on an edge. Within, the face that is least deep counts. Round cores are a rectangle or a triangle in the half plane of
//! the point through their axis.

use super::super::convex::{Round, View};
use glam::{DVec2, DVec3};

/// The nearest feature of a core seen from a point.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    /// Negative within the core.
    pub(super) distance: f64,
    /// Unit vector from the point towards the core; within it, inwards across the nearest face.
    pub(super) towards: DVec3,
    /// Number of the face, or of the edge after the faces.
    pub(super) feature: u32,
    /// Whether it is a corner, or the rim or the tip of a round core.
    pub(super) is_corner: bool,
}

/// The nearest feature, `None` if the core has none or the point is a corner of it.
pub(super) fn nearest(view: &View, point: DVec3) -> Option<Nearest> {
    match &view.round {
        Some(round) => nearest_of_round(round, point),
        None => nearest_of_polyhedron(view, point),
    }
}

fn nearest_of_polyhedron(view: &View, point: DVec3) -> Option<Nearest> {
    let topology = view.topology;
    let mut deepest: Option<(f64, usize)> = None;
    for (face, &normal) in view.normals.iter().enumerate().take(topology.faces()) {
        let corners = &topology.corners[topology.face(face)];
        let height = normal.dot(point - view.vertices[*corners.first()? as usize]);
        if height > 0.0 && is_over(view, corners, normal, point) {
            return Some(Nearest { distance: height, towards: -normal, feature: face as u32, is_corner: false });
        }
        if deepest.is_none_or(|(most, _)| height > most) {
            deepest = Some((height, face));
        }
    }
    if let Some((height, face)) = deepest.filter(|(height, _)| *height <= 0.0) {
        return Some(Nearest {
            distance: height,
            towards: -view.normals[face],
            feature: face as u32,
            is_corner: false,
        });
    }
    let mut best: Option<(f64, DVec3, usize, bool)> = None;
    for (edge, [p, q]) in topology.edges.iter().enumerate() {
        let (p, q) = (view.vertices[*p as usize], view.vertices[*q as usize]);
        let along = q - p;
        let share = along.dot(point - p) / along.length_squared();
        let away = p + along * share.clamp(0.0, 1.0) - point;
        let distance = away.length();
        if best.is_none_or(|(least, ..)| distance < least) {
            best = Some((distance, away, edge, !(share > 0.0 && share < 1.0)));
        }
    }
    let (distance, away, edge, is_corner) = best?;
    let feature = (topology.faces() + edge) as u32;
    Some(Nearest { distance, towards: away.try_normalize()?, feature, is_corner })
}

/// Whether the foot of a point on the plane of a face is within the face.
fn is_over(view: &View, corners: &[u32], normal: DVec3, point: DVec3) -> bool {
    let count = corners.len();
    (0..count).all(|i| {
        let [p, q] = [corners[i], corners[(i + 1) % count]].map(|corner| view.vertices[corner as usize]);
        normal.dot((q - p).cross(point - p)) >= 0.0
    })
}

/// Numbers of the features of round cores.
const SIDE: u32 = 0;
const BASE: u32 = 1;
const TOP: u32 = 2;
const RIM: u32 = 3;

fn nearest_of_round(round: &Round, point: DVec3) -> Option<Nearest> {
    let offset = point - round.centre;
    let height = offset.dot(round.axis);
    // On the axis all directions across it are alike.
    let radial = Some(round.radial(offset)).filter(|radial| *radial != DVec3::ZERO).unwrap_or(round.across);
    let p = DVec2::new(offset.dot(radial).max(0.0), height);
    let (h, r) = (round.half_height, round.radius);
    let upper = DVec2::new(if round.cone { 0.0 } else { r }, h);
    let lower = DVec2::new(r, -h);
    let along = (upper - lower).try_normalize()?;
    let outwards = -along.perp();
    // Lines: distance, normal, feature and whether the foot is on the piece of the line that belongs to the core.
    let t = (p - lower).dot(along);
    let side = (p - lower).dot(outwards);
    let lines = [
        (side, outwards, SIDE, (0.0..=lower.distance(upper)).contains(&t)),
        (-h - p.y, DVec2::NEG_Y, BASE, p.x <= r),
        (p.y - h, DVec2::Y, TOP, !round.cone && p.x <= r),
    ];
    let lines = &lines[..if round.cone { 2 } else { 3 }];
    let space = |v: DVec2| radial * v.x + round.axis * v.y;
    let found = |(distance, normal, feature, _): (f64, DVec2, u32, bool)| {
        Some(Nearest { distance, towards: -space(normal), feature, is_corner: false })
    };
    if let Some(line) = lines.iter().find(|line| line.0 > 0.0 && line.3) {
        return found(*line);
    }
    if lines.iter().all(|line| line.0 <= 0.0) {
        return found(lines.iter().copied().reduce(|best, line| if line.0 > best.0 { line } else { best })?);
    }
    let corner = if p.distance_squared(upper) < p.distance_squared(lower) { upper } else { lower };
    let away = corner - p;
    let feature = RIM + u32::from(corner == upper);
    Some(Nearest { distance: away.length(), towards: space(away.try_normalize()?), feature, is_corner: true })
}
