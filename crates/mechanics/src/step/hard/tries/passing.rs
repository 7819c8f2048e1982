//! Contacts that exist only because they are linear.
//!
//! The problem of a step knows a contact by its plane, n·(p_B − p_A) ≥ 0 for two points of the start. A ball that passes another at several radii a step crosses that
//! plane without meeting anybody, and so does a box that slides from one flush box onto the next: the way from the edge of the one to that of the other is level. Such a contact
//! would stop what nothing stops. So a contact that the present velocities would close by far is looked at along the way: where the two bodies miss each other narrowly there it becomes
//! linear about that place, and where they do not come near it is left out, and put in again if they meet on the way that the step has found.

use crate::dynamics::contact::finder::ContactFinder;
use crate::motion::{moved, turn_between};
use crate::step::hard::scheme::StepStart;
use crate::{Pose, State, Vec3};
use signorini_collision::{Contact, NO_FACE, Nearest};

/// Overlaps below this share of the envelope are none.
const MET: f64 = 1e-3;

/// Contacts that the present velocities close by more than this share of the envelope are looked at. Bodies of other than convex shapes touch at several places, which one
/// look does not tell.
const FAR: f64 = 0.02;
/// Cosine of the angle between normals that are the same.
const SAME_DIRECTION: f64 = 0.999;
/// Bodies that pass each other at less than this share of half their thickness may meet.
const NARROW_MISS: f64 = 0.1;

/// The contacts of a step that may exist, and those that are left out at first; `None` where all stay as they are.
pub(super) fn sorted(
    start: &StepStart<'_>,
    near: &[Contact],
    contacts: &mut ContactFinder,
) -> Option<(Vec<Contact>, Vec<Contact>)> {
    let (state, h, depth) = (start.state, start.parameters.step, MET * contacts.envelope());
    let far = FAR * contacts.envelope();
    let is_far = |contact: &Contact, contacts: &ContactFinder| {
        contact.faces == [NO_FACE; 2]
            && contact.gap + h * relative_speed(state, contact) < -far
            && contacts.are_convex(contact.colliders)
    };
    if !near.iter().any(|contact| is_far(contact, contacts)) {
        return None;
    }
    let (mut kept, mut left_out) = (Vec::with_capacity(near.len()), Vec::new());
    // Contacts of a pair stand together: the first one of them that is looked at stands for all.
    let mut looked: Option<([u32; 2], bool)> = None;
    for contact in near {
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
                left_out.push(*contact)
            }
            continue;
        }
        let ways = contact.bodies.map(|body| {
            let (pose, body) = (state.poses[body as usize], body as usize);
            Way { pose, displacement: h * state.velocities[body], turn: h * state.angular_velocities[body] }
        });
        let limit = NARROW_MISS * contacts.thickness(contact.colliders);
        let nearest = contacts.nearest_on_the_way(contact.colliders, (travel(&ways), limit, depth), |share| {
            ways.map(|way| way.at(share))
        });
        // What comes near in its own direction is linear enough, with all its points.
        let meets = nearest
            .is_some_and(|(_, nearest)| nearest.gap < -depth || nearest.normal.dot(contact.normal) > SAME_DIRECTION);
        looked = Some((contact.colliders, meets));
        match nearest {
            _ if meets => kept.push(*contact),
            Some((share, nearest)) => kept.push(along_the_way(contact, &ways, share, &nearest)),
            None => left_out.push(*contact),
        }
    }
    Some((kept, left_out))
}

/// A contact that is linear about the place where bodies come nearest, a share s of their ways on: what the motion changes about the gap there,
///
/// ```text
/// g + s h n·(u − û) ≥ 0     ⇒     Φ = (g − n·Δ)/s,   Δ = s h û how far its points came against each other
/// ```
///
/// with the levers there.
fn along_the_way(contact: &Contact, ways: &[Way; 2], share: f64, nearest: &Nearest) -> Contact {
    let mut points = [0, 1].map(|side| nearest.points[side] - share * ways[side].displacement);
    // Rows take the point between both: that of the body that moves, if one stays.
    let moves = [0, 1].map(|side| ways[side].displacement != Vec3::ZERO || ways[side].turn != Vec3::ZERO);
    match moves {
        [true, false] => points[1] = points[0],
        [false, true] => points[0] = points[1],
        _ => {}
    }
    let middle = 0.5 * (points[0] + points[1]);
    let came = [0, 1].map(|side| {
        let Way { pose, displacement, turn } = ways[side];
        share * (displacement + (pose.rotation * turn).cross(middle - pose.position))
    });
    let gap = (nearest.gap - nearest.normal.dot(came[1] - came[0])) / share;
    Contact { points, normal: nearest.normal, gap: gap.max(0.0), ..*contact }
}

/// How a body moves in a step: a displacement in the world and a turn in body axes.
#[derive(Clone, Copy)]
struct Way {
    pose: Pose,
    displacement: Vec3,
    turn: Vec3,
}

impl Way {
    /// Where the body is after a share of it.
    fn at(&self, share: f64) -> Pose {
        moved(&self.pose, self.displacement, self.turn, share)
    }
}

/// How far two bodies move against each other \[m\], their turning aside.
fn travel(ways: &[Way; 2]) -> f64 {
    (ways[1].displacement - ways[0].displacement).length()
}

/// Whether the bodies of a contact meet on the way to another state.
pub(super) fn meets(contact: &Contact, from: &State, to: &State, contacts: &mut ContactFinder) -> bool {
    let depth = MET * contacts.envelope();
    let ways = contact.bodies.map(|body| {
        let (from, to) = (from.poses[body as usize], &to.poses[body as usize]);
        Way { pose: from, displacement: to.position - from.position, turn: turn_between(&from, to) }
    });
    let at = |share: f64| ways.map(|way| way.at(share));
    contacts.nearest_on_the_way(contact.colliders, (travel(&ways), -depth, depth), at).is_some()
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
