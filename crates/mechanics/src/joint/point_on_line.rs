//! A point of B on a line of A; B turns freely.
//!
//! ```text
//! Ψ = (a_x·d, a_y·d)      d = p_B − p_A, a_k the axes of A's frame
//! Ψ̇ = a_k·ḋ + ȧ_k·d,  Ψ_t = 0
//! C = [−a, −(s_A + R_Aᵀd) × R_Aᵀa; a, s_B × R_Bᵀa] for both axes a
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// The origin of B's frame stays on the line through the origin of A's frame along its z.
#[derive(Clone, Debug, PartialEq)]
pub struct PointOnLine {
    anchors: Anchors,
}

impl PointOnLine {
    /// Holds the origin of B's frame on A's z axis.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for PointOnLine {
    fn kind(&self) -> &'static str {
        "point-on-line"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        2
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        (0..2).for_each(|k| rows[k] = kinematics.separation_along(k));
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
