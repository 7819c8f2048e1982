//! Contacts that exist only because they are linear.
//!
//! The problem of a step knows a contact by its plane, n·(p_B − p_A) ≥ 0 for two points of the start. A ball that passes another at several radii a step crosses that
//! plane without meeting anybody, and so does a box that slides from one flush box onto the next: the way from the edge of the one to that of the other is level. Such a contact
//! would stop what nothing stops. So a contact that the present velocities would close by far is looked at along the way: where the two bodies do not meet there it is left out, and
//! put in again if they meet on the way that the step has found.

use crate::dynamics::contact::finder::ContactFinder;
use crate::motion::{moved, turn_between};
use crate::step::hard::scheme::StepStart;
use crate::{Pose, State, Vec3};
use signorini_collision::{Contact, NO_FACE};

/// Overlaps below this share of the envelope are none.
const MET: f64 = 1e-3;

/// Bodies that pass each other at less than this share of half their thickness may meet.
const NARROW_MISS: f64 = 0.1;
/// Cosine of the angle up to which two normals have the same direction.
const SAME_DIRECTION: f64 = 0.7;

/// The contacts of a step that may exist and those that are left out at first; `None` where all may.
pub(super) fn sorted(
    start: &StepStart<'_>,
    near: &[Contact],
    contacts: &mut ContactFinder,
) -> Option<(Vec<Contact>, Vec<Contact>)> {
    let (state, h, depth) = (start.state, start.parameters.step, MET * contacts.envelope());
    let mut left_out: Vec<Contact> = Vec::new();
    let mut looked: Option<([u32; 2], bool)> = None;
    for contact in near.iter().filter(|contact| contact.faces == [NO_FACE; 2]) {
        let closing = relative_speed(state, contact);
        if contact.gap + h * closing >= -depth {
            continue;
        }
        // Contacts of a pair stand together.
        let meets = match looked {
            Some((colliders, meets)) if colliders == contact.colliders => meets,
            _ => {
                let way = |side: usize, share: f64| {
                    let body = contact.bodies[side] as usize;
                    let (v, omega) = (state.velocities[body], state.angular_velocities[body]);
                    moved(&state.poses[body], v, omega, share * h)
                };
                let travel = h * (velocity(state, contact, 1) - velocity(state, contact, 0)).length();
                // Along their own direction bodies that miss each other by little may meet after all.
                let is_met =
                    |gap: f64, normal: Vec3| gap < -depth || normal.dot(contact.normal) > SAME_DIRECTION;
                let limit = NARROW_MISS * contacts.thickness(contact.colliders);
                contacts.meet(contact.colliders, (travel, limit), |share| [way(0, share), way(1, share)], is_met)
            }
        };
        looked = Some((contact.colliders, meets));
        if !meets {
            left_out.push(*contact);
        }
    }
    if left_out.is_empty() {
        return None;
    }
    let id = |contact: &Contact| (contact.colliders, contact.feature);
    let is_left_out = |contact: &Contact| left_out.binary_search_by_key(&id(contact), id).is_ok();
    let kept = near.iter().filter(|contact| !is_left_out(contact)).copied().collect();
    Some((kept, left_out))
}

/// Whether the bodies of a contact meet on the way to another state.
pub(super) fn meets(contact: &Contact, from: &State, to: &State, contacts: &mut ContactFinder) -> bool {
    let depth = MET * contacts.envelope();
    let bodies = contact.bodies.map(|body| body as usize);
    let ways = bodies.map(|body| {
        let (from, to) = (&from.poses[body], &to.poses[body]);
        (*from, to.position - from.position, turn_between(from, to))
    });
    let at = |share: f64| ways.map(|(from, way, turn): (Pose, Vec3, Vec3)| moved(&from, way, turn, share));
    let travel = (ways[1].1 - ways[0].1).length();
    contacts.meet(contact.colliders, (travel, -depth), at, |_, _| true)
}

/// n·(ṗ_B − ṗ_A) \[m/s\].
fn relative_speed(state: &State, contact: &Contact) -> f64 {
    contact.normal.dot(velocity(state, contact, 1) - velocity(state, contact, 0))
}

/// Velocity of the point of contact of a body.
fn velocity(state: &State, contact: &Contact, side: usize) -> Vec3 {
    let body = contact.bodies[side] as usize;
    let pose = &state.poses[body];
    let spin = pose.rotation * state.angular_velocities[body];
    state.velocities[body] + spin.cross(contact.points[side] - pose.position)
}
