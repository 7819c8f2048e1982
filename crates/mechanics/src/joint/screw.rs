//! Nut on a thread along the z of both frames: turns about it and moves along it by its pitch a turn.
//!
//! ```text
//! s = a_z·d,  d = p_B − p_A;   α the angle of B about z, known but for whole turns
//! Ψ = (a_x·d, a_y·d,  ψ_x, ψ_y,  (p/2π) ⟨2πs/p − α⟩)      ψ the tilt of the axes, p the pitch, ⟨·⟩ without whole turns
//! Ψ̇ = (…,  ṡ − (p/2π) α̇),   Ψ_t = 0
//! C: the rows of a cylindrical joint, and that of a_z·d less p/2π times that of α
//! ```
//!
//! A pose does not tell how often the nut has turned, and need not: a whole turn shifts it by a whole pitch, so that the angle
//! 2πs/p − α is wrapped as one. The nut that slips by a pitch is in the thread again.

use super::kinematics::{Kinematics, combined};
use super::{Anchors, Joint, JointParameter, JointPlace, Row, twist, wrapped};
use crate::{BodyId, ParameterError, Pose};
use std::f64::consts::TAU;

/// Nut on a thread along the z of both frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Screw {
    anchors: Anchors,
    pitch: f64,
}

impl Screw {
    /// A thread of a pitch \[m a turn\]: positive where B moves along +z as it turns about +z (a right-hand thread).
    #[must_use]
    pub fn new(anchors: Anchors, pitch: f64) -> Self {
        Self { anchors, pitch }
    }
}

impl Joint for Screw {
    fn kind(&self) -> &'static str {
        "screw"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(true)
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        vec![("pitch", self.pitch.into())]
    }
    fn rows(&self) -> usize {
        5
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        (0..2).for_each(|k| rows[k] = kinematics.separation_along(k));
        rows[2..4].copy_from_slice(&kinematics.tilt());
        let lead = self.pitch / TAU;
        let shift = kinematics.separation_along(2);
        let (angle, gradient) = twist(kinematics.relative_rotation());
        let jacobian = combined(1.0, &shift.jacobian, -lead, &kinematics.turning(gradient).jacobian);
        rows[4] = Row { value: lead * wrapped(shift.value / lead - angle), jacobian, ..Row::ZERO };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        // A pitch whose inverse overflows is none.
        if self.pitch.is_finite() && (TAU / self.pitch).is_finite() {
            return Ok(());
        }
        Err(ParameterError::number("pitch", self.pitch, "a finite number of metres a turn other than 0"))
    }
}
