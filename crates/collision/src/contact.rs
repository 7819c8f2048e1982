//! One contact point.

use glam::DVec3;

/// A pair of points where two shapes are closest, touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two colliders A and B, A < B.
    pub colliders: [u32; 2],
    /// The bodies they belong to.
    pub bodies: [u32; 2],
    /// Which features of the two shapes meet. Together with the colliders it names the contact from step to step.
    pub feature: u64,
    /// The point of A and the point of B, in the world \[m\]. Without overlap they are `gap` apart along the normal.
    pub points: [DVec3; 2],
    /// Unit normal from A to B.
    pub normal: DVec3,
    /// Signed distance \[m\]; negative: the shapes overlap by that much.
    pub gap: f64,
}
