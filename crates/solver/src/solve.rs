//! The one-call door: a problem and settings in, a solution out.

use crate::change::Change;
use crate::limits::Limits;
use crate::settings::{Control, SolverSettings};
use crate::solver::SolverCore;
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

/// Solves a problem with a warm start or a way to interrupt. Who solves many keeps a [`crate::Solver`].
///
/// # Errors
/// As [`solve`], and a warm start of the wrong size.
pub fn solve_with(
    problem: &ConeProblem,
    settings: &SolverSettings,
    control: &Control<'_>,
) -> Result<Solution, SolveError> {
    let started = Instant::now();
    settings.validate()?;
    let limits = Limits { cancel: control.cancel, ..Limits::default() };
    let (mut core, mut solution) = (SolverCore::default(), Solution::empty(settings.tolerance));
    core.solve(problem, Change::Everything, settings, control.warm, &limits, started, &mut solution)?;
    Ok(solution)
}
