//! What rests, rests: how long the answer of a step has lasted, and how far a new one has to be better than promised.
//!
//! The impulses of what rests are those of the step before, up to rounding. Solved to rounding they pass as the answer of the next step, and of many after it, at the price of a
//! measurement. What is left grows: bodies under loads that do not follow them topple, at a rate of √(g/l) where they carry nothing and of some hundred per second at the foot of a
//! tower. A loose answer is of no use in the next step, and is solved again and again. So a quiet island is solved to [`AIM`], and its answer is taken again until it has grown to
//! [`HOLDS`].

use super::speeds::Speeds;
use crate::dynamics::columns::Columns;
use signorini_solver::{Method, Residuals, SolverSettings, Tolerance};

/// Islands are quiet while their bodies are slower than so many times the usual tolerance: the speed that gravity gives in one step.
const QUIET: f64 = 20.0;
/// An answer that has lasted is taken again up to this share of the usual tolerance: 1e-10 m/s with a step of 10 ms.
const HOLDS: f64 = 2e-8;
/// A new answer aims at this share of it: where it can be had, one step of Newton's method leads far below, and where contacts contradict each other in their last digits, none does.
const AIM: f64 = 0.3;
/// Quiet problems with more rows than this are solved as promised: a factor costs too much where contacts come and go.
const ROWS: usize = 20_000;
/// Up to so many rows an answer at rounding is tried in every step, however often there was none.
const FEW_ROWS: usize = 600;
/// So many failures in a row are worth another try without a pause.
const FAILURES: u32 = 2;
/// The pause doubles with every further one, up to 2 to this power of steps.
const LONGEST_PAUSE: u32 = 6;

/// How the island of a body has rested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Steps in a row that the answer of the step before was taken again.
    pub lasted: u32,
    /// Steps in a row that were to be solved at rounding and were not.
    pub failures: u32,
    /// Steps until that is tried again.
    pub pause: u32,
    /// Steps in a row that it has been as slow as what rests.
    pub still: u32,
    /// What tells the bodies apart that fell asleep together; 0 for those that are awake.
    pub group: u32,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was solved as promised.
    Promised,
    /// The answer of the step before was taken again.
    Lasted,
    /// It has a new answer that may last.
    Solved,
    /// No such answer was found.
    Failed,
}

/// How accurately what rests is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accuracy {
    /// When the answer of the step before is good enough.
    pub(super) start: Tolerance,
    /// What a new one aims at.
    pub(super) aim: Tolerance,
    /// What is good enough for a new one.
    holds: Tolerance,
    /// Whether one from no start is tried as well, where that from the step before is not good enough: not where that has failed again and again.
    pub(super) is_worth_a_cold_start: bool,
}

impl Accuracy {
    /// Whether an answer is good enough to be taken again in the next step.
    pub(super) fn lasts(&self, residuals: &Residuals) -> bool {
        self.holds.met(residuals)
    }
}

impl Rest {
    /// That of an island of several bodies, which rests as the least of them.
    pub(super) fn of(bodies: impl Iterator<Item = Self>) -> Self {
        bodies
            .reduce(|a, b| Self {
                lasted: a.lasted.min(b.lasted),
                failures: a.failures.max(b.failures),
                pause: a.pause.max(b.pause),
                ..Self::default()
            })
            .unwrap_or_default()
    }

    /// How accurately an island of so many rows is solved for its rest; `None` for as promised.
    pub(super) fn accuracy(
        &self,
        settings: &SolverSettings,
        usual: Option<f64>,
        rows: usize,
        speeds: &Speeds<'_>,
    ) -> Option<Accuracy> {
        let (Some(usual), Tolerance::Velocity(promised)) = (usual, settings.tolerance) else { return None };
        let is_worth_it = rows <= ROWS && (rows <= FEW_ROWS || self.pause == 0);
        let is_usual = matches!(settings.method, Method::Auto(_)) && settings.facets.is_none();
        if !is_worth_it || !is_usual || !speeds.are_at_most(QUIET * usual) {
            return None;
        }
        let holds = promised.min(HOLDS * usual);
        let start = if self.lasted > 0 { holds } else { AIM * holds };
        let [start, aim, holds] = [start, AIM * holds, holds].map(Tolerance::Velocity);
        Some(Accuracy { start, aim, holds, is_worth_a_cold_start: self.failures < FAILURES })
    }

    /// After a step.
    pub(super) fn after(self, outcome: Outcome) -> Self {
        let Self { lasted, failures, pause, .. } = self;
        let [lasted, failures, pause] = match outcome {
            Outcome::Promised => [0, failures, pause.saturating_sub(1)],
            Outcome::Lasted => [lasted.saturating_add(1), 0, 0],
            // Only an answer that lasts shows that this rests: what creeps has a new one in every step, or none.
            Outcome::Solved => [0, failures, 0],
            Outcome::Failed => {
                let failures = failures.saturating_add(1);
                let pause = if failures < FAILURES { 0 } else { 1 << (failures - FAILURES).min(LONGEST_PAUSE) };
                [0, failures, pause]
            }
        };
        Self { lasted, failures, pause, ..self }
    }
}

/// How all bodies have rested: before a step, whose problems all begin there, and after the last of them.
#[derive(Default)]
pub(super) struct BodiesAtRest {
    before: Vec<Rest>,
    after: Vec<Rest>,
    /// The bodies that have velocities in the problem, six each.
    moving: Vec<usize>,
    /// Whether anybody has said how they have rested.
    is_known: bool,
}

impl BodiesAtRest {
    pub(super) fn new(columns: &Columns) -> Self {
        let none = vec![Rest::default(); columns.bodies()];
        let moving = (0..columns.bodies()).filter(|body| columns.of(*body).is_some()).collect();
        Self { before: none.clone(), after: none, moving, is_known: false }
    }

    /// Begins a step. What another model has left is forgotten.
    pub(super) fn recall(&mut self, known: &[Rest]) {
        self.is_known = true;
        if known.len() == self.before.len() {
            self.before.copy_from_slice(known);
        } else {
            self.before.fill(Rest::default());
        }
        self.after.copy_from_slice(&self.before);
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    pub(super) fn after(&self) -> &[Rest] {
        &self.after
    }

    /// That of the bodies with some velocities; `None` for all.
    pub(super) fn of(&self, own: Option<&[usize]>) -> Rest {
        match own {
            None => Rest::of(self.moving.iter().map(|body| self.before[*body])),
            Some(own) => Rest::of(bodies(&self.moving, own).map(|body| self.before[body])),
        }
    }

    pub(super) fn set(&mut self, own: Option<&[usize]>, rest: Rest) {
        let Self { after, moving, .. } = self;
        let mut set = |body: usize| {
            let Rest { still, group, .. } = after[body];
            after[body] = Rest { still, group, ..rest };
        };
        match own {
            None => moving.iter().for_each(|body| set(*body)),
            Some(own) => bodies(moving, own).for_each(set),
        }
    }
}

/// The bodies that some velocities belong to.
fn bodies(moving: &[usize], own: &[usize]) -> impl Iterator<Item = usize> {
    own.iter().filter(|first| *first % 6 == 0).filter_map(|first| moving.get(first / 6).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_less_and_less_often() {
        let mut rest = Rest::default();
        let mut tried = Vec::new();
        for step in 0..300 {
            let tries = rest.pause == 0;
            if tries {
                tried.push(step);
            }
            rest = rest.after(if tries { Outcome::Failed } else { Outcome::Promised });
        }
        assert_eq!(tried, [0, 1, 3, 6, 11, 20, 37, 70, 135, 200, 265]);
        assert_eq!(rest.after(Outcome::Lasted), Rest { lasted: 1, ..Rest::default() });
        let solved = rest.after(Outcome::Solved);
        assert_eq!(solved, Rest { failures: rest.failures, ..Rest::default() });
        assert!(solved.after(Outcome::Failed).pause > 1);
    }

    #[test]
    fn an_island_rests_as_the_least_of_its_bodies() {
        let (one, other) = (Rest { lasted: 5, ..Rest::default() }, Rest { failures: 6, pause: 2, ..Rest::default() });
        assert_eq!(Rest::of([one, other].into_iter()), other);
        assert_eq!(Rest::of(std::iter::empty()), Rest::default());
    }
}
