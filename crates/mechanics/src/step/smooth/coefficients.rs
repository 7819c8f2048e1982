//! The coefficients of the implicit steppers, all one family.
//!
//! ```text
//! M a⁺ = f⁺ + C⁺ᵀλ⁺,  Ψ⁺ = 0                                   at the end of the step
//! (1 − α_m) â⁺ + α_m â = (1 − α_f) a⁺ + α_f a                  the algorithmic acceleration
//! q⁺ = q ⊕ [h v + h²(p₀ â + p₁ â⁺)],   v⁺ = v + h(s₀ â + s₁ â⁺)
//! ```
//!
//! | | α_m | α_f | p₀ | p₁ | s₀ | s₁ |
//! |---|---|---|---|---|---|---|
//! | implicit Euler | 0 | 0 | 0 | 1 | 0 | 1 |
//! | trapezoidal | 0 | 0 | ¼ | ¼ | ½ | ½ |
//! | Newmark(β, γ) | 0 | 0 | ½−β | β | 1−γ | γ |
//! | HHT(α) | 0 | −α | as Newmark with γ = (1−2α)/2, β = (1−α)²/4 | | | |
//! | generalised-α(ρ∞) | (2ρ∞−1)/(1+ρ∞) | ρ∞/(1+ρ∞) | as Newmark with γ = ½+α_f−α_m, β = ¼(γ+½)² | | | |
//!
//! As M is constant and a = M⁻¹(f + Cᵀλ), the trapezoidal rule is Newmark's method with β = ¼, γ = ½, and HHT's weighted balance
//! M â⁺ = (1+α)(f + Cᵀλ)⁺ − α(f + Cᵀλ) is the definition of â.

use crate::StepError;
use crate::step::stepper::{About, Family};
use std::ops::RangeInclusive;

/// Coefficients of one implicit stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coefficients {
    pub(crate) alpha_m: f64,
    pub(crate) alpha_f: f64,
    /// p₀, p₁.
    pub(crate) position: [f64; 2],
    /// s₀, s₁.
    pub(crate) velocity: [f64; 2],
    /// Newton's method is left after one step.
    pub(crate) is_linearised: bool,
}

/// Implicit Euler.
const EULER: Coefficients =
    Coefficients { alpha_m: 0.0, alpha_f: 0.0, position: [0.0, 1.0], velocity: [0.0, 1.0], is_linearised: false };

pub(crate) fn euler() -> About {
    About::smooth("implicit-euler", "strong damping, Newton's method", 1, Family::Implicit(EULER))
}

pub(crate) fn euler_linearised() -> About {
    let family = Family::Implicit(Coefficients { is_linearised: true, ..EULER });
    About::smooth("implicit-euler-linearised", "one Newton step of implicit Euler", 1, family)
}

pub(crate) fn trapezoidal() -> About {
    let summary = "no damping: forces of joints oscillate, and energy grows in long runs with joints";
    About::smooth("trapezoidal", summary, 2, Family::Implicit(Coefficients::newmark(0.0, 0.0, 0.25, 0.5)))
}

pub(crate) fn trapezoidal_linearised() -> About {
    let linearised = Coefficients { is_linearised: true, ..Coefficients::newmark(0.0, 0.0, 0.25, 0.5) };
    let summary = "one Newton step of the trapezoidal rule";
    About::smooth("trapezoidal-linearised", summary, 2, Family::Implicit(linearised))
}

pub(crate) fn newmark(beta: f64, gamma: f64) -> About {
    let order = if gamma == 0.5 { 2 } else { 1 };
    let family = Family::Implicit(Coefficients::newmark(0.0, 0.0, beta, gamma));
    // (γ + ½)²/4 ≤ β: stable for every step size.
    let least = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    let stable = "a number from (gamma + 0.5)²/4 to 1 (stable for every step)";
    let flaw = outside("gamma", gamma, 0.5..=1.0, "a number from 0.5 to 1 (below 0.5 high frequencies grow)")
        .or_else(|| outside("beta", beta, least * (1.0 - 1e-12)..=1.0, stable));
    About { flaw, ..About::smooth("newmark", "order 2 only for gamma = 0.5", order, family) }
}

pub(crate) fn hht(alpha: f64) -> About {
    let (beta, gamma) = (0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 * (1.0 - 2.0 * alpha));
    let family = Family::Implicit(Coefficients::newmark(0.0, -alpha, beta, gamma));
    let flaw = outside("alpha", alpha, -1.0 / 3.0 - 1e-12..=0.0, "a number from -1/3 to 0");
    About { flaw, ..About::smooth("hht", "damps high frequencies; joint forces of order 2", 2, family) }
}

pub(crate) fn generalised_alpha(rho: f64) -> About {
    let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (1.0 + rho), rho / (1.0 + rho));
    let gamma = 0.5 + alpha_f - alpha_m;
    let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    let family = Family::Implicit(Coefficients::newmark(alpha_m, alpha_f, beta, gamma));
    let flaw = outside("rho", rho, 0.0..=1.0, "a number from 0 to 1");
    let summary = "damps high frequencies to rho a step; joint forces of order 2";
    About { flaw, ..About::smooth("generalised-alpha", summary, 2, family) }
}

/// The error of a parameter that is outside its range.
fn outside(name: &'static str, value: f64, range: RangeInclusive<f64>, allowed: &'static str) -> Option<StepError> {
    (!range.contains(&value)).then_some(StepError::Setting { name, value, allowed })
}

impl Coefficients {
    fn newmark(alpha_m: f64, alpha_f: f64, beta: f64, gamma: f64) -> Self {
        let (position, velocity) = ([0.5 - beta, beta], [1.0 - gamma, gamma]);
        Self { alpha_m, alpha_f, position, velocity, is_linearised: false }
    }

    /// ∂â⁺/∂a⁺ = (1 − α_f)/(1 − α_m).
    pub(crate) fn gain(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// κ = h² p₁ ∂â⁺/∂a⁺: what an acceleration at the end of the step moves.
    pub(crate) fn kappa(&self, h: f64) -> f64 {
        h * h * self.position[1] * self.gain()
    }

    /// Velocity that goes with a unit of position: s₁/(p₁ h).
    pub(crate) fn speed(&self, h: f64) -> f64 {
        self.velocity[1] / (self.position[1] * h)
    }

    /// Order of the local error of positions, plus one.
    pub(crate) fn error_order(&self) -> f64 {
        if self.position[0] == 0.0 && self.position[1] == 1.0 { 2.0 } else { 3.0 }
    }

    /// Whether high frequencies are damped.
    pub(crate) fn is_damped(&self) -> bool {
        self.velocity[1] > 0.5
    }

    /// â belongs to the time t + Δ h with Δ = α_m − α_f.
    pub(crate) fn shift(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }
}
