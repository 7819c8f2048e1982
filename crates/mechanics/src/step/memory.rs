//! What is remembered from one step to the next.

use crate::EnergyAccount;
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::step::hard::answers::Rest;

/// What the last step leaves to the next: with the state, all that is needed to go on to the same bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMemory {
    /// Impulses of contacts, in ascending order of their names.
    pub contacts: Vec<(ContactId, Impulse)>,
    /// Impulses of all joint rows, in the order of the model.
    pub joints: Vec<f64>,
    /// What a stepper keeps of the motion: a smooth one accelerations, multipliers and sub-steps, one with hard contacts the velocities of the last ways of
    /// bodies that joints hold together.
    pub motion: Vec<f64>,
    /// How every body has rested, and who sleeps; empty before the first step.
    pub rest: Vec<Rest>,
    /// The account of energy that later steps are judged by; `None` before the first step.
    pub energy: Option<EnergyAccount>,
}

impl StepMemory {
    /// Finds the impulses of contacts given in ascending order; `give(k, impulse)` is called for each one that was there before.
    pub(crate) fn matching(&self, ids: impl Iterator<Item = ContactId>, mut give: impl FnMut(usize, &Impulse)) {
        let mut ids = ids.enumerate().peekable();
        let first = ids.peek().map_or(0, |(_, id)| self.contacts.partition_point(|(known, _)| known < id));
        let mut old = self.contacts[first..].iter().peekable();
        for (k, id) in ids {
            while old.next_if(|(known, _)| *known < id).is_some() {}
            if let Some((_, impulse)) = old.next_if(|(known, _)| *known == id) {
                give(k, impulse);
            }
        }
    }
}
