//! Edges of a surface across edges of a polyhedron, or across the axis of a capsule.

use super::side::Side;
use super::{CONE, EXIT, Kind, Met, Query, Touch};
use crate::narrow::general::convex::NONE;
use glam::DVec3;

/// A normal may lean into the faces of the body by this (sine). The far end of a ridge below a face must count, although
/// the ridge touches the face elsewhere first.
const LEAN: f64 = 0.1;
/// Edges closer to parallel than this (square of the sine) do not cross.
const PARALLEL: f64 = 1e-12;
/// Edges cross if they do within this of their ends, relative to their lengths.
const ENDS: f64 = 1e-9;
/// A point outside of the core by less than this, relative to the size, is in it.
const INSIDE: f64 = 1e-9;
/// A contact leads another way out if it is as deep as this share of it.
const LEADS: f64 = 0.5;
/// Ways out that differ less than this (cosine) are the same one.
const SAME_WAY: f64 = 0.9;

/// The contact of an edge that another way out of the body is shorter than.
#[derive(Clone, Copy)]
pub(super) struct Doubted {
    met: Met,
    /// Length of the other way \[m\].
    depth: f64,
    /// Unit normal along it, from the surface to the body.
    normal: DVec3,
}

impl Doubted {
    /// The contact, unless one that was found leads the other way.
    pub(super) fn unless_led(&self, found: &[Met]) -> Option<Met> {
        let leads = |met: &Met| met.touch.normal.dot(self.normal) > SAME_WAY && -met.touch.gap >= LEADS * self.depth;
        (!found.iter().any(leads)).then_some(self.met)
    }
}

impl Query<'_> {
    /// A sharp edge and every edge of the core.
    pub(super) fn edge(&self, id: u32, found: &mut Vec<Met>, doubted: &mut Vec<Doubted>) {
        let edge = &self.topology.edges[id as usize];
        let ends = edge.ends.map(|end| self.place(end));
        if self.body.is_beyond_a_face(ends, self.limit) {
            return;
        }
        let (p, d) = (ends[0], ends[1] - ends[0]);
        let view = self.body.view;
        for (index, body_ends) in view.topology.edges.iter().enumerate() {
            let [q, q_end] = body_ends.map(|end| view.vertices[end as usize]);
            let e = q_end - q;
            let cross = d.cross(e);
            let square = cross.length_squared();
            if square <= PARALLEL * d.length_squared() * e.length_squared() {
                continue;
            }
            // p + s d and q + t e are nearest where what is between them is along d × e.
            let between = q - p;
            let (s, t) = (between.cross(e).dot(cross) / square, between.cross(d).dot(cross) / square);
            let within = -ENDS..=1.0 + ENDS;
            if !within.contains(&s) || !within.contains(&t) {
                continue;
            }
            let (on_surface, on_body) = (p + d * s, q + e * t);
            let unit = cross / square.sqrt();
            let n = if unit.dot(edge.normal) < 0.0 { -unit } else { unit };
            let gap = n.dot(on_body - on_surface);
            if gap >= self.limit || !edge.allows(n, CONE) || self.leans(index, e, n) {
                continue;
            }
            // Without faces, the point of the surface must be in the sphere that sweeps the core.
            if view.normals.is_empty() && gap <= -self.sweep {
                continue;
            }
            if gap < 0.0 && !view.normals.is_empty() {
                if !self.body.holds(on_surface, INSIDE * self.body.size) {
                    // The body is thinner there than it is deep: then its own edge must be behind the surface.
                    if matches!(self.side(on_body), Side::Behind { .. }) && self.sees(on_surface, &edge.faces, n, gap) {
                        self.add_surface(found, (Kind::Edges, index as u32, id), on_surface, n, gap);
                    }
                    continue;
                }
                // Another way out for all of the edge that is in the core, clearly another and shorter, is the one to take.
                let other = self.body.way_out(&self.body.clip(p, d), |way| {
                    let way = way - d * (way.dot(d) / d.length_squared());
                    let length = way.length();
                    length > SAME_WAY && way.dot(n) < SAME_WAY && edge.allows(way / length, EXIT)
                });
                if let Some((depth, normal)) = other.filter(|(depth, _)| *depth < -gap) {
                    if self.sees(on_surface, &edge.faces, n, gap) {
                        // It is no deeper than the shortest way out is long.
                        let (gap, name) = (-depth, [Kind::Edges as u32, index as u32, id]);
                        let touch = Touch { a: on_surface, b: on_surface + n * gap, normal: n, gap, name };
                        doubted.push(Doubted { met: Met { touch, via: 0 }, depth, normal });
                    }
                    continue;
                }
            }
            if gap >= self.sweep || self.sees(on_surface, &edge.faces, n, gap) {
                self.add_surface(found, (Kind::Edges, index as u32, id), on_surface, n, gap);
            }
        }
    }

    /// Whether a direction from the surface leans so much into a face beside an edge of the body that this edge is not
    /// what the surface meets.
    fn leans(&self, edge: usize, along: DVec3, n: DVec3) -> bool {
        let view = self.body.view;
        let faces = view.topology.edge_faces[edge];
        if faces.contains(&NONE) {
            return false;
        }
        let along = along.normalize_or_zero();
        let [first, second] = faces.map(|face| view.normals[face as usize]);
        let into = |own: DVec3, other: DVec3| {
            // Into the own face: away from the other face's outer side.
            let inward = own.cross(along);
            let inward = if inward.dot(other) > 0.0 { -inward } else { inward };
            -n.dot(inward) > LEAN
        };
        into(first, second) || into(second, first)
    }
}
