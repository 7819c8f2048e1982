//! The start of a run with hard contacts.

use crate::dynamics::smooth::System;
use crate::dynamics::smooth::consistent::Consistent;
use crate::dynamics::smooth::equations::Equations;
use crate::promise::joints::{CountedRows, violations};
use crate::{Model, State};

/// Joints that miss by less \[m or rad\] fit. Numbers of four digits in a scene file miss by more: closed within a step, 1e-7 rad under a load of 100 N m
/// gave energy that nothing explained.
const MISFIT: f64 = 1e-12;

/// Puts together joints that do not fit at the start of a run: one step would close them at the speed of the misfit over h. Joints that
/// contradict each other stay as they are; steps violate them as little as possible.
pub(super) fn close_joints(model: &Model, state: &mut State) {
    let [(metres, _), (radians, _)] = violations(model, state, CountedRows::Bilateral);
    if !model.flexible().is_empty() || state.step > 0 || (metres <= MISFIT && radians <= MISFIT) {
        return;
    }
    put_together(model, state);
}

/// Moves bodies as little as possible until all joints are closed; false, and nobody is moved, where they contradict each other.
pub(super) fn put_together(model: &Model, state: &mut State) -> bool {
    let equations = Equations::new(model);
    let system = System { model, equations: &equations };
    let mut phase = equations.phase(state);
    let is_closed = Consistent::new(system).positions(system, &mut phase).is_ok();
    if is_closed {
        state.poses = phase.poses;
    }
    is_closed
}
