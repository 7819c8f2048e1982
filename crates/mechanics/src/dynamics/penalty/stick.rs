//! Friction of one contact point: a spring along the surface that gives way at Coulomb's bound.
//!
//! ```text
//! ξ = ξ₀ + σ Δ_t            what the points of both bodies that meet have moved along the surface since the step's start
//! T = −(k_t ξ + c_t u_t)    on body B, while |T| ≤ μN: it sticks
//! T = μN T/|T|, ξ = −T/k_t  beyond: it slides, and the spring is shortened to what friction holds
//! ```
//!
//! ξ₀ turns with the surfaces: about the normal by the mean of both bodies' spins, then into the new tangent plane at the same length.

use super::law::Response;
use crate::dynamics::contact::Frame;
use crate::{Mat3, Quat, Vec3};

/// Friction and the derivatives of the whole contact force, in the frame (n, t₁, t₂).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Friction {
    /// T on body B, in the world \[N\].
    pub(super) force: Vec3,
    /// The spring now, in the world \[m\].
    pub(super) stretch: Vec3,
    pub(super) slides: bool,
    /// −∂F/∂x of the force on B by the displacement of B relative to A.
    pub(super) stiffness: Mat3,
    /// −∂F/∂u of the force on B by the velocity of B relative to A.
    pub(super) damping: Mat3,
    /// Elastic energy \[J\].
    pub(super) energy: f64,
}

/// The spring of the step before, turned into the tangent plane of today's normal.
pub(super) fn carried(stretch: Vec3, normal: Vec3, spin: f64) -> Vec3 {
    let turned = Quat::from_axis_angle(normal, spin) * stretch;
    let flat = turned - normal * normal.dot(turned);
    // A spring along the new normal has no direction left to keep.
    let length = flat.length();
    if length > 1e-3 * stretch.length() { flat * (stretch.length() / length) } else { Vec3::ZERO }
}

/// Friction of a spring stretched to `trial` (in the tangent plane) at the velocity u of B relative to A.
pub(super) fn friction(
    frame: &Frame,
    trial: Vec3,
    velocity: Vec3,
    mu: f64,
    normal: &Response,
    stick: [f64; 2],
) -> Friction {
    let [k, c] = stick;
    let along = velocity - frame.normal * frame.normal.dot(velocity);
    let trial_force = -(k * trial + c * along);
    let (bound, size) = (mu * normal.force, trial_force.length());
    // N = k_n δ + d δ̇ with δ = −n·x.
    let mut stiffness = Mat3::from_diagonal(Vec3::X * normal.stiffness);
    let mut damping = Mat3::from_diagonal(Vec3::X * normal.damping);
    if size <= bound {
        stiffness += Mat3::from_diagonal(Vec3::new(0.0, k, k));
        damping += Mat3::from_diagonal(Vec3::new(0.0, c, c));
        let energy = 0.5 * k * trial.length_squared();
        return Friction { force: trial_force, stretch: trial, slides: false, stiffness, damping, energy };
    }
    // T = μN τ, τ = T_trial/|T_trial|:  dT = μ dN τ + μN (1 − ττᵀ)/|T_trial| dT_trial.
    let direction = trial_force / size;
    let stretch = -bound / k * direction;
    let [_, t1, t2] = frame.components(direction);
    let tau = Vec3::new(0.0, t1, t2);
    let across = Mat3::from_diagonal(Vec3::new(0.0, 1.0, 1.0)) - outer(tau, tau);
    // δ falls with the displacement along n, and so does N: −dT/dx_n = μ N_δ τ.
    stiffness += outer(tau, Vec3::X) * (mu * normal.stiffness) + across * (bound / size * k);
    damping += outer(tau, Vec3::X) * (mu * normal.damping) + across * (bound / size * c);
    let energy = 0.5 * k * stretch.length_squared();
    Friction { force: bound * direction, stretch, slides: true, stiffness, damping, energy }
}

/// a bᵀ.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::super::law::Law;
    use super::*;
    use crate::Penalty;

    #[test]
    fn tangents_are_derivatives_of_the_contact_force_sticking_and_sliding() {
        let law = Law::new(&Penalty::linear(4e3, 30.0), 0.1);
        let frame = Frame::about(Vec3::new(0.2, -0.5, 0.8).normalize());
        let (velocity, start) = (frame.vector([-0.1, 0.3, -0.2]), frame.vector([0.0, 4e-4, 3e-4]));
        for (mu, slides) in [(5.0, false), (0.05, true)] {
            let force = |x: Vec3, u: Vec3| {
                let normal = law.normal(0.01, 0.01 - frame.normal.dot(x), -frame.normal.dot(u));
                let flat = x - frame.normal * frame.normal.dot(x);
                let friction = friction(&frame, start + flat, u, mu, &normal, law.stick);
                (frame.normal * normal.force + friction.force, friction)
            };
            let (_, at) = force(Vec3::ZERO, velocity);
            assert_eq!(at.slides, slides);
            for (k, axis) in frame.axes().into_iter().enumerate() {
                let by = 1e-8;
                let slope = (force(axis * -by, velocity).0 - force(axis * by, velocity).0) / (2.0 * by);
                let error = (Vec3::from(frame.components(slope)) - at.stiffness.col(k)).length();
                assert!(error < 1e-4 * 4e3, "stiffness {k}: {error}");
                let by = 1e-6;
                let slope = (force(Vec3::ZERO, velocity - axis * by).0 - force(Vec3::ZERO, velocity + axis * by).0)
                    / (2.0 * by);
                let error = (Vec3::from(frame.components(slope)) - at.damping.col(k)).length();
                assert!(error < 1e-6 * 30.0, "damping {k}: {error}");
            }
        }
    }

    #[test]
    fn a_spring_keeps_its_length_when_surfaces_turn() {
        let stretch = Vec3::new(3e-3, -4e-3, 0.0);
        let tilted = carried(stretch, Vec3::new(0.1, 0.2, 1.0).normalize(), 0.0);
        assert!((tilted.length() - 5e-3).abs() < 1e-17 && tilted.dot(Vec3::new(0.1, 0.2, 1.0)).abs() < 1e-17);
        let spun = carried(stretch, Vec3::Z, std::f64::consts::FRAC_PI_2);
        assert!((spun - Vec3::new(4e-3, 3e-3, 0.0)).length() < 1e-17, "{spun}");
    }
}
