//! A rigid box on many floor contacts: hyperstatic, with a known motion.

use super::GRAVITY;
use super::packing::cross;
use crate::{Cone, ConeProblem, ProblemError};

/// A box at rest on an inclined plane, pushed along the slope through its centre of mass, for one step.
///
/// Axes: x down the slope, z along the normal. With T the impulse along x and N₀ = m h g cos θ the one into the
/// plane, the box sticks when T ≤ μ N₀; else, by the relaxed law (THEORY §3, v_n = μ v_t while sliding),
///
/// ```text
/// v_t = (T − μ N₀)/(m (1 + μ²)),   v_n = μ v_t,   Σ λ_n = N₀ + m v_n
/// ```
///
/// as long as the box does not tip, see [`Brick::tips`].
#[derive(Clone, Debug, PartialEq)]
pub struct Brick {
    /// Edges along x, y, z \[m\].
    pub size: [f64; 3],
    /// Mass \[kg\].
    pub mass: f64,
    /// Coefficient of friction, > 0.
    pub friction: f64,
    /// Angle of the plane θ \[rad\].
    pub incline: f64,
    /// Push down the slope \[N·s\].
    pub push: f64,
    /// Contacts along x and y, at least 2 each; the outer ones are the corners.
    pub contacts: [usize; 2],
    /// Time step \[s\].
    pub step: f64,
}

/// What is known of the solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrickAnswer {
    /// Velocity down the slope \[m/s\].
    pub tangential: f64,
    /// Velocity off the plane \[m/s\], the dilation of the relaxed law.
    pub normal: f64,
    /// Sum of the normal impulses \[N·s\].
    pub total_impulse: f64,
}

impl Default for Brick {
    fn default() -> Self {
        Self { size: [1.0, 0.8, 0.2], mass: 10.0, friction: 0.5, incline: 0.0, push: 0.0, contacts: [2, 2], step: 0.01 }
    }
}

impl Brick {
    /// Impulses of weight and push along the slope and into the plane \[N·s\].
    fn load(&self) -> (f64, f64) {
        let weight = self.mass * self.step * GRAVITY;
        (weight * self.incline.sin() + self.push, weight * self.incline.cos())
    }

    /// Whether the push is small enough for friction to hold the box.
    #[must_use]
    pub fn sticks(&self) -> bool {
        let (along, into) = self.load();
        along.abs() <= self.friction * into
    }

    /// Whether the line of the contact force leaves the base, so that the answer below does not hold.
    #[must_use]
    pub fn tips(&self) -> bool {
        let (along, into) = self.load();
        let slope = (along.abs() / into).min(self.friction);
        slope * self.size[2] > self.size[0]
    }

    /// The motion after the step; rotation is zero.
    #[must_use]
    pub fn answer(&self) -> BrickAnswer {
        let (along, into) = self.load();
        let mu = self.friction;
        let excess = (along.abs() - mu * into).max(0.0);
        let speed = excess / (self.mass * (1.0 + mu * mu));
        BrickAnswer {
            tangential: speed.copysign(along),
            normal: mu * speed,
            total_impulse: into + self.mass * mu * speed,
        }
    }

    /// The problem of one step from rest.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn problem(&self) -> Result<ConeProblem, ProblemError> {
        let [a, b, c] = self.size.map(|edge| edge * edge);
        let m = self.mass;
        let (along, into) = self.load();
        let mut builder = ConeProblem::builder();
        builder.diagonal_body(&[m, m, m, m * (b + c) / 12.0, m * (a + c) / 12.0, m * (a + b) / 12.0]);
        builder.linear(&[-along, 0.0, into, 0.0, 0.0, 0.0]);
        let place = |index: usize, count: usize, edge: f64| edge * (index as f64 / (count.max(2) - 1) as f64 - 0.5);
        for i in 0..self.contacts[0] {
            for j in 0..self.contacts[1] {
                let arm = [
                    place(i, self.contacts[0], self.size[0]),
                    place(j, self.contacts[1], self.size[1]),
                    -0.5 * self.size[2],
                ];
                // Rows n, t₁, t₂ = z, x, y; d·(v + ω×s) = d·v + (s×d)·ω.
                let rows = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|direction: [f64; 3]| {
                    let entries = direction.into_iter().chain(cross(arm, direction));
                    entries.enumerate().collect::<Vec<_>>()
                });
                builder.rows(Cone::Friction { mu: self.friction }, &rows.each_ref().map(Vec::as_slice), &[0.0; 3]);
            }
        }
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, SolverSettings, Tolerance, solve};

    fn check(brick: &Brick) {
        assert!(!brick.tips());
        let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
        let solution = solve(&brick.problem().unwrap(), &settings).unwrap();
        let answer = brick.answer();
        let total: f64 = solution.impulse().chunks(3).map(|contact| contact[0]).sum();
        let expected = [answer.tangential, 0.0, answer.normal, 0.0, 0.0, 0.0];
        let error = solution.velocity().iter().zip(expected).map(|(v, e)| (v - e).abs()).fold(0.0, f64::max);
        // h g = 0.1 m/s; the residual is 1e-10 of that, over a few contacts.
        assert!(error < 1e-9, "{brick:?}: velocity off by {error:.1e}: {:?}", solution.report.status);
        assert!((total / answer.total_impulse - 1.0).abs() < 1e-8, "{brick:?}: total impulse {total}");
    }

    #[test]
    fn a_brick_on_an_incline_sticks_or_slides_as_the_closed_form_says() {
        for incline in [0.0, 0.2, 0.4, 0.5, 0.7] {
            let brick = Brick { incline, ..Default::default() };
            assert_eq!(brick.sticks(), f64::tan(incline) <= 0.5);
            check(&brick);
        }
    }

    #[test]
    fn a_push_beyond_friction_moves_the_brick_however_many_contacts_it_has() {
        for contacts in [[2, 2], [3, 3], [6, 4]] {
            for push in [0.1, -0.4, 1.0, -3.0] {
                check(&Brick { push, contacts, ..Default::default() });
            }
        }
    }

    #[test]
    fn sliding_speed_of_the_first_step_is_that_of_the_relaxed_law() {
        let (theta, mu, h) = (0.7f64, 0.5, 0.01);
        let expected = h * GRAVITY * (theta.sin() - mu * theta.cos()) / (1.0 + mu * mu);
        let answer = Brick { incline: theta, ..Default::default() }.answer();
        assert!((answer.tangential - expected).abs() < 1e-15 && (answer.normal - mu * expected).abs() < 1e-15);
    }
}
