//! How accurate an answer must be, and when to give up.

use crate::{Residuals, SolveError};
use std::sync::atomic::{AtomicBool, Ordering};

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
        self.ratio_of(residuals.natural_map, residuals.natural_map_relative)
    }
    pub(crate) fn ratio_of(&self, natural_map: f64, natural_map_relative: f64) -> f64 {
        match *self {
            Self::Relative(limit) => natural_map_relative / limit,
            Self::Velocity(limit) => natural_map / limit,
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

/// Limits of one solve in place of those of the settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// When the answer is good enough; without it, as the settings say.
    pub tolerance: Option<Tolerance>,
    /// When a start is good enough to be the answer; without it, from the tolerance on. What rests is solved far more accurately than it is asked for, and that
    /// answer then lasts: a looser start would be solved for its own rounding.
    pub start_tolerance: Option<Tolerance>,
    /// Most iterations; without it, as the settings say.
    pub max_iterations: Option<u32>,
    /// Most iterations of all methods that `auto` tries together, each of which keeps its own limit; without it, as many as they
    /// have.
    pub in_all: Option<u32>,
    /// Set to true by anyone to stop at the next iteration, or before the first.
    pub cancel: Option<&'a AtomicBool>,
}

/// Limits of one run of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimits<'a> {
    /// When the answer is good enough.
    pub(crate) tolerance: Tolerance,
    /// When a start is good enough to be the answer.
    pub(crate) start_tolerance: Tolerance,
    /// Most iterations.
    pub(crate) max_iterations: u32,
    /// Most iterations of all methods together.
    pub(crate) in_all: u32,
    /// Most seconds; `None`: no limit.
    pub(crate) time_limit: Option<f64>,
    /// Keep every iterate's residuals in the report.
    pub(crate) history: bool,
    /// Set to true by anyone to stop at the next iteration.
    pub(crate) cancel: Option<&'a AtomicBool>,
}

impl RunLimits<'_> {
    /// Whether a run must end here, whatever it has reached.
    pub(crate) fn reached(&self, iterations: u32, seconds: f64) -> bool {
        iterations >= self.max_iterations
            || self.time_limit.is_some_and(|limit| seconds >= limit)
            || self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
    /// Whether the caller asked to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
    /// The same with other iterations.
    pub(crate) fn with_iterations(&self, max_iterations: u32) -> Self {
        Self { max_iterations, ..*self }
    }
}
