//! Massless rod between two points, of constant or imposed length.
//!
//! ```text
//! Ψ = |p_B − p_A| − length(t)
//! Ψ̇ = n·(ṗ_B − ṗ_A),  n = (p_B − p_A)/|p_B − p_A|,   Ψ_t = −length'(t)
//! C = [−n, −s_A × R_Aᵀn; n, s_B × R_Bᵀn]
//! ```

use super::span::Span;
use super::{Joint, JointParameter, JointPlace, Law, Row};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Massless rod between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    span: Span,
    length: f64,
    law: Option<Law>,
}

impl Distance {
    /// Holds two points, given in body axes from the centres of mass, at a distance \[m\].
    #[must_use]
    pub fn new(bodies: [BodyId; 2], points: [Vec3; 2], length: f64) -> Self {
        Self { span: Span { bodies, points }, length, law: None }
    }

    /// The same with an imposed length \[m\] in place of the constant one.
    #[must_use]
    pub fn driven(mut self, length: Law) -> Self {
        self.law = Some(length);
        self
    }
}

impl Joint for Distance {
    fn kind(&self) -> &'static str {
        "distance"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.span.bodies
    }
    fn place(&self) -> JointPlace {
        JointPlace { points: self.span.points, axis: None }
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        match self.law {
            Some(_) => Vec::new(),
            None => vec![("length", self.length.into())],
        }
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], time: f64, rows: &mut [Row]) {
        let stretch = self.span.stretch(poses);
        let (length, rate) = self.law.as_ref().map_or((self.length, 0.0), |law| (law.value(time), law.rate(time)));
        rows[0] = Row { value: stretch.length - length, rate: -rate, jacobian: stretch.gradient, ..Row::ZERO };
    }
    fn motion(&self, time: f64) -> Option<(usize, [f64; 2])> {
        self.law.as_ref().map(|law| (0, [law.value(time), law.rate(time)]))
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.span.check()?;
        match &self.law {
            Some(law) => law.check().map_err(|error| ParameterError::Law { what: "length", error }),
            None => check_length(self.length),
        }
    }
}

/// Two points at no distance are a ball joint's.
pub(super) fn check_length(length: f64) -> Result<(), ParameterError> {
    if length > 0.0 && length.is_finite() {
        return Ok(());
    }
    Err(ParameterError::number(
        "length",
        length,
        "a finite number of metres > 0 (a spherical joint holds two points together)",
    ))
}
