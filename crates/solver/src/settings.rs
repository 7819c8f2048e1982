//! Settings every method shares: how accurate, and when to give up.

use crate::friction_law::FrictionLaw;
use crate::limits::{Limits, RunLimits, Tolerance};
use crate::method::Method;
use crate::report::Iterate;
use crate::{ConeProblem, SolveError};
use std::sync::atomic::AtomicBool;

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
    /// problem; see [`crate::Pyramids`] for what that changes. Tolerance and residuals are then those of the
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
    /// Whether every value can be used: the one validation, made when a [`crate::Solver`] is.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn validate(&self) -> Result<(), SolveError> {
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
    /// What the driver needs of them, where `limits` do not say otherwise.
    pub(crate) fn run_limits<'a>(&self, limits: &Limits<'a>) -> RunLimits<'a> {
        let tolerance = limits.tolerance.unwrap_or(self.tolerance);
        RunLimits {
            tolerance,
            start_tolerance: limits.start_tolerance.unwrap_or(tolerance),
            max_iterations: limits.max_iterations.unwrap_or_else(|| self.iteration_limit()),
            in_all: limits.in_all.unwrap_or(u32::MAX),
            time_limit: self.time_limit,
            history: self.history,
            cancel: limits.cancel,
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

/// Refuses a start of the wrong size.
pub(crate) fn check_start(warm: Option<&Iterate>, problem: &ConeProblem) -> Result<(), SolveError> {
    let Some(warm) = warm else { return Ok(()) };
    let sizes = [
        ("velocities", warm.velocity.len(), problem.velocities()),
        ("impulses", warm.impulse.len(), problem.row_count()),
    ];
    match sizes.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(SolveError::WarmStart { what, found, expected }),
        None => Ok(()),
    }
}
