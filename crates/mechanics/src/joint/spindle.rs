//! The angle of a body about an axis that is fixed in the world.
//!
//! ```text
//! W the rotation of a frame in the world whose z is the axis, F the same frame on the body where the angle is 0 (R₀F = W)
//! ρ = W⁻¹R F,   α the angle about z of ρ,   α̇ = g·Ω = (F g)·ω      Ω = F⁻¹ω, g the gradient of the angle
//! ```

use super::twist;
use crate::{ParameterError, Pose, Quat, Vec3};

/// An axis in the world and the body that turns about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spindle {
    /// As it was given, for messages.
    axis: Vec3,
    /// world_from_axis.
    world: Quat,
    /// body_from_axis.
    body: Quat,
}

/// A vector of length 1, whatever its length; z where it has no direction, which a check refuses.
pub(super) fn unit(vector: Vec3) -> Vec3 {
    // Scaled first: squares of tiny or huge numbers are not numbers.
    (vector / vector.abs().max_element()).try_normalize().unwrap_or(Vec3::Z)
}

/// Whether a vector has a direction.
pub(super) fn check_direction(what: &'static str, vector: Vec3) -> Result<(), ParameterError> {
    let largest = vector.abs().max_element();
    if vector.is_finite() && largest > f64::MIN_POSITIVE {
        return Ok(());
    }
    let value = if vector.is_finite() { largest } else { f64::NAN };
    Err(ParameterError::number(what, value, "a finite vector other than 0"))
}

impl Spindle {
    /// An axis along a direction in the world; the angle is 0 in the given pose.
    pub(super) fn new(pose: &Pose, axis: Vec3) -> Self {
        let world = Quat::from_rotation_arc(Vec3::Z, unit(axis));
        Self { axis, world, body: pose.rotation.conjugate() * world }
    }

    /// The axis in the world, a unit vector.
    pub(super) fn axis(&self) -> Vec3 {
        self.world * Vec3::Z
    }

    /// The angle within half a turn, and what multiplies the angular velocity (body axes) in its rate.
    pub(super) fn angle(&self, pose: &Pose) -> (f64, Vec3) {
        let (angle, gradient) = twist(self.world.conjugate() * pose.rotation * self.body);
        (angle, self.body * gradient)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        check_direction("an axis", self.axis)?;
        let length = self.body.length();
        if (length - 1.0).abs() > 1e-9 || length.is_nan() {
            return Err(ParameterError::number("length of the rotation quaternion of a body", length, "1"));
        }
        Ok(())
    }
}
