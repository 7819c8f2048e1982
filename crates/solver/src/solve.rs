//! The one-call door: a problem and settings in, a solution out.

use crate::driver;
use crate::method::crossover::Crossover;
use crate::method::interior_point::{InteriorPoint, InteriorPointRun, Stopping};
use crate::method::kkt::KktSolver;
use crate::residual::ResidualMeter;
use crate::settings::Limits;
use crate::standard_form::StandardForm;
use crate::{ConeProblem, Iterate, Solution, SolveError};
use signorini_linalg::{FactorError, Threads};
use std::time::Instant;

/// A method with its settings.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SolverSettings {
    /// Interior point, with a Newton polish unless switched off.
    InteriorPoint(InteriorPoint),
}

impl From<InteriorPoint> for SolverSettings {
    fn from(settings: InteriorPoint) -> Self {
        Self::InteriorPoint(settings)
    }
}

/// Solves a problem from a cold start.
///
/// # Errors
/// Settings out of range, or a system that cannot be set up. Stopping early is not an error: see
/// [`crate::Report::status`].
pub fn solve(problem: &ConeProblem, settings: &SolverSettings) -> Result<Solution, SolveError> {
    solve_from(problem, settings, None)
}

/// Solves a problem from a warm start.
///
/// # Errors
/// As [`solve`], and a warm start of the wrong size.
pub fn solve_from(
    problem: &ConeProblem,
    settings: &SolverSettings,
    warm: Option<&Iterate>,
) -> Result<Solution, SolveError> {
    let started = Instant::now();
    let SolverSettings::InteriorPoint(settings) = settings;
    settings.check()?;
    let mut meter = ResidualMeter::new(problem)?;
    let form = StandardForm::new(meter.delassus());
    let threads = if settings.parallel { Threads::Pool } else { Threads::One };
    let mut kkt = KktSolver::new(&form, settings.kkt, threads).map_err(factor_error)?;
    let limits = Limits {
        tolerance: settings.tolerance,
        max_iterations: settings.max_iterations,
        time_limit: settings.time_limit,
        history: settings.history,
        cancel: None,
    };
    let (name, entries) = (kkt.name(), kkt.factor_entries());
    let mut run = InteriorPointRun::new(&form, settings, &mut kkt, warm).map_err(factor_error)?;
    let mut solution = if settings.polish && settings.stopping == Stopping::Residual {
        driver::run("interior-point", &mut Crossover::new(run), &mut meter, &limits, started)
    } else {
        driver::run("interior-point", &mut run, &mut meter, &limits, started)
    };
    solution.report.kkt = Some(name);
    solution.report.factor_entries = entries;
    Ok(solution)
}

fn factor_error(error: FactorError) -> SolveError {
    match error {
        FactorError::Memory => SolveError::Memory,
        _ => SolveError::Factorisation,
    }
}
