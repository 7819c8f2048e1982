//! The point of a curve nearest to another, and where that one is, seen from the curve.
//!
//! ```text
//! F(u) = c'·(c − q) = 0,   F' = c'·c' + c''·(c − q)                 Newton, between samples that enclose a least distance
//! y_k = e_k·d,  d = q − c(u)
//! ∂u/∂q = c'/(c'·c' − c''·d)                                       by F = 0: the curvature is in here
//! ∂y_k/∂q = e_k + (e_k'·d) ∂u/∂q                                   as e_k·c' = 0
//! ```
//!
//! Every sample nearer to q than its neighbours may lead to the nearest point, as long as it is not further than the nearest of all by
//! more than the curve can be from its samples; so do the straight lines beyond the ends.

use super::{Curve, Foot, Place};
use crate::Vec3;

/// Newton doubles the digits; halving alone needs this many for all of them.
const MOST_STEPS: usize = 60;

impl Curve {
    /// Where a point is, seen from the nearest point of the curve.
    pub(in crate::joint) fn seen_from(&self, q: Vec3) -> Foot {
        let u = self.nearest(q);
        let place = self.spline.at(u);
        let across = self.across(u, &place);
        let d = q - place.point;
        let length = place.slope.length_squared();
        let stretched = length - place.bend.dot(d);
        // In the centre of curvature every point is as near: the foot is then taken to stay.
        let du =
            if stretched.abs() > 1e-9 * length.max(f64::MIN_POSITIVE) { place.slope / stretched } else { Vec3::ZERO };
        let gradient = |k: usize| across.axes[k] + across.rates[k].dot(d) * du;
        Foot { offsets: across.axes.map(|axis| axis.dot(d)), gradients: [gradient(0), gradient(1)] }
    }

    /// u of the nearest point.
    pub(super) fn nearest(&self, q: Vec3) -> f64 {
        let n = self.samples.len();
        let distance = |k: usize| (self.samples[k].point - q).length_squared();
        let least = (0..n).map(distance).fold(f64::INFINITY, f64::min).sqrt();
        let mut best = (f64::INFINITY, 0.0);
        let mut offer = |u: f64| {
            let found = (self.spline.at(u).point - q).length_squared();
            if found < best.0 {
                best = (found, u);
            }
        };
        for k in 0..n {
            let here = distance(k);
            if here.sqrt() > least + self.reach {
                continue;
            }
            let [before, after] = self.beside(k);
            if before.is_none_or(|b| distance(b) >= here) && after.is_none_or(|a| distance(a) >= here) {
                offer(self.refined(k, before, after, q));
            }
        }
        if !self.spline.is_closed {
            let length = self.spline.length();
            for (end, outwards) in [(0.0, -1.0), (length, 1.0)] {
                let Place { point, slope, .. } = self.spline.at(end);
                let beyond = slope.dot(q - point) / slope.length_squared();
                if beyond * outwards > 0.0 {
                    offer(end + beyond);
                }
            }
        }
        best.1
    }

    /// The samples before and after one; the ends of an open curve have one neighbour.
    fn beside(&self, k: usize) -> [Option<usize>; 2] {
        let n = self.samples.len();
        match self.spline.is_closed {
            true => [Some((k + n - 1) % n), Some((k + 1) % n)],
            false => [k.checked_sub(1), Some(k + 1).filter(|&next| next < n)],
        }
    }

    /// The root of F near a sample that is nearer to q than those beside it.
    fn refined(&self, k: usize, before: Option<usize>, after: Option<usize>, q: Vec3) -> f64 {
        let (length, start) = (self.spline.length(), self.samples[k].u);
        // Round a closed curve u runs on.
        let mut low = before.map_or(start, |b| self.samples[b].u - if b > k { length } else { 0.0 });
        let mut high = after.map_or(start, |a| self.samples[a].u + if a < k { length } else { 0.0 });
        let mut u = start;
        for _ in 0..MOST_STEPS {
            let Place { point, slope, bend } = self.spline.at(u);
            let f = slope.dot(point - q);
            if f > 0.0 {
                high = u;
            } else {
                low = u;
            }
            let newton = u - f / (slope.length_squared() + bend.dot(point - q));
            // Newton may leave the interval, or be no number.
            let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
            if (next - u).abs() <= 2.0 * f64::EPSILON * length {
                return next;
            }
            u = next;
        }
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(closed: bool) -> Curve {
        let points: Vec<Vec3> = (0..10)
            .map(|k| {
                let a = 0.6 * f64::from(k);
                Vec3::new(2.0 * a.cos(), a.sin(), 0.4 * (3.0 * a).sin())
            })
            .collect();
        if closed { Curve::closed(&points) } else { Curve::open(&points) }.expect("a curve")
    }

    #[test]
    fn the_foot_is_the_nearest_of_a_fine_subdivision() {
        for closed in [false, true] {
            let curve = curve(closed);
            let length = curve.spline.length();
            for k in 0..200 {
                let a = f64::from(k);
                let q = Vec3::new(3.0 * (1.1 * a).sin(), 2.5 * (0.7 * a).cos(), (1.9 * a).sin());
                let found = (curve.spline.at(curve.nearest(q)).point - q).length();
                // Two lengths beyond both ends, in steps of 1/2000.
                let fine = |i: i32| length * (f64::from(i) / 2000.0);
                let brute = (-4000..=6000).map(|i| (curve.spline.at(fine(i)).point - q).length());
                let brute = brute.fold(f64::INFINITY, f64::min);
                assert!(found <= brute + 1e-12 && found > brute - 1e-3, "{closed} {q}: {found} {brute}");
            }
        }
    }

    #[test]
    fn offsets_are_the_distance_and_gradients_their_derivatives() {
        for closed in [false, true] {
            let curve = curve(closed);
            for k in 0..100 {
                let u = 0.13 * f64::from(k - 20);
                let a = f64::from(k);
                let q = curve.spline.at(u).point + 0.1 * Vec3::new(a.sin(), a.cos(), (2.0 * a).sin());
                let foot = curve.seen_from(q);
                let distance = (curve.spline.at(curve.nearest(q)).point - q).length();
                assert!((foot.offsets[0].hypot(foot.offsets[1]) - distance).abs() < 1e-12);
                for axis in Vec3::AXES {
                    let h = 1e-6;
                    let [ahead, behind] = [h, -h].map(|h| curve.seen_from(q + h * axis).offsets);
                    for r in 0..2 {
                        let slope = (ahead[r] - behind[r]) / (2.0 * h);
                        assert!((slope - foot.gradients[r].dot(axis)).abs() < 1e-7, "{closed} {u} {axis}: {slope}");
                    }
                }
            }
        }
    }
}
