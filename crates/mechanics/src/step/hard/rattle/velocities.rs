//! The second stage: velocities at the end of the step.
//!
//! ```text
//! M v⁺ = M v½ + p − D⁺ᵀλ₁ + C⁺ᵀγ₂ + D⁺ᵀΛ      Λ = λ₁ + λ₂ ∈ K, λ₁ carried along with the contact's frame
//! C⁺v⁺ = −Ψ_t                                 D⁺v⁺ − b ∈ K*,  Λ·(D⁺v⁺ − b) = 0  (Coulomb's law)
//! normal      b = −ε u⁻ for a contact that closed within the step faster than a threshold, else 0
//! tangents    b = u½ − u⁻ where it slid all along: D⁺v⁺ − b is then the slip of the middle of the step
//! soft        b = D_n⁺(2v½ − v) + 2 E λ₁: the spring's impulse of the first half once more, where nothing jumps
//! ```
//!
//! In the problem are contacts that carried an impulse in the first stage, and those that overlap.

use super::ends::{IslandEnd, IslandEnds};
use super::{correction, middle};
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::inertia::{mass_matrix, momentum_of};
use crate::dynamics::rows::{self, ContactRows, Rows};
use crate::joint::RowKind;
use crate::step::hard::island::Islands;
use crate::step::hard::layout::{RowLayout, vectors};
use crate::step::hard::scheme::{FirstStage, StepStart};
use crate::step::hard::tries::late_feature;
use crate::{Frame, Model, Quat, State, Vec3};
use signorini_collision::Contact;
use signorini_solver::problem::{Compliance, Inertia};
use signorini_solver::{ConeProblem, Iterate, ProblemError, Solution};
use std::sync::Arc;

/// A contact slid all along if its slip changed by at most this share in half a step.
const STEADY_SLIP: f64 = 0.5;

/// What the first stage ended with, and where the step started.
pub(super) struct First<'a> {
    pub(super) stage: &'a FirstStage<'a>,
    pub(super) start: &'a StepStart<'a>,
    pub(super) islands: &'a Islands,
    pub(super) ends: &'a IslandEnds,
}

/// A contact of the second stage.
pub(super) struct Closed {
    /// As it is at the end of the step.
    pub(super) contact: Contact,
    /// Which contact of the first stage it was.
    pub(super) from: Option<usize>,
    /// λ₁ in its frame now: normal, tangents, rolling.
    given: [f64; 5],
}

/// The problem of the second stage and what is needed to read its answer.
pub(super) struct Velocities {
    layout: RowLayout,
    pub(super) closed: Vec<Closed>,
    /// Row of every joint row of the model; `None` for those that are not in this problem.
    joint_row: Vec<Option<usize>>,
    /// Joint rows of the model whose impulse here is that of the whole step.
    is_total: Vec<bool>,
    /// A good start.
    pub(super) start: Iterate,
    /// M v and the impulses of everything but contacts.
    pub(super) without_contacts: Vec<f64>,
}

impl First<'_> {
    /// Whether a joint row is not in the problem of velocities, as those of its island are known; so are those of fixed bodies.
    fn is_known(&self, row: usize) -> bool {
        let end = self.islands.of_row(row).map(|island| &self.ends.of_island[island]);
        !matches!(end, Some(IslandEnd::Touching { .. }))
    }

    /// Whether velocities of a body are known, as nothing was near to its island.
    fn is_settled(&self, body: u32) -> bool {
        let end = self.islands.of_body(body as usize).map(|island| &self.ends.of_island[island]);
        matches!(end, Some(IslandEnd::Apart { .. }))
    }

    /// Whether a contact carried an impulse.
    fn carried(&self, contact: usize) -> bool {
        let FirstStage { contacts, layout, solution, .. } = self.stage;
        carries(self.start.model, &contacts[contact], layout.normals()[contact], solution)
    }

    /// Five numbers of a contact's rows; 0 where its law has fewer.
    fn five(&self, contact: usize, of: &[f64]) -> [f64; 5] {
        self.stage.layout.parts(contact, of)
    }

    /// E of a contact's normal row.
    fn compliance(&self, contact: usize) -> f64 {
        match self.stage.problem.compliance() {
            Compliance::Diagonal(e) => e[self.stage.layout.normals()[contact]],
            _ => 0.0,
        }
    }

    /// Contacts of the second stage, in the order of their names, from those `found` where the bodies arrived.
    fn closed(&self, after: &State, found: &[Contact]) -> Vec<Closed> {
        let StepStart { model, state: before, .. } = *self.start;
        let known_contacts = self.stage.contacts;
        let carried: Vec<bool> = (0..known_contacts.len()).map(|k| self.carried(k)).collect();
        let mut is_there = vec![false; known_contacts.len()];
        let known = |id: ContactId| known_contacts.binary_search_by_key(&id, ContactId::of).ok();
        let mut closed = Vec::new();
        for contact in found {
            let id = ContactId::of(contact);
            // A point found late has a name of its own in the problem it was put into.
            let late = ContactId { feature: late_feature(id.feature), ..id };
            let from = [id, late].into_iter().filter_map(known).find(|&k| carried[k]);
            if let Some(k) = from {
                is_there[k] = true;
            }
            // What was too far away to be in the first stage is left to the next step.
            if from.is_none() && contact.bodies.iter().any(|body| self.is_settled(*body)) {
                continue;
            }
            // A soft contact that gave no impulse has none to give.
            let is_hard = || ContactRows::new(model, after, contact).law.softness.is_none();
            if from.is_some() || (contact.gap < 0.0 && is_hard()) {
                closed.push(Closed { contact: *contact, from, given: [0.0; 5] });
            }
        }
        // What carried an impulse and is not found any more is taken along by the bodies.
        for k in (0..known_contacts.len()).filter(|&k| carried[k] && !is_there[k]) {
            let contact = &known_contacts[k];
            let along = |side: usize| {
                let body = contact.bodies[side] as usize;
                after.poses[body] * (before.poses[body].inverse() * contact.points[side])
            };
            let points = [along(0), along(1)];
            let gap = contact.normal.dot(points[1] - points[0]);
            closed.push(Closed { contact: Contact { points, gap, ..*contact }, from: Some(k), given: [0.0; 5] });
        }
        closed.sort_by_key(|closed| ContactId::of(&closed.contact));
        closed
    }
}

/// Vectors of a contact's frame at the start of a step, in that of its end: turned with the normal, by the shortest way.
struct Carry {
    turn: Quat,
    from: Frame,
    to: Frame,
}

impl Carry {
    fn new(from: Vec3, to: Vec3) -> Self {
        Self { turn: Quat::from_rotation_arc(from, to), from: Frame::about(from), to: Frame::about(to) }
    }

    /// Normal, tangents and rolling directions.
    fn components(&self, parts: [f64; 5]) -> [f64; 5] {
        // Not a bit is lost where nothing turns: a light body may have heavy ones above and below.
        if self.from == self.to {
            return parts;
        }
        let [n, t, w, r, s] = parts;
        let [n, t, w] = self.to.components(self.turn * self.from.vector([n, t, w]));
        let [_, r, s] = self.to.components(self.turn * self.from.vector([0.0, r, s]));
        [n, t, w, r, s]
    }
}

/// Writes the problem of the second stage. `after` has the positions q⁺ and the velocities v½; rebounds are left out if `is_plastic`.
pub(super) fn assemble(
    first: &First<'_>,
    after: &State,
    found: &[Contact],
    is_plastic: bool,
    problem: &mut ConeProblem,
) -> Result<Velocities, ProblemError> {
    let StepStart { model, columns, state: before, parameters, threads } = *first.start;
    let (v, v_half) = (columns.gather(before, threads), first.stage.solution.velocity());
    let mut closed = first.closed(after, found);
    let mut rows = Rows::new(columns, closed.len());
    let (joint_row, is_total) = push_joints(model, first, after, &mut rows);
    let joint_rows = rows.offset.len();
    let speeds_before = {
        let mut speeds = vec![0.0; first.stage.problem.row_count()];
        first.stage.problem.rows().mul(&v, &mut speeds);
        speeds
    };
    let mut contact_rows = Vec::with_capacity(closed.len());
    for closed in &mut closed {
        let of_contact = ContactRows::new(model, after, &closed.contact);
        let (mut offset, mut compliance) = ([0.0; 5], 0.0);
        let approach = closed
            .from
            .map_or_else(|| of_contact.parting(first.start.state), |k| speeds_before[first.stage.layout.normals()[k]]);
        if let Some(k) = closed.from {
            let carry = Carry::new(first.stage.contacts[k].normal, closed.contact.normal);
            closed.given = carry.components(first.five(k, first.stage.solution.impulse()));
            // y of the first stage is the slip of the middle.
            let half = carry.components(first.five(k, &first.stage.solution.relative_velocity));
            let start = carry.components(first.five(k, &speeds_before));
            for [i, j] in [[1, 2], [3, 4]] {
                let change = [half[i] - start[i], half[j] - start[j]];
                if change[0].hypot(change[1]) <= STEADY_SLIP * half[i].hypot(half[j]) {
                    (offset[i], offset[j]) = (change[0], change[1]);
                }
            }
            compliance = first.compliance(k);
            if compliance > 0.0 {
                let predicted = 2.0 * of_contact.parting(after) - of_contact.parting(first.start.state);
                offset[0] = predicted + 2.0 * compliance * closed.given[0];
            }
        }
        // A hard contact of this stage has closed; a soft one may be pressed by its spring alone.
        let has_met = compliance == 0.0 || closed.contact.gap <= 0.0;
        if has_met && approach < -parameters.restitution_threshold && !is_plastic {
            offset[0] = offset[0].max(-of_contact.law.restitution * approach);
        }
        contact_rows.push(of_contact.push(&offset, compliance, &mut rows));
    }
    // A start, and the impulses of limits and ropes that are counted as a whole.
    let row_count = rows.offset.len();
    let (mut given, mut impulse) = (vec![0.0; row_count], vec![0.0; row_count]);
    for (k, row) in joint_row.iter().enumerate() {
        if let Some(row) = row.filter(|_| is_total[k]) {
            (given[row], impulse[row]) = (first.ends.impulses[k], first.ends.impulses[k]);
        }
    }
    for (k, closed) in closed.iter().enumerate() {
        let end = contact_rows.get(k + 1).copied().unwrap_or(row_count);
        for (part, row) in (contact_rows[k]..end).enumerate() {
            impulse[row] = 2.0 * closed.given[part];
        }
    }
    let mut momentum = free_momentum(model, first, &v);
    correction::add(
        model,
        columns,
        &middle(model, first.start.state, parameters.step),
        v_half,
        parameters,
        &mut momentum,
    );
    put_islands(first, &mut momentum);
    let without_contacts = momentum.clone();
    add_turned(first, &closed, after, &mut momentum);
    rows.add_transposed(-1.0, &given, &mut momentum);
    momentum.iter_mut().for_each(|p| *p = -*p);
    let free = FreeMotion { inertia: Arc::new(Inertia::BlockDiagonal(mass_matrix(model))), linear: momentum };
    rows.write(&free, threads, problem)?;
    let layout = RowLayout::new(joint_rows, contact_rows, row_count);
    let start = Iterate { velocity: v_half.to_vec(), impulse };
    Ok(Velocities { layout, closed, joint_row, is_total, start, without_contacts })
}

/// Puts in the momenta that Newton's method has found for islands.
fn put_islands(first: &First<'_>, momentum: &mut [f64]) {
    let StepStart { model, columns, .. } = *first.start;
    for (island, end) in first.islands.list.iter().zip(&first.ends.of_island) {
        for (k, &body) in island.bodies.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            let to = &mut momentum[at..at + 6];
            match end {
                IslandEnd::Apart { velocity } => {
                    to.copy_from_slice(&momentum_of(&model.bodies()[body], &velocity[6 * k..]));
                }
                IslandEnd::Touching { momentum } => to.copy_from_slice(&momentum[6 * k..6 * k + 6]),
            }
        }
    }
}

/// M v + 2p with p = −c − (H − M) v½ − M v: the momentum by forces alone.
fn free_momentum(model: &Model, first: &First<'_>, v: &[f64]) -> Vec<f64> {
    let (problem, v_half) = (first.stage.problem, first.stage.solution.velocity());
    let mass = mass_matrix(model);
    let mut momentum: Vec<f64> = problem.linear().iter().map(|c| -2.0 * c).collect();
    if !matches!(problem.inertia(), Inertia::BlockDiagonal(h) if *h == mass) {
        problem.inertia().mul_add(-2.0, v_half, &mut momentum);
        mass.mul_add(2.0, v_half, &mut momentum);
    }
    mass.mul_add(-1.0, v, &mut momentum);
    momentum
}

/// Adds Jᵀg of the first stage, less D⁺ᵀλ₁ of contacts in the second: by differences of rows, which are small where impulses are
/// large.
fn add_turned(first: &First<'_>, closed: &[Closed], after: &State, momentum: &mut [f64]) {
    let StepStart { model, columns, .. } = *first.start;
    let mut others = first.stage.solution.impulse().to_vec();
    // Momenta of islands have what their joints do.
    others[..first.stage.layout.joints()].fill(0.0);
    for closed in closed {
        let Some(k) = closed.from else { continue };
        others[first.stage.layout.rows_of(k)].fill(0.0);
        let was = ContactRows::new(model, first.start.state, &first.stage.contacts[k]);
        let is = ContactRows::new(model, after, &closed.contact);
        let given = first.five(k, first.stage.solution.impulse());
        for (side, body) in first.stage.contacts[k].bodies.into_iter().map(|body| body as usize).enumerate() {
            let Some(at) = columns.of(body) else { continue };
            for (i, sum) in momentum[at..at + 6].iter_mut().enumerate() {
                // d λ − d⁺λ⁺ = (d − d⁺) λ + d⁺(λ − λ⁺)
                let turned = |r: usize| {
                    let (d, d_after) = (was.parts[r][side][i], is.parts[r][side][i]);
                    (d - d_after) * given[r] + d_after * (given[r] - closed.given[r])
                };
                *sum += (0..was.count).map(turned).sum::<f64>();
            }
        }
    }
    first.stage.problem.rows().mul_transpose_add(1.0, &others, momentum);
}

/// C⁺v⁺ = −Ψ_t; inequalities (≥) that carried an impulse or are violated. Returns the row of every joint row of the model, and which of them are
/// inequalities.
fn push_joints(
    model: &Model,
    first: &First<'_>,
    after: &State,
    rows: &mut Rows<'_>,
) -> (Vec<Option<usize>>, Vec<bool>) {
    let (mut joint_row, mut is_total) = (Vec::new(), Vec::new());
    let mut next = 0;
    rows::push_joints(model, after, after.time, rows, |index, row| {
        let is_closed = match row.kind {
            _ if first.is_known(index) => false,
            RowKind::Equal => true,
            RowKind::AtLeastZero => row.value < 0.0 || first.ends.holds[index],
        };
        is_total.push(row.kind == RowKind::AtLeastZero);
        joint_row.push(is_closed.then_some(next));
        next += usize::from(is_closed);
        is_closed.then_some(-row.rate)
    });
    (joint_row, is_total)
}

/// Whether the impulse of a contact alone would part the bodies faster than asked: w λ_n > y_n, w = 1/m_A + 1/m_B.
fn carries(model: &Model, contact: &Contact, row: usize, solution: &Solution) -> bool {
    let bodies = contact.bodies.map(|body| &model.bodies()[body as usize]);
    let mobility: f64 = bodies.iter().filter(|body| !body.is_fixed).map(|body| 1.0 / body.mass).sum();
    mobility * solution.impulse()[row] > solution.relative_velocity[row]
}

impl Velocities {
    /// Impulses of all joint rows over the whole step.
    pub(super) fn joint_impulses(&self, first: &First<'_>, solution: &Solution) -> Vec<f64> {
        let of_row = |(k, row): (usize, &Option<usize>)| match *row {
            Some(row) if self.is_total[k] => solution.impulse()[row],
            Some(row) => first.ends.impulses[k] + solution.impulse()[row],
            None => first.ends.impulses[k],
        };
        self.joint_row.iter().enumerate().map(of_row).collect()
    }

    /// All contacts of the step, in the order of their names, with their impulses over the whole of it.
    pub(super) fn contact_impulses(&self, first: &First<'_>, solution: &Solution) -> Vec<(Contact, Impulse)> {
        let mut all: Vec<(Contact, Impulse)> = (0..first.stage.contacts.len())
            .map(|k| {
                let contact = first.stage.contacts[k];
                (contact, vectors(&Frame::about(contact.normal), first.five(k, first.stage.solution.impulse())))
            })
            .collect();
        for (k, closed) in self.closed.iter().enumerate() {
            let mut second = self.layout.parts(k, solution.impulse());
            second.iter_mut().zip(closed.given).for_each(|(total, given)| *total -= given);
            let second = vectors(&Frame::about(closed.contact.normal), second);
            match closed.from {
                Some(at) => {
                    all[at].1.linear += second.linear;
                    all[at].1.rolling += second.rolling;
                }
                None => all.push((closed.contact, second)),
            }
        }
        all.sort_by_key(|(contact, _)| ContactId::of(contact));
        all
    }

    /// How many contacts carry force, by the measure of the first stage.
    pub(super) fn active(&self, model: &Model, solution: &Solution) -> usize {
        let rows = self.layout.normals().iter();
        self.closed.iter().zip(rows).filter(|(closed, row)| carries(model, &closed.contact, **row, solution)).count()
    }

    /// Every row of the problem with the bodies it acts on.
    pub(super) fn bodies_of_rows(&self, model: &Model) -> Vec<(usize, [usize; 2])> {
        let of_joints = model
            .joints()
            .flat_map(|(_, joint)| std::iter::repeat_n(joint.bodies().map(|body| body.index()), joint.rows()));
        let joints = self.joint_row.iter().zip(of_joints).filter_map(|(row, bodies)| row.map(|row| (row, bodies)));
        let contacts = self.closed.iter().enumerate().flat_map(|(k, closed)| {
            let bodies = closed.contact.bodies.map(|body| body as usize);
            self.layout.rows_of(k).map(move |row| (row, bodies))
        });
        joints.chain(contacts).collect()
    }

    /// Whether a contact of the problem is to rebound.
    pub(super) fn has_rebounds(&self, problem: &ConeProblem) -> bool {
        self.layout.normals().iter().any(|&row| problem.offset()[row] > 0.0)
    }
}
