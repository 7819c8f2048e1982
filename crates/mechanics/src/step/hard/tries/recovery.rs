//! Undoing overlaps where that contradicts other constraints: a box too small for what is in it.
//!
//! The answer that violates all constraints least shows how fast each overlap can be undone; that is then asked for, or a share of
//! it. Only the interior point and the convex law can tell that a problem has no solution, and Coulomb's law has one wherever the
//! convex one has: deep overlaps are tried that way first, and a step whose overlaps cannot be undone is solved that way.

use super::{Answer, Ask, Judged, Learnt, Trial};
use crate::Model;
use crate::step::context::StepContext;
use crate::step::hard::answers::Answers;
use crate::step::hard::scheme::StepStart;
use crate::{State, StepError};
use signorini_collision::Contact;
use signorini_solver::{FrictionLaw, InteriorPoint, Iterate, Solution, SolverSettings, Status, Tolerance};

/// Shares tried, in turn, of the speeds at which overlaps can be undone as far as one can see.
const RECOVERY_SHARES: [f64; 4] = [0.999, 0.9, 0.5, 0.0];
/// How accurately the convex problem is solved that only has to tell whether there is a solution.
const SCOUT_TOLERANCE: Tolerance = Tolerance::Relative(1e-3);
/// What jams must not shake what rests elsewhere: such steps aim at this share of the tolerance.
const RECOVERY_AIM: f64 = 1e-3;
/// A problem that is not solved in so many iterations may have no solution, which is asked before more of them are spent.
const PATIENCE: u32 = 2_000;

/// How the problem of a try is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By the convex law and roughly: is there a solution?
    Scout,
    /// As the settings say, with a limit: what takes longer may have no solution.
    Usual,
    /// As the settings say, in all iterations that the step has left.
    Patient,
    /// By the convex law, which sees that there is no solution and then violates all constraints least.
    LeastViolation,
    /// By the convex law and accurately, with a share of the recovery speeds, by its place in the list.
    Slower(usize),
}

impl How {
    /// How a step that meets these contacts is solved first. Where deep overlaps are undone by moving bodies, their rows ask for no speed and contradict
    /// nothing.
    pub(super) fn first(start: &StepStart<'_>, near: &[Contact], parts_overlaps: bool) -> Self {
        if !parts_overlaps && has_deep_overlap(start, near) { Self::Scout } else { Self::Usual }
    }

    /// Whether its answer may be that of the step.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Usual | Self::Patient | Self::Slower(_))
    }

    /// Solves the problem that `answers` holds, of a step from a state; `from` is where the usual way may start.
    pub(crate) fn solve(
        self,
        answers: &mut Answers,
        from: impl FnOnce() -> Option<Iterate>,
        state: &State,
        cx: &mut StepContext<'_>,
    ) -> Result<Solution, StepError> {
        let convex = || convex_settings(cx);
        match self {
            Self::Usual => {
                let most = cx.iterations_left().map(|left| left.min(PATIENCE));
                answers.solve_as_promised_within(most, from().as_ref(), state, cx)
            }
            Self::Patient => answers.solve_as_promised(from().as_ref(), state, cx),
            Self::Scout => {
                let settings = SolverSettings { tolerance: SCOUT_TOLERANCE, max_iterations: None, ..convex() };
                answers.solve(&settings, None, state, cx)
            }
            Self::LeastViolation => {
                let settings = convex();
                answers.solve(&settings, None, state, cx)
            }
            Self::Slower(_) => {
                let tolerance = cx.settings.tolerance.loosened(RECOVERY_AIM);
                let settings = SolverSettings { tolerance, ..convex() };
                answers.solve(&settings, None, state, cx)
            }
        }
    }
}

/// Whether a solver gave up in a way that it also does where joints or overlaps contradict each other.
fn may_be_infeasible(status: Status, cx: &StepContext<'_>) -> bool {
    match status {
        Status::Stalled(_) => true,
        Status::IterationLimit => cx.settings.asked.max_iterations.is_none() || cx.iterations_left() > Some(0),
        _ => false,
    }
}

/// Whether an answer was given up for want of patience, and there are iterations left.
fn is_unfinished(answer: &Answer, cx: &StepContext<'_>) -> bool {
    answer.status() == Status::IterationLimit && cx.iterations_left() > Some(0)
}

/// The same solution; or, if it was given up because constraints contradict each other, that which violates them least.
pub(crate) fn least_violation(
    answers: &mut Answers,
    solution: Solution,
    state: &State,
    cx: &mut StepContext<'_>,
) -> Result<Solution, StepError> {
    if may_be_infeasible(solution.report.status, cx) {
        let convex = How::LeastViolation.solve(answers, || None, state, cx)?;
        if convex.report.status == Status::Infeasible {
            return Ok(convex);
        }
    }
    Ok(solution)
}

/// How convex problems are solved.
pub(crate) fn convex_settings(cx: &StepContext<'_>) -> SolverSettings {
    SolverSettings {
        method: InteriorPoint { polish: false, ..InteriorPoint::default() }.into(),
        friction: FrictionLaw::Relaxed,
        ..cx.solver_settings()
    }
}

/// Whether hard bodies overlap deeply.
fn has_deep_overlap(start: &StepStart<'_>, near: &[Contact]) -> bool {
    let StepStart { model, parameters, .. } = *start;
    // A soft contact overlaps as its spring is pressed.
    near.iter().any(|contact| contact.gap < -parameters.deep_overlap && is_hard(model, contact))
}

/// Whether a contact has no spring of its own.
pub(crate) fn is_hard(model: &Model, contact: &Contact) -> bool {
    let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
    model.contact(a, b).softness.is_none()
}

/// What was learnt about undoing overlaps.
#[derive(Default)]
pub(super) struct Recovery {
    /// Whether a problem of this step has had no solution: later ones are asked for that first.
    is_contradicted: bool,
    /// Whether deep overlaps are undone by moving bodies.
    parts_overlaps: bool,
    /// The usual answer that may have missed its tolerance for contradictions, while the convex law is asked.
    doubtful: Option<Box<Answer>>,
    /// How fast each overlap can be undone as far as one can see \[m/s\].
    speeds: Vec<f64>,
    /// The sum of the speeds asked for at first \[m/s\].
    asked: f64,
    /// The best answer with slower recovery.
    best: Option<Box<Answer>>,
}

impl Recovery {
    pub(super) fn new(parts_overlaps: bool) -> Self {
        Self { parts_overlaps, ..Self::default() }
    }

    /// How a step that meets these contacts is solved next.
    pub(super) fn next(&self, start: &StepStart<'_>, near: &[Contact]) -> How {
        match How::first(start, near, self.parts_overlaps) {
            How::Usual if self.is_contradicted => How::LeastViolation,
            first => first,
        }
    }

    pub(super) fn judge(
        &mut self,
        ask: &Ask<'_>,
        trial: &Trial<'_>,
        answer: Box<Answer>,
        cx: &StepContext<'_>,
    ) -> Judged {
        match ask.how {
            How::Scout if answer.status() == Status::Converged => {
                Judged::Again(Learnt::Recovery(How::Usual, Vec::new()))
            }
            How::Scout => self.slow_down(ask, trial, &answer),
            How::Usual if may_be_infeasible(answer.status(), cx) => {
                self.doubtful = Some(answer);
                Judged::Again(Learnt::Recovery(How::LeastViolation, Vec::new()))
            }
            How::Usual | How::Patient => self.settle(ask, trial, answer),
            How::LeastViolation => match self.doubtful.take() {
                // There is a solution, which more iterations may find.
                Some(usual) if answer.status() != Status::Infeasible && is_unfinished(&usual, cx) => {
                    Judged::Again(Learnt::Recovery(How::Patient, Vec::new()))
                }
                Some(usual) if answer.status() != Status::Infeasible => self.settle(ask, trial, usual),
                // Contradictions of an earlier try are gone.
                None if answer.status() != Status::Infeasible => {
                    Judged::Again(Learnt::Recovery(How::Usual, Vec::new()))
                }
                _ => self.settle(ask, trial, answer),
            },
            How::Slower(place) => self.compare(ask, place, answer, cx),
        }
    }

    /// An answer is settled unless overlaps may be why there is no solution.
    fn settle(&mut self, ask: &Ask<'_>, trial: &Trial<'_>, answer: Box<Answer>) -> Judged {
        let overlaps = ask.near.iter().any(|contact| contact.gap < 0.0);
        self.is_contradicted |= answer.status() == Status::Infeasible;
        if answer.status() == Status::Infeasible && overlaps {
            self.slow_down(ask, trial, &answer)
        } else {
            Judged::Settled(answer)
        }
    }

    /// Asks for overlaps to be undone as fast as `violating`, the answer that violates all constraints least, can.
    fn slow_down(&mut self, ask: &Ask<'_>, trial: &Trial<'_>, violating: &Answer) -> Judged {
        let offset = trial.problem.offset();
        self.speeds = vec![0.0; ask.near.len()];
        self.asked = 0.0;
        for (k, &row) in trial.layout.normals().iter().enumerate() {
            // The target of a soft contact is the force of its spring, which is not slowed down.
            if ask.near[k].gap < 0.0 && is_hard(trial.start.model, &ask.near[k]) {
                // y = D v − b, so D v = y + b.
                let speed = violating.solution.relative_velocity[row] + offset[row];
                self.speeds[k] = speed.clamp(0.0, offset[row].max(0.0));
                self.asked += offset[row].max(0.0);
            }
        }
        self.best = None;
        Judged::Again(self.slower(0))
    }

    /// Asks for a share of the speeds that seem possible.
    fn slower(&self, place: usize) -> Learnt {
        let speeds = self.speeds.iter().map(|speed| RECOVERY_SHARES[place] * speed).collect();
        Learnt::Recovery(How::Slower(place), speeds)
    }

    /// Keeps the better of the answers with slower recovery, until one has converged.
    fn compare(&mut self, ask: &Ask<'_>, place: usize, mut answer: Box<Answer>, cx: &StepContext<'_>) -> Judged {
        answer.recovery = if self.asked > 0.0 { ask.recovery_speeds.iter().sum::<f64>() / self.asked } else { 0.0 };
        let tolerance = cx.settings.tolerance;
        if tolerance.met(&answer.solution.report.residuals) {
            answer.solution.report.status = Status::Converged;
        }
        let ratio = |answer: &Answer| tolerance.ratio(&answer.solution.report.residuals);
        let is_better = match &self.best {
            Some(best) => ratio(&answer) < ratio(best),
            None => true,
        };
        if is_better {
            self.best = Some(answer);
        }
        let is_last = place + 1 == RECOVERY_SHARES.len();
        match self.best.take() {
            Some(best) if is_last || best.status() == Status::Converged => Judged::Settled(best),
            best => {
                self.best = best;
                Judged::Again(self.slower(place + 1))
            }
        }
    }
}
