//! Time-steppers: a scene changes its integrator by one word.
//!
//! Hard contacts need a step that allows jumps of velocity (`dvi-…`). The others solve M a = f + Cᵀλ, Ψ = 0 with smooth motions;
//! contacts are then stiff springs (penalty), if there are any.

pub(crate) mod columns;
pub(crate) mod dvi;
pub(crate) mod flexible;
pub(crate) mod gyroscopic;
pub(crate) mod rattle;
mod rows;
pub(crate) mod smooth;

use crate::StepError;

/// How a model is carried from one time to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Stepper {
    /// Linearly implicit Euler with hard contacts: order 1, never gains energy by stiffness.
    #[default]
    DviEuler,
    /// RATTLE with hard contacts: order 2 between impacts, joints hold in positions and velocities. Stiff springs are stable at any
    /// step, but not damped.
    DviRattle,
    /// Implicit Euler, Newton's method: order 1, strong damping.
    ImplicitEuler,
    /// One step of Newton's method for implicit Euler.
    ImplicitEulerLinearised,
    /// Trapezoidal rule: order 2, no damping; multipliers of joints oscillate.
    Trapezoidal,
    /// One step of Newton's method for the trapezoidal rule.
    TrapezoidalLinearised,
    /// Newmark's method: order 2 only for γ = ½.
    Newmark {
        /// Weight of the acceleration at the end in positions, > 0.
        beta: f64,
        /// Weight of the acceleration at the end in velocities, ≥ ½.
        gamma: f64,
    },
    /// Hilber, Hughes and Taylor: order 2, damps high frequencies.
    Hht {
        /// From −⅓ (most damping) to 0 (none).
        alpha: f64,
    },
    /// Generalised-α in the Lie-group form of Arnold and Brüls: order 2, damps high frequencies by a factor ρ∞ a step.
    GeneralisedAlpha {
        /// ρ∞ from 0 (gone in one step) to 1 (kept).
        rho: f64,
    },
    /// Explicit Euler: order 1.
    Euler,
    /// Heun's method: explicit, order 2.
    Heun,
    /// The classical Runge-Kutta method: explicit, order 4.
    Rk4,
    /// Kick, drift, kick: explicit, order 2, keeps energy for long where forces depend on positions alone.
    Leapfrog,
}

impl Stepper {
    /// Every stepper, with the parameters it has unless others are given.
    pub const ALL: [Self; 13] = [
        Self::DviEuler,
        Self::DviRattle,
        Self::ImplicitEuler,
        Self::ImplicitEulerLinearised,
        Self::Trapezoidal,
        Self::TrapezoidalLinearised,
        Self::Newmark { beta: 0.25, gamma: 0.5 },
        Self::Hht { alpha: -0.1 },
        Self::GeneralisedAlpha { rho: 0.8 },
        Self::Euler,
        Self::Heun,
        Self::Rk4,
        Self::Leapfrog,
    ];

    /// Its name in scene files and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::DviEuler => "dvi-euler",
            Self::DviRattle => "dvi-rattle",
            Self::ImplicitEuler => "implicit-euler",
            Self::ImplicitEulerLinearised => "implicit-euler-linearised",
            Self::Trapezoidal => "trapezoidal",
            Self::TrapezoidalLinearised => "trapezoidal-linearised",
            Self::Newmark { .. } => "newmark",
            Self::Hht { .. } => "hht",
            Self::GeneralisedAlpha { .. } => "generalised-alpha",
            Self::Euler => "euler",
            Self::Heun => "heun",
            Self::Rk4 => "rk4",
            Self::Leapfrog => "leapfrog",
        }
    }

    /// The stepper of a name, with its usual parameters.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stepper| stepper.name() == name)
    }

    /// Names and values of its parameters.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::Newmark { beta, gamma } => vec![("beta", beta), ("gamma", gamma)],
            Self::Hht { alpha } => vec![("alpha", alpha)],
            Self::GeneralisedAlpha { rho } => vec![("rho", rho)],
            _ => Vec::new(),
        }
    }

    /// Sets a parameter by its name; false if it has none of this name.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        let parameter = match (self, name) {
            (Self::Newmark { beta, .. }, "beta") => beta,
            (Self::Newmark { gamma, .. }, "gamma") => gamma,
            (Self::Hht { alpha }, "alpha") => alpha,
            (Self::GeneralisedAlpha { rho }, "rho") => rho,
            _ => return false,
        };
        *parameter = value;
        true
    }

    /// What it is, in one line.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        match self {
            Self::DviEuler => "linearly implicit Euler with hard contacts; the default",
            Self::DviRattle => "RATTLE with hard contacts; order 2 between impacts, no damping, two problems a step",
            Self::ImplicitEuler => "strong damping, Newton's method",
            Self::ImplicitEulerLinearised => "one Newton step of implicit Euler",
            Self::Trapezoidal => "no damping: forces of joints oscillate, and energy grows in long runs with joints",
            Self::TrapezoidalLinearised => "one Newton step of the trapezoidal rule",
            Self::Newmark { .. } => "order 2 only for gamma = 0.5",
            Self::Hht { .. } => "damps high frequencies; joint forces of order 2",
            Self::GeneralisedAlpha { .. } => "damps high frequencies to rho a step; joint forces of order 2",
            Self::Euler => "gains energy; for comparison",
            Self::Heun => "trapezoidal rule with Euler's predictor",
            Self::Rk4 => "the classical method; accurate where nothing is stiff",
            Self::Leapfrog => "kick, drift, kick; keeps energy for long",
        }
    }

    /// Whether its steps are cone problems, with hard contacts.
    #[must_use]
    pub fn has_hard_contacts(&self) -> bool {
        matches!(self, Self::DviEuler | Self::DviRattle)
    }

    /// Whether accelerations at the start of a step suffice for it.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self, Self::Euler | Self::Heun | Self::Rk4 | Self::Leapfrog)
    }

    /// Whether it takes one step of Newton's method and leaves it there.
    #[must_use]
    pub fn is_linearised(&self) -> bool {
        matches!(self, Self::ImplicitEulerLinearised | Self::TrapezoidalLinearised)
    }

    /// Order of accuracy: halving the step divides errors by two to this power.
    #[must_use]
    pub fn order(&self) -> i32 {
        match *self {
            Self::DviEuler | Self::ImplicitEuler | Self::ImplicitEulerLinearised | Self::Euler => 1,
            Self::Newmark { gamma, .. } if gamma != 0.5 => 1,
            Self::Rk4 => 4,
            _ => 2,
        }
    }

    /// Whether its parameters can be used.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), StepError> {
        let inside = |name, value: f64, range: std::ops::RangeInclusive<f64>, allowed| match range.contains(&value) {
            true => Ok(()),
            false => Err(StepError::Setting { name, value, allowed }),
        };
        match *self {
            Self::Newmark { beta, gamma } => {
                inside("gamma", gamma, 0.5..=1.0, "a number from 0.5 to 1 (below 0.5 high frequencies grow)")?;
                // (γ + ½)²/4 ≤ β: stable for every step size.
                let least = 0.25 * (gamma + 0.5) * (gamma + 0.5);
                inside(
                    "beta",
                    beta,
                    least * (1.0 - 1e-12)..=1.0,
                    "a number from (gamma + 0.5)²/4 to 1 (stable for every step)",
                )
            }
            Self::Hht { alpha } => inside("alpha", alpha, -1.0 / 3.0 - 1e-12..=0.0, "a number from -1/3 to 0"),
            Self::GeneralisedAlpha { rho } => inside("rho", rho, 0.0..=1.0, "a number from 0 to 1"),
            _ => Ok(()),
        }
    }
}
