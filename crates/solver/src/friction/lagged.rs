//! The lagged law: one convex problem with de Saxcé's term of the step before.

use crate::convex::ConvexSolver;
use crate::report::{Solution, Status};
use crate::residual::ResidualMeter;
use crate::session::continued;
use crate::settings::{Control, SolverSettings};
use crate::{ConeProblem, SolveError};
use std::time::Instant;

/// Solves with s from the slip of the warm start; without one, from that of the relaxed answer.
pub(crate) fn solve(
    mut meter: ResidualMeter<'_>,
    settings: &SolverSettings,
    control: &Control<'_>,
    started: Instant,
) -> Result<Solution, SolveError> {
    let problem = meter.delassus().problem();
    let mut extra = vec![0.0; problem.row_count()];
    if let Some(warm) = control.warm {
        meter.measure(&warm.velocity, &warm.impulse);
        dilations(problem, meter.relative_velocity(), &mut extra);
    }
    let mut convex = ConvexSolver::new(meter, settings, started)?;
    let mut solution = match control.warm {
        Some(_) => {
            convex.set_extra(&extra);
            convex.solve(settings, control)?
        }
        None => {
            let relaxed = convex.solve(settings, control)?;
            dilations(problem, &relaxed.relative_velocity, &mut extra);
            convex.set_extra(&extra);
            let warm = Control { warm: Some(&relaxed.iterate), ..*control };
            let left = settings.iteration_limit().saturating_sub(relaxed.report.iterations);
            let rest = SolverSettings { max_iterations: Some(left), ..settings.clone() };
            let first = relaxed.report.clone();
            let second = convex.solve(&rest, &warm)?;
            // The answer is the second one's, whatever the first reached: they solve different problems.
            let mut solution = Solution { report: continued(relaxed, second.clone()).report, ..second.clone() };
            (solution.report.residuals, solution.report.objective) = (second.report.residuals, second.report.objective);
            if first.status != Status::Converged && solution.report.status == Status::Converged {
                // The slip is not that of a relaxed answer.
                solution.report.status = first.status;
            }
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
