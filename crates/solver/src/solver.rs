//! A solver that persists: what one solve has prepared serves the next.

use crate::change::Change;
use crate::cone::Cone;
use crate::driver::{Driver, Iteration, Measured, Step, Task};
use crate::engine::{Ask, Engine, Preparation};
use crate::first_order::FirstOrder;
use crate::friction::exact::{FixedPoint, condense};
use crate::friction::lagged::Lagged;
use crate::friction_law::FrictionLaw;
use crate::limits::{Limits, RunLimits, Tolerance};
use crate::method::Method;
use crate::method::auto::Auto;
use crate::plan::{Asked, Choice, plan};
use crate::problem::PatternName;
use crate::report::{Attempt, Iterate, Solution, Status, WARM_START};
use crate::residual::ResidualMeter;
use crate::second_order::SecondOrder;
use crate::settings::{SolverSettings, check_start};
use crate::velocity_newton::VelocityNewton;
use crate::{ConeProblem, SolveError};
use signorini_linalg::Threads;
use std::time::Instant;

/// Solves one problem after the other and keeps what the pattern allows: elimination order, symbolic analysis, layout, colours and
/// every buffer. A problem of the same pattern is solved again without one allocation, but by an LU that works on dense blocks
/// (`augmented`, large or full systems) and where H was given with a skew part, which makes another problem in every solve.
///
/// The answer depends on problem, settings and start alone, never on what was solved before: only memory and derived data are
/// kept, so that a run that was stopped goes on to the same bits.
///
/// ```
/// use signorini_solver::{Cone, ConeProblem, InteriorPoint, Limits, Solver};
/// let mut solver = Solver::new(InteriorPoint::default().into())?;
/// *solver.problem_mut() = ConeProblem::builder()
///     .diagonal_body(&[1.0]).linear(&[1.0])
///     .row(Cone::NonNegative, &[(0, 1.0)], 0.0)
///     .build()?;
/// assert!((solver.solve(None, &Limits::default())?.impulse()[0] - 1.0).abs() < 1e-9);
/// // The floor now rises at 2 m/s: only b is new. The default tolerance is 1e-8 of the free velocity, 3 m/s.
/// assert!((solver.solve_again(&[2.0])?.velocity()[0] - 2.0).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    settings: SolverSettings,
    problem: ConeProblem,
    core: SolverCore,
    /// How much of the problem is new since the last solve.
    change: Change,
    /// The answer that [`Solver::solve_again`] starts from.
    start: Iterate,
    solution: Solution,
}

impl Solver {
    /// A solver with these settings, which are checked here once.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn new(settings: SolverSettings) -> Result<Self, SolveError> {
        settings.validate()?;
        let solution = Solution::empty(settings.tolerance);
        Ok(Self {
            settings,
            problem: ConeProblem::empty(),
            core: SolverCore::default(),
            change: Change::Everything,
            start: Iterate::default(),
            solution,
        })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }
    /// The problem that is solved next.
    #[must_use]
    pub fn problem(&self) -> &ConeProblem {
        &self.problem
    }
    /// The problem that is solved next, to be written in place.
    pub fn problem_mut(&mut self) -> &mut ConeProblem {
        self.change = Change::SamePattern;
        self.core.machines.iter_mut().for_each(|machine| machine.engine.release());
        &mut self.problem
    }
    /// The last answer.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Gives the last answer away without a copy; the next one is written into the memory of `spare`, if there is one.
    pub fn take_solution(&mut self, spare: Option<Solution>) -> Solution {
        let spare = spare.unwrap_or_else(|| Solution::empty(self.settings.tolerance));
        std::mem::replace(&mut self.solution, spare)
    }

    /// Solves the problem, from an answer to a similar one if there is one.
    ///
    /// # Errors
    /// A start of the wrong size, a method that cannot take the problem, or a system that cannot be set up. Stopping early is not
    /// an error: see [`crate::Report::status`].
    pub fn solve(&mut self, start: Option<&Iterate>, limits: &Limits<'_>) -> Result<&Solution, SolveError> {
        let Self { settings, problem, core, change, solution, .. } = self;
        let change = std::mem::replace(change, Change::Nothing);
        core.solve(problem, change, settings, start, limits, Instant::now(), solution)?;
        Ok(solution)
    }

    /// Makes an answer that is almost one as accurate as the settings ask, by Newton's method in velocities alone: one sparse factor a step. Where that does not reach the
    /// tolerance the report says so, and nothing else is tried.
    ///
    /// # Errors
    /// As [`Solver::solve_as`].
    pub fn polish(
        &mut self,
        settings: &SolverSettings,
        start: &Iterate,
        limits: &Limits<'_>,
    ) -> Result<&Solution, SolveError> {
        settings.validate()?;
        let Self { problem, core, change, solution, .. } = self;
        let change = std::mem::replace(change, Change::Nothing);
        core.polish(problem, change, settings, start, limits, solution)?;
        Ok(solution)
    }

    /// Solves the same problem with other settings; what the solver has prepared for them before is used again.
    ///
    /// # Errors
    /// As [`Solver::solve`], and settings out of range.
    pub fn solve_as(
        &mut self,
        settings: &SolverSettings,
        start: Option<&Iterate>,
        limits: &Limits<'_>,
    ) -> Result<&Solution, SolveError> {
        settings.validate()?;
        let Self { problem, core, change, solution, .. } = self;
        let change = std::mem::replace(change, Change::Nothing);
        core.solve(problem, change, settings, start, limits, Instant::now(), solution)?;
        Ok(solution)
    }

    /// Solves the problem with other offsets b, from the last answer.
    ///
    /// # Errors
    /// As [`Solver::solve`], and as many offsets as there are rows.
    pub fn solve_again(&mut self, offset: &[f64]) -> Result<&Solution, SolveError> {
        self.problem.set_offset(offset)?;
        let Self { settings, problem, core, change, start, solution } = self;
        let change = match std::mem::replace(change, Change::Nothing) {
            Change::Nothing => Change::OffsetOnly,
            other => other,
        };
        std::mem::swap(start, &mut solution.iterate);
        let fits = start.impulse.len() == problem.row_count() && start.velocity.len() == problem.velocities();
        let from = fits.then_some(&*start);
        core.solve(problem, change, settings, from, &Limits::default(), Instant::now(), solution)?;
        Ok(solution)
    }
}

/// Everything a solver keeps but the problem itself.
pub(crate) struct SolverCore {
    meter: ResidualMeter,
    driver: Driver,
    /// One for each method that was used, with what it keeps.
    machines: Vec<Machine>,
    /// Counts problems: a machine that was prepared for the present one is ready.
    serial: u64,
    pattern: Option<PatternName>,
    /// Makes answers more accurate; made when that is first asked for.
    newton: Option<Box<VelocityNewton>>,
    /// The answer of an attempt that is followed by another.
    spare: Solution,
    attempts: Vec<Attempt>,
    last: Iterate,
    /// Seconds that the present solve has spent on preparing.
    setup: f64,
}

impl Default for SolverCore {
    fn default() -> Self {
        Self {
            meter: ResidualMeter::empty(),
            driver: Driver::default(),
            machines: Vec::new(),
            newton: None,
            serial: 0,
            pattern: None,
            spare: Solution::empty(Tolerance::Relative(1.0)),
            attempts: Vec::new(),
            last: Iterate::default(),
            setup: 0.0,
        }
    }
}

/// A method with its engine and what the friction laws need around it.
struct Machine {
    method: Method,
    engine: Box<dyn Engine>,
    /// Made when the law first asks for them.
    lagged: Option<Box<Lagged>>,
    fixed_point: Option<Box<FixedPoint>>,
    /// The problem, pattern and law it was last prepared for.
    prepared: Option<(u64, PatternName, FrictionLaw)>,
}

/// What one call of a solver is about.
#[derive(Clone, Copy)]
struct Call<'a> {
    problem: &'a ConeProblem,
    settings: &'a SolverSettings,
    law: FrictionLaw,
    threads: Threads,
    limits: RunLimits<'a>,
    started: Instant,
}

impl SolverCore {
    /// Solves a problem of which `change` is new since the last call; the answer goes to `out`, in the memory it has.
    #[allow(clippy::too_many_arguments)] // each is one thing the answer depends on
    pub(crate) fn solve(
        &mut self,
        problem: &ConeProblem,
        change: Change,
        settings: &SolverSettings,
        start: Option<&Iterate>,
        limits: &Limits<'_>,
        started: Instant,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        check_start(start, problem)?;
        if let Some(facets) = settings.facets {
            // Pyramids are another problem, made anew: nothing of it is kept.
            let pyramids = problem.with_pyramids(facets)?;
            let warm = start.map(|start| pyramids.import(start));
            let round = SolverSettings { facets: None, ..settings.clone() };
            let (mut core, mut answer) = (Self::default(), Solution::empty(settings.tolerance));
            let everything = Change::Everything;
            core.solve(pyramids.problem(), everything, &round, warm.as_ref(), limits, started, &mut answer)?;
            *out = pyramids.export(problem, answer);
            return Ok(());
        }
        let call = self.begin(problem, change, settings, limits, started)?;
        if call.limits.is_cancelled() {
            self.interrupted(&call, start, out);
            return Ok(());
        }
        if self.warm_start_solves(&call, start, out) {
            return Ok(());
        }
        // Impulses that are all zero say nothing about what rows will carry, and a method that goes on from them comes later than one that begins by itself. (A house of cards in its
        // first step: 17 iterations to an answer that hardly lasts, where a cold start takes 5.) The lagged law takes its slip from the velocities, the papers' rules count from any start.
        let says_something = |start: &&Iterate| {
            call.law == FrictionLaw::Lagged
                || settings.method.stops_by_another_rule()
                || start.impulse.iter().any(|impulse| *impulse != 0.0)
        };
        let start = start.filter(says_something);
        match &settings.method {
            Method::Auto(auto) => self.solve_automatically(auto, &call, start, out),
            method => {
                let most = call.limits.max_iterations.min(call.limits.in_all);
                let limits = call.limits.with_iterations(most);
                self.solve_by(method.clone(), &Call { limits, ..call }, start, out)
            }
        }
    }

    /// Takes note of a problem.
    fn begin<'a>(
        &mut self,
        problem: &'a ConeProblem,
        change: Change,
        settings: &'a SolverSettings,
        limits: &Limits<'a>,
        started: Instant,
    ) -> Result<Call<'a>, SolveError> {
        // Without friction all laws are one, and the convex one needs no fixed point. A matrix that was mended is another matter.
        let law_matters = problem.as_given().is_some() || problem.cones().iter().any(Cone::has_friction);
        let law = if law_matters { settings.friction } else { FrictionLaw::Relaxed };
        let threads = if settings.parallel { Threads::Pool } else { Threads::One };
        let limits = settings.run_limits(limits);
        settings.method.accept(problem)?;
        let is_known = self.pattern.is_some_and(|pattern| pattern.is(problem.pattern));
        let change = if is_known { change } else { Change::Everything };
        self.pattern = Some(problem.pattern);
        self.serial += u64::from(change != Change::Nothing);
        // Offsets may have been shifted by the law of the solve before.
        let of_meter = if change == Change::Nothing { Change::OffsetOnly } else { change };
        self.meter.update(problem, of_meter, threads)?;
        // The order of the blocks was found when the pattern was written.
        let ordering = problem.order().filter(|_| change == Change::Everything).map_or(0.0, |order| order.seconds);
        self.setup = started.elapsed().as_secs_f64() + ordering;
        Ok(Call { problem, settings, law, threads, limits, started })
    }

    /// Newton's method in velocities from a start.
    fn polish(
        &mut self,
        problem: &ConeProblem,
        change: Change,
        settings: &SolverSettings,
        start: &Iterate,
        limits: &Limits<'_>,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        check_start(Some(start), problem)?;
        let call = self.begin(problem, change, settings, limits, Instant::now())?;
        if self.warm_start_solves(&call, Some(start), out) {
            return Ok(());
        }
        self.meter.set_law(problem, call.law);
        let began = Instant::now();
        let newton = self.newton.get_or_insert_default();
        // Its velocities are those in balance with its impulses, as they were measured.
        let is_exact = call.law == FrictionLaw::Exact;
        newton.begin(problem, &self.meter, &out.iterate, is_exact, call.threads)?;
        self.setup += began.elapsed().as_secs_f64();
        let limits = call.limits.with_iterations(call.limits.max_iterations.min(call.limits.in_all));
        let mut task = Task { problem, meter: &mut self.meter, started: call.started, setup: self.setup };
        self.driver.run(VelocityNewton::NAME, newton.as_mut(), &mut task, &limits, out);
        self.meter.set_law(problem, FrictionLaw::Relaxed);
        Ok(())
    }

    /// What was handed in, unsolved, because the caller asked to stop during the set-up.
    fn interrupted(&mut self, call: &Call<'_>, start: Option<&Iterate>, out: &mut Solution) {
        out.reset(call.settings.method.name(), call.limits.tolerance);
        self.last.resize(call.problem);
        self.last.impulse.fill(0.0);
        let impulse = start.map_or(&self.last.impulse, |start| &start.impulse);
        let residuals = self.meter.measure_impulses(call.problem, impulse);
        out.take(&self.meter, impulse, residuals);
        out.report.status = Status::Interrupted;
        out.report.timings.setup = self.setup;
    }

    /// Whether the warm start is good enough as it is: then it is the answer, and no method needs to be set up.
    fn warm_start_solves(&mut self, call: &Call<'_>, start: Option<&Iterate>, out: &mut Solution) -> bool {
        let Some(start) = start else { return false };
        let Call { problem, settings, law, limits, started, .. } = *call;
        // Exact and as given: the answer is that of another matrix. Stopping by another rule: the residual says nothing.
        let mended = law != FrictionLaw::Relaxed && problem.as_given().is_some();
        if mended || settings.method.stops_by_another_rule() || settings.method.ignores_warm_start() {
            return false;
        }
        // De Saxcé's term of the lagged law is that of the warm start: there the two laws are one.
        let measured = if law == FrictionLaw::Relaxed { FrictionLaw::Relaxed } else { FrictionLaw::Exact };
        self.meter.set_law(problem, measured);
        let mut task = Task { problem, meter: &mut self.meter, started, setup: self.setup };
        let limits = RunLimits { tolerance: limits.start_tolerance, ..limits.with_iterations(0) };
        self.driver.run(WARM_START, &mut Unchanged { start, impulses_only: false }, &mut task, &limits, out);
        if out.report.status == Status::Converged && out.report.residuals.momentum > BALANCED {
            // They are the velocities of another state: those that follow from the impulses are the answer.
            self.driver.run(WARM_START, &mut Unchanged { start, impulses_only: true }, &mut task, &limits, out);
        }
        self.meter.set_law(problem, FrictionLaw::Relaxed);
        out.report.status == Status::Converged
    }

    /// Solves by one method.
    fn solve_by(
        &mut self,
        method: Method,
        call: &Call<'_>,
        start: Option<&Iterate>,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        if let (Some(inertia), FrictionLaw::Exact, false) =
            (call.problem.as_given(), call.law, call.problem.is_condensed())
        {
            return solve_as_given(method, call, start, inertia, out);
        }
        let at = match self.machines.iter().position(|machine| machine.method == method) {
            Some(at) => at,
            None => {
                let engine = engine_of(&method);
                let (lagged, fixed_point, prepared) = (None, None, None);
                self.machines.push(Machine { method, engine, lagged, fixed_point, prepared });
                self.machines.len() - 1
            }
        };
        let Self { machines, meter, driver, serial, setup, .. } = self;
        let ask = Ask { start, is_close: false, limits: call.limits };
        let began = Instant::now();
        machines[at].prepare(call, *serial, meter)?;
        *setup += began.elapsed().as_secs_f64();
        let mut task = Task { problem: call.problem, meter, started: call.started, setup: *setup };
        machines[at].solve(call.law, &ask, &mut task, driver, out)
    }

    /// Tries the methods of the plan until one does not fail; the report says which ones ran and why.
    fn solve_automatically(
        &mut self,
        auto: &Auto,
        call: &Call<'_>,
        start: Option<&Iterate>,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let Call { problem, law, limits, .. } = *call;
        let free_speed = self.meter.free_norm() / (problem.blocks().max(1) as f64).sqrt();
        let chosen = plan(auto, problem, &Asked { law, tolerance: limits.tolerance, free_speed });
        let mut reason = chosen.reason;
        let most = limits.max_iterations;
        // Without a limit of the user every method has its own.
        let is_limited = call.settings.max_iterations.is_some() || most != call.settings.iteration_limit();
        let (mut has_answer, mut given_up, mut failure) = (false, false, None);
        self.attempts.clear();
        for Choice { method, limit } in chosen.choices.into_iter().flatten() {
            let done = if has_answer { out.report.iterations } else { 0 };
            let left = if is_limited { most.saturating_sub(done) } else { method.usual_iterations() };
            let left = left.min(limits.in_all.saturating_sub(done));
            let max_iterations = limit.map_or(left, |limit| limit.min(left));
            let name = method.name();
            let attempt = Call { limits: limits.with_iterations(max_iterations), ..*call };
            // The best answer so far waits while another method tries.
            if has_answer {
                std::mem::swap(out, &mut self.spare);
            }
            // What a method reached that was given up is where the next one starts.
            let reached = given_up.then(|| std::mem::take(&mut self.spare.iterate));
            let outcome = self.solve_by(method, &attempt, reached.as_ref().or(start), out);
            if let Some(reached) = reached {
                self.spare.iterate = reached;
            }
            match outcome {
                Ok(()) => {}
                // Out of memory, for one: another method may need less.
                Err(
                    error @ (SolveError::Memory | SolveError::Factorisation { .. } | SolveError::WrittenOut { .. }),
                ) => {
                    if has_answer {
                        std::mem::swap(out, &mut self.spare);
                    }
                    reason = "the method before could not be set up";
                    failure = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
            }
            let report = &out.report;
            let (status, iterations) = (report.status, report.iterations);
            let residual = report.residuals.natural_map_relative;
            self.attempts.push(Attempt { method: name, reason, status, iterations, residual });
            let is_spent = (is_limited && done + iterations >= most) || done + iterations >= limits.in_all;
            if has_answer {
                out.follow(&mut self.spare);
            }
            has_answer = true;
            reason = "the method before did not reach the tolerance";
            given_up = limit.is_some() && status == Status::IterationLimit;
            if !matches!(status, Status::Stalled(_) | Status::IterationLimit) || is_spent {
                break;
            }
        }
        if !has_answer {
            return Err(failure.unwrap_or(SolveError::Factorisation { pivot: None }));
        }
        out.report.attempts.clear();
        out.report.attempts.extend_from_slice(&self.attempts);
        Ok(())
    }
}

impl Machine {
    /// Whether the method solves a law without a fixed point around it.
    fn solves_by_itself(&self, law: FrictionLaw) -> bool {
        law == FrictionLaw::Exact && self.method.solves_exact_law()
    }

    /// Prepares what is not ready.
    fn prepare(&mut self, call: &Call<'_>, serial: u64, meter: &mut ResidualMeter) -> Result<(), SolveError> {
        let Call { problem, law, threads, .. } = *call;
        let by_itself = self.solves_by_itself(law);
        let engine_law = if by_itself { FrictionLaw::Exact } else { FrictionLaw::Relaxed };
        let change = match self.prepared {
            Some((known, _, prepared)) if known == serial && prepared == engine_law => Change::Nothing,
            Some((_, pattern, _)) if pattern.is(problem.pattern) => Change::SamePattern,
            _ => Change::Everything,
        };
        // Half prepared is not prepared.
        self.prepared = None;
        if change == Change::Nothing {
            self.engine.set_offset(meter);
        } else {
            self.engine.prepare(problem, meter, Preparation { change, law: engine_law, threads })?;
        }
        if law == FrictionLaw::Exact && !by_itself {
            let is_new = self.fixed_point.is_none();
            let of_fixed_point = match change {
                _ if is_new => Change::Everything,
                Change::Nothing => Change::OffsetOnly,
                other => other,
            };
            let fixed_point = self.fixed_point.get_or_insert_with(Box::default);
            fixed_point.prepare(problem, of_fixed_point, threads)?;
        }
        self.prepared = Some((serial, problem.pattern, engine_law));
        if law == FrictionLaw::Exact {
            meter.set_law(problem, FrictionLaw::Exact);
        }
        Ok(())
    }

    /// Solves the problem it is prepared for.
    fn solve(
        &mut self,
        law: FrictionLaw,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let by_itself = self.solves_by_itself(law);
        let Self { method, engine, lagged, fixed_point, .. } = self;
        match (law, fixed_point) {
            (FrictionLaw::Exact, Some(fixed_point)) if !by_itself => {
                fixed_point.solve(method.name(), engine.as_mut(), ask, task, driver, out)
            }
            (FrictionLaw::Lagged, _) => lagged.get_or_insert_default().solve(engine.as_mut(), ask, task, driver, out),
            _ => engine.solve(ask, task, driver, out),
        }
    }
}

/// The engine of a method.
fn engine_of(method: &Method) -> Box<dyn Engine> {
    match method.dual_engine() {
        Some(engine) => Box::new(FirstOrder::new(method.name(), engine)),
        None => Box::new(SecondOrder::new(method)),
    }
}

/// Solves the exact law with H as it was given: the condensed problem, whose N need not be symmetric.
fn solve_as_given(
    method: Method,
    call: &Call<'_>,
    start: Option<&Iterate>,
    inertia: &signorini_linalg::CscMatrix,
    out: &mut Solution,
) -> Result<(), SolveError> {
    let Call { problem, settings, limits, started, .. } = *call;
    let (condensed, mut factor) = condense(problem, inertia)?;
    let start = start.map(|start| Iterate { velocity: Vec::new(), impulse: start.impulse.clone() });
    let settings = SolverSettings { method, ..settings.clone() };
    let mut core = SolverCore::default();
    core.meter.update(&condensed, Change::Everything, call.threads)?;
    core.serial = 1;
    core.pattern = Some(condensed.pattern);
    let inner = Call { problem: &condensed, settings: &settings, limits, started, ..*call };
    core.solve_by(settings.method.clone(), &inner, start.as_ref(), out)?;
    // v = H⁻¹(Jᵀg − c) with H as given.
    let velocity = &mut out.iterate.velocity;
    velocity.clear();
    velocity.extend(problem.linear_as_given().iter().map(|c| -c));
    problem.rows().mul_transpose_add(1.0, &out.iterate.impulse, velocity);
    factor.solve_in_place(velocity);
    Ok(())
}

/// The velocities of a start belong to its impulses if momentum is out of balance by no more than this.
const BALANCED: f64 = 1e-12;

/// An iterate that stays what it is.
struct Unchanged<'a> {
    start: &'a Iterate,
    impulses_only: bool,
}

impl Iteration for Unchanged<'_> {
    fn advance(&mut self, _: &Measured) -> Step {
        Step::Stalled("nothing is changed")
    }
    /// With its velocities: those that follow from impulses alone lose what heavy loads have more than light bodies.
    fn export(&self, out: &mut Iterate) {
        out.velocity.copy_from_slice(&self.start.velocity);
        out.impulse.copy_from_slice(&self.start.impulse);
    }
    fn impulses_only(&self) -> bool {
        self.impulses_only
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        WARM_START
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AcceleratedSor;
    use crate::family::{Chain, RandomProblem, SpherePacking};
    use crate::problem::in_place;

    /// Rows that lie by colour and were looked at while they were written change no answer; and a solver that was handed one problem
    /// after the other, each over the last, finds what a new one finds.
    #[test]
    fn a_problem_written_in_place_has_the_answer_of_the_one_that_was_built() {
        let mut problems: Vec<ConeProblem> = (0..3)
            .map(|seed| SpherePacking { bodies: 60, friction: 0.3, seed, ..Default::default() }.problem().unwrap())
            .collect();
        problems.push(Chain { links: 8, floor: Some(0.4), ..Default::default() }.problem().unwrap());
        problems.extend((0..8).map(|seed| {
            let softness = if seed % 2 == 0 { 0.1 } else { 0.0 };
            RandomProblem { bodies: 5, blocks: 9, softness, seed, ..Default::default() }.generate().unwrap().problem
        }));
        for law in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
            let settings =
                SolverSettings { friction: law, max_iterations: Some(500), ..AcceleratedSor::default().into() }
                    .to(Tolerance::Relative(1e-6));
            let mut kept = Solver::new(settings.clone()).unwrap();
            for (number, built) in problems.iter().enumerate() {
                let solve = |solver: &mut Solver, problem: ConeProblem| {
                    *solver.problem_mut() = problem;
                    solver.solve(None, &Limits::default()).unwrap().clone()
                };
                let expected = solve(&mut Solver::new(settings.clone()).unwrap(), built.clone());
                // Twice: the second time the pattern is known.
                for _ in 0..2 {
                    let found = solve(&mut kept, in_place(built));
                    assert_eq!(found.report.iterations, expected.report.iterations, "problem {number}, {}", law.name());
                    let size = expected.impulse().iter().fold(f64::MIN_POSITIVE, |m, g| m.max(g.abs()));
                    let apart = found.impulse().iter().zip(expected.impulse()).map(|(a, b)| (a - b).abs());
                    assert!(apart.fold(0.0, f64::max) <= 1e-9 * size, "problem {number}, {}", law.name());
                }
            }
        }
    }
}
