//! The flat feature of a core that faces a direction: a face, an edge, a vertex or a disc.

use super::convex::{NONE, Round, View};
use glam::DVec3;

/// A normal this close to a face's (1 − cos) belongs to that face: 1e-4 rad.
pub(super) const ALIGNED: f64 = 5e-9;
/// A face is used while its normal is within about 70° of the direction; steeper ones are seen edge-on.
const FACING: f64 = 0.3;
/// An edge across the direction within 2° is the feature of an edge contact.
const ACROSS: f64 = 0.035;
/// Directions closer to the axis of a round solid than 45° face its disc, others its side.
const DISC: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// A disc tilted by less than this (sine) is supported by four fixed points of its rim; beyond, the deepest point of the
/// rim is added. Far above rounding (1e-15), far below any tilt that matters.
const TILT: f64 = 1e-9;

/// Names of points of round solids: ends of the generator, then fixed points of the two rims.
const GENERATOR: u32 = 0;
const RIM: u32 = 8;

/// A disc and where it is.
#[derive(Clone, Copy)]
pub(super) struct Disc {
    pub(super) centre: DVec3,
    pub(super) radius: f64,
}

/// A convex flat patch: one point, a segment, a polygon or a disc (whose `points` are some of its rim).
#[derive(Default)]
pub(super) struct Feature {
    pub(super) points: Vec<DVec3>,
    pub(super) vertex_names: Vec<u32>,
    /// Name of the side from each point to the next.
    pub(super) side_names: Vec<u32>,
    /// Outward normal of a polygon or a disc.
    pub(super) normal: DVec3,
    pub(super) disc: Option<Disc>,
}

impl Feature {
    fn clear(&mut self) {
        self.points.clear();
        self.vertex_names.clear();
        self.side_names.clear();
        self.normal = DVec3::ZERO;
        self.disc = None;
    }

    fn push(&mut self, point: DVec3, name: u32, side: u32) {
        self.points.push(point);
        self.vertex_names.push(name);
        self.side_names.push(side);
    }

    /// Number of straight sides.
    pub(super) fn sides(&self) -> usize {
        match self.points.len() {
            _ if self.disc.is_some() => 0,
            0 | 1 => 0,
            2 => 1,
            n => n,
        }
    }

    /// Whether it is a polygon or a disc, with a plane of its own.
    pub(super) fn is_flat(&self) -> bool {
        self.disc.is_some() || self.points.len() > 2
    }

    /// The feature of a core that faces `n`. `along_face`: one of the two shapes has a face across n, so that face
    /// meets face; otherwise edges nearly across n are preferred.
    pub(super) fn take(&mut self, view: &View, n: DVec3, along_face: bool) {
        self.clear();
        if let Some(round) = &view.round {
            return self.take_round(round, n);
        }
        let (vertex, index) = view.support(n);
        if !along_face && let Some(edge) = best_edge(view, n, index, ACROSS) {
            return self.take_edge(view, edge);
        }
        if let Some(face) = best_face(view, n, index)
            && view.normals[face].dot(n) > FACING
        {
            return self.take_face(view, face);
        }
        match best_edge(view, n, index, 1.0) {
            Some(edge) => self.take_edge(view, edge),
            None => self.push(vertex, index as u32, NONE),
        }
    }

    fn take_edge(&mut self, view: &View, edge: usize) {
        for end in view.topology.edges[edge] {
            self.push(view.vertices[end as usize], end, edge as u32);
        }
    }

    fn take_face(&mut self, view: &View, face: usize) {
        for corner in view.topology.face(face) {
            let vertex = view.topology.corners[corner];
            self.push(view.vertices[vertex as usize], vertex, view.topology.sides[corner]);
        }
        self.normal = view.normals[face];
    }

    fn take_round(&mut self, round: &Round, n: DVec3) {
        let along = n.dot(round.axis);
        let up = round.axis * round.half_height;
        let top = !round.cone && along >= 0.0;
        let radial = round.radial(n);
        if along.abs() < DISC || (round.cone && along > 0.0) {
            let rim = if radial == DVec3::ZERO { round.across } else { radial } * round.radius;
            let upper = if round.cone { round.centre + up } else { round.centre + up + rim };
            self.push(round.centre - up + rim, GENERATOR, GENERATOR);
            self.push(upper, GENERATOR + 1, GENERATOR);
            return;
        }
        let centre = if top { round.centre + up } else { round.centre - up };
        let other = round.axis.cross(round.across);
        for (k, spoke) in [round.across, other, -round.across, -other].into_iter().enumerate() {
            self.push(centre + spoke * round.radius, RIM + 4 * u32::from(top) + k as u32, NONE);
        }
        if radial.dot(n) > TILT {
            self.push(centre + radial * round.radius, GENERATOR + u32::from(top), NONE);
        }
        self.normal = if top { round.axis } else { -round.axis };
        self.disc = Some(Disc { centre, radius: round.radius });
    }
}

/// Whether a face or a disc of the core lies across n.
pub(super) fn has_face_across(view: &View, n: DVec3) -> bool {
    if let Some(round) = &view.round {
        return if round.cone { -n.dot(round.axis) } else { n.dot(round.axis).abs() } > 1.0 - ALIGNED;
    }
    view.normals.iter().any(|normal| normal.dot(n) > 1.0 - ALIGNED)
}

/// Among the faces of the farthest vertex, that whose normal is closest to n. (The closest normal of all may belong to a
/// face that does not have the farthest vertex.)
fn best_face(view: &View, n: DVec3, vertex: usize) -> Option<usize> {
    let mut best = None;
    for face in 0..view.topology.faces() {
        let facing = view.normals[face].dot(n);
        if best.is_none_or(|(most, _)| facing > most)
            && view.topology.corners[view.topology.face(face)].contains(&(vertex as u32))
        {
            best = Some((facing, face));
        }
    }
    best.map(|(_, face)| face)
}

/// Among the edges of the farthest vertex, that most across n, if within a bound on the sine.
fn best_edge(view: &View, n: DVec3, vertex: usize, bound: f64) -> Option<usize> {
    let mut best = None;
    for (edge, ends) in view.topology.edges.iter().enumerate() {
        if !ends.contains(&(vertex as u32)) {
            continue;
        }
        let direction = view.vertices[ends[1] as usize] - view.vertices[ends[0] as usize];
        let slope = direction.normalize_or_zero().dot(n).abs();
        if slope <= bound && best.is_none_or(|(least, _)| slope < least) {
            best = Some((slope, edge));
        }
    }
    best.map(|(_, edge)| edge)
}
