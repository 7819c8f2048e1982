//! Hinge about the z of both frames, free, driven or limited.
//!
//! ```text
//! Ψ = (p_B − p_A,  ψ_x, ψ_y,  ⟨α − x(t)⟩)      ψ the tilt of the axes, α the angle of B about z, ⟨·⟩ without whole turns
//! Ψ̇ = (ṗ_B − ṗ_A,  ψ̇_x, ψ̇_y,  α̇),   Ψ_t = (0, 0, 0,  0, 0,  −ẋ(t))
//! x imposed, as a law or as ∫ of the law of its speed
//! limits: α − min ≥ 0, max − α ≥ 0, α taken within half a turn of the middle of the limits
//! C: the rows of a ball joint, of the tilt, and of α
//! ```

use super::drive::Drive;
use super::kinematics::{Kinematics, separate_in_world};
use super::limits::Limits;
use super::{Anchors, Joint, JointParameter, JointPlace, Law, Row, twist, wrapped};
use crate::{BodyId, ParameterError, Pose, Vec3};
use std::f64::consts::TAU;

/// Hinge about the z of both frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolute {
    anchors: Anchors,
    drive: Option<Drive>,
    limits: Option<Limits>,
}

impl Revolute {
    /// A hinge that turns freely.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors, drive: None, limits: None }
    }

    /// The same with an imposed angle of B relative to A \[rad\]. It may grow over many turns, but by less than half a turn a step: a
    /// faster wheel is seen to turn the shorter way.
    #[must_use]
    pub fn driven(mut self, angle: Law) -> Self {
        self.drive = Some(Drive::Position(angle));
        self
    }

    /// The same with an imposed speed of B relative to A \[rad/s\], and the angle at time 0: angle = offset + ∫₀ᵗ speed.
    /// As with [`Revolute::driven`], by less than half a turn a step.
    #[must_use]
    pub fn speed_driven(mut self, speed: Law, offset: f64) -> Self {
        self.drive = Some(Drive::Speed { law: speed, offset });
        self
    }

    /// The same with an angle that stays from `min` to `max` \[rad\], which are less than a whole turn apart.
    #[must_use]
    pub fn limited(mut self, min: f64, max: f64) -> Self {
        self.limits = Some(Limits { min, max });
        self
    }
}

impl Joint for Revolute {
    fn kind(&self) -> &'static str {
        "revolute"
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
    fn held_points(&self) -> Option<[Vec3; 2]> {
        Some(self.anchors.frames.map(|frame| frame.position))
    }
    fn held_axes(&self) -> Vec<[Vec3; 2]> {
        let [a, b] = self.anchors.frames.map(|frame| frame.rotation);
        vec![[-(a * Vec3::Y), b * Vec3::Z], [a * Vec3::X, b * Vec3::Z]]
    }
    fn evaluate(&self, poses: [&Pose; 2], time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        separate_in_world(&self.anchors, poses, rows);
        rows[3..5].copy_from_slice(&kinematics.tilt());
        if self.drive.is_none() && self.limits.is_none() {
            return;
        }
        let (angle, gradient) = twist(kinematics.relative_rotation());
        let row = kinematics.turning(gradient);
        let mut at = 5;
        if let Some(drive) = &self.drive {
            rows[at] = Row { value: wrapped(angle - drive.value(time)), rate: -drive.rate(time), ..row };
            at += 1;
        }
        if let Some(limits) = &self.limits {
            // The jump of the angle lies opposite the middle of the limits, whatever they are.
            let middle = limits.middle();
            limits.fill(&row, middle + wrapped(angle - middle), &mut rows[at..at + 2]);
        }
    }
    fn motion(&self, time: f64) -> Option<(usize, [f64; 2])> {
        self.drive.as_ref().map(|drive| (5, [drive.value(time), drive.rate(time)]))
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        super::limits::check_motion("angle", self.drive.as_ref(), self.limits.as_ref())?;
        match self.limits {
            Some(Limits { min, max }) if max - min >= TAU => {
                let allowed = "less than 2π rad, as whole turns cannot be told from a pose";
                Err(ParameterError::number("distance of the limits", max - min, allowed))
            }
            _ => Ok(()),
        }
    }
}
