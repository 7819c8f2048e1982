//! Massless rope from A over two sheaves to B, taut or with slack; the sheaves are points fixed in the world.
//!
//! ```text
//! l = |p_A − a| + ρ |p_B − b|      a, b the sheaves, ρ the ratio of a tackle: so many parts of the rope pull on B
//! Ψ = l − length = 0,   with slack Ψ = length − l ≥ 0
//! Ψ̇ = ±(n_A·ṗ_A + ρ n_B·ṗ_B),   n_A = (p_A − a)/|p_A − a|, n_B likewise,   Ψ_t = 0
//! C = ±[n_A, s_A × R_Aᵀn_A; ρ n_B, ρ s_B × R_Bᵀn_B]
//! ```
//!
//! The rope passes on one tension T: A is pulled by T and B by ρT. A point that reaches its sheave has no direction: n is then the
//! world's z.

use super::anchors::check_point;
use super::kinematics::jacobian;
use super::{Joint, JointParameter, JointPlace, Row, RowKind};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Massless rope over two sheaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulley {
    bodies: [BodyId; 2],
    points: [Vec3; 2],
    sheaves: [Vec3; 2],
    ratio: f64,
    length: f64,
    has_slack: bool,
}

impl Pulley {
    /// A rope whose parts beside the sheaves have a length \[m\] together. Its ends are points in body axes from the centres of mass,
    /// the sheaves points in the world. It is taut: it pushes where it must.
    #[must_use]
    pub fn new(bodies: [BodyId; 2], points: [Vec3; 2], sheaves: [Vec3; 2], length: f64) -> Self {
        Self { bodies, points, sheaves, ratio: 1.0, length, has_slack: false }
    }

    /// The same with a tackle on the side of B: its distance counts `ratio` times in the length.
    #[must_use]
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = ratio;
        self
    }

    /// The same with a rope that only pulls and may hang slack.
    #[must_use]
    pub fn slack(mut self) -> Self {
        self.has_slack = true;
        self
    }
}

impl Joint for Pulley {
    fn kind(&self) -> &'static str {
        "pulley"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn place(&self) -> JointPlace {
        JointPlace { points: self.points, axis: None }
    }
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        vec![
            ("length", self.length.into()),
            ("ratio", self.ratio.into()),
            ("sheaves", self.sheaves.into()),
            ("slack", self.has_slack.into()),
        ]
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let sign = if self.has_slack { -1.0 } else { 1.0 };
        let weights = [sign, sign * self.ratio];
        let (mut linear, mut angular) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
        let mut value = -sign * self.length;
        for side in 0..2 {
            let d = *poses[side] * self.points[side] - self.sheaves[side];
            let length = d.length();
            // Lengths whose square underflows count as none.
            let n = if length > f64::MIN_POSITIVE.sqrt() { d / length } else { Vec3::Z };
            value += weights[side] * length;
            linear[side] = n * weights[side];
            angular[side] = self.points[side].cross(poses[side].rotation.conjugate() * linear[side]);
        }
        let kind = if self.has_slack { RowKind::AtLeastZero } else { RowKind::Equal };
        rows[0] = Row { kind, value, jacobian: jacobian(linear, angular), ..Row::ZERO };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.points.into_iter().chain(self.sheaves).try_for_each(check_point)?;
        for (what, value, allowed) in
            [("ratio", self.ratio, "a finite number > 0"), ("length", self.length, "a finite number of metres > 0")]
        {
            if value <= 0.0 || !value.is_finite() {
                return Err(ParameterError::number(what, value, allowed));
            }
        }
        Ok(())
    }
}
