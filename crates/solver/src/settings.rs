//! Settings every method shares: how accurate, and when to give up.

use crate::{ConeProblem, FrictionLaw, Iterate, Method, Residuals, SolveError};
use std::sync::atomic::{AtomicBool, Ordering};

/// A method and what is asked of it.
///
/// ```
/// use signorini_solver::{InteriorPoint, SolverSettings, Tolerance};
/// let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Velocity(1e-6));
/// assert_eq!(settings.method.name(), "interior-point");
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SolverSettings {
    /// How the problem is solved.
    pub method: Method,
    /// The friction law.
    pub friction: FrictionLaw,
    /// When the answer is good enough.
    pub tolerance: Tolerance,
    /// Replace round friction cones by pyramids of this many facets (3 to 256), so that methods for bounds can solve the
    /// problem; see [`crate::problem::Pyramids`] for what that changes. Tolerance and residuals are then those of the
    /// pyramid law.
    pub facets: Option<u32>,
    /// Most iterations, all phases together; without it [`Method::usual_iterations`].
    pub max_iterations: Option<u32>,
    /// Most seconds.
    pub time_limit: Option<f64>,
    /// Use the threads of the current pool; the answer has the same bits either way.
    pub parallel: bool,
    /// Keep the residuals of every iterate.
    pub history: bool,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            friction: FrictionLaw::Relaxed,
            tolerance: Tolerance::Relative(1e-8),
            facets: None,
            max_iterations: None,
            time_limit: None,
            parallel: true,
            history: false,
        }
    }
}

impl<M: Into<Method>> From<M> for SolverSettings {
    fn from(method: M) -> Self {
        Self { method: method.into(), ..Self::default() }
    }
}

impl SolverSettings {
    /// The same with another tolerance.
    #[must_use]
    pub fn to(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self
    }
    /// The same with friction pyramids of this many facets.
    #[must_use]
    pub fn with_facets(mut self, facets: u32) -> Self {
        self.facets = Some(facets);
        self
    }
    /// The iteration limit that holds.
    #[must_use]
    pub fn iteration_limit(&self) -> u32 {
        self.max_iterations.unwrap_or_else(|| self.method.usual_iterations())
    }
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        self.tolerance.check()?;
        if self.facets.is_some() && self.friction != FrictionLaw::Relaxed {
            return Err(SolveError::PyramidLaw { law: self.friction.name() });
        }
        if self.friction != FrictionLaw::Relaxed && self.method.stops_by_another_rule() {
            return Err(SolveError::StoppingRule { method: self.friction.name() });
        }
        match self.time_limit {
            Some(value) if value.is_nan() || value <= 0.0 => {
                Err(SolveError::Setting { name: "time-limit", value, allowed: "a number of seconds > 0" })
            }
            _ => self.method.check(),
        }
    }
    /// What the driver needs of them.
    pub(crate) fn limits<'a>(&self, control: &Control<'a>, max_iterations: u32) -> Limits<'a> {
        Limits {
            tolerance: self.tolerance,
            max_iterations,
            time_limit: self.time_limit,
            history: self.history,
            cancel: control.cancel,
        }
    }
}

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

impl Limits<'_> {
    /// Whether a run must end here, whatever it has reached.
    pub(crate) fn reached(&self, iterations: u32, seconds: f64) -> bool {
        iterations >= self.max_iterations
            || self.time_limit.is_some_and(|limit| seconds >= limit)
            || self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}
