//! A shape attached to a body.

use crate::{Pose, Shape};

/// Which colliders meet which: A and B collide when A's `member` meets B's `with` and B's `member` meets A's `with`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups this collider is in, one bit each.
    pub member: u32,
    /// The groups it collides with.
    pub with: u32,
}

impl Groups {
    /// In all groups, collides with all.
    pub const ALL: Self = Self { member: u32::MAX, with: u32::MAX };

    /// Whether two colliders may touch.
    #[must_use]
    pub fn meet(self, other: Self) -> bool {
        self.member & other.with != 0 && other.member & self.with != 0
    }
}

/// A shape attached to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// The body that carries it.
    pub body: u32,
    /// Where the shape sits on the body: `body_from_shape`.
    pub pose: Pose,
    /// The shape.
    pub shape: Shape,
    /// An index the owner gives a meaning to (friction, restitution).
    pub material: u32,
    /// Which others it meets.
    pub groups: Groups,
    /// The shape is grown by a sphere of this radius \[m\] (sphere-swept); 0 for the shape as it is.
    pub margin: f64,
}

impl Collider {
    /// A shape at the origin of its body, of material 0, that meets everything.
    #[must_use]
    pub fn new(body: u32, shape: Shape) -> Self {
        Self { body, pose: Pose::IDENTITY, shape, material: 0, groups: Groups::ALL, margin: 0.0 }
    }
}
