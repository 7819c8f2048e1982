//! Two axes that keep one direction; B moves freely and turns about its own.
//!
//! ```text
//! Ψ = (ψ_x, ψ_y)      the tilt of B's z against A's
//! Ψ̇ = (ψ̇_x, ψ̇_y),  Ψ_t = 0
//! C: the rows of the tilt
//! ```

use super::kinematics::Kinematics;
use super::{Anchors, Joint, JointPlace, Row};
use crate::{BodyId, ParameterError, Pose};

/// The z axes of both frames stay parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    anchors: Anchors,
}

impl Parallel {
    /// Keeps the z of both frames parallel.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for Parallel {
    fn kind(&self) -> &'static str {
        "parallel"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(true)
    }
    fn rows(&self) -> usize {
        2
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        rows[..2].copy_from_slice(&kinematics.tilt());
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
