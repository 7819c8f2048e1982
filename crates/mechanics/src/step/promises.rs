//! What a step promised, judged at its end: plain values of the step are handed to the judges of [`crate::promise`].

use super::context::StepContext;
use super::hard::books::Books;
use super::memory::StepMemory;
use crate::diagnostics::fastest;
use crate::dynamics::contact::support::Support;
use crate::dynamics::parameters::Parameters;
use crate::promise::elastic::{self, LastMove};
use crate::promise::energy::{self, EnergyStep, Explained};
use crate::promise::joints::{self, CountedRows};
use crate::promise::opponents::Scene;
use crate::promise::work::{self, Recovery, WorkMeter};
use crate::promise::{overlap, residual};
use crate::{Broken, Culprit, CulpritKind, Energy, EnergyAccount, Gyroscopic, Model, State, Stepper};
use signorini_collision::Contact;
use signorini_solver::{Residuals, Status};

/// What a step did, as far as promises ask for it.
pub(crate) struct Evidence<'a> {
    pub(crate) model: &'a Model,
    pub(crate) before: &'a State,
    pub(crate) after: &'a State,
    /// Overlaps where the step began, in the order of their colliders.
    pub(crate) overlaps_before: &'a [Contact],
    /// Contacts where it ended.
    pub(crate) near_after: &'a [Contact],
    /// The contacts that the impulses of the memory belong to.
    pub(crate) loaded: &'a [Contact],
    /// How the solve ended.
    pub(crate) status: Status,
    pub(crate) residuals: &'a Residuals,
    /// Energy at the end, with contacts by penalty their springs included.
    pub(crate) energy: &'a Energy,
    /// What springs of contacts by penalty stored where the step began and where it ended \[J\].
    pub(crate) penalty_springs: [f64; 2],
    /// How far nodes still moved in the last round of Newton's method.
    pub(crate) last_move: Option<LastMove>,
    /// Whether it was taken in more than one sub-step.
    pub(crate) is_divided: bool,
    /// Impulses of joint rows at the end of the step before, for smooth steppers.
    pub(crate) impulses_before: Option<&'a [f64]>,
    /// Bodies held together by joints that contradict each other, or that no way was found for.
    pub(crate) unanswered: &'a [usize],
    /// Energy of position that bodies were given where they were parted before the step \[J\].
    pub(crate) lift: f64,
    /// Overlaps up to this are undone by giving bodies speed \[m\], deeper ones by moving them.
    pub(crate) deepest_pushed: f64,
    /// Whether bodies that overlap deeply could not be parted.
    pub(crate) is_stuck: bool,
    /// Where its energy went, for steps that know; the contacts are those of `loaded`.
    pub(crate) books: Option<&'a Books>,
}

/// Every promise the step broke; enters it into the account of energy. `worst_row` names the row with the largest residual.
pub(crate) fn judge(
    evidence: &Evidence<'_>,
    cx: &StepContext<'_>,
    memory: &mut StepMemory,
    worst_row: impl FnOnce() -> Option<Vec<Culprit>>,
) -> Vec<Broken> {
    let Evidence { model, after, overlaps_before, near_after, residuals, last_move, .. } = *evidence;
    let (settings, fastest) = (cx.settings, fastest(model, after, cx.settings.threads()));
    let mut broken = Vec::new();
    let scene = Scene { model, state: after, near: near_after, impulses: &memory.joints };
    let worst_joint = scene.worst_joint_of(evidence.unanswered);
    let who = || match worst_joint {
        Some(joint) => vec![joints::culprit(model, joint)],
        None => worst_row().unwrap_or_else(|| liveliest_body(model, after).into_iter().collect()),
    };
    broken.extend(residual::judge(evidence.status, residuals, settings.tolerance, who));
    // Limits and ropes of smooth steppers are springs, which give way.
    let is_hard = settings.asked.stepper.has_hard_contacts();
    let counted = if is_hard { CountedRows::All } else { CountedRows::Bilateral };
    let violations = joints::violations(model, after, counted);
    broken.extend(joints::judge(violations, settings.bounds.joints(fastest), |index| joints::culprit(model, index)));
    if is_hard {
        let bounds = settings.bounds.overlap(fastest);
        let names = |contact: &Contact| pair(model, contact);
        // What cannot be parted is not on its way out.
        let before = if evidence.is_stuck { &[] } else { overlaps_before };
        broken.extend(overlap::judge(before, near_after, bounds, |contact| has_no_spring(model, contact), names));
    }
    // Where a step has an answer nobody stands against anybody.
    if evidence.status == Status::Infeasible || evidence.is_stuck || !evidence.unanswered.is_empty() {
        broken.iter_mut().for_each(|broken| add_opponents(broken, &scene));
    }
    broken.extend(elastic::judge(model, last_move));
    broken.extend(energy_broken(evidence, cx, memory));
    broken
}

/// Adds those that stand against the culprits of a broken promise.
fn add_opponents(broken: &mut Broken, scene: &Scene<'_>) {
    let body = |culprit: &Culprit| {
        let is_it = |body: &usize| culprit.kind == CulpritKind::Body && scene.model.name_of(*body) == culprit.name;
        (0..scene.model.bodies().len()).find(is_it)
    };
    let opponents = match &broken.culprits[..] {
        [one] if one.kind == CulpritKind::Joint => {
            let index = scene.model.joints().position(|(name, _)| name == one.name);
            index.map_or(Vec::new(), |index| scene.of_joint(index))
        }
        [a, b] => match (body(a), body(b)) {
            (Some(a), Some(b)) => scene.of_bodies([a, b]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let new: Vec<Culprit> = opponents.into_iter().filter(|culprit| !broken.culprits.contains(culprit)).collect();
    broken.culprits.extend(new);
}

/// Enters the step into the account of energy.
fn energy_broken(evidence: &Evidence<'_>, cx: &StepContext<'_>, memory: &mut StepMemory) -> Option<Broken> {
    let Evidence { model, before, after, energy, .. } = *evidence;
    let Parameters { step, recovery_speed, radius, .. } = cx.settings.parameters;
    let recovery = Recovery { step, speed: recovery_speed, radius };
    let stepper = cx.settings.asked.stepper;
    let hard_step = stepper.has_hard_contacts().then_some(step);
    let soft = |contacts: &[Contact]| {
        let counts = hard_step.is_some() && model.has_soft_contacts();
        if counts { work::soft_energy(model, contacts) } else { 0.0 }
    };
    let springs = soft(evidence.near_after);
    // A run that goes on from a checkpoint without an account has one again after this step.
    let opened = || {
        let of_contacts = evidence.penalty_springs[0] + soft(evidence.overlaps_before);
        (before.step == 0).then(|| EnergyAccount::opened(&Energy::of(model, before), of_contacts))
    };
    let Some(mut account) = memory.energy.or_else(opened) else {
        memory.energy = Some(EnergyAccount::opened(energy, springs));
        return None;
    };
    let meter = WorkMeter::start(model, before, recovery);
    let work = meter.finish(model, after, &memory.joints, evidence.impulses_before);
    let overlaps = if hard_step.is_some() {
        let impulses = memory.contacts.iter().map(|(_, impulse)| impulse.linear);
        let contacts = evidence.loaded.iter().zip(impulses);
        let is_pushed = |gap: f64| gap < 0.0 && gap >= -evidence.deepest_pushed;
        let hard = contacts.filter(|(contact, _)| is_pushed(contact.gap) && has_no_spring(model, contact));
        work::of_overlaps(hard.map(|(contact, g)| (contact, contact.normal.dot(g))), recovery)
    } else {
        0.0
    };
    let total = energy.total() + springs;
    // Between the ends of a step that was divided nobody has looked at what drives it.
    let is_unknown = evidence.is_divided && work.is_driven;
    let gain = if is_unknown { 0.0 } else { total - account.total - work.at_most - overlaps - evidence.lift };
    let is_touched = !(evidence.loaded.is_empty() && evidence.near_after.is_empty());
    let has_forces = model.forces().len() > 0 || !model.flexible().is_empty();
    let is_passive = stepper == Stepper::DviPassive && cx.settings.parameters.gyroscopic != Gyroscopic::Explicit;
    let has_closed_joints_alone = is_passive && !is_touched && !has_forces && !work.is_driven;
    let explained = Explained { order: stepper.order(), step, is_hard: hard_step.is_some(), has_closed_joints_alone };
    let of_contacts = springs + evidence.penalty_springs[1];
    let explained = explained.at_most(model, after, energy, &account, [work.of_forces, of_contacts]);
    let is_broken = account.enter(EnergyStep { gain, explained });
    (account.kinetic, account.total) = (energy.kinetic, total);
    memory.energy = Some(account);
    is_broken.then(|| account.broken(place_of_gain(evidence)))
}

/// Where the energy of a step has grown, by name: the joint, contact or force that put in most without being driven, or the body whose own
/// energy has grown most where nothing holds it.
fn place_of_gain(evidence: &Evidence<'_>) -> Vec<Culprit> {
    let Evidence { model, before, after, loaded, books, .. } = *evidence;
    let of_body = |body: usize| vec![Culprit::body(model.name_of(body))];
    let growth = energy::growth_of_bodies(model, [before, after]);
    let Some(books) = books else {
        return largest(growth.into_iter().enumerate()).map_or_else(Vec::new, |(body, _)| of_body(body));
    };
    let held = bodies_that_are_held(model, loaded);
    let free = growth.iter().copied().enumerate().filter(|(body, _)| held.get(*body) == Some(&false));
    let joint = largest(books.joints.iter().copied().enumerate());
    let force = largest(books.forces.iter().copied().enumerate());
    let places = [
        joint.map(|(joint, gain)| (gain, vec![joints::culprit(model, joint)])),
        books.liveliest_contact.map(|(contact, gain)| (gain, pair(model, &loaded[contact]))),
        force.map(|(force, gain)| (gain, vec![force_culprit(model, force)])),
        largest(free).map(|(body, gain)| (gain, of_body(body))),
    ];
    let gains = places.into_iter().flatten().filter(|(gain, _)| *gain > 0.0);
    let most = gains.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, who)| who);
    most.or_else(|| largest(growth.into_iter().enumerate()).map(|(body, _)| of_body(body))).unwrap_or_default()
}

/// The largest of numbers with a place.
fn largest(numbers: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    numbers.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether joints, forces, links or contacts act on a body: what its energy grows by is then theirs.
fn bodies_that_are_held(model: &Model, loaded: &[Contact]) -> Vec<bool> {
    let mut held = vec![false; model.bodies().len()];
    let joints = model.joints().flat_map(|(_, joint)| joint.bodies());
    let forces = model.forces().flat_map(|(_, force)| force.bodies());
    let links = model.links().iter().filter_map(|(_, link)| link.body());
    joints.chain(forces).chain(links).for_each(|body| held[body.index()] = true);
    let touched = loaded.iter().flat_map(|contact| contact.bodies);
    touched.for_each(|body| held.get_mut(body as usize).into_iter().for_each(|held| *held = true));
    held
}

fn force_culprit(model: &Model, force: usize) -> Culprit {
    Culprit { kind: CulpritKind::Force, name: model.force(force).map_or("", |(name, _)| name).to_owned() }
}

/// Whether a contact has no spring of its own.
fn has_no_spring(model: &Model, contact: &Contact) -> bool {
    let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
    model.contact(a, b).softness.is_none()
}

fn liveliest_body(model: &Model, state: &State) -> Option<Culprit> {
    energy::liveliest(model, state).map(|body| Culprit::body(model.name_of(body)))
}

/// The bodies of a contact.
fn pair(model: &Model, contact: &Contact) -> Vec<Culprit> {
    contact.bodies.map(|body| Culprit::body(model.name_of(body as usize))).into()
}

/// Rows of joints and contacts with their answer.
pub(crate) struct AnsweredRows<'a> {
    /// Rows of joints and links, which come first: which of the model's each of them is.
    pub(crate) joint_rows: &'a [usize],
    /// The normal row of every contact.
    pub(crate) normals: &'a [usize],
    pub(crate) contacts: &'a [Contact],
    pub(crate) impulse: &'a [f64],
    pub(crate) relative_velocity: &'a [f64],
}

/// The joint, link or contact with the largest residual of its normal row: |y| of bilateral rows, |min(y, w g)| of others, with
/// w = 1/m_A + 1/m_B \[m/s\]. `None` where there are no rows.
pub(crate) fn worst_row(model: &Model, state: &State, rows: &AnsweredRows<'_>) -> Option<Vec<Culprit>> {
    let y = rows.relative_velocity;
    let joint = rows.joint_rows.iter().zip(y).map(|(&row, y)| (y.abs(), row)).max_by(|a, b| a.0.total_cmp(&b.0));
    let contacts = rows.contacts.iter().zip(rows.normals).map(|(contact, &row)| {
        let supports = Support::both(model, &state.nodes, contact);
        let mobility: f64 = supports.iter().map(|support| support.mobility(model)).sum();
        (y[row].min(mobility * rows.impulse[row]).abs(), contact)
    });
    let contact = contacts.max_by(|a, b| a.0.total_cmp(&b.0));
    match (joint, contact) {
        (Some((of_joint, row)), other) if other.is_none_or(|(of_contact, _)| of_joint >= of_contact) => {
            Some(vec![joints::culprit(model, joint_of_row(model, row))])
        }
        (_, Some((_, contact))) => Some(pair(model, contact)),
        (_, None) => None,
    }
}

/// The joint that has a row; links are counted after joints.
fn joint_of_row(model: &Model, row: usize) -> usize {
    let joints = model.joints().map(|(_, joint)| joint.rows());
    let links = model.links().iter().map(|(_, link)| link.rows());
    let mut end = 0;
    joints
        .chain(links)
        .take_while(|rows| {
            end += rows;
            end <= row
        })
        .count()
}
