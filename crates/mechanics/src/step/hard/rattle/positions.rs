//! The first stage: where bodies go.

use super::{gyroscopic, middle, slip};
use crate::dynamics::free_motion::{Expansion, FreeMotion, add_forces};
use crate::dynamics::inertia::{inertia, mass_matrix};
use crate::dynamics::parameters::Parameters;
use crate::dynamics::rows::ContactRows;
use crate::step::hard::island::Islands;
use crate::step::hard::layout::RowLayout;
use crate::step::hard::rows::{joint_rows_of_positions, stabilisation, write_problem};
use crate::step::hard::scheme::{FreeMotionError, StepStart};
use crate::step::hard::tries::Ask;
use signorini_solver::problem::BlockSlot;
use signorini_solver::{ConeProblem, ProblemError};
use std::sync::Arc;

/// Writes the problem of v½.
pub(super) fn assemble(
    start: &StepStart<'_>,
    ask: &Ask<'_>,
    islands: &Islands,
    is_touched: &[bool],
    problem: &mut ConeProblem,
) -> Result<RowLayout, ProblemError> {
    // Contacts see the positions that jointed bodies will have to third order in h.
    let curvature = islands.curvature(start, |island| is_touched[island]);
    let joints = joint_rows_of_positions(start, &curvature, |row| islands.has_row_in_problem(row));
    let fill = |k: usize, slot: BlockSlot<'_>| fill_contact(start, ask, k, slot);
    let layout = write_problem(start, joints.as_ref(), &ask.near, problem, &fill)?;
    let (rows, all) = islands.rows_in_problem(layout.joints());
    Ok(layout.with_joint_rows(rows, all))
}

/// H = M + h/2 R + h²/4 K and c = −[H v + h/2 f(q ⊕ h/2 v, v, z½, t + h/2)].
pub(super) fn free_motion(start: &StepStart<'_>) -> Result<FreeMotion, FreeMotionError> {
    let StepStart { model, columns, state, parameters, .. } = *start;
    let (h, half) = (parameters.step, 0.5 * parameters.step);
    let mut blocks = mass_matrix(model);
    let mut linear = Vec::with_capacity(blocks.dimension());
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed) {
        let omega = state.angular_velocities[i];
        let p = body.mass * (state.velocities[i] + half * model.gravity());
        let l = body.inertia * omega + gyroscopic::first_half(body.inertia, omega, h, parameters.gyroscopic);
        linear.extend([p.x, p.y, p.z, l.x, l.y, l.z]);
    }
    let mut coupling = Vec::new();
    if model.forces().len() > 0 {
        let at = middle(model, state, h);
        let expansion = Expansion { state: &at, time: at.time, memory: &at.memory, step: half, ahead: half };
        coupling = add_forces(model, columns, &expansion, &mut blocks, &mut linear);
    }
    linear.iter_mut().for_each(|p| *p = -*p);
    Ok(FreeMotion { inertia: Arc::new(inertia(blocks, coupling)?), linear })
}

/// A hard contact closes within the step, Φ + h D_n v½ ≥ 0. A soft one gives half a step's impulse of spring and damper at its middle,
/// λ₁ = −h/2 [k (Φ + h/2 u½) + d u½]: the E and b of a step of that length. Where the try has a recovery speed for the contact, its
/// overlap is undone no faster.
fn fill_contact(start: &StepStart<'_>, ask: &Ask<'_>, k: usize, slot: BlockSlot<'_>) {
    let StepStart { model, columns, state, parameters, .. } = *start;
    let half = Parameters { step: 0.5 * parameters.step, ..*parameters };
    let contact = &ask.near[k];
    let of_contact = ContactRows::new(model, state, contact);
    let softness = of_contact.law.softness.as_ref();
    let length = if softness.is_some() { &half } else { parameters };
    let (mut target, compliance) = stabilisation(contact.gap, softness, length);
    if contact.gap < 0.0 && softness.is_none() {
        target = ask.recovery_speeds.get(k).map_or(target, |speed| target.min(*speed));
    }
    let mut offset = [target, 0.0, 0.0, 0.0, 0.0];
    if of_contact.count > 1 {
        let [_, t, w] = of_contact.frame.components(slip::drift(model, state, contact));
        (offset[1], offset[2]) = (-half.step * t, -half.step * w);
    }
    of_contact.fill(columns, &offset, compliance, slot);
}
