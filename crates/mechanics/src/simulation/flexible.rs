//! What flexible bodies add to a simulation: their part of the free motion, their contacts, their sizes.

use super::Simulation;
use crate::flexible::field::Failure;
use crate::stepper::dvi::{self, FreeMotion};
use crate::stepper::flexible::FlexibleMotion;
use crate::stepper::rattle;
use crate::{Model, Settings, State, StepError, StepTimings, Stepper};
use signorini_collision::{Contact, SurfaceDetector};
use signorini_linalg::Threads;
use signorini_solver::problem::Inertia;
use std::time::Instant;

/// Detection of skins.
pub(super) struct Skins {
    detector: SurfaceDetector,
    /// How far every node may go in a step \[m\].
    reach: Vec<f64>,
}

impl Skins {
    /// `None` without skins.
    pub(super) fn new(model: &Model, parallel: bool) -> Result<Option<Self>, StepError> {
        let reach = vec![0.0; model.field().nodes()];
        Ok(detector_of_skins(model, parallel)?.map(|detector| Self { detector, reach }))
    }
}

/// A detector of the contacts of skins; `None` without skins.
pub(super) fn detector_of_skins(model: &Model, parallel: bool) -> Result<Option<SurfaceDetector>, StepError> {
    let field = model.field();
    if field.surfaces.is_empty() {
        return Ok(None);
    }
    let unusable = |(skin, error): (usize, _)| {
        let body = model.flexible()[field.skin_of[skin]].name.clone();
        StepError::Shape { body, error }
    };
    let mut detector =
        SurfaceDetector::new(field.surfaces.clone(), field.nodes(), model.excluded()).map_err(unusable)?;
    detector.set_parallel(parallel);
    Ok(Some(detector))
}

/// Whether a stepper can carry the model's flexible bodies, and a state fits.
pub(super) fn check(model: &Model, settings: &Settings, state: &State) -> Result<(), StepError> {
    let expected = model.field().nodes();
    for found in [state.nodes.len(), state.node_velocities.len()] {
        if found != expected {
            return Err(StepError::Nodes { found, expected });
        }
    }
    match expected > 0 && settings.stepper == Stepper::DviRattle {
        true => Err(StepError::RigidOnly { stepper: settings.stepper.name() }),
        false => Ok(()),
    }
}

impl Simulation {
    /// Finds H and c of the step from the present state.
    pub(super) fn prepare_step(&mut self, timings: &mut StepTimings) -> Result<(), StepError> {
        let started = Instant::now();
        let mut flexible = self.flexible.take();
        let free = self.free_motion(flexible.as_mut());
        self.flexible = flexible;
        let free = free?;
        if let (Inertia::Sparse(inertia), Some(flexible)) = (&free.inertia, &mut self.flexible) {
            // One factor for all problems of the step. One that is not positive definite is named when the problem is built.
            let threads = if self.settings.parallel { Threads::Pool } else { Threads::One };
            if inertia.factor(threads).is_ok() {
                flexible.keep_analysis(inertia);
            }
        }
        self.free = Some(free);
        timings.assembly += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// H and c of the step from the present state.
    pub(super) fn free_motion(&self, flexible: Option<&mut FlexibleMotion>) -> Result<FreeMotion, StepError> {
        let Self { model, columns, state, parameters, .. } = self;
        match self.is_rattle() {
            true => Ok(rattle::positions::free_motion(model, columns, state, parameters)),
            false => dvi::free_motion(model, columns, state, parameters, flexible)
                .map_err(|failure| self.failed(&failure, state.time)),
        }
    }

    /// The error of an element that has no force where it is.
    pub(super) fn failed(&self, failure: &Failure, time: f64) -> StepError {
        StepError::Element {
            step: self.state.step + 1,
            time,
            body: self.model.flexible()[failure.body].name.clone(),
            element: failure.element,
            error: failure.error.clone(),
        }
    }

    /// Adds the contacts of skins to those of rigid shapes. Elastic waves make any node as fast as the fastest of its body: all of
    /// them reach that far.
    pub(super) fn detect_skins(&mut self) {
        let Some(mut skins) = self.skins.take() else { return };
        let (h, g) = (self.parameters.step, self.model.gravity().length());
        for body in 0..self.model.flexible().len() {
            let nodes = self.model.field().nodes_of(crate::flexible::FlexibleId(body as u32));
            let fastest = self.state.node_velocities[nodes.clone()].iter().map(|v| v.length()).fold(0.0, f64::max);
            skins.reach[nodes].fill((h * (fastest + h * g)).max(self.flexible_reach));
        }
        let Self { detector, reach, state, envelope, contacts, .. } = self;
        skins.detector.detect(detector, reach, &state.nodes, &skins.reach, *envelope, contacts);
        self.skins = Some(skins);
    }

    /// Adds overlaps of skins at the model's start to those of rigid shapes, which have just been found there.
    pub(super) fn detect_start_of_skins(&mut self, contacts: &mut Vec<Contact>) {
        let Some(skins) = &mut self.skins else { return };
        let (field, bodies) = (self.model.field(), self.model.bodies().len());
        let still = vec![0.0; field.nodes()];
        skins.detector.detect(&self.detector, &vec![0.0; bodies], &field.start, &still, 0.0, contacts);
    }

    /// The first flexible body with a number that is not finite, counted after rigid ones.
    pub(super) fn first_node_not_finite(&self, state: &State) -> Option<usize> {
        let spoiled = |node: &usize| !(state.nodes[*node].is_finite() && state.node_velocities[*node].is_finite());
        let node = (0..state.nodes.len()).find(spoiled)?;
        Some(self.model.bodies().len() + self.model.field().body_of(node))
    }
}
