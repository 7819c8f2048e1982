//! The same problems solved by every method, to the same residual: a fairer comparison than runs that part ways.

use super::solvers::{self, Solver};
use crate::Context;
use anyhow::Context as _;
use signorini_solver::{ConeProblem, Control, SolveError, Status, solve_with};
use std::time::Instant;

/// One method on the kept problems.
pub(super) struct Replay {
    pub(super) solver: Solver,
    /// Seconds, iterations and residual of every problem; seconds are a lower bound where the residual was not reached.
    pub(super) solves: Vec<Solved>,
}

/// One solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    pub(super) time: f64,
    pub(super) rows: usize,
    pub(super) seconds: f64,
    pub(super) iterations: u32,
    pub(super) residual: f64,
    pub(super) reached: bool,
}

impl Replay {
    /// Solves all problems; none for longer than the limit \[s\].
    pub(super) fn of(
        context: &Context<'_>,
        solver: &Solver,
        problems: &[(f64, ConeProblem)],
        time_limit: f64,
    ) -> anyhow::Result<Self> {
        let mut solves = Vec::new();
        for (time, problem) in problems {
            context.at(&format!("{}, problem of t = {time:.2} s", solver.name))?;
            let settings = solvers::settings(solver.method.clone(), time_limit);
            let started = Instant::now();
            let solved = solve_with(problem, &settings, &Control { cancel: Some(context.stop), ..Control::default() });
            let seconds = started.elapsed().as_secs_f64();
            let (iterations, residual, reached) = match solved {
                Ok(solution) => {
                    let report = &solution.report;
                    (report.iterations, report.residuals.natural_map_relative, report.status == Status::Converged)
                }
                // As in the paper: out of memory is a result.
                Err(SolveError::Memory) => (0, f64::NAN, false),
                Err(error) => return Err(error).with_context(|| solver.name.to_owned()),
            };
            solves.push(Solved { time: *time, rows: problem.row_count(), seconds, iterations, residual, reached });
        }
        // A solve that was stopped is no result.
        context.at(solver.name)?;
        Ok(Self { solver: solver.clone(), solves })
    }

    pub(super) fn mean_seconds(&self) -> f64 {
        self.solves.iter().map(|solved| solved.seconds).sum::<f64>() / self.solves.len().max(1) as f64
    }

    pub(super) fn mean_iterations(&self) -> f64 {
        self.solves.iter().map(|solved| f64::from(solved.iterations)).sum::<f64>() / self.solves.len().max(1) as f64
    }

    pub(super) fn reached(&self) -> usize {
        self.solves.iter().filter(|solved| solved.reached).count()
    }
}
