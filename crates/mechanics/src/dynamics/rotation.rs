//! Rotations that keep angular momentum and energy (§12.4 of the theory): Simo and Wong's rule with a Cayley turn.
//!
//! ```text
//! I (ω⁺ − ω) + h W × IW = t,    W = ½(ω + ω⁺),    A⁺ = A cay(hW),    cay(a) = (1 − ½ã)⁻¹(1 + ½ã)
//! ```
//!
//! With h replaced by κh in both, κ = tan(½h|ω|)/(½h|ω|), nothing of what follows changes, and steady spins turn by h|ω|. With t = 0 multiply by W: ½ω⁺ᵀIω⁺ = ½ωᵀIω. Multiply by (1 − ½hW̃)⁻¹: A⁺Iω⁺ = AIω. Both hold to rounding at any step. The axis of
//! a turn by cay(hW) is W, its angle 2 atan(½h|W|).

use crate::force::cross_matrix;
use crate::{Mat3, Quat, Vec3};

/// Most steps of Newton's method; it needs three or four up to a radian a step.
const ITERATIONS: usize = 30;
/// The last increment is below this share of W.
const ROUNDING: f64 = 1e-14;
/// A free body turns by no more than this in one part of a step \[rad\].
const PART: f64 = 1.0;
/// Most parts; a body that turns by more keeps its angular velocity, as nobody can follow it.
const MOST_PARTS: f64 = 256.0;

/// The unit quaternion (1, ½a)/√(1 + ¼a²).
pub(crate) fn cayley(a: Vec3) -> Quat {
    let half = 0.5 * a;
    Quat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

/// κ = tan(½h|ω|)/(½h|ω|): a steady spin that is turned by cay(hκω) turns by h|ω|, not by 2 atan(½h|ω|). Beyond two radians a step it stays what it is
/// there, as the tangent has a pole.
pub(crate) fn spin_scale(omega: Vec3, h: f64) -> f64 {
    let half = (0.5 * h * omega.length()).min(1.0);
    // Its series where the quotient loses digits: the next term is below 1e-17.
    if half < 1e-4 { 1.0 + half * half / 3.0 } else { half.tan() / half }
}

/// T with cay(a + δ) = cay(a) exp(Tδ) to first order: (1 − ½ã)/(1 + ¼a²).
pub(crate) fn cayley_tangent(a: Vec3) -> Mat3 {
    (Mat3::IDENTITY - 0.5 * cross_matrix(a)) * (1.0 + 0.25 * a.length_squared()).recip()
}

/// W of I (W − ω) + `half` W × IW = `rest` by Newton's method: the mean of a step of 2·`half` seconds on which twice `rest` acts.
/// `None` where it does not converge (several radians a step).
pub(crate) fn mean_spin(inertia: Mat3, omega: Vec3, rest: Vec3, half: f64) -> Option<Vec3> {
    let mut w = omega;
    for _ in 0..ITERATIONS {
        let momentum = inertia * w;
        let residual = inertia * (w - omega) + half * w.cross(momentum) - rest;
        let matrix = inertia + half * (cross_matrix(w) * inertia - cross_matrix(momentum));
        let change = matrix.inverse() * residual;
        w -= change;
        if !w.is_finite() {
            return None;
        }
        if change.length() <= ROUNDING * w.length() {
            return Some(w);
        }
    }
    None
}

/// How a body turns on which nothing acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FreeTurn {
    /// A⁺ = A · turn.
    pub(crate) turn: Quat,
    /// ω⁺, in the axes of the turned body \[rad/s\].
    pub(crate) after: Vec3,
}

impl FreeTurn {
    /// The turn within h seconds of a body that spins at ω (body axes).
    ///
    /// A part of the step turns by h_e W with h_e = (2/|ω|) tan(½h|ω|) in both equations, so that a steady spin turns by h|ω| and not by
    /// 2 atan(½h|ω|). ω⁺ is then put in balance with the angular momentum, Iω⁺ = cay(h_eW)ᵀIω: nothing adds up from step to step.
    ///
    /// `None` for a body that keeps its angular velocity and turns by exp(hω): a ball, one that spins about a principal axis, or one so fast that
    /// nobody can follow it.
    pub(crate) fn unsteady(inertia: Mat3, omega: Vec3, h: f64) -> Option<Self> {
        let angle = h * omega.length();
        if is_along(inertia * omega, omega) || angle > MOST_PARTS * PART {
            return None;
        }
        let parts = (angle / PART).ceil().max(1.0);
        let h = h / parts;
        let (mut turn, mut omega, inverse) = (Quat::IDENTITY, omega, inertia.inverse());
        for _ in 0..parts as u32 {
            let h_e = h * spin_scale(omega, h);
            let w = mean_spin(inertia, omega, Vec3::ZERO, 0.5 * h_e)?;
            let part = cayley(h_e * w);
            turn *= part;
            omega = inverse * (part.conjugate() * (inertia * omega));
        }
        Some(Self { turn: turn.normalize(), after: omega })
    }
}

/// Whether two vectors are parallel to rounding; nothing is parallel to everything.
fn is_along(a: Vec3, b: Vec3) -> bool {
    a.cross(b).length() <= 4.0 * f64::EPSILON * a.length() * b.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::exponential;

    /// How a body turns, steady or not.
    fn free_turn(inertia: Mat3, omega: Vec3, h: f64) -> FreeTurn {
        let steady = FreeTurn { turn: exponential(omega * h), after: omega };
        FreeTurn::unsteady(inertia, omega, h).unwrap_or(steady)
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_cayley_turn() {
        for a in [Vec3::new(1e-4, 0.0, 2e-4), Vec3::new(0.3, -0.7, 0.2), Vec3::new(1.5, 1.0, -2.0)] {
            for k in 0..3 {
                let by = 1e-6;
                let small = |sign: f64| {
                    let rotation = cayley(a).conjugate() * cayley(a + Vec3::AXES[k] * (sign * by));
                    2.0 * Vec3::new(rotation.x, rotation.y, rotation.z)
                };
                let slope = (small(1.0) - small(-1.0)) / (2.0 * by);
                assert!((slope - cayley_tangent(a).col(k)).length() < 1e-9, "{a} {k}: {slope}");
            }
        }
    }

    #[test]
    fn a_free_body_keeps_momentum_and_energy_at_any_step() {
        let inertia = Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25));
        for (h, speed, steps) in [(0.01, 30.0, 6000), (0.05, 30.0, 1000), (0.1, 60.0, 1000), (0.001, 1e3, 1000)] {
            let start = speed * Vec3::new(0.01, 1.0, 0.02);
            let (mut rotation, mut omega) = (Quat::IDENTITY, start);
            for _ in 0..steps {
                let FreeTurn { turn, after } = free_turn(inertia, omega, h);
                rotation = (rotation * turn).normalize();
                omega = after;
            }
            let momentum = |omega: Vec3| inertia * omega;
            let drift = (rotation * momentum(omega) - momentum(start)).length() / momentum(start).length();
            let energy = omega.dot(momentum(omega)) / start.dot(momentum(start)) - 1.0;
            assert!(drift < 1e-12 && energy.abs() < 1e-11, "{h} {speed}: {drift:e} {energy:e}");
        }
    }

    #[test]
    fn the_motion_is_that_of_eulers_equations() {
        // Against Runge and Kutta's method with tiny steps; order 2.
        let inertia = Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25));
        let start = Vec3::new(2.0, 5.0, -3.0);
        let rate = |omega: Vec3| -(inertia.inverse() * omega.cross(inertia * omega));
        let mut exact = start;
        for _ in 0..10_000 {
            let h = 1e-4;
            let k1 = rate(exact);
            let k2 = rate(exact + 0.5 * h * k1);
            let k3 = rate(exact + 0.5 * h * k2);
            let k4 = rate(exact + h * k3);
            exact += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        let error = |steps: u32| {
            let h = 1.0 / f64::from(steps);
            let end = (0..steps).fold(start, |omega, _| free_turn(inertia, omega, h).after);
            (end - exact).length()
        };
        let (coarse, fine) = (error(200), error(400));
        assert!(coarse < 0.05 && (coarse / fine).log2() > 1.9, "{coarse} {fine}");
    }

    #[test]
    fn a_steady_spin_turns_by_its_angle_and_no_spin_is_too_fast() {
        let inertia = Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.3));
        for speed in [0.0, 1.0, 90.0, 1e5, 1e9] {
            let FreeTurn { turn, after } = free_turn(inertia, Vec3::Z * speed, 0.01);
            let expected = exponential(Vec3::Z * (0.01 * speed));
            assert!(
                turn.dot(expected).abs() > 1.0 - 1e-12 && (after - Vec3::Z * speed).length() < 1e-12 * speed.max(1.0)
            );
        }
        let wild = free_turn(inertia, Vec3::new(1e9, 2e9, 3e9), 0.1);
        assert!(wild.turn.is_finite() && wild.after.is_finite());
    }
}
