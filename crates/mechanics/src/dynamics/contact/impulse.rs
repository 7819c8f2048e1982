//! What names a contact from step to step, and what it carried.

use crate::Vec3;
use signorini_collision::Contact;

/// What names a contact from step to step: the two colliders and the features of their shapes that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactId {
    /// The two colliders, by index.
    pub colliders: [u32; 2],
    /// The features that meet.
    pub feature: u64,
}

impl ContactId {
    /// The name of a contact.
    pub(crate) fn of(contact: &Contact) -> Self {
        Self { colliders: contact.colliders, feature: contact.feature }
    }
}

/// The impulse of one contact on body B, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// Impulse \[N s\].
    pub linear: Vec3,
    /// Rolling impulse \[N m s\].
    pub rolling: Vec3,
}
