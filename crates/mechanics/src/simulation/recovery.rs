//! Undoing overlaps where that contradicts other constraints: a box too small for what is in it.
//!
//! The answer that violates all constraints least shows how fast each overlap can be undone; that is then asked for, or a share of
//! it. Only the convex law can tell that a problem has no solution, and Coulomb's law has one wherever the convex one has: so deep
//! overlaps are tried with the convex law first.

use super::Simulation;
use crate::stepper::dvi::Assembly;
use crate::{StepError, StepTimings};
use signorini_solver::{FrictionLaw, InteriorPoint, Solution, SolverSettings, Status, Tolerance};
use std::sync::atomic::AtomicBool;

/// Shares tried, in turn, of the speeds at which overlaps can be undone as far as one can see.
const RECOVERY_SHARES: [f64; 4] = [0.999, 0.9, 0.5, 0.0];
/// How accurately the convex problem is solved that only has to tell whether there is a solution.
const SCOUT_TOLERANCE: Tolerance = Tolerance::Relative(1e-3);
/// Where the tolerance is no speed, overlaps are deep that are undone faster than this share of the recovery speed.
const DEEP_SHARE: f64 = 1e-3;

impl Simulation {
    /// Solves the step; also returns which share of the recovery speeds was possible.
    pub(super) fn solve_with_recovery(
        &self,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<(Assembly, Solution, f64), StepError> {
        if self.settings.friction != FrictionLaw::Relaxed && self.has_deep_overlap() {
            let assembly = self.assembly(&[])?;
            let settings = SolverSettings {
                method: InteriorPoint { polish: false, ..InteriorPoint::default() }.into(),
                friction: FrictionLaw::Relaxed,
                tolerance: SCOUT_TOLERANCE,
                max_iterations: None,
                ..self.solver_settings()
            };
            let scout = self.solve_problem(&assembly, &settings, None, cancel, timings)?;
            if scout.report.status == Status::Infeasible {
                return self.recover_slowly(&assembly, &scout, cancel, timings);
            }
        }
        let (assembly, solution) = self.solve(&[], cancel, timings)?;
        let overlaps = self.contacts.iter().any(|contact| contact.gap < 0.0);
        match solution.report.status == Status::Infeasible && overlaps {
            true => self.recover_slowly(&assembly, &solution, cancel, timings),
            false => Ok((assembly, solution, 1.0)),
        }
    }

    /// Whether an overlap is undone so fast that failing to do so would miss the tolerance.
    fn has_deep_overlap(&self) -> bool {
        let fastest = self.parameters.recovery_speed;
        let deep = match self.tolerance {
            Tolerance::Velocity(speed) => speed,
            Tolerance::Relative(_) => DEEP_SHARE * fastest,
        };
        self.contacts.iter().any(|contact| (-contact.gap / self.parameters.step).min(fastest) > deep)
    }

    /// Solves the step with overlaps undone as fast as `violating`, the answer that violates all constraints least, can.
    fn recover_slowly(
        &self,
        assembly: &Assembly,
        violating: &Solution,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<(Assembly, Solution, f64), StepError> {
        let offset = assembly.problem.offset();
        let (mut speeds, mut asked) = (vec![0.0; self.contacts.len()], 0.0);
        for (k, &row) in assembly.contact_rows.iter().enumerate() {
            if self.contacts[k].gap < 0.0 {
                // y = D v − b, so D v = y + b.
                speeds[k] = (violating.relative_velocity[row] + offset[row]).clamp(0.0, offset[row].max(0.0));
                asked += offset[row].max(0.0);
            }
        }
        let [first, rest @ ..] = RECOVERY_SHARES;
        let mut answer = self.solve_at(&speeds, first, asked, cancel, timings)?;
        for share in rest {
            if answer.1.report.status == Status::Converged {
                break;
            }
            answer = self.solve_at(&speeds, share, asked, cancel, timings)?;
        }
        Ok(answer)
    }

    fn solve_at(
        &self,
        speeds: &[f64],
        share: f64,
        asked: f64,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<(Assembly, Solution, f64), StepError> {
        let caps: Vec<f64> = speeds.iter().map(|speed| share * speed).collect();
        let recovery = if asked > 0.0 { caps.iter().sum::<f64>() / asked } else { 0.0 };
        let (assembly, solution) = self.solve(&caps, cancel, timings)?;
        Ok((assembly, solution, recovery))
    }
}
