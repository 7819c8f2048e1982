//! The compressible neo-Hookean law, with J = det F and I₁ = tr FᵀF:
//!
//! ```text
//! Ψ  = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J
//! P  = ∂Ψ/∂F = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ
//! dP = μ dF + (μ − λ ln J) F⁻ᵀ dFᵀ F⁻ᵀ + λ tr(F⁻¹ dF) F⁻ᵀ
//! ```
//!
//! Defined for J > 0 only: Ψ → ∞ as J → 0.

use super::{Elastic, Lame};
use crate::Mat3;

/// A compressible neo-Hookean material; for small strains the linear one of the same constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    /// λ \[Pa\].
    pub lambda: f64,
    /// μ \[Pa\].
    pub mu: f64,
}

impl From<&Elastic> for NeoHookean {
    fn from(material: &Elastic) -> Self {
        let Lame { lambda, mu } = material.lame();
        Self { lambda, mu }
    }
}

impl NeoHookean {
    /// Ψ(F), energy by volume at rest \[J/m³\]; `None` where J ≤ 0 or F is not finite.
    #[must_use]
    pub fn energy_density(&self, deformation: Mat3) -> Option<f64> {
        let log_j = log_determinant(deformation)?;
        let f = deformation;
        let i1 = f.x_axis.length_squared() + f.y_axis.length_squared() + f.z_axis.length_squared();
        Some(0.5 * self.mu * (i1 - 3.0) - self.mu * log_j + 0.5 * self.lambda * log_j * log_j)
    }

    /// P(F), the first Piola stress \[Pa\]; `None` where J ≤ 0 or F is not finite.
    #[must_use]
    pub fn piola_stress(&self, deformation: Mat3) -> Option<Mat3> {
        let log_j = log_determinant(deformation)?;
        let inverse_transpose = deformation.inverse().transpose();
        Some(deformation * self.mu + inverse_transpose * (self.lambda * log_j - self.mu))
    }

    /// dP, the exact change of P(F) with F in the direction dF \[Pa\]; `None` where J ≤ 0 or F is not finite.
    #[must_use]
    pub fn piola_change(&self, deformation: Mat3, direction: Mat3) -> Option<Mat3> {
        let log_j = log_determinant(deformation)?;
        let inverse = deformation.inverse();
        let relative = inverse * direction;
        let trace = relative.x_axis.x + relative.y_axis.y + relative.z_axis.z;
        // F⁻ᵀ dFᵀ F⁻ᵀ = (F⁻¹ dF F⁻¹)ᵀ.
        let turned = (relative * inverse).transpose() * (self.mu - self.lambda * log_j);
        Some(direction * self.mu + turned + inverse.transpose() * (self.lambda * trace))
    }

    /// σ = P Fᵀ / J, the Cauchy stress \[Pa\] in world axes; `None` where J ≤ 0 or F is not finite.
    #[must_use]
    pub fn cauchy_stress(&self, deformation: Mat3) -> Option<Mat3> {
        let piola = self.piola_stress(deformation)?;
        Some(piola * deformation.transpose() * deformation.determinant().recip())
    }
}

/// ln det F, where there is one.
pub(crate) fn log_determinant(deformation: Mat3) -> Option<f64> {
    let j = deformation.determinant();
    (j > 0.0 && j.is_finite()).then(|| j.ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;

    const MATERIAL: NeoHookean = NeoHookean { lambda: 2.0, mu: 1.5 };

    fn deformation() -> Mat3 {
        Mat3::from_cols(Vec3::new(1.2, 0.1, -0.3), Vec3::new(0.2, 0.7, 0.1), Vec3::new(-0.1, 0.4, 1.4))
    }

    fn unit(row: usize, column: usize) -> Mat3 {
        let mut m = Mat3::ZERO;
        m.col_mut(column)[row] = 1.0;
        m
    }

    #[test]
    fn stress_is_the_derivative_of_energy_and_its_change_the_derivative_of_stress() {
        let (f, step) = (deformation(), 1e-5);
        let stress = MATERIAL.piola_stress(f).unwrap();
        for row in 0..3 {
            for column in 0..3 {
                let direction = unit(row, column);
                let (ahead, behind) = (f + direction * step, f - direction * step);
                let slope =
                    (MATERIAL.energy_density(ahead).unwrap() - MATERIAL.energy_density(behind).unwrap()) / (2.0 * step);
                assert!((slope - stress.col(column)[row]).abs() < 1e-8, "{slope}");
                let change =
                    (MATERIAL.piola_stress(ahead).unwrap() - MATERIAL.piola_stress(behind).unwrap()) * (0.5 / step);
                let exact = MATERIAL.piola_change(f, direction).unwrap();
                assert!(change.abs_diff_eq(exact, 1e-8), "{change} {exact}");
            }
        }
    }

    #[test]
    fn simple_shear_has_its_closed_form() {
        // F = I + γ e₁ e₂ᵀ, J = 1: σ = μ (F Fᵀ − I) = μ [γ² γ 0; γ 0 0; 0 0 0].
        let gamma = 0.7;
        let mut f = Mat3::IDENTITY;
        f.y_axis.x = gamma;
        let stress = MATERIAL.cauchy_stress(f).unwrap();
        let mut exact = Mat3::ZERO;
        exact.x_axis.x = MATERIAL.mu * gamma * gamma;
        exact.y_axis.x = MATERIAL.mu * gamma;
        exact.x_axis.y = MATERIAL.mu * gamma;
        assert!(stress.abs_diff_eq(exact, 1e-15));
    }

    #[test]
    fn inverted_flat_and_unreadable_deformations_have_no_stress() {
        let flat = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0));
        for f in [flat, Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0)), Mat3::IDENTITY * f64::NAN] {
            assert!(MATERIAL.energy_density(f).is_none() && MATERIAL.piola_stress(f).is_none());
            assert!(MATERIAL.piola_change(f, Mat3::IDENTITY).is_none() && MATERIAL.cauchy_stress(f).is_none());
        }
    }
}
