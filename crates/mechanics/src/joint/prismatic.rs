//! Slider along the z of A's frame, free, driven or limited.
//!
//! ```text
//! Ψ = (a_x·d, a_y·d,  ψ,  a_z·d − x(t))      d = p_B − p_A, a_k the axes of A's frame, ψ the rotation vector of B's frame
//! Ψ̇ = (a_k·ḋ + ȧ_k·d,  ψ̇,  a_z·ḋ + ȧ_z·d),   Ψ_t = (0, 0,  0, 0, 0,  −ẋ(t))
//! x imposed, as a law or as ∫ of the law of its speed
//! limits: a_z·d − min ≥ 0, max − a_z·d ≥ 0
//! C = [−a, −(s_A + R_Aᵀd) × R_Aᵀa; a, s_B × R_Bᵀa] for every axis a, and the rows of ψ
//! ```

use super::drive::Drive;
use super::kinematics::Kinematics;
use super::limits::Limits;
use super::{Anchors, Joint, JointParameter, JointPlace, Law, Row};
use crate::{BodyId, ParameterError, Pose};

/// Slider along the z of A's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Prismatic {
    anchors: Anchors,
    drive: Option<Drive>,
    limits: Option<Limits>,
}

impl Prismatic {
    /// A slider that moves freely.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors, drive: None, limits: None }
    }

    /// The same with an imposed displacement of B relative to A \[m\].
    #[must_use]
    pub fn driven(mut self, displacement: Law) -> Self {
        self.drive = Some(Drive::Position(displacement));
        self
    }

    /// The same with an imposed speed of B relative to A \[m/s\], and the displacement at time 0: displacement = offset + ∫₀ᵗ speed.
    #[must_use]
    pub fn speed_driven(mut self, speed: Law, offset: f64) -> Self {
        self.drive = Some(Drive::Speed { law: speed, offset });
        self
    }

    /// The same with a displacement that stays from `min` to `max` \[m\].
    #[must_use]
    pub fn limited(mut self, min: f64, max: f64) -> Self {
        self.limits = Some(Limits { min, max });
        self
    }
}

impl Joint for Prismatic {
    fn kind(&self) -> &'static str {
        "prismatic"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(true)
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        self.limits.iter().map(Limits::parameter).collect()
    }
    fn rows(&self) -> usize {
        5 + usize::from(self.drive.is_some()) + 2 * usize::from(self.limits.is_some())
    }
    fn evaluate(&self, poses: [&Pose; 2], time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        (0..2).for_each(|k| rows[k] = kinematics.separation_along(k));
        rows[2..5].copy_from_slice(&kinematics.lock());
        let row = kinematics.separation_along(2);
        let mut at = 5;
        if let Some(drive) = &self.drive {
            rows[at] = Row { value: row.value - drive.value(time), rate: -drive.rate(time), ..row };
            at += 1;
        }
        if let Some(limits) = &self.limits {
            limits.fill(&row, row.value, &mut rows[at..at + 2]);
        }
    }
    fn motion(&self, time: f64) -> Option<(usize, [f64; 2])> {
        self.drive.as_ref().map(|drive| (5, [drive.value(time), drive.rate(time)]))
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        super::limits::check_motion("displacement", self.drive.as_ref(), self.limits.as_ref())
    }
}
