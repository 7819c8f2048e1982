//! Steps of the smooth steppers: from state to state, contacts being springs or refused.

use super::names::{contradicting, stopped};
use super::touching::StartOverlaps;
use super::{Advance, SmoothMotion};
use crate::diagnostics::fastest;
use crate::dynamics::columns::Columns;
use crate::dynamics::contact::finder::{ContactFinder, detector_of};
use crate::dynamics::contact::impulse::Impulse;
use crate::dynamics::contact::skins::detector_of_skins;
use crate::dynamics::held_nodes::Taken;
use crate::dynamics::penalty::PenaltyForces;
use crate::dynamics::smooth::System;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::promise::joints::{CountedRows, violations};
use crate::step::context::{StepContext, timed};
use crate::step::hard::euler::Euler;
use crate::step::hard::next_problem;
use crate::step::memory::StepMemory;
use crate::step::method::StepMethod;
use crate::step::promises::{self, Evidence};
use crate::step::report::{Outcome, StepReport};
use crate::step::settings::StepSettings;
use crate::step::usable::{check_finite, element_error, force_problem};
use crate::{Model, State, StepError, Vec3};
use signorini_collision::Contact;
use signorini_solver::{ConeProblem, Residuals, Status};

/// Smooth steps and what is kept from one to the next.
pub(crate) struct Smooth {
    motion: SmoothMotion,
    contacts: ContactFinder,
    memory: StepMemory,
    /// Contacts of the present state.
    near: Vec<Contact>,
    /// Contacts whose springs the memory has.
    loaded: Vec<Contact>,
    /// What is not allowed to grow; `None` where contacts are springs.
    start_overlaps: Option<StartOverlaps>,
}

impl Smooth {
    /// Begins from a state that joints allow, or goes on where a run was stopped.
    ///
    /// # Errors
    /// A model that smooth steps cannot carry, joints that contradict each other.
    pub(crate) fn begin(
        model: &Model,
        settings: &StepSettings,
        mut contacts: ContactFinder,
        state: &mut State,
        mut memory: StepMemory,
    ) -> Result<Box<dyn StepMethod>, StepError> {
        let stepper = settings.asked.stepper.name();
        let start_overlaps = if settings.asked.penalty.is_some() {
            check_rolling(model)?;
            None
        } else {
            check_one_sided(model, state, stepper)?;
            Some(StartOverlaps::of(model, &mut contacts))
        };
        let mut motion = motion_at(model, settings, &contacts, state)?;
        if settings.asked.adaptive.is_some() && motion.oscillates() {
            return Err(StepError::Undamped { stepper });
        }
        if !goes_on(&mut motion, model, state, &memory) {
            // What was taken up in vain is forgotten.
            motion = motion_at(model, settings, &contacts, state)?;
            let (step, time) = (state.step + 1, state.time);
            motion.start(model, settings.asked.step).map_err(|contradiction| match motion.take_failure() {
                Some(failure) => element_error(model, &failure, step, time),
                None => contradicting(model, &contradiction, step, time),
            })?;
            if let Some(failure) = motion.take_failure() {
                return Err(element_error(model, &failure, step, time));
            }
            motion.write(state);
        }
        motion.export(&mut memory.motion);
        let near = contacts.near(model, state, settings.parameters.step);
        Ok(Box::new(Self { motion, contacts, memory, near, loaded: Vec::new(), start_overlaps }))
    }

    /// The state a step leads to, its contacts, what it took and the error that was estimated and removed.
    fn advance(&mut self, model: &Model, state: &State, cx: &mut StepContext<'_>) -> Result<Advanced, StepError> {
        let (step, h) = (state.step + 1, cx.settings.asked.step);
        let end = step as f64 * h;
        let (next, advance, error_estimate) = timed(&mut cx.timings.solve, || {
            let advance =
                self.motion.advance(model, end, h, cx.cancel).map_err(|failure| stopped(model, &failure, step))?;
            let mut next = State { time: end, step, ..state.clone() };
            let error_estimate = self.motion.write(&mut next);
            check_finite(model, &next)?;
            force_problem(model, &next, step).map_or(Ok(()), Err)?;
            Ok((next, advance, error_estimate))
        })?;
        let found = timed(&mut cx.timings.collision, || self.contacts.near(model, &next, h));
        if let Some(start_overlaps) = &self.start_overlaps {
            let (radius, stepper) = (self.contacts.smallest_radius(), cx.settings.asked.stepper.name());
            start_overlaps.check(model, &next, &found, radius, stepper)?;
        }
        Ok(Advanced { next, found, advance, error_estimate })
    }

    /// Keeps the forces of all joint rows: multipliers, and springs where rows are one-sided.
    fn remember_joint_forces(&mut self, model: &Model, state: &State, h: f64) {
        let mut multipliers = self.motion.multipliers().into_iter();
        let mut springs = self.motion.finest().penalty().into_iter().flat_map(|penalty| penalty.limit_forces());
        let mut rows = [Row::ZERO; MAX_ROWS];
        let joints = &mut self.memory.joints;
        joints.clear();
        for (_, joint) in model.joints() {
            let poses = joint.bodies().map(|body| &state.poses[body.index()]);
            joint.evaluate(poses, state.time, &mut rows[..joint.rows()]);
            for row in &rows[..joint.rows()] {
                let force = match row.kind {
                    RowKind::Equal => multipliers.next(),
                    RowKind::AtLeastZero => springs.next(),
                };
                joints.push(h * force.unwrap_or(0.0));
            }
        }
        // Links follow.
        joints.extend(multipliers.map(|force| h * force));
    }

    /// Keeps the forces of contacts by penalty; returns how many contacts there are and how many push.
    fn remember_contact_forces(&mut self, h: f64) -> (usize, usize) {
        let Some(penalty) = self.motion.finest().penalty() else {
            return (self.near.len(), 0);
        };
        self.loaded.clear();
        self.loaded.extend_from_slice(penalty.contacts());
        self.memory.contacts.clear();
        self.memory.contacts.extend(penalty.points().iter().map(|point| {
            let impulse = Impulse { linear: h * point.force, ..Impulse::default() };
            (point.id, impulse)
        }));
        (penalty.contacts().len(), penalty.points().iter().filter(|point| point.is_active).count())
    }
}

/// Where a step leads.
struct Advanced {
    next: State,
    found: Vec<Contact>,
    advance: Advance,
    error_estimate: Option<[f64; 2]>,
}

impl StepMethod for Smooth {
    fn step(&mut self, model: &Model, state: &mut State, cx: &mut StepContext<'_>) -> Result<StepReport, StepError> {
        let springs_before = self.stored_in_contacts();
        let Advanced { next, found, advance, error_estimate } = match self.advance(model, state, cx) {
            Ok(advanced) => advanced,
            Err(error) => {
                // The motion is that of the state again.
                self.motion = motion_at(model, cx.settings, &self.contacts, state)?;
                self.motion.import(model, &self.memory.motion);
                return Err(error);
            }
        };
        let (h, stepper) = (cx.settings.asked.step, cx.settings.asked.stepper);
        self.motion.export(&mut self.memory.motion);
        self.near = found;
        let impulses_before = self.memory.joints.clone();
        self.remember_joint_forces(model, &next, h);
        let (contacts, active) = self.remember_contact_forces(h);
        cx.iterations += advance.iterations;
        let [(joint_violation, _), _] = violations(model, &next, CountedRows::Bilateral);
        let residuals = Residuals {
            natural_map: advance.residual,
            natural_map_relative: share(advance.residual, fastest(model, &next, cx.settings.threads())),
            primal: joint_violation / h,
            ..Residuals::default()
        };
        let status = if cx.settings.tolerance.met(&residuals) {
            Status::Converged
        } else if stepper.is_linearised() {
            Status::Stalled("the linearised step is not accurate enough")
        } else {
            Status::Stalled("rounding in a step this short")
        };
        let springs_after = self.stored_in_contacts();
        let outcome = Outcome {
            factorisations: advance.factorisations,
            rounds: advance.rejected,
            substeps: advance.substeps,
            shortest_step: advance.shortest,
            error_estimate,
            contacts,
            active,
            stored_in_contacts: springs_after,
            ..Outcome::new(status, stepper.name(), residuals, h)
        };
        let mut report = StepReport::of(model, [state, &next], &self.near, outcome, cx);
        let evidence = Evidence {
            model,
            before: state,
            after: &next,
            overlaps_before: &[],
            near_after: &self.near,
            loaded: &self.loaded,
            status: report.status,
            residuals: &report.residuals,
            energy: &report.energy,
            penalty_springs: [springs_before, springs_after],
            last_move: None,
            is_divided: advance.substeps > 1,
            unanswered: &[],
            lift: 0.0,
            deepest_pushed: f64::INFINITY,
            is_stuck: false,
            impulses_before: Some(&impulses_before),
            books: None,
        };
        report.broken = promises::judge(&evidence, cx, &mut self.memory, || None);
        *state = next;
        Ok(report)
    }

    fn memory(&self) -> &StepMemory {
        &self.memory
    }

    fn contacts(&self) -> &[Contact] {
        &self.near
    }

    fn loaded_contacts(&self) -> &[Contact] {
        &self.loaded
    }

    fn stored_in_contacts(&self) -> f64 {
        self.motion.finest().penalty().map_or(0.0, PenaltyForces::energy)
    }

    fn node_impulses(&self, model: &Model, state: &State, settings: &StepSettings) -> Option<Vec<Vec3>> {
        let contacts = self.loaded.iter().zip(&self.memory.contacts).map(|(contact, (_, load))| (contact, load.linear));
        let taken = Taken { model, state, h: settings.parameters.step };
        Some(taken.at_end(&Columns::new(model), self.motion.finest().accelerations(), contacts))
    }

    /// That of `dvi-euler` from the same state: smooth steps are no cone problems.
    fn problem(&self, model: &Model, state: &State, settings: &StepSettings) -> Result<ConeProblem, StepError> {
        next_problem::<Euler>(model, state, &self.near, settings)
    }
}

/// The motion of the settings, at a state and without a past.
fn motion_at(
    model: &Model,
    settings: &StepSettings,
    contacts: &ContactFinder,
    state: &State,
) -> Result<SmoothMotion, StepError> {
    let StepSettings { asked, parameters, .. } = settings;
    let mut motion = SmoothMotion::new(model, asked, state);
    if let Some(penalty) = &asked.penalty {
        for stepper in motion.steppers() {
            let rigid = detector_of(model, asked.parallel, |body, error| StepError::Shape { body, error })?;
            let skins = detector_of_skins(model, asked.parallel)?;
            let system = System { model, equations: &stepper.equations };
            let forces = PenaltyForces::new(system, penalty, (rigid, skins), parameters.radius, contacts.envelope());
            stepper.meet_contacts(forces);
        }
    }
    Ok(motion)
}

/// Takes up what a smooth stepper kept; false if it is not that of these settings or led to another state.
fn goes_on(motion: &mut SmoothMotion, model: &Model, state: &State, memory: &StepMemory) -> bool {
    if memory.motion.is_empty() || !motion.import(model, &memory.motion) {
        return false;
    }
    let mut led_to = state.clone();
    motion.write(&mut led_to);
    led_to.hash() == state.hash()
}

/// Springs do not resist rolling.
fn check_rolling(model: &Model) -> Result<(), StepError> {
    let mut used: Vec<_> = model.colliders().iter().map(|(_, collider)| collider.material).collect();
    used.sort_unstable();
    used.dedup();
    let pairs = used.iter().flat_map(|a| used.iter().map(move |b| model.contact(*a, *b)));
    match pairs.map(|contact| contact.rolling).find(|rolling| *rolling > 0.0) {
        Some(value) => {
            let allowed = "0 where contacts are springs (`penalty`); a `dvi-…` stepper has rolling resistance";
            Err(StepError::Setting { name: "rolling resistance of a material", value, allowed })
        }
        None => Ok(()),
    }
}

/// Limits and ropes have no smooth motion.
fn check_one_sided(model: &Model, state: &State, stepper: &'static str) -> Result<(), StepError> {
    let mut rows = [Row::ZERO; MAX_ROWS];
    for (name, joint) in model.joints() {
        let poses = joint.bodies().map(|body| &state.poses[body.index()]);
        joint.evaluate(poses, state.time, &mut rows[..joint.rows()]);
        if rows[..joint.rows()].iter().any(|row| row.kind == RowKind::AtLeastZero) {
            return Err(StepError::OneSided { joint: name.to_owned(), stepper });
        }
    }
    Ok(())
}

/// A part of a whole; 0 where the part is 0, whatever the whole.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}
