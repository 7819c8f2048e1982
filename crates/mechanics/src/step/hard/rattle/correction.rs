//! What the linearised forces of the first stage missed, known once v½ is.
//!
//! ```text
//! e = f(q½, v½) − [f(q½, v) − R (v½ − v)]      q½ = q ⊕ h/2 v
//! ```
//!
//! e is 0 for a force that is linear in v with its exact R (springs with dampers), O(h²) where R is exact, O(h) otherwise: an
//! explicit force is then that of the explicit midpoint rule. Positions stay those of q½: a correction by positions would be
//! explicit in the stiffness, and unstable where that is large.

use super::gyroscopic;
use crate::diagnostics::motion;
use crate::dynamics::columns::Columns;
use crate::dynamics::parameters::Parameters;
use crate::force::Motion;
use crate::{Model, State, Vec3};

/// Adds h e and what the gyroscopic torque of the step has beyond twice that of the first stage. `middle` is where forces were
/// evaluated, `velocity` v½.
pub(super) fn add(
    model: &Model,
    columns: &Columns,
    middle: &State,
    velocity: &[f64],
    parameters: &Parameters,
    momentum: &mut [f64],
) {
    let h = parameters.step;
    for (i, body) in model.bodies().iter().enumerate() {
        let Some(at) = columns.of(i) else { continue };
        let (omega, half) = (middle.angular_velocities[i], Vec3::from_slice(&velocity[at + 3..at + 6]));
        let first = gyroscopic::first_half(body.inertia, omega, h, parameters.gyroscopic);
        let more = gyroscopic::correction(body.inertia, omega, half, first, h, parameters.gyroscopic);
        momentum[at + 3..at + 6].iter_mut().zip(more.to_array()).for_each(|(sum, part)| *sum += part);
    }
    for (index, (_, force)) in model.forces().enumerate() {
        let memory = &middle.memory[model.memory_layout().range(index)];
        let bodies = force.bodies().map(|body| body.index());
        let from = bodies.map(|body| motion(middle, body));
        let to = [0, 1].map(|side| match columns.of(bodies[side]) {
            Some(at) => Motion {
                velocity: Vec3::from_slice(&velocity[at..at + 3]),
                angular_velocity: Vec3::from_slice(&velocity[at + 3..at + 6]),
                ..from[side]
            },
            None => from[side],
        });
        let (before, after) = ([&from[0], &from[1]], [&to[0], &to[1]]);
        let [was, is] = [before, after].map(|motions| force.wrench(motions, middle.time, memory));
        let tangent = force.tangent(before, middle.time, memory);
        let change = [0, 1].map(|side| {
            let (a, b) = (&from[side], &to[side]);
            [b.velocity - a.velocity, b.angular_velocity - a.angular_velocity].map(|part| part.to_array())
        });
        let change = change.as_flattened().as_flattened();
        for (side, &body) in bodies.iter().enumerate() {
            let Some(at) = columns.of(body) else { continue };
            let error = [is[side].force - was[side].force, is[side].torque - was[side].torque].map(|v| v.to_array());
            for (k, error) in error.as_flattened().iter().enumerate() {
                let row = tangent.as_ref().map(|tangent| &tangent.damping[6 * side + k]);
                let linear: f64 = row.map_or(0.0, |row| row.iter().zip(change).map(|(r, v)| r * v).sum());
                momentum[at + k] += h * (error + linear);
            }
        }
    }
}
