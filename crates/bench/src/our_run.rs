//! Our solver on one problem, timed as a whole: nothing is reused from an earlier call.

use anyhow::{Context, Result};
use signorini_solver::{ConeProblem, InteriorPoint, Method, Report, SolverSettings, Tolerance, solve};
use std::time::Instant;

/// What one run gave.
#[derive(Clone, Debug)]
pub(crate) struct OurRun {
    pub(crate) seconds: f64,
    pub(crate) report: Report,
}

impl OurRun {
    pub(crate) fn residual(&self) -> f64 {
        self.report.residuals.natural_map_relative
    }
}

/// One run with the given settings.
pub(crate) fn run(problem: &ConeProblem, settings: &SolverSettings) -> Result<OurRun> {
    let started = Instant::now();
    let solution = solve(problem, settings).context("our solver")?;
    Ok(OurRun { seconds: started.elapsed().as_secs_f64(), report: solution.report })
}

/// The fastest of several runs.
pub(crate) fn fastest(problem: &ConeProblem, settings: &SolverSettings, repeat: usize) -> Result<OurRun> {
    let mut best = run(problem, settings)?;
    for _ in 1..repeat {
        let again = run(problem, settings)?;
        if again.seconds < best.seconds {
            best = again;
        }
    }
    Ok(best)
}

/// Default settings with a tolerance on `natural_map_relative`.
pub(crate) fn to(tolerance: f64) -> SolverSettings {
    with(InteriorPoint::default(), tolerance)
}

/// A method with a tolerance on `natural_map_relative`.
pub(crate) fn with(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance))
}

/// Interior-point iterations to a tolerance without polish; `None` when it is not reached.
pub(crate) fn plain_iterations(problem: &ConeProblem, tolerance: f64) -> Result<Option<u32>> {
    let settings = with(InteriorPoint { polish: false, ..InteriorPoint::default() }, tolerance);
    let report = run(problem, &settings)?.report;
    Ok(settings.tolerance.met(&report.residuals).then_some(report.iterations))
}
