//! Directions between round cores and others, from equations of what touches.
//!
//! Closest points and expanding polytopes approach curved surfaces by polytopes and leave a direction good to about 1e-6.
//! Here the features near that direction are taken as what they are: rims (circles), sides (a family of lines leaning
//! against the axis), edges and corners. Where two curves p and q touch or are closest, p − q is normal to both tangents;
//! Newton's method finds the place and the normal is p' × q', whether the shapes are apart, touch or overlap.

use super::convex::{Round, View};
use super::separation::Search;
use glam::DVec3;

/// Newton's steps; quadratic from a start good to 1e-3.
const STEPS: usize = 12;
/// Steps in the angle below this are rounding.
const SETTLED: f64 = 1e-13;
/// Edges within 30° of across the direction may be what touches.
const ACROSS: f64 = 0.5;
/// Lines closer to parallel than this (sine squared) leave the direction between them open.
const PARALLEL: f64 = 1e-18;

/// A circle.
#[derive(Clone, Copy)]
struct Rim {
    centre: DVec3,
    x: DVec3,
    y: DVec3,
}

impl Rim {
    fn point(&self, angle: f64) -> DVec3 {
        self.centre + self.x * angle.cos() + self.y * angle.sin()
    }
    fn rate(&self, angle: f64) -> DVec3 {
        self.y * angle.cos() - self.x * angle.sin()
    }
    fn bend(&self, angle: f64) -> DVec3 {
        self.centre - self.point(angle)
    }
    fn angle(&self, towards: DVec3) -> f64 {
        self.y.dot(towards).atan2(self.x.dot(towards))
    }
}

impl Round {
    fn rims(&self) -> impl Iterator<Item = Rim> + use<> {
        let (x, y) = (self.across * self.radius, self.axis.cross(self.across) * self.radius);
        let up = self.axis * self.half_height;
        let centres = [Some(self.centre - up), (!self.cone).then_some(self.centre + up)];
        centres.into_iter().flatten().map(move |centre| Rim { centre, x, y })
    }

    /// Sine of the angle by which normals of the side lean towards the axis: tan α = r / 2h of a cone.
    fn lean(&self) -> f64 {
        let slope = if self.cone { 0.5 * self.radius / self.half_height } else { 0.0 };
        slope / slope.hypot(1.0)
    }
}

impl Search<'_> {
    /// Replaces an approximate direction by an exact one near it.
    pub(super) fn polish(&mut self, n: DVec3) {
        let (a, b) = (self.a, self.b);
        match (a.round, b.round) {
            (Some(first), Some(second)) => {
                self.side_point(n, &first, second.centre + second.axis * second.half_height);
                self.side_point(-n, &second, first.centre + first.axis * first.half_height);
                self.sides(n, &first, second.axis, -second.lean());
                self.sides(n, &first, second.axis, 0.0);
                self.sides(-n, &second, first.axis, 0.0);
                for rim in first.rims() {
                    for other in second.rims() {
                        self.rim_rim(n, &rim, &other);
                    }
                    self.rim_side(n, &rim, &second);
                    self.rim_point(n, &rim, second.centre + second.axis * second.half_height);
                }
                for rim in second.rims() {
                    self.rim_side(-n, &rim, &first);
                    self.rim_point(-n, &rim, first.centre + first.axis * first.half_height);
                }
            }
            (Some(round), None) => self.round_polyhedron(n, &round, b),
            (None, Some(round)) => self.round_polyhedron(-n, &round, a),
            (None, None) => {}
        }
    }

    /// n points out of the round core.
    fn round_polyhedron(&mut self, n: DVec3, round: &Round, other: &View) {
        let (vertex, index) = other.support(-n);
        self.side_point(n, round, vertex);
        for rim in round.rims() {
            self.rim_point(n, &rim, vertex);
        }
        for ends in other.topology.edges.iter().filter(|ends| ends.contains(&(index as u32))) {
            let [p, q] = ends.map(|end| other.vertices[end as usize]);
            let direction = (q - p).normalize_or_zero();
            if direction.dot(n).abs() > ACROSS {
                continue;
            }
            self.sides(n, round, direction, 0.0);
            for rim in round.rims() {
                self.rim_line(n, &rim, p, direction);
            }
        }
    }

    /// Unit vectors m with m·axis = lean of the side and m·e = s.
    fn sides(&mut self, n: DVec3, round: &Round, e: DVec3, s: f64) {
        let (d, t) = (round.axis, round.lean());
        let (cosine, cross) = (d.dot(e), d.cross(e));
        let sine2 = cross.length_squared();
        if sine2 < PARALLEL {
            return;
        }
        let (alpha, beta) = ((t - s * cosine) / sine2, (s - t * cosine) / sine2);
        let flat = d * alpha + e * beta;
        let rest = 1.0 - flat.length_squared();
        if rest < 0.0 {
            return;
        }
        let out = cross * (rest / sine2).sqrt();
        for side in [flat + out, flat - out] {
            self.propose_near(side.normalize(), n);
        }
    }

    /// The place of a rim at a stationary distance from a line.
    fn rim_line(&mut self, n: DVec3, rim: &Rim, origin: DVec3, line: DVec3) {
        let off = |v: DVec3| v - line * v.dot(line);
        let mut angle = rim.angle(n);
        for _ in 0..STEPS {
            let (from_line, rate, bend) = (off(rim.point(angle) - origin), rim.rate(angle), rim.bend(angle));
            let curvature = off(rate).length_squared() + from_line.dot(bend);
            let step = from_line.dot(rate) / curvature;
            if !step.is_finite() || step.abs() > 1.0 {
                return;
            }
            angle -= step;
            if step.abs() < SETTLED {
                break;
            }
        }
        self.propose_near(rim.rate(angle).cross(line).normalize_or_zero(), n);
    }

    /// The place of a rim at a stationary distance from the side of another round core: the side's normal there,
    /// m = cos α radial + sin α axis, is across the rim, m·p' = 0.
    fn rim_side(&mut self, n: DVec3, rim: &Rim, round: &Round) {
        let sine = round.lean();
        let cosine = (1.0 - sine * sine).sqrt();
        let off = |v: DVec3| v - round.axis * v.dot(round.axis);
        let mut angle = rim.angle(n);
        let mut normal = DVec3::ZERO;
        for _ in 0..STEPS {
            let (from_axis, rate) = (off(rim.point(angle) - round.centre), rim.rate(angle));
            let radial = from_axis.normalize_or_zero();
            normal = radial * cosine + round.axis * sine;
            let turn = (off(rate) - radial * radial.dot(rate)) * (cosine / from_axis.length());
            let step = normal.dot(rate) / (turn.dot(rate) + normal.dot(rim.bend(angle)));
            if !step.is_finite() || step.abs() > 1.0 {
                return;
            }
            angle -= step;
            if step.abs() < SETTLED {
                break;
            }
        }
        self.propose_near(normal, n);
    }

    fn rim_rim(&mut self, n: DVec3, first: &Rim, second: &Rim) {
        let (mut angle, mut other) = (first.angle(n), second.angle(-n));
        for _ in 0..STEPS {
            let between = first.point(angle) - second.point(other);
            let (p, q) = (first.rate(angle), second.rate(other));
            // F = (between·p', between·q'), rows of its derivative below.
            let (f, g) = (between.dot(p), between.dot(q));
            let (fa, fb) = (p.length_squared() + between.dot(first.bend(angle)), -q.dot(p));
            let (ga, gb) = (p.dot(q), -q.length_squared() + between.dot(second.bend(other)));
            let determinant = fa * gb - fb * ga;
            let (step, other_step) = ((f * gb - g * fb) / determinant, (g * fa - f * ga) / determinant);
            if !step.is_finite() || !other_step.is_finite() || step.abs() + other_step.abs() > 1.0 {
                return;
            }
            angle -= step;
            other -= other_step;
            if step.abs() + other_step.abs() < SETTLED {
                break;
            }
        }
        self.propose_near(first.rate(angle).cross(second.rate(other)).normalize_or_zero(), n);
        self.propose_near((second.point(other) - first.point(angle)).normalize_or_zero(), n);
    }

    fn rim_point(&mut self, n: DVec3, rim: &Rim, point: DVec3) {
        let closest = rim.point(rim.angle(point - rim.centre));
        self.propose_near((point - closest).normalize_or_zero(), n);
    }

    /// The side's normal towards a point.
    fn side_point(&mut self, n: DVec3, round: &Round, point: DVec3) {
        let sine = round.lean();
        let radial = round.radial(point - round.centre);
        self.propose_near(radial * (1.0 - sine * sine).sqrt() + round.axis * sine, n);
    }

    /// Proposes ±m, whichever is near n; zero is ignored.
    fn propose_near(&mut self, m: DVec3, n: DVec3) {
        if m != DVec3::ZERO {
            self.propose_exact(if m.dot(n) < 0.0 { -m } else { m });
        }
    }
}
