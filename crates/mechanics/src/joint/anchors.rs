//! Where a joint sits on its two bodies.

use crate::{BodyId, ParameterError, Pose, Vec3};

/// Two bodies A and B and the frame of the joint on each of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchors {
    /// A and B.
    pub bodies: [BodyId; 2],
    /// body_from_joint of A and of B.
    pub frames: [Pose; 2],
}

/// Where a joint is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPlace {
    /// Its point on A and on B, in body axes from their centres of mass \[m\].
    pub points: [Vec3; 2],
    /// The axis it turns about or slides along, a unit vector in the axes of B; `None` where no axis is its own.
    pub axis: Option<Vec3>,
}

impl Anchors {
    /// Where the joint is drawn; its axis is the z of its frames.
    pub(crate) fn place(&self, has_axis: bool) -> JointPlace {
        let axis = has_axis.then(|| self.frames[1].rotation * Vec3::Z);
        JointPlace { points: self.frames.map(|frame| frame.position), axis }
    }

    /// Anchors in a frame given in the world, for bodies in the given poses (world_from_body): there the joint is undeformed.
    #[must_use]
    pub fn from_world(bodies: [BodyId; 2], poses: [&Pose; 2], world_from_joint: Pose) -> Self {
        Self { bodies, frames: poses.map(|pose| pose.inverse() * world_from_joint) }
    }

    /// Whether positions are finite and rotations of unit length.
    ///
    /// # Errors
    /// The first frame that is not.
    pub fn check(&self) -> Result<(), ParameterError> {
        for frame in &self.frames {
            check_point(frame.position)?;
            let length = frame.rotation.length();
            if (length - 1.0).abs() > 1e-9 || length.is_nan() {
                return Err(ParameterError::number("length of the rotation quaternion of a frame", length, "1"));
            }
        }
        Ok(())
    }
}

/// Whether a point can be used.
pub(crate) fn check_point(point: Vec3) -> Result<(), ParameterError> {
    match point.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(ParameterError::number("a coordinate", value, "a finite number of metres")),
        None => Ok(()),
    }
}
