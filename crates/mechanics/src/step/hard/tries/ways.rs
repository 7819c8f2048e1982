//! How two bodies that may touch move in a step, and contacts that are linear about a place of their ways.

use crate::motion::{moved, turn_between};
use crate::{Model, Pose, Shape, State, Vec3};
use signorini_collision::{Contact, Nearest};

/// How a body moves in a step.
#[derive(Clone, Copy)]
struct Way {
    from: Pose,
    /// In the world \[m\].
    displacement: Vec3,
    /// In body axes \[rad\].
    turn: Vec3,
    is_fixed: bool,
}

/// The ways of the two bodies of a contact.
#[derive(Clone, Copy)]
pub(super) struct Ways([Way; 2]);

impl Ways {
    /// Those of h seconds at the velocities of a state.
    pub(super) fn of_velocities(model: &Model, contact: &Contact, state: &State, h: f64) -> Self {
        Self(contact.bodies.map(|body| {
            let body = body as usize;
            let (displacement, turn) = (h * state.velocities[body], h * state.angular_velocities[body]);
            Way { from: state.poses[body], displacement, turn, is_fixed: model.bodies()[body].is_fixed }
        }))
    }

    /// Those from one state to another.
    pub(super) fn between(model: &Model, contact: &Contact, from: &State, to: &State) -> Self {
        Self(contact.bodies.map(|body| {
            let body = body as usize;
            let (from, to) = (from.poses[body], &to.poses[body]);
            let (displacement, turn) = (to.position - from.position, turn_between(&from, to));
            Way { from, displacement, turn, is_fixed: model.bodies()[body].is_fixed }
        }))
    }

    /// Where both are after a share of their ways.
    pub(super) fn at(&self, share: f64) -> [Pose; 2] {
        self.0.map(|way| moved(&way.from, way.displacement, way.turn, share))
    }

    /// How far they move against each other \[m\], their turning aside.
    pub(super) fn travel(&self) -> f64 {
        (self.0[1].displacement - self.0[0].displacement).length()
    }

    /// How far the row of a contact moves: n·[(Δx + θ × r)_B − (Δx + θ × r)_A] \[m\], with levers r to the point between those of the contact.
    pub(super) fn approach(&self, contact: &Contact) -> f64 {
        let middle = 0.5 * (contact.points[0] + contact.points[1]);
        let came =
            self.0.map(|way| way.displacement + (way.from.rotation * way.turn).cross(middle - way.from.position));
        contact.normal.dot(came[1] - came[0])
    }

    /// A contact that is linear about a place of the ways, a share s of them on, where bodies are g apart: what another motion u changes about that,
    ///
    /// ```text
    /// g + s h n·(u − û) ≥ 0     ⇒     Φ = g/s − h n·û
    /// ```
    ///
    /// with the levers there; Φ < 0 where the ways are so curved that bodies which do not overlap at the start would have to part. The places that its points had at the start would leave out how levers turn: at a radian a step they miss by a tenth of them.
    pub(super) fn linear_about(&self, contact: &Contact, share: f64, place: &Nearest) -> Contact {
        let mut points = [0, 1].map(|side| place.points[side] - share * self.0[side].displacement);
        // Rows take the point between both: that of the body that moves, if one is fixed.
        match self.0.map(|way| way.is_fixed) {
            [false, true] => points[1] = points[0],
            [true, false] => points[0] = points[1],
            _ => {}
        }
        let contact = Contact { points, normal: place.normal, ..*contact };
        Contact { gap: place.gap / share - self.approach(&contact), ..contact }
    }
}

/// Whether a collider is a ball about the centre of its body: it is the same however it turns.
pub(super) fn is_ball(model: &Model, collider: u32) -> bool {
    model.colliders().get(collider as usize).is_some_and(|(_, collider)| {
        matches!(collider.shape, Shape::Sphere { .. }) && collider.pose.position == Vec3::ZERO
    })
}
