//! Cardan joint: a cross whose arms are the x of A's frame and the y of B's.
//!
//! ```text
//! Ψ = (p_B − p_A,  π/2 − ∠(a_x, b_y))      zero where the arms are at right angles
//! Ψ̇ = (ṗ_B − ṗ_A,  n·(ω_A − ω_B)),  n = a_x × b_y/|a_x × b_y|,   Ψ_t = 0
//! C: the rows of a ball joint, and [0, R_Aᵀn; 0, −R_Bᵀn]
//! ```
//!
//! The shafts are the z of both frames. Bent by β they do not turn alike: with φ the angle of A from where its arm lies in the plane of
//! both shafts, ω_B = ω_A cos β/(1 − sin²β cos²φ). Two of them in phase, or a [`ConstantVelocity`](super::ConstantVelocity) joint,
//! turn evenly.

use super::kinematics::{Kinematics, separate_in_world};
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Cardan joint: the origins of the frames coincide, the x of A's and the y of B's stay at right angles.
#[derive(Clone, Debug, PartialEq)]
pub struct Universal {
    anchors: Anchors,
}

impl Universal {
    /// A cross in the origins of the frames, with an arm along the x of A's and one along the y of B's.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Universal {
    fn kind(&self) -> &'static str {
        "universal"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        4
    }
    fn held_points(&self) -> Option<[Vec3; 2]> {
        Some(self.anchors.frames.map(|frame| frame.position))
    }
    fn held_axes(&self) -> Vec<[Vec3; 2]> {
        let [a, b] = self.anchors.frames.map(|frame| frame.rotation);
        vec![[a * Vec3::X, b * Vec3::Y]]
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        separate_in_world(&self.anchors, poses, rows);
        rows[3] = kinematics.right_angle(0, 1);
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
