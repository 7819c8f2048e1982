//! The only iteration loop of the crate: limits, clock, history, best iterate, cancellation.

use crate::ConeProblem;
use crate::limits::RunLimits;
use crate::report::{HistoryEntry, Iterate, Solution, Status, Timings};
use crate::residual::{ResidualMeter, Residuals};
use std::time::Instant;

/// What one iteration did.
pub(crate) enum Step {
    /// A new iterate is ready.
    Taken,
    /// Nothing more can be gained; the reason.
    Stalled(&'static str),
    /// The constraints contradict each other.
    Infeasible,
}

/// What the driver knows about the current iterate.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) residuals: Residuals,
    /// See [`ResidualMeter::required_speed`].
    pub(crate) required_speed: f64,
}

/// The natural map of the current iterate as a method knows it itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// The largest over blocks, in m/s.
    pub(crate) natural_map: f64,
    /// Relative to the free relative velocity.
    pub(crate) natural_map_relative: f64,
}

/// One run of an algorithm: its state; no loop, no clock, no printing.
pub(crate) trait Iteration {
    /// Makes the next iterate.
    fn advance(&mut self, measured: &Measured) -> Step;
    /// Copies the current iterate.
    fn export(&self, out: &mut Iterate);
    /// Whether the velocities of the iterate follow from its impulses: `export` then leaves them to the driver.
    fn impulses_only(&self) -> bool {
        false
    }
    /// Which part of the method made the current iterate.
    fn phase(&self) -> &'static str;
    /// The natural map of the current iterate, if the method has it anyway. The driver then measures only when it meets
    /// the tolerance, and now and then.
    fn estimate(&self) -> Option<Estimate> {
        None
    }
    /// Whether it looks at [`Measured::required_speed`], which costs a pass over J.
    fn watches_required_speed(&self) -> bool {
        true
    }
    /// The method's own stopping rule, when the user chose it in place of the residual.
    fn own_rule_met(&self) -> Option<bool> {
        None
    }
}

/// The loop, with the room it needs for the iterate at hand.
#[derive(Default)]
pub(crate) struct Driver {
    current: Iterate,
}

/// What a run is about.
pub(crate) struct Task<'a> {
    pub(crate) problem: &'a ConeProblem,
    pub(crate) meter: &'a mut ResidualMeter,
    /// When the solve began: one clock for all its runs.
    pub(crate) started: Instant,
    /// Seconds of it that went into preparing: what depends on the problem alone, not on where the solve starts.
    pub(crate) setup: f64,
}

impl Driver {
    /// Runs an iteration until it meets the tolerance or a limit; the best iterate and the report go to `out`, in the memory it
    /// has.
    pub(crate) fn run(
        &mut self,
        method: &'static str,
        iteration: &mut dyn Iteration,
        task: &mut Task<'_>,
        limits: &RunLimits<'_>,
        out: &mut Solution,
    ) {
        let Task { problem, meter, started, setup } = task;
        let (problem, started, setup) = (*problem, *started, *setup);
        let current = &mut self.current;
        current.resize(problem);
        out.reset(method, limits.tolerance);
        let mut best = None;
        let mut iterations: u32 = 0;
        // Seconds spent on the history alone, which the clock of the run leaves out.
        let mut unclocked = 0.0;
        let mut measured = None;
        let mut next_measurement = 0;
        let mut ended = None;
        let status = loop {
            let seconds = started.elapsed().as_secs_f64() - unclocked;
            let needed = match (iteration.estimate(), measured) {
                (Some(estimate), Some(_)) if ended.is_none() => {
                    limits.tolerance.ratio_of(estimate.natural_map, estimate.natural_map_relative) <= 1.0
                        || iterations >= next_measurement
                        || limits.reached(iterations, seconds)
                }
                _ => true,
            };
            let recorded = limits.history && iterations.is_multiple_of((iterations / HISTORY_DENSITY).max(1));
            if let (false, false, Some(known)) = (needed, recorded, &measured) {
                match iteration.advance(known) {
                    Step::Taken => count(&mut iterations, &mut out.report.phases, iteration.phase()),
                    // The iterate it ends at is measured first.
                    Step::Stalled(reason) => ended = Some(Status::Stalled(reason)),
                    Step::Infeasible => ended = Some(Status::Infeasible),
                }
                continue;
            }
            iteration.export(current);
            let residuals = if iteration.impulses_only() {
                meter.measure_impulses(problem, &current.impulse)
            } else {
                meter.measure(problem, &current.velocity, &current.impulse)
            };
            next_measurement = iterations + (iterations / MEASURE_SHARE).clamp(MEASURE_AFTER[0], MEASURE_AFTER[1]);
            if !needed {
                unclocked = started.elapsed().as_secs_f64() - seconds;
            }
            let seconds = started.elapsed().as_secs_f64() - unclocked;
            if recorded {
                out.report.history.push(HistoryEntry {
                    iteration: iterations,
                    phase: iteration.phase(),
                    seconds,
                    residuals,
                    objective: meter.objective(),
                    active: meter.active(),
                });
            }
            let ratio = limits.tolerance.ratio(&residuals);
            let better = best.is_none_or(|least: f64| ratio < least || least.is_nan());
            if better || (iteration.own_rule_met().is_some() && ratio.is_finite()) {
                best = Some(ratio);
                out.take(meter, &current.impulse, residuals);
            }
            let at_rounding = residuals.natural_map <= meter.rounding_floor();
            if iteration.own_rule_met().unwrap_or(ratio <= 1.0 || at_rounding) {
                break Status::Converged;
            }
            if limits.is_cancelled() {
                break Status::Interrupted;
            }
            if let Some(status) = ended {
                break status;
            }
            if iterations >= limits.max_iterations {
                break Status::IterationLimit;
            }
            if limits.reached(iterations, seconds) {
                break Status::TimeLimit;
            }
            let required_speed =
                if iteration.watches_required_speed() { meter.required_speed(problem, &current.impulse) } else { 0.0 };
            let known = Measured { residuals, required_speed };
            measured = Some(known);
            match iteration.advance(&known) {
                Step::Taken => count(&mut iterations, &mut out.report.phases, iteration.phase()),
                Step::Stalled(reason) => break Status::Stalled(reason),
                Step::Infeasible => break Status::Infeasible,
            }
        };
        let report = &mut out.report;
        report.status = status;
        report.iterations = iterations;
        report.timings = Timings { setup, iterations: started.elapsed().as_secs_f64() - setup - unclocked };
    }
}

/// Fewest and most iterations between two measurements of a method that estimates its own residual: the cost of one is that of
/// a few iterations, and an interruption loses no more than these.
const MEASURE_AFTER: [u32; 2] = [10, 50];
/// Between those, one in so many of the iterations done: an answer reached is seen soon after.
const MEASURE_SHARE: u32 = 3;
/// The history holds every iterate up to twice this many, then fewer and fewer: about this many for each doubling.
const HISTORY_DENSITY: u32 = 100;

fn count(iterations: &mut u32, phases: &mut Vec<(&'static str, u32)>, phase: &'static str) {
    *iterations += 1;
    match phases.last_mut() {
        Some((last, count)) if *last == phase => *count += 1,
        _ => phases.push((phase, 1)),
    }
}
