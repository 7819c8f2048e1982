//! A step in halves, quarters and so on, where bodies that joints hold together and contacts push find no way in one, or where bodies turn so fast that they end
//! inside each other.
//!
//! An answer whose joints are not closed is never accepted: that is what makes energy from nowhere. The whole model takes the parts, as what pushes may belong to
//! anybody. A part that is the last resort is taken whatever it finds; who has no way then stands still, by name.

use super::Hard;
use super::scheme::HardScheme;
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::report::StepReport;
use crate::step::settings::StepSettings;
use crate::{Model, State, StepError};
use signorini_collision::Contact;
use signorini_solver::Status;

/// Parts are no shorter than the step divided by two to this power.
const MOST_HALVINGS: u32 = 10;
/// Parts of a step that may find no way before the next one is the last resort, wherever it is.
const MOST_FAILURES: u32 = 120;

/// Steps are divided so often because of overlaps, at most: a radian a step becomes an eighth.
const HALVINGS_FOR_OVERLAPS: u32 = 3;

/// For which reasons a step may still be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divides {
    /// Bodies that joints hold together have no way.
    pub(super) for_joints: bool,
    /// Bodies overlap by far where it leads.
    pub(super) for_overlaps: bool,
}

/// Why a step is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Bodies that joints hold together have no way.
    Joints,
    /// Bodies overlap by far where it leads, with or without an answer.
    Overlaps { has_answer: bool },
}

impl Divides {
    /// For all of them.
    pub(super) const YES: Self = Self { for_joints: true, for_overlaps: true };
}

/// How a step in parts goes.
struct Division {
    failures: u32,
    /// Whether every part may take as many iterations as a step: none of them was without an answer so far.
    has_answers: bool,
    reports: Vec<StepReport>,
}

/// What is carried within an interval of time: impulses of joints, and contacts with theirs, in ascending order of their names.
struct Carried {
    joints: Vec<f64>,
    contacts: Vec<(Contact, (ContactId, Impulse))>,
}

impl<S: HardScheme> Hard<S> {
    /// Takes a step in parts. If it fails everything is as it was.
    pub(super) fn in_halves(
        &mut self,
        model: &Model,
        state: &mut State,
        reason: Reason,
        cx: &mut StepContext<'_>,
    ) -> Result<StepReport, StepError> {
        let kept = (self.memory.clone(), self.near.clone(), self.loaded.clone());
        let mut division = Division {
            failures: 1,
            has_answers: reason == (Reason::Overlaps { has_answer: true }),
            reports: Vec::new(),
        };
        let mut now = state.clone();
        let taken = self.two_halves(model, &mut now, cx.settings, 1, &mut division, cx);
        if let Err(error) = taken {
            (self.memory, self.near, self.loaded) = kept;
            return Err(error);
        }
        // Who is near was looked for as far as the last part goes.
        self.near = self.contacts.near(self.sleepers.acting(model), &now, cx.settings.parameters.step);
        *state = now;
        Ok(summary(division.reports, state, cx))
    }

    /// Takes the two halves of a step of `whole`.
    fn two_halves(
        &mut self,
        model: &Model,
        state: &mut State,
        whole: &StepSettings,
        halvings: u32,
        division: &mut Division,
        cx: &mut StepContext<'_>,
    ) -> Result<(), StepError> {
        let half = whole.halved();
        // Steps are counted by their own length, which the time follows from.
        state.step *= 2;
        self.memory.scale_impulses(0.5);
        let mut first = None;
        for _ in 0..2 {
            let divides = Divides {
                for_joints: halvings < MOST_HALVINGS && division.failures < MOST_FAILURES,
                for_overlaps: halvings < HALVINGS_FOR_OVERLAPS,
            };
            let previous = division.reports.last().or(cx.previous);
            let uncounted = if division.has_answers { cx.iterations } else { cx.uncounted };
            let mut part =
                StepContext { iterations: cx.iterations, uncounted, ..StepContext::new(&half, cx.cancel, previous) };
            let taken = self.whole_step(model, state, &mut part, divides)?;
            (cx.iterations, cx.uncounted) = (part.iterations, uncounted);
            cx.timings += part.timings;
            match taken {
                Ok(report) => {
                    division.has_answers &= report.status == Status::Converged;
                    division.reports.push(report);
                }
                Err(reason) => {
                    division.failures += 1;
                    division.has_answers &= reason == (Reason::Overlaps { has_answer: true });
                    self.two_halves(model, state, &half, halvings + 1, division, cx)?;
                }
            }
            match first.take() {
                None => first = Some(self.carried()),
                Some(before) => self.add_carried(before),
            }
        }
        state.step /= 2;
        Ok(())
    }

    /// What the last step has carried.
    fn carried(&self) -> Carried {
        let contacts = self.loaded.iter().copied().zip(self.memory.contacts.iter().copied()).collect();
        Carried { joints: self.memory.joints.clone(), contacts }
    }

    /// Adds what was carried before to what the last step has carried.
    fn add_carried(&mut self, before: Carried) {
        self.memory.joints.iter_mut().zip(before.joints).for_each(|(sum, more)| *sum += more);
        let mut both = self.carried().contacts;
        both.extend(before.contacts);
        both.sort_by_key(|(_, (id, _))| *id);
        both.dedup_by(|(_, (id, impulse)), (_, (kept, sum))| {
            let is_same = id == kept;
            if is_same {
                sum.linear += impulse.linear;
                sum.rolling += impulse.rolling;
            }
            is_same
        });
        (self.loaded, self.memory.contacts) = both.into_iter().unzip();
    }
}

impl StepMemory {
    /// Multiplies all impulses: those of a step of another length.
    fn scale_impulses(&mut self, factor: f64) {
        self.joints.iter_mut().for_each(|impulse| *impulse *= factor);
        for (_, impulse) in &mut self.contacts {
            impulse.linear *= factor;
            impulse.rolling *= factor;
        }
    }
}

/// One report of all parts of a step: sums, the worst of what is promised, and for the rest the state after the last part.
fn summary(parts: Vec<StepReport>, state: &State, cx: &StepContext<'_>) -> StepReport {
    let substeps = parts.len() as u32;
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else { unreachable!("a step in halves has at least two parts") };
    for part in parts {
        let worse = if part.tolerance_ratio > whole.tolerance_ratio || part.tolerance_ratio.is_nan() {
            (part.residuals, part.tolerance_ratio)
        } else {
            (whole.residuals, whole.tolerance_ratio)
        };
        let mut broken = whole.broken;
        for of_part in part.broken {
            match broken.iter_mut().find(|known| known.promise == of_part.promise) {
                Some(known) if of_part.ratio() > known.ratio() => *known = of_part,
                Some(_) => {}
                None => broken.push(of_part),
            }
        }
        let status = if whole.status == Status::Converged { part.status } else { whole.status };
        let work = whole.work.zip(part.work).map(|(a, b)| a + b);
        whole = StepReport {
            status,
            work,
            broken,
            residuals: worse.0,
            tolerance_ratio: worse.1,
            rounds: whole.rounds + part.rounds,
            contacts: whole.contacts.max(part.contacts),
            shortest_step: whole.shortest_step.min(part.shortest_step),
            recovery: whole.recovery.min(part.recovery),
            has_answer: whole.has_answer && part.has_answer,
            ..part
        };
    }
    StepReport { step: state.step, time: state.time, substeps, iterations: cx.iterations, timings: cx.timings, ..whole }
}
