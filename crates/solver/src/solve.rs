//! The one-call door: a problem and settings in, a solution out.

use crate::convex::ConvexSolver;
use crate::friction::{FrictionLaw, exact, lagged};
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
    match settings.friction {
        FrictionLaw::Relaxed => ConvexSolver::new(problem, settings, started)?.solve(settings, control),
        FrictionLaw::Lagged => lagged::solve(problem, settings, control, started),
        FrictionLaw::Exact => exact::solve(problem, settings, control, started),
    }
}
