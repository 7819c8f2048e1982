//! Where two flat features lie over each other, seen along the normal.
//!
//! The common region of two convex patches has three kinds of corners: corners of A over B, corners of B over A, and
//! crossings of a side of A with a side of B. Each is a contact, named by what makes it, so that a name lasts while the
//! patches slide a little, whichever of them carries the normal. All corners are kept: which of eight corners to leave
//! out would change from step to step, and with it the warm start.

use super::feature::{ALIGNED, Feature};
use glam::{DVec2, DVec3};

/// Kinds of contacts, in their names.
pub(super) const CORNER_OF_A: u32 = 0;
pub(super) const CORNER_OF_B: u32 = 1;
pub(super) const CROSSING: u32 = 2;
pub(super) const CLOSEST: u32 = 3;

/// One contact of two cores, not yet swept.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub(super) a: DVec3,
    pub(super) b: DVec3,
    pub(super) normal: DVec3,
    pub(super) gap: f64,
    /// Kind, and what of A and B.
    pub(super) name: [u32; 3],
}

/// Two directions across n.
pub(super) struct Plane {
    n: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Plane {
    pub(super) fn new(n: DVec3) -> Self {
        let (u, v) = n.any_orthonormal_pair();
        Self { n, u, v }
    }
    fn flat(&self, point: DVec3) -> DVec2 {
        DVec2::new(self.u.dot(point), self.v.dot(point))
    }
    /// The point on a straight line of the feature's patch over or below a point, along n.
    fn drop_onto(&self, feature: &Feature, point: DVec3) -> DVec3 {
        if feature.is_flat() {
            let origin = feature.disc.map_or(feature.points[0], |disc| disc.centre);
            return point + self.n * (feature.normal.dot(origin - point) / feature.normal.dot(self.n));
        }
        if feature.points.len() == 1 {
            return feature.points[0];
        }
        let (p, q) = (feature.points[0], feature.points[1]);
        p + (q - p) * self.along(p, q, point)
    }
    /// Where a point lies on a segment seen along n, from 0 to 1.
    fn along(&self, p: DVec3, q: DVec3, point: DVec3) -> f64 {
        let side = self.flat(q - p);
        let length = side.length_squared();
        if length > 0.0 { (side.dot(self.flat(point - p)) / length).clamp(0.0, 1.0) } else { 0.0 }
    }
    /// Whether a point lies over the feature, up to a length.
    fn over(&self, feature: &Feature, point: DVec3, tolerance: f64) -> bool {
        if let Some(disc) = feature.disc {
            return (self.drop_onto(feature, point) - disc.centre).length() <= disc.radius + tolerance;
        }
        if feature.points.len() < 3 {
            return self.flat(self.drop_onto(feature, point) - point).length() <= tolerance;
        }
        let turn = feature.normal.dot(self.n).signum();
        let count = feature.points.len();
        (0..count).all(|i| {
            let (p, q) = (feature.points[i], feature.points[(i + 1) % count]);
            let side = self.flat(q - p);
            turn * side.perp_dot(self.flat(point - p)) >= -tolerance * side.length()
        })
    }

    /// Adds the contacts of two features.
    pub(super) fn contacts(&self, a: &Feature, b: &Feature, tolerance: f64, found: &mut Vec<Touch>) {
        let (n, start) = (self.n, found.len());
        for (i, &point) in a.points.iter().enumerate() {
            if self.over(b, point, tolerance) {
                let gap = n.dot(self.drop_onto(b, point) - point);
                let name = [CORNER_OF_A, a.vertex_names[i], 0];
                found.push(Touch { a: point, b: point + n * gap, normal: n, gap, name });
            }
        }
        for (j, &point) in b.points.iter().enumerate() {
            if self.over(a, point, tolerance) {
                let gap = n.dot(point - self.drop_onto(a, point));
                let name = [CORNER_OF_B, 0, b.vertex_names[j]];
                self.push_new(Touch { a: point - n * gap, b: point, normal: n, gap, name }, start, tolerance, found);
            }
        }
        match (a.disc, b.disc) {
            (None, None) => self.side_crossings(a, b, tolerance, start, found),
            (Some(_), None) => self.disc_crossings(a, b, false, tolerance, start, found),
            (None, Some(_)) => self.disc_crossings(b, a, true, tolerance, start, found),
            (Some(_), Some(_)) => self.rim_crossings(a, b, tolerance, start, found),
        }
    }

    /// Adds the crossing of two segments only.
    pub(super) fn crossing(&self, a: &Feature, b: &Feature, tolerance: f64, found: &mut Vec<Touch>) {
        self.side_crossings(a, b, tolerance, 0, found);
    }

    /// Unless there is one at the same place already.
    fn push_new(&self, touch: Touch, start: usize, tolerance: f64, found: &mut Vec<Touch>) {
        if found[start..].iter().all(|known| self.flat(known.a - touch.a).length() > tolerance) {
            found.push(touch);
        }
    }

    fn side_crossings(&self, a: &Feature, b: &Feature, tolerance: f64, start: usize, found: &mut Vec<Touch>) {
        for i in 0..a.sides() {
            let (p, d) = (a.points[i], a.points[(i + 1) % a.points.len()] - a.points[i]);
            let d_flat = self.flat(d);
            for j in 0..b.sides() {
                let (q, e) = (b.points[j], b.points[(j + 1) % b.points.len()] - b.points[j]);
                let e_flat = self.flat(e);
                let cross = d_flat.perp_dot(e_flat);
                // Sides that stay within the tolerance of each other over their common length: their ends are
                // contacts already, and the crossing could be anywhere.
                if cross.abs() <= tolerance * d_flat.length().max(e_flat.length()) {
                    continue;
                }
                // p + s d = q + t e seen along n.
                let between = self.flat(q - p);
                let (s, t) = (between.perp_dot(e_flat) / cross, between.perp_dot(d_flat) / cross);
                if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                    let on_a = p + d * s;
                    let gap = self.n.dot(q + e * t - on_a);
                    let name = [CROSSING, a.side_names[i], b.side_names[j]];
                    let touch = Touch { a: on_a, b: on_a + self.n * gap, normal: self.n, gap, name };
                    self.push_new(touch, start, tolerance, found);
                }
            }
        }
    }

    /// Crossings of the sides of a polygon with the rim of a disc, both seen along n in the plane of the disc.
    fn disc_crossings(
        &self,
        round: &Feature,
        polygon: &Feature,
        exchanged: bool,
        tolerance: f64,
        start: usize,
        found: &mut Vec<Touch>,
    ) {
        let Some(disc) = round.disc else { return };
        for i in 0..polygon.sides() {
            let (p, q) = (polygon.points[i], polygon.points[(i + 1) % polygon.points.len()]);
            let (foot, end) = (self.drop_onto(round, p), self.drop_onto(round, q));
            let (d, from_centre) = (end - foot, foot - disc.centre);
            // |from_centre + s d|² = r²
            let (qa, qb) = (d.length_squared(), d.dot(from_centre));
            let discriminant = qb * qb - qa * (from_centre.length_squared() - disc.radius * disc.radius);
            if qa <= 0.0 || discriminant <= 0.0 {
                continue;
            }
            for (which, root) in [-1.0, 1.0].into_iter().enumerate() {
                let s = (root * discriminant.sqrt() - qb) / qa;
                if !(0.0..=1.0).contains(&s) {
                    continue;
                }
                let (on_round, on_polygon) = (foot + d * s, p + (q - p) * s);
                let (on_a, on_b) = if exchanged { (on_polygon, on_round) } else { (on_round, on_polygon) };
                let gap = self.n.dot(on_b - on_a);
                let (side, rim) = (polygon.side_names[i], which as u32);
                let name = if exchanged { [CROSSING, side, rim] } else { [CROSSING, rim, side] };
                let touch = Touch { a: on_a, b: on_a + self.n * gap, normal: self.n, gap, name };
                self.push_new(touch, start, tolerance, found);
            }
        }
    }

    /// Crossings of two rims that lie across n within 1e-4 rad, as circles seen along n: tilted by ϑ a rim is an ellipse,
    /// and the place is off by ϑ² of the radius, the gap by ϑ³.
    fn rim_crossings(&self, a: &Feature, b: &Feature, tolerance: f64, start: usize, found: &mut Vec<Touch>) {
        let (Some(disc_a), Some(disc_b)) = (a.disc, b.disc) else { return };
        if a.normal.dot(self.n) < 1.0 - ALIGNED || -b.normal.dot(self.n) < 1.0 - ALIGNED {
            return;
        }
        let offset = self.flat(disc_b.centre - disc_a.centre);
        let distance = offset.length();
        let (r, s) = (disc_a.radius, disc_b.radius);
        if distance >= r + s || distance <= (r - s).abs() {
            return;
        }
        let along = 0.5 * (distance + (r - s) * (r + s) / distance);
        let across = (r * r - along * along).max(0.0).sqrt();
        let unit = offset / distance;
        for (which, side) in [-1.0, 1.0].into_iter().enumerate() {
            let place = unit * along + unit.perp() * (side * across);
            let on_a = self.drop_onto(a, disc_a.centre + self.u * place.x + self.v * place.y);
            let gap = self.n.dot(self.drop_onto(b, on_a) - on_a);
            let name = [CROSSING, which as u32, 0];
            self.push_new(
                Touch { a: on_a, b: on_a + self.n * gap, normal: self.n, gap, name },
                start,
                tolerance,
                found,
            );
        }
    }
}
