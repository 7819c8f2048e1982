//! Where a body or a shape is.

use glam::{DQuat, DVec3};

/// A position and a rotation: `pose * point` takes a point from the frame the pose belongs to into the frame it is given in.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pose {
    /// The origin of the frame \[m\].
    pub position: DVec3,
    /// The rotation of its axes, a unit quaternion.
    pub rotation: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// No translation, no rotation.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from its parts.
    #[must_use]
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }
    /// A translation.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }
    /// Whether all its numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
    /// The pose that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: rotation * -self.position, rotation }
    }
}

impl std::ops::Mul<DVec3> for Pose {
    type Output = DVec3;
    fn mul(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }
}

impl std::ops::Mul for Pose {
    type Output = Self;
    fn mul(self, inner: Self) -> Self {
        Self { position: self * inner.position, rotation: self.rotation * inner.rotation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let pose = Pose::new(DVec3::new(1.0, -2.0, 0.5), DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(-1.1));
        let point = DVec3::new(0.3, 0.4, -0.9);
        assert!((pose.inverse() * (pose * point) - point).length() < 1e-15);
        assert!(((pose * pose.inverse()) * point - point).length() < 1e-15);
    }
}
