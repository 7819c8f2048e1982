//! A step that cannot invent energy: joints closed where bodies arrive by reactions that do no work (§12 of the theory).
//!
//! ```text
//! q⁺ = q ⊕ hw,    w = v + ϑ(v⁺ − v),    M(v⁺ − v) = h f + C̄ᵀγ + Dᵀλ − h W × IW,    Ψ(q⁺, t + h) = 0
//! E⁺ − E = −(ϑ − ½)‖v⁺ − v‖²_M + λᵀDw
//! ```
//!
//! ϑ = ½ where no contact is near: nothing is lost. ϑ = 1 where bodies may touch, so that impacts act on the velocities after them, and where forces
//! are too stiff for the step, whose motion then dies away instead of changing its sign from step to step. Contacts and the
//! first guess of reactions are those of one cone problem, at the start of the step; bodies held together by joints then go their way by
//! Newton's method ([`island`]), with the mean rows C̄ of [`crate::dynamics::mean_rows`]. Bodies without joints turn as
//! [`crate::dynamics::rotation`] says.

mod groups;
mod impacts;
mod island;
mod matrix;
mod rebounds;
mod soft;

use super::euler::{keep_analysis, with_forces};
use super::layout::RowLayout;
use super::rows::{joint_rows_of_positions, write_problem};
use super::scheme::{FreeMotionError, HardScheme, StepStart, advanced};
use super::tries::{Ask, Trial};
use crate::dynamics::columns::Columns;
use crate::dynamics::flexible_motion::FlexibleMotion;
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::gyroscopic;
use crate::dynamics::inertia::mass_matrix;
use crate::dynamics::rotation::FreeTurn;
use crate::force::memory;
use crate::motion::exponential;
use crate::promise::bounds::own_length;
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::stepper::About;
use crate::{Gyroscopic, Model, RestitutionLaw, State, Vec3};
use impacts::Impacts;
use island::{Arrival, Island, IslandContacts, IslandStep, NotClosed, spin_impulse};
use signorini_collision::Contact;
use signorini_linalg::{Halves, Threads};
use signorini_solver::problem::{BlockDiagonal, BlockSlot, Inertia};
use signorini_solver::{ConeProblem, ProblemError, Solution, Status, Tolerance};
use std::sync::Arc;

/// What it is.
pub(crate) fn about() -> About {
    let summary = "joints closed where bodies arrive, no energy from nowhere, hard contacts; the default";
    About::hard::<Passive>("dvi-passive", summary, 1)
}

/// How many parts of a step of an island may fail, at most.
const MOST_FAILURES: u32 = 500;
/// How many of them may fail before the first one is taken: joints that contradict each other have no way, however short.
const MOST_AT_FIRST: u32 = 12;

/// How a step in parts goes.
#[derive(Default)]
struct Parts {
    taken: u32,
    failed: u32,
}

impl Parts {
    fn is_hopeless(&self) -> bool {
        self.failed >= if self.taken == 0 { MOST_AT_FIRST } else { MOST_FAILURES }
    }
}

/// Bodies one task works on.
const BODIES: usize = 1024;

/// The step and what it keeps from step to step.
pub(crate) struct Passive {
    /// M of rigid bodies.
    mass: Arc<Inertia>,
    /// H of the last step and ϑ of its islands, where no force depends on the motion.
    weighted: (Arc<Inertia>, Vec<f64>),
    /// The part of flexible bodies in H; `None` without any.
    flexible: Option<FlexibleMotion>,
    threads: Threads,
    islands: Vec<Island>,
    /// The island of every body.
    island_of: Vec<Option<u32>>,
    /// The island of every joint row of the model.
    island_of_row: Vec<Option<u32>>,
    /// Whether limits or ropes may hold an island.
    has_one_sided_rows: Vec<bool>,
    /// Whether nothing but gravity, contacts and joints without drives act on an island.
    is_undriven: Vec<bool>,
    /// ϑ of every island in this step.
    theta: Vec<f64>,
    /// What flies, touches and rebounds.
    impacts: Impacts,
    /// γ of the rows of all islands, one island after the other.
    impulses: Vec<f64>,
    /// How bodies without joints turn by themselves; `None` for those that keep their angular velocity.
    turns: Vec<Option<FreeTurn>>,
}

impl Passive {
    /// ϑ of a body.
    fn theta_of(&self, body: usize) -> f64 {
        self.island_of[body].map_or(1.0, |island| self.theta[island as usize])
    }

    /// Whether a joint row of the model is in the problem of the step: not those of islands that only equations hold, which Newton's method finds
    /// without a guess.
    fn is_in_problem(&self, row: usize) -> bool {
        self.island_of_row[row].is_none_or(|island| {
            let island = island as usize;
            self.has_one_sided_rows[island] || self.theta[island] == 1.0
        })
    }

    /// How far rows of islands that may touch something will be bent.
    fn curvature(&self, start: &StepStart<'_>) -> Vec<f64> {
        let StepStart { model, state, parameters, .. } = *start;
        let mut curvature = Vec::new();
        for (island, _) in self.islands.iter().zip(&self.theta).filter(|(_, theta)| **theta == 1.0) {
            curvature.resize(self.island_of_row.len(), 0.0);
            island.add_curvature(model, state, parameters.step, &mut curvature);
        }
        curvature
    }

    /// How many joint rows are in it.
    fn rows_in_problem(&self) -> usize {
        (0..self.island_of_row.len()).filter(|row| self.is_in_problem(*row)).count()
    }

    /// Chooses ϑ of all islands.
    fn choose_theta(&mut self, start: &StepStart<'_>, near: &[Contact]) {
        self.theta.clear();
        self.theta.resize(self.islands.len(), 0.5);
        if self.islands.is_empty() {
            return;
        }
        let StepStart { model, state, parameters, .. } = *start;
        if model.forces().len() > 0 {
            let memory = memory::advanced(model, state, parameters.step);
            for (island, theta) in self.islands.iter().zip(&mut self.theta) {
                if island.is_stiff(model, state, &memory, parameters.step) {
                    *theta = 1.0;
                }
            }
        }
        for contact in near {
            for body in contact.bodies {
                if let Some(island) = self.island_of.get(body as usize).copied().flatten() {
                    self.theta[island as usize] = 1.0;
                }
            }
        }
    }

    /// MΘ⁻¹.
    fn weighted_mass(&mut self, model: &Model) -> BlockDiagonal {
        let mut blocks = mass_matrix(model);
        let moving = model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed);
        for ((i, _), block) in moving.zip(blocks.values_mut().chunks_exact_mut(36)) {
            let theta = self.theta_of(i);
            block.iter_mut().for_each(|entry| *entry /= theta);
        }
        blocks
    }
}

impl HardScheme for Passive {
    const CLOSES_JOINTS: bool = true;
    const WEIGHS_CONTACTS: bool = true;

    fn new(model: &Model, columns: &Columns, parallel: bool) -> Self {
        let threads = if parallel { Threads::Pool } else { Threads::One };
        let mass = Arc::new(Inertia::BlockDiagonal(mass_matrix(model)));
        let flexible = FlexibleMotion::new(model, columns, parallel);
        let islands =
            if flexible.is_some() { Vec::new() } else { Island::all(model, own_length(model).unwrap_or(1.0)) };
        let mut island_of = vec![None; model.bodies().len()];
        for (index, island) in islands.iter().enumerate() {
            island.bodies.iter().for_each(|&body| island_of[body] = Some(index as u32));
        }
        let impacts = Impacts::new(model, &island_of);
        let weighted = (mass.clone(), vec![1.0; islands.len()]);
        let mut island_of_row = vec![None; model.joints().map(|(_, joint)| joint.rows()).sum()];
        for (index, island) in islands.iter().enumerate() {
            island.rows_of_model().for_each(|row| island_of_row[row] = Some(index as u32));
        }
        let is_undriven = undriven(model, &island_of, islands.len());
        let has_one_sided_rows = islands.iter().map(|island| island.has_one_sided_rows(model)).collect();
        Self {
            mass,
            weighted,
            flexible,
            threads,
            islands,
            island_of,
            island_of_row,
            has_one_sided_rows,
            is_undriven,
            impacts,
            theta: Vec::new(),
            impulses: Vec::new(),
            turns: Vec::new(),
        }
    }

    fn free_motion(
        &mut self,
        start: &StepStart<'_>,
        near: &[Contact],
        guess: &[Vec3],
    ) -> Result<FreeMotion, FreeMotionError> {
        let StepStart { model, columns, state, parameters, threads } = *start;
        let h = parameters.step;
        self.choose_theta(start, near);
        self.impacts.look(near);
        self.turns.resize(model.bodies().len(), None);
        let (island_of, is_implicit) = (&self.island_of, parameters.gyroscopic == Gyroscopic::Implicit);
        Halves::new(BODIES, threads).each(&mut self.turns, &|i, turn| {
            let body = &model.bodies()[i];
            let is_free = is_implicit && !body.is_fixed && island_of[i].is_none();
            *turn = is_free.then(|| FreeTurn::unsteady(body.inertia, state.angular_velocities[i], h)).flatten();
        });
        let (turns, this) = (&self.turns, &*self);
        // Momentum (MΘ⁻¹v + h f), then c = −momentum.
        let mut linear = columns.of_moving_bodies(threads, &|i| {
            let (body, omega, theta) = (&model.bodies()[i], state.angular_velocities[i], this.theta_of(i));
            let p = body.mass * (state.velocities[i] / theta + h * model.gravity());
            let l = match (turns[i], island_of[i]) {
                (Some(turn), _) => body.inertia * turn.after,
                (None, None) if is_implicit => body.inertia * omega,
                (None, None) => {
                    body.inertia * omega + gyroscopic::impulse(body.inertia, omega, h, parameters.gyroscopic)
                }
                (None, Some(_)) => body.inertia * omega / theta - spin_impulse(model, state, parameters, i),
            };
            [p.x, p.y, p.z, l.x, l.y, l.z]
        });
        if model.forces().len() == 0 && self.flexible.is_none() {
            linear.iter_mut().for_each(|p| *p = -*p);
            if self.weighted.1 != self.theta {
                let is_mass = self.theta.iter().all(|theta| *theta == 1.0);
                let inertia = if is_mass {
                    self.mass.clone()
                } else {
                    Arc::new(Inertia::BlockDiagonal(self.weighted_mass(model)))
                };
                self.weighted = (inertia, self.theta.clone());
            }
            return Ok(FreeMotion { inertia: self.weighted.0.clone(), linear });
        }
        let blocks = self.weighted_mass(model);
        with_forces(start, guess, blocks, linear, &mut self.flexible)
    }

    fn keep(&mut self, free: &FreeMotion) {
        keep_analysis(free, &mut self.flexible, self.threads);
    }

    fn assemble(
        &self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        // Without islands joints are closed by solving again, with the curvature that was learnt.
        let own = self.curvature(start);
        let curvature = if self.islands.is_empty() { &ask.joint_curvature } else { &own };
        let joints = joint_rows_of_positions(start, curvature, |row| self.is_in_problem(row));
        let fill = |k: usize, slot: BlockSlot<'_>| self.impacts.fill_contact(start, ask, k, slot);
        let layout = write_problem(start, joints.as_ref(), &ask.near, problem, &fill)?;
        let all = self.island_of_row.len() + layout.joints() - self.rows_in_problem();
        let links = self.island_of_row.len()..all;
        let rows = (0..self.island_of_row.len()).filter(|row| self.is_in_problem(*row)).chain(links);
        Ok(layout.with_joint_rows(rows.collect(), all))
    }

    fn show_problem(
        &mut self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        self.has_one_sided_rows.fill(true);
        self.assemble(start, ask, problem)
    }

    fn gains(&self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> bool {
        self.impacts.gains(trial, ask, solution, &self.turns)
    }

    fn mix(&mut self, trial: &Trial<'_>, ask: &Ask<'_>, rebounding: &Solution, calm: &mut Solution) -> Vec<f64> {
        self.impacts.mix(trial, ask, rebounding, calm, &self.turns)
    }

    fn acts_along_displacement(&self, row: usize) -> bool {
        self.island_of_row.get(row).copied().flatten().is_some()
    }

    fn theta(&self, body: usize) -> f64 {
        self.theta_of(body)
    }

    fn time_of_contact(&self, start: &StepStart<'_>, contact: &Contact) -> Option<f64> {
        self.impacts.time_of(start, contact, self.impacts.has_rebounds())
    }

    fn flies(&self, body: usize) -> bool {
        self.impacts.flies(body)
    }

    fn remember(&self, joints: &mut [f64]) {
        for (row, impulse) in self.islands.iter().flat_map(Island::rows_of_model).zip(&self.impulses) {
            joints[row] = *impulse;
        }
    }

    fn arrive(
        &mut self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        memory: &StepMemory,
        solution: &mut Solution,
        cx: &mut StepContext<'_>,
    ) -> State {
        let start = &trial.start;
        let StepStart { model, columns, state, parameters, threads } = *start;
        let h = parameters.step;
        let displacement = self.impacts.displacement(trial, ask, solution);
        let mut next = advanced(start, &displacement, solution.velocity());
        let turns = &self.turns;
        Halves::new(BODIES, threads).each(&mut next.poses, &|i, pose| {
            if let Some(FreeTurn { turn, after }) = turns.get(i).copied().flatten() {
                let spin = columns.of(i).map_or(after, |at| Vec3::from_slice(&displacement[at + 3..]));
                let given = exponential(h * (spin - after));
                pose.rotation = (state.poses[i].rotation * turn * given).normalize();
            }
        });
        next.memory = memory::advanced(model, state, h);
        let theta = &self.theta;
        let before = columns.gather(state, threads);
        self.impulses.clear();
        let mut most_solves = 0;
        for (index, island) in self.islands.iter_mut().enumerate() {
            let contacts = island_contacts(trial, ask, island, &self.island_of, index as u32, solution);
            let in_problem = |row: usize| trial.layout.row_in_problem(row);
            let kept = |row: usize| memory.joints.get(row).copied().unwrap_or(0.0);
            let impulse = |row: usize| in_problem(row).map_or_else(|| kept(row), |row| solution.impulse()[row]);
            let impulses: Vec<f64> = island.rows_of_model().map(impulse).collect();
            // Of limits and ropes those that carried in the answer, as far as one can tell; Newton's method changes what is wrong about that.
            let carries = |row: usize| solution.impulse()[row] > solution.relative_velocity[row];
            let holds: Vec<bool> = island.rows_of_model().map(|row| in_problem(row).is_some_and(carries)).collect();
            let own = |numbers: &[f64]| -> Vec<f64> {
                let first = island.bodies.iter().filter_map(|&body| columns.of(body));
                first.flat_map(|at| numbers[at..at + 6].iter().copied()).collect()
            };
            let is_guessed = self.has_one_sided_rows[index] || theta[index] == 1.0;
            let w = if is_guessed { own(solution.velocity()) } else { own(&before) };
            let step = IslandStep {
                model,
                state,
                memory: &next.memory,
                parameters,
                step: h,
                time: state.time + h,
                theta: theta[index],
                is_part: false,
            };
            let from = (w.as_slice(), impulses.as_slice());
            let arrival = island.advance(&step, &contacts, from, &holds);
            let may_gain = self.is_undriven[index]
                && parameters.restitution_law == RestitutionLaw::Dissipative
                && rebounds::are_its_own(trial, ask, &self.impacts, (&self.island_of, index as u32), solution);
            let arrival = match arrival {
                Ok(arrival) if may_gain => {
                    Ok(rebounds::without_gain(island, &step, contacts.rows.clone(), from, &holds, arrival))
                }
                other => other,
            };
            let arrival = arrival.or_else(|NotClosed| {
                if contacts.is_loaded {
                    Err(NotClosed)
                } else {
                    let mut parts = Parts::default();
                    in_parts(island, &step, &impulses, &holds, &mut parts)
                }
            });
            let Ok(arrival) = arrival else {
                self.impulses.extend(impulses);
                if !is_guessed {
                    stop(island, &before, start, &mut next, solution);
                    // Whatever the tolerance, it was missed.
                    if let Tolerance::Velocity(speed) = cx.settings.tolerance {
                        let missed = &mut solution.report.residuals.natural_map;
                        *missed = missed.max(2.0 * speed);
                    }
                }
                continue;
            };
            most_solves = most_solves.max(arrival.solves);
            for (k, &body) in island.bodies.iter().enumerate() {
                next.poses[body] = arrival.poses[k];
                next.velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k..]);
                next.angular_velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k + 3..]);
                if let Some(at) = columns.of(body) {
                    solution.iterate.velocity[at..at + 6].copy_from_slice(&arrival.velocity[6 * k..6 * k + 6]);
                }
            }
            for (row, impulse) in island.rows_of_model().zip(&arrival.impulses) {
                if let Some(row) = in_problem(row) {
                    solution.iterate.impulse[row] = *impulse;
                }
            }
            self.impulses.extend(arrival.impulses);
        }
        // Islands go their ways side by side.
        cx.iterations += most_solves;
        next
    }
}

/// Which islands nothing but gravity, contacts and joints without drives act on.
fn undriven(model: &Model, island_of: &[Option<u32>], islands: usize) -> Vec<bool> {
    let mut undriven = vec![true; islands];
    let forces = model.forces().flat_map(|(_, force)| force.bodies());
    let driven = model.joints().filter(|(_, joint)| joint.motion(0.0).is_some()).flat_map(|(_, joint)| joint.bodies());
    for island in forces.chain(driven).filter_map(|body| island_of[body.index()]) {
        undriven[island as usize] = false;
    }
    undriven
}

/// Leaves an island that no way was found for where it is, at rest: a step that nobody may take for a good one. Its residual is the speed that is lost.
fn stop(island: &Island, before: &[f64], start: &StepStart<'_>, next: &mut State, solution: &mut Solution) {
    let residuals = &mut solution.report.residuals;
    for &body in &island.bodies {
        next.poses[body] = start.state.poses[body];
        (next.velocities[body], next.angular_velocities[body]) = (Vec3::ZERO, Vec3::ZERO);
        let Some(at) = start.columns.of(body) else { continue };
        residuals.natural_map = residuals.natural_map.max(Vec3::from_slice(&before[at..]).length());
        solution.iterate.velocity[at..at + 6].fill(0.0);
    }
    residuals.natural_map_relative = 1.0;
    solution.report.status = Status::Stalled("no way was found for bodies that joints hold together");
}

/// A step of an island without contacts in halves.
fn in_parts(
    island: &mut Island,
    step: &IslandStep<'_>,
    impulses: &[f64],
    holds: &[bool],
    parts: &mut Parts,
) -> Result<Arrival, NotClosed> {
    if parts.is_hopeless() {
        return Err(NotClosed);
    }
    let half: Vec<f64> = impulses.iter().map(|impulse| 0.5 * impulse).collect();
    let mut state = step.state.clone();
    let mut holds = holds.to_vec();
    let mut whole = Arrival { impulses: vec![0.0; impulses.len()], ..Arrival::default() };
    for part in 0..2 {
        let h = 0.5 * step.step;
        let time = if part == 0 { step.time - h } else { step.time };
        let sub = IslandStep { state: &state, step: h, time, is_part: true, ..*step };
        let v: Vec<f64> = island
            .bodies
            .iter()
            .flat_map(|&body| {
                let (v, omega) = (state.velocities[body], state.angular_velocities[body]);
                [v.x, v.y, v.z, omega.x, omega.y, omega.z]
            })
            .collect();
        let nothing = IslandContacts::default();
        let arrival =
            island.advance(&sub, &nothing, (&v, &half), &holds).inspect(|_| parts.taken += 1).or_else(|NotClosed| {
                parts.failed += 1;
                in_parts(island, &sub, &half, &holds, parts)
            })?;
        holds = island.held();
        for (k, &body) in island.bodies.iter().enumerate() {
            state.poses[body] = arrival.poses[k];
            state.velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k..]);
            state.angular_velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k + 3..]);
        }
        whole.impulses.iter_mut().zip(&arrival.impulses).for_each(|(sum, part)| *sum += part);
        whole.solves += arrival.solves;
        whole.poses = arrival.poses;
        whole.velocity = arrival.velocity;
        whole.displacement = arrival.displacement;
    }
    Ok(whole)
}

/// What contacts do to an island: their impulses, and the directions they hold.
fn island_contacts(
    trial: &Trial<'_>,
    ask: &Ask<'_>,
    island: &Island,
    island_of: &[Option<u32>],
    index: u32,
    solution: &Solution,
) -> IslandContacts {
    let StepStart { model, columns, .. } = trial.start;
    let mut contacts = IslandContacts::default();
    let is_own = |body: u32| island_of.get(body as usize).copied().flatten() == Some(index);
    let local = |column: usize| {
        let body = columns.body_of(column)?;
        island.bodies.binary_search(&body).ok().map(|k| 6 * k + column % 6)
    };
    for (k, contact) in ask.near.iter().enumerate() {
        if !contact.bodies.iter().any(|body| is_own(*body)) {
            continue;
        }
        let rows = trial.layout.rows_of(k);
        let impulse = &solution.impulse()[rows.clone()];
        if impulse.iter().all(|part| *part == 0.0) {
            continue;
        }
        contacts.is_loaded = true;
        let block = trial.problem.rows().block(trial.problem.rows().len() - ask.near.len() + k);
        let columns_of_block: Vec<Option<usize>> = block.columns.iter().map(|column| local(*column)).collect();
        let is_ours = |body: u32| is_own(body) || model.bodies().get(body as usize).is_some_and(|body| body.is_fixed);
        if !contact.bodies.iter().all(|body| is_ours(*body)) || impulse[0] <= 0.0 {
            continue;
        }
        let [a, b] = contact.colliders.map(|collider| model.material_of(collider));
        let friction = model.contact(a, b).friction;
        let sticks = impulse.len() >= 3 && impulse[1].hypot(impulse[2]) < (1.0 - 1e-6) * friction * impulse[0];
        for r in 0..if sticks { 3 } else { 1 } {
            let entries = block.row(r).iter().zip(&columns_of_block);
            contacts.rows.push(entries.filter_map(|(entry, column)| column.map(|column| (column, *entry))).collect());
        }
    }
    contacts
}
