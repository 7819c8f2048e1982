//! Contacts that exist only because they are linear.
//!
//! The problem of a step knows a contact by its plane, n·(p_B − p_A) ≥ 0 for two points of the start. A ball that passes another at several radii a step crosses that
//! plane without meeting anybody, and so does a box that slides from one flush box onto the next: the way from the edge of the one to that of the other is level. Such a contact
//! would stop what nothing stops. So a contact that the present velocities would close by far is looked at along the way: where the two bodies miss each other narrowly there it becomes
//! linear about that place, and where they do not come near it is left out. Either is as it was again if they meet on the way that the step has found.

use super::ways::{Ways, is_ball};
use crate::dynamics::contact::finder::ContactFinder;
use crate::step::hard::scheme::StepStart;
use crate::{Model, State};
use signorini_collision::{Contact, NO_FACE};

/// Overlaps below this share of the envelope are none.
const MET: f64 = 1e-3;

/// Contacts that the present velocities close by more than this share of the envelope are looked at. Bodies of other than convex shapes touch at several places, which one
/// look does not tell.
const FAR: f64 = 0.02;
/// Cosine of the angle between normals that are the same.
const SAME_DIRECTION: f64 = 0.999;
/// Bodies that pass each other at less than this share of half their thickness may meet.
const NARROW_MISS: f64 = 0.1;

/// The contacts of a step that may exist, and as they were those that are left out or changed at first; `None` where all stay as they are.
pub(super) fn sorted(
    start: &StepStart<'_>,
    near: &[Contact],
    contacts: &mut ContactFinder,
) -> Option<(Vec<Contact>, Vec<Contact>)> {
    let (state, h, depth) = (start.state, start.parameters.step, MET * contacts.envelope());
    let far = FAR * contacts.envelope();
    let is_far = |contact: &Contact, contacts: &ContactFinder| {
        contact.faces == [NO_FACE; 2]
            && contact.gap + h * closing_speed(contact, start.model, state) < -far
            && contacts.are_convex(contact.colliders)
    };
    let first = near.iter().position(|contact| is_far(contact, contacts))?;
    let (mut kept, mut doubted) = (Vec::with_capacity(near.len()), Vec::new());
    kept.extend_from_slice(&near[..first]);
    // Contacts of a pair stand together: the first one of them that is looked at stands for all.
    let mut looked: Option<([u32; 2], bool)> = None;
    for contact in &near[first..] {
        if !is_far(contact, contacts) {
            kept.push(*contact);
            continue;
        }
        if let Some((colliders, meets)) = looked
            && colliders == contact.colliders
        {
            if meets {
                kept.push(*contact)
            } else {
                doubted.push(*contact)
            }
            continue;
        }
        // What meets is mostly still together at the end.
        if contact.colliders.iter().all(|collider| is_ball(start.model, *collider))
            && end_gap_of_balls(contact, state, h) < -depth
        {
            looked = Some((contact.colliders, true));
            kept.push(*contact);
            continue;
        }
        let ways = Ways::of_velocities(start.model, contact, state, h);
        let limit = NARROW_MISS * contacts.thickness(contact.colliders);
        let bounds = (ways.travel(), limit, depth);
        let nearest = contacts.nearest_on_the_way(contact.colliders, bounds, |share| ways.at(share));
        // What comes near in its own direction is linear enough, with all its points.
        let meets = nearest
            .is_some_and(|(_, nearest)| nearest.gap < -depth || nearest.normal.dot(contact.normal) > SAME_DIRECTION);
        looked = Some((contact.colliders, meets));
        match nearest {
            _ if meets => kept.push(*contact),
            Some((share, nearest)) => {
                let linear = ways.linear_about(contact, share, &nearest);
                kept.push(Contact { gap: linear.gap.max(0.0), ..linear });
                doubted.push(*contact);
            }
            None => doubted.push(*contact),
        }
    }
    Some((kept, doubted))
}

/// n·[(v + ω × r)_B − (v + ω × r)_A] \[m/s\] at the velocities of a state, negative while the gap closes: what [`Ways::approach`] is per second, for every contact of a step.
fn closing_speed(contact: &Contact, model: &Model, state: &State) -> f64 {
    let middle = 0.5 * (contact.points[0] + contact.points[1]);
    let [of_a, of_b] = [0, 1].map(|side| {
        let (body, v) = (contact.bodies[side] as usize, state.velocities[contact.bodies[side] as usize]);
        // The lever of a ball is along the normal.
        if is_ball(model, contact.colliders[side]) {
            return v;
        }
        let pose = &state.poses[body];
        v + (pose.rotation * state.angular_velocities[body]).cross(middle - pose.position)
    });
    contact.normal.dot(of_b - of_a)
}

/// The gap of two balls after h seconds at the velocities of a state \[m\]: their radii together are what their centres are apart now, less the gap.
fn end_gap_of_balls(contact: &Contact, state: &State, h: f64) -> f64 {
    let [a, b] = contact.bodies.map(|body| body as usize);
    let between = state.poses[b].position - state.poses[a].position;
    let travel = h * (state.velocities[b] - state.velocities[a]);
    (between + travel).length() - (between.length() - contact.gap)
}

/// Whether the bodies of a contact overlap by more than `depth` \[m\] on the way to another state.
pub(super) fn meets(
    contact: &Contact,
    depth: f64,
    start: &StepStart<'_>,
    next: &State,
    contacts: &mut ContactFinder,
) -> bool {
    let ways = Ways::between(start.model, contact, start.state, next);
    let bounds = (ways.travel(), -depth, depth);
    contacts.nearest_on_the_way(contact.colliders, bounds, |share| ways.at(share)).is_some()
}
