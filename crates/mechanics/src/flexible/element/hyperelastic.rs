//! Neo-Hookean solids. With G = ∂N/∂X, F = Σ xᵢ ⊗ Gᵢ, gᵢ = F⁻ᵀGᵢ at each quadrature point of volume V:
//!
//! ```text
//! fᵢ  = −Σ V P(F) Gᵢ
//! Kᵢⱼ = Σ V (μ (Gᵢ·Gⱼ) I + (μ − λ ln J) gⱼ gᵢᵀ + λ gᵢ gⱼᵀ)
//! ```
//!
//! The exact tangent is indefinite under strong compression. The positive one has the negative eigenvalues of ∂P/∂F set to
//! zero: with F = U diag(σ) Vᵀ, s = (λ ln J − μ), its eigenmatrices are for each pair of axes a < b
//!
//! ```text
//! U (eₐ e_bᵀ − e_b eₐᵀ) Vᵀ / √2    μ + s / (σₐ σ_b)        (turns)
//! U (eₐ e_bᵀ + e_b eₐᵀ) Vᵀ / √2    μ − s / (σₐ σ_b)        (shears)
//! ```
//!
//! and U diag(d) Vᵀ with the eigenvectors d of ∂²Ψ/∂σ² = (μ − s/σₐ²) δ_ab + λ/(σₐ σ_b).
//!
//! Where J ≤ 0 the law has no stress: every function then returns [`ElementError::Inverted`] with the point and J.

use super::polar::SignedSvd;
use super::reference::{Reference, Rest, outer};
use super::solid::{Solid, Tangent, add_block, sized, sized_mut};
use super::{ElementError, PointState};
use crate::flexible::material::{Elastic, NeoHookean, log_determinant};
use crate::{Mat3, Vec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// A neo-Hookean element of `N` nodes and `Q` points. 24 N Q + 8 Q + 16 bytes: TET4 120, TET10 1008, HEX8 1616.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperelastic<const N: usize, const Q: usize> {
    rest: Rest<N, Q>,
    law: NeoHookean,
}

/// Of the turn and the shear of a pair of axes at most one is negative (they sum to 2μ): three, and three stretches.
const MOST_NEGATIVE: usize = 6;

/// √(−eigenvalue V) E Gᵢ of the negative eigenvalues at a point.
struct NegativeModes<const N: usize> {
    count: usize,
    vectors: [[Vec3; N]; MOST_NEGATIVE],
}

impl<const N: usize, const Q: usize> Hyperelastic<N, Q> {
    /// The element with these nodes at rest \[m\]; the law has the Lamé constants of `material`.
    ///
    /// # Errors
    /// The element is inverted or flat, or the material out of range.
    pub fn new(reference: &Reference<N, Q>, nodes: &[Vec3; N], material: &Elastic) -> Result<Self, ElementError> {
        material.validate()?;
        Ok(Self { rest: Rest::of(reference, nodes)?, law: NeoHookean::from(material) })
    }

    /// Strain ½(FᵀF − I) (Green, rest axes) and Cauchy stress (world axes) at the quadrature points.
    ///
    /// # Errors
    /// The element is inverted.
    pub fn states(&self, now: &[Vec3; N]) -> Result<[PointState; Q], ElementError> {
        let mut states = [PointState::default(); Q];
        for (q, state) in states.iter_mut().enumerate() {
            let f = self.rest.deformation(q, now);
            let stress = self.law.cauchy_stress(f).ok_or_else(|| inverted(q, f))?;
            let strain = (f.transpose() * f - Mat3::IDENTITY) * 0.5;
            *state = PointState { strain, stress, volume: self.rest.volumes[q] };
        }
        Ok(states)
    }

    /// What takes the negative eigenvalues of ∂P/∂F at a point out of Kᵢⱼ: −Σ V eigenvalue (E Gᵢ)(E Gⱼ)ᵀ, E = U e Vᵀ.
    fn negative_modes(&self, q: usize, f: Mat3) -> NegativeModes<N> {
        let mut modes = NegativeModes { count: 0, vectors: [[Vec3::ZERO; N]; MOST_NEGATIVE] };
        let NeoHookean { lambda, mu } = self.law;
        let s = lambda * f.determinant().ln() - mu;
        let SignedSvd { u, sigma, v } = SignedSvd::of(f);
        let mut remove = |eigenvalue: f64, e: Mat3| {
            if eigenvalue < 0.0 && modes.count < MOST_NEGATIVE {
                let mode = u * e * v.transpose() * (-eigenvalue * self.rest.volumes[q]).sqrt();
                modes.vectors[modes.count] = self.rest.gradients[q].map(|gradient| mode * gradient);
                modes.count += 1;
            }
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let (ab, ba) = (outer(axes[a], axes[b]), outer(axes[b], axes[a]));
            let coupling = s / (sigma[a] * sigma[b]);
            remove(mu + coupling, (ab - ba) * FRAC_1_SQRT_2);
            remove(mu - coupling, (ab + ba) * FRAC_1_SQRT_2);
        }
        let inverse = sigma.recip();
        let diagonal = Vec3::splat(mu) - inverse * inverse * s;
        // λ/(σσᵀ) adds nothing negative for λ ≥ 0: with a positive diagonal all three are.
        if diagonal.min_element() >= 0.0 && lambda >= 0.0 {
            return modes;
        }
        let hessian = Mat3::from_diagonal(diagonal) + outer(inverse, inverse) * lambda;
        // Shifted to be positive: singular vectors are then eigenvectors, pairs of ±eigenvalue included.
        let shift = hessian.x_axis.length() + hessian.y_axis.length() + hessian.z_axis.length();
        let shifted = SignedSvd::of(hessian + Mat3::from_diagonal(Vec3::splat(shift)));
        for axis in [shifted.v.x_axis, shifted.v.y_axis, shifted.v.z_axis] {
            remove(axis.dot(hessian * axis), Mat3::from_diagonal(axis));
        }
        modes
    }
}

fn inverted(point: usize, f: Mat3) -> ElementError {
    ElementError::Inverted { point, determinant: f.determinant() }
}

impl<const N: usize, const Q: usize> Solid for Hyperelastic<N, Q> {
    fn nodes(&self) -> usize {
        N
    }

    fn volume(&self) -> f64 {
        self.rest.volume()
    }

    fn energy(&self, now: &[Vec3]) -> Result<f64, ElementError> {
        let mut energy = 0.0;
        for q in 0..Q {
            let f = self.rest.deformation(q, sized(now));
            energy += self.rest.volumes[q] * self.law.energy_density(f).ok_or_else(|| inverted(q, f))?;
        }
        Ok(energy)
    }

    fn force(&self, now: &[Vec3], force: &mut [Vec3]) -> Result<(), ElementError> {
        let force = sized_mut::<N>(force);
        force.fill(Vec3::ZERO);
        for q in 0..Q {
            let f = self.rest.deformation(q, sized(now));
            let stress = self.law.piola_stress(f).ok_or_else(|| inverted(q, f))? * self.rest.volumes[q];
            for (force, &gradient) in force.iter_mut().zip(&self.rest.gradients[q]) {
                *force -= stress * gradient;
            }
        }
        Ok(())
    }

    fn tangent(&self, now: &[Vec3], which: Tangent, tangent: &mut [f64]) -> Result<(), ElementError> {
        assert_eq!(tangent.len(), 9 * N * N, "size of the tangent");
        tangent.fill(0.0);
        let now = sized(now);
        let NeoHookean { lambda, mu } = self.law;
        let (mut spatial, mut s) = (self.rest.gradients, [0.0; Q]);
        let mut negative = [const { NegativeModes { count: 0, vectors: [[Vec3::ZERO; N]; MOST_NEGATIVE] } }; Q];
        for q in 0..Q {
            let f = self.rest.deformation(q, now);
            s[q] = mu - lambda * log_determinant(f).ok_or_else(|| inverted(q, f))?;
            let to_now = f.inverse().transpose();
            for gradient in &mut spatial[q] {
                *gradient = to_now * *gradient;
            }
            if which == Tangent::Positive {
                negative[q] = self.negative_modes(q, f);
            }
        }
        // All points of a pair of nodes are summed before the pair is written, once for both triangles.
        for i in 0..N {
            for j in i..N {
                let (mut block, mut shared) = (Mat3::ZERO, 0.0);
                for q in 0..Q {
                    let (volume, material, spatial) = (self.rest.volumes[q], &self.rest.gradients[q], &spatial[q]);
                    let (a, b) = (spatial[i] * volume, spatial[j]);
                    shared += volume * material[i].dot(material[j]);
                    block += outer(b * s[q], a) + outer(a * lambda, b);
                    for mode in &negative[q].vectors[..negative[q].count] {
                        block += outer(mode[i], mode[j]);
                    }
                }
                block += Mat3::from_diagonal(Vec3::splat(mu * shared));
                add_block(tangent, N, i, j, block);
                if i != j {
                    add_block(tangent, N, j, i, block.transpose());
                }
            }
        }
        Ok(())
    }
}
