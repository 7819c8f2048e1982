//! Joints that hold at the end of a step, not only to first order.
//!
//! A step keeps Ψ(q, t + h) + h C(q) v = 0; where the bodies arrive, Ψ(q ⊕ h v, t + h) is what the motion is bent by, about
//! ½ (hω)² l. With that put into the rows,
//!
//! ```text
//! κ = Ψ(q ⊕ h v, t + h) − [Ψ(q, t + h) + h C v],    C v⁺ = −(Ψ + κ)/h   (≥ for limits and ropes)
//! ```
//!
//! and the step solved again, what is left shrinks by about hω each time. The directions of the impulses stay those of the start
//! of the step and the impulses are part of its balance of momentum, so that the motion is that of SHAKE: no energy drifts away.

use super::Simulation;
use crate::flexible::LinkRow;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::stepper::dvi::Assembly;
use crate::{State, StepError, StepTimings};
use signorini_solver::{Solution, Status};
use std::sync::atomic::AtomicBool;

/// Most times a step is solved again: enough for nine digits at a tenth of a radian a step.
const ROUNDS: usize = 12;
/// A round that leaves more than this share of the violation is the last.
const WORTHWHILE: f64 = 0.5;

impl Simulation {
    /// Solves the step until joints hold within the tolerance where the bodies arrive, if one is asked for.
    pub(super) fn solve_closed(
        &mut self,
        cancel: Option<&AtomicBool>,
        timings: &mut StepTimings,
        iterations: &mut u32,
    ) -> Result<(Assembly, Solution, f64), StepError> {
        self.bending.clear();
        let mut best = self.solve_with_recovery(cancel, timings)?;
        *iterations += best.1.report.iterations;
        let Some(tolerance) = self.joint_tolerance().filter(|_| best.0.joint_rows > 0) else { return Ok(best) };
        let mut left = self.bend(&best);
        for _ in 0..ROUNDS {
            if left <= tolerance {
                break;
            }
            let answer = self.solve_with_recovery(cancel, timings);
            // The bending belongs to this step, whatever comes of it.
            let answer = answer.inspect_err(|_| self.bending.clear())?;
            *iterations += answer.1.report.iterations;
            if matches!(answer.1.report.status, Status::Infeasible) {
                break;
            }
            let now = self.bend(&answer);
            // A violation that is not a number is no improvement either.
            if now >= left || now.is_nan() {
                break;
            }
            let is_last = now > WORTHWHILE * left;
            (best, left) = (answer, now);
            if is_last {
                break;
            }
        }
        self.bending.clear();
        Ok(best)
    }

    /// Sets κ of every joint row from an answer; returns the largest violation where its bodies arrive \[m or rad\].
    fn bend(&mut self, (assembly, solution, _): &(Assembly, Solution, f64)) -> f64 {
        let h = self.parameters.step;
        let next = self.moved(solution.velocity());
        let (mut from, mut to) = ([Row::ZERO; MAX_ROWS], [Row::ZERO; MAX_ROWS]);
        self.bending.clear();
        let mut worst = 0.0_f64;
        for (_, joint) in self.model.joints() {
            let evaluate = |state: &State, rows: &mut [Row]| {
                let poses = joint.bodies().map(|body| &state.poses[body.index()]);
                joint.evaluate(poses, next.time, rows);
            };
            let count = joint.rows();
            evaluate(&self.state, &mut from[..count]);
            evaluate(&next, &mut to[..count]);
            for (from, to) in from[..count].iter().zip(&to[..count]) {
                let row = self.bending.len();
                // y = C v − b, so C v = y + b.
                let speed = solution.relative_velocity[row] + assembly.problem.offset()[row];
                let linear = from.value + h * speed;
                self.bending.push(to.value - linear);
                let violation = match to.kind {
                    RowKind::Equal => to.value.abs(),
                    // What was violated before is undone at the recovery speed, not by this.
                    RowKind::AtLeastZero => (linear.min(0.0) - to.value).max(0.0),
                };
                worst = if violation.is_nan() { f64::NAN } else { worst.max(violation) };
            }
        }
        let mut room = LinkRow::default();
        let Self { model, state, bending, .. } = self;
        for (_, link) in model.links() {
            let first = bending.len();
            link.evaluate(model, &state.poses, &state.nodes, next.time, &mut room, |row| {
                let speed = solution.relative_velocity[bending.len()] + assembly.problem.offset()[bending.len()];
                bending.push(-(row.value + h * speed));
            });
            let mut at = first;
            link.evaluate(model, &next.poses, &next.nodes, next.time, &mut room, |row| {
                bending[at] += row.value;
                worst = if row.value.is_nan() { f64::NAN } else { worst.max(row.value.abs()) };
                at += 1;
            });
        }
        worst
    }
}
