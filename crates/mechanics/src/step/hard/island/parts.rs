//! A step of an island in halves, where Newton's method finds no way in one.

use super::{Arrival, Island, IslandContacts, IslandStep, NotClosed};
use crate::Vec3;

/// How many parts of a step of an island may fail, at most.
const MOST_FAILURES: u32 = 500;
/// How many of them may fail before the first one is taken: joints that contradict each other have no way, however short.
const MOST_AT_FIRST: u32 = 12;

/// How a step in parts goes.
#[derive(Default)]
struct Parts {
    taken: u32,
    failed: u32,
}

impl Parts {
    fn is_hopeless(&self) -> bool {
        self.failed >= if self.taken == 0 { MOST_AT_FIRST } else { MOST_FAILURES }
    }
}

/// A step of an island that contacts do nothing to, in halves, quarters and so on.
///
/// # Errors
/// No way was found.
pub(crate) fn in_parts(
    island: &mut Island,
    step: &IslandStep<'_>,
    impulses: &[f64],
    holds: &[bool],
) -> Result<Arrival, NotClosed> {
    let mut parts = Parts::default();
    let mut arrival = halved(island, step, impulses, holds, &mut parts)?;
    arrival.parts = parts.taken;
    Ok(arrival)
}

fn halved(
    island: &mut Island,
    step: &IslandStep<'_>,
    impulses: &[f64],
    holds: &[bool],
    parts: &mut Parts,
) -> Result<Arrival, NotClosed> {
    if parts.is_hopeless() {
        return Err(NotClosed);
    }
    let half: Vec<f64> = impulses.iter().map(|impulse| 0.5 * impulse).collect();
    let mut state = step.state.clone();
    let mut holds = holds.to_vec();
    let mut whole = Arrival { impulses: vec![0.0; impulses.len()], ..Arrival::default() };
    for part in 0..2 {
        let h = 0.5 * step.step;
        let time = if part == 0 { step.time - h } else { step.time };
        let sub = IslandStep { state: &state, step: h, time, ends_on_joints: true, is_part: true, ..*step };
        let v = island.velocities(&state);
        let nothing = IslandContacts::default();
        let arrival =
            island.advance(&sub, &nothing, (&v, &half), &holds).inspect(|_| parts.taken += 1).or_else(|NotClosed| {
                parts.failed += 1;
                halved(island, &sub, &half, &holds, parts)
            })?;
        holds = island.held();
        for (k, &body) in island.bodies.iter().enumerate() {
            state.poses[body] = arrival.poses[k];
            state.velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k..]);
            state.angular_velocities[body] = Vec3::from_slice(&arrival.velocity[6 * k + 3..]);
        }
        whole.impulses.iter_mut().zip(&arrival.impulses).for_each(|(sum, part)| *sum += part);
        whole.solves += arrival.solves;
        whole.poses = arrival.poses;
        whole.velocity = arrival.velocity;
        whole.displacement = arrival.displacement;
    }
    Ok(whole)
}
