//! Energy: not grown beyond the work done on the system and what the order of the stepper explains.
//!
//! ```text
//! gain      ΔE − W of a step                                    W: loads, motors, imposed motions, overlaps that are undone
//! excess ←  max(0, excess + gain)                               a running sum that losses bring back to 0, never below
//! bound  ←  max(bound, p K + explained + rounding)              p: 5 % for order 1, 1 % for higher orders, 1e-5 for closed joints alone
//! kept if   excess ≤ bound
//! ```
//!
//! What a sound stepper explains, besides a share p of the largest kinetic energy seen:
//!
//! ```text
//! hard contacts   max(h |g| Σ m |v|, |Δ(V + U)|) + |W|
//!                                      velocities jump at the ends of steps: gravity and loads act along them one step early or late,
//!                                      which a flight or swing gives back at its other end
//! smooth motion   X (X/K)^(order − 1)  X = max(|ΔK|, |Δ(V + U)|) is what the step exchanged: a share X/K ~ hω of the motion, which a
//!                                      method of that order gets wrong by (hω)^order; at most 2 X where it is not resolved
//! closed joints   nothing, and p = 1e-5: where `dvi-passive` has rigid bodies and joints alone, reactions do no work and Newton's method leaves
//!                 1e-10 of the momentum per step at most
//! soft contacts   what their springs store: points of contact come and go, and their springs with them
//! rounding        1e-9 (K + |V| + U) and ½ Σ m (1e-10 m/h)²: joints are closed to 1e-10 m at best
//! ```
//!
//! Losses are no breach: order 1 loses by design. A gain is forgotten as far as losses make up for it, so that energy that is passed
//! back and forth between parts of a model does not add up.

use super::{Broken, Culprit, Promise};
use crate::{Energy, Model, State};

/// Share of the largest kinetic energy seen that steps of order 1 may gain.
const SHARE_FIRST_ORDER: f64 = 0.05;
/// Share of it that steps of a higher order may gain.
const SHARE_HIGHER_ORDER: f64 = 0.01;
/// Share of it that steps may gain whose joints are closed at both ends by reactions that do no work: 1e-10 of the momentum, which Newton's
/// method may leave in a step, for 1e5 steps.
const SHARE_CLOSED_JOINTS: f64 = 1e-5;
/// What an exchange of energy that the step does not resolve may be wrong by, as a share of it.
const UNRESOLVED: f64 = 2.0;
/// Joints are closed to this at best \[m\].
const CLOSED: f64 = 1e-10;
/// Share of all energies that rounding may be: positions far from the origin have large potentials with few digits to spare.
const ROUNDING: f64 = 1e-9;

/// What is kept of the energy from step to step: part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// Energy that has appeared without work, less what was lost since \[J\].
    pub excess: f64,
    /// How much of that is explained \[J\]: the largest bound of all steps so far.
    pub bound: f64,
    /// Kinetic energy at the end of the last step \[J\].
    pub kinetic: f64,
    /// All energy then, what soft contacts store included \[J\].
    pub total: f64,
}

/// What a step says about its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnergyStep {
    /// ΔE − W \[J\].
    pub(crate) gain: f64,
    /// What is explained at most \[J\].
    pub(crate) explained: f64,
}

impl EnergyAccount {
    /// An account that starts with the energy of a model and what contacts store besides \[J\].
    pub(crate) fn opened(energy: &Energy, of_contacts: f64) -> Self {
        Self { kinetic: energy.kinetic, total: energy.total() + of_contacts, ..Self::default() }
    }

    /// Enters a step; true if energy has grown beyond what is explained.
    #[must_use]
    pub(crate) fn enter(&mut self, step: EnergyStep) -> bool {
        self.bound = self.bound.max(step.explained);
        let excess = self.excess + step.gain;
        // Energy that is not a number is broken, and does not spoil the account of what comes after.
        if excess.is_nan() {
            return true;
        }
        self.excess = excess.max(0.0);
        self.excess > self.bound
    }

    /// The account as a broken promise.
    pub(crate) fn broken(&self, culprits: Vec<Culprit>) -> Broken {
        Broken::by(culprits, Promise::Energy, self.excess, self.bound, "J")
    }
}

/// How a stepper treats energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Explained {
    /// Order of the stepper, at least 1.
    pub(crate) order: i32,
    /// h \[s\].
    pub(crate) step: f64,
    /// Whether contacts are hard, so that velocities may jump.
    pub(crate) is_hard: bool,
    /// Whether nothing acts but gravity and joints that are closed at both ends of the step by reactions that do no work.
    pub(crate) has_closed_joints_alone: bool,
}

impl Explained {
    /// What is explained at the end of a step that started with this account, in which loads and motors did the work `of_forces` and
    /// after which springs of contacts store `of_contacts` \[J\].
    pub(crate) fn at_most(
        self,
        model: &Model,
        state: &State,
        energy: &Energy,
        before: &EnergyAccount,
        [of_forces, of_contacts]: [f64; 2],
    ) -> f64 {
        let kinetic = energy.kinetic.max(before.kinetic);
        let share = match self.order {
            _ if self.has_closed_joints_alone => SHARE_CLOSED_JOINTS,
            1 => SHARE_FIRST_ORDER,
            _ => SHARE_HIGHER_ORDER,
        };
        let stored = ((energy.total() - energy.kinetic) - (before.total - before.kinetic)).abs();
        let (mass, momentum) = masses_and_momenta(model, state);
        let exchanged = (energy.kinetic - before.kinetic).abs().max(stored);
        let by_the_stepper = if self.has_closed_joints_alone {
            0.0
        } else if self.is_hard {
            stored.max(self.step * model.gravity().length() * momentum) + of_forces
        } else if exchanged < kinetic {
            exchanged * (exchanged / kinetic).powi(self.order - 1)
        } else {
            UNRESOLVED * exchanged
        };
        let sizes = energy.kinetic.abs() + energy.potential.abs() + energy.elastic.abs();
        let rounding = ROUNDING * sizes + 0.5 * mass * (CLOSED / self.step).powi(2);
        share * kinetic + by_the_stepper + of_contacts + rounding
    }
}

/// Σ m \[kg\] and Σ m |v| \[kg m/s\] of all that moves.
fn masses_and_momenta(model: &Model, state: &State) -> (f64, f64) {
    let moving = model.bodies().iter().zip(&state.velocities).filter(|(body, _)| !body.is_fixed);
    let bodies = moving.map(|(body, v)| (body.mass, v));
    let nodes = model.node_masses().iter().copied().zip(&state.node_velocities);
    bodies.chain(nodes).fold((0.0, 0.0), |(mass, momentum), (m, v)| (mass + m, momentum + m * v.length()))
}

/// How much the energy of motion and of gravity of every body has grown from one state to another \[J\]; flexible bodies are counted after
/// rigid ones.
pub(crate) fn growth_of_bodies(model: &Model, [before, after]: [&State; 2]) -> Vec<f64> {
    let rigid = |state: &State, i: usize| {
        let (body, v, omega) = (&model.bodies()[i], state.velocities[i], state.angular_velocities[i]);
        let kinetic = 0.5 * (body.mass * v.length_squared() + omega.dot(body.inertia * omega));
        kinetic - body.mass * model.gravity().dot(state.poses[i].position)
    };
    let moving = |i: usize| !model.bodies()[i].is_fixed;
    let of_rigid = |i: usize| if moving(i) { rigid(after, i) - rigid(before, i) } else { 0.0 };
    let flexible = |state: &State, index: usize| -> f64 {
        let nodes = model.field().nodes_of(crate::flexible::FlexibleId(index as u32));
        nodes
            .map(|node| {
                let (mass, v) = (model.node_masses()[node], state.node_velocities[node]);
                0.5 * mass * v.length_squared() - mass * model.gravity().dot(state.nodes[node])
            })
            .sum()
    };
    let of_flexible = |index: usize| flexible(after, index) - flexible(before, index);
    (0..model.bodies().len()).map(of_rigid).chain((0..model.flexible().len()).map(of_flexible)).collect()
}

/// The body that carries most kinetic energy; flexible bodies are counted after rigid ones. `None` where nothing moves.
pub(crate) fn liveliest(model: &Model, state: &State) -> Option<usize> {
    let rigid = model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed).map(|(i, body)| {
        let (v, omega) = (state.velocities[i], state.angular_velocities[i]);
        (i, body.mass * v.length_squared() + omega.dot(body.inertia * omega))
    });
    let flexible = (0..model.flexible().len()).map(|index| {
        let nodes = model.field().nodes_of(crate::flexible::FlexibleId(index as u32));
        let twice: f64 =
            nodes.map(|node| model.node_masses()[node] * state.node_velocities[node].length_squared()).sum();
        (model.bodies().len() + index, twice)
    });
    rigid.chain(flexible).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(body, _)| body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Mat3, Vec3};

    #[test]
    fn gains_add_up_losses_bring_them_back_and_nothing_is_saved_up() {
        let mut account = EnergyAccount::default();
        let mut enter = |gain| account.enter(EnergyStep { gain, explained: 1.0 });
        assert!(!enter(-100.0), "a loss is no breach, and pays for nothing later");
        assert!(!enter(0.6) && !enter(-0.3) && !enter(0.6));
        assert!(enter(0.2), "0.6 − 0.3 + 0.6 + 0.2 = 1.1");
        assert!((account.excess - 1.1).abs() < 1e-12);
        assert!(!account.enter(EnergyStep { gain: -0.2, explained: 0.0 }), "the bound is the largest so far");
        let before = account;
        assert!(account.enter(EnergyStep { gain: f64::NAN, explained: 0.0 }));
        assert_eq!(account, before);
    }

    /// A ball of 2 kg at 3 m/s, gravity 10 m/s².
    fn ball() -> (Model, State) {
        let mut model = Model::builder();
        model.gravity(Vec3::new(0.0, 0.0, -10.0));
        let mut ball = Body::new("ball", 2.0, Mat3::IDENTITY);
        ball.velocity = Vec3::X * 3.0;
        model.body(ball);
        let model = model.build().expect("a model");
        let state = State::start_of(&model);
        (model, state)
    }

    #[test]
    fn hard_steps_explain_gravity_for_one_step_and_smooth_ones_what_their_order_does() {
        let (model, state) = ball();
        let energy = Energy { kinetic: 9.0, potential: -1e9, elastic: 0.0 };
        // 5 % of 9 J, 0.9 J that gravity stored (0.01 s · 10 m/s² · 6 kg m/s = 0.6 J is less), 0.3 J of loads, 2 J in springs of
        // contacts, and 1e-9 of 1e9 J.
        let before = EnergyAccount { kinetic: 8.1, total: 8.1 - 1e9 + 0.9, ..EnergyAccount::default() };
        let explained = Explained { order: 1, step: 0.01, is_hard: true, has_closed_joints_alone: false };
        let hard = explained.at_most(&model, &state, &energy, &before, [0.3, 2.0]);
        assert!((hard - (0.45 + 0.9 + 0.3 + 2.0 + 1.0)).abs() < 1e-5, "{hard}");
        // 1e-5 of 9 J and rounding, where joints are closed and nothing else acts.
        let closed = Explained { has_closed_joints_alone: true, ..explained };
        let closed = closed.at_most(&model, &state, &energy, &before, [0.0; 2]);
        assert!((closed - (9e-5 + 1.0)).abs() < 1e-7, "{closed}");
        // 1 % of 9 J, and 9 J · (0.9/9)² = 0.09 J.
        let second_order = Explained { order: 2, step: 0.01, is_hard: false, has_closed_joints_alone: false };
        let smooth = second_order.at_most(&model, &state, &energy, &before, [0.3, 0.0]);
        assert!((smooth - (0.09 + 0.09 + 1.0)).abs() < 1e-5, "{smooth}");
        // From rest, 9 J of motion in one step are not resolved: 1 % of 9 J and twice 9 J.
        let at_rest = EnergyAccount { total: -1e9, ..EnergyAccount::default() };
        let smooth = second_order.at_most(&model, &state, &energy, &at_rest, [0.3, 0.0]);
        assert!((smooth - (0.09 + 18.0 + 1.0)).abs() < 1e-5, "{smooth}");
        assert_eq!(liveliest(&model, &state), Some(0));
    }
}
