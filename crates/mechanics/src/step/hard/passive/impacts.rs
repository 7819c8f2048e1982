//! Impacts: where bodies go that fly, touch or rebound within a step, and a rebound that never gains energy (§12.5 of the theory).
//!
//! A body that nothing but gravity and contacts act on flies by w = v + ½hg. An impact acts from its time τ on:
//!
//! ```text
//! w = v⁺ − ½hg − Σ (τ_k/h) M⁻¹D_kᵀλ_k          where nothing but rebounds and soft contacts carries
//! w = v⁺ − Σ (τ_k/h) M⁻¹D_kᵀλ_k                where it rests, rolls or slides
//! ```
//!
//! The impulse of a soft contact acts in the middle of the time that it touches ([`super::soft`]). Of two bodies that fly and rebound the last sum is taken along their relative velocity instead, by as much along the normal: they then keep their angular
//! momentum to rounding.
//!
//! Newton's law of restitution may gain energy where friction reverses the slip (Kane's paradox). The step is then solved once more without
//! rebounds, which only loses, and for every group of bodies that touch the two answers are mixed as far as
//!
//! ```text
//! E⁺ − E = ½‖v⁺‖²_M − ½‖v‖²_M − h f·w ≤ 0,       v⁺ = v₀ + θ(v₁ − v₀),  w = w₀ + θ(w₁ − w₀),  θ ∈ [0, 1] as large as possible
//! ```
//!
//! Balance of momentum, joints, the friction cone and the gaps hold for any mixture, being convex.

use super::resting;
use super::soft::SoftGap;
use crate::dynamics::columns::Columns;
use crate::dynamics::inertia::momentum_of;
use crate::dynamics::parameters::Parameters;
use crate::dynamics::rebound::Rebound;
use crate::dynamics::rotation::FreeTurn;
use crate::dynamics::rows::ContactRows;
use crate::step::hard::groups::grouped;
use crate::step::hard::rows::stabilisation;
use crate::step::hard::scheme::StepStart;
use crate::step::hard::tries::{Ask, Trial, is_hard};
use crate::{Model, RestitutionLaw, Softness, State, Vec3};
use signorini_collision::{Contact, NO_FACE};
use signorini_linalg::Halves;
use signorini_solver::Solution;
use signorini_solver::problem::BlockSlot;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts one task looks at.
const CONTACTS: usize = 2048;
/// Bodies come nearer by less than this speed by rounding \[m/s\].
const CLOSER: f64 = 1e-9;
/// A gain below this share of the kinetic energy is rounding.
const ROUNDING: f64 = 1e-12;

/// What flies, touches and rebounds.
pub(super) struct Impacts {
    /// Bodies that nothing but gravity and contacts act on.
    is_ballistic: Vec<bool>,
    /// Whether any material rebounds.
    has_rebounds: bool,
    /// Whether any material is soft.
    has_soft_contacts: bool,
    /// Whether deep overlaps are undone by moving bodies, so that rows give them no speed.
    parts_overlaps: bool,
    /// Bodies that overlap deeply with something: none of their overlaps is undone by speed, which levers could make large. Empty where there are none.
    is_deep: Vec<bool>,
    /// What every body is near to: nothing, one other, or several.
    partners: Vec<Partner>,
    /// w of an answer that was mixed.
    mixed: Option<Vec<f64>>,
}

/// What a body is near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Partner {
    Nobody,
    One(u32),
    Several,
}

/// An answer and where it leads.
struct Outcome<'a> {
    solution: &'a Solution,
    displacement: Vec<f64>,
}

impl Impacts {
    /// Those of a model whose bodies with an island are held by joints.
    pub(super) fn new(model: &Model, island_of: &[Option<u32>]) -> Self {
        let mut is_ballistic: Vec<bool> =
            model.bodies().iter().zip(island_of).map(|(body, island)| !body.is_fixed && island.is_none()).collect();
        let forces = model.forces().flat_map(|(_, force)| force.bodies());
        let joints = model.joints().flat_map(|(_, joint)| joint.bodies());
        forces.chain(joints).for_each(|body| is_ballistic[body.index()] = false);
        let linked = model.links().iter().filter_map(|(_, link)| link.body());
        linked.for_each(|body| is_ballistic[body.index()] = false);
        // What meets nodes of flexible bodies takes the same step as they do.
        if !model.flexible().is_empty() {
            is_ballistic.fill(false);
        }
        Self {
            is_ballistic,
            has_rebounds: model.has_rebounds(),
            has_soft_contacts: model.has_soft_contacts(),
            parts_overlaps: model.flexible().is_empty(),
            is_deep: Vec::new(),
            partners: Vec::new(),
            mixed: None,
        }
    }

    /// Whether nothing but gravity and contacts act on a body.
    pub(super) fn flies(&self, body: usize) -> bool {
        self.is_ballistic.get(body) == Some(&true)
    }

    /// Whether any material rebounds.
    pub(super) fn has_rebounds(&self) -> bool {
        self.has_rebounds
    }

    /// Looks at who is near to whom in a step.
    pub(super) fn look(&mut self, start: &StepStart<'_>, near: &[Contact]) {
        self.is_deep.clear();
        let deep = |contact: &&Contact| contact.gap < -start.parameters.deep_overlap && is_hard(start.model, contact);
        for contact in near.iter().filter(deep).filter(|_| self.parts_overlaps) {
            self.is_deep.resize(self.is_ballistic.len(), false);
            let moving = |body: &usize| !start.model.bodies()[*body].is_fixed;
            contact
                .bodies
                .map(|body| body as usize)
                .into_iter()
                .filter(moving)
                .for_each(|body| self.is_deep[body] = true);
        }
        self.partners.clear();
        if !self.has_rebounds {
            return;
        }
        self.partners.resize(self.is_ballistic.len(), Partner::Nobody);
        for contact in near {
            let [a, b] = contact.bodies;
            for (own, other) in [(a, b), (b, a)] {
                if let Some(partner) = self.partners.get_mut(own as usize) {
                    *partner = match *partner {
                        Partner::Nobody => Partner::One(other),
                        Partner::One(known) if known == other => Partner::One(other),
                        _ => Partner::Several,
                    };
                }
            }
        }
    }

    /// Whether the bodies of a contact that fly are near to nothing but each other.
    fn is_alone(&self, contact: &Contact) -> bool {
        let flying =
            contact.bodies.iter().map(|body| *body as usize).filter(|body| self.is_ballistic.get(*body) == Some(&true));
        flying.into_iter().all(|body| matches!(self.partners.get(body), Some(Partner::One(_))))
    }

    /// n·(s_B − s_A) with s = ½hg of bodies that fly \[m/s\].
    fn fall_between(&self, start: &StepStart<'_>, contact: &Contact) -> f64 {
        let flies = |side: usize| contact.faces[side] == NO_FACE && self.is_ballistic[contact.bodies[side] as usize];
        let half = 0.5 * start.parameters.step * contact.normal.dot(start.model.gravity());
        half * (f64::from(u8::from(flies(1))) - f64::from(u8::from(flies(0))))
    }

    /// How a contact rebounds, or that it is fast and does not meet within the step; `None` for one that does not rebound at all.
    fn fate(&self, start: &StepStart<'_>, contact: &Contact, rows: &ContactRows<'_>) -> Option<Option<Rebound>> {
        let Parameters { step, restitution_threshold, .. } = *start.parameters;
        if rows.law.restitution <= 0.0 {
            return None;
        }
        let approach = rows.parting(start.state);
        let acceleration = 2.0 / step * self.fall_between(start, contact);
        (approach < -restitution_threshold).then(|| {
            let rebound = Rebound::within(step, contact.gap, approach, acceleration, rows.law.restitution);
            rebound.filter(|rebound| rebound.after > 0.0)
        })
    }

    /// Rows that keep a contact from closing further than Φ + h D_n v ≥ 0, with its rebound. Where the try has a recovery speed for the
    /// contact, its overlap is undone no faster.
    pub(super) fn fill_contact(&self, start: &StepStart<'_>, ask: &Ask<'_>, k: usize, slot: BlockSlot<'_>) {
        let StepStart { model, columns, state, parameters, .. } = *start;
        let contact = &ask.near[k];
        let of_contact = ContactRows::new(model, state, contact);
        let softness = of_contact.law.softness.as_ref();
        if let Some((soft, gap)) = self.soft_gap(start, contact, &of_contact) {
            let (target, compliance) = match gap.touch(soft) {
                Some(touch) => touch.row(soft),
                // Nothing touches by flying; what others push against it meets it as a spring.
                None => {
                    let (target, compliance) = stabilisation(contact.gap, softness, parameters);
                    (target + self.fall_between(start, contact).min(0.0), compliance)
                }
            };
            of_contact.fill(columns, &[target, 0.0, 0.0, 0.0, 0.0], compliance, slot);
            return;
        }
        let (mut target, compliance) = stabilisation(resting::gap(start, contact), softness, parameters);
        // A soft contact gives way by itself; its target is the force of its spring.
        if contact.gap < 0.0 && softness.is_none() {
            target = ask.recovery_speeds.get(k).map_or(target, |speed| target.min(*speed));
            if contact.bodies.iter().any(|body| self.is_deep.get(*body as usize) == Some(&true)) {
                target = 0.0;
            }
        }
        match self.fate(start, contact, &of_contact) {
            Some(Some(rebound)) if ask.rebounds => target = target.max(rebound.after),
            // A body that is near to nothing else flies by w = v⁺ − ½hg: what does not meet is not to be slowed down.
            Some(None) if contact.gap > 0.0 && self.is_alone(contact) => {
                target += self.fall_between(start, contact).min(0.0);
            }
            _ => {}
        }
        of_contact.fill(columns, &[target, 0.0, 0.0, 0.0, 0.0], compliance, slot);
    }

    /// w of all velocities for an answer; of islands v⁺.
    pub(super) fn displacement(&mut self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> Vec<f64> {
        self.mixed.take().unwrap_or_else(|| self.displacement_of(trial, ask, solution))
    }

    fn displacement_of(&self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> Vec<f64> {
        let StepStart { model, columns, parameters, threads, .. } = trial.start;
        let (h, s) = (parameters.step, 0.5 * parameters.step * model.gravity());
        let mut w = solution.velocity().to_vec();
        let has_rebounds = self.has_rebounds && ask.rebounds;
        if s == Vec3::ZERO && !has_rebounds && !self.has_soft_contacts {
            return w;
        }
        let time_of = |contact: &Contact| self.time_of(&trial.start, contact, has_rebounds);
        // Groups with a body that rests, rolls, slides or is held go by v⁺, as a whole: neighbours must not come nearer by flying differently.
        let is_plain: Vec<AtomicBool> = self.is_ballistic.iter().map(|flies| AtomicBool::new(!flies)).collect();
        let halves = Halves::new(CONTACTS, threads);
        halves.for_ranges(ask.near.len(), &|range| {
            for k in range.filter(|k| carries(trial, ask, solution, *k)) {
                let contact = &ask.near[k];
                if time_of(contact).is_none() {
                    mark(&is_plain, contact);
                }
            }
        });
        let is_plain: Vec<bool> = is_plain.into_iter().map(AtomicBool::into_inner).collect();
        if is_plain.iter().all(|plain| *plain) {
            return w;
        }
        let moves = |body: usize| model.bodies().get(body).is_some_and(|body| !body.is_fixed);
        let pairs = ask.near.iter().map(|contact| contact.bodies.map(|body| body as usize));
        let group = grouped(model.bodies().len(), pairs.filter(|[a, b]| moves(*a) && moves(*b)));
        let mut is_plain_group = vec![false; group.len()];
        is_plain
            .iter()
            .enumerate()
            .filter(|(_, plain)| **plain)
            .for_each(|(body, _)| is_plain_group[group[body]] = true);
        let group_of = |contact: &Contact| {
            let [a, b] = contact.bodies.map(|body| body as usize);
            if moves(a) { group[a] } else { group[b.min(group.len() - 1)] }
        };
        for body in (0..group.len()).filter(|body| !is_plain_group[group[*body]]) {
            if let Some(at) = columns.of(body) {
                w[at..at + 3].iter_mut().zip(s.to_array()).for_each(|(w, s)| *w -= s);
            }
        }
        if has_rebounds || self.has_soft_contacts {
            for (k, contact) in ask.near.iter().enumerate().filter(|(_, contact)| !is_plain_group[group_of(contact)]) {
                let is_soft = self.is_soft(model, contact);
                if !is_soft && !carries(trial, ask, solution, k) {
                    continue;
                }
                if let Some(time) = time_of(contact) {
                    self.act_later(trial, ask, solution, (k, is_soft), time / h, &mut w);
                }
            }
        }
        // Nobody may come nearer to something hard by this than the answer has them.
        let flying =
            ask.near.iter().filter(|contact| !is_plain_group[group_of(contact)] && !self.is_soft(model, contact));
        let closer: Vec<usize> = flying
            .filter(|contact| {
                let is_same = !has_rebounds && contact.bodies.iter().all(|body| moves(*body as usize));
                !is_same && contact.gap + h * speed_by(&trial.start, contact, &w) < contact.gap.min(0.0) - CLOSER * h
            })
            .map(group_of)
            .collect();
        closer.into_iter().for_each(|group| is_plain_group[group] = true);
        for body in (0..group.len()).filter(|body| is_plain_group[group[*body]]) {
            if let Some(at) = columns.of(body) {
                w[at..at + 6].copy_from_slice(&solution.velocity()[at..at + 6]);
            }
        }
        w
    }

    /// When the impulse of a contact acts within the step \[s\]: a rebound, or a soft contact of bodies that fly. `None` for what acts all along it.
    pub(super) fn time_of(&self, start: &StepStart<'_>, contact: &Contact, with_rebounds: bool) -> Option<f64> {
        if !with_rebounds && !self.has_soft_contacts {
            return None;
        }
        let rows = ContactRows::new(start.model, start.state, contact);
        if let Some((soft, gap)) = self.soft_gap(start, contact, &rows) {
            return gap.touch(soft).map(|touch| touch.middle());
        }
        let rebound = if with_rebounds { self.fate(start, contact, &rows).flatten() } else { None };
        rebound.map(|rebound| rebound.time)
    }

    /// Whether a contact has a spring.
    fn is_soft(&self, model: &Model, contact: &Contact) -> bool {
        let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
        self.has_soft_contacts && model.contact(a, b).softness.is_some()
    }

    /// A soft contact of rigid bodies that fly or are fixed, as it is where the step begins; `None` for others, for those that are too stiff for
    /// the step, and where restitution says how bodies part.
    fn soft_gap<'a>(
        &self,
        start: &StepStart<'_>,
        contact: &Contact,
        rows: &ContactRows<'a>,
    ) -> Option<(&'a Softness, SoftGap)> {
        let soft = rows.law.softness.as_ref().filter(|_| rows.law.restitution <= 0.0)?;
        let (bodies, h) = (start.model.bodies(), start.parameters.step);
        let mut mobility = 0.0;
        for (side, &body) in contact.bodies.iter().enumerate() {
            let own = bodies.get(body as usize).filter(|_| contact.faces[side] == NO_FACE)?;
            if own.is_fixed {
                continue;
            }
            if !self.is_ballistic[body as usize] {
                return None;
            }
            let (linear, angular) = (&rows.parts[0][side], Vec3::from_slice(&rows.parts[0][side][3..6]));
            mobility += Vec3::from_slice(linear).length_squared() / own.mass;
            mobility += angular.dot(own.inertia.inverse() * angular);
        }
        let gap = SoftGap {
            step: h,
            gap: contact.gap,
            speed: rows.parting(start.state),
            acceleration: 2.0 / h * self.fall_between(start, contact),
            mass: mobility.recip(),
        };
        (!gap.is_stiff(soft)).then_some((soft, gap))
    }

    /// w −= share · M⁻¹Dᵀλ of contact `k`, on bodies that fly.
    fn act_later(
        &self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        solution: &Solution,
        (k, is_soft): (usize, bool),
        share: f64,
        w: &mut [f64],
    ) {
        let StepStart { model, columns, .. } = trial.start;
        let blocks = trial.problem.rows();
        let (block, rows) = (blocks.block(blocks.len() - ask.near.len() + k), trial.layout.rows_of(k));
        let mut push = vec![0.0; block.columns.len()];
        for (r, impulse) in solution.impulse()[rows].iter().enumerate() {
            push.iter_mut().zip(block.row(r)).for_each(|(sum, entry)| *sum += entry * impulse);
        }
        let contact = &ask.near[k];
        let bodies = contact.bodies.map(|body| body as usize);
        // Velocities that the impulse gives to a body that flies.
        let given = |body: usize| {
            let at = columns.of(body).filter(|_| self.is_ballistic[body])?;
            let first = block.columns.iter().position(|column| *column == at)?;
            let own = &model.bodies()[body];
            let linear = Vec3::from_slice(&push[first..]) / own.mass;
            Some((at, first, [linear, own.inertia.inverse() * Vec3::from_slice(&push[first + 3..])]))
        };
        if let ([Some(a), Some(b)], false) = (bodies.map(given), is_soft) {
            // Two bodies that fly and rebound: moved against each other along their relative velocity, which keeps their angular momentum.
            let velocity = |at: usize| Vec3::from_slice(&solution.velocity()[at..]);
            let apart = velocity(b.0) - velocity(a.0);
            let parting = |(_, first, [linear, angular]): (usize, usize, [Vec3; 2])| {
                let row = &block.row(0)[first..];
                Vec3::from_slice(row).dot(linear) + Vec3::from_slice(&row[3..]).dot(angular)
            };
            let (needed, along) = (share * (parting(a) + parting(b)), contact.normal.dot(apart));
            if along > 0.0 {
                let (shift, masses) = ((needed / along).min(1.0) * apart, bodies.map(|body| model.bodies()[body].mass));
                let whole = masses[0] + masses[1];
                for (at, part) in [(a.0, shift * (masses[1] / whole)), (b.0, -shift * (masses[0] / whole))] {
                    w[at..at + 3].iter_mut().zip(part.to_array()).for_each(|(w, part)| *w += part);
                }
            }
            return;
        }
        for (at, _, [linear, angular]) in bodies.into_iter().filter_map(given) {
            for (w, part) in w[at..at + 6].iter_mut().zip([linear, angular].map(|v| v.to_array()).as_flattened()) {
                *w -= share * part;
            }
        }
    }

    /// Whether bodies that touch have gained energy in an answer with rebounds, which the law of restitution does not allow.
    pub(super) fn gains(
        &self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        solution: &Solution,
        turns: &[Option<FreeTurn>],
    ) -> bool {
        let law = trial.start.parameters.restitution_law;
        if law == RestitutionLaw::Newton || !self.has_rebounds || !ask.rebounds {
            return false;
        }
        if !self.rebounds_at_all(trial, ask, solution) {
            return false;
        }
        let outcome = Outcome { displacement: self.displacement_of(trial, ask, solution), solution };
        let groups = groups(trial, ask, &[solution]);
        Energies::new(trial, turns).changes(&groups, &outcome).iter().any(|(change, size)| *change > ROUNDING * size)
    }

    fn rebounds_at_all(&self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> bool {
        let StepStart { model, state, .. } = trial.start;
        (0..ask.near.len()).any(|k| {
            let contact = &ask.near[k];
            let of_contact = || ContactRows::new(model, state, contact);
            carries(trial, ask, solution, k) && self.fate(&trial.start, contact, &of_contact()).flatten().is_some()
        })
    }

    /// Mixes an answer with rebounds into one without, as far as no group of bodies gains energy; returns the shares θ of rows. `ask` is that of the
    /// answer with rebounds.
    pub(super) fn mix(
        &mut self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        rebounding: &Solution,
        calm: &mut Solution,
        turns: &[Option<FreeTurn>],
    ) -> Vec<f64> {
        let one = Outcome { displacement: self.displacement_of(trial, ask, rebounding), solution: rebounding };
        let zero = Outcome { displacement: self.displacement_of(trial, &ask.without_rebounds(), calm), solution: calm };
        let groups = groups(trial, ask, &[rebounding, calm]);
        let shares = Energies::new(trial, turns).shares(&groups, &zero, &one);
        let columns = trial.start.columns;
        let mut displacement = zero.displacement;
        for body in 0..trial.start.model.bodies().len() {
            let (Some(at), share) = (columns.of(body), shares[groups[body]]) else { continue };
            for k in at..at + 6 {
                displacement[k] += share * (one.displacement[k] - displacement[k]);
                let (to, from) = (&mut calm.iterate.velocity[k], rebounding.velocity()[k]);
                *to += share * (from - *to);
            }
        }
        let rows = share_of_rows(trial, ask, &groups, &shares);
        for (row, share) in rows.iter().enumerate() {
            let (to, from) = (&mut calm.iterate.impulse[row], rebounding.impulse()[row]);
            *to += share * (from - *to);
            let (to, from) = (&mut calm.relative_velocity[row], rebounding.relative_velocity[row]);
            *to += share * (from - *to);
        }
        self.mixed = Some(displacement);
        rows
    }
}

/// Whether the impulse of a contact alone would part its bodies faster than they part.
fn carries(trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution, k: usize) -> bool {
    let (contact, row) = (&ask.near[k], trial.layout.normals()[k]);
    let impulse = solution.impulse()[row];
    if impulse <= 0.0 {
        return false;
    }
    let mobility = |side: usize| match contact.faces[side] {
        NO_FACE => {
            let body = &trial.start.model.bodies()[contact.bodies[side] as usize];
            if body.is_fixed { 0.0 } else { body.mass.recip() }
        }
        // Nodes are light.
        _ => f64::INFINITY,
    };
    impulse * (mobility(0) + mobility(1)) > solution.relative_velocity[row]
}

/// How fast the bodies of a contact part by these velocities \[m/s\].
fn speed_by(start: &StepStart<'_>, contact: &Contact, velocity: &[f64]) -> f64 {
    let rows = ContactRows::new(start.model, start.state, contact);
    let of = |side: usize| {
        let at = start.columns.of(contact.bodies[side] as usize)?;
        Some((0..6).map(|k| rows.parts[0][side][k] * velocity[at + k]).sum::<f64>())
    };
    of(0).unwrap_or(0.0) + of(1).unwrap_or(0.0)
}

/// Marks the rigid bodies of a contact.
fn mark(flags: &[AtomicBool], contact: &Contact) {
    for (side, body) in contact.bodies.into_iter().enumerate() {
        if contact.faces[side] == NO_FACE {
            flags[body as usize].store(true, Ordering::Relaxed);
        }
    }
}

/// The group of every body: those that carry each other in one of the answers, or are jointed, are in one.
fn groups(trial: &Trial<'_>, ask: &Ask<'_>, answers: &[&Solution]) -> Vec<usize> {
    let model = trial.start.model;
    let moves = |body: usize| model.bodies().get(body).is_some_and(|body| !body.is_fixed);
    let loaded = (0..ask.near.len()).filter(|k| answers.iter().any(|answer| carries(trial, ask, answer, *k)));
    let contacts = loaded.map(|k| ask.near[k].bodies.map(|body| body as usize));
    let joints = model.joints().map(|(_, joint)| joint.bodies().map(|body| body.index()));
    grouped(model.bodies().len(), contacts.chain(joints).filter(|[a, b]| moves(*a) && moves(*b)))
}

/// θ of every row from that of the group it belongs to.
fn share_of_rows(trial: &Trial<'_>, ask: &Ask<'_>, groups: &[usize], shares: &[f64]) -> Vec<f64> {
    let StepStart { model, .. } = trial.start;
    let moves = |body: usize| model.bodies().get(body).is_some_and(|body| !body.is_fixed);
    let of_pair = |[a, b]: [usize; 2]| match (moves(a), moves(b)) {
        (true, _) => shares[groups[a]],
        (false, true) => shares[groups[b]],
        (false, false) => 1.0,
    };
    let mut rows = vec![1.0; trial.problem.row_count()];
    let joints = model
        .joints()
        .flat_map(|(_, joint)| std::iter::repeat_n(joint.bodies().map(|body| body.index()), joint.rows()));
    for (row, pair) in joints.enumerate() {
        if let Some(row) = trial.layout.row_in_problem(row) {
            rows[row] = of_pair(pair);
        }
    }
    for (k, contact) in ask.near.iter().enumerate() {
        let share = of_pair(contact.bodies.map(|body| body as usize));
        rows[trial.layout.rows_of(k)].fill(share);
    }
    rows
}

/// Energies of bodies in a step.
struct Energies<'a> {
    model: &'a Model,
    columns: &'a Columns,
    state: &'a State,
    /// −c.
    linear: &'a [f64],
    turns: &'a [Option<FreeTurn>],
}

impl<'a> Energies<'a> {
    fn new(trial: &'a Trial<'_>, turns: &'a [Option<FreeTurn>]) -> Self {
        let StepStart { model, columns, state, .. } = trial.start;
        Self { model, columns, state, linear: trial.problem.linear(), turns }
    }

    /// M applied to six velocities of a body.
    fn momentum(&self, body: usize, v: &[f64]) -> [f64; 6] {
        momentum_of(&self.model.bodies()[body], v)
    }

    /// The velocities before the step, after the turn that a body makes by itself, and h f.
    fn before(&self, body: usize, at: usize) -> ([f64; 6], [f64; 6]) {
        let spin = self.turns.get(body).copied().flatten().map(|turn| turn.after);
        let (v, omega) = (self.state.velocities[body], spin.unwrap_or(self.state.angular_velocities[body]));
        let before = [v.x, v.y, v.z, omega.x, omega.y, omega.z];
        let momentum = self.momentum(body, &before);
        (before, std::array::from_fn(|k| -self.linear[at + k] - momentum[k]))
    }

    /// E⁺ − E of every group, and the kinetic energy it is compared with.
    fn changes(&self, groups: &[usize], outcome: &Outcome<'_>) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); groups.len()];
        for (body, group) in groups.iter().enumerate() {
            let Some(at) = self.columns.of(body) else { continue };
            let (before, pushed) = self.before(body, at);
            let after = &outcome.solution.velocity()[at..at + 6];
            let kinetic = |v: &[f64]| 0.5 * dot(v, &self.momentum(body, v));
            let (sum, size) = &mut sums[*group];
            *sum += kinetic(after) - kinetic(&before) - dot(&pushed, &outcome.displacement[at..at + 6]);
            *size += kinetic(after) + kinetic(&before);
        }
        sums
    }

    /// θ of every group.
    fn shares(&self, groups: &[usize], zero: &Outcome<'_>, one: &Outcome<'_>) -> Vec<f64> {
        let (calm, lively) = (self.changes(groups, zero), self.changes(groups, one));
        let mut squares = vec![0.0; groups.len()];
        for (body, group) in groups.iter().enumerate() {
            let Some(at) = self.columns.of(body) else { continue };
            let (a, b) = (&zero.solution.velocity()[at..at + 6], &one.solution.velocity()[at..at + 6]);
            let difference: [f64; 6] = std::array::from_fn(|k| b[k] - a[k]);
            squares[*group] += 0.5 * dot(&difference, &self.momentum(body, &difference));
        }
        let share = |group: usize| {
            let ((e0, _), (e1, size), square) = (calm[group], lively[group], squares[group]);
            if e1 <= ROUNDING * size {
                return 1.0;
            }
            share_without_gain(e0, e1, square)
        };
        (0..groups.len()).map(share).collect()
    }
}

/// The largest θ ∈ [0, 1] with E(θ) = e0 + (e1 − e0 − square) θ + square θ² ≤ 0, for e1 > 0; 0 where there is none.
pub(crate) fn share_without_gain(e0: f64, e1: f64, square: f64) -> f64 {
    let slope = e1 - e0 - square;
    if e0 >= 0.0 || square <= 0.0 {
        return 0.0;
    }
    let root = (slope * slope - 4.0 * square * e0).sqrt();
    let largest = if slope > 0.0 { -2.0 * e0 / (slope + root) } else { (root - slope) / (2.0 * square) };
    largest.clamp(0.0, 1.0)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
