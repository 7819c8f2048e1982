//! A model that moves.

mod closing;
mod detection;
mod flexible;
mod missed;
mod promises;
mod rattle_step;
mod reactions;
mod recovery;
mod smooth_step;
mod touching;

pub(crate) use detection::detector_of;
pub(crate) use missed::late_feature;
pub use reactions::{LinkLoad, PairForce, Reactions, Resultant};

use crate::contact::cache::WarmStart;
use crate::contact::support::Support;
use crate::diagnostics::motion;
use crate::force::memory;
use crate::force::problem::{described, first_problem};
use crate::motion::moved;
use crate::promise::bounds::Bounds;
use crate::promise::joints::{self, CountedRows};
use crate::stepper::columns::Columns;
use crate::stepper::dvi::{self, Assembly, FreeMotion, Parameters, Start};
use crate::stepper::flexible::FlexibleMotion;
use crate::stepper::rattle;
use crate::stepper::smooth::SmoothMotion;
use crate::{
    BodyId, ContactForce, Energy, Model, Momentum, Settings, State, StepError, StepReport, StepTimings, Vec3, Work,
};
use detection::{smallest_radius, turning_radii};
use flexible::Skins;
use promises::StepEnd;
use rattle_step::Stages;
use signorini_collision::{Contact, Detector};
use signorini_solver::{Control, Iterate, Solution, SolverSettings, Status, Tolerance, solve_with};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Without a tolerance asked for, steps must be accurate to this share of the speed gained by falling for one step …
const DEFAULT_TOLERANCE: f64 = 0.05;
/// … and steps of up to so many rows aim at this share of that: there a factorisation costs little, and resting bodies rest.
const AIM: f64 = 4e-6;
const AIM_ROWS: usize = 600;
/// Iterations that may be spent on that.
const AIM_ITERATIONS: u32 = 50;
/// Relative tolerance where there is no gravity to compare with.
const TOLERANCE_WITHOUT_GRAVITY: f64 = 1e-3;

/// A model, its state and what is kept from step to step.
pub struct Simulation {
    model: Model,
    settings: Settings,
    state: State,
    detector: Detector,
    columns: Columns,
    parameters: Parameters,
    tolerance: Tolerance,
    /// How far steps may be off.
    bounds: Bounds,
    envelope: f64,
    /// Radius of every body about its centre of mass \[m\]: how far its points are carried by a turn.
    reach_radius: Vec<f64>,
    reach: Vec<f64>,
    /// Contacts of the present state.
    contacts: Vec<Contact>,
    /// Contacts of the state before the last step: those its problem had.
    contacts_before: Vec<Contact>,
    collision_seconds: f64,
    /// Of flexible bodies.
    flexible: Option<FlexibleMotion>,
    /// Velocities of nodes where the last step began; empty before the first.
    node_velocities_before: Vec<Vec3>,
    skins: Option<Skins>,
    /// How far nodes are looked at, at least \[m\].
    flexible_reach: f64,
    /// Energy of the present state \[J\], if a step has found it.
    energy: Option<f64>,
    /// H and c of the step that is being taken.
    free: Option<FreeMotion>,
    /// κ of every joint row, while a step is solved again to close joints.
    bending: Vec<f64>,
    warm: WarmStart,
    /// Of smooth steppers.
    smooth: Option<Box<SmoothMotion>>,
    /// Overlaps at the model's start, for smooth steppers without penalty.
    start_overlaps: touching::StartOverlaps,
}

impl Simulation {
    /// A model at its start.
    ///
    /// # Errors
    /// A setting out of range, or a shape that cannot be used.
    pub fn new(model: Model, settings: Settings) -> Result<Self, StepError> {
        let state = State::start_of(&model);
        Self::resumed(model, settings, state, WarmStart::default())
    }

    /// A model in a state reached before, with the impulses of the step that led there: goes on to the same bits as if it had
    /// not been stopped.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn resumed(model: Model, settings: Settings, state: State, warm: WarmStart) -> Result<Self, StepError> {
        settings.check()?;
        let (found, expected) = (state.memory.len(), model.memory_layout().len());
        if found != expected {
            return Err(StepError::Memory { found, expected });
        }
        flexible::check(&model, &settings, &state)?;
        let detector = detector_of(&model, settings.parallel, |body, error| StepError::Shape { body, error })?;
        let gravity = model.gravity().length();
        let reach_radius = turning_radii(&model, &detector);
        let radius = smallest_radius(&model, &detector);
        let fall = gravity * settings.step;
        let parameters = Parameters {
            step: settings.step,
            recovery_speed: settings.recovery_speed.unwrap_or_else(|| match gravity > 0.0 {
                true => 0.5 * (gravity * radius).sqrt(),
                // Without gravity there is no speed to compare with: a hundredth of the radius a step.
                false => 0.01 * radius / settings.step,
            }),
            radius,
            restitution_threshold: settings.restitution_threshold.unwrap_or(2.0 * fall),
            gyroscopic: settings.gyroscopic,
        };
        let tolerance = settings.tolerance.unwrap_or(match gravity > 0.0 {
            true => Tolerance::Velocity(DEFAULT_TOLERANCE * fall),
            false => Tolerance::Relative(TOLERANCE_WITHOUT_GRAVITY),
        });
        let columns = Columns::new(&model);
        let bounds = Bounds::new(&model, &settings, tolerance, radius);
        let mut this = Self {
            node_velocities_before: Vec::new(),
            flexible: FlexibleMotion::new(&model, &columns, settings.parallel),
            skins: Skins::new(&model, settings.parallel)?,
            flexible_reach: 0.0,
            energy: None,
            free: None,
            columns,
            envelope: settings.envelope.unwrap_or(0.01 * radius),
            reach: vec![0.0; reach_radius.len()],
            model,
            settings,
            state,
            detector,
            parameters,
            tolerance,
            bounds,
            reach_radius,
            contacts: Vec::new(),
            contacts_before: Vec::new(),
            collision_seconds: 0.0,
            bending: Vec::new(),
            warm,
            smooth: None,
            start_overlaps: touching::StartOverlaps::default(),
        };
        this.detect();
        this.prepare_smooth()?;
        Ok(this)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The model, given back.
    #[must_use]
    pub fn into_model(self) -> Model {
        self.model
    }
    /// How it is stepped.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// Where everything is now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
    /// What every step has to meet.
    #[must_use]
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }
    /// Impulses of the last step: with the state, all that is needed to go on.
    #[must_use]
    pub fn warm_start(&self) -> &WarmStart {
        &self.warm
    }
    /// Contacts of the present state.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    /// Contact forces of the last step (impulses / h), in the order its contacts were found. Empty before the first step.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> {
        let h = self.parameters.step;
        self.contacts_before.iter().zip(&self.warm.contacts).map(move |(contact, (_, impulse))| ContactForce {
            bodies: contact.bodies.map(BodyId),
            point: 0.5 * (contact.points[0] + contact.points[1]),
            normal: contact.normal,
            gap: contact.gap,
            force: impulse.linear / h,
        })
    }
    /// Deepest overlap now \[m\] and the bodies it is between.
    #[must_use]
    pub fn deepest_overlap(&self) -> Option<(f64, [BodyId; 2])> {
        let deepest =
            self.contacts.iter().filter(|contact| contact.gap < 0.0).min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        Some((-deepest.gap, deepest.bodies.map(BodyId)))
    }

    /// The largest violations of joints, ropes, limits and links now: \[m\] and \[rad\], each with the index of the joint; links are
    /// counted after joints. A rope that is 0.5 m too short is violated by 0.5 m, a slack one by nothing.
    #[must_use]
    pub fn joint_violation(&self) -> [(f64, usize); 2] {
        joints::violations(&self.model, &self.state, CountedRows::All)
    }

    /// The problem of the next step, as a solver would be given it.
    ///
    /// # Errors
    /// Numbers that overflowed.
    pub fn problem(&self) -> Result<signorini_solver::ConeProblem, StepError> {
        let mut flexible = FlexibleMotion::new(&self.model, &self.columns, self.settings.parallel);
        let free = self.free_motion(flexible.as_mut())?;
        Ok(self.assembly_from(&free, &[], &mut StepTimings::default())?.problem)
    }

    /// Takes one step.
    ///
    /// # Errors
    /// No usable answer; the state is then that before the step. A step that breaks a promise is not an error: see
    /// [`StepReport::broken`].
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_with(None)
    }

    /// Takes one step that can be stopped from outside by setting `cancel`; the state is then that before the step.
    ///
    /// # Errors
    /// As [`Simulation::step`], and [`StepError::Interrupted`].
    pub fn step_with(&mut self, cancel: Option<&AtomicBool>) -> Result<StepReport, StepError> {
        // From a thread outside the pool every parallel loop would wake a worker and wait for it: one of them takes the whole step.
        match self.is_parallel() && rayon::current_thread_index().is_none() {
            true => rayon::scope(|_| self.take_step(cancel)),
            false => self.take_step(cancel),
        }
    }

    /// One thread is no pool.
    fn is_parallel(&self) -> bool {
        self.settings.parallel && rayon::current_num_threads() > 1
    }

    fn take_step(&mut self, cancel: Option<&AtomicBool>) -> Result<StepReport, StepError> {
        if let Some(stepper) = self.smooth.take() {
            return self.take_smooth_step(stepper, cancel);
        }
        let mut timings = StepTimings { collision: self.collision_seconds, ..StepTimings::default() };
        let start_of_step = self.start_of_step(0.0);
        self.flexible.iter_mut().for_each(|flexible| flexible.guess.clear());
        self.prepare_step(&mut timings)?;
        let start_velocity = self.columns.gather(&self.state);
        let start_energy = self.energy.take().unwrap_or_else(|| Energy::of(&self.model, &self.state).total());
        let mut iterations = 0;
        let mut rounds = 0;
        let mut late = Vec::new();
        let (assembly, solution, recovery, start, last_move) = loop {
            let ((assembly, solution, recovery), last_move) =
                self.solve_iterated(cancel, &mut timings, &mut iterations)?;
            let next = self.moved(solution.velocity());
            if let Some(error) = self.inverted(&next) {
                return Err(error);
            }
            if let Some(body) = self.first_not_finite(&next) {
                let name = self.model.name_of(body).to_owned();
                return Err(StepError::NotFinite { step: next.step, time: next.time, body: name });
            }
            if let Some(force) = self.first_memory_not_finite(&next) {
                return Err(StepError::MemoryNotFinite { step: next.step, time: next.time, force });
            }
            if let Some(error) = self.force_problem(&next, next.step) {
                return Err(error);
            }
            let before = std::mem::replace(&mut self.state, next);
            self.node_velocities_before.clone_from(&before.node_velocities);
            let start = self.is_rattle().then(|| before.clone());
            std::mem::swap(&mut self.contacts, &mut self.contacts_before);
            self.detect();
            timings.collision += if rounds > 0 { self.collision_seconds } else { 0.0 };
            if rounds == self.most_rounds() || !self.look_again(before, &mut late) {
                break (assembly, solution, recovery, start, last_move);
            }
            rounds += 1;
        };
        let stages = match start {
            Some(before) => {
                self.take_velocity_stage(before, (&assembly, &solution), cancel, &mut timings, &mut iterations)?
            }
            None => {
                let active = self.active_contacts(&assembly, &solution);
                assembly.remember(&self.contacts_before, solution.impulse(), &mut self.warm);
                let report = &solution.report;
                Stages { status: report.status, method: report.method, residuals: report.residuals, active }
            }
        };
        let contacts = self.contacts_before.len();
        let [(joint_violation, _), (joint_angle_violation, _)] = self.joint_violation();
        let Stages { status, method, residuals, active } = stages;
        let energy = Energy::of(&self.model, &self.state);
        let gained = energy.total() - start_energy;
        self.energy = Some(energy.total());
        let work = (!self.is_rattle()).then(|| work_of(&assembly, &solution, start_velocity, gained));
        let end = StepEnd {
            status,
            residuals: &residuals,
            energy: &energy,
            penalty_springs: 0.0,
            last_move,
            is_divided: false,
            impulses_before: None,
        };
        let broken = self.broken_promises(&start_of_step, &end, |this| this.worst_row(&assembly, &solution));
        Ok(StepReport {
            step: self.state.step,
            time: self.state.time,
            status,
            method,
            iterations,
            factorisations: 0,
            rounds,
            substeps: 1,
            shortest_step: self.parameters.step,
            error_estimate: None,
            residuals,
            tolerance_ratio: self.tolerance.ratio(&residuals),
            contacts,
            active,
            penetration: self.deepest_overlap().map_or(0.0, |(depth, _)| depth),
            joint_violation,
            joint_angle_violation,
            energy,
            momentum: Momentum::of(&self.model, &self.state),
            work,
            recovery,
            broken,
            timings,
        })
    }

    /// The problem of the step, its overlaps undone no faster than `caps` say.
    fn assembly(&self, caps: &[f64], timings: &mut StepTimings) -> Result<Assembly, StepError> {
        match &self.free {
            Some(free) => self.assembly_from(free, caps, timings),
            None => self.assembly_from(&self.free_motion(None)?, caps, timings),
        }
    }

    fn assembly_from(&self, free: &FreeMotion, caps: &[f64], timings: &mut StepTimings) -> Result<Assembly, StepError> {
        let started = Instant::now();
        let Self { model, columns, state, contacts, parameters, bending, .. } = self;
        let assemble = if self.is_rattle() { rattle::positions::assemble } else { dvi::assemble };
        let step = state.step + 1;
        let assembly = assemble(&Start { model, columns, state, contacts, parameters }, free, caps, bending)
            .map_err(|error| self.problem_error(state, step, error));
        timings.assembly += started.elapsed().as_secs_f64();
        assembly
    }

    /// Builds the problem of the step, its overlaps undone no faster than `caps` say, and solves it.
    fn solve(
        &self,
        caps: &[f64],
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<(Assembly, Solution), StepError> {
        let assembly = self.assembly(caps, timings)?;
        let warm = self
            .settings
            .warm_start
            .then(|| assembly.warm_start(&self.columns, &self.state, &self.contacts, &self.warm))
            .map(|warm| if self.is_rattle() { halved(warm) } else { warm });
        let solution = self.solve_assembled(&assembly, warm.as_ref(), cancel, timings)?;
        Ok((assembly, solution))
    }

    /// Solves an assembled problem as accurately as is promised, and better where that costs little.
    fn solve_assembled(
        &self,
        assembly: &Assembly,
        warm: Option<&Iterate>,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Solution, StepError> {
        let settings = self.solver_settings();
        if self.settings.tolerance.is_some() || assembly.problem.row_count() > AIM_ROWS {
            return self.solve_problem(assembly, &settings, warm, cancel, timings);
        }
        // What can be had for little is asked for; what was promised counts.
        let most = settings.max_iterations.map_or(AIM_ITERATIONS, |limit| limit.min(AIM_ITERATIONS));
        let tolerance = self.tolerance.loosened(AIM);
        let aim = SolverSettings { tolerance, max_iterations: Some(most), ..settings.clone() };
        let mut solution = self.solve_problem(assembly, &aim, warm, cancel, timings)?;
        if self.tolerance.met(&solution.report.residuals) {
            solution.report.status = Status::Converged;
        } else if solution.report.status != Status::Infeasible {
            let iterations = solution.report.iterations;
            solution = self.solve_problem(assembly, &settings, Some(&solution.iterate), cancel, timings)?;
            solution.report.iterations += iterations;
        }
        Ok(solution)
    }

    fn solver_settings(&self) -> SolverSettings {
        SolverSettings {
            method: self.settings.method.clone(),
            friction: self.settings.friction,
            tolerance: self.tolerance,
            facets: self.settings.facets,
            max_iterations: self.settings.max_iterations,
            time_limit: self.settings.time_limit,
            parallel: self.is_parallel(),
            history: false,
        }
    }

    /// Solves an assembled problem from an answer to a similar one.
    fn solve_problem(
        &self,
        assembly: &Assembly,
        settings: &SolverSettings,
        warm: Option<&Iterate>,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Solution, StepError> {
        let started = Instant::now();
        let (step, time) = (self.state.step + 1, self.state.time);
        let solution = solve_with(&assembly.problem, settings, &Control { warm, cancel })
            .map_err(|error| StepError::Solve { step, time, error })?;
        timings.solve += started.elapsed().as_secs_f64();
        match solution.report.status {
            Status::Interrupted => Err(StepError::Interrupted { step, time }),
            _ => Ok(solution),
        }
    }

    /// The state after the step: q ⊕ h v, z + h ż.
    fn moved(&self, velocity: &[f64]) -> State {
        let h = self.parameters.step;
        let mut next = self.state.clone();
        next.step += 1;
        // Not a sum: after any number of steps the time is that number times h, rounded once.
        next.time = next.step as f64 * h;
        for body in 0..next.poses.len() {
            let Some(at) = self.columns.of(body) else { continue };
            let v = Vec3::from_slice(&velocity[at..at + 3]);
            let omega = Vec3::from_slice(&velocity[at + 3..at + 6]);
            next.poses[body] = moved(&next.poses[body], v, omega, h);
            (next.velocities[body], next.angular_velocities[body]) = (v, omega);
        }
        self.columns.scatter_nodes(velocity, &mut next.node_velocities);
        for (node, velocity) in next.nodes.iter_mut().zip(&next.node_velocities) {
            *node += h * *velocity;
        }
        next.memory = match self.is_rattle() {
            true => rattle::memory_after(&self.model, &self.state, &next, h),
            false => memory::advanced(&self.model, &self.state, h),
        };
        next
    }

    /// The error of the first force that does not exist in a state.
    fn force_problem(&self, state: &State, step: u64) -> Option<StepError> {
        let (force, problem) = first_problem(&self.model, |body| motion(state, body), state.time)?;
        Some(StepError::Force { step, time: state.time, force: described(&self.model, force), problem })
    }

    /// Why the problem of a step from a state cannot be built: where a force does not exist, because of that.
    fn problem_error(&self, state: &State, step: u64, error: signorini_solver::ProblemError) -> StepError {
        let in_the_middle = || {
            let middle = self.is_rattle().then(|| rattle::middle(&self.model, state, self.parameters.step))?;
            self.force_problem(&middle, step)
        };
        let found = self.force_problem(state, step).or_else(in_the_middle);
        found.unwrap_or(StepError::Problem { step, time: state.time, error })
    }

    fn first_not_finite(&self, state: &State) -> Option<usize> {
        let rigid = (0..state.poses.len()).find(|&body| {
            let pose = &state.poses[body];
            !(pose.position.is_finite()
                && pose.rotation.is_finite()
                && state.velocities[body].is_finite()
                && state.angular_velocities[body].is_finite())
        });
        rigid.or_else(|| self.first_node_not_finite(state))
    }

    fn first_memory_not_finite(&self, state: &State) -> Option<String> {
        let layout = self.model.memory_layout();
        let spoiled = |index: usize| state.memory[layout.range(index)].iter().any(|z| !z.is_finite());
        self.model.forces().enumerate().find(|(index, _)| spoiled(*index)).map(|(_, (name, _))| name.to_owned())
    }

    /// How many contacts carry force: those where the impulse alone would part the bodies faster than they do, w λ_n > u_n with
    /// w = 1/m_A + 1/m_B.
    fn active_contacts(&self, assembly: &Assembly, solution: &Solution) -> usize {
        let carries = |(contact, &row): (&Contact, &usize)| {
            // Weights of a skin's nodes change little in a step.
            let supports = Support::both(&self.model, &self.state.nodes, contact);
            let mobility: f64 = supports.iter().map(|support| support.mobility(&self.model)).sum();
            mobility * solution.impulse()[row] > solution.relative_velocity[row]
        };
        self.contacts_before.iter().zip(&assembly.contact_rows).filter(|pair| carries(*pair)).count()
    }
}

/// Work of the impulses of a step that started with the velocities `before` and gained this much energy.
fn work_of(assembly: &Assembly, solution: &Solution, before: Vec<f64>, gained: f64) -> Work {
    let mut mean = before;
    mean.iter_mut().zip(solution.velocity()).for_each(|(v, after)| *v = 0.5 * (*v + after));
    let mut rates = vec![0.0; assembly.problem.row_count()];
    assembly.problem.rows().mul(&mean, &mut rates);
    let work = |rows: std::ops::Range<usize>| -> f64 {
        solution.impulse()[rows.clone()].iter().zip(&rates[rows]).map(|(g, rate)| g * rate).sum()
    };
    let (joints, contacts) = (work(0..assembly.joint_rows), work(assembly.joint_rows..rates.len()));
    Work { contacts, joints, rest: gained - contacts - joints }
}

/// The first of two stages gives about half of a step's impulses.
fn halved(mut start: Iterate) -> Iterate {
    start.impulse.iter_mut().for_each(|impulse| *impulse *= 0.5);
    start
}
