//! Steps with hard contacts: every step is a cone problem.

pub(crate) mod answers;
pub(crate) mod books;
mod divided;
pub(crate) mod euler;
mod groups;
mod island;
pub(crate) mod layout;
mod parting;
pub(crate) mod passive;
pub(crate) mod rattle;
mod recall;
pub(crate) mod rows;
pub(crate) mod scheme;
mod sleep;
mod start;
#[cfg(test)]
mod tests;
pub(crate) mod tries;

use super::context::{StepContext, timed};
use super::memory::StepMemory;
use super::method::StepMethod;
use super::promises::{self, AnsweredRows, Evidence, worst_row};
use super::report::{Outcome, StepReport, Work};
use super::settings::StepSettings;
use super::usable::{check_finite, element_error};
use crate::dynamics::columns::Columns;
use crate::dynamics::contact::finder::ContactFinder;
use crate::dynamics::contact::impulse::ContactId;
use crate::dynamics::contact::support::Support;
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::held_nodes::Taken;
use crate::promise::elastic::LastMove;
use crate::{Model, Promise, State, StepError, Vec3};
use answers::Answers;
use books::TakenStep;
use divided::{Divides, Reason};
use layout::RowLayout;
use parting::part;
use recall::{Round, recalled};
use scheme::{FirstStage, FreeMotionError, HardScheme, SecondStage, StepStart};
use signorini_collision::Contact;
use signorini_linalg::{Halves, Threads};
use signorini_solver::{ConeProblem, ProblemError, Solution, Status};
use sleep::{Sleepers, touched_sleepers};
use std::borrow::Cow;
use tries::{Accepted, Answer, Ask, How, Learnt, Trial, Tries, Verdict};

/// Steps with hard contacts by one scheme.
pub(crate) struct Hard<S> {
    scheme: S,
    columns: Columns,
    contacts: ContactFinder,
    answers: Answers,
    memory: StepMemory,
    /// Contacts of the present state.
    near: Vec<Contact>,
    /// Contacts of the last step, in the order of the memory's.
    loaded: Vec<Contact>,
    /// Who sleeps; contacts with them are not among those above.
    sleepers: Sleepers,
    /// How the last step dealt with flexible bodies; `None` before the first step.
    elastic: Option<ElasticStep>,
}

/// What became of a step.
enum Tried {
    Taken(Box<StepReport>),
    /// Nothing has changed, and it is to be taken in parts.
    Divides(Reason),
    /// Nothing has changed: groups of sleepers were touched that have to take part in it.
    Wakes(Vec<u32>),
}

/// What the reactions of flexible bodies are found from.
struct ElasticStep {
    /// Velocities of nodes where the step began \[m/s\].
    velocities_before: Vec<Vec3>,
    /// Where it has linearised the elements last; empty for where it began.
    guess: Vec<Vec3>,
}

impl<S: HardScheme> Hard<S> {
    /// Begins from a state, with joints put together that do not fit ([`start`]). It never fails: the signature is that of [`Begin`](super::method::Begin), which
    /// smooth steppers share.
    pub(crate) fn begin(
        model: &Model,
        settings: &StepSettings,
        mut contacts: ContactFinder,
        state: &mut State,
        memory: StepMemory,
    ) -> Result<Box<dyn StepMethod>, StepError> {
        start::close_joints(model, state);
        let near = contacts.near(model, state, settings.parameters.step);
        let columns = Columns::new(model);
        let mut hard = Self {
            scheme: S::new(model, &columns, settings.asked.parallel),
            answers: Answers::new(&columns),
            columns,
            contacts,
            memory,
            near,
            loaded: Vec::new(),
            sleepers: Sleepers::default(),
            elastic: None,
        };
        hard.recall_sleepers(model, state, settings);
        Ok(Box::new(hard))
    }

    /// Keeps the contacts of a step, which are those before it or a list with late ones, and those found after it.
    fn keep_contacts(&mut self, with_late: Option<Vec<Contact>>, found: Vec<Contact>) {
        let before = std::mem::replace(&mut self.near, found);
        let forgotten = std::mem::replace(&mut self.loaded, with_late.unwrap_or(before));
        self.contacts.recycle(forgotten);
    }

    /// Keeps the impulses of a step, and where a second stage has found more contacts, these.
    fn keep_impulses(
        &mut self,
        layout: &RowLayout,
        solution: &Solution,
        second: Option<SecondStage>,
        threads: Threads,
    ) {
        self.scheme.remember_ways(&mut self.memory.motion);
        match second {
            None => {
                layout.remember(&self.loaded, solution.impulse(), &mut self.memory, threads);
                self.scheme.remember(&mut self.memory.joints);
            }
            Some(SecondStage { joints, contacts, .. }) => {
                let impulses = contacts.iter().map(|(contact, impulse)| (ContactId::of(contact), *impulse));
                self.memory.contacts.clear();
                self.memory.contacts.extend(impulses);
                self.memory.joints = joints;
                self.loaded.clear();
                self.loaded.extend(contacts.iter().map(|(contact, _)| *contact));
            }
        }
    }
}

/// H and c, with errors that name what is wrong.
fn free_motion<S: HardScheme>(
    scheme: &mut S,
    start: &StepStart<'_>,
    near: &[Contact],
    guess: &[Vec3],
) -> Result<FreeMotion, StepError> {
    let StepStart { model, columns, state, .. } = *start;
    let (step, time) = (state.step + 1, state.time);
    scheme.free_motion(start, near, guess).map_err(|error| match error {
        FreeMotionError::Element(failure) => element_error(model, &failure, step, time),
        FreeMotionError::NotFinite(at) => scheme.force_problem(start, step).unwrap_or_else(|| {
            let body = columns.body_of(at.0).map(|body| model.name_of(body).to_owned()).unwrap_or_default();
            StepError::NotFinite { step, time, body }
        }),
    })
}

/// Why the problem of a step cannot be built: where a force does not exist, because of that.
fn problem_error<S: HardScheme>(scheme: &S, start: &StepStart<'_>, error: ProblemError) -> StepError {
    let (step, time) = (start.state.step + 1, start.state.time);
    scheme.force_problem(start, step).unwrap_or(StepError::Problem { step, time, error })
}

impl<S: HardScheme> Hard<S> {
    /// Takes a step as a whole; a reason to divide it, and nothing has changed, if bodies have no way in it that joints hold together and contacts push, or if bodies turn so fast
    /// that they overlap by far, unless that is no reason any more.
    fn whole_step(
        &mut self,
        model: &Model,
        state: &mut State,
        cx: &mut StepContext<'_>,
        divides: Divides,
    ) -> Result<Result<StepReport, Reason>, StepError> {
        loop {
            match self.try_step(model, state, cx, divides)? {
                Tried::Taken(report) => return Ok(Ok(*report)),
                Tried::Divides(reason) => return Ok(Err(reason)),
                Tried::Wakes(groups) => self.wake(model, state, &groups, cx.settings),
            }
        }
    }

    /// Takes a step with those who are awake.
    fn try_step(
        &mut self,
        model: &Model,
        state: &mut State,
        cx: &mut StepContext<'_>,
        divides: Divides,
    ) -> Result<Tried, StepError> {
        let Self { scheme, columns, contacts, answers, memory, near, sleepers, .. } = self;
        if S::RESTS {
            answers.recall_rest(&memory.rest);
        }
        let (parameters, threads) = (&cx.settings.parameters, cx.settings.threads());
        let acting = sleepers.acting(model);
        let start = StepStart { model: acting, columns, state, parameters, threads };
        let parted = if S::PARTS_OVERLAPS { part(&start, near, contacts, cx)? } else { None };
        let unparted = &**near;
        let (from, near) = parted.as_ref().map_or((&*state, unparted), |parted| (&parted.state, &*parted.near));
        let start = StepStart { state: from, ..start };
        let mut free = prepared(scheme, &start, near, &[], cx)?;
        // Joints of models with flexible bodies are closed by solving again, whatever the scheme does for others.
        let closes_all = S::CLOSES_JOINTS && model.flexible().is_empty();
        let parts_overlaps = S::PARTS_OVERLAPS && model.flexible().is_empty();
        let mut tries = Tries::new(&start, near, (closes_all, parts_overlaps), contacts, cx);
        let mut last_round: Option<Round> = None;
        let (accepted, layout) = loop {
            let ask = &tries.ask;
            let layout = timed(&mut cx.timings.assembly, || {
                answers.set_free_motion(&free)?;
                scheme.assemble(&start, ask, answers.problem_mut())
            })
            .map_err(|error| problem_error(scheme, &start, error))?;
            let recall = || match &last_round {
                Some(round) => round.recalled(&start, &layout, ask, cx.settings),
                None => recalled(scheme, &start, &layout, ask, memory, cx.settings),
            };
            let mut solution = ask.how.solve(answers, recall, start.state, cx)?;
            if ask.how.is_final()
                && scheme.gains(&Trial { start, problem: answers.problem(), layout: &layout }, ask, &solution)
            {
                solution = without_gain(scheme, &start, ask, &layout, solution, answers, cx)?;
            }
            let trial = Trial { start, problem: answers.problem(), layout: &layout };
            // Shorter parts are no help to what has no answer.
            let has_answer = solution.report.status == Status::Converged;
            let next = scheme.arrive(&trial, ask, memory, &mut solution, cx);
            if ask.how.is_final() && has_answer && scheme.is_lost() && divides.for_joints {
                return Ok(Tried::Divides(Reason::Joints));
            }
            match tries.judge(&trial, Answer::new(solution, next), contacts, cx)? {
                Verdict::Accept(accepted) => break (accepted, layout),
                Verdict::Again(learnt) => {
                    let is_other = match &learnt {
                        Learnt::Guess(_) => true,
                        Learnt::Contacts(..) => S::WEIGHS_CONTACTS,
                        Learnt::Recovery(..) | Learnt::JointCurvature(_) => false,
                    };
                    if let Learnt::Contacts(_, answer) = &learnt
                        && parts_overlaps
                    {
                        let round = last_round.get_or_insert_default();
                        round.keep(&layout, &tries.ask.near, &answer.solution, threads);
                    }
                    tries.learn(learnt, &start);
                    if is_other {
                        free = prepared(scheme, &start, &tries.ask.near, &tries.ask.guess, cx)?;
                    }
                }
            }
        };
        if tries.is_deep() && divides.for_overlaps && closes_all {
            let has_answer = accepted.answer.solution.report.status == Status::Converged;
            return Ok(Tried::Divides(Reason::Overlaps { has_answer }));
        }
        // Whom the step has brought to light is no wall: it takes part.
        if sleepers.is_anybody() {
            let wakes = touched_sleepers(memory, model, &tries.ask.near);
            if !wakes.is_empty() {
                return Ok(Tried::Wakes(wakes));
            }
        }
        let rounds = tries.rounds();
        let Ask { near: met, guess, .. } = tries.ask;
        let Accepted { answer, mut found } = accepted;
        let Answer { solution, mut next, recovery, .. } = *answer;
        let first = FirstStage { problem: answers.problem(), layout: &layout, solution: &solution, contacts: &met };
        let second = scheme.second_stage(&start, &first, &found, &mut next, cx)?;
        if second.is_some() {
            if scheme.is_lost() && divides.for_joints {
                return Ok(Tried::Divides(Reason::Joints));
            }
            check_finite(model, &next)?;
            // How far bodies are looked at depends on their velocities, which the second stage has changed.
            found = timed(&mut cx.timings.collision, || contacts.near(acting, &next, cx.settings.parameters.step));
        }
        let books = second.is_none().then(|| TakenStep { scheme: &*scheme, start, first: &first, next: &next }.books());
        let work = books.as_ref().map(|books| books.work);
        let outcome = outcome(&start, &next, &first, second.as_ref(), (rounds, recovery, work), cx);
        let mut report = StepReport::of(model, [state, &next], &found, outcome, cx);
        let last_move = last_move(&next.nodes, &guess);
        // From here on nothing fails: what the step has found is kept.
        let overlaps_before = overlaps(if parted.is_some() { unparted } else { &met });
        let with_late_contacts = match met {
            Cow::Owned(list) => Some(list),
            Cow::Borrowed(parted) if parted.as_ptr() != unparted.as_ptr() => Some(parted.to_vec()),
            Cow::Borrowed(_) => None,
        };
        let lift = parted.as_ref().map_or(0.0, |parted| parted.lift);
        let is_stuck = parted.as_ref().is_some_and(|parted| parted.is_stuck);
        report.recovery *= parted.as_ref().map_or(1.0, |parted| parted.share);
        self.keep_contacts(with_late_contacts, found);
        let joint_rows: Vec<usize> = (0..layout.joints()).map(|row| layout.row_of_model(row)).collect();
        let answered = AnsweredRows {
            joint_rows: &joint_rows,
            normals: layout.normals(),
            contacts: &self.loaded,
            impulse: solution.impulse(),
            relative_velocity: &solution.relative_velocity,
        };
        let name_of_worst =
            if cx.settings.tolerance.met(&report.residuals) { None } else { worst_row(model, &next, &answered) };
        self.keep_impulses(&layout, &solution, second, threads);
        self.memory.rest.clear();
        self.memory.rest.extend_from_slice(self.answers.rest());
        let evidence = Evidence {
            model,
            before: state,
            after: &next,
            overlaps_before: &overlaps_before,
            near_after: &self.near,
            loaded: &self.loaded,
            status: report.status,
            residuals: &report.residuals,
            energy: &report.energy,
            penalty_springs: [0.0; 2],
            last_move,
            is_divided: false,
            impulses_before: None,
            unanswered: self.scheme.unanswered(),
            lift,
            deepest_pushed: if parts_overlaps { cx.settings.parameters.deep_overlap } else { f64::INFINITY },
            is_stuck,
            books: books.as_ref(),
        };
        report.broken = promises::judge(&evidence, cx, &mut self.memory, || name_of_worst);
        let breaks = |promise: Promise| report.broken.iter().any(|broken| broken.promise == promise);
        let is_contradicted =
            !self.scheme.unanswered().is_empty() && (breaks(Promise::Joints) || breaks(Promise::Residual));
        let is_stuck = is_stuck && breaks(Promise::Overlap);
        report.has_answer = report.status != Status::Infeasible && !is_contradicted && !is_stuck;
        let before = std::mem::replace(state, next);
        self.elastic = Some(ElasticStep { velocities_before: before.node_velocities, guess });
        self.answers.recycle(solution);
        self.count_sleepers(&mut report);
        Ok(Tried::Taken(Box::new(report)))
    }
}

impl<S: HardScheme> StepMethod for Hard<S> {
    fn step(&mut self, model: &Model, state: &mut State, cx: &mut StepContext<'_>) -> Result<StepReport, StepError> {
        if let Some(report) = self.sleep_on(state, cx) {
            return Ok(report);
        }
        self.with_sleepers_aside(|this| {
            this.wake_the_touched(model, state, cx);
            let report = match this.whole_step(model, state, cx, Divides::YES)? {
                Ok(report) => report,
                Err(reason) => this.in_halves(model, state, reason, cx)?,
            };
            this.fall_asleep(model, state, cx.settings);
            Ok(report)
        })
    }

    fn memory(&self) -> &StepMemory {
        &self.memory
    }

    fn contacts(&self) -> &[Contact] {
        self.sleepers.with_contacts(&self.near)
    }

    fn loaded_contacts(&self) -> &[Contact] {
        &self.loaded
    }

    fn wake(&mut self, model: &Model, state: &State, settings: &StepSettings, body: usize) {
        let group = self.memory.rest.get(body).map_or(0, |rest| rest.group);
        if group > 0 {
            self.with_sleepers_aside(|this| this.wake(model, state, &[group], settings));
        }
    }

    fn node_impulses(&self, model: &Model, state: &State, settings: &StepSettings) -> Option<Vec<Vec3>> {
        let ElasticStep { velocities_before, guess } = self.elastic.as_ref()?;
        let contacts = self.loaded.iter().zip(&self.memory.contacts).map(|(contact, (_, load))| (contact, load.linear));
        let taken = Taken { model, state, h: settings.parameters.step };
        Some(taken.left_over(velocities_before, guess, contacts))
    }

    fn problem(&self, model: &Model, state: &State, settings: &StepSettings) -> Result<ConeProblem, StepError> {
        next_problem::<S>(model, state, self.contacts(), settings)
    }
}

/// The problem of a scheme's next step from a state with these contacts.
pub(crate) fn next_problem<S: HardScheme>(
    model: &Model,
    state: &State,
    near: &[Contact],
    settings: &StepSettings,
) -> Result<ConeProblem, StepError> {
    let columns = Columns::new(model);
    let mut scheme = S::new(model, &columns, settings.asked.parallel);
    let (parameters, threads) = (&settings.parameters, settings.threads());
    let start = StepStart { model, columns: &columns, state, parameters, threads };
    let free = free_motion(&mut scheme, &start, near, &[])?;
    let ask = Ask {
        near: Cow::Borrowed(near),
        guess: Vec::new(),
        joint_curvature: Vec::new(),
        recovery_speeds: Vec::new(),
        how: How::Usual,
        rebounds: true,
    };
    let mut answers = Answers::new(&columns);
    answers
        .set_free_motion(&free)
        .and_then(|()| scheme.show_problem(&start, &ask, answers.problem_mut()))
        .map_err(|error| problem_error(&scheme, &start, error))?;
    Ok(answers.into_problem())
}

/// H and c of a step that will be taken.
fn prepared<S: HardScheme>(
    scheme: &mut S,
    start: &StepStart<'_>,
    near: &[Contact],
    guess: &[Vec3],
    cx: &mut StepContext<'_>,
) -> Result<FreeMotion, StepError> {
    timed(&mut cx.timings.assembly, || {
        let free = free_motion(scheme, start, near, guess)?;
        scheme.keep(&free);
        Ok(free)
    })
}

/// Solves a step once more without rebounds and mixes both answers, so that nobody gains energy.
fn without_gain<S: HardScheme>(
    scheme: &mut S,
    start: &StepStart<'_>,
    ask: &Ask<'_>,
    layout: &RowLayout,
    rebounding: Solution,
    answers: &mut Answers,
    cx: &mut StepContext<'_>,
) -> Result<Solution, StepError> {
    let before = answers.problem().offset().to_vec();
    let calm = ask.without_rebounds();
    timed(&mut cx.timings.assembly, || scheme.assemble(start, &calm, answers.problem_mut()))
        .map_err(|error| problem_error(scheme, start, error))?;
    let mut solution = ask.how.solve(answers, || Some(rebounding.iterate.clone()), start.state, cx)?;
    cx.iterations += solution.report.iterations;
    let shares =
        scheme.mix(&Trial { start: *start, problem: answers.problem(), layout }, ask, &rebounding, &mut solution);
    let mixed: Vec<f64> = answers
        .problem()
        .offset()
        .iter()
        .zip(&before)
        .zip(&shares)
        .map(|((b, a), share)| b + share * (a - b))
        .collect();
    answers.problem_mut().set_offset(&mixed).map_err(|error| problem_error(scheme, start, error))?;
    if cx.settings.tolerance.ratio(&rebounding.report.residuals)
        > cx.settings.tolerance.ratio(&solution.report.residuals)
    {
        solution.report = rebounding.report;
    }
    Ok(solution)
}

/// What the step says about itself.
fn outcome(
    start: &StepStart<'_>,
    next: &State,
    first: &FirstStage<'_>,
    second: Option<&SecondStage>,
    (rounds, recovery, work): (u32, f64, Option<Work>),
    cx: &StepContext<'_>,
) -> Outcome {
    let report = &first.solution.report;
    let usual = Outcome {
        contacts: first.contacts.len(),
        rounds,
        recovery,
        ..Outcome::new(report.status, report.method, report.residuals, cx.settings.parameters.step)
    };
    match second {
        None => Outcome { active: active_contacts(start, next, first), work, ..usual },
        Some(second) => Outcome {
            status: second.status,
            method: second.method,
            residuals: second.residuals,
            contacts: second.contacts.len(),
            active: second.active,
            ..usual
        },
    }
}

/// The contacts that overlap.
fn overlaps(contacts: &[Contact]) -> Vec<Contact> {
    let overlapping = || contacts.iter().filter(|contact| contact.gap < 0.0);
    // Counted first: a list that grows asks for memory again and again.
    let mut list = Vec::with_capacity(overlapping().count());
    list.extend(overlapping().copied());
    list
}

/// How far nodes moved in the last round of Newton's method; `None` where forces were linearised once.
fn last_move(arrived: &[Vec3], guess: &[Vec3]) -> Option<LastMove> {
    let moves = arrived.iter().zip(guess).map(|(a, b)| (*a - *b).length()).enumerate();
    moves.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(node, distance)| LastMove { distance, node })
}

/// How many contacts carry force: those where the impulse alone would part the bodies faster than they do, w λ_n > u_n with
/// w = 1/m_A + 1/m_B.
fn active_contacts(start: &StepStart<'_>, next: &State, first: &FirstStage<'_>) -> usize {
    let (model, FirstStage { layout, solution, contacts, .. }) = (start.model, first);
    let carries = |contact: usize| {
        // Weights of a skin's nodes change little in a step.
        let (supports, row) = (Support::both(model, &next.nodes, &contacts[contact]), layout.normals()[contact]);
        let mobility: f64 = supports.iter().map(|support| support.mobility(model)).sum();
        mobility * solution.impulse()[row] > solution.relative_velocity[row]
    };
    let halves = Halves::new(BLOCKS, start.threads);
    halves.total(contacts.len(), &|range| range.filter(|contact| carries(*contact)).count(), &|a, b| a + b)
}

/// Contacts one task looks at.
const BLOCKS: usize = 2048;
