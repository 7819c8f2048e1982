//! Where joints and contacts stand among the rows of a problem.

use crate::Frame;
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::step::memory::StepMemory;
use signorini_collision::Contact;
use std::ops::Range;

/// The rows of joints and links come first, then those of contacts in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowLayout {
    /// Number of rows of joints and links.
    joints: usize,
    /// First row of every contact.
    contacts: Vec<usize>,
    /// Number of all rows.
    rows: usize,
}

impl RowLayout {
    pub(crate) fn new(joints: usize, contacts: Vec<usize>, rows: usize) -> Self {
        Self { joints, contacts, rows }
    }

    /// Number of rows of joints and links; they come first.
    pub(crate) fn joints(&self) -> usize {
        self.joints
    }

    /// The normal row of every contact, which is its first.
    pub(crate) fn normals(&self) -> &[usize] {
        &self.contacts
    }

    /// The rows of a contact.
    pub(crate) fn rows_of(&self, contact: usize) -> Range<usize> {
        self.contacts[contact]..self.contacts.get(contact + 1).copied().unwrap_or(self.rows)
    }

    /// Numbers of a contact's rows: normal, tangents, rolling; 0 where its law has fewer.
    pub(crate) fn parts(&self, contact: usize, of: &[f64]) -> [f64; 5] {
        let mut parts = [0.0; 5];
        parts.iter_mut().zip(&of[self.rows_of(contact)]).for_each(|(to, from)| *to = *from);
        parts
    }

    /// Impulses a solver may start from: those of the step before, where joints and contacts are the same.
    pub(crate) fn recalled(&self, contacts: &[Contact], memory: &StepMemory) -> Vec<f64> {
        let mut impulse = vec![0.0; self.rows];
        if memory.joints.len() == self.joints {
            impulse[..self.joints].copy_from_slice(&memory.joints);
        }
        memory.matching(contacts.iter().map(ContactId::of), |k, known| {
            let frame = Frame::about(contacts[k].normal);
            let [n, t, w] = frame.components(known.linear);
            let [_, r, s] = frame.components(known.rolling);
            impulse[self.rows_of(k)].iter_mut().zip([n, t, w, r, s]).for_each(|(to, from)| *to = from);
        });
        impulse
    }

    /// Keeps the impulses of an answer for the next step.
    pub(crate) fn remember(&self, contacts: &[Contact], impulse: &[f64], memory: &mut StepMemory) {
        memory.joints.clear();
        memory.joints.extend_from_slice(&impulse[..self.joints]);
        memory.contacts.clear();
        memory.contacts.extend(contacts.iter().enumerate().map(|(k, contact)| {
            let parts = self.parts(k, impulse);
            (ContactId::of(contact), vectors(&Frame::about(contact.normal), parts))
        }));
    }
}

/// The impulse of a contact from its parts in a frame: normal, tangents, rolling.
pub(crate) fn vectors(frame: &Frame, [n, t, w, r, s]: [f64; 5]) -> Impulse {
    Impulse { linear: frame.vector([n, t, w]), rolling: frame.vector([0.0, r, s]) }
}
