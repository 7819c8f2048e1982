//! Undoing overlaps where that contradicts other constraints: a box too small for what is in it.
//!
//! The answer that violates all constraints least shows how fast each overlap can be undone; that is then asked for, or a share of
//! it. Only the interior point and the convex law can tell that a problem has no solution, and Coulomb's law has one wherever the
//! convex one has: deep overlaps are tried that way first, and a step whose overlaps cannot be undone is solved that way.

use super::Simulation;
use crate::stepper::dvi::Assembly;
use crate::{StepError, StepTimings};
use signorini_collision::Contact;
use signorini_solver::{FrictionLaw, InteriorPoint, Solution, SolverSettings, Status, Tolerance};
use std::sync::atomic::AtomicBool;

/// Shares tried, in turn, of the speeds at which overlaps can be undone as far as one can see.
const RECOVERY_SHARES: [f64; 4] = [0.999, 0.9, 0.5, 0.0];
/// How accurately the convex problem is solved that only has to tell whether there is a solution.
const SCOUT_TOLERANCE: Tolerance = Tolerance::Relative(1e-3);
/// What jams must not shake what rests elsewhere: such steps aim at this share of the tolerance.
const RECOVERY_AIM: f64 = 1e-3;
/// Overlaps are deep that are undone at this share of the recovery speed, or faster.
const DEEP_SHARE: f64 = 0.05;

/// A problem, its answer, and the share of the recovery speeds that was asked.
pub(super) type Recovered = (Assembly, Solution, f64);

impl Simulation {
    /// Solves the step; also returns which share of the recovery speeds was possible.
    pub(super) fn solve_with_recovery(
        &self,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Recovered, StepError> {
        if self.has_deep_overlap() {
            let assembly = self.assembly(&[], timings)?;
            let scout = SolverSettings { tolerance: SCOUT_TOLERANCE, max_iterations: None, ..self.convex_settings() };
            let scout = self.solve_problem(&assembly, &scout, None, cancel, timings)?;
            if scout.report.status != Status::Converged {
                return self.recover_slowly(&assembly, &scout, cancel, timings);
            }
        }
        let (assembly, solution) = self.solve(&[], cancel, timings)?;
        let solution = self.or_least_violation(&assembly, solution, cancel, timings)?;
        let overlaps = self.contacts.iter().any(|contact| contact.gap < 0.0);
        match solution.report.status == Status::Infeasible && overlaps {
            true => self.recover_slowly(&assembly, &solution, cancel, timings),
            false => Ok((assembly, solution, 1.0)),
        }
    }

    /// The same solution; or, if it was given up because joints or overlaps contradict each other, that which violates them least.
    pub(super) fn or_least_violation(
        &self,
        assembly: &Assembly,
        solution: Solution,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Solution, StepError> {
        let gave_up = match solution.report.status {
            Status::Stalled(_) => true,
            Status::IterationLimit => self.settings.max_iterations.is_none(),
            _ => false,
        };
        if gave_up {
            // The convex law and the interior point see it.
            let convex = self.solve_problem(assembly, &self.convex_settings(), None, cancel, timings)?;
            if convex.report.status == Status::Infeasible {
                return Ok(convex);
            }
        }
        Ok(solution)
    }

    fn convex_settings(&self) -> SolverSettings {
        SolverSettings {
            method: InteriorPoint { polish: false, ..InteriorPoint::default() }.into(),
            friction: FrictionLaw::Relaxed,
            ..self.solver_settings()
        }
    }

    /// Whether hard bodies overlap by more than a step that was not solved well leaves behind, and failing to part them would miss
    /// the tolerance.
    fn has_deep_overlap(&self) -> bool {
        let fastest = self.parameters.recovery_speed;
        let deep = match self.tolerance {
            Tolerance::Velocity(speed) => speed.max(DEEP_SHARE * fastest),
            Tolerance::Relative(_) => DEEP_SHARE * fastest,
        };
        // A soft contact overlaps as its spring is pressed.
        let undone_at = |contact: &Contact| (-contact.gap / self.parameters.step).min(fastest);
        self.contacts.iter().any(|contact| undone_at(contact) > deep && self.is_hard(contact))
    }

    /// Whether a contact has no spring of its own.
    pub(super) fn is_hard(&self, contact: &Contact) -> bool {
        let [a, b] = contact.colliders.map(|collider| self.model.material_of(collider));
        self.model.contact(a, b).softness.is_none()
    }

    /// Solves the step with overlaps undone as fast as `violating`, the answer that violates all constraints least, can.
    fn recover_slowly(
        &self,
        assembly: &Assembly,
        violating: &Solution,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Recovered, StepError> {
        let offset = assembly.problem.offset();
        let (mut speeds, mut asked) = (vec![0.0; self.contacts.len()], 0.0);
        for (k, &row) in assembly.contact_rows.iter().enumerate() {
            if self.contacts[k].gap < 0.0 {
                // y = D v − b, so D v = y + b.
                speeds[k] = (violating.relative_velocity[row] + offset[row]).clamp(0.0, offset[row].max(0.0));
                asked += offset[row].max(0.0);
            }
        }
        let ratio = |answer: &Recovered| self.tolerance.ratio(&answer.1.report.residuals);
        let [first, rest @ ..] = RECOVERY_SHARES;
        let mut best = self.recover_at(first, &speeds, asked, cancel, timings)?;
        for share in rest {
            if best.1.report.status == Status::Converged {
                break;
            }
            let answer = self.recover_at(share, &speeds, asked, cancel, timings)?;
            if ratio(&answer) < ratio(&best) {
                best = answer;
            }
        }
        Ok(best)
    }

    /// Solves the step with a share of these speeds asked of its overlaps.
    fn recover_at(
        &self,
        share: f64,
        speeds: &[f64],
        asked: f64,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
    ) -> Result<Recovered, StepError> {
        let caps: Vec<f64> = speeds.iter().map(|speed| share * speed).collect();
        let recovery = if asked > 0.0 { caps.iter().sum::<f64>() / asked } else { 0.0 };
        let assembly = self.assembly(&caps, timings)?;
        let tolerance = self.tolerance.loosened(RECOVERY_AIM);
        let settings = SolverSettings { tolerance, ..self.convex_settings() };
        let mut solution = self.solve_problem(&assembly, &settings, None, cancel, timings)?;
        if self.tolerance.met(&solution.report.residuals) {
            solution.report.status = Status::Converged;
        }
        Ok((assembly, solution, recovery))
    }
}
