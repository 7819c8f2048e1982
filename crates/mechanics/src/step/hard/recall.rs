//! Where the solver of a step starts: from the answer of the step before, and in every further round from that of the round before.

use super::layout::RowLayout;
use super::scheme::{HardScheme, StepStart};
use super::tries::Ask;
use crate::step::memory::StepMemory;
use crate::step::settings::StepSettings;
use signorini_collision::Contact;
use signorini_linalg::Threads;
use signorini_solver::{Iterate, Solution};

/// The answer of the round before, which had all contacts but those that it has brought to light: where the next round starts.
#[derive(Default)]
pub(super) struct Round {
    velocity: Vec<f64>,
    impulses: StepMemory,
}

impl Round {
    pub(super) fn keep(&mut self, layout: &RowLayout, near: &[Contact], solution: &Solution, threads: Threads) {
        self.velocity.clear();
        self.velocity.extend_from_slice(solution.velocity());
        layout.remember(near, solution.impulse(), &mut self.impulses, threads);
    }

    pub(super) fn recalled(
        &self,
        start: &StepStart<'_>,
        layout: &RowLayout,
        ask: &Ask<'_>,
        settings: &StepSettings,
    ) -> Option<Iterate> {
        settings.asked.warm_start.then(|| {
            let mut impulse = layout.recalled(&ask.near, &self.impulses, start.threads);
            forget_deep_ones(start, layout, ask, &mut impulse);
            Iterate { velocity: self.velocity.clone(), impulse }
        })
    }
}

/// What is jammed may press with any force: one that was found by chance would grow from step to step.
fn forget_deep_ones(start: &StepStart<'_>, layout: &RowLayout, ask: &Ask<'_>, impulse: &mut [f64]) {
    let is_deep = |contact: &Contact| contact.gap < -start.parameters.deep_overlap;
    for (k, _) in ask.near.iter().enumerate().filter(|(_, contact)| is_deep(contact)) {
        impulse[layout.rows_of(k)].fill(0.0);
    }
}

/// Where the solver may start: the velocities of the state, the impulses of the step before.
pub(super) fn recalled<S: HardScheme>(
    scheme: &S,
    start: &StepStart<'_>,
    layout: &RowLayout,
    ask: &Ask<'_>,
    memory: &StepMemory,
    settings: &StepSettings,
) -> Option<Iterate> {
    settings.asked.warm_start.then(|| {
        let velocity = start.columns.gather(start.state, start.threads);
        let mut impulse = layout.recalled(&ask.near, memory, start.threads);
        if S::PARTS_OVERLAPS {
            forget_deep_ones(start, layout, ask, &mut impulse);
        }
        scheme.starting_point(Iterate { velocity, impulse })
    })
}
