//! The distance of a point of A from a point of B.
//!
//! ```text
//! l = |d|,  d = p_B − p_A,  n = d/l,   l̇ = n·ḋ:   [−n, −s_A × R_Aᵀn; n, s_B × R_Bᵀn]
//! ```
//!
//! Coincident points have no direction: n is then the world's z, so that everything stays finite and repeatable.

use super::kinematics::jacobian;
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Two points on two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) bodies: [BodyId; 2],
    /// s_A, s_B, in body axes from the centres of mass.
    pub(crate) points: [Vec3; 2],
}

/// The distance of two points and its gradient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) length: f64,
    /// n, from A to B.
    pub(crate) direction: Vec3,
    pub(crate) gradient: [[f64; 6]; 2],
}

impl Span {
    pub(crate) fn stretch(&self, poses: [&Pose; 2]) -> Stretch {
        let d = *poses[1] * self.points[1] - *poses[0] * self.points[0];
        let length = d.length();
        // Lengths whose square underflows count as none.
        let direction = if length > f64::MIN_POSITIVE.sqrt() { d / length } else { Vec3::Z };
        Stretch { length, direction, gradient: self.gradient_along(poses, direction) }
    }

    /// The gradient of e·d for a constant axis e.
    pub(crate) fn gradient_along(&self, poses: [&Pose; 2], e: Vec3) -> [[f64; 6]; 2] {
        let lever = |side: usize| self.points[side].cross(poses[side].rotation.conjugate() * e);
        jacobian([-e, e], [-lever(0), lever(1)])
    }

    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        self.points.into_iter().try_for_each(super::anchors::check_point)
    }
}
