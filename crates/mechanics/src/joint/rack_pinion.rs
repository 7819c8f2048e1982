//! Toothed wheel A on a straight rack B: the axis of the wheel and the direction of the rack are fixed in the world.
//!
//! ```text
//! s = e·(x_B − x_B⁰)      e the direction of the rack;   α the angle of A since assembly, known but for whole turns
//! Ψ = r ⟨s/r − α⟩      r the radius of the pitch circle, ⟨·⟩ without whole turns
//! Ψ̇ = e·ẋ_B − r α̇,   Ψ_t = 0
//! C = [0, −r F_A g_A; e, 0]      g_A the gradient of the angle, F_A its frame on A
//! ```
//!
//! As with a screw, a whole turn of the wheel shifts the rack by 2πr: wrapped as one angle, no turn is counted. The pair passes on a
//! torque on the wheel and a force along the rack in its centre of mass; what tilts the rack or pushes the wheel away is the guides'.

use super::spindle::{Spindle, check_direction, unit};
use super::{Joint, JointParameter, Row, wrapped};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Toothed wheel on a straight rack.
#[derive(Clone, Debug, PartialEq)]
pub struct RackPinion {
    bodies: [BodyId; 2],
    spindle: Spindle,
    /// As it was given, and its unit vector e.
    direction: [Vec3; 2],
    /// e·x_B at assembly.
    start: f64,
    radius: f64,
}

impl RackPinion {
    /// A pinion A of a radius \[m\] and a rack B, in mesh where the bodies are in the given poses (world_from_body). A positive turn
    /// about `axis` moves the rack along `direction`; both are in the world and stay there.
    #[must_use]
    pub fn new(bodies: [BodyId; 2], poses: [&Pose; 2], axis: Vec3, direction: Vec3, radius: f64) -> Self {
        let e = unit(direction);
        let spindle = Spindle::new(poses[0], axis);
        Self { bodies, spindle, direction: [direction, e], start: e.dot(poses[1].position), radius }
    }
}

impl Joint for RackPinion {
    fn kind(&self) -> &'static str {
        "rack-pinion"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        vec![
            ("radius", self.radius.into()),
            ("pinion_axis", self.spindle.axis().into()),
            ("direction", self.direction[1].into()),
        ]
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let (r, e) = (self.radius, self.direction[1]);
        let (alpha, g) = self.spindle.angle(poses[0]);
        let shift = e.dot(poses[1].position) - self.start;
        rows[0] = Row {
            value: r * wrapped(shift / r - alpha),
            jacobian: super::kinematics::jacobian([Vec3::ZERO, e], [g * -r, Vec3::ZERO]),
            ..Row::ZERO
        };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.spindle.check()?;
        check_direction("the direction of the rack", self.direction[0])?;
        if !self.start.is_finite() {
            return Err(ParameterError::number("a coordinate of the rack", self.start, "a finite number of metres"));
        }
        // A radius whose inverse overflows is none.
        if self.radius > 0.0 && self.radius.is_finite() && self.radius.recip().is_finite() {
            return Ok(());
        }
        Err(ParameterError::number("radius", self.radius, "a finite number of metres > 0"))
    }
}
