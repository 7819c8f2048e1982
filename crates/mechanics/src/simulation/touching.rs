//! Contacts of smooth steppers: those by penalty are reported, those without penalty refused.

use super::Simulation;
use crate::contact::cache::Impulse;
use crate::joint::{MAX_ROWS, Row, RowKind};
use crate::stepper::smooth::SmoothMotion;
use crate::{Pose, StepError};

/// Without penalty, overlaps may grow by this share of the smallest body's radius: rounding, not contact.
const ROUNDING: f64 = 1e-9;

/// Deepest overlap \[m\] of every pair of bodies at the start, in ascending order of the pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct StartOverlaps(Vec<([u32; 2], f64)>);

impl Simulation {
    /// Overlaps the model starts with: bodies hung on each other by joints may well have some.
    pub(super) fn measure_start_overlaps(&mut self) {
        let poses: Vec<Pose> = self.model.bodies().iter().map(|body| body.start).collect();
        let mut contacts = Vec::new();
        self.detector.detect(&poses, &vec![0.0; poses.len()], 0.0, &mut contacts);
        self.detect_start_of_skins(&mut contacts);
        let mut overlaps: Vec<_> = contacts.iter().map(|contact| (contact.bodies, -contact.gap)).collect();
        // The deepest of a pair comes first and stays.
        overlaps.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        overlaps.dedup_by_key(|(bodies, _)| *bodies);
        self.start_overlaps = StartOverlaps(overlaps);
    }

    /// Bodies that overlap now, deeper than at the start, where nothing keeps them apart.
    pub(super) fn touching_error(&self) -> Option<StepError> {
        if self.settings.penalty.is_some() {
            return None;
        }
        let StartOverlaps(known) = &self.start_overlaps;
        let allowed = |bodies: &[u32; 2]| {
            let start = known.binary_search_by_key(bodies, |(bodies, _)| *bodies).map_or(0.0, |at| known[at].1);
            start + ROUNDING * self.parameters.radius
        };
        let deeper = self.contacts.iter().filter(|contact| -contact.gap > allowed(&contact.bodies));
        let deepest = deeper.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        Some(StepError::Touching {
            step: self.state.step,
            time: self.state.time,
            bodies: deepest.bodies.map(|body| self.model.name_of(body as usize).to_owned()),
            depth: -deepest.gap,
            stepper: self.settings.stepper.name(),
        })
    }

    /// Keeps the forces of all joint rows: multipliers, and springs where rows are one-sided.
    pub(super) fn remember_joint_forces(&mut self, motion: &SmoothMotion) {
        let h = self.settings.step;
        let mut multipliers = motion.multipliers().into_iter();
        let mut springs = motion.finest().penalty().into_iter().flat_map(|penalty| penalty.limit_forces());
        let mut rows = [Row::ZERO; MAX_ROWS];
        self.warm.joints.clear();
        for (_, joint) in self.model.joints() {
            let poses = joint.bodies().map(|body| &self.state.poses[body.index()]);
            joint.evaluate(poses, self.state.time, &mut rows[..joint.rows()]);
            for row in &rows[..joint.rows()] {
                let force = match row.kind {
                    RowKind::Equal => multipliers.next(),
                    RowKind::AtLeastZero => springs.next(),
                };
                self.warm.joints.push(h * force.unwrap_or(0.0));
            }
        }
        // Links follow.
        self.warm.joints.extend(multipliers.map(|force| h * force));
    }

    /// Keeps the forces of contacts by penalty; returns how many there are and how many push.
    pub(super) fn remember_contact_forces(&mut self, motion: &SmoothMotion) -> (usize, usize) {
        let Some(penalty) = motion.finest().penalty() else {
            return (self.contacts.len(), 0);
        };
        let h = self.settings.step;
        self.contacts_before.clear();
        self.contacts_before.extend_from_slice(penalty.contacts());
        self.warm.contacts.clear();
        let impulses = penalty.points().iter().map(|point| {
            let impulse = Impulse { linear: h * point.force, ..Impulse::default() };
            (point.id, impulse)
        });
        self.warm.contacts.extend(impulses);
        (penalty.contacts().len(), penalty.points().iter().filter(|point| point.is_active).count())
    }
}
