//! Rebounds that gain no energy: an answer with them is mixed with one without, group by group of bodies that touch (§12.5 of the theory).
//!
//! Bodies have gone their way hw when velocities are asked for, so that the energy that a group may have is known:
//!
//! ```text
//! ½‖v⁺‖²_M ≤ ½‖v‖²_M + P·w        P: impulses of everything but contacts
//! ```
//!
//! With v⁺ = v₀ + θ(v₁ − v₀) between the velocities without (v₀) and with rebounds (v₁), θ is as large as that allows. Balance of momentum, joints, gaps and the
//! friction cone hold for any mixture, being convex.

use super::ends::IslandEnd;
use super::velocities::{First, Velocities};
use crate::dynamics::inertia::momentum_of;
use crate::step::hard::groups::grouped;
use crate::step::hard::passive::share_without_gain;
use crate::step::hard::scheme::StepStart;
use signorini_solver::Solution;

/// A gain below this share of the kinetic energy is rounding.
const ROUNDING: f64 = 1e-12;

/// Contacts of islands may give energy by this share of what there is.
const TOO_MUCH: f64 = 1e-4;

/// Groups of bodies that contacts and joints connect, and the energy they may have.
pub(super) struct Rebounds<'a> {
    first: &'a First<'a>,
    stage: &'a Velocities,
    /// The group of every body.
    groups: Vec<usize>,
    /// ½‖v‖²_M + P·w of every group \[J\]; infinite for one that nothing touches.
    allowed: Vec<f64>,
    /// Whether joints hold bodies of a group.
    has_island: Vec<bool>,
    /// The energy of a group that falls for one step \[J\]: what rests has no other to compare with.
    falling: Vec<f64>,
}

impl<'a> Rebounds<'a> {
    pub(super) fn new(first: &'a First<'a>, stage: &'a Velocities) -> Self {
        let StepStart { model, columns, state, threads, .. } = *first.start;
        let moves = |body: usize| model.bodies().get(body).is_some_and(|body| !body.is_fixed);
        let contacts = stage.closed.iter().map(|closed| closed.contact.bodies.map(|body| body as usize));
        let joints =
            first.islands.list.iter().flat_map(|island| island.bodies.windows(2).map(|pair| [pair[0], pair[1]]));
        let groups = grouped(model.bodies().len(), contacts.chain(joints).filter(|[a, b]| moves(*a) && moves(*b)));
        let mut has_island = vec![false; groups.len()];
        let in_islands = first.islands.list.iter().flat_map(|island| &island.bodies);
        in_islands.for_each(|body| has_island[groups[*body]] = true);
        let fall = first.start.parameters.step * model.gravity().length();
        let mut falling = vec![0.0; groups.len()];
        let (before, way) = (columns.gather(state, threads), first.stage.solution.velocity());
        // Those that nothing touches are nobody's concern.
        let mut allowed = vec![f64::INFINITY; groups.len()];
        let touching = stage.closed.iter().flat_map(|closed| closed.contact.bodies).map(|body| body as usize);
        let is_touching = |island: &usize| matches!(first.ends.of_island[*island], IslandEnd::Touching { .. });
        let in_touching = (0..first.islands.list.len()).filter(is_touching).flat_map(|k| &first.islands.list[k].bodies);
        touching.filter(|body| moves(*body)).chain(in_touching.copied()).for_each(|body| allowed[groups[body]] = 0.0);
        for (body, group) in groups.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            let v = &before[at..at + 6];
            let momentum = momentum_of(&model.bodies()[body], v);
            let given: [f64; 6] = std::array::from_fn(|k| stage.without_contacts[at + k] - momentum[k]);
            falling[*group] += 0.5 * model.bodies()[body].mass * fall * fall;
            allowed[*group] += 0.5 * dot(v, &momentum) + dot(&given, &way[at..at + 6]);
        }
        Self { first, stage, groups, allowed, has_island, falling }
    }

    /// What a quadratic form of all velocities of every group is: ½ aᵀM b.
    fn half_products(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let StepStart { model, columns, .. } = *self.first.start;
        let mut sums = vec![0.0; self.groups.len()];
        for (body, group) in self.groups.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            sums[*group] += 0.5 * dot(&a[at..at + 6], &momentum_of(&model.bodies()[body], &b[at..at + 6]));
        }
        sums
    }

    /// Whether a group has more energy in an answer than it may have.
    pub(super) fn gain(&self, answer: &Solution) -> bool {
        let kinetic = self.half_products(answer.velocity(), answer.velocity());
        let is_gain = |(kinetic, allowed): (&f64, &f64)| kinetic - allowed > ROUNDING * (kinetic + allowed.abs());
        kinetic.iter().zip(&self.allowed).any(is_gain)
    }

    /// Slows groups down that have far more energy in an answer than they may have, which islands under contacts may find where the step is too long for them; whether
    /// there are any.
    pub(super) fn slow_down(&self, answer: &mut Solution) -> bool {
        let kinetic = self.half_products(answer.velocity(), answer.velocity());
        let mut is_too_fast = false;
        for (body, group) in self.groups.iter().enumerate() {
            let (kinetic, allowed) = (kinetic[*group], self.allowed[*group]);
            let is_held = self.has_island[*group];
            let Some(at) = self.first.start.columns.of(body).filter(|_| is_held) else { continue };
            if kinetic.is_nan() || kinetic - allowed > TOO_MUCH * kinetic.max(allowed.abs()).max(self.falling[*group]) {
                is_too_fast = true;
                let share = (allowed.max(0.0) / kinetic).sqrt();
                let share = if share.is_finite() { share } else { 0.0 };
                answer.iterate.velocity[at..at + 6].iter_mut().for_each(|v| *v *= share);
            }
        }
        is_too_fast
    }

    /// Mixes an answer with rebounds and one without. The residual is that of the worse one.
    pub(super) fn mixed(&self, lively: Solution, calm: Solution) -> Solution {
        let difference: Vec<f64> = lively.velocity().iter().zip(calm.velocity()).map(|(a, b)| a - b).collect();
        let (e1, e0) = (
            self.half_products(lively.velocity(), lively.velocity()),
            self.half_products(calm.velocity(), calm.velocity()),
        );
        let squares = self.half_products(&difference, &difference);
        let share_of = |group: usize| {
            let [one, zero] = [e1[group], e0[group]].map(|kinetic| kinetic - self.allowed[group]);
            if one <= ROUNDING * (e1[group] + self.allowed[group].abs()) {
                1.0
            } else {
                share_without_gain(zero, one, squares[group])
            }
        };
        let shares: Vec<f64> = (0..self.groups.len()).map(share_of).collect();
        let StepStart { model, columns, .. } = *self.first.start;
        let mix = |to: &mut f64, from: f64, share: f64| *to += share * (from - *to);
        let mut mixed = calm;
        for (body, group) in self.groups.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            for k in at..at + 6 {
                mix(&mut mixed.iterate.velocity[k], lively.velocity()[k], shares[*group]);
            }
        }
        let moves = |body: &usize| !model.bodies()[*body].is_fixed;
        for (row, bodies) in self.stage.bodies_of_rows(model) {
            let share = bodies.iter().find(|body| moves(body)).map_or(1.0, |body| shares[self.groups[*body]]);
            mix(&mut mixed.iterate.impulse[row], lively.impulse()[row], share);
            mix(&mut mixed.relative_velocity[row], lively.relative_velocity[row], share);
        }
        if lively.report.residuals.natural_map > mixed.report.residuals.natural_map {
            mixed.report = lively.report;
        }
        mixed
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
