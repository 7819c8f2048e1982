//! Cubic splines with continuous second derivatives.
//!
//! ```text
//! h_i = |P_{i+1} − P_i|,  M_i = c'' at P_i:
//! h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 [(P_{i+1} − P_i)/h_i − (P_i − P_{i−1})/h_{i−1}]
//! open: M = 0 at both ends;  closed: indices go round
//! ```

use super::Place;
use crate::Vec3;

/// A spline through points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spline {
    /// A closed one has its first point again at the end.
    points: Vec<Vec3>,
    /// c'' at the points.
    bends: Vec<Vec3>,
    /// u at the points.
    knots: Vec<f64>,
    pub(super) is_closed: bool,
}

impl Spline {
    /// At least three points, four for a closed one. Points that coincide give numbers that are not finite.
    pub(super) fn through(points: &[Vec3], is_closed: bool) -> Self {
        let mut points = points.to_vec();
        if is_closed {
            points.push(points[0]);
        }
        let chords: Vec<f64> = points.windows(2).map(|pair| (pair[1] - pair[0]).length()).collect();
        let mut knots = vec![0.0];
        chords.iter().fold(0.0, |u, chord| {
            knots.push(u + chord);
            u + chord
        });
        let slope = |i: usize| (points[i + 1] - points[i]) / chords[i];
        let last = chords.len();
        let bends = if is_closed {
            // Unknowns M_0 … M_{last−1}; equation i has the chords before and after point i.
            let before = |i: usize| (i + last - 1) % last;
            let below: Vec<f64> = (0..last).map(|i| chords[before(i)]).collect();
            let right: Vec<Vec3> = (0..last).map(|i| 6.0 * (slope(i) - slope(before(i)))).collect();
            let mut bends = cyclic(&below, &chords, &right);
            bends.push(bends[0]);
            bends
        } else {
            // Unknowns M_1 … M_{last−1}.
            let diagonal: Vec<f64> = (1..last).map(|i| 2.0 * (chords[i - 1] + chords[i])).collect();
            let mut inner: Vec<Vec3> = (1..last).map(|i| 6.0 * (slope(i) - slope(i - 1))).collect();
            tridiagonal(&chords[1..last - 1], diagonal, &mut inner);
            let mut bends = vec![Vec3::ZERO];
            bends.extend(inner);
            bends.push(Vec3::ZERO);
            bends
        };
        Self { points, bends, knots, is_closed }
    }

    /// Lengths between points, in order.
    pub(super) fn chords(&self) -> impl Iterator<Item = f64> {
        self.knots.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// u at the points; the last is the length of all chords.
    pub(super) fn knots(&self) -> &[f64] {
        &self.knots
    }

    pub(super) fn length(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// u inside the curve: round a closed one; beyond the ends of an open one it stays.
    pub(super) fn reduced(&self, u: f64) -> f64 {
        if self.is_closed { u.rem_euclid(self.length()) } else { u }
    }

    /// c, c', c'' at any u.
    pub(super) fn at(&self, u: f64) -> Place {
        let u = self.reduced(u);
        let inside = u.clamp(0.0, self.length());
        let i = self.knots.partition_point(|&knot| knot <= inside).clamp(1, self.knots.len() - 1) - 1;
        let h = self.knots[i + 1] - self.knots[i];
        let (s, r) = (inside - self.knots[i], self.knots[i + 1] - inside);
        let (p, q, m, n) = (self.points[i], self.points[i + 1], self.bends[i], self.bends[i + 1]);
        // From the nearer point, so that the spline goes through its points to the last digit.
        let point = (p * r + q * s) / h + (m * (r * (r * r - h * h)) + n * (s * (s * s - h * h))) / (6.0 * h);
        let slope = (q - p) / h + (n * (3.0 * s * s - h * h) - m * (3.0 * r * r - h * h)) / (6.0 * h);
        // Straight beyond the ends, where there is no curvature.
        match u == inside {
            true => Place { point, slope, bend: (m * r + n * s) / h },
            false => Place { point: point + slope * (u - inside), slope, bend: Vec3::ZERO },
        }
    }
}

/// Solves a symmetric tridiagonal system in place: `diagonal`, and `beside` it from row i to i + 1.
fn tridiagonal(beside: &[f64], mut diagonal: Vec<f64>, right: &mut [Vec3]) {
    let n = diagonal.len();
    for i in 1..n {
        let factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        let above = right[i - 1];
        right[i] -= factor * above;
    }
    for i in (0..n).rev() {
        let next = if i + 1 < n { right[i + 1] * beside[i] } else { Vec3::ZERO };
        right[i] = (right[i] - next) / diagonal[i];
    }
}

/// Solves the system of a closed spline: `below` and `above` the diagonal 2 (below + above), going round.
///
/// With k the entry in both corners it is T + k w wᵀ, w = e_first + e_last and T tridiagonal, hence M = y − z (wᵀy)/(1/k + wᵀz) for
/// T y = right, T z = w.
fn cyclic(below: &[f64], above: &[f64], right: &[Vec3]) -> Vec<Vec3> {
    let n = right.len();
    let corner = above[n - 1];
    let mut diagonal: Vec<f64> = below.iter().zip(above).map(|(b, a)| 2.0 * (b + a)).collect();
    diagonal[0] -= corner;
    diagonal[n - 1] -= corner;
    let mut y = right.to_vec();
    let mut z = vec![Vec3::ZERO; n];
    (z[0], z[n - 1]) = (Vec3::ONE, Vec3::ONE);
    tridiagonal(&above[..n - 1], diagonal.clone(), &mut y);
    tridiagonal(&above[..n - 1], diagonal, &mut z);
    let share = (y[0] + y[n - 1]) / (1.0 / corner + z[0].x + z[n - 1].x);
    y.iter().zip(&z).map(|(y, z)| *y - share * z.x).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helix(n: usize, closed: bool) -> Vec<Vec3> {
        let full = if closed { n } else { n - 1 };
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / full as f64 + 0.1 * (k as f64).sin();
        (0..n).map(|k| Vec3::new(angle(k).cos(), angle(k).sin(), 0.3 * (2.0 * angle(k)).sin())).collect()
    }

    #[test]
    fn a_spline_goes_through_its_points_with_continuous_slope_and_curvature() {
        for closed in [false, true] {
            let points = helix(9, closed);
            let spline = Spline::through(&points, closed);
            for (i, &u) in spline.knots().iter().enumerate() {
                let here = spline.at(u);
                assert!((here.point - points[i % points.len()]).length() < 1e-15);
                let [before, after] = [u - 1e-9, u + 1e-9].map(|u| spline.at(u));
                assert!((before.slope - after.slope).length() < 1e-7 && (before.bend - after.bend).length() < 1e-6);
            }
            if !closed {
                assert!(spline.bends[0] == Vec3::ZERO && spline.at(-1.0).bend == Vec3::ZERO);
            }
        }
    }

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        for closed in [false, true] {
            let spline = Spline::through(&helix(7, closed), closed);
            for k in -5..40 {
                // Off the knots, where c''' jumps.
                let (u, h) = (0.05 + 0.237 * f64::from(k), 1e-5);
                let [behind, here, ahead] = [u - h, u, u + h].map(|u| spline.at(u));
                assert!(((ahead.point - behind.point) / (2.0 * h) - here.slope).length() < 1e-9);
                assert!(((ahead.slope - behind.slope) / (2.0 * h) - here.bend).length() < 1e-8);
            }
        }
    }

    #[test]
    fn a_closed_spline_through_points_of_a_circle_is_the_circle_to_fourth_order() {
        let error = |n: usize| {
            let turn = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
            let points: Vec<Vec3> = (0..n).map(|k| Vec3::new(turn(k).cos(), turn(k).sin(), 0.0)).collect();
            let spline = Spline::through(&points, true);
            let step = spline.length() / 1000.0;
            (0..1000).map(|k| (spline.at(step * f64::from(k)).point.length() - 1.0).abs()).fold(0.0, f64::max)
        };
        let order = (error(16) / error(32)).log2();
        assert!((order - 4.0).abs() < 0.2 && error(32) < 5e-6, "{order} {}", error(32));
    }
}
