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
    settings.method.accept(problem)?;
    match settings.friction {
        FrictionLaw::Relaxed => ConvexSolver::new(problem, settings, started)?.solve(settings, control),
        FrictionLaw::Lagged => lagged::solve(problem, settings, control, started),
        FrictionLaw::Exact => exact::solve(problem, settings, control, started),
    }
}
