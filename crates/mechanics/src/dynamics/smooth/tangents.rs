//! Exact tangents of forces and reactions, by central differences: any joint and any force has them without code of its own.
//!
//! ```text
//! K = −∂f/∂q,   R = −∂f/∂v,   G = −∂(Cᵀλ)/∂q          perturbed as q ⊕ δ e_k, in the axes of v
//! ```
//!
//! None of them need be symmetric or definite; Newton's method and linearised analyses want them as they are.

use super::System;
use super::equations::Phase;
use super::saddle::Coupling;
use crate::force::{Motion, Tangent, Wrench, cross_matrix};
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::motion::moved;
use crate::{Force, Joint, Mat3, Pose, Vec3};

/// Perturbation relative to the model's length, and in radians: error and rounding both near 1e-10.
const POSITION_SHARE: f64 = 1e-6;
/// Perturbation of velocities, relative to what is there; forces are linear in them or nearly so.
const VELOCITY_SHARE: f64 = 1e-5;

/// A pose perturbed along one of its six directions.
fn perturbed(pose: &Pose, direction: usize, by: f64) -> Pose {
    let mut increment = [Vec3::ZERO; 2];
    increment[direction / 3][direction % 3] = by;
    moved(pose, increment[0], increment[1], 1.0)
}

fn flat(wrenches: &[Wrench; 2]) -> [f64; 12] {
    let mut out = [0.0; 12];
    for (side, wrench) in wrenches.iter().enumerate() {
        out[6 * side..6 * side + 3].copy_from_slice(&wrench.force.to_array());
        out[6 * side + 3..6 * side + 6].copy_from_slice(&wrench.torque.to_array());
    }
    out
}

/// K and R of a force. One that acts on a single body has entries for its first side only.
pub(crate) fn of_force(force: &dyn Force, motions: [&Motion; 2], time: f64, memory: &[f64], length: f64) -> Tangent {
    let mut tangent = Tangent::ZERO;
    let bodies = force.bodies();
    let is_single = bodies[0] == bodies[1];
    let value = |pair: &[Motion; 2]| flat(&force.wrench([&pair[0], &pair[1]], time, memory));
    let speed = motions.iter().map(|motion| motion.velocity.length() + length * motion.angular_velocity.length());
    let speed = speed.fold(length, f64::max);
    for direction in 0..if is_single { 6 } else { 12 } {
        let (side, k) = (direction / 6, direction % 6);
        let shift = |by: f64, is_velocity: bool| {
            let mut pair = motions.map(|motion| *motion);
            let sides = if is_single { 0..2 } else { side..side + 1 };
            for motion in &mut pair[sides] {
                match (is_velocity, k < 3) {
                    (false, _) => motion.pose = perturbed(&motion.pose, k, by),
                    (true, true) => motion.velocity[k] += by,
                    (true, false) => motion.angular_velocity[k - 3] += by,
                }
            }
            value(&pair)
        };
        let scale = if k < 3 { length } else { 1.0 };
        let by = POSITION_SHARE * scale;
        let (above, below) = (shift(by, false), shift(-by, false));
        (0..12).for_each(|i| tangent.stiffness[i][direction] = (below[i] - above[i]) / (2.0 * by));
        let by = VELOCITY_SHARE * speed * scale / length;
        let (above, below) = (shift(by, true), shift(-by, true));
        (0..12).for_each(|i| tangent.damping[i][direction] = (below[i] - above[i]) / (2.0 * by));
    }
    tangent
}

/// G of a joint whose bilateral rows carry these multipliers.
pub(crate) fn of_reaction(
    joint: &dyn Joint,
    poses: [&Pose; 2],
    time: f64,
    multipliers: &[f64],
    length: f64,
) -> Coupling {
    let mut tangent = [[0.0; 12]; 12];
    if multipliers.iter().all(|multiplier| *multiplier == 0.0) {
        return tangent;
    }
    let value = |pair: [&Pose; 2]| {
        let mut rows = [Row::ZERO; MAX_ROWS];
        joint.evaluate(pair, time, &mut rows[..joint.rows()]);
        let mut sum = [0.0; 12];
        let bilateral = rows[..joint.rows()].iter().filter(|row| row.kind == RowKind::Equal);
        for (row, multiplier) in bilateral.zip(multipliers) {
            let entries = row.jacobian.as_flattened();
            sum.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += multiplier * entry);
        }
        sum
    };
    for direction in 0..12 {
        let (side, k) = (direction / 6, direction % 6);
        let by = POSITION_SHARE * if k < 3 { length } else { 1.0 };
        let shift = |by: f64| {
            let moved = perturbed(poses[side], k, by);
            value(if side == 0 { [&moved, poses[1]] } else { [poses[0], &moved] })
        };
        let (above, below) = (shift(by), shift(-by));
        (0..12).for_each(|i| tangent[i][direction] = (below[i] - above[i]) / (2.0 * by));
    }
    tangent
}

/// −∂(−ω × Iω)/∂ω = ω̃ I − (Iω)~.
pub(crate) fn gyroscopic(inertia: &Mat3, omega: Vec3) -> Mat3 {
    cross_matrix(omega) * *inertia - cross_matrix(*inertia * omega)
}

/// The pairs of bodies that forces and reactions couple: forces first, then joints.
pub(crate) fn couplings(system: System<'_>) -> Vec<[Option<usize>; 2]> {
    let System { model, equations } = system;
    let columns = |bodies: [crate::BodyId; 2]| {
        let [first, second] = bodies.map(|body| equations.columns.of(body.index()));
        if bodies[0] == bodies[1] { [first, None] } else { [first, second] }
    };
    let forces = model.forces().map(|(_, force)| columns(force.bodies()));
    forces.chain(model.joints().map(|(_, joint)| columns(joint.bodies()))).collect()
}

/// K and R of coupling `index`, in the order of [`couplings`], with multipliers of all bilateral rows.
pub(crate) fn of_coupling(system: System<'_>, phase: &Phase, multipliers: &[f64], index: usize) -> Tangent {
    let System { model, equations } = system;
    let forces = model.forces().len();
    if index < forces {
        let Some((_, force)) = model.force(index) else { return Tangent::ZERO };
        let motions = force.bodies().map(|body| equations.motion(phase, body.index()));
        let memory = &phase.memory[model.memory_layout().range(index)];
        return of_force(force, [&motions[0], &motions[1]], phase.time, memory, equations.length);
    }
    let at = index - forces;
    let Some((_, joint)) = model.joint(at) else { return Tangent::ZERO };
    let rows = equations.first_row[at]..equations.first_row[at + 1];
    let poses = joint.bodies().map(|body| &phase.poses[body.index()]);
    let stiffness = of_reaction(joint, poses, phase.time, &multipliers[rows], equations.length);
    Tangent { stiffness, damping: [[0.0; 12]; 12] }
}

/// The right Jacobian of a rotation by θ: exp(θ + δ) = exp(θ) exp(T δ) to first order.
///
/// ```text
/// T = 1 − (1 − cos θ)/θ² θ̃ + (θ − sin θ)/θ³ θ̃²
/// ```
pub(crate) fn right_jacobian(theta: Vec3) -> Mat3 {
    let angle = theta.length();
    let (a, b) = if angle < 1e-3 {
        // The first terms left out are below 1e-14.
        (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
    } else {
        ((1.0 - angle.cos()) / (angle * angle), (angle - angle.sin()) / angle.powi(3))
    };
    let cross = cross_matrix(theta);
    Mat3::IDENTITY - a * cross + b * cross * cross
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::exponential;

    #[test]
    fn the_right_jacobian_is_the_derivative_of_the_exponential() {
        for theta in [Vec3::new(1e-5, 2e-4, -1e-4), Vec3::new(0.3, -0.7, 0.2), Vec3::new(1.5, 1.0, -2.0)] {
            let t = right_jacobian(theta);
            for k in 0..3 {
                let by = 1e-6;
                // The rotation vector of a small rotation is twice its imaginary part.
                let small = |sign: f64| {
                    let rotation = exponential(theta).conjugate() * exponential(theta + Vec3::AXES[k] * (sign * by));
                    2.0 * Vec3::new(rotation.x, rotation.y, rotation.z)
                };
                let slope = (small(1.0) - small(-1.0)) / (2.0 * by);
                assert!((slope - t.col(k)).length() < 1e-9, "{theta} {k}: {slope} {}", t.col(k));
            }
        }
    }
}
