//! The gyroscopic torque τ(ω) = −ω × Iω and the turn of a body, which together keep energy and angular momentum
//! ([`crate::dynamics::rotation`]).
//!
//! ```text
//! I (w − ω) = ½κh τ(w) + r,    A⁺ = A cay(κhw),    κ = tan(½h|ω|)/(½h|ω|)
//! ```
//!
//! w is the angular velocity of the middle of the step, r half the impulse of everything else. As w·τ(w) = 0, w is no faster in the norm of I than ω and
//! I⁻¹r together, however fast the spin.

use crate::dynamics::gyroscopic::impulse;
use crate::dynamics::rotation::{cayley, mean_spin, spin_scale};
use crate::step::hard::scheme::StepStart;
use crate::{Gyroscopic, Mat3, State, Vec3};

/// Turns the bodies of a state by A⁺ = A cay(κhw), where its angular velocities are those of the middle of the step.
pub(super) fn turn(start: &StepStart<'_>, next: &mut State) {
    let StepStart { model, state, parameters, .. } = *start;
    if parameters.gyroscopic != Gyroscopic::Implicit {
        return;
    }
    let h = parameters.step;
    for (i, _) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed) {
        let (omega, middle) = (state.angular_velocities[i], next.angular_velocities[i]);
        // A Cayley turn of more than two radians is no longer near to the turn of a steady spin.
        if h * omega.length().max(middle.length()) < MOST_TURN {
            let by = cayley(h * spin_scale(omega, h) * middle);
            next.poses[i].rotation = (state.poses[i].rotation * by).normalize();
        }
    }
}

/// Bodies that turn by more in a step turn by exp(hw) \[rad\].
const MOST_TURN: f64 = 2.0;

/// ½κh τ of the first half of a step on which nothing else acts.
pub(super) fn first_half(inertia: Mat3, omega: Vec3, h: f64, treatment: Gyroscopic) -> Vec3 {
    let half = 0.5 * h;
    let at_midpoint = match treatment {
        Gyroscopic::Implicit => mean_spin(inertia, omega, Vec3::ZERO, spin_scale(omega, h) * half),
        Gyroscopic::Explicit | Gyroscopic::Off => None,
    };
    // Too fast for Newton's method: the linearly implicit torque, in parts, is stable.
    at_midpoint.map_or_else(|| impulse(inertia, omega, half, treatment), |w| inertia * (w - omega))
}

/// What the whole step's torque has beyond twice the `first` half's, once the middle's angular velocity is known to be about
/// `middle`: κh τ(w) − 2 · first.
pub(super) fn correction(inertia: Mat3, omega: Vec3, middle: Vec3, first: Vec3, h: f64, treatment: Gyroscopic) -> Vec3 {
    if treatment != Gyroscopic::Implicit {
        return Vec3::ZERO;
    }
    let rest = inertia * (middle - omega) - first;
    let whole = match mean_spin(inertia, omega, rest, 0.5 * spin_scale(omega, h) * h) {
        Some(w) => 2.0 * (inertia * (w - omega) - rest),
        // Too fast: that of the linearly implicit step, which gains no energy either.
        None => impulse(inertia, omega, h, treatment),
    };
    whole - 2.0 * first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_torque_of_a_step_takes_no_energy_whatever_else_acts() {
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.9));
        let omega = Vec3::new(3.0, -20.0, 5.0);
        for (h, other) in [(0.01, Vec3::ZERO), (0.05, Vec3::new(4.0, 1.0, -7.0)), (0.1, Vec3::new(0.0, 30.0, 2.0))] {
            let first = first_half(inertia, omega, h, Gyroscopic::Implicit);
            let middle = omega + inertia.inverse() * (first + 0.5 * other);
            let all = 2.0 * first + correction(inertia, omega, middle, first, h, Gyroscopic::Implicit);
            let after = omega + inertia.inverse() * (all + other);
            // ½ω⁺ᵀIω⁺ − ½ωᵀIω is the work of the other torque alone, over the mean of both.
            let gain = 0.5 * (after.dot(inertia * after) - omega.dot(inertia * omega));
            let work = other.dot(0.5 * (after + omega));
            assert!((gain - work).abs() < 1e-10 * omega.dot(inertia * omega), "{h}: {gain} {work}");
        }
    }

    #[test]
    fn a_spin_too_fast_for_newton_is_still_finite_and_gains_no_energy() {
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.9));
        for speed in [1e2, 1e4, 1e8] {
            let omega = speed * Vec3::new(0.3, 1.0, 0.2);
            let first = first_half(inertia, omega, 0.1, Gyroscopic::Implicit);
            let middle = omega + inertia.inverse() * first;
            let all = 2.0 * first + correction(inertia, omega, middle, first, 0.1, Gyroscopic::Implicit);
            let after = omega + inertia.inverse() * all;
            let energy = |w: Vec3| w.dot(inertia * w);
            assert!(energy(middle) <= energy(omega) * (1.0 + 1e-9), "{speed}: {middle}");
            assert!(energy(after) <= energy(omega) * (1.0 + 1e-9), "{speed}: {after}");
        }
    }
}
