//! Corotational solids: linear elasticity in axes that turn with the element.
//!
//! X rest, x now, ḡᵢ the mean of ∂Nᵢ/∂X; F̄ = Σ xᵢ ⊗ ḡᵢ = R S the mean deformation gradient and its polar decomposition;
//! K₀ = Σ V BᵀDB with blocks Kᵢⱼ = Σ V (λ Gᵢ Gⱼᵀ + μ Gⱼ Gᵢᵀ + μ (Gᵢ·Gⱼ) I). In the axes of the element
//!
//! ```text
//! y = Rᵀx,  u = y − X,  g = K₀ u,  energy = ½ uᵀ K₀ u
//! ```
//!
//! R changes with x: Rᵀ dR = \[w\]×, w = Σ Wⱼ Rᵀ dxⱼ, Wⱼ = Γ \[ḡⱼ\]×, Γ = (tr(S) I − S)⁻¹ (from the skew part of RᵀdF̄). Hence
//! the gradient of the energy, with the moment m = Σ yᵢ × gᵢ of the forces g about the element's axes and p = Γ m:
//!
//! ```text
//! fᵢ = −R (gᵢ + ḡᵢ × p)
//! ```
//!
//! For TET4 m = 0 (S and its stress have the same axes), which leaves the usual −R K₀ u. For TET10 and HEX8 strain is not
//! constant, −R K₀ u would have the resultant moment R m ≠ 0 and no energy; the term ḡᵢ × p is what makes it exact: with it
//! angular momentum and energy are kept. It is of second order in the strain.
//!
//! Tangents: `Positive` is R K₀ Rᵀ. `Exact` follows from the changes of g, p and R, see `exact_tangent`.

use super::polar::SignedSvd;
use super::reference::{Reference, Rest, cross_matrix, outer, outer_sum};
use super::solid::{Solid, Tangent, add_block, sized, sized_mut};
use super::{ElementError, PointState};
use crate::flexible::material::{Elastic, Lame};
use crate::{Mat3, Vec3};

/// Sums of two stretches below this count as this in Γ. A healthy element has sums near 2, a flat one near 1; only an
/// element pressed through itself comes to 0, where R jumps. Below it forces are not the exact gradient any more.
const SMALLEST_STRETCH_SUM: f64 = 1e-2;

/// A corotational element of `N` nodes. 72 N² + 48 N + 24 bytes: TET4 1368, TET10 7704, HEX8 5016.
#[derive(Clone, Debug, PartialEq)]
pub struct Corotational<const N: usize> {
    stiffness: [[Mat3; N]; N],
    rest: [Vec3; N],
    mean_gradients: [Vec3; N],
    volume: f64,
    lame: Lame,
}

/// What force and tangent have in common.
struct Turned<const N: usize> {
    svd: SignedSvd,
    rotation: Mat3,
    /// y.
    now: [Vec3; N],
    /// g.
    force: [Vec3; N],
}

impl<const N: usize> Corotational<N> {
    /// The element with these nodes at rest \[m\].
    ///
    /// # Errors
    /// The element is inverted or flat, or the material out of range.
    pub fn new<const Q: usize>(
        reference: &Reference<N, Q>,
        nodes: &[Vec3; N],
        material: &Elastic,
    ) -> Result<Self, ElementError> {
        material.validate()?;
        let shape = Rest::of(reference, nodes)?;
        let lame = material.lame();
        let mut stiffness = [[Mat3::ZERO; N]; N];
        for (gradients, &volume) in shape.gradients.iter().zip(&shape.volumes) {
            let (lambda, mu) = (lame.lambda * volume, lame.mu * volume);
            for (row, &a) in stiffness.iter_mut().zip(gradients) {
                for (block, &b) in row.iter_mut().zip(gradients) {
                    *block += outer(a, b) * lambda + outer(b, a) * mu + Mat3::IDENTITY * (mu * a.dot(b));
                }
            }
        }
        let (mean_gradients, volume) = (shape.mean_gradients(), shape.volume());
        Ok(Self { stiffness, rest: *nodes, mean_gradients, volume, lame })
    }

    /// R: how the element has turned as a whole; a rotation for any positions, those of inverted elements included.
    #[must_use]
    pub fn rotation(&self, now: &[Vec3; N]) -> Mat3 {
        SignedSvd::of(outer_sum(now, &self.mean_gradients)).rotation()
    }

    /// K₀, the stiffness at rest \[N/m\], in blocks of nodes.
    #[must_use]
    pub fn rest_stiffness(&self) -> &[[Mat3; N]; N] {
        &self.stiffness
    }

    /// Strain and stress at the quadrature points: ε = sym(RᵀF) − I in the axes of the element, σ = R (λ tr ε I + 2 μ ε) Rᵀ
    /// in world axes. `reference` must be that of the element; gradients are formed anew, as only output needs them.
    ///
    /// # Errors
    /// The element is not of the reference's shape.
    pub fn states<const Q: usize>(
        &self,
        reference: &Reference<N, Q>,
        now: &[Vec3; N],
    ) -> Result<[PointState; Q], ElementError> {
        let shape = Rest::of(reference, &self.rest)?;
        let rotation = self.rotation(now);
        Ok(std::array::from_fn(|q| {
            let stretched = rotation.transpose() * shape.deformation(q, now);
            let strain = (stretched + stretched.transpose()) * 0.5 - Mat3::IDENTITY;
            let stress = rotation * self.lame.stress(strain) * rotation.transpose();
            PointState { strain, stress, volume: shape.volumes[q] }
        }))
    }

    fn turned(&self, now: &[Vec3; N]) -> Turned<N> {
        let svd = SignedSvd::of(outer_sum(now, &self.mean_gradients));
        let rotation = svd.rotation();
        let to_element = rotation.transpose();
        // Distances from the first node: x and X may be large against u (K₀ has no forces for translations).
        let now = now.map(|x| to_element * (x - now[0]) + self.rest[0]);
        let mut force = [Vec3::ZERO; N];
        for (force, row) in force.iter_mut().zip(&self.stiffness) {
            // u of the first node is zero.
            for j in 1..N {
                *force += row[j] * (now[j] - self.rest[j]);
            }
        }
        Turned { svd, rotation, now, force }
    }

    /// p = Γ Σ yᵢ × gᵢ; zero for TET4. Σ gᵢ = 0, so that distances can be from any point.
    fn spin_force(&self, turned: &Turned<N>, compliance: Mat3) -> Vec3 {
        let mut moment = Vec3::ZERO;
        for (y, g) in turned.now.iter().zip(&turned.force) {
            moment += (*y - self.rest[0]).cross(*g);
        }
        compliance * moment
    }

    fn write_force(&self, turned: &Turned<N>, force: &mut [Vec3; N]) {
        let compliance = turned.svd.spin_compliance(SMALLEST_STRETCH_SUM);
        let p = if N == 4 { Vec3::ZERO } else { self.spin_force(turned, compliance) };
        for (i, force) in force.iter_mut().enumerate() {
            *force = -(turned.rotation * (turned.force[i] + self.mean_gradients[i].cross(p)));
        }
    }

    /// R K₀ Rᵀ.
    fn positive_tangent(&self, rotation: Mat3, tangent: &mut [f64]) {
        let back = rotation.transpose();
        for i in 0..N {
            for j in 0..N {
                add_block(tangent, N, i, j, rotation * self.stiffness[i][j] * back);
            }
        }
    }

    /// With e = Rᵀ dx, Bᵢ = Σₖ Kᵢₖ \[yₖ\]×:
    ///
    /// ```text
    /// dgᵢ = Σⱼ (Kᵢⱼ + Bᵢ Wⱼ) eⱼ
    /// dm  = Σⱼ (−[gⱼ]× − Bⱼᵀ + A Wⱼ) eⱼ,         A = Σᵢ ([yᵢ]× Bᵢ − [gᵢ]× [yᵢ]×)
    /// dΓ⁻¹ p = Σⱼ (p ḡⱼᵀ − (ḡⱼ·p) I − [S p]× Wⱼ) eⱼ  (dS = RᵀdF̄ − [w]× S)
    /// dp  = Γ (dm − dΓ⁻¹ p) = Σⱼ Pⱼ eⱼ
    /// −Rᵀdfᵢ = w × (gᵢ + ḡᵢ × p) + dgᵢ + ḡᵢ × dp
    /// ```
    fn exact_tangent(&self, turned: &Turned<N>, tangent: &mut [f64]) {
        let Turned { svd, rotation, now: y, force: g } = turned;
        let compliance = svd.spin_compliance(SMALLEST_STRETCH_SUM);
        let p = self.spin_force(turned, compliance);
        let stretched_p = cross_matrix(svd.stretch() * p);
        let arms = y.map(|y| cross_matrix(y - self.rest[0]));
        let mut lever = [Mat3::ZERO; N];
        let mut moment_by_spin = Mat3::ZERO;
        for i in 0..N {
            for k in 0..N {
                lever[i] += self.stiffness[i][k] * arms[k];
            }
            moment_by_spin += arms[i] * lever[i] - cross_matrix(g[i]) * arms[i];
        }
        for j in 0..N {
            let mean = self.mean_gradients[j];
            let spin = compliance * cross_matrix(mean);
            let moment = moment_by_spin * spin - cross_matrix(g[j]) - lever[j].transpose();
            let frame = outer(p, mean) - Mat3::IDENTITY * mean.dot(p) - stretched_p * spin;
            let spin_force = compliance * (moment - frame);
            for i in 0..N {
                let mean = self.mean_gradients[i];
                let follower = cross_matrix(g[i] + mean.cross(p));
                let local = self.stiffness[i][j] + (lever[i] - follower) * spin + cross_matrix(mean) * spin_force;
                add_block(tangent, N, i, j, *rotation * local * rotation.transpose());
            }
        }
    }
}

impl<const N: usize> Solid for Corotational<N> {
    fn nodes(&self) -> usize {
        N
    }

    fn volume(&self) -> f64 {
        self.volume
    }

    fn energy(&self, now: &[Vec3]) -> Result<f64, ElementError> {
        let turned = self.turned(sized(now));
        let work: f64 = (0..N).map(|i| (turned.now[i] - self.rest[i]).dot(turned.force[i])).sum();
        Ok(0.5 * work)
    }

    fn force(&self, now: &[Vec3], force: &mut [Vec3]) -> Result<(), ElementError> {
        self.write_force(&self.turned(sized(now)), sized_mut(force));
        Ok(())
    }

    fn tangent(&self, now: &[Vec3], which: Tangent, tangent: &mut [f64]) -> Result<(), ElementError> {
        assert_eq!(tangent.len(), 9 * N * N, "size of the tangent");
        tangent.fill(0.0);
        match which {
            Tangent::Positive => self.positive_tangent(self.rotation(sized(now)), tangent),
            Tangent::Exact => self.exact_tangent(&self.turned(sized(now)), tangent),
        }
        Ok(())
    }

    fn force_and_tangent(
        &self,
        now: &[Vec3],
        which: Tangent,
        force: &mut [Vec3],
        tangent: &mut [f64],
    ) -> Result<(), ElementError> {
        assert_eq!(tangent.len(), 9 * N * N, "size of the tangent");
        tangent.fill(0.0);
        let turned = self.turned(sized(now));
        self.write_force(&turned, sized_mut(force));
        match which {
            Tangent::Positive => self.positive_tangent(turned.rotation, tangent),
            Tangent::Exact => self.exact_tangent(&turned, tangent),
        }
        Ok(())
    }
}
