//! A point of B in a plane of A; B turns freely.
//!
//! ```text
//! Ψ = a_z·d      d = p_B − p_A, a_z the normal, z of A's frame
//! Ψ̇ = a_z·ḋ + ȧ_z·d,  Ψ_t = 0
//! C = [−a_z, −(s_A + R_Aᵀd) × R_Aᵀa_z; a_z, s_B × R_Bᵀa_z]
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// The origin of B's frame stays in the plane through the origin of A's frame normal to its z.
#[derive(Clone, Debug, PartialEq)]
pub struct PointOnPlane {
    anchors: Anchors,
}

impl PointOnPlane {
    /// Holds the origin of B's frame in the x-y plane of A's.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for PointOnPlane {
    fn kind(&self) -> &'static str {
        "point-on-plane"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        rows[0] = Kinematics::new(&self.anchors, poses).separation_along(2);
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
