//! How the first stage ends for islands: bodies that joints hold together go their way by Newton's method ([`crate::step::hard::island`]), with ϑ = ½ and forces in
//! the middle of the way.
//!
//! ```text
//! q⁺ = q ⊕ hw,   v⁺ = 2w − v,   M(v⁺ − v) = h f(q ⊕ ½hw, w, t + ½h) − h W × IW + C̄ᵀγ + Dᵀλ,   Ψ(q⁺, t + h) = 0
//! ```
//!
//! C̄ is the discrete gradient, so that reactions do no work: the step is of second order and stable at any ratio of masses, where RATTLE with the rows of the start
//! of the step needs h²T/(ml) < 4 for a link of mass m and length l under the tension T. Velocities of an island that nothing is near to are then put onto its joints;
//! where something is, the problem of velocities does that, together with its contacts.

use super::Rattle;
use crate::State;
use crate::Vec3;
use crate::dynamics::inertia::momentum_of;
use crate::step::context::StepContext;
use crate::step::hard::island::{ForcesAt, IslandStep, Sent};
use crate::step::hard::scheme::StepStart;
use crate::step::hard::tries::{Ask, Trial};
use crate::step::memory::StepMemory;
use signorini_solver::Solution;

/// How the first stage has ended for an island.
#[derive(Clone, Debug)]
pub(super) enum IslandEnd {
    /// Nothing is near, or no way was found: these are its velocities after the step.
    Apart { velocity: Vec<f64> },
    /// Something is near: this is its momentum after the step without what contacts do.
    Touching { momentum: Vec<f64> },
}

/// How the first stage has ended for all islands.
#[derive(Default)]
pub(super) struct IslandEnds {
    pub(super) of_island: Vec<IslandEnd>,
    /// C̄ᵀ's impulses γ of the step for all joint rows of the model.
    pub(super) impulses: Vec<f64>,
    /// Limits and ropes that hold at the end.
    pub(super) holds: Vec<bool>,
}

impl Rattle {
    /// Sends all islands on their way from the answer of the first stage, whose velocities and impulses become theirs. `memory_in_the_middle` is what forces
    /// remember there.
    pub(super) fn send_islands(
        &mut self,
        trial: &Trial<'_>,
        ask: &Ask<'_>,
        (memory, memory_in_the_middle): (&StepMemory, &[f64]),
        solution: &mut Solution,
        next: &mut State,
        cx: &mut StepContext<'_>,
    ) {
        let start = &trial.start;
        let StepStart { model, columns, state, parameters, .. } = *start;
        let h = parameters.step;
        let Self { islands, ends, is_touched, is_lost, .. } = self;
        *is_lost = false;
        ends.of_island.clear();
        ends.impulses.clear();
        ends.impulses.resize(islands.rows_of_model(), 0.0);
        ends.holds.clear();
        ends.holds.resize(islands.rows_of_model(), false);
        let pushed = islands.pushed_by_contacts(trial, ask, solution);
        let mut most_solves = 0;
        for index in 0..islands.list.len() {
            let is_apart = !is_touched[index];
            let step = IslandStep {
                model,
                state,
                memory: memory_in_the_middle,
                parameters,
                step: h,
                time: state.time + h,
                theta: 0.5,
                forces: ForcesAt::Middle,
                ends_on_joints: is_apart,
                is_part: false,
            };
            // Impulses of the first stage are those of half the step.
            let Sent { arrival, guess, is_loaded } =
                islands.send(index, &step, (trial, ask, solution), memory, (&pushed, 2.0));
            let island = &islands.list[index];
            let Ok(arrival) = arrival else {
                *is_lost |= is_loaded;
                island.stop(start, next, solution, cx.settings.tolerance);
                island.rows_of_model().zip(guess).for_each(|(row, g)| ends.impulses[row] = g);
                ends.of_island.push(IslandEnd::Apart { velocity: vec![0.0; 6 * island.bodies.len()] });
                continue;
            };
            most_solves = most_solves.max(arrival.solves);
            // A step that was taken in parts has no one velocity of its way.
            let way = if arrival.parts > 0 { &arrival.velocity } else { &arrival.displacement };
            for (k, &body) in island.bodies.iter().enumerate() {
                let part = &way[6 * k..6 * k + 6];
                next.poses[body] = arrival.poses[k];
                next.velocities[body] = Vec3::from_slice(part);
                next.angular_velocities[body] = Vec3::from_slice(&part[3..]);
                if let Some(at) = columns.of(body) {
                    solution.iterate.velocity[at..at + 6].copy_from_slice(part);
                }
            }
            let rows = island.rows_of_model().zip(arrival.impulses.iter().zip(island.held()));
            for (row, (impulse, holds)) in rows {
                (ends.impulses[row], ends.holds[row]) = (*impulse, holds);
                if let Some(row) = trial.layout.row_in_problem(row) {
                    solution.iterate.impulse[row] = 0.5 * impulse;
                }
            }
            ends.of_island.push(if is_apart {
                IslandEnd::Apart { velocity: arrival.velocity }
            } else {
                let bodies = island.bodies.iter().zip(arrival.velocity.chunks_exact(6));
                let mut momentum: Vec<f64> =
                    bodies.flat_map(|(&body, v)| momentum_of(&model.bodies()[body], v)).collect();
                momentum.iter_mut().zip(&arrival.pushed).for_each(|(p, pushed)| *p -= pushed);
                IslandEnd::Touching { momentum }
            });
        }
        // Islands go their ways side by side.
        cx.iterations += most_solves;
    }
}
