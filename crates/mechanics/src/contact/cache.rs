//! Impulses remembered from one step to the next.

use crate::{EnergyAccount, Vec3};

/// What names a contact from step to step: the two colliders and the features of their shapes that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactId {
    /// The two colliders, by index.
    pub colliders: [u32; 2],
    /// The features that meet.
    pub feature: u64,
}

/// Impulses of the last step, to start the next one from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmStart {
    /// Contacts in ascending order.
    pub contacts: Vec<(ContactId, Impulse)>,
    /// Impulses of all joint rows, in the order of the model.
    pub joints: Vec<f64>,
    /// What a smooth stepper keeps: accelerations, multipliers, sub-steps. Empty for the others.
    pub smooth: Vec<f64>,
    /// The account of energy that later steps are judged by; `None` before the first step.
    pub energy: Option<EnergyAccount>,
}

/// The impulse of one contact on body B, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// Impulse \[N s\].
    pub linear: Vec3,
    /// Rolling impulse \[N m s\].
    pub rolling: Vec3,
}

impl WarmStart {
    /// Finds the impulses of contacts given in ascending order; `give(k, impulse)` is called for each one that was there before.
    pub(crate) fn matching(&self, ids: impl Iterator<Item = ContactId>, mut give: impl FnMut(usize, &Impulse)) {
        let mut old = self.contacts.iter().peekable();
        for (k, id) in ids.enumerate() {
            while old.next_if(|(known, _)| *known < id).is_some() {}
            if let Some((_, impulse)) = old.next_if(|(known, _)| *known == id) {
                give(k, impulse);
            }
        }
    }
}
