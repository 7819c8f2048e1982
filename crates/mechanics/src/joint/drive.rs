//! Imposed motion of a hinge or slider: a law of its angle or displacement, or of its speed.
//!
//! ```text
//! x(t) = law(t),                      ẋ = law'(t)
//! x(t) = offset + ∫₀ᵗ law(τ) dτ,      ẋ = law(t)
//! ```
//!
//! A speed is imposed as the position it leads to, in closed form: no error of integration builds up.

use super::Law;
use crate::ParameterError;

/// What is imposed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Drive {
    /// The angle or displacement.
    Position(Law),
    /// Its speed, and where it starts at time 0.
    Speed { law: Law, offset: f64 },
}

impl Drive {
    pub(super) fn value(&self, time: f64) -> f64 {
        match self {
            Self::Position(law) => law.value(time),
            Self::Speed { law, offset } => offset + law.integral(time),
        }
    }

    pub(super) fn rate(&self, time: f64) -> f64 {
        match self {
            Self::Position(law) => law.rate(time),
            Self::Speed { law, .. } => law.value(time),
        }
    }

    pub(super) fn check(&self, what: &'static str) -> Result<(), ParameterError> {
        let law = match self {
            Self::Speed { offset, .. } if !offset.is_finite() => {
                return Err(ParameterError::number("offset of the imposed speed", *offset, "a finite number"));
            }
            Self::Position(law) | Self::Speed { law, .. } => law,
        };
        law.check().map_err(|error| ParameterError::Law { what, error })
    }
}
