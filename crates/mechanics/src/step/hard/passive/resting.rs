//! Gaps of what rests.
//!
//! What rests on several others touches them at gaps that no motion of a rigid body closes together. Asked for them, it would rock from step to step for the last digits of its place, and
//! never carry the same impulses twice.

use crate::step::hard::scheme::StepStart;
use signorini_collision::Contact;

/// Gaps of bodies at rest are closed below this share of the radius of the smallest body.
const CLOSED: f64 = 1e-8;

/// The gap of a contact \[m\]; of bodies at rest as far as it is more than rounding of places: nothing below [`CLOSED`], itself from twice that on.
pub(super) fn gap(start: &StepStart<'_>, contact: &Contact) -> f64 {
    let closed = CLOSED * start.parameters.radius;
    let gap = contact.gap;
    if gap.abs() >= 2.0 * closed || !contact.bodies.iter().all(|body| rests(start, *body as usize)) {
        return gap;
    }
    gap.signum() * 2.0 * (gap.abs() - closed).max(0.0)
}

/// Whether a body rests; nodes of flexible bodies do not.
fn rests(start: &StepStart<'_>, body: usize) -> bool {
    let StepStart { model, state, parameters, .. } = *start;
    model.bodies().get(body).is_some_and(|own| {
        let speed = state.velocities[body].length() + parameters.radius * state.angular_velocities[body].length();
        own.is_fixed || speed <= parameters.resting_speed
    })
}
