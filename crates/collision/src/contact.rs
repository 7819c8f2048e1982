//! One contact point.

use glam::DVec3;

/// The side of a contact that is not a triangle of a deformable surface.
pub const NO_FACE: u32 = u32::MAX;

/// A pair of points where two shapes are closest, touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two colliders A and B, A < B.
    pub colliders: [u32; 2],
    /// The bodies they belong to.
    pub bodies: [u32; 2],
    /// Which features of the two shapes meet. Together with the colliders it names the contact from step to step.
    pub feature: u64,
    /// The triangles of deformable surfaces that the points lie on, counted over all surfaces; [`NO_FACE`] for rigid shapes.
    pub faces: [u32; 2],
    /// The point of A and the point of B, in the world \[m\]. Without overlap they are `gap` apart along the normal.
    pub points: [DVec3; 2],
    /// Unit normal from A to B.
    pub normal: DVec3,
    /// Signed distance \[m\]; negative: the shapes overlap by that much.
    pub gap: f64,
}
