//! A point of B on a smooth curve of A; B turns freely.
//!
//! ```text
//! q = R_Aᵀ(p_B − x_A),  c the point of the curve nearest to q,  t its tangent, e₁, e₂ ⟂ t
//! Ψ = (e₁·(q − c), e₂·(q − c))      the distance across, as t·(q − c) = 0
//! Ψ̇_k = g_k·q̇,   g_k = e_k + (e_k'·(q − c)) c'/(c'·c' − c''·(q − c)),   Ψ_t = 0
//! C = [−R_A g, −q × g; R_A g, s_B × R_BᵀR_A g] for both g
//! ```
//!
//! The foot c moves as q does; its speed along the curve is where the curvature enters. In a centre of curvature, or as far from two
//! branches, the nearest point is not unique: stay well within the radius of curvature.

use super::anchors::check_point;
use super::kinematics::jacobian;
use super::{Curve, Joint, Row};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// A point of B stays on a smooth curve of A.
#[derive(Clone, Debug, PartialEq)]
pub struct PointOnCurve {
    bodies: [BodyId; 2],
    curve: Curve,
    point: Vec3,
}

impl PointOnCurve {
    /// Holds a point of B on a curve of A, both given in body axes from the centres of mass.
    #[must_use]
    pub fn new(bodies: [BodyId; 2], curve: Curve, point: Vec3) -> Self {
        Self { bodies, curve, point }
    }
}

impl Joint for PointOnCurve {
    fn kind(&self) -> &'static str {
        "point-on-curve"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn rows(&self) -> usize {
        2
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let q = poses[0].inverse() * (*poses[1] * self.point);
        let foot = self.curve.seen_from(q);
        for (k, row) in rows[..2].iter_mut().enumerate() {
            let g = foot.gradients[k];
            let in_world = poses[0].rotation * g;
            let on_b = self.point.cross(poses[1].rotation.conjugate() * in_world);
            let jacobian = jacobian([-in_world, in_world], [-q.cross(g), on_b]);
            *row = Row { value: foot.offsets[k], jacobian, ..Row::ZERO };
        }
    }
    fn check(&self) -> Result<(), ParameterError> {
        check_point(self.point)
    }
}
