//! Contacts that only a step itself brings to light.
//!
//! Impulses may make bodies faster than anyone could know, so that they meet others that were too far away to be in the problem; and
//! bodies that turn may meet with other points than those that were near before. Either is seen by detection at the new positions:
//! the step is then taken again, with wider reach, and with the points found late.
//!
//! A late point of rigid bodies is linear about where the step has led ([`super::ways`]). One of nodes, or of a step that leaves the curvature of ways to the next one, is
//! known by its place on both bodies and by the normal n after the step: at the start the two places were n·(p_B − p_A) apart, which is its gap.

use super::recovery::is_hard;
use super::ways::{Ways, is_ball};
use super::{Answer, Ask, Judged, Learnt, Trial, passing};
use crate::State;
use crate::dynamics::contact::finder::{ContactFinder, LeastReach};
use crate::dynamics::contact::support::Support;
use crate::motion::turn_between;
use crate::step::context::{StepContext, timed};
use crate::step::hard::scheme::StepStart;
use signorini_collision::{Contact, NO_FACE, Nearest};

/// How often a step is taken again because bodies met that were too far apart to be looked at, or with other points.
const ROUNDS: u32 = 4;
/// The same where overlaps by the curvature of ways are left to the next step.
const FEW_ROUNDS: u32 = 3;
/// How often a step is taken again where overlaps are bounded.
const EXACT_ROUNDS: u32 = 10;
/// In so many rounds a late point that was not right is asked for anew in the place of the last one, as one of Newton's steps follows the other.
const ROUNDS_ANEW: u32 = 2;
/// Overlaps of bodies that were not in the problem are left to the next step below this share of the envelope.
const MISSED_DEPTH: f64 = 1e-3;
/// How much further than they went bodies are looked at then: the contacts found will turn some of them aside.
const LOOK_FURTHER: f64 = 1.5;
/// Late points count from an overlap on that has grown by this share of the envelope.
const LATE_DEPTH: f64 = 0.05;
/// The same for balls, whose overlaps come one at a time where many of them jam, and cost a round each: without another envelope, 0.09 % of the smallest
/// body's size.
const LATE_DEPTH_OF_BALLS: f64 = 0.18;
/// The same where the curvature of ways is left to the next step, and for pairs with nodes of flexible bodies.
const LATE_DEPTH_OF_CURVES: f64 = 0.5;
/// Overlaps of bodies that turn are too deep from this share of the envelope on: without another one, 0.075 % of the smallest body's size.
const DEEP: f64 = 0.15;
/// The same where the curvature of ways is left to the next step: 1 % of that size.
const DEEP_OF_CURVES: f64 = 2.0;
/// How far a body turns in a step that is short enough, where overlaps are just too deep \[rad\]; where they are so many times as deep, that many times less: a cylinder on a ridge
/// was left 0.47 mm deep by 0.0198 rad.
const MUCH: f64 = 0.02;
/// Sets the features of late points apart from others of the same pair.
const LATE: u64 = 0x5851_f42d_4c95_7f2d;

/// The feature of a late point, from that it is found with; and back.
pub(crate) fn late_feature(feature: u64) -> u64 {
    feature ^ LATE
}

/// What was learnt about contacts that were not in the problem.
#[derive(Default)]
pub(super) struct LateContacts {
    /// How often the step was taken again with more contacts.
    rounds: u32,
    /// Late points of earlier rounds.
    points: Vec<Contact>,
    /// Contacts as they were before they were left out or changed, as bodies would not meet there.
    doubted: Vec<Contact>,
    /// Whether overlaps that come from the curvature of ways are left to the next step, as methods of second order have them.
    leaves_curvature: bool,
    /// Whether bodies that turn by much overlap by far after the last round.
    is_deep: bool,
}

/// Where contacts found after a step are late, and how late.
struct Search<'a> {
    start: StepStart<'a>,
    /// Contacts of the problem.
    known: &'a [Contact],
    /// Where the step led.
    next: &'a State,
    /// Contacts found there.
    found: &'a [Contact],
    /// Bodies overlap by no more than this where they meet \[m\], if that was asked for.
    contact_tolerance: Option<f64>,
    leaves_curvature: bool,
    envelope: f64,
}

/// Points that are late.
#[derive(Default)]
struct LatePoints {
    points: Vec<Contact>,
    /// Whether the problem had all of them, if any, and can say no more about them: bodies turn into each other by the curvature of their ways.
    all_asked: bool,
}

impl LateContacts {
    /// Without anything learnt; these contacts were left out or changed, and overlaps by the curvature of ways may be left to the next step.
    pub(super) fn new(doubted: Vec<Contact>, leaves_curvature: bool) -> Self {
        Self { doubted, leaves_curvature, ..Self::default() }
    }

    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Whether bodies overlap by far after the last round: turns are too large for the linear problem of such a step.
    pub(super) fn is_deep(&self) -> bool {
        self.is_deep
    }

    /// Looks for contacts the step should have had, among those `found` where it led.
    pub(super) fn judge(
        &mut self,
        ask: &Ask<'_>,
        trial: &Trial<'_>,
        answer: Box<Answer>,
        found: &[Contact],
        contacts: &mut ContactFinder,
        cx: &mut StepContext<'_>,
    ) -> Judged {
        let contact_tolerance = cx.settings.asked.contact_tolerance;
        let (start, known, envelope) = (trial.start, &*ask.near, contacts.envelope());
        let leaves_curvature = self.leaves_curvature;
        let next = &answer.next;
        let search = Search { start, known, next, found, contact_tolerance, leaves_curvature, envelope };
        let most = match contact_tolerance {
            Some(_) => EXACT_ROUNDS,
            None if self.leaves_curvature => FEW_ROUNDS,
            None => ROUNDS,
        };
        let (is_missed, LatePoints { points: mut late, all_asked }) = (search.has_missed_pair(), search.late_points());
        if self.rounds == most {
            self.is_deep = search.has_turned_into_others();
            return Judged::Settled(answer);
        }
        // Contacts come back as they were where bodies meet after all on the way to where the step has led: impulses have made their velocities others. Overlaps that would
        // not count at the end of the way do not count on it.
        let met: Vec<Contact> = timed(&mut cx.timings.collision, || {
            let met = |contact: &&Contact| {
                passing::meets(contact, search.late_depth(contact), &start, &answer.next, contacts)
            };
            self.doubted.iter().filter(met).copied().collect()
        });
        // What only shorter steps can mend is not asked for again.
        if !is_missed && all_asked && met.is_empty() {
            self.is_deep = search.has_turned_into_others();
            return Judged::Settled(answer);
        }
        self.rounds += 1;
        let StepStart { model, state, parameters, .. } = start;
        let id = |contact: &Contact| (contact.colliders, contact.feature);
        // Thousands of points may be late at once: they are looked up in lists in the order of their names.
        let has = |list: &[Contact], contact: &Contact| list.binary_search_by_key(&id(contact), id).is_ok();
        self.doubted.retain(|contact| !has(&met, contact));
        let mut near = if is_missed {
            let h = parameters.step;
            let fastest = answer.next.node_velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
            let bodies = contacts.travel(&answer.next, h).map(|travel| LOOK_FURTHER * travel).collect();
            let least = LeastReach { bodies, nodes: LOOK_FURTHER * h * fastest };
            let mut near = timed(&mut cx.timings.collision, || contacts.near_beyond(model, state, h, &least));
            // Those in doubt stay as they were asked.
            near.retain(|contact| !has(&self.doubted, contact));
            near.extend(known.iter().filter(|contact| has(&self.doubted, contact)));
            near
        } else {
            // They include the late points of earlier rounds.
            let mut near = known.to_vec();
            near.retain(|contact| !has(&met, contact));
            near.extend_from_slice(&met);
            near
        };
        late.sort_by_key(id);
        if self.rounds > ROUNDS_ANEW {
            // A capsule at a rim would go to and fro between two directions: the last one counts beside the new one.
            let renamed = |old: &Contact| old.feature.wrapping_add(LATE.wrapping_mul(u64::from(self.rounds)));
            for old in self.points.iter_mut().filter(|old| has(&late, old)) {
                old.feature = renamed(old);
            }
        } else {
            self.points.retain(|old| !has(&late, old));
        }
        self.points.extend(late);
        self.points.sort_by_key(id);
        near.retain(|contact| !has(&self.points, contact));
        near.extend_from_slice(&self.points);
        near.sort_by_key(id);
        Judged::Again(Learnt::Contacts(near, answer))
    }
}

impl Search<'_> {
    /// Overlaps of pairs that were not in the problem count from here on \[m\].
    fn missed_depth(&self) -> f64 {
        let depth = MISSED_DEPTH * self.envelope;
        self.contact_tolerance.map_or(depth, |asked| asked.min(depth))
    }

    /// Overlaps of pairs that were in it count from here on \[m\].
    fn late_depth(&self, contact: &Contact) -> f64 {
        let share = match () {
            () if self.leaves_curvature => LATE_DEPTH_OF_CURVES,
            () if self.is_of_ball(contact) => LATE_DEPTH_OF_BALLS,
            () => LATE_DEPTH,
        };
        // Half, as the points of the last round are not quite those of the end.
        self.contact_tolerance.map_or(share * self.envelope, |asked| 0.5 * asked)
    }

    /// Whether one of those that touch is a ball.
    fn is_of_ball(&self, contact: &Contact) -> bool {
        contact.faces == [NO_FACE; 2] && contact.colliders.iter().any(|collider| is_ball(self.start.model, *collider))
    }

    /// Whether a body that turns by much overlaps another by far, and deeper than before.
    fn has_turned_into_others(&self) -> bool {
        let deep = self.envelope * if self.leaves_curvature { DEEP_OF_CURVES } else { DEEP };
        let StepStart { model, state: before, .. } = self.start;
        let turns = |body: u32, enough: f64| {
            let body = body as usize;
            turn_between(&before.poses[body], &self.next.poses[body]).length() > enough
        };
        let is_deep = |contact: &&Contact| contact.gap < -deep && contact.faces == [NO_FACE; 2];
        self.found.iter().filter(is_deep).any(|contact| {
            let first = self.known.partition_point(|known| known.colliders < contact.colliders);
            let known = self.known[first..].iter().take_while(|known| known.colliders == contact.colliders);
            let is_deeper = known.map(|known| known.gap).fold(0.0, f64::min) > contact.gap;
            // The point where a ball touches is the same however it turns.
            let enough = MUCH * deep / -contact.gap;
            let turns = |side: usize| !is_ball(model, contact.colliders[side]) && turns(contact.bodies[side], enough);
            is_deeper && is_hard(model, contact) && (turns(0) || turns(1))
        })
    }

    /// Whether two bodies overlap now that were too far apart before the step to be in its problem.
    fn has_missed_pair(&self) -> bool {
        let pair = |contact: &Contact| contact.colliders;
        self.found.iter().any(|contact| {
            contact.gap < -self.missed_depth() && self.known.binary_search_by_key(&pair(contact), pair).is_err()
        })
    }

    /// Points where pairs of the problem overlap far more than before, moved back to where they were.
    fn late_points(&self) -> LatePoints {
        let StepStart { model, state: before, .. } = self.start;
        let (mut points, mut all_asked) = (Vec::new(), true);
        let is_deep = |contact: &&Contact| contact.gap < -self.late_depth(contact);
        // A soft contact overlaps as its spring is pressed.
        for contact in self.found.iter().filter(is_deep).filter(|contact| is_hard(model, contact)) {
            let first = self.known.partition_point(|known| known.colliders < contact.colliders);
            let known = self.known[first..].iter().take_while(|known| known.colliders == contact.colliders);
            if known.clone().next().is_none() {
                // A pair that was not in the problem is found by its reach.
                continue;
            }
            let (is_rigid, depth) = (contact.faces == [NO_FACE; 2], self.late_depth(contact));
            // What overlapped before is on its way out: a point of rigid bodies, or, with curved ways or nodes, whose points change all the time, a pair.
            let same = |other: &&Contact| [contact.feature, late_feature(contact.feature)].contains(&other.feature);
            let same_point = known.clone().filter(same);
            let allowed = if (is_rigid && !self.leaves_curvature) || self.contact_tolerance.is_some() {
                same_point.clone().map(|known| -known.gap).fold(depth, f64::max)
            } else {
                known.map(|known| -known.gap).fold(0.0, f64::max) + LATE_DEPTH_OF_CURVES * self.envelope
            };
            let ways = || Ways::between(model, contact, before, self.next);
            // Where the problem had this very gap, what is left of it is the solver's to say, not ours.
            let is_answered = |known: &Contact| {
                known.feature == contact.feature && contact.gap > known.gap + ways().approach(known) - 0.5 * depth
            };
            if -contact.gap < allowed || (is_rigid && !self.leaves_curvature && same_point.clone().any(is_answered)) {
                continue;
            }
            let late = if is_rigid && !self.leaves_curvature {
                let place = Nearest { gap: contact.gap, normal: contact.normal, points: contact.points };
                let late = ways().linear_about(contact, 1.0, &place);
                let is_known = || same_point.clone().any(|known| known.feature == late_feature(contact.feature));
                all_asked &= late.gap < 0.0 && is_known();
                // Asked to end apart, bodies that turn would part with a speed that nothing gives them.
                Contact { gap: late.gap.max(0.0), ..late }
            } else {
                all_asked = false;
                let supports = Support::both(model, &self.next.nodes, contact);
                let back = |side: usize| supports[side].carried(contact.points[side], self.next.into(), before.into());
                let start = [back(0), back(1)];
                Contact { points: start, gap: contact.normal.dot(start[1] - start[0]).max(0.0), ..*contact }
            };
            points.push(Contact { feature: late_feature(contact.feature), ..late });
        }
        LatePoints { points, all_asked }
    }
}
