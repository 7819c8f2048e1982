//! Weld: both frames coincide.
//!
//! ```text
//! Ψ = (p_B − p_A, ψ)         (6 rows), ψ the rotation vector of B's frame relative to A's, |ψ| ≤ π
//! Ψ̇ = (ṗ_B − ṗ_A, Ω + ½ψ × Ω + κ ψ × (ψ × Ω)),  Ψ_t = 0
//! C: the rows of a ball joint, and those of ψ on the relative angular velocity Ω
//! ```

use super::kinematics::{Kinematics, separate_in_world};
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Weld: both frames coincide.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    anchors: Anchors,
}

impl Fixed {
    /// Holds the two frames together.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Fixed {
    fn kind(&self) -> &'static str {
        "fixed"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        6
    }
    fn held_points(&self) -> Option<[Vec3; 2]> {
        Some(self.anchors.frames.map(|frame| frame.position))
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        separate_in_world(&self.anchors, poses, rows);
        rows[3..6].copy_from_slice(&kinematics.lock());
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
