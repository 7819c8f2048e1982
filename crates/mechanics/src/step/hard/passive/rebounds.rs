//! Rebounds of bodies that joints hold together: they never gain energy either.
//!
//! The problem of the step has joints where they are at its start; what it says about the energy of a rebound is right to first order in h
//! only. Where an island has gained energy on its way, contacts lose the least share of their rebound for which it does not:
//!
//! ```text
//! D_a w = (1 − lost) D_a w₀,     E⁺ − E = ½‖v⁺‖²_M − ½‖v‖²_M − m g·Δx ≤ 0
//! ```

use super::impacts::Impacts;
use crate::step::hard::island::{Arrival, Island, IslandContacts, IslandStep, Islands, NotClosed, StartOfIsland};
use crate::step::hard::tries::{Ask, Trial};
use crate::{State, Vec3};
use signorini_solver::Solution;

/// A gain below this share of the kinetic energy is rounding.
const ROUNDING: f64 = 1e-12;
/// How often the interval that the share is in is halved.
const HALVINGS: u32 = 6;

/// Whether an island rebounds, and from nothing but itself and what is fixed: others would give or take energy that is not counted here.
pub(super) fn are_its_own(
    trial: &Trial<'_>,
    ask: &Ask<'_>,
    impacts: &Impacts,
    (islands, index): (&Islands, usize),
    solution: &Solution,
) -> bool {
    if !impacts.has_rebounds() || !ask.rebounds {
        return false;
    }
    let bodies = trial.start.model.bodies();
    let is_own = |body: u32| islands.of_body(body as usize) == Some(index);
    let is_fixed = |body: u32| bodies.get(body as usize).is_some_and(|body| body.is_fixed);
    let mut rebounds = false;
    for (k, contact) in ask.near.iter().enumerate() {
        let is_loaded = solution.impulse()[trial.layout.rows_of(k)].iter().any(|part| *part != 0.0);
        if !is_loaded || !contact.bodies.iter().any(|body| is_own(*body)) {
            continue;
        }
        if !contact.bodies.iter().all(|body| is_own(*body) || is_fixed(*body)) {
            return false;
        }
        rebounds |= impacts.time_of(&trial.start, contact, true).is_some();
    }
    rebounds
}

/// The arrival of an island that rebounds with as much as gains no energy; `arrival` is that with all of it.
///
/// # Errors
/// It has no way without its rebound, or gains energy then, too.
pub(super) fn without_gain(
    island: &mut Island,
    step: &IslandStep<'_>,
    from: &StartOfIsland<'_>,
    arrival: Arrival,
) -> Result<Arrival, NotClosed> {
    if !gains(island, step, &arrival) {
        return Ok(arrival);
    }
    let mut contacts: IslandContacts = from.contacts.clone();
    contacts.lost = 1.0;
    let mut best = island.advance(step, &contacts, from.guess, from.holds)?;
    if gains(island, step, &best) {
        return Err(NotClosed);
    }
    // As much of the rebound as gains nothing.
    let (mut least, mut most) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        contacts.lost = 0.5 * (least + most);
        match island.advance(step, &contacts, from.guess, from.holds) {
            Ok(other) if !gains(island, step, &other) => (best, most) = (other, contacts.lost),
            Ok(_) | Err(NotClosed) => least = contacts.lost,
        }
    }
    Ok(best)
}

/// Whether an island has more energy where it arrives.
fn gains(island: &Island, step: &IslandStep<'_>, arrival: &Arrival) -> bool {
    let IslandStep { model, state, .. } = *step;
    let (mut gain, mut size) = (0.0, 0.0);
    for (k, &body) in island.bodies.iter().enumerate() {
        let own = &model.bodies()[body];
        let kinetic = |v: Vec3, omega: Vec3| 0.5 * (own.mass * v.length_squared() + omega.dot(own.inertia * omega));
        let State { poses, velocities, angular_velocities, .. } = state;
        let before = kinetic(velocities[body], angular_velocities[body]);
        let v = &arrival.velocity[6 * k..6 * k + 6];
        let after = kinetic(Vec3::from_slice(v), Vec3::from_slice(&v[3..]));
        let way = arrival.poses[k].position - poses[body].position;
        gain += after - before - own.mass * model.gravity().dot(way);
        size += after + before;
    }
    gain > ROUNDING * size
}
