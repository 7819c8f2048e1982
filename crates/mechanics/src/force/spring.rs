//! Spring and damper between two points.
//!
//! ```text
//! l = |p_B − p_A|,  n = (p_B − p_A)/l,  G = ∂l/∂q = [−n, −s_A × R_Aᵀn; n, s_B × R_Bᵀn]
//! f = −T G,  T = k (l − l₀) + d l̇,  l̇ = G·v           energy ½ k (l − l₀)²
//! R = −∂f/∂v = d G Gᵀ                                  exact
//! K = k G Gᵀ + max(T_e, 0)/l · Bᵀ(1 − n nᵀ)B           T_e = k (l − l₀), ḋ = B v the relative velocity of the points
//! ```
//!
//! K is −∂f/∂q as far as it is positive semi-definite. Left out: the softening across a spring in compression (T_e < 0), how the
//! levers s × Rᵀn change as the bodies turn under the same force (indefinite), and how d l̇ changes with q.

use super::{Force, Motion, Tangent, Wrench, add_outer, along, check_at_least_zero, rate};
use crate::joint::span::Span;
use crate::{BodyId, ParameterError, Vec3};

/// Spring and damper between two points, treated implicitly: any stiffness is stable.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    span: Span,
    stiffness: f64,
    damping: f64,
    rest_length: f64,
}

impl Spring {
    /// A spring between two points, given in body axes from the centres of mass: stiffness \[N/m\], damping \[N s/m\], rest
    /// length \[m\].
    #[must_use]
    pub fn new(bodies: [BodyId; 2], points: [Vec3; 2], stiffness: f64, damping: f64, rest_length: f64) -> Self {
        Self { span: Span { bodies, points }, stiffness, damping, rest_length }
    }
}

impl Force for Spring {
    fn kind(&self) -> &'static str {
        "spring"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.span.bodies
    }
    fn wrench(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let stretch = self.span.stretch(motions.map(|motion| &motion.pose));
        let elastic = self.stiffness * (stretch.length - self.rest_length);
        along(&stretch.gradient, elastic + self.damping * rate(&stretch.gradient, motions))
    }
    fn tangent(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        let poses = motions.map(|motion| &motion.pose);
        let stretch = self.span.stretch(poses);
        let mut tangent = Tangent::ZERO;
        add_outer(&mut tangent.stiffness, &stretch.gradient, self.stiffness);
        add_outer(&mut tangent.damping, &stretch.gradient, self.damping);
        // T_e/l; a spring without rest length is as stiff across as along, down to no length at all.
        let across = match self.rest_length > 0.0 {
            true if stretch.length > self.rest_length => self.stiffness * (1.0 - self.rest_length / stretch.length),
            true => 0.0,
            false => self.stiffness,
        };
        if across > 0.0 {
            let axes = stretch.direction.any_orthonormal_pair();
            for axis in [axes.0, axes.1] {
                add_outer(&mut tangent.stiffness, &self.span.gradient_along(poses, axis), across);
            }
        }
        Some(tangent)
    }
    fn energy(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        let stretch = self.span.stretch(motions.map(|motion| &motion.pose));
        0.5 * self.stiffness * (stretch.length - self.rest_length).powi(2)
    }
    fn is_passive(&self) -> bool {
        true
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.span.check()?;
        check_at_least_zero("stiffness", self.stiffness, "a finite number of N/m ≥ 0")?;
        check_at_least_zero("damping", self.damping, "a finite number of N s/m ≥ 0")?;
        check_at_least_zero("rest length", self.rest_length, "a finite number of metres ≥ 0")
    }
}
