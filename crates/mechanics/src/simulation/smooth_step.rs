//! Steps of the smooth steppers: from state to state, with reports and errors that name bodies and joints.

use super::Simulation;
use super::promises::StepEnd;
use crate::joint::RowKind;
use crate::promise::joints::{self, CountedRows};
use crate::stepper::smooth::consistent::Consistent;
use crate::stepper::smooth::equations::Equations;
use crate::stepper::smooth::penalty::PenaltyForces;
use crate::stepper::smooth::{Contradiction, NewtonFailure, SmoothFailure, SmoothMotion, System};
use crate::{Energy, Momentum, State, StepError, StepReport, StepTimings};
use signorini_solver::{Residuals, Status};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Joints that miss by less \[m or rad\] fit.
const MISFIT: f64 = 1e-6;

impl Simulation {
    /// Makes the smooth stepper of the settings, if they ask for one: from the start, with a state that joints allow, or where a
    /// run was stopped.
    pub(super) fn prepare_smooth(&mut self) -> Result<(), StepError> {
        if self.settings.stepper.has_hard_contacts() {
            self.assemble();
            return Ok(());
        }
        match self.settings.penalty {
            Some(_) => self.check_rolling()?,
            None => {
                self.check_one_sided()?;
                self.measure_start_overlaps();
            }
        }
        let mut stepper = self.smooth_motion()?;
        if self.settings.adaptive.is_some() && stepper.oscillates() {
            return Err(StepError::Undamped { stepper: self.settings.stepper.name() });
        }
        if !self.goes_on(&mut stepper) {
            // What was taken up in vain is forgotten.
            stepper = self.smooth_motion()?;
            stepper.start(&self.model, self.settings.step).map_err(|contradiction| match stepper.take_failure() {
                Some(failure) => self.failed(&failure, self.state.time),
                None => self.contradiction(&contradiction, self.state.time),
            })?;
            if let Some(failure) = stepper.take_failure() {
                return Err(self.failed(&failure, self.state.time));
            }
            stepper.write(&mut self.state);
            self.detect();
        }
        stepper.export(&mut self.warm.smooth);
        self.smooth = Some(Box::new(stepper));
        Ok(())
    }

    /// Puts together joints that do not fit at the start of a run with hard contacts: one step would close them at the speed of the
    /// misfit over h. Joints that contradict each other stay as they are; steps violate them as little as possible.
    fn assemble(&mut self) {
        let [(metres, _), (radians, _)] = joints::violations(&self.model, &self.state, CountedRows::Bilateral);
        if !self.model.flexible().is_empty() || self.state.step > 0 || (metres <= MISFIT && radians <= MISFIT) {
            return;
        }
        let equations = Equations::new(&self.model);
        let system = System { model: &self.model, equations: &equations };
        let mut phase = equations.phase(&self.state);
        if Consistent::new(system).positions(system, &mut phase).is_ok() {
            self.state.poses = phase.poses;
            self.detect();
        }
    }

    /// Takes up what a smooth stepper kept; false if it is not that of these settings or led to another state.
    fn goes_on(&self, stepper: &mut SmoothMotion) -> bool {
        if self.warm.smooth.is_empty() || !stepper.import(&self.model, &self.warm.smooth) {
            return false;
        }
        let mut led_to = self.state.clone();
        stepper.write(&mut led_to);
        led_to.hash() == self.state.hash()
    }

    /// The motion of the settings, at the present state and without a past.
    fn smooth_motion(&self) -> Result<SmoothMotion, StepError> {
        let Self { model, settings, state, parameters, envelope, .. } = self;
        let mut motion = SmoothMotion::new(model, settings, state);
        if let Some(penalty) = &settings.penalty {
            for stepper in motion.steppers() {
                let unusable = |body, error| StepError::Shape { body, error };
                let rigid = super::detector_of(model, settings.parallel, unusable)?;
                let skins = super::flexible::detector_of_skins(model, settings.parallel)?;
                let system = System { model, equations: &stepper.equations };
                let forces = PenaltyForces::new(system, penalty, (rigid, skins), parameters.radius, *envelope);
                stepper.meet_contacts(forces);
            }
        }
        Ok(motion)
    }

    /// The stepper is that of the state again; what stopped it is passed on.
    fn stopped(&mut self, error: StepError) -> StepError {
        match self.smooth_motion() {
            Ok(mut fresh) => {
                fresh.import(&self.model, &self.warm.smooth);
                self.smooth = Some(Box::new(fresh));
                error
            }
            Err(other) => other,
        }
    }

    /// Springs do not resist rolling.
    fn check_rolling(&self) -> Result<(), StepError> {
        let mut used: Vec<_> = self.model.colliders().iter().map(|(_, collider)| collider.material).collect();
        used.sort_unstable();
        used.dedup();
        let pairs = used.iter().flat_map(|a| used.iter().map(move |b| self.model.contact(*a, *b)));
        match pairs.map(|contact| contact.rolling).find(|rolling| *rolling > 0.0) {
            Some(value) => {
                let allowed = "0 where contacts are springs (`penalty`); a `dvi-…` stepper has rolling resistance";
                Err(StepError::Setting { name: "rolling resistance of a material", value, allowed })
            }
            None => Ok(()),
        }
    }

    /// Limits and ropes have no smooth motion.
    fn check_one_sided(&self) -> Result<(), StepError> {
        let mut rows = [crate::joint::Row::ZERO; crate::joint::MAX_ROWS];
        for (name, joint) in self.model.joints() {
            let poses = joint.bodies().map(|body| &self.state.poses[body.index()]);
            joint.evaluate(poses, self.state.time, &mut rows[..joint.rows()]);
            if rows[..joint.rows()].iter().any(|row| row.kind == RowKind::AtLeastZero) {
                let (joint, stepper) = (name.to_owned(), self.settings.stepper.name());
                return Err(StepError::OneSided { joint, stepper });
            }
        }
        Ok(())
    }

    /// Takes one smooth step.
    pub(super) fn take_smooth_step(
        &mut self,
        mut stepper: Box<SmoothMotion>,
        cancel: Option<&AtomicBool>,
    ) -> Result<StepReport, StepError> {
        let started = Instant::now();
        let start = self.start_of_step(stepper.finest().penalty().map_or(0.0, |penalty| penalty.energy()));
        let impulses_before = self.warm.joints.clone();
        let (step, h) = (self.state.step + 1, self.settings.step);
        let end = step as f64 * h;
        let advance = match stepper.advance(&self.model, end, h, cancel) {
            Ok(advance) => advance,
            Err(failure) => {
                let error = self.smooth_error(&failure, step);
                return Err(self.stopped(error));
            }
        };
        let mut next = State { time: end, step, ..self.state.clone() };
        let error_estimate = stepper.write(&mut next);
        if let Some(body) = self.first_not_finite(&next) {
            let name = self.model.name_of(body).to_owned();
            return Err(self.stopped(StepError::NotFinite { step, time: end, body: name }));
        }
        if let Some(error) = self.force_problem(&next, step) {
            return Err(self.stopped(error));
        }
        let solve = started.elapsed().as_secs_f64();
        let before = std::mem::replace(&mut self.state, next);
        self.detect();
        if let Some(error) = self.touching_error() {
            self.state = before;
            self.detect();
            return Err(self.stopped(error));
        }
        self.node_velocities_before.clone_from(&before.node_velocities);
        stepper.export(&mut self.warm.smooth);
        self.remember_joint_forces(&stepper);
        let (contacts, active) = self.remember_contact_forces(&stepper);
        // Springs of contacts and limits store energy that the model knows nothing of.
        let mut energy = Energy::of(&self.model, &self.state);
        let penalty_springs = stepper.finest().penalty().map_or(0.0, |penalty| penalty.energy());
        energy.potential += penalty_springs;
        self.smooth = Some(stepper);
        let [(joint_violation, _), (joint_angle_violation, _)] = self.joint_violation();
        let residuals = Residuals {
            natural_map: advance.residual,
            natural_map_relative: share(advance.residual, self.fastest()),
            primal: joint_violation / h,
            ..Residuals::default()
        };
        let is_met = self.tolerance.met(&residuals);
        let status = match (is_met, self.settings.stepper.is_linearised()) {
            (true, _) => Status::Converged,
            (false, true) => Status::Stalled("the linearised step is not accurate enough"),
            (false, false) => Status::Stalled("rounding in a step this short"),
        };
        let step_end = StepEnd {
            status,
            penalty_springs,
            residuals: &residuals,
            energy: &energy,
            last_move: None,
            is_divided: advance.substeps > 1,
            impulses_before: Some(&impulses_before),
        };
        let broken = self.broken_promises(&start, &step_end, |_| None);
        Ok(StepReport {
            step,
            time: end,
            status,
            method: self.settings.stepper.name(),
            iterations: advance.iterations,
            factorisations: advance.factorisations,
            rounds: advance.rejected,
            substeps: advance.substeps,
            shortest_step: advance.shortest,
            error_estimate,
            residuals,
            tolerance_ratio: self.tolerance.ratio(&residuals),
            contacts,
            active,
            penetration: self.deepest_overlap().map_or(0.0, |(depth, _)| depth),
            joint_violation,
            joint_angle_violation,
            energy,
            momentum: Momentum::of(&self.model, &self.state),
            work: None,
            recovery: 1.0,
            broken,
            timings: StepTimings { collision: self.collision_seconds, assembly: 0.0, solve },
        })
    }

    /// The largest speed of a body's points, as far from its centre of mass as its radius of gyration \[m/s\].
    pub(super) fn fastest(&self) -> f64 {
        let moving = self.model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed);
        let speeds = moving.map(|(i, body)| {
            let omega = self.state.angular_velocities[i];
            self.state.velocities[i].length() + (omega.dot(body.inertia * omega) / body.mass).sqrt()
        });
        speeds.chain(self.state.node_velocities.iter().map(|v| v.length())).fold(0.0, f64::max)
    }

    fn smooth_error(&self, failure: &SmoothFailure, step: u64) -> StepError {
        match failure {
            SmoothFailure::Newton { time, failure: NewtonFailure { problem: Some((force, problem)), .. } } => {
                let force = crate::force::problem::described(&self.model, *force);
                StepError::Force { step, time: *time, force, problem: problem.clone() }
            }
            SmoothFailure::Newton { time, failure: NewtonFailure { element: Some(failure), .. } }
            | SmoothFailure::Element { time, failure } => self.failed(failure, *time),
            SmoothFailure::Newton { time, failure } => StepError::Newton {
                step,
                time: *time,
                tried: failure.step,
                reason: failure.reason,
                body: self.name_or_nothing(failure.body),
                increment: failure.increment,
                joint: self.joint_of(failure.joint).0,
                violation: failure.violation,
            },
            SmoothFailure::Joints { time, contradiction } => self.contradiction(contradiction, *time),
            SmoothFailure::Error { time, step: tried, error } => {
                StepError::ErrorBound { step, time: *time, tried: *tried, ratio: *error }
            }
            SmoothFailure::Interrupted { time } => StepError::Interrupted { step, time: *time },
        }
    }

    /// The name of a body, flexible ones counted after rigid ones; none in an empty model.
    fn name_or_nothing(&self, body: usize) -> String {
        let count = self.model.bodies().len() + self.model.flexible().len();
        if body < count { self.model.name_of(body).to_owned() } else { String::new() }
    }

    /// The name of a joint and its bodies; links are counted after joints.
    fn joint_of(&self, index: usize) -> (String, [String; 2]) {
        let model = &self.model;
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

    pub(super) fn contradiction(&self, contradiction: &Contradiction, time: f64) -> StepError {
        if contradiction.left.is_nan() {
            // Not the joints: the motion has left the numbers.
            let [_, body] = self.joint_of(contradiction.joint).1;
            return StepError::NotFinite { step: self.state.step + 1, time, body };
        }
        let unit = match (contradiction.of, contradiction.is_angle) {
            ("positions", false) => "m",
            ("positions", true) => "rad",
            ("speeds", false) => "m/s",
            ("speeds", true) => "rad/s",
            (_, false) => "m/s²",
            (_, true) => "rad/s²",
        };
        let (name, bodies) = self.joint_of(contradiction.joint);
        StepError::Contradiction { time, of: contradiction.of, joint: name, bodies, left: contradiction.left, unit }
    }
}

/// A part of a whole; none of nothing is none.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}
