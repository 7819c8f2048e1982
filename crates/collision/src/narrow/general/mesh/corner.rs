//! Corners of a body in front of a surface and behind it.

use super::side::Side;
use super::triangle::{Region, nearest};
use super::{CONE, Kind, Met, Query};
use crate::narrow::general::convex::NONE;
use glam::DVec3;

/// A foot this far beside a triangle is over it, relative to the size of the body: corners over a seam touch both sides.
const SEAM: f64 = 1e-9;
/// Feet closer than this, relative to the size, give no direction.
const ONE_PLACE: f64 = 1e-12;
/// Normals closer than this (1 − cos) are one.
const ONE_NORMAL: f64 = 1e-12;
/// Edges less bent than this (cosine) are part of one flat patch.
const BENT: f64 = 0.999;
/// The nearest point of all counts if it is beside its triangle by less than this, relative to its distance.
const BESIDE: f64 = 1e-3;

/// Triangles of a surface that a corner is behind.
#[derive(Default)]
pub(super) struct Flood {
    members: Vec<u32>,
    /// Which of the active triangles are members.
    marked: Vec<bool>,
    /// Those below which it is, and how deep.
    feet: Vec<(f64, u32)>,
}

impl Query<'_> {
    /// Contacts of a corner. With `only`, those of that triangle: for the lowest point of a rim over it.
    pub(super) fn corner(&self, index: u32, x: DVec3, only: u32, found: &mut Vec<Met>, flood: &mut Flood) {
        match self.side(x) {
            Side::Free => self.in_front(index, x, only, found),
            Side::Behind { first, from } => self.behind((index, x, only), first, from, found, flood),
            Side::Hidden => {}
        }
    }

    /// In front, every local minimum of the distance is a contact: a foot on a triangle, or on a sharp edge or vertex in
    /// whose cone the corner is.
    fn in_front(&self, index: u32, x: DVec3, only: u32, found: &mut Vec<Met>) {
        let (start, via) = (found.len(), if only == NONE { 0 } else { only + 1 });
        let seam = SEAM * self.body.size;
        let mut best: Option<(f64, u32, Region)> = None;
        for &t in self.active.iter().filter(|&&t| only == NONE || t == only) {
            let height = self.height(t, x);
            if height.abs() >= self.limit {
                continue;
            }
            let (foot, region) = nearest(x, self.corners(t));
            let away = x - foot;
            let distance = away.length();
            if distance >= self.limit {
                continue;
            }
            if best.is_none_or(|(least, ..)| distance < least) {
                best = Some((distance, t, region));
            }
            let over = region == Region::Face || (away - self.normal(t) * height).length() <= seam;
            if over && height >= 0.0 {
                self.add_body(found, (Kind::CornerFace, index, t), via, x, self.normal(t), height);
            }
            if region == Region::Face || only != NONE || distance <= ONE_PLACE * self.body.size {
                continue;
            }
            let n = away / distance;
            match region {
                Region::Face => {}
                Region::Side(k) => {
                    let id = self.topology.sides[t as usize][k];
                    let edge = &self.topology.edges[id as usize];
                    if edge.sharp && self.speaks(t, &edge.faces) && edge.allows(n, CONE) {
                        self.add_body(found, (Kind::CornerEdge, index, id), 0, x, n, distance);
                    }
                }
                Region::Corner(k) => {
                    let vertex = self.surface.mesh.triangles[t as usize][k];
                    let sharp = self.topology.sharp[vertex as usize];
                    if sharp && self.speaks(t, self.topology.faces_of(vertex)) && self.vertex_allows(vertex, n, CONE) {
                        self.add_body(found, (Kind::CornerVertex, index, vertex), 0, x, n, distance);
                    }
                }
            }
        }
        // Rounding at a seam cannot lose the nearest point of all.
        if let (true, true, Some((distance, t, region))) = (found.len() == start, only == NONE, best) {
            let rim = match region {
                Region::Face => false,
                Region::Side(k) => self.topology.edges[self.topology.sides[t as usize][k] as usize].is_rim(),
                Region::Corner(k) => self.topology.is_on_rim(self.surface.mesh.triangles[t as usize][k]),
            };
            let height = self.height(t, x);
            let beside = distance * distance - height * height;
            if !rim && height >= 0.0 && beside <= BESIDE * BESIDE * distance * distance {
                self.add_body(found, (Kind::CornerFace, index, t), 0, x, self.normal(t), height);
            }
        }
    }

    /// Whether a triangle is the first of those around a feature that are looked at: it speaks for all.
    fn speaks(&self, triangle: u32, around: &[u32]) -> bool {
        around.iter().all(|&t| t >= triangle || self.active.binary_search(&t).is_err())
    }

    /// Behind, the piece of surface that the way went through is found by going from triangle to triangle, as long as the
    /// way started in front of them and the corner is behind. Of these the nearest one below which the corner lies pushes
    /// it back. Below none of them, beyond a rim or a concave edge, it is the plane of the nearest. Another one pushes too
    /// where the surface is concave, since what is free there is in front of both planes: if the corner is below it and the
    /// foot on the first is in front of it, or if the corner is below none, but nearest to a concave edge or vertex where
    /// they meet. (Of a ridge one is enough.)
    fn behind(
        &self,
        (index, x, only): (u32, DVec3, u32),
        first: u32,
        from: DVec3,
        found: &mut Vec<Met>,
        flood: &mut Flood,
    ) {
        let Flood { members, marked, feet } = flood;
        let via = if only == NONE { 0 } else { only + 1 };
        let seam = SEAM * self.body.size;
        members.clear();
        members.push(first);
        marked.clear();
        marked.resize(self.active.len(), false);
        feet.clear();
        let mut next = 0;
        // Triangles below which the corner is come before others.
        let mut best = (true, f64::INFINITY, first);
        while let Some(&t) = members.get(next) {
            next += 1;
            let depth = -self.height(t, x);
            let (foot, region) = nearest(x, self.corners(t));
            let over = region == Region::Face || (x - foot + self.normal(t) * depth).length() <= seam;
            if over {
                feet.push((depth, t));
            }
            let rank = (!over, (x - foot).length(), t);
            if (rank.0, rank.1) < (best.0, best.1) {
                best = rank;
            }
            for edge in self.topology.sides[t as usize] {
                for other in self.topology.edges[edge as usize].faces {
                    let Ok(place) = self.active.binary_search(&other) else { continue };
                    if other == first || marked[place] {
                        continue;
                    }
                    marked[place] = true;
                    if self.height(other, x) <= 0.0 && self.height(other, from) >= 0.0 {
                        members.push(other);
                    }
                }
            }
        }
        let t = best.2;
        let (normal, height) = (self.normal(t), self.height(t, x));
        let foot = x - normal * height;
        self.add_body(found, (Kind::CornerFace, index, t), via, x, normal, height);
        for &(depth, other) in feet.iter() {
            let bound = self.height(other, foot) >= -seam;
            if other != t && bound && self.normal(other).dot(normal) < 1.0 - ONE_NORMAL {
                self.add_body(found, (Kind::CornerFace, index, other), via, x, self.normal(other), -depth);
            }
        }
        if !best.0 {
            return;
        }
        let (meeting, _) = nearest(x, self.corners(t));
        let start = found.len();
        for &other in members.iter().filter(|&&other| other != t) {
            let n = self.normal(other);
            let bent = n.dot(normal) < BENT && found[start..].iter().all(|known| n.dot(known.touch.normal) < BENT);
            if bent && (nearest(x, self.corners(other)).0 - meeting).length() <= seam {
                self.add_body(found, (Kind::CornerFace, index, other), via, x, n, self.height(other, x));
            }
        }
    }
}
