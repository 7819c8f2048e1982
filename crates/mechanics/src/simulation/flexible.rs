//! What flexible bodies add to a simulation: their part of the free motion, their contacts, their sizes.

use super::Simulation;
use super::recovery::Recovered;
use crate::contact::support::Support;
use crate::flexible::Link;
use crate::flexible::field::Failure;
use crate::promise::elastic::LastMove;
use crate::stepper::dvi::{self, FreeMotion};
use crate::stepper::flexible::FlexibleMotion;
use crate::stepper::rattle;
use crate::{Model, Settings, State, StepError, StepTimings, Stepper};
use signorini_collision::{Contact, NO_FACE, SurfaceDetector};
use signorini_linalg::Threads;
use signorini_solver::problem::Inertia;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Nodes that move by no more than this share of an element have arrived.
const STILL: f64 = 1e-10;
/// Nodes with a smaller weight do not carry a contact.
const HELD: f64 = 1e-6;

/// No body.
const NOTHING: u32 = u32::MAX;

/// Detection of skins.
pub(super) struct Skins {
    detector: SurfaceDetector,
    /// How far every node may go in a step \[m\].
    reach: Vec<f64>,
    /// The body a rigid link holds each node to, [`NOTHING`] for free ones; empty without such links.
    held_to: Vec<u32>,
}

impl Skins {
    /// `None` without skins.
    pub(super) fn new(model: &Model, parallel: bool) -> Result<Option<Self>, StepError> {
        let reach = vec![0.0; model.field().nodes()];
        Ok(detector_of_skins(model, parallel)?.map(|detector| Self { detector, reach, held_to: held_to(model) }))
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

/// The body a rigid link holds each node to.
fn held_to(model: &Model) -> Vec<u32> {
    let mut held = Vec::new();
    for (_, link) in model.links() {
        if let Link::Rigid { flexible, nodes, body } = link {
            held.resize(model.field().nodes(), NOTHING);
            let first = model.nodes_of(*flexible).start;
            nodes.iter().for_each(|node| held[first + *node as usize] = body.0);
        }
    }
    held
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

    /// Solves the step, its elastic forces linearised again where its nodes arrive until they stay there, as often as is asked for;
    /// also returns how far nodes still moved the last time, if they were looked at twice.
    pub(super) fn solve_iterated(
        &mut self,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
        iterations: &mut u32,
    ) -> Result<(Recovered, Option<LastMove>), StepError> {
        let mut answer = self.solve_closed(cancel, timings, iterations)?;
        if self.flexible.is_none() || self.settings.flexible_iterations < 2 {
            return Ok((answer, None));
        }
        let element = self.model.field().element_size;
        let mut last = None;
        for _ in 1..self.settings.flexible_iterations {
            let arrived = self.moved(answer.1.velocity()).nodes;
            let Some(flexible) = &mut self.flexible else { break };
            let from = if flexible.guess.is_empty() { &self.state.nodes } else { &flexible.guess };
            let moves = arrived.iter().zip(from).map(|(a, b)| (*a - *b).length()).enumerate();
            let most = moves.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(node, distance)| LastMove { distance, node });
            // The first change is that of the whole step.
            if !flexible.guess.is_empty() {
                last = most;
            }
            if last.is_some_and(|last| last.distance <= STILL * element) {
                break;
            }
            flexible.guess = arrived;
            self.prepare_step(timings)?;
            answer = self.solve_closed(cancel, timings, iterations)?;
        }
        Ok((answer, last))
    }

    /// The end of a step where an element has no energy: turned inside out.
    pub(super) fn inverted(&self, next: &State) -> Option<StepError> {
        let failure = self.model.field().first_without_energy(&next.nodes)?;
        Some(self.failed(&failure, self.state.time))
    }

    /// Leaves out contacts of bodies with nodes that a rigid link holds to them.
    fn leave_out_held(&mut self, held_to: &[u32]) {
        if held_to.is_empty() {
            return;
        }
        let Self { model, state, contacts, .. } = self;
        contacts.retain(|contact| match Support::of(model, &state.nodes, contact, 1) {
            Support::Face { nodes, weights } if contact.faces[0] == NO_FACE => {
                (0..3).any(|k| weights[k] > HELD && held_to[nodes[k]] != contact.bodies[0])
            }
            _ => true,
        });
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
        self.leave_out_held(&skins.held_to);
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
