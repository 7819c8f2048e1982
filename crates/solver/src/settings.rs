//! Settings every method shares: how accurate, and when to give up.

use crate::{ConeProblem, Iterate, Residuals, SolveError};
use std::sync::atomic::AtomicBool;

/// When an answer is good enough.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    /// Natural map relative to the free relative velocity (`natural_map_relative`). 1e-6 is good for most
    /// simulations; 1e-8 costs about three more interior-point iterations; below that the Newton polish works.
    Relative(f64),
    /// Natural map in m/s, the worst block (`natural_map`).
    Velocity(f64),
}

impl Tolerance {
    /// Whether residuals meet it.
    #[must_use]
    pub fn met(&self, residuals: &Residuals) -> bool {
        self.ratio(residuals) <= 1.0
    }
    /// Residual divided by tolerance: at most 1 when met.
    #[must_use]
    pub fn ratio(&self, residuals: &Residuals) -> f64 {
        match *self {
            Self::Relative(limit) => residuals.natural_map_relative / limit,
            Self::Velocity(limit) => residuals.natural_map / limit,
        }
    }
    /// The same kind of tolerance, `factor` times looser.
    #[must_use]
    pub fn loosened(&self, factor: f64) -> Self {
        match *self {
            Self::Relative(limit) => Self::Relative(limit * factor),
            Self::Velocity(limit) => Self::Velocity(limit * factor),
        }
    }
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        let (Self::Relative(value) | Self::Velocity(value)) = *self;
        match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(SolveError::Setting { name: "tolerance", value, allowed: "a finite number > 0" }),
        }
    }
}

/// What a caller may hand to one solve besides problem and settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control<'a> {
    /// An answer to a similar problem, in the rows and columns of this one.
    pub warm: Option<&'a Iterate>,
    /// Set to true by anyone to stop at the next iteration.
    pub cancel: Option<&'a AtomicBool>,
}

impl Control<'_> {
    pub(crate) fn check(&self, problem: &ConeProblem) -> Result<(), SolveError> {
        let Some(warm) = self.warm else { return Ok(()) };
        let sizes = [
            ("velocities", warm.velocity.len(), problem.velocities()),
            ("impulses", warm.impulse.len(), problem.row_count()),
        ];
        match sizes.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(SolveError::WarmStart { what, found, expected }),
            None => Ok(()),
        }
    }
}

/// Limits of one run of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    /// When the answer is good enough.
    pub(crate) tolerance: Tolerance,
    /// Most iterations.
    pub(crate) max_iterations: u32,
    /// Most seconds; `None`: no limit.
    pub(crate) time_limit: Option<f64>,
    /// Keep every iterate's residuals in the report.
    pub(crate) history: bool,
    /// Set to true by anyone to stop at the next iteration.
    pub(crate) cancel: Option<&'a AtomicBool>,
}
