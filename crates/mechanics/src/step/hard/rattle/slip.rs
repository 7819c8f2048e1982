//! The slip of the middle of a step, from rows of its start.
//!
//! The tangential rows of a contact change as its point c moves, u = ẋ_B + ω_B × s_B − ẋ_A − ω_A × s_A with the levers s_i = c − x_i:
//! in the middle of the step
//!
//! ```text
//! u½ = D_t(q) v½ + h/2 d,    d = ω_B × ṡ_B − ω_A × ṡ_A,    ṡ_i = ċ − ẋ_i
//! ```
//!
//! Without d a box that pivots about a corner which sticks would drag the corner along by ½(hω)²s a step. A ball's contact point
//! goes with its centre; that of other shapes with their matter.

use crate::{Model, Pose, Shape, State, Vec3};
use signorini_collision::Contact;

/// d, in the world, at the velocities of a state.
pub(super) fn drift(model: &Model, state: &State, contact: &Contact) -> Vec3 {
    let point = 0.5 * (contact.points[0] + contact.points[1]);
    let bodies = contact.bodies.map(|body| body as usize);
    let turn = bodies.map(|body| state.poses[body].rotation * state.angular_velocities[body]);
    let matter = |side: usize, at: Vec3| {
        state.velocities[bodies[side]] + turn[side].cross(at - state.poses[bodies[side]].position)
    };
    let ball = |side: usize| {
        let (_, collider) = &model.colliders()[contact.colliders[side] as usize];
        let centre = |pose: &Pose| *pose * collider.pose.position;
        match &collider.shape {
            Shape::Sphere { radius } => {
                Some((radius + collider.margin, matter(side, centre(&state.poses[bodies[side]]))))
            }
            _ => None,
        }
    };
    let point_speed = match [ball(0), ball(1)] {
        // The point divides the line of centres as the radii do.
        [Some((r_a, v_a)), Some((r_b, v_b))] => v_a + (v_b - v_a) * (r_a / (r_a + r_b)),
        [Some((_, v)), None] | [None, Some((_, v))] => v,
        [None, None] => 0.5 * (matter(0, point) + matter(1, point)),
    };
    let lever = |side: usize| turn[side].cross(point_speed - state.velocities[bodies[side]]);
    lever(1) - lever(0)
}
