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

use super::{Answer, Judged, Learnt, Trial};
use crate::State;
use crate::flexible::LinkRow;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::step::hard::scheme::StepStart;
use signorini_solver::Status;

/// Most times a step is solved again: enough for nine digits at a tenth of a radian per step.
const ROUNDS: usize = 12;
/// A round that leaves more than this share of the violation is the last.
const WORTHWHILE: f64 = 0.5;

/// What was learnt about how joints arrive.
pub(super) struct Closing {
    /// How well joints have to hold where bodies arrive \[m, rad\]; `None` for to first order.
    tolerance: Option<f64>,
    /// The best answer and its largest violation \[m, rad\].
    best: Option<(Box<Answer>, f64)>,
    /// How often the step was solved again.
    rounds: usize,
}

impl Closing {
    pub(super) fn new(tolerance: Option<f64>) -> Self {
        Self { tolerance, best: None, rounds: 0 }
    }

    pub(super) fn judge(&mut self, trial: &Trial<'_>, answer: Box<Answer>) -> Judged {
        let Some(tolerance) = self.tolerance.filter(|_| trial.layout.joints() > 0) else {
            return Judged::Settled(answer);
        };
        let (curvature, now) = joint_curvature(trial, &answer);
        let is_last = match self.best.take() {
            None => false,
            Some((best, left)) => {
                self.rounds += 1;
                // A violation that is not a number is no improvement either.
                if answer.status() == Status::Infeasible || now >= left || now.is_nan() {
                    return self.settled(best);
                }
                now > WORTHWHILE * left || self.rounds == ROUNDS
            }
        };
        if is_last || now <= tolerance {
            return self.settled(answer);
        }
        self.best = Some((answer, now));
        Judged::Again(Learnt::JointCurvature(curvature))
    }

    /// The best answer. The next problem begins without a past.
    fn settled(&mut self, best: Box<Answer>) -> Judged {
        *self = Self::new(self.tolerance);
        Judged::Settled(best)
    }
}

/// κ of every joint row from an answer, and the largest violation where its bodies arrive \[m or rad\].
fn joint_curvature(trial: &Trial<'_>, answer: &Answer) -> (Vec<f64>, f64) {
    let StepStart { model, state, parameters, .. } = trial.start;
    let (h, next) = (parameters.step, &answer.next);
    // y = C v − b, so C v = y + b.
    let speed = |row: usize| answer.solution.relative_velocity[row] + trial.problem.offset()[row];
    let (mut from, mut to) = ([Row::ZERO; MAX_ROWS], [Row::ZERO; MAX_ROWS]);
    let mut curvature = Vec::with_capacity(trial.layout.joints());
    let mut worst = 0.0_f64;
    for (_, joint) in model.joints() {
        let evaluate = |state: &State, rows: &mut [Row]| {
            let poses = joint.bodies().map(|body| &state.poses[body.index()]);
            joint.evaluate(poses, next.time, rows);
        };
        let count = joint.rows();
        evaluate(state, &mut from[..count]);
        evaluate(next, &mut to[..count]);
        for (from, to) in from[..count].iter().zip(&to[..count]) {
            let linear = from.value + h * speed(curvature.len());
            curvature.push(to.value - linear);
            let violation = match to.kind {
                RowKind::Equal => to.value.abs(),
                // What was violated before is undone at the recovery speed, not by this.
                RowKind::AtLeastZero => (linear.min(0.0) - to.value).max(0.0),
            };
            worst = if violation.is_nan() { f64::NAN } else { worst.max(violation) };
        }
    }
    let mut room = LinkRow::default();
    for (_, link) in model.links() {
        let first = curvature.len();
        link.evaluate(model, &state.poses, &state.nodes, next.time, &mut room, |row| {
            let speed = speed(curvature.len());
            curvature.push(-(row.value + h * speed));
        });
        let mut at = first;
        link.evaluate(model, &next.poses, &next.nodes, next.time, &mut room, |row| {
            curvature[at] += row.value;
            worst = if row.value.is_nan() { f64::NAN } else { worst.max(row.value.abs()) };
            at += 1;
        });
    }
    (curvature, worst)
}
