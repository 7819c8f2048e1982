//! Torsion spring: spring and damper about the z of a joint's frames.
//!
//! ```text
//! α: the angle of B's frame about z relative to A's,  G = ∂α/∂q (turning only)
//! f = −T G,  T = k ⟨α − α₀⟩ + d α̇ + T₀,  α̇ = G·v       ⟨·⟩ without whole turns; energy ½ k ⟨α − α₀⟩² + T₀ ⟨α − α₀⟩
//! R = −∂f/∂v = d G Gᵀ                                  exact
//! K = k G Gᵀ                                           exact where the axes agree, as on a hinge
//! ```
//!
//! Left out of K: how G changes where the axes disagree. A pose does not tell whole turns: half a turn from rest the torque jumps
//! to the other side.

use super::{Force, Motion, Tangent, Wrench, add_outer, along, check_at_least_zero, rate};
use crate::joint::kinematics::Kinematics;
use crate::joint::{Anchors, twist, wrapped};
use crate::{BodyId, ParameterError};

/// Spring and damper about the z of a joint's frames, treated implicitly.
#[derive(Clone, Debug, PartialEq)]
pub struct RotationalSpring {
    anchors: Anchors,
    stiffness: f64,
    damping: f64,
    rest_angle: f64,
    preload: f64,
}

impl RotationalSpring {
    /// A spring about z: stiffness \[N m/rad\], damping \[N m s/rad\], angle of B relative to A where it is at rest \[rad\].
    #[must_use]
    pub fn new(anchors: Anchors, stiffness: f64, damping: f64, rest_angle: f64) -> Self {
        Self { anchors, stiffness, damping, rest_angle, preload: 0.0 }
    }

    /// The same with a torque T₀ \[N m\] that turns B back even at the rest angle.
    #[must_use]
    pub fn preloaded(mut self, torque: f64) -> Self {
        self.preload = torque;
        self
    }

    /// ⟨α − α₀⟩ and G.
    fn deflection(&self, motions: [&Motion; 2]) -> (f64, [[f64; 6]; 2]) {
        let kinematics = Kinematics::new(&self.anchors, motions.map(|motion| &motion.pose));
        let (angle, gradient) = twist(kinematics.relative_rotation());
        (wrapped(angle - self.rest_angle), kinematics.turning(gradient).jacobian)
    }
}

impl Force for RotationalSpring {
    fn kind(&self) -> &'static str {
        "rotational spring"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn wrench(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let (deflection, gradient) = self.deflection(motions);
        along(&gradient, self.stiffness * deflection + self.damping * rate(&gradient, motions) + self.preload)
    }
    fn tangent(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        let (_, gradient) = self.deflection(motions);
        let mut tangent = Tangent::ZERO;
        add_outer(&mut tangent.stiffness, &gradient, self.stiffness);
        add_outer(&mut tangent.damping, &gradient, self.damping);
        Some(tangent)
    }
    fn energy(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        let (deflection, _) = self.deflection(motions);
        0.5 * self.stiffness * deflection.powi(2) + self.preload * deflection
    }
    fn is_passive(&self) -> bool {
        true
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()?;
        check_at_least_zero("stiffness", self.stiffness, "a finite number of N m/rad ≥ 0")?;
        check_at_least_zero("damping", self.damping, "a finite number of N m s/rad ≥ 0")?;
        if !self.rest_angle.is_finite() {
            return Err(ParameterError::number("rest angle", self.rest_angle, "a finite number of radians"));
        }
        match self.preload.is_finite() {
            true => Ok(()),
            false => Err(ParameterError::number("preload", self.preload, "a finite number of N m")),
        }
    }
}
