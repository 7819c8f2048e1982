//! Whether a simulation can go on from a state, and the error that names what is wrong with it.

use crate::diagnostics::motion;
use crate::flexible::field::Failure;
use crate::force::problem::{described, first_problem};
use crate::{Model, State, StepError};

/// Checks the state a step leads to.
///
/// # Errors
/// An element turned inside out, a number that is not finite, a force that does not exist there.
pub(crate) fn check_next(model: &Model, from: &State, next: &State) -> Result<(), StepError> {
    let (step, time) = (next.step, next.time);
    if let Some(failure) = model.field().first_without_energy(&next.nodes) {
        return Err(element_error(model, &failure, step, from.time));
    }
    check_finite(model, next)?;
    if let Some(force) = first_memory_not_finite(model, next) {
        return Err(StepError::MemoryNotFinite { step, time, force });
    }
    force_problem(model, next, step).map_or(Ok(()), Err)
}

/// Checks that positions and velocities are finite.
///
/// # Errors
/// The first body for which they are not.
pub(crate) fn check_finite(model: &Model, state: &State) -> Result<(), StepError> {
    match first_not_finite(model, state) {
        None => Ok(()),
        Some(body) => {
            let body = model.name_of(body).to_owned();
            Err(StepError::NotFinite { step: state.step, time: state.time, body })
        }
    }
}

/// The error of the first force that does not exist in a state.
pub(crate) fn force_problem(model: &Model, state: &State, step: u64) -> Option<StepError> {
    let (force, problem) = first_problem(model, |body| motion(state, body), state.time)?;
    Some(StepError::Force { step, time: state.time, force: described(model, force), problem })
}

/// The error of an element that has no force where it is.
pub(crate) fn element_error(model: &Model, failure: &Failure, step: u64, time: f64) -> StepError {
    let body = model.flexible()[failure.body].name.clone();
    StepError::Element { step, time, body, element: failure.element, error: failure.error.clone() }
}

/// The first body with a number that is not finite, flexible ones counted after rigid ones.
fn first_not_finite(model: &Model, state: &State) -> Option<usize> {
    let rigid = (0..state.poses.len()).find(|&body| {
        let pose = &state.poses[body];
        !(pose.position.is_finite()
            && pose.rotation.is_finite()
            && state.velocities[body].is_finite()
            && state.angular_velocities[body].is_finite())
    });
    let is_spoiled = |node: &usize| !(state.nodes[*node].is_finite() && state.node_velocities[*node].is_finite());
    let flexible = || {
        let node = (0..state.nodes.len()).find(is_spoiled)?;
        Some(model.bodies().len() + model.field().body_of(node))
    };
    rigid.or_else(flexible)
}

fn first_memory_not_finite(model: &Model, state: &State) -> Option<String> {
    let layout = model.memory_layout();
    let is_spoiled = |index: usize| state.memory[layout.range(index)].iter().any(|z| !z.is_finite());
    model.forces().enumerate().find(|(index, _)| is_spoiled(*index)).map(|(_, (name, _))| name.to_owned())
}
