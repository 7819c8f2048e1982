//! Rims and sides of cylinders and cones.

use super::body::Distance;
use super::corner::Flood;
use super::{CONE, Kind, Met, Query};
use crate::narrow::general::convex::Round;
use glam::DVec3;

/// Names of the lowest points of the rims, beyond those of the fixed points.
const LOWEST: u32 = 16;
/// A rim flatter on a triangle than this (sine) has no lowest point.
const TILT: f64 = 1e-9;
/// Halvings: the end of the search is exact to 2⁻⁴⁸ of the edge.
const HALVINGS: usize = 48;
/// Slopes closer than this, relative, are one.
const ONE_SLOPE: f64 = 1e-9;
/// Along the direction between two ways out, a way longer than the shorter one by this factor is no way out ...
const LONGER: f64 = 3.0;
/// ... unless both are within this of touching, relative to the size.
const TOUCHING: f64 = 1e-6;
/// An edge that rises less than this from its lowest point is flat there, relative to the smaller half side ...
const FLAT: f64 = 1e-3;
/// ... and touches with both ends of the flat part if this is longer than this.
const LONG: f64 = 0.3;
/// Ends of a flat part have the normal of its middle within this (cosine).
const ONE_WAY: f64 = 0.99;

impl Query<'_> {
    /// For every triangle the lowest point of each rim.
    pub(super) fn rims(&self, round: &Round, found: &mut Vec<Met>, flood: &mut Flood) {
        let up = round.axis * round.half_height;
        let rims = [round.centre - up, round.centre + up];
        for &t in self.active {
            let n = self.normal(t);
            let across = n - round.axis * n.dot(round.axis);
            if across.length() <= TILT {
                continue;
            }
            let lowest = round.radial(-n) * round.radius;
            for (rim, &centre) in (0..).zip(&rims[..if round.cone { 1 } else { 2 }]) {
                // The rest of the rim is not nearer to this triangle.
                if self.height(t, centre + lowest) < self.limit {
                    self.corner(LOWEST + rim, centre + lowest, t, found, flood);
                }
            }
        }
    }

    /// A sharp edge: the signed distance of a convex body is convex along it, and halving the edge by the sign of its slope
    /// finds the lowest point.
    pub(super) fn round_edge(&self, id: u32, round: &Round, found: &mut Vec<Met>) {
        let edge = &self.topology.edges[id as usize];
        let [p, end] = edge.ends.map(|end| self.place(end));
        let d = end - p;
        let (length, inner) = (d.length(), round.radius.min(round.half_height));
        let at = |share: f64| {
            let distance = self.body.distance(p + d * share, f64::INFINITY);
            distance.unwrap_or(Distance { value: f64::INFINITY, out: d })
        };
        let [first, last] = [at(0.0), at(1.0)];
        let [fall, rise] = [first.out.dot(d), last.out.dot(d)];
        // At an end of the edge it is the vertex that touches.
        if fall >= 0.0 || rise <= 0.0 {
            return;
        }
        // A convex function is above its tangents, and so above where those of the ends cross.
        let crossing_share = (first.value - last.value + rise) / (rise - fall);
        if first.value + fall * crossing_share >= self.limit {
            return;
        }
        let [low, high] = halve([0.0, 1.0], |share| at(share).out.dot(d) > 0.0);
        let (falling, rising) = (at(low), at(high));
        if falling.value >= self.limit {
            return;
        }
        // At a rim two ways out meet: outside, the direction between them that is across the edge; inside, the edge crosses
        // the rim, and what is between their nearest points counts.
        let (fall, rise) = (falling.out.dot(d), rising.out.dot(d));
        let out = if rise - fall > ONE_SLOPE * length { falling.out * rise - rising.out * fall } else { falling.out };
        let n = -(out - d * (out.dot(d) / d.length_squared())).normalize_or_zero();
        let x = p + d * low;
        let overlap = falling.value <= 0.0;
        let longest = LONGER * -falling.value + TOUCHING * self.body.size;
        if overlap && rise - fall > ONE_SLOPE * length {
            let unit = d / length;
            let Some((share, to_rim)) = crossing(round, x, unit) else { return };
            let (x, depth) = (x + unit * share, to_rim.length());
            let n = -to_rim / depth;
            let reached = (0.0..=length).contains(&(low * length + share)) && depth > 0.0 && depth <= longest;
            if reached && edge.allows(n, CONE) && self.sees(x, &edge.faces, n, -depth) {
                self.add_surface(found, (Kind::RoundEdge, 0, id), x, n, -depth);
            }
            return;
        }
        let gap = if overlap { self.body.view.interval(n).0 - n.dot(x) } else { falling.value };
        if overlap && -gap > longest {
            return;
        }
        let mut add = |which: u32, share: f64, gap: f64| {
            let x = p + d * share;
            let allowed = n.is_normalized() && edge.allows(n, CONE);
            if gap < self.limit && allowed && (gap >= self.sweep || self.sees(x, &edge.faces, n, gap)) {
                self.add_surface(found, (Kind::RoundEdge, which, id), x, n, gap);
            }
        };
        add(0, low, gap);
        let level = falling.value + FLAT * inner;
        let left = if first.value <= level { 0.0 } else { halve([0.0, low], |share| at(share).value <= level)[1] };
        let right = if last.value <= level { 1.0 } else { halve([high, 1.0], |share| at(share).value > level)[0] };
        if (right - left) * length > LONG * inner {
            for (which, share) in [(1, left), (2, right)] {
                let there = at(share);
                if share > 0.0 && share < 1.0 && -there.out.dot(n) > ONE_WAY {
                    add(which, share, there.value);
                }
            }
        }
    }
}

/// Where the rim next to a point x passes the line through x along a unit vector: how far along the line, and what leads from
/// there to the rim. The square of the distance of the rim's point r(φ) from the line has the slope 2 w·r′, w being r − x
/// without its part along the line; Newton's steps find the zero.
fn crossing(round: &Round, x: DVec3, along: DVec3) -> Option<(f64, DVec3)> {
    const STEPS: usize = 12;
    /// Steps of at most this angle \[rad\].
    const LARGEST: f64 = 0.3;
    let from = x - round.centre;
    let lower = round.cone || from.dot(round.axis) < 0.0;
    let centre = round.centre + round.axis * if lower { -round.half_height } else { round.half_height };
    let radial = round.radial(from);
    let start = if radial == DVec3::ZERO { round.across } else { radial };
    let other = round.axis.cross(start);
    let across = |v: DVec3| v - along * v.dot(along);
    let mut angle = 0.0_f64;
    for _ in 0..STEPS {
        let (sin, cos) = angle.sin_cos();
        let spoke = (start * cos + other * sin) * round.radius;
        let tangent = (other * cos - start * sin) * round.radius;
        let w = across(centre + spoke - x);
        let (slope, curvature) = (w.dot(tangent), across(tangent).length_squared() - w.dot(spoke));
        if curvature <= 0.0 {
            return None;
        }
        angle -= (slope / curvature).clamp(-LARGEST, LARGEST);
    }
    let (sin, cos) = angle.sin_cos();
    let to_rim = centre + (start * cos + other * sin) * round.radius - x;
    Some((to_rim.dot(along), across(to_rim)))
}

/// The two ends of the last interval in which a condition begins to hold.
fn halve([mut low, mut high]: [f64; 2], holds: impl Fn(f64) -> bool) -> [f64; 2] {
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
