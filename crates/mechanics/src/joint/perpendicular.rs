//! Two axes that stay at right angles; everything else is free.
//!
//! ```text
//! Ψ = π/2 − ∠(a_z, b_x)      zero where a_z·b_x = 0; an angle, so that any error closes in one step
//! Ψ̇ = n·(ω_A − ω_B),  n = a_z × b_x/|a_z × b_x|,   Ψ_t = 0
//! C = [0, R_Aᵀn; 0, −R_Bᵀn]
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// The z of A's frame and the x of B's stay at right angles.
#[derive(Clone, Debug, PartialEq)]
pub struct Perpendicular {
    anchors: Anchors,
}

impl Perpendicular {
    /// Keeps the z of A's frame at right angles to the x of B's.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Perpendicular {
    fn kind(&self) -> &'static str {
        "perpendicular"
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
        let kinematics = Kinematics::new(&self.anchors, poses);
        rows[0] = kinematics.right_angle(2, 0);
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
