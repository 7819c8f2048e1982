//! A force and a torque on one body, that do not depend on where it is.
//!
//! ```text
//! F(t) = factor(t) F,  M(t) = factor(t) M      in the world, or in body axes for a load that follows the body
//! wrench: force F, torque RᵀM + s × RᵀF        s where the force acts, body axes
//! ```
//!
//! Loads are explicit: a turning lever's stiffness is not symmetric positive in general. They store no energy.

use super::{Force, Motion, Tangent, Wrench};
use crate::joint::Law;
use crate::{BodyId, ParameterError, Vec3};

/// A force and a torque on one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    body: BodyId,
    force: (Vec3, Option<Law>),
    torque: (Vec3, Option<Law>),
    point: Vec3,
    is_following: bool,
}

impl Load {
    /// No load yet, at the centre of mass, fixed in the world.
    #[must_use]
    pub fn new(body: BodyId) -> Self {
        Self { body, force: (Vec3::ZERO, None), torque: (Vec3::ZERO, None), point: Vec3::ZERO, is_following: false }
    }

    /// The same with a force \[N\], times a factor of time if there is one.
    #[must_use]
    pub fn force(mut self, force: Vec3, factor: Option<Law>) -> Self {
        self.force = (force, factor);
        self
    }

    /// The same with a torque \[N m\], times a factor of time if there is one.
    #[must_use]
    pub fn torque(mut self, torque: Vec3, factor: Option<Law>) -> Self {
        self.torque = (torque, factor);
        self
    }

    /// The same with the force acting in a point, given in body axes from the centre of mass \[m\].
    #[must_use]
    pub fn at(mut self, point: Vec3) -> Self {
        self.point = point;
        self
    }

    /// The same with force and torque that turn with the body: both are then in body axes.
    #[must_use]
    pub fn following(mut self) -> Self {
        self.is_following = true;
        self
    }
}

fn scaled((vector, factor): &(Vec3, Option<Law>), time: f64) -> Vec3 {
    *vector * factor.as_ref().map_or(1.0, |law| law.value(time))
}

impl Force for Load {
    fn kind(&self) -> &'static str {
        "load"
    }
    fn bodies(&self) -> [BodyId; 2] {
        [self.body; 2]
    }
    fn wrench(&self, motions: [&Motion; 2], time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let rotation = motions[0].pose.rotation;
        let (force, torque) = (scaled(&self.force, time), scaled(&self.torque, time));
        let (in_world, in_body, torque) = match self.is_following {
            true => (rotation * force, force, torque),
            false => (force, rotation.conjugate() * force, rotation.conjugate() * torque),
        };
        [Wrench { force: in_world, torque: torque + self.point.cross(in_body) }, Wrench::default()]
    }
    fn tangent(&self, _motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        None
    }
    fn energy(&self, _motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        0.0
    }
    fn check(&self) -> Result<(), ParameterError> {
        let parts = [
            ("force", "a finite number of N", &self.force),
            ("torque", "a finite number of N m", &self.torque),
            ("point", "a finite number of metres", &(self.point, None)),
        ];
        for (what, allowed, (vector, factor)) in parts {
            if let Some(value) = vector.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(ParameterError::number(what, value, allowed));
            }
            if let Some(law) = factor {
                law.check().map_err(|error| ParameterError::Law { what, error })?;
            }
        }
        Ok(())
    }
}
