//! A step that cannot invent energy: joints closed where bodies arrive by reactions that do no work (§12 of the theory).
//!
//! ```text
//! q⁺ = q ⊕ hw,    w = v + ϑ(v⁺ − v),    M(v⁺ − v) = h f + C̄ᵀγ + Dᵀλ − h W × IW,    Ψ(q⁺, t + h) = 0
//! E⁺ − E = −(ϑ − ½)‖v⁺ − v‖²_M + λᵀDw
//! ```
//!
//! ϑ = ½ where no contact is near: nothing is lost, and with forces in the middle of the way the step is of second order. ϑ = 1 where bodies may touch, so that impacts act on the velocities after them, and where forces
//! are too stiff for the step, whose motion then dies away instead of changing its sign from step to step. Contacts and the
//! first guess of reactions are those of one cone problem, at the start of the step; bodies held together by joints then go their way by
//! Newton's method ([`super::island`]), with the mean rows C̄ of [`crate::dynamics::mean_rows`]. Bodies without joints turn as
//! [`crate::dynamics::rotation`] says.

mod impacts;
mod rebounds;
mod resting;
mod soft;

pub(super) use impacts::share_without_gain;

use super::euler::{keep_analysis, with_forces};
use super::island::{ForcesAt, Island, IslandStep, Islands, Sent, spin_impulse};
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
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::stepper::About;
use crate::{Gyroscopic, Model, RestitutionLaw, State, Vec3};
use impacts::Impacts;
use signorini_collision::Contact;
use signorini_linalg::{Halves, Threads};
use signorini_solver::problem::{BlockDiagonal, BlockSlot, Inertia};
use signorini_solver::{ConeProblem, ProblemError, Solution};
use std::sync::Arc;

/// What it is.
pub(crate) fn about() -> About {
    let summary = "joints closed where bodies arrive, no energy from nowhere, hard contacts; the default";
    About::hard::<Passive>("dvi-passive", summary, 1)
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
    islands: Islands,
    /// Whether nothing but gravity, contacts and joints without drives act on an island.
    is_undriven: Vec<bool>,
    /// ϑ of every island in this step.
    theta: Vec<f64>,
    /// What flies, touches and rebounds.
    impacts: Impacts,
    /// γ of the rows of all islands, one island after the other.
    impulses: Vec<f64>,
    /// Whether an island that contacts push had no way.
    is_lost: bool,
    /// How bodies without joints turn by themselves; `None` for those that keep their angular velocity.
    turns: Vec<Option<FreeTurn>>,
    /// Bodies of islands that no way was found for in the last step, or whose joints contradict each other.
    unanswered: Vec<usize>,
}

impl Passive {
    /// ϑ of a body.
    fn theta_of(&self, body: usize) -> f64 {
        self.islands.of_body(body).map_or(1.0, |island| self.theta[island])
    }

    /// Where the forces on an island are taken: with ϑ = ½ in the middle of its way, where the step is of second order.
    fn forces_at(&self, island: usize) -> ForcesAt {
        if self.theta[island] == 0.5 { ForcesAt::Middle } else { ForcesAt::End }
    }

    /// Chooses ϑ of all islands.
    fn choose_theta(&mut self, start: &StepStart<'_>, near: &[Contact]) {
        self.theta.clear();
        self.theta.resize(self.islands.list.len(), 0.5);
        if self.islands.is_empty() {
            return;
        }
        let StepStart { model, state, parameters, .. } = *start;
        if model.forces().len() > 0 {
            let memory = memory::advanced(model, state, parameters.step);
            for (island, theta) in self.islands.list.iter().zip(&mut self.theta) {
                if island.is_stiff(model, state, &memory, parameters.step) {
                    *theta = 1.0;
                }
            }
        }
        let touched = self.islands.touched(near);
        touched.iter().zip(&mut self.theta).filter(|(touched, _)| **touched).for_each(|(_, theta)| *theta = 1.0);
        let theta = &self.theta;
        self.islands.choose(|island| theta[island] == 1.0);
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
    const PARTS_OVERLAPS: bool = true;
    const WEIGHS_CONTACTS: bool = true;
    const RESTS: bool = true;

    fn new(model: &Model, columns: &Columns, parallel: bool) -> Self {
        let threads = if parallel { Threads::Pool } else { Threads::One };
        let mass = Arc::new(Inertia::BlockDiagonal(mass_matrix(model)));
        let flexible = FlexibleMotion::new(model, columns, parallel);
        let islands = if flexible.is_some() { Islands::none(model) } else { Islands::new(model) };
        let impacts = Impacts::new(model, islands.of_bodies());
        let weighted = (mass.clone(), vec![1.0; islands.list.len()]);
        let is_undriven = undriven(model, islands.of_bodies(), islands.list.len());
        Self {
            mass,
            weighted,
            flexible,
            threads,
            islands,
            is_undriven,
            impacts,
            theta: Vec::new(),
            impulses: Vec::new(),
            is_lost: false,
            turns: Vec::new(),
            unanswered: Vec::new(),
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
        self.impacts.look(start, near);
        self.turns.resize(model.bodies().len(), None);
        let (island_of, is_implicit) = (self.islands.of_bodies(), parameters.gyroscopic == Gyroscopic::Implicit);
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
        let own = self.islands.curvature(start, |island| self.theta[island] == 1.0);
        let curvature = if self.islands.is_empty() { &ask.joint_curvature } else { &own };
        let joints = joint_rows_of_positions(start, curvature, |row| self.islands.has_row_in_problem(row));
        let fill = |k: usize, slot: BlockSlot<'_>| self.impacts.fill_contact(start, ask, k, slot);
        let layout = write_problem(start, joints.as_ref(), &ask.near, problem, &fill)?;
        let (rows, all) = self.islands.rows_in_problem(layout.joints());
        Ok(layout.with_joint_rows(rows, all))
    }

    fn show_problem(
        &mut self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        self.islands.show_all();
        self.assemble(start, ask, problem)
    }

    fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn gains(&self, trial: &Trial<'_>, ask: &Ask<'_>, solution: &Solution) -> bool {
        self.impacts.gains(trial, ask, solution, &self.turns)
    }

    fn mix(&mut self, trial: &Trial<'_>, ask: &Ask<'_>, rebounding: &Solution, calm: &mut Solution) -> Vec<f64> {
        self.impacts.mix(trial, ask, rebounding, calm, &self.turns)
    }

    fn unanswered(&self) -> &[usize] {
        &self.unanswered
    }

    fn acts_along_displacement(&self, row: usize) -> bool {
        row < self.islands.rows_of_model() && self.islands.of_row(row).is_some()
    }

    fn theta(&self, body: usize) -> f64 {
        self.theta_of(body)
    }

    fn takes_forces_in_the_middle(&self, body: usize) -> bool {
        self.islands.of_body(body).is_some_and(|island| self.forces_at(island) == ForcesAt::Middle)
    }

    fn time_of_contact(&self, start: &StepStart<'_>, contact: &Contact) -> Option<f64> {
        self.impacts.time_of(start, contact, self.impacts.has_rebounds())
    }

    fn flies(&self, body: usize) -> bool {
        self.impacts.flies(body)
    }

    fn remember(&self, joints: &mut [f64]) {
        for (row, impulse) in self.islands.list.iter().flat_map(Island::rows_of_model).zip(&self.impulses) {
            joints[row] = *impulse;
        }
    }

    fn remember_ways(&self, ways: &mut Vec<f64>) {
        ways.clone_from(&self.islands.ways);
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
        self.impulses.clear();
        self.is_lost = false;
        self.unanswered.clear();
        let mut most_solves = 0;
        let pushed = self.islands.pushed_by_contacts(trial, ask, solution);
        let memory_in_the_middle = memory::advanced(model, state, 0.5 * h);
        for index in 0..self.islands.list.len() {
            let forces = self.forces_at(index);
            let step = IslandStep {
                model,
                state,
                memory: if forces == ForcesAt::Middle { &memory_in_the_middle } else { &next.memory },
                parameters,
                step: h,
                time: state.time + h,
                theta: self.theta[index],
                forces,
                ends_on_joints: true,
                is_part: false,
            };
            let may_gain = self.is_undriven[index]
                && parameters.restitution_law == RestitutionLaw::Dissipative
                && rebounds::are_its_own(trial, ask, &self.impacts, (&self.islands, index), solution);
            let answer = (trial, ask, &*solution);
            let sent = self.islands.send(index, &step, answer, memory, (&pushed, 1.0), |island, from, arrival| {
                if may_gain { rebounds::without_gain(island, &step, from, arrival) } else { Ok(arrival) }
            });
            let (Sent { arrival, guess, is_loaded }, island) = (sent, &self.islands.list[index]);
            let Ok(arrival) = arrival else {
                self.impulses.extend(guess);
                self.is_lost |= is_loaded;
                self.unanswered.extend_from_slice(&island.bodies);
                island.stop(start, &mut next, solution, cx.settings.tolerance);
                continue;
            };
            most_solves = most_solves.max(arrival.solves);
            if island.is_contradicted() {
                self.unanswered.extend_from_slice(&island.bodies);
            }
            for (k, &body) in island.bodies.iter().enumerate() {
                next.poses[body] = arrival.poses[k];
                next.velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k..]);
                next.angular_velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k + 3..]);
                if let Some(at) = columns.of(body) {
                    solution.iterate.velocity[at..at + 6].copy_from_slice(&arrival.velocity[6 * k..6 * k + 6]);
                }
            }
            for (row, impulse) in island.rows_of_model().zip(&arrival.impulses) {
                if let Some(row) = trial.layout.row_in_problem(row) {
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
