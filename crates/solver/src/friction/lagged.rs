//! The lagged law: one convex problem with de Saxcé's term of the step before.

use crate::convex::ConvexSolver;
use crate::report::Solution;
use crate::residual::ResidualMeter;
use crate::settings::{Control, SolverSettings};
use crate::{ConeProblem, SolveError};
use std::time::Instant;

/// Solves with s from the slip of the warm start; without one, from that of the relaxed answer.
pub(crate) fn solve(
    problem: &ConeProblem,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    let mut convex = ConvexSolver::new(problem, settings, started)?;
    let mut extra = vec![0.0; problem.row_count()];
    let mut solution = match control.warm {
        Some(warm) => {
            let mut meter = ResidualMeter::new(problem)?;
            meter.measure(&warm.velocity, &warm.impulse);
            dilations(problem, meter.relative_velocity(), &mut extra);
            convex.set_extra(&extra);
            convex.solve(settings, control)?
        }
        None => {
            let relaxed = convex.solve(settings, control)?;
            dilations(problem, &relaxed.relative_velocity, &mut extra);
            convex.set_extra(&extra);
            let warm = Control { warm: Some(&relaxed.iterate), ..*control };
            let mut solution = convex.solve(settings, &warm)?;
            solution.report.iterations += relaxed.report.iterations;
            solution.report.phases.splice(0..0, relaxed.report.phases);
            solution
        }
    };
    solution.relative_velocity.iter_mut().zip(&extra).for_each(|(u, extra)| *u -= extra);
    Ok(solution)
}

/// s(u) on the normal rows, zero elsewhere.
pub(super) fn dilations(problem: &ConeProblem, u: &[f64], out: &mut [f64]) {
    for (rows, cone) in problem.each_block() {
        let first = rows.start;
        out[rows.clone()].fill(0.0);
        out[first] = cone.dilation(&u[rows]);
    }
}
