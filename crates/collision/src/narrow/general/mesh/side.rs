//! The free side of a surface, seen from the inside of a body.
//!
//! A body is convex, so the segment from its centre to any of its points lies in it, and if the centre is free, the point
//! is behind the surface exactly if the body is cut between them: if that segment meets the surface, first through a
//! front. There is no limit to the depth, walls may be as thin as they like, and nothing is remembered. Where the segment
//! leaves the surface again, a hill may only stand in the way: then the point is free if another way within the body, over
//! one of its other corners, leads to it.
//!
//! The centre itself is free unless the way to it from an earlier place is cut. Without such a place, a centre inside a
//! closed surface starts from the nearest point of it, and one below a height field from above.

use super::body::Body;
use super::topology::MeshTopology;
use super::triangle::{Region, nearest, pierce};
use super::{Query, Surface};
use crate::narrow::general::convex::NONE;
use glam::DVec3;

/// How far in front of the surface a centre inside of it starts, relative to the size of the body.
const OUTSIDE: f64 = 1e-6;
/// The last part of a segment that may touch what it leads to.
const ARRIVED: f64 = 1.0 - 1e-9;

/// On which side of the surface a point of the body is.
pub(super) enum Side {
    /// The way to it is free.
    Free,
    /// The way to it, last free at `from`, enters through the front of a triangle.
    Behind { first: u32, from: DVec3 },
    /// It is seen from behind an open surface.
    Hidden,
}

/// What a segment meets.
struct Way {
    /// The first triangle, and whether it is met from its front.
    first: Option<(u32, bool)>,
    /// One of the triangles is met from its back.
    leaves: bool,
}

/// What the side of the centre is found from.
pub(super) struct Start<'a> {
    pub(super) surface: &'a Surface,
    pub(super) topology: &'a MeshTopology,
    pub(super) body: &'a Body<'a>,
    /// Triangles near the body.
    pub(super) triangles: &'a [u32],
    /// The box in which all triangles are known.
    pub(super) region: (DVec3, DVec3),
    pub(super) free: Option<DVec3>,
}

impl Start<'_> {
    /// A point on the free side, and whether there is none: the centre is then behind an open surface.
    pub(super) fn find(&self, wider: &mut Vec<u32>) -> (DVec3, bool) {
        let centre = self.body.centre;
        if let Some(free) = self.free {
            let cut = matches!(way(self.surface, self.triangles, free, centre).first, Some((_, true)));
            return (if cut { free } else { centre }, false);
        }
        if self.surface.solid_below {
            return (self.above().unwrap_or(centre), false);
        }
        if self.topology.closed && !self.surface.is_around(centre) {
            return (centre, false);
        }
        // Of all triangles, also of those that the body is far in front of: the nearest one tells the side.
        let (low, high) = self.region;
        self.surface.triangles_in(low, high, wider);
        let Some((mut foot, mut out)) = self.nearest(wider) else { return (centre, false) };
        let far = (foot - centre).length();
        if self.topology.closed && far > (centre - low).min(high - centre).min_element() {
            // A nearer triangle may be outside of the box: ask for all that can be.
            self.surface.triangles_in(centre - far, centre + far, wider);
            (foot, out) = self.nearest(wider).unwrap_or((foot, out));
        }
        let behind = out.dot(centre - foot) < 0.0;
        if behind && self.topology.closed {
            return (foot + out.normalize_or_zero() * (OUTSIDE * self.body.size), false);
        }
        (centre, behind)
    }

    /// The nearest point of some triangles to the centre, with the pseudo-normal there: the centre is outside of a closed
    /// surface exactly if it is in front of that (Bærentzen and Aanæs 2005).
    fn nearest(&self, triangles: &[u32]) -> Option<(DVec3, DVec3)> {
        let Self { surface, topology, body, .. } = self;
        let mut best: Option<(f64, u32, DVec3, Region)> = None;
        for &t in triangles {
            let (foot, region) = nearest(body.centre, surface.mesh.corners(t as usize));
            let square = (body.centre - foot).length_squared();
            if best.is_none_or(|(least, ..)| square < least) {
                best = Some((square, t, foot, region));
            }
        }
        let (_, t, foot, region) = best?;
        let out = match region {
            Region::Face => surface.normals[t as usize],
            Region::Side(k) => topology.edges[topology.sides[t as usize][k] as usize].normal,
            Region::Corner(k) => topology.vertex_normals[surface.mesh.triangles[t as usize][k] as usize],
        };
        Some((foot, out))
    }

    /// A point over a height field, if the centre is below it.
    fn above(&self) -> Option<DVec3> {
        let centre = self.body.centre;
        let top = self.triangles.iter().flat_map(|&t| self.surface.mesh.corners(t as usize)).map(|corner| corner.z);
        let top = top.fold(centre.z, f64::max) + self.body.size;
        let over = centre.with_z(top);
        let cut = way(self.surface, self.triangles, over, centre).first.is_some();
        cut.then_some(over)
    }
}

/// What the segment between two points meets of some triangles.
fn way(surface: &Surface, triangles: &[u32], from: DVec3, to: DVec3) -> Way {
    let mut first: Option<(f64, u32, bool)> = None;
    let mut leaves = false;
    for &t in triangles {
        let normal = surface.normals[t as usize];
        if let Some(share) = pierce(from, to, surface.mesh.corners(t as usize), normal) {
            let front = normal.dot(to - from) < 0.0;
            leaves |= !front;
            if first.is_none_or(|(least, ..)| share < least) {
                first = Some((share, t, front));
            }
        }
    }
    Way { first: first.map(|(_, t, front)| (t, front)), leaves }
}

impl Query<'_> {
    /// On which side a point of the body is.
    pub(super) fn side(&self, x: DVec3) -> Side {
        let direct = way(self.surface, self.active, self.origin, x);
        match direct.first {
            None => Side::Free,
            Some((_, false)) if self.hidden => Side::Hidden,
            Some((_, false)) => Side::Free,
            Some((first, true)) if !direct.leaves => Side::Behind { first, from: self.origin },
            Some((first, true)) => self.other_way(x).unwrap_or(Side::Behind { first, from: self.origin }),
        }
    }

    /// The side of a point that something stands before, by way of another corner.
    fn other_way(&self, x: DVec3) -> Option<Side> {
        let mut behind = None;
        for &over in self.body.corners {
            if over == x || way(self.surface, self.active, self.origin, over).first.is_some() {
                continue;
            }
            let rest = way(self.surface, self.active, over, x);
            match rest.first {
                None => return Some(Side::Free),
                Some((first, true)) if !rest.leaves && behind.is_none() => {
                    behind = Some(Side::Behind { first, from: over });
                }
                Some(_) => {}
            }
        }
        behind
    }

    /// Whether the body sees a point of the surface from its front, `around` being the triangles at it: from its centre, or
    /// from a place over the point in the direction n that the centre sees. So the far side of a thin wall never pulls. The
    /// place is as far over the point as the centre is; of a ball or a capsule it is the point of the core, which the gap
    /// leads to.
    pub(super) fn sees(&self, x: DVec3, around: &[u32], n: DVec3, gap: f64) -> bool {
        let clear = |from: DVec3, to: DVec3, except: &[u32]| {
            self.active.iter().all(|t| {
                except.contains(t)
                    || pierce(from, to, self.corners(*t), self.normal(*t)).is_none_or(|share| share > ARRIVED)
            })
        };
        let front = |from: DVec3| around.iter().any(|&t| t != NONE && self.normal(t).dot(from - x) > 0.0);
        if front(self.origin) && clear(self.origin, x, around) {
            return true;
        }
        let has_faces = self.body.corners.len() > 2;
        let over = x + n * if has_faces { n.dot(self.origin - x).max(0.0) } else { gap.max(0.0) };
        front(over)
            && (!has_faces || self.body.holds(over, 0.0))
            && clear(over, x, around)
            && clear(self.origin, over, &[])
    }
}
