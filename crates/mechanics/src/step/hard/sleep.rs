//! Bodies that sleep: what has rested for a while is left alone, to the bit, until somebody touches it.
//!
//! Bodies that touch each other fall asleep together when all of them have been slower than the resting speed for a while. While they sleep the model that steps are taken with has
//! them fixed: they have no velocities, no rows and no contacts among themselves, and cost nothing. Their impulses are kept, so that they wake with them. They wake as a group when a body
//! that is awake comes as near as a contact of its step, or when they are asked to. The state, the names of who sleeps and the impulses are all that a checkpoint has to keep: contacts of
//! sleepers are found again at the same places.
//!
//! Bodies with joints or forces stay awake, and so does what touches them: drives may act at any time.

use super::Hard;
use super::answers::{Answers, Rest};
use super::groups::grouped;
use super::scheme::HardScheme;
use crate::dynamics::columns::Columns;
use crate::dynamics::contact::finder::ContactFinder;
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::report::StepReport;
use crate::step::settings::StepSettings;
use crate::{Model, State, Vec3};
use signorini_collision::Contact;

/// Bodies rest for so long before they fall asleep \[s\] ...
const DROWSY: f64 = 0.25;
/// ... and for so many steps.
const DROWSY_STEPS: u32 = 20;
/// Who falls asleep is asked every so many steps: it makes the model of those that are awake anew.
const EVERY: u64 = 10;

/// Who sleeps.
#[derive(Default)]
pub(super) struct Sleepers {
    /// The model with all of them fixed; `None` while nobody sleeps.
    acting: Option<Model>,
    /// Their contacts among themselves and with fixed bodies, and what these carry, in the order of their names.
    contacts: Vec<(Contact, (ContactId, Impulse))>,
    /// Contacts of everybody in the present state; empty while nobody sleeps.
    all: Vec<Contact>,
}

impl Sleepers {
    /// The model that steps are taken with.
    pub(super) fn acting<'a>(&'a self, model: &'a Model) -> &'a Model {
        self.acting.as_ref().unwrap_or(model)
    }

    /// Contacts of everybody in the present state, those among bodies that are awake being `near`.
    pub(super) fn with_contacts<'a>(&'a self, near: &'a [Contact]) -> &'a [Contact] {
        if self.acting.is_some() { &self.all } else { near }
    }

    pub(super) fn is_anybody(&self) -> bool {
        self.acting.is_some()
    }

    fn keep_all(&mut self, near: &[Contact]) {
        self.all.clear();
        if self.acting.is_some() {
            self.all.extend_from_slice(near);
            self.all.extend(self.contacts.iter().map(|(contact, _)| *contact));
            self.all.sort_by_key(ContactId::of);
        }
    }
}

/// Whether a body sleeps.
fn sleeps(memory: &StepMemory, body: usize) -> bool {
    memory.rest.get(body).is_some_and(|rest| rest.group > 0)
}

/// Which bodies may sleep: free rigid ones that nothing but contacts and gravity act on.
fn may_sleep(model: &Model) -> Vec<bool> {
    let mut may: Vec<bool> = model.bodies().iter().map(|body| !body.is_fixed).collect();
    let joints = model.joints().flat_map(|(_, joint)| joint.bodies());
    let forces = model.forces().flat_map(|(_, force)| force.bodies());
    joints.chain(forces).for_each(|body| may[body.index()] = false);
    may
}

/// Groups of sleepers that contacts with bodies that are awake have to do with.
pub(super) fn touched_sleepers(memory: &StepMemory, model: &Model, contacts: &[Contact]) -> Vec<u32> {
    let moves = |body: u32| model.bodies().get(body as usize).is_some_and(|body| !body.is_fixed);
    let group = |body: u32| memory.rest.get(body as usize).map_or(0, |rest| rest.group);
    let with_awake = |contact: &&Contact| contact.bodies.iter().any(|body| moves(*body) && group(*body) == 0);
    let mut groups: Vec<u32> = contacts
        .iter()
        .filter(with_awake)
        .flat_map(|contact| contact.bodies.map(group))
        .filter(|group| *group > 0)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

impl<S: HardScheme> Hard<S> {
    /// Whether bodies of a model sleep at all.
    fn lets_sleep(model: &Model, settings: &StepSettings) -> bool {
        S::RESTS
            && settings.asked.sleeping
            && settings.parameters.resting_speed > 0.0
            && model.flexible().is_empty()
            && !model.has_soft_contacts()
    }

    /// Finds those who slept when the run was stopped.
    pub(super) fn recall_sleepers(&mut self, model: &Model, state: &State, settings: &StepSettings) {
        let is_of_model = self.memory.rest.len() == model.bodies().len();
        if !is_of_model || !Self::lets_sleep(model, settings) {
            self.memory.rest.iter_mut().for_each(|rest| rest.group = 0);
        }
        if (0..self.memory.rest.len()).any(|body| sleeps(&self.memory, body)) {
            self.settle_down(model, state, settings);
            self.put_sleepers_aside();
            self.show_sleepers();
        }
    }

    /// Takes a step of those who are awake. The impulses of sleepers are no part of the memory meanwhile.
    pub(super) fn with_sleepers_aside<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        self.put_sleepers_aside();
        let taken = step(self);
        self.show_sleepers();
        taken
    }

    fn put_sleepers_aside(&mut self) {
        if self.sleepers.acting.is_some() {
            let asleep = |id: &ContactId| {
                self.sleepers.contacts.binary_search_by_key(id, |(contact, _)| ContactId::of(contact)).is_ok()
            };
            let mut kept: Vec<bool> = self.memory.contacts.iter().map(|(id, _)| !asleep(id)).collect();
            kept.reverse();
            let mut of_loaded = kept.clone();
            self.memory.contacts.retain(|_| kept.pop().unwrap_or(true));
            if of_loaded.len() == self.loaded.len() {
                self.loaded.retain(|_| of_loaded.pop().unwrap_or(true));
            }
        }
    }

    fn show_sleepers(&mut self) {
        let Self { sleepers, memory, loaded, near, .. } = self;
        sleepers.keep_all(near);
        if sleepers.acting.is_some() {
            memory.contacts.extend(sleepers.contacts.iter().map(|(_, carried)| *carried));
            memory.contacts.sort_by_key(|(id, _)| *id);
            loaded.extend(sleepers.contacts.iter().map(|(contact, _)| *contact));
            loaded.sort_by_key(ContactId::of);
        }
    }

    /// What a step that nobody is awake in says; `None` where somebody is, or nothing is known of the step before.
    pub(super) fn sleep_on(&self, state: &mut State, cx: &StepContext<'_>) -> Option<StepReport> {
        let acting = self.sleepers.acting.as_ref()?;
        let previous = cx.previous.filter(|_| acting.moving() == 0)?;
        state.step += 1;
        state.time = state.step as f64 * cx.settings.parameters.step;
        let mut report =
            StepReport { step: state.step, time: state.time, iterations: 0, timings: cx.timings, ..previous.clone() };
        (report.method, report.rounds) = (SLEEP, 0);
        report.work = report.work.map(|_| Default::default());
        report.broken.clear();
        Some(report)
    }

    /// Wakes everybody whom those who are awake come near to.
    pub(super) fn wake_the_touched(&mut self, model: &Model, state: &State, cx: &StepContext<'_>) {
        while self.sleepers.acting.is_some() {
            let touched = touched_sleepers(&self.memory, model, &self.near);
            if touched.is_empty() {
                return;
            }
            self.wake(model, state, &touched, cx.settings);
        }
    }

    /// Wakes groups of sleepers, with the impulses they fell asleep with.
    pub(super) fn wake(&mut self, model: &Model, state: &State, groups: &[u32], settings: &StepSettings) {
        for rest in self.memory.rest.iter_mut().filter(|rest| groups.contains(&rest.group)) {
            *rest = Rest::default();
        }
        let memory = &self.memory;
        let asleep = |contact: &Contact| contact.bodies.iter().any(|body| sleeps(memory, *body as usize));
        let (kept, woken): (Vec<_>, Vec<_>) =
            self.sleepers.contacts.drain(..).partition(|(contact, _)| asleep(contact));
        self.sleepers.contacts = kept;
        self.memory.contacts.extend(woken.iter().map(|(_, carried)| *carried));
        self.memory.contacts.sort_by_key(|(id, _)| *id);
        self.act_with(model, settings);
        self.near = self.contacts.near(self.sleepers.acting(model), state, settings.parameters.step);
    }

    /// Counts for how long bodies have rested, and lets those fall asleep that have for long enough.
    pub(super) fn fall_asleep(&mut self, model: &Model, state: &mut State, settings: &StepSettings) {
        if !Self::lets_sleep(model, settings) {
            return;
        }
        let parameters = &settings.parameters;
        for (body, rest) in self.memory.rest.iter_mut().enumerate().filter(|(_, rest)| rest.group == 0) {
            let speed = state.velocities[body].length() + parameters.radius * state.angular_velocities[body].length();
            rest.still = if speed <= parameters.resting_speed { rest.still.saturating_add(1) } else { 0 };
        }
        let long = ((DROWSY / parameters.step).ceil() as u32).max(DROWSY_STEPS);
        let is_drowsy = |rest: &Rest| rest.group == 0 && rest.still >= long;
        if !state.step.is_multiple_of(EVERY) || !self.memory.rest.iter().any(is_drowsy) {
            return;
        }
        let acting = self.sleepers.acting(model);
        let moves = |body: u32| acting.bodies().get(body as usize).is_some_and(|body| !body.is_fixed);
        let pairs = self.near.iter().map(|contact| contact.bodies).filter(|pair| pair.iter().all(|body| moves(*body)));
        let group = grouped(model.bodies().len(), pairs.map(|pair| pair.map(|body| body as usize)));
        let may = may_sleep(model);
        let mut falls_asleep = vec![true; group.len()];
        for (body, rest) in self.memory.rest.iter().enumerate() {
            falls_asleep[group[body]] &= may[body] && is_drowsy(rest);
        }
        let mut is_any = false;
        for (body, rest) in self.memory.rest.iter_mut().enumerate().filter(|(body, _)| falls_asleep[group[*body]]) {
            rest.group = group[body] as u32 + 1;
            (state.velocities[body], state.angular_velocities[body]) = (Vec3::ZERO, Vec3::ZERO);
            is_any = true;
        }
        if is_any {
            self.settle_down(model, state, settings);
            self.put_sleepers_aside();
        }
    }

    /// Goes on without those who sleep, and keeps what their contacts carry.
    fn settle_down(&mut self, model: &Model, state: &State, settings: &StepSettings) {
        let asleep: Vec<bool> = (0..model.bodies().len()).map(|body| sleeps(&self.memory, body)).collect();
        self.contacts.set_fixed(model, |_| false);
        let all = self.contacts.near(model, state, settings.parameters.step);
        let is_asleep = |body: u32| asleep.get(body as usize) == Some(&true);
        let stays = |body: u32| model.bodies().get(body as usize).is_none_or(|own| own.is_fixed) || is_asleep(body);
        self.sleepers.contacts.clear();
        for contact in &all {
            if contact.bodies.iter().any(|body| is_asleep(*body)) && contact.bodies.iter().all(|body| stays(*body)) {
                let id = ContactId::of(contact);
                let known = self.memory.contacts.binary_search_by_key(&id, |(id, _)| *id);
                let carried = known.map_or_else(|_| Impulse::default(), |at| self.memory.contacts[at].1);
                self.sleepers.contacts.push((*contact, (id, carried)));
            }
        }
        self.contacts.recycle(all);
        self.act_with(model, settings);
        self.near = self.contacts.near(self.sleepers.acting(model), state, settings.parameters.step);
    }

    /// Makes what steps are taken with anew, for those who are awake now.
    fn act_with(&mut self, model: &Model, settings: &StepSettings) {
        let Self { sleepers, memory, contacts, .. } = self;
        let is_asleep = |body: usize| sleeps(memory, body);
        sleepers.acting = (0..model.bodies().len()).any(is_asleep).then(|| model.with_fixed(is_asleep));
        contacts.set_fixed(model, is_asleep);
        let acting = sleepers.acting(model);
        self.columns = Columns::new(acting);
        self.scheme = S::new(acting, &self.columns, settings.asked.parallel);
        self.answers = Answers::new(&self.columns);
    }

    /// Adds the contacts of those who sleep to a report of the others.
    pub(super) fn count_sleepers(&self, report: &mut StepReport) {
        for (contact, (_, carried)) in &self.sleepers.contacts {
            report.contacts += 1;
            report.active += usize::from(carried.linear != Vec3::ZERO);
            report.penetration = report.penetration.max(-contact.gap);
        }
    }
}

/// What a report calls the method where nobody was awake.
const SLEEP: &str = "sleep";

impl ContactFinder {
    /// Looks for no contacts among those who sleep, besides those among fixed bodies.
    fn set_fixed(&mut self, model: &Model, sleeps: impl Fn(usize) -> bool) {
        self.fix(model.bodies().iter().enumerate().map(|(body, own)| own.is_fixed || sleeps(body)));
    }
}
