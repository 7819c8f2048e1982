//! Contacts: finding them, their frames, what carries them and what they carried.

pub(crate) mod finder;
pub(crate) mod impulse;
pub(crate) mod skins;
pub(crate) mod support;

use crate::{BodyId, Vec3};

/// Normal and two tangents of a contact, right-handed, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// From body A to body B.
    pub normal: Vec3,
    /// Two directions along the surface.
    pub tangents: [Vec3; 2],
}

impl Frame {
    /// A frame about a unit normal. The first tangent lies across the axis the normal is least along: the same normal always
    /// gives the same frame.
    #[must_use]
    pub fn about(normal: Vec3) -> Self {
        let a = normal.abs();
        let least = match () {
            () if a.x <= a.y && a.x <= a.z => Vec3::X,
            () if a.y <= a.z => Vec3::Y,
            () => Vec3::Z,
        };
        let first = normal.cross(least).normalize();
        Self { normal, tangents: [first, normal.cross(first)] }
    }
    /// Components (n, t₁, t₂) of a vector.
    #[must_use]
    pub fn components(&self, vector: Vec3) -> [f64; 3] {
        [self.normal.dot(vector), self.tangents[0].dot(vector), self.tangents[1].dot(vector)]
    }
    /// The vector of components (n, t₁, t₂).
    #[must_use]
    pub fn vector(&self, components: [f64; 3]) -> Vec3 {
        self.normal * components[0] + self.tangents[0] * components[1] + self.tangents[1] * components[2]
    }
    /// The three directions.
    #[must_use]
    pub fn axes(&self) -> [Vec3; 3] {
        [self.normal, self.tangents[0], self.tangents[1]]
    }
}

/// The force in one contact, averaged over the last step; by penalty, that at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The two bodies A and B.
    pub bodies: [BodyId; 2],
    /// Where, in the world \[m\].
    pub point: Vec3,
    /// From A to B.
    pub normal: Vec3,
    /// Gap before the step \[m\]; by penalty, after it.
    pub gap: f64,
    /// Force on B (the opposite acts on A), in the world \[N\].
    pub force: Vec3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_orthonormal_and_right_handed_for_any_normal() {
        for normal in [Vec3::X, -Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, -0.8), Vec3::new(1.0, 1.0, 1.0).normalize()] {
            let frame = Frame::about(normal);
            let [n, t, w] = frame.axes();
            assert!((n.cross(t) - w).length() < 1e-15 && n.dot(t).abs() < 1e-15 && (t.length() - 1.0).abs() < 1e-15);
            let vector = Vec3::new(0.2, -3.0, 1.5);
            assert!((frame.vector(frame.components(vector)) - vector).length() < 1e-14);
        }
    }
}
