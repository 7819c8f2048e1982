//! The direction of least overlap, or of the distance, of two convex cores.
//!
//! For every unit n, s(n) = min_B n·x − max_A n·x is a lower bound of the signed distance, and the largest s is the signed
//! distance itself. Directions are proposed by faces, by crossing edges, by the closest points and, for round cores that
//! overlap, by expanding polytopes; each is judged by s(n) evaluated from the shapes, so a poor proposal loses and never
//! spoils the gap. Faces come first and others must be better by more than rounding: contacts do not flicker.

use super::convex::{NONE, Round, View};
use super::{gjk, penetration};
use glam::DVec3;

/// By how much a direction must be better to replace an earlier one, relative to the smaller size.
const BETTER: f64 = 1e-10;
/// Near touching, two corners leave the normal open, and rounding would choose another one every step: there a direction
/// must be better by this much, ...
pub(super) const STABLE: f64 = 1e-6;
/// ... as long as its gap is within this of zero. Both relative to the smaller size.
pub(super) const TOUCHING: f64 = 1e-5;
/// Closer than this, relative to the size, edges are asked as well as closest points, whose direction is then uncertain.
const CLOSE: f64 = 1e-6;
/// How much larger s of an approximate direction may be by rounding, relative to the size.
const EXACT: f64 = 1e-13;
/// Round cores closer than this to touching, relative to the size, are also looked at ...
const NEARLY: f64 = 1e-2;
/// ... this far apart, where the direction of their closest points is certain.
pub(super) const APART: f64 = 1e-2;
/// How often, at most; each start must be better than the one before.
const RESTARTS: usize = 16;
/// With more pairs of edge directions than this, only pairs whose arcs cross on the unit sphere are tried.
const MANY_PAIRS: usize = 64;
/// A cross product shorter than this is of parallel edges.
const PARALLEL: f64 = 1e-9;
/// Up to this many vertices propose the direction from a round core's axis.
const FEW_VERTICES: usize = 16;

/// A direction from A to B.
#[derive(Clone, Copy)]
pub(super) struct Separation {
    pub(super) normal: DVec3,
    /// s(normal).
    pub(super) gap: f64,
    /// Closest points, if the direction comes from them.
    pub(super) points: Option<(DVec3, DVec3)>,
    /// False for a direction found by approaching a curved surface.
    pub(super) exact: bool,
}

/// Buffers of a search.
#[derive(Default)]
pub(super) struct Scratch {
    expansion: penetration::Expansion,
    edges: [Vec<u32>; 2],
}

/// Best direction so far.
pub(super) struct Search<'a> {
    pub(super) a: &'a View<'a>,
    pub(super) b: &'a View<'a>,
    size: f64,
    best: Option<Separation>,
}

/// A length small against both shapes, large against rounding.
pub(super) fn scale(a: &View, b: &View) -> f64 {
    let (small, large) = (a.size.min(b.size), a.size.max(b.size));
    // A point (a sphere's core) has no size: a thousandth of the other's.
    small.max(1e-3 * large)
}

impl<'a> Search<'a> {
    pub(super) fn new(a: &'a View<'a>, b: &'a View<'a>) -> Self {
        Self { a, b, size: scale(a, b), best: None }
    }

    /// s(n).
    fn gap(&self, n: DVec3) -> f64 {
        n.dot(self.b.support(-n).0 - self.a.support(n).0)
    }

    /// Proposes a direction near the best one, from the equations of what touches. The best one, if only approximate, may
    /// be better by its own rounding and is replaced all the same.
    pub(super) fn propose_exact(&mut self, near: DVec3) {
        // Seen from B, directions of A are reversed.
        let Some(best) = self.best else { return };
        let normal = if near.dot(best.normal) < 0.0 { -near } else { near };
        let proposal = Separation { normal, gap: self.gap(normal), points: best.points, exact: true };
        if !best.exact && proposal.gap >= best.gap - EXACT * self.size {
            self.best = Some(proposal);
        } else {
            self.judge(proposal);
        }
    }

    fn judge(&mut self, proposal: Separation) {
        let margin = if proposal.gap.abs() <= TOUCHING * self.size { STABLE } else { BETTER };
        if self.best.is_none_or(|best| proposal.gap > best.gap + margin * self.size) {
            self.best = Some(proposal);
        }
    }

    fn propose_both(&mut self, direction: DVec3) {
        let (a, b) = (self.a.interval(direction), self.b.interval(direction));
        self.judge(Separation { normal: direction, gap: b.0 - a.1, points: None, exact: true });
        self.judge(Separation { normal: -direction, gap: a.0 - b.1, points: None, exact: true });
    }

    /// Faces of both; for round cores their axes and what faces them.
    pub(super) fn faces(&mut self) -> Option<Separation> {
        for face in 0..self.a.topology.faces() {
            let normal = self.a.normals[face];
            let corner = self.a.vertices[self.a.topology.corners[self.a.topology.face(face).start] as usize];
            let gap = normal.dot(self.b.support(-normal).0 - corner);
            self.judge(Separation { normal, gap, points: None, exact: true });
        }
        for face in 0..self.b.topology.faces() {
            let outward = self.b.normals[face];
            let corner = self.b.vertices[self.b.topology.corners[self.b.topology.face(face).start] as usize];
            let gap = outward.dot(self.a.support(-outward).0 - corner);
            self.judge(Separation { normal: -outward, gap, points: None, exact: true });
        }
        if let Some(round) = self.a.round {
            self.round_faces(&round, self.b);
        }
        if let Some(round) = self.b.round {
            self.round_faces(&round, self.a);
        }
        self.best
    }

    fn round_faces(&mut self, round: &Round, other: &View) {
        self.propose_both(round.axis);
        // The side of a cone leans: its normal is cos α radial + sin α axis with tan α = r / 2h.
        let lean = if round.cone { 0.5 * round.radius / round.half_height } else { 0.0 };
        let side = |search: &mut Self, towards: DVec3| {
            let radial = round.radial(towards);
            if radial != DVec3::ZERO {
                search.propose_both((radial + round.axis * lean).normalize());
            }
        };
        side(self, other.centre - round.centre);
        if other.vertices.len() <= FEW_VERTICES {
            for vertex in other.vertices {
                side(self, *vertex - round.centre);
            }
        }
        if let Some(second) = other.round {
            self.cross(round.axis, second.axis);
        }
        if !round.cone && other.directions.len() <= MANY_PAIRS {
            for direction in other.directions {
                self.cross(round.axis, *direction);
            }
        }
    }

    fn cross(&mut self, d: DVec3, e: DVec3) {
        let cross = d.cross(e);
        let length = cross.length();
        if length > PARALLEL {
            self.propose_both(cross / length);
        }
    }

    fn edges(&mut self, scratch: &mut Scratch) {
        if self.a.directions.len() * self.b.directions.len() <= MANY_PAIRS {
            for d in self.a.directions {
                for e in self.b.directions {
                    self.cross(*d, *e);
                }
            }
            return;
        }
        self.edges_within_overlap(scratch);
        let Scratch { edges: [first, second], .. } = scratch;
        for &i in first.iter() {
            for &j in second.iter() {
                self.edge_pair(i as usize, j as usize);
            }
        }
    }

    /// Edges that may cross at the place of least overlap δ* ≤ δ = −s(f) of the best face f. The points a and b there are
    /// at most δ apart and in both shapes, so with h = max_A f·x: f·a ≥ h − 2δ and f·b ≤ h + δ.
    fn edges_within_overlap(&self, scratch: &mut Scratch) {
        let depth = self.best.map_or(f64::INFINITY, |best| best.gap.abs()) + 2.0 * CLOSE * self.size;
        let face = self.best.map_or(DVec3::Z, |best| best.normal);
        let top = self.a.interval(face).1;
        let [first, second] = &mut scratch.edges;
        let fill = |edges: &mut Vec<u32>, view: &View, inside: &dyn Fn(f64) -> bool| {
            edges.clear();
            let within = |end: &u32| inside(face.dot(view.vertices[*end as usize]));
            let indexed = view.topology.edges.iter().enumerate();
            edges.extend(indexed.filter(|(_, ends)| ends.iter().any(within)).map(|(edge, _)| edge as u32));
        };
        fill(first, self.a, &|height| height >= top - 2.0 * depth);
        fill(second, self.b, &|height| height <= top + depth);
    }

    /// A pair of edges makes a face of A − B only where the arc between the normals of one edge's faces crosses the arc
    /// between the reversed normals of the other's.
    fn edge_pair(&mut self, i: usize, j: usize) {
        let ends = |view: &View, edge: usize| view.topology.edges[edge].map(|end| view.vertices[end as usize]);
        let ([p, p_end], [q, q_end]) = (ends(self.a, i), ends(self.b, j));
        let ([f, g], [h, k]) = (self.a.topology.edge_faces[i], self.b.topology.edge_faces[j]);
        let closed = ![f, g, h, k].contains(&NONE);
        if closed {
            let [a, b] = [f, g].map(|face| self.a.normals[face as usize]);
            let [c, d] = [h, k].map(|face| -self.b.normals[face as usize]);
            let ba = b.cross(a);
            let (cba, dba) = (c.dot(ba), d.dot(ba));
            if cba * dba >= 0.0 {
                return;
            }
            let dc = d.cross(c);
            let (adc, bdc) = (a.dot(dc), b.dot(dc));
            if adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                return;
            }
        }
        let cross = (p_end - p).normalize_or_zero().cross((q_end - q).normalize_or_zero());
        if cross.length() > PARALLEL {
            self.propose_both(cross.normalize());
        }
    }

    /// Everything the faces have not settled.
    pub(super) fn all(&mut self, scratch: &mut Scratch) -> Separation {
        let size = self.size;
        let round = self.a.round.is_some() || self.b.round.is_some();
        if !round && self.best.is_none_or(|best| best.gap < CLOSE * size) {
            self.edges(scratch);
        }
        // A separating direction is known: the cores are apart, or touch within rounding.
        let apart = self.best.is_none_or(|best| best.gap > 0.0);
        if round {
            self.round_directions(&mut scratch.expansion, size);
        } else if (apart || self.flat_cores())
            && let Some((p, q)) = gjk::closest_points(self.a, self.b, DVec3::ZERO)
        {
            self.propose_between(p, q, true);
        }
        // Two points in one place: any direction is as good as another.
        self.best.unwrap_or(Separation { normal: DVec3::Z, gap: 0.0, points: None, exact: true })
    }

    /// The direction between closest points. Of polyhedra they are exact, and so is their distance, while s(n) suffers from
    /// the rounding of n.
    fn propose_between(&mut self, p: DVec3, q: DVec3, exact: bool) {
        if let Some(normal) = (q - p).try_normalize() {
            let gap = if exact { (q - p).length() } else { self.gap(normal) };
            self.judge(Separation { normal, gap, points: Some((p, q)), exact });
        }
    }

    /// Closest points when apart, expanding polytopes when not, then the equations of what touches.
    fn round_directions(&mut self, expansion: &mut penetration::Expansion, size: f64) {
        let closest = gjk::closest_points(self.a, self.b, DVec3::ZERO);
        if let Some((p, q)) = closest {
            self.propose_between(p, q, false);
        }
        if closest.is_none_or(|(p, q)| (q - p).length() < NEARLY * size)
            && let Some((normal, points)) = expansion.direction(self.a, self.b)
        {
            for normal in [normal, -normal] {
                self.judge(Separation { normal, gap: self.gap(normal), points: Some(points), exact: false });
            }
        }
        let Some(start) = self.best else { return };
        self.polish(start.normal);
        if start.gap > NEARLY * size {
            return;
        }
        // Touching or overlapping, both are uncertain. B moved along the best direction until the cores are a little
        // apart has closest points whose direction is certain, and is another start.
        for _ in 0..RESTARTS {
            let Some(best) = self.best else { return };
            let shift = best.normal * (APART * size - best.gap);
            let Some((p, q)) = gjk::closest_points(self.a, self.b, shift) else { return };
            let Some(normal) = (q - p).try_normalize() else { return };
            let (gap, points) = (self.gap(normal), Some((p, q - shift)));
            self.judge(Separation { normal, gap, points, exact: false });
            self.polish(normal);
            if self.best.is_none_or(|found| found.gap <= best.gap + BETTER * self.size) {
                return;
            }
        }
    }

    /// Whether A − B may have no inside, so that faces and edges do not settle that it contains the origin.
    fn flat_cores(&self) -> bool {
        self.a.topology.faces() + self.b.topology.faces() < 4
    }
}
