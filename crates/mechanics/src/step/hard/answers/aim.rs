//! How accurately a problem is solved: as promised, and better where that costs little.

use super::speeds::Speeds;
use signorini_solver::{Iterate, Limits, Solution, SolveError, Solver, SolverSettings, Status, Tolerance};
use std::sync::atomic::AtomicBool;

/// Without a tolerance asked for, problems of up to so many rows aim at more accuracy than is promised: there a factorisation costs
/// little.
const AIM_ROWS: usize = 600;
/// The same while everything is quiet: an accurate answer of what rests holds from step to step, so that the next one begins with it and has nothing to do, where a
/// loose one leaves motions of the size of the tolerance that tall stacks add up.
const QUIET_ROWS: usize = 6_000;
/// Bodies are quiet while they are slower than so many tolerances: by default the speed that gravity gives in one step.
const QUIET: f64 = 20.0;
/// The share of the promised tolerance that such problems aim at, so that resting bodies rest.
const AIM: f64 = 4e-6;
/// Iterations that may be spent on that.
const AIM_ITERATIONS: u32 = 50;

/// What a problem is solved for. Every part of a problem that falls apart is solved for the same.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The settings, with the tolerance that is promised.
    pub(super) settings: &'a SolverSettings,
    /// Whether to aim higher where that costs little.
    pub(super) aims_higher: bool,
    /// Most iterations of all methods together.
    pub(super) in_all: Option<u32>,
    /// Set by anyone to stop.
    pub(super) cancel: Option<&'a AtomicBool>,
}

impl Asked<'_> {
    /// Solves the problem that a solver holds, whose bodies move at some speeds, from an answer to a similar one. The answer is given away; the next one is written into
    /// the memory of `spare`.
    ///
    /// # Errors
    /// No answer.
    pub(super) fn solve(
        &self,
        solver: &mut Solver,
        speeds: &Speeds<'_>,
        from: Option<&Iterate>,
        spare: Option<Solution>,
    ) -> Result<Solution, SolveError> {
        let limits = Limits { cancel: self.cancel, in_all: self.in_all, ..Limits::default() };
        if !self.is_worth_more(solver.problem().row_count(), speeds) {
            solver.solve_as(self.settings, from, &limits)?;
            return Ok(solver.take_solution(spare));
        }
        let promised = self.settings.tolerance;
        let most = self.settings.max_iterations.map_or(AIM_ITERATIONS, |limit| limit.min(AIM_ITERATIONS));
        let tolerance = promised.loosened(AIM);
        let higher = SolverSettings { tolerance, max_iterations: Some(most), ..self.settings.clone() };
        solver.solve_as(&higher, from, &limits)?;
        let mut solution = solver.take_solution(spare);
        match solution.report.status {
            Status::Interrupted => {}
            _ if promised.met(&solution.report.residuals) => solution.report.status = Status::Converged,
            Status::Infeasible => {}
            _ => {
                let (iterations, setup) = (solution.report.iterations, solution.report.timings.setup);
                let in_all = self.in_all.map(|most| most.saturating_sub(iterations));
                solver.solve_as(self.settings, Some(&solution.iterate), &Limits { in_all, ..limits })?;
                solution = solver.take_solution(Some(solution));
                solution.report.iterations += iterations;
                solution.report.timings.setup += setup;
            }
        }
        Ok(solution)
    }

    /// Whether a problem of so many rows is to be solved better than promised.
    fn is_worth_more(&self, rows: usize, speeds: &Speeds<'_>) -> bool {
        self.aims_higher
            && (rows <= AIM_ROWS
                || (rows <= QUIET_ROWS
                    && match self.settings.tolerance {
                        Tolerance::Velocity(promised) => speeds.are_at_most(QUIET * promised),
                        Tolerance::Relative(_) => false,
                    }))
    }
}
