//! Bodies that joints and forces hold together, and the equations of their step (§12.2 of the theory).
//!
//! ```text
//! H w + g(w) = p + C̄ᵀγ + Dᵀλ,    Ψ(q ⊕ hw, t + h) = 0,    v⁺ = v + Θ⁻¹(w − v)
//! H = MΘ⁻¹ + hR + h²ϑK,   p = MΘ⁻¹v + h f + hRv,   g(w) = hκ W × IW
//! ```
//!
//! Where forces are asked for in the middle of the way, h f(q ⊕ ½hw, w, t + ½h) takes the place of their expansion in p and H: the step is then of
//! second order for any force.
//!
//! Newton's method with contacts kept linear: those that carry stay as they are along the directions they hold, D_a w = D_a w₀, and the rest
//! of their impulses is what it was. Limits and ropes are equations where they carry, and are let go where they would pull.

mod contacts;
mod matrix;
mod parts;
mod set;

pub(crate) use contacts::IslandContacts;
pub(crate) use set::{Islands, Sent, StartOfIsland, miss};

use super::groups::grouped;
use crate::diagnostics::motion;
use crate::dynamics::inertia::momentum_of;
use crate::dynamics::mean_rows::{Displacement, JointWay, MeanRow, Way};
use crate::dynamics::parameters::Parameters;
use crate::dynamics::rotation::{cayley_tangent, mean_spin, spin_scale};
use crate::dynamics::smooth::tangents::gyroscopic;
use crate::force::{Motion, Tangent, Wrench, cross_matrix};
use crate::joint::{MAX_ROWS, Row, RowKind, wrapped};
use crate::{Gyroscopic, Mat3, Model, Pose, State, Vec3};
use matrix::{ContactRow, Parts, SaddleMatrix, SaddleRow};
use std::borrow::Cow;

/// ε of the matrix.
const COMPLIANCE: f64 = 1e-12;
/// The same of contacts. More of them than a body needs, and joints, hold it in the answer of the step's problem only as accurately as that was solved: what
/// they contradict each other by, a speed of some r, is answered by impulses of r/ε in place of what a stiffer matrix would make of it.
const CONTACT_COMPLIANCE: f64 = 1e-4;
/// Most factors of Newton's method.
const ITERATIONS: u32 = 15;
/// A factor is used again while it leaves no more than this share of the error.
const WORTHWHILE: f64 = 0.2;
/// How often limits and ropes may change sides.
const CHANGES: u32 = 8;
/// Reactions turn a body by less than this share within a step: Newton's method can do without their stiffness.
const NEGLIGIBLE: f64 = 0.03;
/// Joints are closed to this share of the model's length.
const CLOSED: f64 = 1e-12;
/// Joints that are open by more than this share of the length are closed once more.
const LEAST_GAP: f64 = 2e-11;
/// Contacts may do more work along the way of Newton's method than in the answer it began with by this share of the kinetic energy and of that work.
const MORE_WORK: f64 = 1e-3;
/// Joints that are open by more than this share of the length where Newton's method has converged contradict each other; the heaviest loads
/// leave less.
const CONTRADICTION: f64 = 1e-4;
/// The same for what rests, as a share of the energy of falling for one step.
const REST: f64 = 1e-6;
/// Momentum is in balance to this share of what bodies have.
const BALANCED: f64 = 1e-10;

/// A joint of an island.
struct IslandJoint {
    /// Its place among the joints of the model.
    index: usize,
    bodies: [usize; 2],
    /// First velocities of its bodies in the island; `None` for what is fixed.
    at: [Option<usize>; 2],
    /// Its first row in the island, and among those of all joints of the model.
    first: usize,
    first_of_model: usize,
    count: usize,
    /// How far it is from the centres of mass of its bodies \[m\].
    levers: [f64; 2],
    /// Points that its first three rows hold together.
    held_points: Option<[Vec3; 2]>,
    /// Axes that the rows after these keep at right angles.
    held_axes: Vec<[Vec3; 2]>,
}

/// A joint of the model, as far as islands are found by it.
struct JointPlace {
    bodies: [usize; 2],
    rows: usize,
    /// How far it is from the centres of mass of its bodies \[m\].
    levers: [f64; 2],
    held_points: Option<[Vec3; 2]>,
    held_axes: Vec<[Vec3; 2]>,
}

/// A force whose tangent couples bodies of an island.
struct IslandForce {
    index: usize,
    bodies: [usize; 2],
    at: [Option<usize>; 2],
}

impl IslandForce {
    /// The motions of its bodies in the middle of their ways, the time there, and what it remembers.
    fn in_the_middle<'a>(&self, step: &IslandStep<'a>, ways: &[Way], w: &[f64]) -> ([Motion; 2], f64, &'a [f64]) {
        let of = |side: usize| match self.at[side] {
            Some(at) => Motion {
                pose: ways[at / 6].middle,
                velocity: Vec3::from_slice(&w[at..]),
                angular_velocity: Vec3::from_slice(&w[at + 3..]),
            },
            None => motion(step.state, self.bodies[side]),
        };
        // A force on one body alone has no second place of its own.
        let other = if self.bodies[0] == self.bodies[1] { of(0) } else { of(1) };
        let memory = &step.memory[step.model.memory_layout().range(self.index)];
        ([of(0), other], step.time - 0.5 * step.step, memory)
    }
}

/// Bodies that are held together.
pub(crate) struct Island {
    /// Bodies of the model, ascending.
    pub(crate) bodies: Vec<usize>,
    joints: Vec<IslandJoint>,
    forces: Vec<IslandForce>,
    rows: usize,
    /// A length of the model \[m\].
    length: f64,
    matrix: SaddleMatrix,
    room: Room,
}

/// What a step is made with.
#[derive(Clone, Copy)]
pub(crate) struct IslandStep<'a> {
    pub(crate) model: &'a Model,
    /// Where it begins.
    pub(crate) state: &'a State,
    /// What forces remember where they are taken.
    pub(crate) memory: &'a [f64],
    /// h, recovery speeds, gyroscopic torques.
    pub(crate) parameters: &'a Parameters,
    /// h \[s\].
    pub(crate) step: f64,
    /// The time of its end \[s\].
    pub(crate) time: f64,
    /// ϑ of all its bodies.
    pub(crate) theta: f64,
    /// Where forces are taken.
    pub(crate) forces: ForcesAt,
    /// Whether velocities are put onto the joints at the end; a problem of velocities does that for islands that touch something.
    pub(crate) ends_on_joints: bool,
    /// Whether it is a part of a step: of limits and ropes only those hold at first that are closed where it begins.
    pub(crate) is_part: bool,
}

/// Where the forces of a step are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForcesAt {
    /// At the end, expanded linearly from the start.
    End,
    /// In the middle of the way, with the velocity of the way.
    Middle,
}

/// Where an island goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    /// w.
    pub(crate) displacement: Vec<f64>,
    /// γ of all joint rows.
    pub(crate) impulses: Vec<f64>,
    pub(crate) poses: Vec<Pose>,
    /// v⁺.
    pub(crate) velocity: Vec<f64>,
    /// Dᵀλ with what Newton's method has added to it; empty where no contact carries.
    pub(crate) pushed: Vec<f64>,
    /// Linear systems that were solved.
    pub(crate) solves: u32,
    /// Parts the step was taken in; 0 for one as a whole.
    pub(crate) parts: u32,
}

/// Newton's method has not converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotClosed;

/// Memory that is used again in every step.
#[derive(Default)]
struct Room {
    blocks: Vec<[f64; 36]>,
    couplings: Vec<[[f64; 12]; 12]>,
    momentum: Vec<f64>,
    before: Vec<f64>,
    targets: Vec<f64>,
    is_active: Vec<bool>,
    is_equal: Vec<bool>,
    mean: Vec<MeanRow>,
    ways: Vec<Way>,
    stiffness: Vec<Option<[[f64; 12]; 12]>>,
    softness: Vec<f64>,
    /// κ of every body.
    spin_scales: Vec<f64>,
    /// κ times the transposed tangent of the Cayley map of every body: dΨ⁺/d(hw) is C at the end, its turns by these.
    tangents: Vec<Mat3>,
    /// Sizes of the terms of p.
    momentum_sizes: Vec<f64>,
    /// h f of forces in the middle of the way.
    middle_impulses: Vec<f64>,
    /// Impulses that E is counted from.
    reference: Vec<f64>,
    contact_softness: Vec<f64>,
    rhs: Vec<f64>,
    /// Sizes of the terms of `rhs` that belong to bodies.
    sizes: Vec<f64>,
}

impl Island {
    /// Groups the bodies of a model; only groups with joints are islands. `length` is the model's own.
    pub(crate) fn all(model: &Model, length: f64) -> Vec<Self> {
        let moves = |body: usize| !model.bodies()[body].is_fixed;
        let place = |joint: &dyn crate::Joint| JointPlace {
            bodies: joint.bodies().map(|body| body.index()),
            rows: joint.rows(),
            levers: joint.place().points.map(|point| point.length()),
            held_points: joint.held_points(),
            held_axes: joint.held_axes(),
        };
        let joints: Vec<JointPlace> = model.joints().map(|(_, joint)| place(joint)).collect();
        let forces: Vec<[usize; 2]> = model.forces().map(|(_, force)| force.bodies().map(|b| b.index())).collect();
        let pairs = joints.iter().map(|joint| joint.bodies).chain(forces.iter().copied());
        let group = grouped(model.bodies().len(), pairs.filter(|[a, b]| moves(*a) && moves(*b)));
        let of_pair = |pair: &[usize; 2]| pair.iter().copied().find(|body| moves(*body));
        let mut roots: Vec<usize> = joints.iter().map(|joint| &joint.bodies).filter_map(of_pair).collect();
        roots.iter_mut().for_each(|body| *body = group[*body]);
        roots.sort_unstable();
        roots.dedup();
        roots.into_iter().map(|of| Self::new(of, &group, &joints, &forces, length, &moves)).collect()
    }

    fn new(
        of: usize,
        group: &[usize],
        joints: &[JointPlace],
        forces: &[[usize; 2]],
        length: f64,
        moves: &impl Fn(usize) -> bool,
    ) -> Self {
        let bodies: Vec<usize> = (0..group.len()).filter(|&b| moves(b) && group[b] == of).collect();
        let local = |body: usize| bodies.binary_search(&body).ok().map(|k| 6 * k);
        let (mut own, mut first_of_model, mut rows) = (Vec::new(), 0, 0);
        for (index, joint) in joints.iter().enumerate() {
            let &JointPlace { bodies: pair, rows: count, levers, held_points, ref held_axes } = joint;
            let at = pair.map(local);
            if at.iter().any(Option::is_some) {
                own.push(IslandJoint {
                    index,
                    bodies: pair,
                    at,
                    first: rows,
                    first_of_model,
                    count,
                    levers,
                    held_points,
                    held_axes: held_axes.clone(),
                });
                rows += count;
            }
            first_of_model += count;
        }
        let forces: Vec<IslandForce> = forces
            .iter()
            .enumerate()
            .map(|(index, pair)| {
                let [a, b] = pair.map(local);
                IslandForce { index, bodies: *pair, at: [a, b.filter(|_| pair[0] != pair[1])] }
            })
            .filter(|force| force.at.iter().any(Option::is_some))
            .collect();
        let matrix = new_matrix(bodies.len(), &own, &forces, &[]);
        Self { bodies, joints: own, forces, rows, length, matrix, room: Room::default() }
    }

    /// Whether limits or ropes may hold it.
    pub(crate) fn has_one_sided_rows(&self, model: &Model) -> bool {
        let mut rows = [Row::ZERO; MAX_ROWS];
        let mut is_one_sided = |joint: &IslandJoint| {
            let Some((_, own)) = model.joint(joint.index) else { return false };
            own.evaluate(joint.bodies.map(|body| &model.bodies()[body].start), 0.0, &mut rows[..joint.count]);
            rows[..joint.count].iter().any(|row| row.kind == RowKind::AtLeastZero)
        };
        self.joints.iter().any(&mut is_one_sided)
    }

    /// Whether forces on it are too stiff for its steps: a spring that turns the motion round, or a damper that ends it, within one.
    pub(crate) fn is_stiff(&self, model: &Model, state: &State, memory: &[f64], h: f64) -> bool {
        self.forces.iter().any(|force| {
            let Some((_, own)) = model.force(force.index) else { return false };
            let motions = force.bodies.map(|body| motion(state, body));
            let memory = &memory[model.memory_layout().range(force.index)];
            let Some(tangent) = own.tangent([&motions[0], &motions[1]], state.time + h, memory) else { return false };
            (0..12).filter(|k| force.at[k / 6].is_some()).any(|k| {
                let body = &model.bodies()[force.bodies[k / 6]];
                let inertia = if k % 6 < 3 { body.mass } else { body.inertia.col(k % 3)[k % 3] };
                h * (tangent.damping[k][k] + h * tangent.stiffness[k][k]) > inertia
            })
        })
    }

    /// Writes how far its rows will be bent by a step at the present velocities, Ψ(q ⊕ hv) − Ψ(q) − hCv, into a list of all joint rows: contacts then see the
    /// positions that its bodies will have to third order in h.
    pub(crate) fn add_curvature(&self, model: &Model, state: &State, h: f64, out: &mut [f64]) {
        let (mut from, mut to) = ([Row::ZERO; MAX_ROWS], [Row::ZERO; MAX_ROWS]);
        for joint in &self.joints {
            let Some((_, own)) = model.joint(joint.index) else { continue };
            let velocity = |body: usize| {
                let (v, omega) = (state.velocities[body], state.angular_velocities[body]);
                [v.x, v.y, v.z, omega.x, omega.y, omega.z]
            };
            let moved = |side: usize| {
                let (body, pose) = (joint.bodies[side], &state.poses[joint.bodies[side]]);
                let scale = spin_scale(state.angular_velocities[body], h);
                joint.at[side].map_or(*pose, |_| Displacement::new(&velocity(body), scale).way(pose, h).after)
            };
            let (poses, after) = (joint.bodies.map(|body| &state.poses[body]), [moved(0), moved(1)]);
            own.evaluate(poses, state.time + h, &mut from[..joint.count]);
            own.evaluate([&after[0], &after[1]], state.time + h, &mut to[..joint.count]);
            for (k, (from, to)) in from[..joint.count].iter().zip(&to[..joint.count]).enumerate() {
                let sides = (0..2).filter(|side| joint.at[*side].is_some());
                let speed: f64 =
                    sides.map(|side| sum_of_products(&from.jacobian[side], &velocity(joint.bodies[side]))).sum();
                let change = to.value - from.value;
                let change = if to.is_angle { wrapped(change) } else { change };
                out[joint.first_of_model + k] = change - h * speed;
            }
        }
    }

    /// Its rows among those of all joints of the model.
    pub(crate) fn rows_of_model(&self) -> impl Iterator<Item = usize> + '_ {
        self.joints.iter().flat_map(|joint| joint.first_of_model..joint.first_of_model + joint.count)
    }

    /// Takes a step from a guess of w and γ; `holds` says which one-sided rows carry at first.
    ///
    /// # Errors
    /// No way was found.
    pub(crate) fn advance(
        &mut self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        guess: (&[f64], &[f64]),
        holds: &[bool],
    ) -> Result<Arrival, NotClosed> {
        let mut contacts = Cow::Borrowed(contacts);
        for _ in 0..CHANGES {
            let (arrival, more) = self.advance_with(step, &contacts, guess, holds)?;
            match contacts.without_pulling(&more) {
                None if self.is_pushed_too_far(step, &contacts, (guess.0, &arrival.displacement), &more) => break,
                None => return Ok(arrival),
                Some(left) => contacts = Cow::Owned(left),
            }
        }
        Err(NotClosed)
    }

    /// Whether contacts do more work on an island along the way that Newton's method has found than along the answer of the step's problem, where their law
    /// holds: impulses that are kept may push into the direction of another motion. `more` is what Newton's method has added to them.
    fn is_pushed_too_far(
        &self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        (guess, w): (&[f64], &[f64]),
        more: &[f64],
    ) -> bool {
        if !contacts.is_loaded {
            return false;
        }
        let bodies = self.bodies.iter().zip(guess.chunks_exact(6));
        let kinetic: f64 =
            bodies.map(|(&body, w)| 0.5 * sum_of_products(w, &momentum_of(&step.model.bodies()[body], w))).sum();
        let at_first = contacts.work(guess, &[]);
        // What rests has no energy to compare with: that of falling for one step.
        let fall = step.step * step.model.gravity().length();
        let mass: f64 = self.bodies.iter().map(|&body| step.model.bodies()[body].mass).sum();
        let at_rest = REST * 0.5 * mass * fall * fall;
        contacts.work(w, more) - at_first > MORE_WORK * (kinetic + at_first.abs()) + at_rest
    }

    /// Takes a step from a guess of w and γ with contacts that stay as they are; returns what it has added to their impulses, too.
    fn advance_with(
        &mut self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        guess: (&[f64], &[f64]),
        holds: &[bool],
    ) -> Result<(Arrival, Vec<f64>), NotClosed> {
        if !self.matrix.has_contacts(&contacts.rows) {
            self.matrix = new_matrix(self.bodies.len(), &self.joints, &self.forces, &contacts.rows);
        }
        self.expand_forces(step);
        self.open_rows(step, holds);
        self.room.momentum.iter_mut().zip(&contacts.pushed).for_each(|(p, pushed)| *p += pushed);
        let mut arrival = Arrival { displacement: guess.0.to_vec(), impulses: guess.1.to_vec(), ..Arrival::default() };
        arrival
            .impulses
            .iter_mut()
            .zip(&self.room.is_active)
            .filter(|(_, active)| !**active)
            .for_each(|(g, _)| *g = 0.0);
        self.room.softness.clear();
        self.room.reference.clear();
        self.room.reference.resize(self.rows, 0.0);
        let mut held = vec![0.0; contacts.rows.len()];
        for _ in 0..CHANGES {
            self.close(step, contacts, guess.0, &mut arrival, &mut held)?;
            if !self.change_sides(step, &mut arrival.impulses) {
                // Under a heavy load E leaves joints open: once more from what they carry.
                if self.widest() > LEAST_GAP * self.length {
                    self.room.reference.clone_from(&arrival.impulses);
                    self.close(step, contacts, guess.0, &mut arrival, &mut held)?;
                }
                self.arrive(step, contacts, &held, &mut arrival)?;
                return Ok((arrival, held));
            }
        }
        Err(NotClosed)
    }

    /// The six velocities of all its bodies in a state.
    pub(crate) fn velocities(&self, state: &State) -> Vec<f64> {
        let of_body = |&body: &usize| {
            let (v, omega) = (state.velocities[body], state.angular_velocities[body]);
            [v.x, v.y, v.z, omega.x, omega.y, omega.z]
        };
        self.bodies.iter().flat_map(of_body).collect()
    }

    /// Which rows held at the end of the last step, for one that goes on from there.
    pub(crate) fn held(&self) -> Vec<bool> {
        self.room.is_active.clone()
    }

    /// H and p.
    fn expand_forces(&mut self, step: &IslandStep<'_>) {
        let IslandStep { model, state, memory, step: h, time, theta, .. } = *step;
        let Room { blocks, couplings, momentum, momentum_sizes, spin_scales, .. } = &mut self.room;
        spin_scales.clear();
        blocks.clear();
        momentum.clear();
        for &body in &self.bodies {
            let own = &model.bodies()[body];
            let mut block = [0.0; 36];
            for k in 0..3 {
                block[7 * k] = own.mass / theta;
                (0..3).for_each(|l| block[6 * (3 + k) + 3 + l] = own.inertia.col(l)[k] / theta);
            }
            blocks.push(block);
            let p = own.mass * (state.velocities[body] / theta + h * model.gravity());
            let l = own.inertia * state.angular_velocities[body] / theta;
            momentum.extend([p.x, p.y, p.z, l.x, l.y, l.z]);
            spin_scales.push(spin_scale(state.angular_velocities[body], h));
        }
        momentum_sizes.clear();
        momentum_sizes.extend(momentum.iter().map(|p| p.abs()));
        couplings.clear();
        if step.forces == ForcesAt::Middle {
            couplings.resize(self.forces.len(), [[0.0; 12]; 12]);
            return;
        }
        for force in &self.forces {
            let mut coupling = [[0.0; 12]; 12];
            if let Some((_, own)) = model.force(force.index) {
                let memory = &memory[model.memory_layout().range(force.index)];
                let motions = force.bodies.map(|body| motion(state, body));
                let pair = [&motions[0], &motions[1]];
                let mut add = |at: usize, impulse: f64| {
                    momentum[at] += impulse;
                    momentum_sizes[at] += impulse.abs();
                };
                add_wrenches(h, own.wrench(pair, time, memory), &force.at, &mut add);
                if let Some(tangent) = own.tangent(pair, time, memory) {
                    let v = pair.map(|motion| [motion.velocity.to_array(), motion.angular_velocity.to_array()]);
                    let v = v.as_flattened().as_flattened();
                    for row in 0..12 {
                        let Some(at) = force.at[row / 6] else { continue };
                        let damped: f64 = tangent.damping[row].iter().zip(v).map(|(r, v)| r * v).sum();
                        add(at + row % 6, h * damped);
                    }
                    coupling = resistance(&tangent, h, theta * h);
                }
            }
            couplings.push(coupling);
        }
    }

    /// h f of forces in the middle of a way.
    fn take_forces_in_the_middle(&mut self, step: &IslandStep<'_>, w: &[f64]) {
        let Room { ways, middle_impulses, .. } = &mut self.room;
        middle_impulses.clear();
        middle_impulses.resize(6 * self.bodies.len(), 0.0);
        for force in &self.forces {
            let Some((_, own)) = step.model.force(force.index) else { continue };
            let (motions, time, memory) = force.in_the_middle(step, ways, w);
            let wrenches = own.wrench([&motions[0], &motions[1]], time, memory);
            add_wrenches(step.step, wrenches, &force.at, &mut |at, impulse| middle_impulses[at] += impulse);
        }
    }

    /// What forces in the middle of a way change by with w.
    fn couple_forces_in_the_middle(&mut self, step: &IslandStep<'_>, w: &[f64]) {
        let Room { ways, couplings, .. } = &mut self.room;
        for (force, coupling) in self.forces.iter().zip(couplings) {
            let Some((_, own)) = step.model.force(force.index) else { continue };
            let (motions, time, memory) = force.in_the_middle(step, ways, w);
            let tangent = own.tangent([&motions[0], &motions[1]], time, memory);
            *coupling = tangent.map_or(NOTHING, |tangent| resistance(&tangent, step.step, 0.5 * step.step));
        }
    }

    /// Ψ(q, t + h), what the rows are to reach, and which of them hold.
    fn open_rows(&mut self, step: &IslandStep<'_>, holds: &[bool]) {
        let only_closed = step.is_part;
        let IslandStep { model, state, parameters, step: h, time, .. } = *step;
        let Room { before, targets, is_active, is_equal, .. } = &mut self.room;
        before.clear();
        targets.clear();
        is_active.clear();
        is_equal.clear();
        let mut rows = [Row::ZERO; MAX_ROWS];
        for joint in &self.joints {
            let Some((_, own)) = model.joint(joint.index) else { continue };
            own.evaluate(joint.bodies.map(|body| &state.poses[body]), time, &mut rows[..joint.count]);
            for row in &rows[..joint.count] {
                let is_held = row.kind == RowKind::Equal;
                let limit = parameters.recovery_speed / if row.is_angle { parameters.radius } else { 1.0 };
                // What was violated before is undone no faster than overlaps are.
                let target = if is_held { 0.0 } else { (row.value + h * limit).min(0.0) };
                is_active.push(is_held || (holds[before.len()] && (!only_closed || row.value <= 0.0)));
                before.push(row.value);
                targets.push(target);
                is_equal.push(is_held);
            }
        }
    }

    /// Rows and ways for a displacement.
    fn evaluate(&mut self, step: &IslandStep<'_>, w: &[f64]) {
        let IslandStep { model, state, step: h, time, .. } = *step;
        let Room { mean, ways, before, spin_scales, .. } = &mut self.room;
        ways.clear();
        let moved = self.bodies.iter().zip(w.chunks_exact(6)).zip(spin_scales.iter());
        ways.extend(moved.map(|((&body, w), scale)| Displacement::new(w, *scale).way(&state.poses[body], h)));
        mean.resize(self.rows, MeanRow::ZERO);
        for joint in &self.joints {
            let Some((_, own)) = model.joint(joint.index) else { continue };
            let range = joint.first..joint.first + joint.count;
            let way = joint_way(joint, own, state, w, (ways, spin_scales), (h, time, self.length));
            way.rows(&before[range.clone()], &mut mean[range]);
        }
    }

    /// Newton's method for the rows that hold.
    fn close(
        &mut self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        start: &[f64],
        arrival: &mut Arrival,
        held: &mut [f64],
    ) -> Result<(), NotClosed> {
        let h = step.step;
        let n = 6 * self.bodies.len();
        let fall = h * step.model.gravity().length();
        let (mut left, mut factors, mut is_made) = (f64::INFINITY, 0, false);
        loop {
            self.evaluate(step, &arrival.displacement);
            if step.forces == ForcesAt::Middle {
                self.take_forces_in_the_middle(step, &arrival.displacement);
            }
            if self.room.softness.is_empty() {
                self.make_softness(step, contacts);
            }
            self.residual(step, contacts, (&arrival.displacement, &arrival.impulses, held), start);
            let (imbalance, gap) = (self.imbalance(step, fall), self.gap(h));
            if imbalance <= BALANCED && gap <= self.closed(step) {
                return Ok(());
            }
            let now = imbalance.max(gap / self.length);
            // A factor is used again as long as it brings the answer nearer by much; what is not a number is no nearer.
            let is_good = is_made && now <= WORTHWHILE * left;
            if !is_good {
                if factors == ITERATIONS {
                    return Err(NotClosed);
                }
                self.make_stiffness(step, &arrival.displacement, &arrival.impulses, factors > 0);
                self.make_tangents(h, &arrival.displacement);
                if step.forces == ForcesAt::Middle {
                    self.couple_forces_in_the_middle(step, &arrival.displacement);
                }
                let Self { matrix, room, joints, .. } = self;
                let w = &arrival.displacement;
                let parts = NewtonParts { step, bodies: &self.bodies, joints, room, w, contacts };
                matrix.factorise(&parts).map_err(|_| NotClosed)?;
                (is_made, factors) = (true, factors + 1);
            }
            left = now;
            let mut rhs = std::mem::take(&mut self.room.rhs);
            self.matrix.solve(&mut rhs);
            arrival.solves += 1;
            if rhs.iter().any(|x| !x.is_finite()) {
                return Err(NotClosed);
            }
            arrival.displacement.iter_mut().zip(&rhs).for_each(|(w, d)| *w += d);
            arrival.impulses.iter_mut().zip(&rhs[n..]).for_each(|(g, d)| *g += d);
            held.iter_mut().zip(&rhs[n + self.rows..]).for_each(|(g, d)| *g += d);
            self.room.rhs = rhs;
        }
    }

    /// The right-hand side of Newton's method: minus the residual.
    fn residual(
        &mut self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        (w, gamma, held): (&[f64], &[f64], &[f64]),
        start: &[f64],
    ) {
        let h = step.step;
        let Room {
            blocks,
            couplings,
            momentum,
            targets,
            is_active,
            mean,
            rhs,
            sizes,
            softness,
            contact_softness,
            spin_scales,
            momentum_sizes,
            middle_impulses,
            reference,
            ..
        } = &mut self.room;
        rhs.clear();
        sizes.clear();
        sizes.extend_from_slice(momentum_sizes);
        rhs.extend_from_slice(momentum);
        if step.forces == ForcesAt::Middle {
            add_inertia(-1.0, blocks, (&[], &[]), w, rhs);
            rhs.iter_mut().zip(middle_impulses.iter()).for_each(|(r, f)| *r += f);
            sizes.iter_mut().zip(middle_impulses.iter()).for_each(|(size, f)| *size += f.abs());
        } else {
            add_inertia(-1.0, blocks, (couplings, &self.forces), w, rhs);
        }
        for (k, &body) in self.bodies.iter().enumerate() {
            let at = 6 * k;
            let torque = spin_scales[k] * gyroscopic_impulse(step, body, &w[at..at + 6]);
            rhs[at + 3..at + 6].iter_mut().zip(torque.to_array()).for_each(|(r, t)| *r -= t);
        }
        for joint in &self.joints {
            for r in joint.first..joint.first + joint.count {
                for side in 0..2 {
                    let Some(at) = joint.at[side] else { continue };
                    for k in 0..6 {
                        let part = mean[r].mean[side][k] * gamma[r];
                        rhs[at + k] += part;
                        sizes[at + k] += part.abs();
                    }
                }
            }
        }
        for (row, g) in contacts.rows.iter().zip(held) {
            row.iter().for_each(|(column, entry)| rhs[*column] += entry * g);
        }
        for r in 0..self.rows {
            rhs.push(if is_active[r] {
                (targets[r] - mean[r].value) / h - softness[r] * (gamma[r] - reference[r])
            } else {
                -gamma[r]
            });
        }
        for ((row, e), g) in contacts.rows.iter().zip(contact_softness.iter()).zip(held) {
            let share = 1.0 - contacts.lost;
            let kept: f64 = row.iter().map(|(column, entry)| entry * (share * start[*column] - w[*column])).sum();
            rhs.push(kept - e * g);
        }
    }

    /// What reactions change by as bodies turn, of joints that carry enough for it to matter, or of `all`.
    fn make_stiffness(&mut self, step: &IslandStep<'_>, w: &[f64], gamma: &[f64], all: bool) {
        let IslandStep { model, state, step: h, time, .. } = *step;
        let Room { stiffness, ways, mean, before, spin_scales, .. } = &mut self.room;
        stiffness.clear();
        for joint in &self.joints {
            let Some((_, own)) = model.joint(joint.index) else { continue };
            let rows = joint.first..joint.first + joint.count;
            let reactions = [0, 1].map(|side| {
                joint.at[side].map_or([Vec3::ZERO; 2], |_| reaction_on(side, &mean[rows.clone()], &gamma[rows.clone()]))
            });
            // Whether a force and a torque turn a body of the joint by so much that they change.
            let matters = |side: usize, [force, torque]: [f64; 2]| {
                let body = &model.bodies()[joint.bodies[side]];
                let least = least_inertia(body);
                let turning = h * (force * (joint.levers[side] + least / (body.mass * self.length)) + torque);
                joint.at[side].is_some() && turning > NEGLIGIBLE * least
            };
            let is_needed = all || (0..2).any(|side| matters(side, reactions[side].map(|part| part.length())));
            if !is_needed {
                stiffness.push(None);
                continue;
            }
            if let Some(points) = joint.held_points {
                let middle =
                    |side: usize| joint.at[side].map_or(state.poses[joint.bodies[side]], |at| ways[at / 6].middle);
                let forces = [0, 1].map(|side| middle(side).rotation.conjugate() * reactions[side][0]);
                let couples = [0, 1].map(|side| (reactions[side][1] - points[side].cross(forces[side])).length());
                let is_of_points =
                    joint.count == 3 || (!all && (0..2).all(|side| !matters(side, [0.0, couples[side]])));
                if is_of_points {
                    let scales = joint.at.map(|at| at.map_or(1.0, |at| spin_scales[at / 6]));
                    stiffness.push(Some(stiffness_of_points(points, forces, scales, h)));
                    continue;
                }
            }
            let way = joint_way(joint, own, state, w, (ways, spin_scales), (h, time, self.length));
            let from = joint.bodies.map(|body| &state.poses[body]);
            let mut block = way.stiffness(from, &before[rows.clone()], &mean[rows.clone()], &gamma[rows]);
            block.as_flattened_mut().iter_mut().for_each(|entry| *entry *= h);
            stiffness.push(Some(block));
        }
    }

    /// How turns at the end follow those of the way.
    fn make_tangents(&mut self, h: f64, w: &[f64]) {
        let Room { tangents, spin_scales, .. } = &mut self.room;
        let of_body =
            |(w, scale): (&[f64], &f64)| *scale * cayley_tangent(h * Displacement::new(w, *scale).spin).transpose();
        tangents.clear();
        tangents.extend(w.chunks_exact(6).zip(spin_scales.iter()).map(of_body));
    }

    /// E.
    fn make_softness(&mut self, step: &IslandStep<'_>, contacts: &IslandContacts) {
        let IslandStep { model, theta, .. } = *step;
        let Room { softness, contact_softness, mean, .. } = &mut self.room;
        let mobility = |body: usize, part: &[f64]| {
            let own = &model.bodies()[body];
            // Of a row that holds points, only how easily they move: a body that turns easily would make it soft against what is heavy.
            let (linear, angular) = (Vec3::from_slice(&part[..3]), Vec3::from_slice(&part[3..6]));
            let of_points = linear.length_squared() / own.mass;
            if of_points > 0.0 { of_points } else { angular.dot(own.inertia.inverse() * angular) }
        };
        softness.clear();
        for joint in &self.joints {
            for row in &mean[joint.first..joint.first + joint.count] {
                let sides = (0..2).filter(|side| joint.at[*side].is_some());
                let sum: f64 = sides.map(|side| mobility(joint.bodies[side], &row.after[side])).sum();
                softness.push(COMPLIANCE * theta * sum);
            }
        }
        contact_softness.clear();
        for row in &contacts.rows {
            let inverse = |column: usize| 1.0 / model.bodies()[self.bodies[column / 6]].mass;
            let linear = row.iter().filter(|(column, _)| column % 6 < 3);
            let sum: f64 = linear.map(|(column, entry)| entry * entry * inverse(*column)).sum();
            contact_softness.push(CONTACT_COMPLIANCE * theta * sum);
        }
    }

    /// Lets go of limits and ropes that pull, and takes hold of those that are passed; whether there were any.
    fn change_sides(&mut self, step: &IslandStep<'_>, impulses: &mut [f64]) -> bool {
        let closed = self.closed(step);
        let Room { is_active, is_equal, mean, targets, .. } = &mut self.room;
        let mut has_changed = false;
        for r in (0..self.rows).filter(|r| !is_equal[*r]) {
            let is_wrong = match is_active[r] {
                true => impulses[r] < 0.0,
                false => mean[r].value < targets[r] - closed,
            };
            if is_wrong {
                is_active[r] = !is_active[r];
                impulses[r] = 0.0;
                has_changed = true;
            }
        }
        has_changed
    }

    /// Poses and velocities at the end; velocities are put onto the joints there, which takes energy or leaves it:
    /// min ½‖v' − v⁺‖²_M, C⁺v' = −Ψ_t.
    fn arrive(
        &mut self,
        step: &IslandStep<'_>,
        contacts: &IslandContacts,
        held: &[f64],
        arrival: &mut Arrival,
    ) -> Result<(), NotClosed> {
        let IslandStep { model, state, theta, .. } = *step;
        let n = 6 * self.bodies.len();
        arrival.poses = self.room.ways.iter().map(|way| way.after).collect();
        arrival.velocity.clear();
        for (&body, w) in self.bodies.iter().zip(arrival.displacement.chunks_exact(6)) {
            let before = [state.velocities[body], state.angular_velocities[body]].map(|v| v.to_array());
            arrival.velocity.extend(before.as_flattened().iter().zip(w).map(|(v, w)| v + (w - v) / theta));
        }
        arrival.pushed.clone_from(&contacts.pushed);
        for (row, g) in contacts.rows.iter().zip(held) {
            row.iter().for_each(|(column, entry)| arrival.pushed[*column] += entry * g);
        }
        if !step.ends_on_joints {
            return Ok(());
        }
        let mut rhs = std::mem::take(&mut self.room.rhs);
        rhs.clear();
        for (&body, v) in self.bodies.iter().zip(arrival.velocity.chunks_exact(6)) {
            rhs.extend(momentum_of(&model.bodies()[body], v));
        }
        let Room { mean, is_active, .. } = &self.room;
        rhs.extend(mean.iter().zip(is_active).map(|(row, active)| if *active { -row.rate } else { 0.0 }));
        for row in &contacts.rows {
            rhs.push(row.iter().map(|(column, entry)| entry * arrival.velocity[*column]).sum());
        }
        if self.is_on_joints(&arrival.velocity) {
            self.room.rhs = rhs;
            return Ok(());
        }
        let Self { matrix, room, bodies, .. } = self;
        let parts = ProjectionParts { model, bodies, joints: &self.joints, room, contacts };
        matrix.factorise(&parts).map_err(|_| NotClosed)?;
        matrix.solve(&mut rhs);
        arrival.solves += 1;
        if rhs.iter().any(|x| !x.is_finite()) {
            return Err(NotClosed);
        }
        arrival.velocity.copy_from_slice(&rhs[..n]);
        // What puts velocities onto the joints is part of what the joints have carried.
        arrival.impulses.iter_mut().zip(&rhs[n..]).for_each(|(g, more)| *g += more);
        self.room.rhs = rhs;
        Ok(())
    }

    /// Whether velocities are those that the joints allow at the end of the step, to rounding.
    fn is_on_joints(&self, velocity: &[f64]) -> bool {
        self.joints.iter().all(|joint| {
            (joint.first..joint.first + joint.count).filter(|r| self.room.is_active[*r]).all(|r| {
                let row = &self.room.mean[r];
                let (mut sum, mut size) = (row.rate, row.rate.abs());
                for side in 0..2 {
                    let Some(at) = joint.at[side] else { continue };
                    for (entry, v) in row.after[side].iter().zip(&velocity[at..]) {
                        sum += entry * v;
                        size += (entry * v).abs();
                    }
                }
                sum.abs() <= 16.0 * f64::EPSILON * size
            })
        })
    }

    /// The largest share of the terms of a body's momentum that is missing in their sum; `fall` \[m/s\] is a speed that counts.
    fn imbalance(&self, step: &IslandStep<'_>, fall: f64) -> f64 {
        let Room { rhs, sizes, .. } = &self.room;
        let mut worst = 0.0_f64;
        for ((&body, r), size) in self.bodies.iter().zip(rhs.chunks_exact(6)).zip(sizes.chunks_exact(6)) {
            let mass = step.model.bodies()[body].mass;
            // Momenta and angular momenta compare by the length of the model.
            let sum = |of: &[f64]| Vec3::from_slice(of).length() + Vec3::from_slice(&of[3..]).length() / self.length;
            let missing = sum(r);
            // A body at rest that nothing acts on is in balance.
            let share = if missing == 0.0 { 0.0 } else { missing / (sum(size) + mass * fall) };
            worst = if share.is_nan() { f64::NAN } else { worst.max(share) };
        }
        worst
    }

    /// How far rows that hold are from what they are to reach \[m, rad\].
    fn gap(&self, h: f64) -> f64 {
        let Room { is_active, rhs, .. } = &self.room;
        let rows = &rhs[6 * self.bodies.len()..];
        let gaps = (0..self.rows).filter(|r| is_active[*r]).map(|r| h * rows[r].abs());
        gaps.fold(0.0, |worst, gap| if gap > worst || gap.is_nan() { gap } else { worst })
    }

    /// How far rows that hold are from what they are to reach, E included \[m, rad\].
    fn widest(&self) -> f64 {
        let Room { mean, targets, is_active, .. } = &self.room;
        let gaps = (0..self.rows).filter(|r| is_active[*r]).map(|r| (mean[r].value - targets[r]).abs());
        gaps.fold(0.0, f64::max)
    }

    /// Whether rows contradict each other: Newton's method has converged, and E alone keeps them apart.
    pub(crate) fn is_contradicted(&self) -> bool {
        self.widest() > CONTRADICTION * self.length
    }

    /// What counts as closed \[m, rad\].
    fn closed(&self, step: &IslandStep<'_>) -> f64 {
        let far = self.bodies.iter().map(|&body| step.state.poses[body].position.length()).fold(0.0, f64::max);
        CLOSED * self.length + 16.0 * f64::EPSILON * far
    }
}

fn new_matrix(bodies: usize, joints: &[IslandJoint], forces: &[IslandForce], contacts: &[ContactRow]) -> SaddleMatrix {
    let joints = joints.iter().map(|joint| (joint.at, joint.count)).collect();
    let forces = forces.iter().map(|force| force.at).collect();
    let columns = |row: &ContactRow| row.iter().map(|(column, _)| *column).collect();
    SaddleMatrix::new(bodies, joints, forces, contacts.iter().map(columns).collect())
}

fn joint_way<'a>(
    joint: &'a IslandJoint,
    own: &'a dyn crate::Joint,
    state: &State,
    w: &[f64],
    (ways, spin_scales): (&[Way], &[f64]),
    (step, time, length): (f64, f64, f64),
) -> JointWay<'a> {
    let spin_scales = joint.at.map(|at| at.map_or(1.0, |at| spin_scales[at / 6]));
    let displacement = |side: usize| {
        joint.at[side].map_or(Displacement::default(), |at| Displacement::new(&w[at..], spin_scales[side]))
    };
    let displacements = [0, 1].map(displacement);
    let stays = |body: usize| Way { middle: state.poses[body], after: state.poses[body] };
    let ways = [0, 1].map(|side| joint.at[side].map_or_else(|| stays(joint.bodies[side]), |at| ways[at / 6]));
    let moves = joint.at.map(|at| at.is_some());
    let turned = joint.bodies.map(|body| state.poses[body].rotation);
    let (held_points, held_axes) = (joint.held_points, &*joint.held_axes);
    JointWay { joint: own, displacements, ways, turned, held_points, held_axes, moves, spin_scales, step, time, length }
}

/// Hands h times the forces and torques on the bodies of an island to `add`, by their places.
fn add_wrenches(h: f64, wrenches: [Wrench; 2], at: &[Option<usize>; 2], add: &mut impl FnMut(usize, f64)) {
    for (at, wrench) in at.iter().zip(wrenches) {
        let Some(at) = *at else { continue };
        let impulse = [wrench.force, wrench.torque].map(|part| (h * part).to_array());
        impulse.as_flattened().iter().enumerate().for_each(|(k, part)| add(at + k, *part));
    }
}

/// h (R + a K).
fn resistance(tangent: &Tangent, h: f64, a: f64) -> [[f64; 12]; 12] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| h * (tangent.damping[row][column] + a * tangent.stiffness[row][column]))
    })
}

/// h times −∂(C̄ᵀγ)/∂(hw) of rows that hold points s together by forces, given in the body axes of the middle of the way. The torque on a body is s × F̄, and
/// F̄ = AᵀF turns against the body by half of its turn:
///
/// ```text
/// d(s × F̄) = s × (F̄ × ½h dW)     ⇒     −∂(s × F̄)/∂(hW) = −½ s̃ F̄~
/// ```
///
/// κ multiplies rows and turns alike. What the correction of the mean row adds is of third order in h.
fn stiffness_of_points(points: [Vec3; 2], forces: [Vec3; 2], spin_scales: [f64; 2], h: f64) -> [[f64; 12]; 12] {
    let mut block = [[0.0; 12]; 12];
    for side in 0..2 {
        let product = cross_matrix(points[side]) * cross_matrix(forces[side]);
        let factor = -0.5 * h * spin_scales[side] * spin_scales[side];
        let first = 6 * side + 3;
        for k in 0..3 {
            (0..3).for_each(|l| block[first + k][first + l] = factor * product.col(l)[k]);
        }
    }
    block
}

fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `out` += factor · H w.
fn add_inertia(
    factor: f64,
    blocks: &[[f64; 36]],
    (couplings, forces): (&[[[f64; 12]; 12]], &[IslandForce]),
    w: &[f64],
    out: &mut [f64],
) {
    for ((block, w), out) in blocks.iter().zip(w.chunks_exact(6)).zip(out.chunks_exact_mut(6)) {
        for (line, out) in block.chunks_exact(6).zip(out) {
            *out += factor * line.iter().zip(w).map(|(entry, w)| entry * w).sum::<f64>();
        }
    }
    for (force, coupling) in forces.iter().zip(couplings) {
        for (row, line) in coupling.iter().enumerate() {
            let Some(at) = force.at[row / 6] else { continue };
            for side in 0..2 {
                let Some(first) = force.at[side] else { continue };
                let sum: f64 = line[6 * side..6 * side + 6].iter().zip(&w[first..]).map(|(entry, w)| entry * w).sum();
                out[at + row % 6] += factor * sum;
            }
        }
    }
}

/// h W × IW of a body that nothing else acts on: the guess of its gyroscopic torque in the problem of the step.
pub(crate) fn spin_impulse(model: &Model, state: &State, parameters: &Parameters, body: usize) -> Vec3 {
    let (inertia, omega, h) = (model.bodies()[body].inertia, state.angular_velocities[body], parameters.step);
    let spin = match parameters.gyroscopic {
        Gyroscopic::Implicit => mean_spin(inertia, omega, Vec3::ZERO, 0.5 * h).unwrap_or(Vec3::ZERO),
        Gyroscopic::Explicit => omega,
        Gyroscopic::Off => Vec3::ZERO,
    };
    h * spin.cross(inertia * spin)
}

/// C̄ᵀγ on one of two bodies: an impulse and an angular impulse.
fn reaction_on(side: usize, rows: &[MeanRow], impulses: &[f64]) -> [Vec3; 2] {
    let mut sum = [Vec3::ZERO; 2];
    for (row, impulse) in rows.iter().zip(impulses) {
        sum[0] += *impulse * Vec3::from_slice(&row.mean[side]);
        sum[1] += *impulse * Vec3::from_slice(&row.mean[side][3..]);
    }
    sum
}

/// A lower bound of the principal moments of inertia: 1/‖I⁻¹‖.
fn least_inertia(body: &crate::Body) -> f64 {
    let inverse = body.inertia.inverse();
    [inverse.x_axis, inverse.y_axis, inverse.z_axis]
        .iter()
        .map(|column| column.length_squared())
        .sum::<f64>()
        .sqrt()
        .recip()
}

/// g(w) of a body: h W × IW.
fn gyroscopic_impulse(step: &IslandStep<'_>, body: usize, w: &[f64]) -> Vec3 {
    let inertia = step.model.bodies()[body].inertia;
    let spin = match step.parameters.gyroscopic {
        Gyroscopic::Implicit => Vec3::from_slice(&w[3..]),
        Gyroscopic::Explicit => step.state.angular_velocities[body],
        Gyroscopic::Off => Vec3::ZERO,
    };
    step.step * spin.cross(inertia * spin)
}

/// The matrix of Newton's method.
struct NewtonParts<'a> {
    step: &'a IslandStep<'a>,
    bodies: &'a [usize],
    joints: &'a [IslandJoint],
    room: &'a Room,
    w: &'a [f64],
    contacts: &'a IslandContacts,
}

impl Parts for NewtonParts<'_> {
    fn body(&self, body: usize) -> [f64; 36] {
        let mut block = self.room.blocks[body];
        if self.step.parameters.gyroscopic == Gyroscopic::Implicit {
            let inertia = self.step.model.bodies()[self.bodies[body]].inertia;
            let h = self.step.step * self.room.spin_scales[body];
            let tangent = gyroscopic(&inertia, Vec3::from_slice(&self.w[6 * body + 3..]));
            for k in 0..3 {
                (0..3).for_each(|l| block[6 * (3 + k) + 3 + l] += h * tangent.col(l)[k]);
            }
        }
        block
    }
    fn joint(&self, joint: usize) -> Option<&[[f64; 12]; 12]> {
        self.room.stiffness[joint].as_ref()
    }
    fn force(&self, force: usize) -> &[[f64; 12]; 12] {
        &self.room.couplings[force]
    }
    fn row(&self, joint: usize, row: usize) -> Option<SaddleRow> {
        let joint = &self.joints[joint];
        let r = joint.first + row;
        let mean = &self.room.mean[r];
        self.room.is_active[r].then(|| {
            let mut end = mean.after;
            for (at, end) in joint.at.iter().zip(&mut end) {
                let Some(at) = at else { continue };
                let turn = self.room.tangents[at / 6] * Vec3::from_slice(&end[3..]);
                end[3..].copy_from_slice(&turn.to_array());
            }
            (mean.mean, end, self.room.softness[r])
        })
    }
    fn contact(&self, contact: usize) -> (&ContactRow, f64) {
        (&self.contacts.rows[contact], self.room.contact_softness[contact])
    }
}

/// The matrix that puts velocities onto joints.
struct ProjectionParts<'a> {
    model: &'a Model,
    bodies: &'a [usize],
    joints: &'a [IslandJoint],
    room: &'a Room,
    contacts: &'a IslandContacts,
}

const NOTHING: [[f64; 12]; 12] = [[0.0; 12]; 12];

impl Parts for ProjectionParts<'_> {
    fn body(&self, body: usize) -> [f64; 36] {
        let own = &self.model.bodies()[self.bodies[body]];
        let mut block = [0.0; 36];
        for k in 0..3 {
            block[7 * k] = own.mass;
            (0..3).for_each(|l| block[6 * (3 + k) + 3 + l] = own.inertia.col(l)[k]);
        }
        block
    }
    fn joint(&self, _: usize) -> Option<&[[f64; 12]; 12]> {
        None
    }
    fn force(&self, _: usize) -> &[[f64; 12]; 12] {
        &NOTHING
    }
    fn row(&self, joint: usize, row: usize) -> Option<SaddleRow> {
        let r = self.joints[joint].first + row;
        let after = self.room.mean[r].after;
        self.room.is_active[r].then(|| (after, after, self.room.softness[r]))
    }
    fn contact(&self, contact: usize) -> (&ContactRow, f64) {
        (&self.contacts.rows[contact], self.room.contact_softness[contact])
    }
}
