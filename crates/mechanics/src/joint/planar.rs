//! Slides and turns in a plane: the x-y planes of both frames coincide.
//!
//! ```text
//! Ψ = (a_z·d,  ψ_x, ψ_y)      d = p_B − p_A, a_z the normal, ψ the tilt of the normals
//! Ψ̇ = (a_z·ḋ + ȧ_z·d,  ψ̇_x, ψ̇_y),  Ψ_t = 0
//! C = [−a_z, −(s_A + R_Aᵀd) × R_Aᵀa_z; a_z, s_B × R_Bᵀa_z], and the rows of the tilt
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// The x-y planes of both frames coincide: B slides in it and turns about its normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Planar {
    anchors: Anchors,
}

impl Planar {
    /// Slides in the plane across z and turns about z.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Planar {
    fn kind(&self) -> &'static str {
        "planar"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(true)
    }
    fn rows(&self) -> usize {
        3
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        rows[0] = kinematics.separation_along(2);
        rows[1..3].copy_from_slice(&kinematics.tilt());
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
