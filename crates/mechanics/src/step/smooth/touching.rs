//! Contacts of smooth steppers without penalty: they are refused.

use crate::dynamics::contact::finder::ContactFinder;
use crate::{Model, State, StepError};
use signorini_collision::Contact;

/// Overlaps may grow by this share of the smallest body's radius: rounding, not contact.
const ROUNDING: f64 = 1e-9;

/// Deepest overlap \[m\] of every pair of bodies at the model's start, in ascending order of the pairs: bodies hung on each other by
/// joints may well have some.
#[derive(Clone, Debug)]
pub(super) struct StartOverlaps(Vec<([u32; 2], f64)>);

impl StartOverlaps {
    pub(super) fn of(model: &Model, contacts: &mut ContactFinder) -> Self {
        let found = contacts.overlaps_at_start(model);
        let mut overlaps: Vec<_> = found.iter().map(|contact| (contact.bodies, -contact.gap)).collect();
        // The deepest of a pair comes first and stays.
        overlaps.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        overlaps.dedup_by_key(|(bodies, _)| *bodies);
        Self(overlaps)
    }

    /// Checks the contacts of a state that a step leads to.
    ///
    /// # Errors
    /// Bodies that overlap deeper than at the start, where nothing keeps them apart.
    pub(super) fn check(
        &self,
        model: &Model,
        state: &State,
        contacts: &[Contact],
        radius: f64,
        stepper: &'static str,
    ) -> Result<(), StepError> {
        let Self(known) = self;
        let allowed = |bodies: &[u32; 2]| {
            let start = known.binary_search_by_key(bodies, |(bodies, _)| *bodies).map_or(0.0, |at| known[at].1);
            start + ROUNDING * radius
        };
        let deeper = contacts.iter().filter(|contact| -contact.gap > allowed(&contact.bodies));
        match deeper.min_by(|a, b| a.gap.total_cmp(&b.gap)) {
            None => Ok(()),
            Some(deepest) => Err(StepError::Touching {
                step: state.step,
                time: state.time,
                bodies: deepest.bodies.map(|body| model.name_of(body as usize).to_owned()),
                depth: -deepest.gap,
                stepper,
            }),
        }
    }
}
