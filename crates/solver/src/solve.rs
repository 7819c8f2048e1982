//! The one-call door: a problem and settings in, a solution out.

use crate::convex::ConvexSolver;
use crate::friction::{FrictionLaw, exact, lagged};
use crate::method::Method;
use crate::method::auto::Auto;
use crate::report::{Attempt, Status};
use crate::session::continued;
use crate::settings::{Control, SolverSettings};
use crate::{ConeProblem, Solution, SolveError};
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
    if let Method::Auto(auto) = &settings.method {
        return solve_automatically(problem, auto, settings, control, started);
    }
    match settings.friction {
        FrictionLaw::Relaxed => ConvexSolver::new(problem, settings, started)?.solve(settings, control),
        FrictionLaw::Lagged => lagged::solve(problem, settings, control, started),
        FrictionLaw::Exact => exact::solve(problem, settings, control, started),
    }
}

/// Tries the methods of the plan until one does not fail; the report says which ones ran and why.
fn solve_automatically(
    problem: &ConeProblem,
    auto: &Auto,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    let (plan, mut reason) = auto.plan(problem, settings);
    let mut best: Option<Solution> = None;
    let (mut attempts, mut failure) = (Vec::new(), None);
    for method in plan {
        let done = best.as_ref().map_or(0, |solution| solution.report.iterations);
        let max_iterations = settings.max_iterations.map(|limit| limit.saturating_sub(done));
        let chosen = SolverSettings { method, max_iterations, ..settings.clone() };
        // One clock for all attempts.
        let solution = match solve_given(problem, &chosen, control, started) {
            Ok(solution) => solution,
            // Out of memory, for one: another method may need less.
            Err(error @ (SolveError::Memory | SolveError::Factorisation)) => {
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
        if !matches!(status, Status::Stalled(_) | Status::IterationLimit) || limit_of_user {
            break;
        }
    }
    let mut solution = best.ok_or(failure.unwrap_or(SolveError::Factorisation))?;
    solution.report.attempts = attempts;
    Ok(solution)
}
