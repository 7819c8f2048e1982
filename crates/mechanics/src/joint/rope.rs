//! Massless rope between two points: holds at its length, is slack below.
//!
//! ```text
//! Ψ = length − |p_B − p_A| ≥ 0
//! Ψ̇ = −n·(ṗ_B − ṗ_A),  n = (p_B − p_A)/|p_B − p_A|,   Ψ_t = 0
//! C = [n, s_A × R_Aᵀn; −n, −s_B × R_Bᵀn]
//! ```

use super::span::Span;
use super::{Joint, JointParameter, JointPlace, Row, RowKind};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Massless rope between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    span: Span,
    length: f64,
}

impl Rope {
    /// Keeps two points, given in body axes from the centres of mass, within a distance \[m\].
    #[must_use]
    pub fn new(bodies: [BodyId; 2], points: [Vec3; 2], length: f64) -> Self {
        Self { span: Span { bodies, points }, length }
    }
}

impl Joint for Rope {
    fn kind(&self) -> &'static str {
        "rope"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.span.bodies
    }
    fn place(&self) -> JointPlace {
        JointPlace { points: self.span.points, axis: None }
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        vec![("length", self.length.into())]
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let stretch = self.span.stretch(poses);
        let jacobian = stretch.gradient.map(|part| part.map(|entry| -entry));
        rows[0] = Row { kind: RowKind::AtLeastZero, value: self.length - stretch.length, jacobian, ..Row::ZERO };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.span.check()?;
        super::distance::check_length(self.length)
    }
}
