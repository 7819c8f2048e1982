//! The one-call door: a problem and settings in, a solution out.

use crate::cone::Cone;
use crate::convex::ConvexSolver;
use crate::driver::{self, Iteration, Measured, Step};
use crate::friction::{FrictionLaw, exact, lagged};
use crate::method::Method;
use crate::method::auto::{Auto, Choice};
use crate::report::{Attempt, Iterate, Status};
use crate::residual::ResidualMeter;
use crate::session::continued;
use crate::settings::{Control, SolverSettings};
use crate::{ConeProblem, Solution, SolveError};
use signorini_linalg::Threads;
use std::time::Instant;

/// Solves a problem from a cold start.
///
/// # Errors
/// Settings out of range, a method that cannot take the problem, or a system that cannot be set up. Stopping early is not
/// an error: see [`crate::Report::status`].
pub fn solve(problem: &ConeProblem, settings: &SolverSettings) -> Result<Solution, SolveError> {
    solve_with(problem, settings, &Control::default())
}

/// Solves a problem with a warm start or a way to interrupt.
///
/// # Errors
/// As [`solve`], and a warm start of the wrong size.
pub fn solve_with(
    problem: &ConeProblem,
    settings: &SolverSettings,
    control: &Control<'_>,
) -> Result<Solution, SolveError> {
    let started = Instant::now();
    settings.check()?;
    control.check(problem)?;
    // Without friction all laws are one, and the convex one needs no fixed point. A matrix that was mended is another matter.
    let law_matters = problem.cones().iter().any(Cone::has_friction) || problem.as_given().is_some();
    if settings.friction != FrictionLaw::Relaxed && !law_matters {
        let relaxed = SolverSettings { friction: FrictionLaw::Relaxed, ..settings.clone() };
        return solve_with(problem, &relaxed, control);
    }
    let Some(facets) = settings.facets else { return solve_given(problem, settings, control, started) };
    let pyramids = problem.with_pyramids(facets)?;
    let warm = control.warm.map(|warm| pyramids.import(warm));
    let control = Control { warm: warm.as_ref(), ..*control };
    let solution = solve_given(pyramids.problem(), settings, &control, started)?;
    Ok(pyramids.export(problem, solution))
}

/// Solves the problem with the cones it has.
fn solve_given(
    problem: &ConeProblem,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    settings.method.accept(problem)?;
    let mut meter = meter_of(problem, settings)?;
    if let Some(solution) = warm_start_that_solves(&mut meter, settings, control, started) {
        return Ok(solution);
    }
    match &settings.method {
        Method::Auto(auto) => solve_automatically(meter, auto, settings, control, started),
        _ => solve_by_method(meter, settings, control, started),
    }
}

/// A meter that uses threads only if they are allowed.
fn meter_of<'a>(problem: &'a ConeProblem, settings: &SolverSettings) -> Result<ResidualMeter<'a>, SolveError> {
    let mut meter = ResidualMeter::new(problem)?;
    meter.delassus().set_threads(if settings.parallel { Threads::Pool } else { Threads::One });
    Ok(meter)
}

/// The warm start, where that is good enough as it is: nothing needs to be set up then.
fn warm_start_that_solves(
    meter: &mut ResidualMeter<'_>,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Option<Solution> {
    let problem = meter.delassus().problem();
    let warm = control.warm?;
    // Exact and as given: the answer is that of another matrix. Stopping by another rule: the residual says nothing.
    let mended = settings.friction != FrictionLaw::Relaxed && problem.as_given().is_some();
    if mended || settings.method.stops_by_another_rule() || settings.method.ignores_warm_start() {
        return None;
    }
    // De Saxcé's term of the lagged law is that of the warm start: there the two laws are one.
    meter.set_law(if settings.friction == FrictionLaw::Relaxed { FrictionLaw::Relaxed } else { FrictionLaw::Exact });
    let limits = settings.limits(control, 0);
    let solution = driver::run(settings.method.name(), &mut Unchanged(warm), meter, &limits, started);
    meter.set_law(FrictionLaw::Relaxed);
    (solution.report.status == Status::Converged).then_some(solution)
}

/// An iterate that stays what it is.
struct Unchanged<'a>(&'a Iterate);

impl Iteration for Unchanged<'_> {
    fn advance(&mut self, _: &Measured) -> Step {
        Step::Stalled("nothing is changed")
    }
    fn export(&self, out: &mut Iterate) {
        out.impulse.copy_from_slice(&self.0.impulse);
    }
    fn impulses_only(&self) -> bool {
        true
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "warm-start"
    }
}

fn solve_by_method(
    meter: ResidualMeter<'_>,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    match settings.friction {
        FrictionLaw::Relaxed => ConvexSolver::new(meter, settings, started)?.solve(settings, control),
        FrictionLaw::Lagged => lagged::solve(meter, settings, control, started),
        FrictionLaw::Exact => exact::solve(meter, settings, control, started),
    }
}

/// Tries the methods of the plan until one does not fail; the report says which ones ran and why.
fn solve_automatically(
    meter: ResidualMeter<'_>,
    auto: &Auto,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    let mut meter = meter;
    let problem = meter.delassus().problem();
    let free_speed = meter.free_norm() / (problem.blocks().max(1) as f64).sqrt();
    let (plan, mut reason) = auto.plan(problem, settings, free_speed);
    let mut first_meter = Some(meter);
    let mut best: Option<Solution> = None;
    let (mut attempts, mut failure, mut given_up) = (Vec::new(), None, false);
    for Choice { method, limit } in plan {
        let done = best.as_ref().map_or(0, |solution| solution.report.iterations);
        let left = settings.max_iterations.map(|limit| limit.saturating_sub(done));
        let max_iterations = left.into_iter().chain(limit).min();
        let chosen = SolverSettings { method, max_iterations, ..settings.clone() };
        let meter = match first_meter.take() {
            Some(meter) => meter,
            None => meter_of(problem, settings)?,
        };
        // What a method reached that was given up is where the next one starts.
        let reached = best.as_ref().filter(|_| given_up).map(|solution| &solution.iterate);
        let control = Control { warm: reached.or(control.warm), ..*control };
        // One clock for all attempts.
        let solution = match solve_by_method(meter, &chosen, &control, started) {
            Ok(solution) => solution,
            // Out of memory, for one: another method may need less.
            Err(error @ (SolveError::Memory | SolveError::Factorisation | SolveError::WrittenOut { .. })) => {
                reason = "the method before could not be set up";
                failure = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let (status, residual) = (solution.report.status, solution.report.residuals.natural_map_relative);
        let name = chosen.method.name();
        attempts.push(Attempt { method: name, reason, status, iterations: solution.report.iterations, residual });
        let limit_of_user = settings.max_iterations.is_some_and(|limit| done + solution.report.iterations >= limit);
        best = Some(match best {
            None => solution,
            Some(first) => continued(first, solution),
        });
        reason = "the method before did not reach the tolerance";
        given_up = limit.is_some() && status == Status::IterationLimit;
        if !matches!(status, Status::Stalled(_) | Status::IterationLimit) || limit_of_user {
            break;
        }
    }
    let mut solution = best.ok_or(failure.unwrap_or(SolveError::Factorisation))?;
    solution.report.attempts = attempts;
    Ok(solution)
}
