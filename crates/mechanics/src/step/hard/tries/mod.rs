//! The tries of one step: what each asks, and the one place where their answers are judged.
//!
//! An answer may teach that the step has to be solved again with something else in its problem. From the inside out:
//!
//! 1. overlaps cannot all be undone at once: ask for slower recovery ([`recovery`]);
//! 2. joints gape where the bodies arrive: ask with the curvature of their motion ([`closing`]);
//! 3. elastic forces do not balance where nodes arrive: linearise them there ([`elastic`]);
//! 4. bodies have met that were not in the problem, or with other points: put these into it ([`late`]).
//!
//! A judge sees only answers that those before it have nothing more to ask of. Whether the last answer keeps what the step promises is
//! judged at the end of the step, by [`crate::promise`].

mod closing;
mod elastic;
mod late;
mod passing;
mod recovery;
mod ways;

use super::layout::RowLayout;
use super::scheme::StepStart;
use crate::dynamics::contact::finder::ContactFinder;
use crate::step::context::{StepContext, timed};
use crate::step::usable::check_next;
use crate::{State, StepError, Vec3};
use closing::Closing;
use elastic::Elastic;
use late::LateContacts;
pub(crate) use late::late_feature;
use recovery::Recovery;
pub(crate) use recovery::{How, convex_settings, is_hard, least_violation};
use signorini_collision::Contact;
use signorini_solver::{ConeProblem, Solution, Status};
use std::borrow::Cow;

/// What a try asks.
pub(crate) struct Ask<'a> {
    /// Contacts of the problem, in ascending order.
    pub(crate) near: Cow<'a, [Contact]>,
    /// Where elements of flexible bodies are linearised; empty for where the step starts.
    pub(crate) guess: Vec<Vec3>,
    /// κ of every joint row \[m, rad\]; empty for none.
    pub(crate) joint_curvature: Vec<f64>,
    /// Speeds at which overlaps of contacts are undone, at most \[m/s\]; empty for the usual one.
    pub(crate) recovery_speeds: Vec<f64>,
    /// How the problem is solved.
    pub(crate) how: How,
    /// Whether contacts rebound.
    pub(crate) rebounds: bool,
}

impl Ask<'_> {
    /// The same contacts without their rebounds.
    pub(crate) fn without_rebounds(&self) -> Ask<'_> {
        Ask {
            near: Cow::Borrowed(&self.near),
            guess: self.guess.clone(),
            joint_curvature: self.joint_curvature.clone(),
            recovery_speeds: self.recovery_speeds.clone(),
            how: self.how,
            rebounds: false,
        }
    }
}

/// An answer and where it leads.
pub(crate) struct Answer {
    pub(crate) solution: Solution,
    /// q ⊕ h v.
    pub(crate) next: State,
    /// Share of the recovery speeds that was asked for.
    pub(crate) recovery: f64,
}

impl Answer {
    pub(crate) fn new(solution: Solution, next: State) -> Self {
        Self { solution, next, recovery: 1.0 }
    }

    fn status(&self) -> Status {
        self.solution.report.status
    }
}

/// An answer in its problem.
pub(crate) struct Trial<'a> {
    pub(crate) start: StepStart<'a>,
    pub(crate) problem: &'a ConeProblem,
    pub(crate) layout: &'a RowLayout,
}

/// What an answer has taught: what the next try asks otherwise.
pub(crate) enum Learnt {
    /// To be solved in another way, overlaps being undone no faster than these speeds.
    Recovery(How, Vec<f64>),
    /// κ.
    JointCurvature(Vec<f64>),
    /// Where nodes arrive.
    Guess(Vec<Vec3>),
    /// All contacts of the step, and the answer without those it has brought to light.
    Contacts(Vec<Contact>, Box<Answer>),
}

/// What one judge says.
enum Judged {
    /// It has nothing more to ask of this answer.
    Settled(Box<Answer>),
    Again(Learnt),
}

/// An answer that is final.
pub(crate) struct Accepted {
    pub(crate) answer: Box<Answer>,
    /// Contacts of the state it leads to.
    pub(crate) found: Vec<Contact>,
}

/// What all judges say.
pub(crate) enum Verdict {
    Accept(Accepted),
    Again(Learnt),
}

/// The tries of one step.
pub(crate) struct Tries<'a> {
    pub(crate) ask: Ask<'a>,
    recovery: Recovery,
    closing: Closing,
    elastic: Elastic,
    late: LateContacts,
}

impl<'a> Tries<'a> {
    /// The first try of a step that meets these contacts. The stepper may close joints and undo deep overlaps by itself.
    pub(crate) fn new(
        start: &StepStart<'_>,
        near: &'a [Contact],
        (is_closed, parts_overlaps): (bool, bool),
        contacts: &mut ContactFinder,
        cx: &mut StepContext<'_>,
    ) -> Self {
        // A stepper of the papers keeps all its contacts.
        let sorted = is_closed.then(|| timed(&mut cx.timings.collision, || passing::sorted(start, near, contacts)));
        let (near, doubted) = match sorted.flatten() {
            None => (Cow::Borrowed(near), Vec::new()),
            Some((kept, doubted)) => (Cow::Owned(kept), doubted),
        };
        let asked = &cx.settings.asked;
        Self {
            ask: Ask {
                how: How::first(start, &near, parts_overlaps),
                near,
                guess: Vec::new(),
                joint_curvature: Vec::new(),
                recovery_speeds: Vec::new(),
                rebounds: true,
            },
            recovery: Recovery::new(parts_overlaps),
            closing: Closing::new(asked.joint_tolerance.filter(|_| !is_closed)),
            elastic: Elastic::new(start.model, asked.flexible_iterations),
            late: LateContacts::new(doubted, !parts_overlaps),
        }
    }

    /// How often the step was taken again with more contacts.
    pub(crate) fn rounds(&self) -> u32 {
        self.late.rounds()
    }

    /// Whether bodies overlap by far in the last answer, as they turn too fast for the linear problem of such a step.
    pub(crate) fn is_deep(&self) -> bool {
        self.late.is_deep()
    }

    /// Judges whether an answer is the last, or what the next try has to ask otherwise.
    ///
    /// # Errors
    /// A state that nothing can go on from.
    pub(crate) fn judge(
        &mut self,
        trial: &Trial<'_>,
        answer: Answer,
        contacts: &mut ContactFinder,
        cx: &mut StepContext<'_>,
    ) -> Result<Verdict, StepError> {
        let StepStart { model, state, parameters, .. } = trial.start;
        cx.iterations += answer.solution.report.iterations;
        let answer = match self.recovery.judge(&self.ask, trial, Box::new(answer), cx) {
            Judged::Settled(answer) => answer,
            Judged::Again(learnt) => return Ok(Verdict::Again(learnt)),
        };
        let answer = match self.closing.judge(trial, answer) {
            Judged::Settled(answer) => answer,
            Judged::Again(learnt) => return Ok(Verdict::Again(learnt)),
        };
        let answer = match self.elastic.judge(&self.ask, trial, answer) {
            Judged::Settled(answer) => answer,
            Judged::Again(learnt) => return Ok(Verdict::Again(learnt)),
        };
        check_next(model, state, &answer.next)?;
        let found = timed(&mut cx.timings.collision, || contacts.near(model, &answer.next, parameters.step));
        let answer = match self.late.judge(&self.ask, trial, answer, &found, contacts, cx) {
            Judged::Settled(answer) => answer,
            Judged::Again(learnt) => return Ok(Verdict::Again(learnt)),
        };
        Ok(Verdict::Accept(Accepted { answer, found }))
    }

    /// Puts what was learnt into the next try. What a judge further inside has learnt about an older problem is forgotten.
    pub(crate) fn learn(&mut self, learnt: Learnt, start: &StepStart<'_>) {
        let ask = &mut self.ask;
        (ask.how, ask.recovery_speeds) = match learnt {
            Learnt::Recovery(how, speeds) => (how, speeds),
            Learnt::JointCurvature(curvature) => {
                ask.joint_curvature = curvature;
                (self.recovery.next(start, &ask.near), Vec::new())
            }
            Learnt::Guess(guess) => {
                ask.guess = guess;
                ask.joint_curvature.clear();
                (self.recovery.next(start, &ask.near), Vec::new())
            }
            Learnt::Contacts(contacts, _) => {
                ask.near = Cow::Owned(contacts);
                ask.joint_curvature.clear();
                (self.recovery.next(start, &ask.near), Vec::new())
            }
        };
    }
}
