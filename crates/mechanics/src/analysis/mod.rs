//! Analyses besides simulation: where a model comes to rest, what its drives must deliver, how it vibrates.
//!
//! All of them see bodies, joints and forces. Contacts of shapes, and limits and ropes while they are slack, are no part of them;
//! results name the pairs of bodies that touch or overlap ([`ContactLeftOut`]).

mod contacts;
mod eigenmodes;
mod equilibrium;
mod error;
mod freedoms;
mod inverse;
mod reactions;

pub use contacts::ContactLeftOut;
pub use eigenmodes::{BodyShape, LARGEST_FREEDOMS, Mode, ModeKind, Modes, modes};
pub use equilibrium::{Equilibrium, EquilibriumSettings, Stability, static_equilibrium};
pub use error::AnalysisError;
pub use freedoms::LARGEST_VELOCITIES;
pub use inverse::{Drive, FreeMotion, InverseDynamics, InverseSettings, inverse_dynamics};
pub use reactions::Reaction;

use crate::dynamics::smooth::Contradiction;
use crate::dynamics::smooth::equations::Phase;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::{Model, State};

/// Whether a state belongs to a model and has finite numbers only.
fn check_state(model: &Model, state: &State) -> Result<(), AnalysisError> {
    let bodies = model.bodies().len();
    let counts = [
        ("poses", state.poses.len(), bodies),
        ("velocities", state.velocities.len(), bodies),
        ("angular velocities", state.angular_velocities.len(), bodies),
        ("numbers for forces to keep", state.memory.len(), model.memory_layout().len()),
    ];
    if let Some(&(what, found, expected)) = counts.iter().find(|(_, found, expected)| found != expected) {
        return Err(AnalysisError::State { what, found, expected });
    }
    match state.is_finite() && state.time.is_finite() {
        true => Ok(()),
        false => Err(AnalysisError::NotFinite { what: "the state" }),
    }
}

fn body_name(model: &Model, body: usize) -> String {
    model.bodies().get(body).map(|body| body.name.clone()).unwrap_or_default()
}

fn contradiction(model: &Model, found: &Contradiction, time: f64) -> AnalysisError {
    // Forces that are not finite leave joints with nothing that is.
    if found.left.is_nan() {
        return AnalysisError::NotFinite { what: "a force or a row of a joint" };
    }
    let (joint, bodies) = match model.joint(found.joint) {
        Some((name, joint)) => (name.to_owned(), joint.bodies().map(|body| body_name(model, body.index()))),
        None => Default::default(),
    };
    AnalysisError::Contradiction { time, of: found.of, joint, bodies, left: found.left }
}

/// Refuses models with flexible bodies.
fn check_rigid(model: &Model, analysis: &'static str) -> Result<(), AnalysisError> {
    match model.flexible().first() {
        Some(body) => Err(AnalysisError::Flexible { body: body.name.clone(), analysis }),
        None => Ok(()),
    }
}

/// Limits and ropes that hold, or would have to: values up to `reach` count as touching.
fn check_one_sided(model: &Model, phase: &Phase, reach: f64) -> Result<(), AnalysisError> {
    let mut rows = [Row::ZERO; MAX_ROWS];
    for (name, joint) in model.joints() {
        let poses = joint.bodies().map(|body| &phase.poses[body.index()]);
        joint.evaluate(poses, phase.time, &mut rows[..joint.rows()]);
        let one_sided = rows[..joint.rows()].iter().filter(|row| row.kind == RowKind::AtLeastZero);
        if let Some(row) = one_sided.into_iter().find(|row| row.value <= reach) {
            return Err(AnalysisError::OneSided { joint: name.to_owned(), value: row.value });
        }
    }
    Ok(())
}
