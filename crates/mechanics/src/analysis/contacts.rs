//! Contacts that an analysis leaves out: pairs of bodies whose shapes touch where it looks.

use super::AnalysisError;
use crate::dynamics::contact::finder::detector_of;
use crate::{Model, Pose};
use signorini_collision::{Contact, Detector};
use std::collections::BTreeMap;

/// Gaps and overlaps below this share of the model's length are none: joints and forces balance no better.
const TOUCH: f64 = 1e-6;

/// Two bodies that touch or overlap at a state an analysis looked at. What their contact would carry is no part of the result.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ContactLeftOut {
    /// Their names.
    pub bodies: [String; 2],
    /// The largest overlap \[m\]; 0 where they only touch.
    pub overlap: f64,
    /// When that is, for the first time \[s\].
    pub time: f64,
    /// The overlap where the analysis starts \[m\]; None where they are apart there.
    pub overlap_at_start: Option<f64>,
    /// Whether they overlap, and did not at the start: a contact would have kept them apart.
    #[serde(rename = "new_overlap")]
    pub is_new_overlap: bool,
}

/// Watches for contacts, state by state.
pub(super) struct ContactWatch<'a> {
    model: &'a Model,
    /// None where there is nothing to touch with.
    detector: Option<Detector>,
    tolerance: f64,
    reach: Vec<f64>,
    contacts: Vec<Contact>,
    start: BTreeMap<[u32; 2], f64>,
    /// The largest overlap of every pair and when that is.
    found: BTreeMap<[u32; 2], (f64, f64)>,
}

impl<'a> ContactWatch<'a> {
    /// A watch that compares with how bodies lie at the start. `length` is that of the model.
    ///
    /// # Errors
    /// A shape that cannot be used.
    pub(super) fn new(model: &'a Model, start: &[Pose], length: f64) -> Result<Self, AnalysisError> {
        let detector = match model.colliders().len() {
            0 | 1 => None,
            _ => Some(detector_of(model, true, |body, error| AnalysisError::Shape { body, error })?),
        };
        let mut watch = Self {
            model,
            detector,
            tolerance: TOUCH * length,
            reach: vec![0.0; model.bodies().len()],
            contacts: Vec::new(),
            start: BTreeMap::new(),
            found: BTreeMap::new(),
        };
        watch.start = watch.overlaps(start);
        Ok(watch)
    }

    /// Pairs that touch, with their overlaps.
    fn overlaps(&mut self, poses: &[Pose]) -> BTreeMap<[u32; 2], f64> {
        let mut pairs = BTreeMap::new();
        let Some(detector) = &mut self.detector else { return pairs };
        detector.detect(poses, &self.reach, self.tolerance, &mut self.contacts);
        for contact in &self.contacts {
            let [a, b] = contact.bodies;
            // Overlaps within the tolerance are those of bodies that only touch.
            let overlap = if contact.gap < -self.tolerance { -contact.gap } else { 0.0 };
            let deepest = pairs.entry([a.min(b), a.max(b)]).or_insert(overlap);
            *deepest = overlap.max(*deepest);
        }
        pairs
    }

    /// Looks at a state.
    pub(super) fn look(&mut self, poses: &[Pose], time: f64) {
        for (pair, overlap) in self.overlaps(poses) {
            let worst = self.found.entry(pair).or_insert((overlap, time));
            if overlap > worst.0 {
                *worst = (overlap, time);
            }
        }
    }

    /// What was seen, new overlaps first, then the deepest.
    pub(super) fn left_out(&self) -> Vec<ContactLeftOut> {
        let of_pair = |(pair, &(overlap, time)): (&[u32; 2], &(f64, f64))| {
            let overlap_at_start = self.start.get(pair).copied();
            ContactLeftOut {
                bodies: pair.map(|body| super::body_name(self.model, body as usize)),
                overlap,
                time,
                overlap_at_start,
                is_new_overlap: overlap > 0.0 && overlap_at_start.unwrap_or(0.0) == 0.0,
            }
        };
        let mut all: Vec<ContactLeftOut> = self.found.iter().map(of_pair).collect();
        all.sort_by(|a, b| b.is_new_overlap.cmp(&a.is_new_overlap).then(b.overlap.total_cmp(&a.overlap)));
        all
    }
}
