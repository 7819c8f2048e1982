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

use crate::Stepper;

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

impl Coefficients {
    fn newmark(alpha_m: f64, alpha_f: f64, beta: f64, gamma: f64) -> Self {
        let (position, velocity) = ([0.5 - beta, beta], [1.0 - gamma, gamma]);
        Self { alpha_m, alpha_f, position, velocity, is_linearised: false }
    }

    /// The coefficients of a stepper; `None` for those that are not of this family.
    pub(crate) fn of(stepper: &Stepper) -> Option<Self> {
        let euler = Self { position: [0.0, 1.0], velocity: [0.0, 1.0], ..Self::newmark(0.0, 0.0, 0.0, 0.0) };
        Some(match *stepper {
            Stepper::ImplicitEuler => euler,
            Stepper::ImplicitEulerLinearised => Self { is_linearised: true, ..euler },
            Stepper::Trapezoidal => Self::newmark(0.0, 0.0, 0.25, 0.5),
            Stepper::TrapezoidalLinearised => Self { is_linearised: true, ..Self::newmark(0.0, 0.0, 0.25, 0.5) },
            Stepper::Newmark { beta, gamma } => Self::newmark(0.0, 0.0, beta, gamma),
            Stepper::Hht { alpha } => {
                Self::newmark(0.0, -alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 * (1.0 - 2.0 * alpha))
            }
            Stepper::GeneralisedAlpha { rho } => {
                let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (1.0 + rho), rho / (1.0 + rho));
                let gamma = 0.5 + alpha_f - alpha_m;
                Self::newmark(alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma)
            }
            _ => return None,
        })
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
