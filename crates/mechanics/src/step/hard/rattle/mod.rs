//! RATTLE with hard contacts: two cone problems per step, order 2 between impacts. Bodies that joints hold together take an energy-momentum step in the place of
//! the first stage ([`ends`]), which is stable at any load.
//!
//! ```text
//! positions    (M + h/2 R + h²/4 K)(v½ − v) = h/2 f(q ⊕ h/2 v, v, z½, t + h/2) + Cᵀγ₁ + Dᵀλ₁,    q⁺ = q ⊕ h v½
//!              Ψ(q⁺, t + h) = 0 (to first order; closed by the step of islands),    Φ + h D_n v½ ≥ 0,    λ₁ ∈ K against the slip of the middle of the step
//! velocities   M (v⁺ − v½) = p + C⁺ᵀγ₂ + D⁺ᵀλ₂,    p: what forces gave the first half, once more
//!              C⁺v⁺ = −Ψ_t,    D⁺v⁺ ≥ −ε u⁻,    λ₁ + λ₂ ∈ K against the slip of the middle of the step
//! ```
//!
//! The second cone holds the impulse of the whole step, not λ₂ alone: what the first stage gave to undo an overlap is taken back, so
//! that it moves bodies apart without leaving them any speed.
//!
//! Forces are those of the linearly implicit midpoint: f is evaluated where v would lead in half a step and corrected by K and R.
//! What K leaves out costs O(h²) there and no order. What R leaves out costs O(h): it is measured once v½ is known and given back
//! ([`correction`]), as is the gyroscopic torque at the angular velocity that joints and contacts allowed ([`gyroscopic`]).

mod correction;
mod ends;
mod gyroscopic;
mod positions;
mod rebounds;
mod second_stage;
mod slip;
mod velocities;

use super::answers::Answers;
use super::island::Islands;
use super::layout::RowLayout;
use super::scheme::{FirstStage, FreeMotionError, HardScheme, SecondStage, StepStart, advanced};
use super::tries::{Ask, Trial};
use crate::dynamics::columns::Columns;
use crate::dynamics::free_motion::FreeMotion;
use crate::force::memory;
use crate::motion::moved;
use crate::step::context::StepContext;
use crate::step::memory::StepMemory;
use crate::step::stepper::About;
use crate::step::usable::force_problem;
use crate::{Model, State, StepError, Vec3};
use ends::IslandEnds;
use signorini_collision::Contact;
use signorini_solver::{ConeProblem, Iterate, ProblemError, Solution};

/// What it is.
pub(crate) fn about() -> About {
    let summary =
        "joints closed by an energy-momentum step, RATTLE for hard contacts; order 2 between impacts, no damping";
    About::hard::<Rattle>("dvi-rattle", summary, 2)
}

/// RATTLE and what it keeps from step to step.
pub(crate) struct Rattle {
    /// Solves the problems of the second stage.
    velocities: Answers,
    /// Bodies that joints hold together.
    islands: Islands,
    /// Whether contacts are near to an island in this step.
    is_touched: Vec<bool>,
    /// How the first stage has ended for them.
    ends: IslandEnds,
    /// Whether an island that contacts push had no way.
    is_lost: bool,
    /// Bodies of islands that no way was found for in the last step, or whose joints contradict each other.
    unanswered: Vec<usize>,
}

impl HardScheme for Rattle {
    const CLOSES_JOINTS: bool = true;
    const CARRIES_FLEXIBLE: bool = false;
    const WEIGHS_CONTACTS: bool = true;

    fn new(model: &Model, columns: &Columns, _: bool) -> Self {
        let islands = Islands::new(model);
        Self {
            velocities: Answers::new(columns),
            islands,
            is_touched: Vec::new(),
            ends: IslandEnds::default(),
            is_lost: false,
            unanswered: Vec::new(),
        }
    }

    fn free_motion(
        &mut self,
        start: &StepStart<'_>,
        near: &[Contact],
        _: &[Vec3],
    ) -> Result<FreeMotion, FreeMotionError> {
        self.is_touched = self.islands.touched(near);
        let is_touched = &self.is_touched;
        self.islands.choose(|island| is_touched[island]);
        positions::free_motion(start)
    }

    fn assemble(
        &self,
        start: &StepStart<'_>,
        ask: &Ask<'_>,
        problem: &mut ConeProblem,
    ) -> Result<RowLayout, ProblemError> {
        positions::assemble(start, ask, &self.islands, &self.is_touched, problem)
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

    /// The first of two stages gives about half of a step's impulses.
    fn starting_point(&self, mut before: Iterate) -> Iterate {
        before.impulse.iter_mut().for_each(|impulse| *impulse *= 0.5);
        before
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
        let StepStart { model, state, parameters, .. } = *start;
        let mut next = advanced(start, solution.velocity(), solution.velocity());
        gyroscopic::turn(start, &mut next);
        let mut in_the_middle = state.memory.clone();
        add_memory_rates(model, state, 0.5 * parameters.step, &mut in_the_middle);
        self.send_islands(trial, ask, (memory, &in_the_middle), solution, &mut next, cx);
        next.memory = memory_after(model, state, &next, parameters.step);
        next
    }

    fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn unanswered(&self) -> &[usize] {
        &self.unanswered
    }

    fn force_problem(&self, start: &StepStart<'_>, step: u64) -> Option<StepError> {
        force_problem_of(start, step)
    }

    fn second_stage(
        &mut self,
        start: &StepStart<'_>,
        first: &FirstStage<'_>,
        near: &[Contact],
        next: &mut State,
        cx: &mut StepContext<'_>,
    ) -> Result<Option<SecondStage>, StepError> {
        self.solve_velocities(start, first, near, next, cx).map(Some)
    }
}

/// The error of the first force that does not exist where the step starts or half a step ahead.
fn force_problem_of(start: &StepStart<'_>, step: u64) -> Option<StepError> {
    let StepStart { model, state, parameters, .. } = *start;
    let in_the_middle = || force_problem(model, &middle(model, state, parameters.step), step);
    force_problem(model, state, step).or_else(in_the_middle)
}

/// Where everything is half a step ahead if velocities stay: q ⊕ h/2 v, z + h/2 ż, t + h/2.
fn middle(model: &Model, state: &State, h: f64) -> State {
    let mut middle = state.clone();
    advance_poses(model, &mut middle, 0.5 * h);
    add_memory_rates(model, state, 0.5 * h, &mut middle.memory);
    middle
}

/// The memory after the step by the midpoint rule, z + h ż(q ⊕ h/2 v½, v½, z½, t + h/2); `after` has the velocities v½.
fn memory_after(model: &Model, before: &State, after: &State, h: f64) -> Vec<f64> {
    let mut memory = before.memory.clone();
    if memory.is_empty() {
        return memory;
    }
    let mut middle = before.clone();
    add_memory_rates(model, before, 0.5 * h, &mut middle.memory);
    middle.velocities.clone_from(&after.velocities);
    middle.angular_velocities.clone_from(&after.angular_velocities);
    advance_poses(model, &mut middle, 0.5 * h);
    add_memory_rates(model, &middle, h, &mut memory);
    memory
}

/// Moves the positions and the time of a state along its velocities.
fn advance_poses(model: &Model, state: &mut State, seconds: f64) {
    state.time += seconds;
    for i in (0..state.poses.len()).filter(|&i| !model.bodies()[i].is_fixed) {
        state.poses[i] = moved(&state.poses[i], state.velocities[i], state.angular_velocities[i], seconds);
    }
}

/// `out` += factor · ż of a state.
fn add_memory_rates(model: &Model, state: &State, factor: f64, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    let mut rates = vec![0.0; out.len()];
    memory::rates_of(model, state, state.time, &mut rates);
    out.iter_mut().zip(&rates).for_each(|(z, rate)| *z += factor * rate);
}
