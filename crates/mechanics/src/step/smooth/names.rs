//! Errors of smooth steps that name bodies, joints and forces.

use super::{NewtonFailure, SmoothFailure};
use crate::dynamics::smooth::Contradiction;
use crate::force::problem::described;
use crate::step::usable::element_error;
use crate::{Model, StepError};

/// The error of a step that was stopped; `step` is its number.
pub(super) fn stopped(model: &Model, failure: &SmoothFailure, step: u64) -> StepError {
    match failure {
        SmoothFailure::Newton { time, failure: NewtonFailure { problem: Some((force, problem)), .. } } => {
            StepError::Force { step, time: *time, force: described(model, *force), problem: problem.clone() }
        }
        SmoothFailure::Newton { time, failure: NewtonFailure { element: Some(failure), .. } }
        | SmoothFailure::Element { time, failure } => element_error(model, failure, step, *time),
        SmoothFailure::Newton { time, failure } => StepError::Newton {
            step,
            time: *time,
            tried: failure.step,
            reason: failure.reason,
            body: name_or_nothing(model, failure.body),
            increment: failure.increment,
            joint: joint_of(model, failure.joint).0,
            violation: failure.violation,
        },
        SmoothFailure::Joints { time, contradiction } => contradicting(model, contradiction, step, *time),
        SmoothFailure::Error { time, step: tried, error } => {
            StepError::ErrorBound { step, time: *time, tried: *tried, ratio: *error }
        }
        SmoothFailure::Interrupted { time } => StepError::Interrupted { step, time: *time },
    }
}

/// The error of joints that contradict each other at the beginning of a step or in it.
pub(super) fn contradicting(model: &Model, contradiction: &Contradiction, step: u64, time: f64) -> StepError {
    if contradiction.left.is_nan() {
        // Not the joints: the motion has left the numbers.
        let [_, body] = joint_of(model, contradiction.joint).1;
        return StepError::NotFinite { step, time, body };
    }
    let unit = match (contradiction.of, contradiction.is_angle) {
        ("positions", false) => "m",
        ("positions", true) => "rad",
        ("speeds", false) => "m/s",
        ("speeds", true) => "rad/s",
        (_, false) => "m/s²",
        (_, true) => "rad/s²",
    };
    let (name, bodies) = joint_of(model, contradiction.joint);
    StepError::Contradiction { time, of: contradiction.of, joint: name, bodies, left: contradiction.left, unit }
}

/// The name of a body, flexible ones counted after rigid ones; none in an empty model.
fn name_or_nothing(model: &Model, body: usize) -> String {
    let count = model.bodies().len() + model.flexible().len();
    if body < count { model.name_of(body).to_owned() } else { String::new() }
}

/// The name of a joint and its bodies; links are counted after joints.
fn joint_of(model: &Model, index: usize) -> (String, [String; 2]) {
    if let Some((name, joint)) = model.joint(index) {
        return (name.to_owned(), joint.bodies().map(|body| model.name_of(body.index()).to_owned()));
    }
    match index.checked_sub(model.joints().len()).and_then(|link| model.links().get(link)) {
        Some((name, link)) => {
            let flexible = model.flexible()[link.flexible().index()].name.clone();
            let body = link.body().map_or(flexible.clone(), |body| model.name_of(body.index()).to_owned());
            (name.clone(), [flexible, body])
        }
        None => Default::default(),
    }
}
