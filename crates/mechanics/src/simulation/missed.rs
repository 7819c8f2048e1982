//! Contacts that only a step itself brings to light.
//!
//! Impulses may make bodies faster than anyone could know, so that they meet others that were too far away to be in the problem; and
//! bodies that turn may meet with other points than those that were near before. Either is seen by detection at the new positions:
//! the step is then taken again, with wider reach, and with the points found late.
//!
//! A late point is known by its place on both bodies and by the normal n after the step. At the start of the step the two places
//! were n·(p_B − p_A) apart: that is its gap.

use super::Simulation;
use crate::State;
use crate::contact::support::Support;
use signorini_collision::Contact;

/// How often a step is taken again because bodies met that were too far apart to be looked at, or with other points …
const ROUNDS: u32 = 3;
/// … and how often where overlaps are bounded.
const EXACT_ROUNDS: u32 = 10;
/// Overlaps of bodies that were not in the problem are left to the next step below this share of the envelope.
const MISSED_DEPTH: f64 = 1e-3;
/// How much further than they went bodies are looked at then: the contacts found will turn some of them aside.
const LOOK_FURTHER: f64 = 1.5;
/// Late points count from an overlap on that has grown by this share of the envelope.
const LATE_DEPTH: f64 = 0.5;
/// Sets the features of late points apart from others of the same pair.
const LATE: u64 = 0x5851_f42d_4c95_7f2d;

/// The feature of a late point, from that it is found with; and back.
pub(crate) fn late_feature(feature: u64) -> u64 {
    feature ^ LATE
}

impl Simulation {
    /// Looks for contacts the step from `before` to the present state should have had. If there are any, the state is `before`
    /// again, with all contacts; `late` keeps the late points of earlier rounds.
    pub(super) fn look_again(&mut self, before: State, late: &mut Vec<Contact>) -> bool {
        let missed = self.missed_pair();
        let found = self.late_points(&before);
        if !missed && found.is_empty() {
            return false;
        }
        let reach: Vec<f64> = (0..self.reach.len()).map(|body| LOOK_FURTHER * self.travel(body)).collect();
        let fastest = self.state.node_velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        self.state = before;
        match missed {
            true => {
                self.flexible_reach = LOOK_FURTHER * self.parameters.step * fastest;
                self.detect_beyond(&reach);
                self.flexible_reach = 0.0;
            }
            // The problem's contacts, which include the late points of earlier rounds.
            false => std::mem::swap(&mut self.contacts, &mut self.contacts_before),
        }
        let id = |contact: &Contact| (contact.colliders, contact.feature);
        late.retain(|old| found.iter().all(|new| id(new) != id(old)));
        late.extend(found);
        self.contacts.retain(|contact| late.iter().all(|point| id(point) != id(contact)));
        self.contacts.extend_from_slice(late);
        self.contacts.sort_by_key(id);
        true
    }

    /// How often a step is taken again.
    pub(super) fn most_rounds(&self) -> u32 {
        if self.settings.contact_tolerance.is_some() { EXACT_ROUNDS } else { ROUNDS }
    }

    /// Overlaps of pairs that were not in the problem count from here on \[m\].
    fn missed_depth(&self) -> f64 {
        let depth = MISSED_DEPTH * self.envelope;
        self.settings.contact_tolerance.map_or(depth, |asked| asked.min(depth))
    }

    /// Overlaps of pairs that were in it count from here on \[m\].
    fn late_depth(&self) -> f64 {
        // Half, as the points of the last round are not quite those of the end.
        self.settings.contact_tolerance.map_or(LATE_DEPTH * self.envelope, |asked| 0.5 * asked)
    }

    /// Whether two bodies overlap now that were too far apart before the step to be in its problem.
    fn missed_pair(&self) -> bool {
        let pair = |contact: &Contact| contact.colliders;
        self.contacts.iter().any(|contact| {
            contact.gap < -self.missed_depth()
                && self.contacts_before.binary_search_by_key(&pair(contact), pair).is_err()
        })
    }

    /// Points where pairs of the problem overlap far more than before, moved back to where they were.
    fn late_points(&self, before: &State) -> Vec<Contact> {
        let mut points = Vec::new();
        let depth = self.late_depth();
        let is_deep = |contact: &&Contact| contact.gap < -depth;
        // A soft contact overlaps as its spring is pressed.
        for contact in self.contacts.iter().filter(is_deep).filter(|contact| self.is_hard(contact)) {
            let first = self.contacts_before.partition_point(|known| known.colliders < contact.colliders);
            let known = self.contacts_before[first..].iter().take_while(|known| known.colliders == contact.colliders);
            let overlap = known.clone().map(|known| -known.gap).fold(f64::NEG_INFINITY, f64::max);
            if overlap == f64::NEG_INFINITY {
                // A pair that was not in the problem is found by its reach.
                continue;
            }
            // What overlapped before is on its way out: of a pair, or, where overlaps are bounded, of a point.
            let allowed = match self.settings.contact_tolerance {
                None => overlap.max(0.0) + depth,
                Some(_) => {
                    let same =
                        |other: &&Contact| [contact.feature, late_feature(contact.feature)].contains(&other.feature);
                    known.filter(same).map(|known| -known.gap).fold(depth, f64::max)
                }
            };
            if -contact.gap < allowed {
                continue;
            }
            let supports = Support::both(&self.model, &self.state.nodes, contact);
            let back = |side: usize| supports[side].carried(contact.points[side], (&self.state).into(), before.into());
            let start = [back(0), back(1)];
            let gap = contact.normal.dot(start[1] - start[0]).max(0.0);
            points.push(Contact { points: start, gap, feature: late_feature(contact.feature), ..*contact });
        }
        points
    }
}
