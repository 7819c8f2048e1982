//! Polar and singular value decomposition of 3 × 3 matrices, for any matrix: flat, inverted, zero.
//!
//! ```text
//! F = U diag(σ) Vᵀ,  det U = det V = 1,  σ₁ ≥ σ₂ ≥ |σ₃|,  sign σ₃ = sign det F
//! R = U Vᵀ,  S = V diag(σ) Vᵀ,  F = R S
//! ```
//!
//! U and V are proper rotations, so R always is one; for det F < 0 the smallest stretch is negative, which is the
//! direction an element has been pressed through. One-sided Jacobi: columns of A = F V are turned in pairs until they
//! are orthogonal. It never forms FᵀF, so small stretches keep their digits.

use crate::{Mat3, Vec3};

/// Sweeps over the three pairs; four or five are enough (convergence is quadratic), the rest is for denormals.
const SWEEPS: usize = 12;

/// Columns are orthogonal when their cosine is below this: the rounding of a product of three terms after a rotation.
/// Below 2ε some matrices would go on turning to and fro.
const ORTHOGONAL: f64 = 4.0 * f64::EPSILON;

/// F = U diag(σ) Vᵀ with proper rotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedSvd {
    /// U, a rotation.
    pub u: Mat3,
    /// σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ has the sign of det F.
    pub sigma: Vec3,
    /// V, a rotation.
    pub v: Mat3,
}

impl SignedSvd {
    /// Decomposes `f`. Numbers that are not finite come out as such, and nothing loops.
    #[must_use]
    pub fn of(f: Mat3) -> Self {
        let mut a = [f.x_axis, f.y_axis, f.z_axis];
        let mut v = [Vec3::X, Vec3::Y, Vec3::Z];
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let (aa, bb, ab) = (a[i].length_squared(), a[j].length_squared(), a[i].dot(a[j]));
                // Orthogonal to rounding; also where one of both is zero.
                if ab.abs() <= ORTHOGONAL * (aa * bb).sqrt() {
                    continue;
                }
                turned = true;
                // The rotation that makes both columns orthogonal: t = tan θ is the smaller root of t² + 2ζt − 1 = 0.
                let zeta = (bb - aa) / (2.0 * ab);
                // ζ² may overflow: t is then 0, and so it should be.
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = (1.0 + t * t).sqrt().recip();
                let s = c * t;
                (a[i], a[j]) = (a[i] * c - a[j] * s, a[i] * s + a[j] * c);
                (v[i], v[j]) = (v[i] * c - v[j] * s, v[i] * s + v[j] * c);
            }
            if !turned {
                break;
            }
        }
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if a[i].length_squared() < a[j].length_squared() {
                // Swapped with a change of sign: V stays a rotation.
                (a[i], a[j]) = (a[j], -a[i]);
                (v[i], v[j]) = (v[j], -v[i]);
            }
        }
        let s1 = a[0].length();
        // Directions of vanishing stretch are free: those that make R the identity for F = 0.
        let u1 = if s1 > 0.0 { a[0] / s1 } else { v[0] };
        let rest = a[1] - u1 * u1.dot(a[1]);
        let s2 = rest.length();
        let u2 = if s2 > 0.0 { rest / s2 } else { across(u1, v[1]) };
        let u3 = u1.cross(u2);
        Self {
            u: Mat3::from_cols(u1, u2, u3),
            sigma: Vec3::new(s1, s2, u3.dot(a[2])),
            v: Mat3::from_cols(v[0], v[1], v[2]),
        }
    }

    /// R = U Vᵀ, the rotation nearest to F.
    #[must_use]
    pub fn rotation(&self) -> Mat3 {
        self.u * self.v.transpose()
    }

    /// S = V diag(σ) Vᵀ.
    #[must_use]
    pub fn stretch(&self) -> Mat3 {
        self.v * Mat3::from_diagonal(self.sigma) * self.v.transpose()
    }

    /// (tr(S) I − S)⁻¹, by which the rotation of RᵀdF − dFᵀR follows. Its eigenvalues are sums of two stretches; sums
    /// below `floor` (only in inverted or collapsed elements, where R jumps) count as `floor`.
    #[must_use]
    pub fn spin_compliance(&self, floor: f64) -> Mat3 {
        let [s1, s2, s3] = self.sigma.to_array();
        let sums = Vec3::new(s2 + s3, s1 + s3, s1 + s2).max(Vec3::splat(floor));
        self.v * Mat3::from_diagonal(sums.recip()) * self.v.transpose()
    }
}

/// The unit vector across `axis` nearest to `wish`, or any if there is none.
fn across(axis: Vec3, wish: Vec3) -> Vec3 {
    let candidate = wish - axis * axis.dot(wish);
    if candidate.length_squared() > 0.01 { candidate.normalize() } else { axis.any_orthonormal_vector() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quat;
    use proptest::prelude::*;

    fn check(f: Mat3) {
        let svd = SignedSvd::of(f);
        let size = f.to_cols_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let back = svd.u * Mat3::from_diagonal(svd.sigma) * svd.v.transpose();
        assert!(back.abs_diff_eq(f, 1e-14 * size), "{f} {back}");
        for q in [svd.u, svd.v, svd.rotation()] {
            assert!((q * q.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-14), "{q}");
            assert!((q.determinant() - 1.0).abs() < 1e-14, "{q}");
        }
        let [s1, s2, s3] = svd.sigma.to_array();
        assert!(s1 >= s2 * (1.0 - 1e-14) && s2 >= s3.abs() * (1.0 - 1e-14) && s2 >= 0.0, "{:?}", svd.sigma);
        assert!((svd.rotation() * svd.stretch()).abs_diff_eq(f, 1e-14 * size));
    }

    #[test]
    fn flat_inverted_and_zero_matrices_have_proper_rotations() {
        let q = Mat3::from_quat(Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 2.5));
        let stretches = [
            Vec3::ONE,
            Vec3::new(1.0, 1.0, 0.0),
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::ZERO,
            -Vec3::ONE,
            Vec3::new(-1.0, 1.0, 1.0),
            Vec3::new(1e8, 1.0, 1e-8),
            Vec3::new(1.0, 1e-12, -1e-12),
            Vec3::splat(1e-150),
        ];
        for d in stretches {
            check(Mat3::from_diagonal(d));
            check(q * Mat3::from_diagonal(d));
            check(Mat3::from_diagonal(d) * q);
            check(q * Mat3::from_diagonal(d) * q);
        }
        assert_eq!(SignedSvd::of(Mat3::ZERO).rotation(), Mat3::IDENTITY);
        assert!(SignedSvd::of(Mat3::IDENTITY * f64::NAN).rotation().is_nan());
    }

    proptest! {
        #[test]
        fn any_matrix_is_put_together_again(entries in prop::array::uniform9(-2.0f64..2.0)) {
            check(Mat3::from_cols_array(&entries));
        }

        #[test]
        fn the_rotation_of_a_turned_stretch_is_the_turn(
            axis in prop::array::uniform3(-1.0f64..1.0), angle in -3.0f64..3.0, stretch in prop::array::uniform3(0.1f64..3.0),
            other in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let turn = |a: [f64; 3], angle| Mat3::from_axis_angle((Vec3::from(a) + Vec3::splat(2.0)).normalize(), angle);
            let (r, v) = (turn(axis, angle), turn(other, 1.0));
            let f = r * (v * Mat3::from_diagonal(Vec3::from(stretch)) * v.transpose());
            prop_assert!(SignedSvd::of(f).rotation().abs_diff_eq(r, 1e-13));
        }
    }
}
