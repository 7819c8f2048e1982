//! Where joints and contacts stand among the rows of a problem.

use crate::Frame;
use crate::dynamics::contact::impulse::{ContactId, Impulse};
use crate::step::memory::StepMemory;
use signorini_collision::Contact;
use signorini_linalg::{Halves, Threads};
use std::ops::Range;

/// Contacts one task works on.
const CONTACTS: usize = 2048;

/// The rows of joints and links come first, then those of contacts in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowLayout {
    /// Number of rows of joints and links.
    joints: usize,
    /// Which of the model's rows they are; `None` for all of them.
    places: Option<JointPlaces>,
    /// First row of every contact.
    contacts: Vec<usize>,
    /// Number of all rows.
    rows: usize,
}

/// Rows of joints and links that are in a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
struct JointPlaces {
    /// Places among all rows of joints and links of the model, ascending.
    rows: Vec<usize>,
    /// How many the model has.
    all: usize,
}

impl RowLayout {
    pub(crate) fn new(joints: usize, contacts: Vec<usize>, rows: usize) -> Self {
        Self { joints, places: None, contacts, rows }
    }

    /// The same for a problem that has only some of the model's `all` rows of joints and links: those given, ascending.
    pub(crate) fn with_joint_rows(mut self, rows: Vec<usize>, all: usize) -> Self {
        self.places = Some(JointPlaces { rows, all });
        self
    }

    /// Which row of the model a joint row of the problem is.
    pub(crate) fn row_of_model(&self, row: usize) -> usize {
        self.places.as_ref().map_or(row, |places| places.rows[row])
    }

    /// Where a joint row of the model is in the problem; `None` for one that is not.
    pub(crate) fn row_in_problem(&self, row: usize) -> Option<usize> {
        self.places.as_ref().map_or(Some(row), |places| places.rows.binary_search(&row).ok())
    }

    /// Number of rows of joints and links of the model, those that are not in the problem included.
    pub(crate) fn joints_of_model(&self) -> usize {
        self.places.as_ref().map_or(self.joints, |places| places.all)
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
        self.contacts[contact]..self.start_of(contact + 1)
    }

    /// Numbers of a contact's rows: normal, tangents, rolling; 0 where its law has fewer.
    pub(crate) fn parts(&self, contact: usize, of: &[f64]) -> [f64; 5] {
        let mut parts = [0.0; 5];
        parts.iter_mut().zip(&of[self.rows_of(contact)]).for_each(|(to, from)| *to = *from);
        parts
    }

    /// Impulses a solver may start from: those of the step before, where joints and contacts are the same.
    pub(crate) fn recalled(&self, contacts: &[Contact], memory: &StepMemory, threads: Threads) -> Vec<f64> {
        let mut impulse = vec![0.0; self.rows];
        let (of_joints, of_contacts) = impulse.split_at_mut(self.joints);
        if memory.joints.len() == self.joints_of_model() {
            of_joints.iter_mut().enumerate().for_each(|(k, to)| *to = memory.joints[self.row_of_model(k)]);
        }
        let recall = |range: Range<usize>, impulse: &mut [f64]| {
            let first = self.start_of(range.start);
            memory.matching(contacts[range.clone()].iter().map(ContactId::of), |k, known| {
                let k = range.start + k;
                let frame = Frame::about(contacts[k].normal);
                let [n, t, w] = frame.components(known.linear);
                let [_, r, s] = frame.components(known.rolling);
                let own = &mut impulse[self.start_of(k) - first..self.start_of(k + 1) - first];
                own.iter_mut().zip([n, t, w, r, s]).for_each(|(to, from)| *to = from);
            });
        };
        let split = |impulse, range: &Range<usize>, middle: usize| {
            <[f64]>::split_at_mut(impulse, self.start_of(middle) - self.start_of(range.start))
        };
        Halves::new(CONTACTS, threads).run(0..contacts.len(), of_contacts, &split, &recall, &|(), ()| ());
        impulse
    }

    /// First row of a contact; the number of rows for the one after the last.
    fn start_of(&self, contact: usize) -> usize {
        self.contacts.get(contact).copied().unwrap_or(self.rows)
    }

    /// Keeps the impulses of an answer for the next step.
    pub(crate) fn remember(&self, contacts: &[Contact], impulse: &[f64], memory: &mut StepMemory, threads: Threads) {
        memory.joints.resize(self.joints_of_model(), 0.0);
        (0..self.joints).for_each(|k| memory.joints[self.row_of_model(k)] = impulse[k]);
        // Of contacts of the step before only those beyond the new number are touched: the rest is overwritten.
        memory.contacts.resize_with(contacts.len(), Default::default);
        Halves::new(CONTACTS, threads).each(&mut memory.contacts, &|k, (id, known)| {
            let parts = self.parts(k, impulse);
            *id = ContactId::of(&contacts[k]);
            *known = vectors(&Frame::about(contacts[k].normal), parts);
        });
    }
}

/// The impulse of a contact from its parts in a frame: normal, tangents, rolling.
pub(crate) fn vectors(frame: &Frame, [n, t, w, r, s]: [f64; 5]) -> Impulse {
    Impulse { linear: frame.vector([n, t, w]), rolling: frame.vector([0.0, r, s]) }
}
