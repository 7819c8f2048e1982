//! Two toothed wheels in mesh, each turning about an axis that is fixed in the world.
//!
//! ```text
//! Ψ = ⟨n_A α_A ± n_B α_B⟩/n_B      + external, − internal mesh; α the angles since assembly, ⟨·⟩ without whole turns
//! Ψ̇ = (n_A α̇_A ± n_B α̇_B)/n_B,   Ψ_t = 0
//! C = [0, (n_A/n_B) F_A g_A; 0, ±F_B g_B]      g the gradients of the angles, F their frames on the bodies
//! ```
//!
//! Why teeth make it exact: a pose tells an angle only but for whole turns, and a ratio of radii times an unknown number of turns
//! is an unknown angle. Teeth are counted in whole numbers: a turn of A more changes n_A α_A by n_A whole turns, which wrapping takes
//! away. So the row needs no memory of turns, holds the ratio n_A : n_B over any number of them without drift, and its wrapped value
//! stays below half a tooth. Wheels forced apart by more than that catch on the next tooth, as real ones do.
//!
//! The pair passes on torque, −n_A/n_B times that on B (external). Forces that push the shafts apart are the bearings' and left out.

use super::spindle::Spindle;
use super::{Joint, JointParameter, Row, wrapped};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Two toothed wheels in mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    bodies: [BodyId; 2],
    spindles: [Spindle; 2],
    teeth: [u32; 2],
    is_internal: bool,
}

impl Gear {
    /// Wheels with numbers of teeth in external mesh: about parallel axes they turn in opposite senses. They are in mesh where
    /// the bodies are in the given poses (world_from_body); axes are directions in the world and stay there, as hinges to a fixed body
    /// see to. Axes that are not parallel are those of bevel gears.
    #[must_use]
    pub fn new(bodies: [BodyId; 2], poses: [&Pose; 2], axes: [Vec3; 2], teeth: [u32; 2]) -> Self {
        let spindles = [Spindle::new(poses[0], axes[0]), Spindle::new(poses[1], axes[1])];
        Self { bodies, spindles, teeth, is_internal: false }
    }

    /// The same in internal mesh, one wheel inside a ring: both turn in the same sense.
    #[must_use]
    pub fn internal(mut self) -> Self {
        self.is_internal = true;
        self
    }
}

impl Joint for Gear {
    fn kind(&self) -> &'static str {
        "gear"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        vec![
            ("teeth", self.teeth.map(f64::from).into()),
            ("axes", [self.spindles[0].axis(), self.spindles[1].axis()].into()),
            ("internal", self.is_internal.into()),
        ]
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let [n_a, n_b] = self.teeth.map(f64::from);
        let sense = if self.is_internal { -1.0 } else { 1.0 };
        let [(alpha, g_a), (beta, g_b)] = [0, 1].map(|side| self.spindles[side].angle(poses[side]));
        let angular = [g_a * (n_a / n_b), g_b * sense];
        rows[0] = Row {
            value: wrapped(n_a * alpha + sense * n_b * beta) / n_b,
            jacobian: super::kinematics::jacobian([Vec3::ZERO; 2], angular),
            is_angle: true,
            ..Row::ZERO
        };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.spindles.iter().try_for_each(Spindle::check)?;
        match self.teeth.contains(&0) {
            true => Err(ParameterError::number("number of teeth", 0.0, "a whole number ≥ 1")),
            false => Ok(()),
        }
    }
}
