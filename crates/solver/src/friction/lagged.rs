//! The lagged law: one convex problem with de Saxcé's term of the step before.

use crate::driver::{Driver, Task};
use crate::engine::{Ask, Engine};
use crate::limits::Tolerance;
use crate::report::{Solution, Status};
use crate::{ConeProblem, SolveError};

/// Room for the lagged law, kept from solve to solve.
pub(crate) struct Lagged {
    extra: Vec<f64>,
    relaxed: Solution,
}

impl Default for Lagged {
    fn default() -> Self {
        Self { extra: Vec::new(), relaxed: Solution::empty(Tolerance::Relative(1.0)) }
    }
}

impl Lagged {
    /// Solves with s from the slip of the start; without one, from that of the relaxed answer.
    pub(crate) fn solve(
        &mut self,
        engine: &mut dyn Engine,
        ask: &Ask<'_>,
        task: &mut Task<'_>,
        driver: &mut Driver,
        out: &mut Solution,
    ) -> Result<(), SolveError> {
        let Self { extra, relaxed } = self;
        extra.clear();
        extra.resize(task.problem.row_count(), 0.0);
        if let Some(start) = ask.start {
            task.meter.measure(task.problem, &start.velocity, &start.impulse);
            dilations(task.problem, task.meter.relative_velocity(), extra);
            set_extra(engine, task, extra);
            engine.solve(ask, task, driver, out)?;
        } else {
            engine.solve(ask, task, driver, relaxed)?;
            dilations(task.problem, &relaxed.relative_velocity, extra);
            set_extra(engine, task, extra);
            let left = ask.limits.max_iterations.saturating_sub(relaxed.report.iterations);
            let limits = ask.limits.with_iterations(left);
            let second = Ask { start: Some(&relaxed.iterate), limits, ..*ask };
            engine.solve(&second, task, driver, out)?;
            // The answer is the second one's, whatever the first reached: they solve different problems.
            let first = relaxed.report.status;
            relaxed.report.residuals = Default::default();
            relaxed.report.residuals.natural_map = f64::INFINITY;
            relaxed.report.residuals.natural_map_relative = f64::INFINITY;
            out.follow(relaxed);
            if first != Status::Converged && out.report.status == Status::Converged {
                // The slip is not that of a relaxed answer.
                out.report.status = first;
            }
        }
        out.relative_velocity.iter_mut().zip(&*extra).for_each(|(u, extra)| *u -= extra);
        Ok(())
    }
}

/// Adds a relative velocity to every row of the convex problem, in place of the one added before.
fn set_extra(engine: &mut dyn Engine, task: &mut Task<'_>, extra: &[f64]) {
    task.meter.delassus().set_extra(task.problem, extra);
    engine.set_offset(task.meter);
}

/// s(u) on the normal rows, zero elsewhere.
pub(super) fn dilations(problem: &ConeProblem, u: &[f64], out: &mut [f64]) {
    for (rows, cone) in problem.each_block() {
        let first = rows.start;
        out[rows.clone()].fill(0.0);
        out[first] = cone.dilation(&u[rows]);
    }
}
