//! One solver on one problem, timed to the tolerance.
//!
//! Times are those of the driver's clock, which leaves out what only the history costs. A run that is over quickly is
//! repeated and the fastest is taken: the first one also pays for cold caches and fresh memory pages.

use super::outcome::{Answer, Reached};
use signorini_experiments::memory;
use signorini_solver::solve_with;
use signorini_solver::{ConeProblem, Control, FrictionLaw, Report, Solution, SolveError, SolverSettings, Status};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs are repeated until they took so many seconds together …
pub(crate) const REPEAT_SECONDS: f64 = 0.05;
/// … or were so many.
const MOST_REPEATS: u32 = 50;

/// Solves, and says what it took.
pub(super) fn timed(
    problem: &ConeProblem,
    settings: &SolverSettings,
    cancel: &AtomicBool,
) -> Result<(Answer, Solution), SolveError> {
    let control = Control { warm: None, cancel: Some(cancel) };
    memory::reset_peak();
    let started = Instant::now();
    let mut best = solve_with(problem, settings, &control)?;
    let peak_memory_bytes = memory::peak_bytes();
    let mut repeats = 1;
    while started.elapsed().as_secs_f64() < REPEAT_SECONDS && repeats < MOST_REPEATS && !cancel.load(Ordering::Relaxed)
    {
        let again = solve_with(problem, settings, &control)?;
        if again.report.status == Status::Interrupted {
            break;
        }
        repeats += 1;
        if (!met(&again.report), seconds(&again.report)) < (!met(&best.report), seconds(&best.report)) {
            best = again;
        }
    }
    let report = &mut best.report;
    let answer = Answer {
        status: report.status,
        reached: reached(report, settings.friction),
        seconds: seconds(report),
        setup_seconds: report.timings.setup,
        iterations: report.iterations,
        repeats,
        residuals: report.residuals,
        objective: report.objective,
        peak_memory_bytes,
        factor_entries: report.factor_entries,
        difference: None,
        is_reference: false,
        history: std::mem::take(&mut report.history),
    };
    Ok((answer, best))
}

fn seconds(report: &Report) -> f64 {
    report.timings.setup + report.timings.iterations
}

/// A residual at rounding level counts as converged whatever was asked: there is nothing left to gain.
fn met(report: &Report) -> bool {
    report.status == Status::Converged || report.tolerance.met(&report.residuals)
}

/// The first iterate that meets the tolerance; the whole run if the history has left it out.
fn reached(report: &Report, law: FrictionLaw) -> Option<Reached> {
    if !met(report) {
        return None;
    }
    // The history of the lagged law is that of its second problem: the first one costs as well.
    let entry = report.history.iter().find(|entry| report.tolerance.met(&entry.residuals));
    Some(match entry.filter(|_| law != FrictionLaw::Lagged) {
        Some(entry) => Reached { seconds: entry.seconds, iterations: entry.iteration },
        None => Reached { seconds: seconds(report), iterations: report.iterations },
    })
}
