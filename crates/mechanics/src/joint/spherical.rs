//! Ball joint: the origins of both frames coincide.
//!
//! ```text
//! Ψ = p_B − p_A              (3 rows, world axes)
//! Ψ̇ = ṗ_B − ṗ_A,  Ψ_t = 0
//! C = [−e, −s_A × R_Aᵀe; e, s_B × R_Bᵀe] for every axis e
//! ```

use super::kinematics::separate_in_world;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Ball joint: the origins of both frames coincide.
#[derive(Clone, Debug, PartialEq)]
pub struct Spherical {
    anchors: Anchors,
}

impl Spherical {
    /// A ball joint in the origins of the frames.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Spherical {
    fn kind(&self) -> &'static str {
        "spherical"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        3
    }
    fn held_points(&self) -> Option<[Vec3; 2]> {
        Some(self.anchors.frames.map(|frame| frame.position))
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        separate_in_world(&self.anchors, poses, rows);
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
