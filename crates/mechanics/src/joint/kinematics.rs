//! The scalar functions of two poses that joints are made of, with their gradients.
//!
//! Body i has its centre at x_i and the rotation R_i; the joint's frame sits at p_i = x_i + R_i s_i with the axes
//! a_k (on A) and b_k (on B). With ω_i in body axes
//!
//! ```text
//! ṗ_i = ẋ_i + R_i (ω_i × s_i)      ȧ_k = R_A (ω_A × R_Aᵀa_k)
//! ```
//!
//! hence for a constant axis e:  (e·p_i)˙ = e·ẋ_i + ω_i·(s_i × R_iᵀe).

use super::{Anchors, Row};
use crate::{Pose, Quat, Vec3};

/// The joint's frames for two poses.
#[derive(Debug)]
pub(crate) struct Kinematics<'a> {
    anchors: &'a Anchors,
    poses: [&'a Pose; 2],
    /// world_from_joint on A and on B.
    joints: [Pose; 2],
}

/// The entries of both bodies from what multiplies their velocities and angular velocities.
pub(crate) fn jacobian(linear: [Vec3; 2], angular: [Vec3; 2]) -> [[f64; 6]; 2] {
    [0, 1].map(|side| {
        let (l, a) = (linear[side], angular[side]);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    })
}

/// f·a + g·b, entry by entry.
pub(crate) fn combined(f: f64, a: &[[f64; 6]; 2], g: f64, b: &[[f64; 6]; 2]) -> [[f64; 6]; 2] {
    [0, 1].map(|side| std::array::from_fn(|k| f * a[side][k] + g * b[side][k]))
}

/// Fills three rows with e·d, d = p_B − p_A, for the axes e of the world: [−e, −s_A × R_Aᵀe; e, s_B × R_Bᵀe]. They need no frames.
pub(crate) fn separate_in_world(anchors: &Anchors, poses: [&Pose; 2], rows: &mut [Row]) {
    let points = anchors.frames.map(|frame| frame.position);
    let d = *poses[1] * points[1] - *poses[0] * points[0];
    let inverse = poses.map(|pose| pose.rotation.conjugate());
    for (k, (e, row)) in Vec3::AXES.into_iter().zip(rows).enumerate() {
        let lever = |side: usize| points[side].cross(inverse[side] * e);
        *row = Row { value: d[k], jacobian: jacobian([-e, e], [-lever(0), lever(1)]), ..Row::ZERO };
    }
}

impl<'a> Kinematics<'a> {
    pub(crate) fn new(anchors: &'a Anchors, poses: [&'a Pose; 2]) -> Self {
        let joints = [*poses[0] * anchors.frames[0], *poses[1] * anchors.frames[1]];
        Self { anchors, poses, joints }
    }

    /// d = p_B − p_A.
    pub(crate) fn separation(&self) -> Vec3 {
        self.joints[1].position - self.joints[0].position
    }

    /// Axis k of the joint's frame on a side.
    fn axis(&self, side: usize, k: usize) -> Vec3 {
        self.joints[side].rotation * Vec3::AXES[k]
    }

    /// a_k·d for an axis of A's frame: the lever of A reaches to p_B, as a_k turns with A.
    ///
    /// ```text
    /// [−a, −(s_A + R_Aᵀd) × R_Aᵀa; a, s_B × R_Bᵀa]
    /// ```
    pub(crate) fn separation_along(&self, k: usize) -> Row {
        let (a, d) = (self.axis(0, k), self.separation());
        let inverse = self.poses.map(|pose| pose.rotation.conjugate());
        let on_a = (self.anchors.frames[0].position + inverse[0] * d).cross(inverse[0] * a);
        let on_b = self.anchors.frames[1].position.cross(inverse[1] * a);
        Row { value: a.dot(d), jacobian: jacobian([-a, a], [-on_a, on_b]), ..Row::ZERO }
    }

    /// The row of g·Ω, Ω = angular velocity of B relative to A in the joint's axes on B; its value is left at zero.
    pub(crate) fn turning(&self, g: Vec3) -> Row {
        let in_world = self.joints[1].rotation * g;
        let inverse = self.poses.map(|pose| pose.rotation.conjugate());
        let angular = [-(inverse[0] * in_world), inverse[1] * in_world];
        Row { jacobian: jacobian([Vec3::ZERO; 2], angular), is_angle: true, ..Row::ZERO }
    }

    /// ρ = (w, u): the rotation of B's frame relative to A's, with w ≥ 0 (the shorter way round).
    pub(crate) fn relative_rotation(&self) -> Quat {
        let rotation = self.joints[0].rotation.conjugate() * self.joints[1].rotation;
        if rotation.w < 0.0 { -rotation } else { rotation }
    }

    /// The rotation vector ψ = θe of B's frame relative to A's, |ψ| ≤ π, three rows. Its only root is the undeformed joint, and it
    /// is regular for every other rotation up to half a turn, where the shorter way round changes sides:
    ///
    /// ```text
    /// ψ̇ = Ω + ½ ψ × Ω + κ ψ × (ψ × Ω),   κ = [1 − (θ/2) cot(θ/2)]/θ²
    /// ```
    pub(crate) fn lock(&self) -> [Row; 3] {
        let rotation = self.relative_rotation();
        let u = Vec3::new(rotation.x, rotation.y, rotation.z);
        let theta = 2.0 * u.length().atan2(rotation.w);
        let (ratio, kappa) = lock_factors(theta);
        let psi = u * ratio;
        [0, 1, 2].map(|k| {
            // Row k of the matrix, i.e. its transpose times e_k: (ψ×)ᵀ = −ψ×, (ψ×ψ×)ᵀ = ψ×ψ×.
            let e = Vec3::AXES[k];
            let g = e - 0.5 * psi.cross(e) + kappa * psi.cross(psi.cross(e));
            Row { value: psi[k], ..self.turning(g) }
        })
    }

    /// a_k·b_l: turning only, [R_Aᵀa × R_Aᵀb; R_Bᵀb × R_Bᵀa] on the angular velocities.
    fn cosine(&self, k: usize, l: usize) -> Row {
        let (a, b) = (self.axis(0, k), self.axis(1, l));
        let cross = a.cross(b);
        let angular = [self.poses[0].rotation.conjugate() * cross, -(self.poses[1].rotation.conjugate() * cross)];
        Row { value: a.dot(b), jacobian: jacobian([Vec3::ZERO; 2], angular), is_angle: true, ..Row::ZERO }
    }

    /// π/2 − ∠(a_k, b_l), the angle that is missing to a right one: turning only, [R_Aᵀn; −R_Bᵀn] with n = a_k × b_l/|a_k × b_l|.
    ///
    /// Parallel axes have no n: any axis across a_k then brings them to right angles, and the next of A's frame is taken.
    pub(crate) fn right_angle(&self, k: usize, l: usize) -> Row {
        let (a, b) = (self.axis(0, k), self.axis(1, l));
        let cross = a.cross(b);
        let sine = cross.length();
        let n = if sine > 1e-9 { cross / sine } else { self.axis(0, (k + 1) % 3) };
        let angular = [self.poses[0].rotation.conjugate() * n, -(self.poses[1].rotation.conjugate() * n)];
        Row { value: a.dot(b).atan2(sine), jacobian: jacobian([Vec3::ZERO; 2], angular), is_angle: true, ..Row::ZERO }
    }

    /// The rotation vector that takes A's z to B's z the shortest way, in A's x and y: two rows, zero only where the axes agree.
    ///
    /// ```text
    /// ψ = (θ/sin θ) (−a_y·b_z, a_x·b_z),   cos θ = a_z·b_z
    /// ψ̇ = f (−a_y·b_z, a_x·b_z)˙ + f' (−a_y·b_z, a_x·b_z) (a_z·b_z)˙,   f = θ/sin θ,  f' = df/dcos θ = −(sin θ − θ cos θ)/sin³θ
    /// ```
    ///
    /// Opposite axes have no shortest way: B is then taken to lean half a turn about A's x.
    pub(crate) fn tilt(&self) -> [Row; 2] {
        let [x, y, z] = [0, 1, 2].map(|k| self.cosine(k, 2));
        let sine = x.value.hypot(y.value);
        let theta = sine.atan2(z.value);
        if theta > std::f64::consts::PI - 1e-6 {
            let about = |e: Vec3, value: f64| Row { value, ..self.turning(self.relative_rotation().conjugate() * e) };
            return [about(Vec3::X, std::f64::consts::PI), about(Vec3::Y, 0.0)];
        }
        let (f, slope) = tilt_factors(theta);
        let scaled = |row: &Row, sign: f64| {
            let mut out = Row { value: sign * f * row.value, ..*row };
            for side in 0..2 {
                for k in 3..6 {
                    out.jacobian[side][k] =
                        sign * (f * row.jacobian[side][k] + slope * row.value * z.jacobian[side][k]);
                }
            }
            out
        };
        [scaled(&y, -1.0), scaled(&x, 1.0)]
    }
}

/// Below this angle quotients lose digits and their series take over; the first term left out is then below 1e-13.
const SERIES: f64 = 1e-3;

/// θ/sin(θ/2), and κ = [1 − (θ/2) cot(θ/2)]/θ².
fn lock_factors(theta: f64) -> (f64, f64) {
    match theta < SERIES {
        true => (2.0 + theta * theta / 12.0, 1.0 / 12.0 + theta * theta / 720.0),
        false => {
            let half = 0.5 * theta;
            (theta / half.sin(), (1.0 - half / half.tan()) / (theta * theta))
        }
    }
}

/// f = θ/sin θ and f' = df/dcos θ = −(sin θ − θ cos θ)/sin³θ, θ < π.
fn tilt_factors(theta: f64) -> (f64, f64) {
    match theta < SERIES {
        true => (1.0 + theta * theta / 6.0, -1.0 / 3.0 - 2.0 / 15.0 * theta * theta),
        false => {
            let (sine, cosine) = theta.sin_cos();
            (theta / sine, -(sine - theta * cosine) / sine.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_quotients_agree_where_one_takes_over_from_the_other() {
        // On both sides of the switch the functions differ by their slope times the distance, below 1e-14; quotients round to ε/θ².
        let (below, above) = (SERIES * (1.0 - 1e-9), SERIES * (1.0 + 1e-9));
        for factors in [lock_factors, tilt_factors] {
            let (a, b) = (factors(below), factors(above));
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_second_terms_of_the_series_are_the_curvatures_of_the_quotients() {
        // (f(θ) − f(0))/θ² at an angle where the quotient still has the digits and the fourth-order term is below the bound.
        let theta = 0.02_f64;
        let close = |value: f64, first: f64, second: f64| {
            let found = (value - first) / (theta * theta);
            assert!((found - second).abs() < 2e-4, "{found} {second}");
        };
        let (lock, tilt) = (lock_factors(theta), tilt_factors(theta));
        close(lock.0, 2.0, 1.0 / 12.0);
        close(lock.1, 1.0 / 12.0, 1.0 / 720.0);
        close(tilt.0, 1.0, 1.0 / 6.0);
        close(tilt.1, -1.0 / 3.0, -2.0 / 15.0);
    }
}
