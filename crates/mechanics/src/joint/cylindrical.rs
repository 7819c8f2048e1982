//! Slider that also turns: the z axes of both frames lie on one line.
//!
//! ```text
//! Ψ = (a_x·d, a_y·d,  ψ_x, ψ_y)      d = p_B − p_A, a_k the axes of A's frame, ψ the tilt of the axes
//! Ψ̇ = (a_k·ḋ + ȧ_k·d,  ψ̇_x, ψ̇_y),  Ψ_t = 0
//! C = [−a, −(s_A + R_Aᵀd) × R_Aᵀa; a, s_B × R_Bᵀa] for both axes a, and the rows of the tilt
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// Slider that also turns: the z axes of both frames lie on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Cylindrical {
    anchors: Anchors,
}

impl Cylindrical {
    /// Slides along and turns about z.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Cylindrical {
    fn kind(&self) -> &'static str {
        "cylindrical"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(true)
    }
    fn rows(&self) -> usize {
        4
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        (0..2).for_each(|k| rows[k] = kinematics.separation_along(k));
        rows[2..4].copy_from_slice(&kinematics.tilt());
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
