//! Principal moments and axes of an inertia matrix.

use crate::ShapeError;
use glam::{DMat3, DQuat, DVec3};

/// How far a moment may exceed the sum of the other two, relative to the largest: rounding of a thin plate.
const TRIANGLE: f64 = 1e-9;
/// How far an inertia matrix may be from symmetric, relative to its largest entry.
const SYMMETRIC: f64 = 1e-9;

/// I = R diag(moments) Rᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// Principal moments, in ascending order.
    pub moments: DVec3,
    /// Takes the principal axes into those the inertia was given in.
    pub rotation: DQuat,
}

impl PrincipalAxes {
    /// Principal axes of a symmetric matrix, by rotations that take its entries off the diagonal to zero one after the
    /// other (Jacobi). An inertia that is diagonal already keeps its axes up to their order.
    ///
    /// # Errors
    /// An inertia that is not finite or symmetric, has a moment ≤ 0, or a moment larger than the sum of the others.
    pub fn of(inertia: DMat3) -> Result<Self, ShapeError> {
        check_symmetric(inertia)?;
        let mut a = [inertia.x_axis, inertia.y_axis, inertia.z_axis].map(|column| column.to_array());
        let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
        // Quadratic convergence: five sweeps reach rounding; the bound only guards the loop.
        for _ in 0..32 {
            let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
            if off <= f64::EPSILON * f64::MIN_POSITIVE.max(a[0][0].abs() + a[1][1].abs() + a[2][2].abs()) * 0.125 {
                break;
            }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                rotate(&mut a, &mut axes, p, q);
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
        let moments = DVec3::from_array(order.map(|i| a[i][i]));
        let [x, y, _] = order.map(|i| axes[i]);
        // The third axis by the cross product: a rotation, not a mirror.
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
        check_moments(moments)?;
        Ok(Self { moments, rotation })
    }
}

/// One rotation in the plane (p, q) with tan 2θ = 2 a_pq / (a_qq − a_pp), the smaller of the two angles.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [DVec3; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let r = 3 - p - q;
    let (app, aqq, apq, apr, aqr) = (a[p][p], a[q][q], a[p][q], a[p][r], a[q][r]);
    a[p][p] = app - t * apq;
    a[q][q] = aqq + t * apq;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    a[p][r] = c * apr - s * aqr;
    a[q][r] = s * apr + c * aqr;
    (a[r][p], a[r][q]) = (a[p][r], a[q][r]);
    (axes[p], axes[q]) = (axes[p] * c - axes[q] * s, axes[p] * s + axes[q] * c);
}

fn refused(problem: String) -> ShapeError {
    ShapeError::Geometry { shape: "inertia", problem }
}

fn check_symmetric(inertia: DMat3) -> Result<(), ShapeError> {
    if !inertia.is_finite() {
        return Err(refused(format!("{inertia} has entries that are not finite")));
    }
    let difference = inertia - inertia.transpose();
    let largest = |m: DMat3| m.to_cols_array().iter().fold(0.0_f64, |max, entry| max.max(entry.abs()));
    if largest(difference) > SYMMETRIC * largest(inertia) {
        return Err(refused(format!("{inertia} is not symmetric")));
    }
    Ok(())
}

/// Whether three principal moments belong to a body: finite, positive, none larger than the sum of the others.
///
/// # Errors
/// The first condition that fails.
pub fn check_moments(moments: DVec3) -> Result<(), ShapeError> {
    for value in moments.to_array() {
        if !value.is_finite() || value <= 0.0 {
            let (shape, what) = ("inertia", "principal moment");
            return Err(ShapeError::Number { shape, what, value, allowed: "a finite number > 0 kg m²" });
        }
    }
    let largest = moments.max_element();
    let others = moments.x + moments.y + moments.z - largest;
    if largest - others > TRIANGLE * largest {
        return Err(refused(format!(
            "principal moments {}, {} and {}: no body has one larger than the sum of the others",
            moments.x, moments.y, moments.z
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn moments_and_axes_give_the_matrix_back() {
        let mut random = Random::new(3);
        for case in 0..1000 {
            let mut m = DVec3::new(random.between(0.5, 1.0), random.between(0.5, 1.0), random.between(0.5, 1.0));
            if case % 3 == 0 {
                m.y = m.x;
            }
            if case % 7 == 0 {
                m = DVec3::splat(m.x);
            }
            let scale = 10_f64.powf(random.between(-12.0, 12.0));
            let r = DMat3::from_quat(random.rotation());
            let inertia = r * DMat3::from_diagonal(m * scale) * r.transpose();
            let found = PrincipalAxes::of(inertia).unwrap();
            let r = DMat3::from_quat(found.rotation);
            let error = r * DMat3::from_diagonal(found.moments) * r.transpose() - inertia;
            let worst = error.to_cols_array().iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            assert!(worst < 1e-14 * scale, "{worst:e} at scale {scale:e}");
            assert!(found.moments.x <= found.moments.y && found.moments.y <= found.moments.z);
        }
    }

    #[test]
    fn a_moment_larger_than_the_sum_of_the_others_is_refused() {
        assert!(PrincipalAxes::of(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 2.0))).is_ok());
        let error = PrincipalAxes::of(DMat3::from_diagonal(DVec3::new(1.0, 2.5, 1.0))).unwrap_err().to_string();
        assert!(error.contains("2.5"), "{error}");
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert!(PrincipalAxes::of(DMat3::from_diagonal(DVec3::new(1.0, bad, 1.0))).is_err());
        }
        let mut skew = DMat3::IDENTITY;
        skew.x_axis.y = 0.5;
        assert!(PrincipalAxes::of(skew).unwrap_err().to_string().contains("symmetric"));
    }
}
