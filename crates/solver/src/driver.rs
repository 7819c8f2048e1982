//! The only iteration loop of the crate: limits, clock, history, best iterate, cancellation.

use crate::report::{HistoryEntry, Iterate, Report, Solution, Status, Timings};
use crate::residual::{ResidualMeter, Residuals};
use crate::settings::Limits;
use std::sync::atomic::Ordering;
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

/// Runs an iteration until it meets the tolerance or a limit.
pub(crate) fn run(
    method: &'static str,
    iteration: &mut dyn Iteration,
    meter: &mut ResidualMeter<'_>,
    limits: &Limits<'_>,
    started: Instant,
) -> Solution {
    let problem = meter.delassus().problem();
    let setup = started.elapsed().as_secs_f64();
    let mut current = Iterate { velocity: vec![0.0; problem.velocities()], impulse: vec![0.0; problem.row_count()] };
    let mut best: Option<(f64, Solution)> = None;
    let mut history = Vec::new();
    let mut phases: Vec<(&'static str, u32)> = Vec::new();
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
                Step::Taken => count(&mut iterations, &mut phases, iteration.phase()),
                // The iterate it ends at is measured first.
                Step::Stalled(reason) => ended = Some(Status::Stalled(reason)),
                Step::Infeasible => ended = Some(Status::Infeasible),
            }
            continue;
        }
        iteration.export(&mut current);
        if iteration.impulses_only() {
            meter.delassus().velocity(&current.impulse, &mut current.velocity);
        }
        let residuals = meter.measure(&current.velocity, &current.impulse);
        let objective = meter.objective(&current.impulse);
        next_measurement = iterations + (iterations / MEASURE_SHARE).clamp(MEASURE_AFTER[0], MEASURE_AFTER[1]);
        if !needed {
            unclocked = started.elapsed().as_secs_f64() - seconds;
        }
        let seconds = started.elapsed().as_secs_f64() - unclocked;
        if recorded {
            history.push(HistoryEntry {
                iteration: iterations,
                phase: iteration.phase(),
                seconds,
                residuals,
                objective,
                active: meter.active(),
            });
        }
        let ratio = limits.tolerance.ratio(&residuals);
        let better = best.as_ref().is_none_or(|(least, _)| ratio < *least || least.is_nan());
        let better = better || (iteration.own_rule_met().is_some() && ratio.is_finite());
        if better {
            let solution = best.get_or_insert_with(|| (ratio, empty_solution(method, limits, residuals)));
            solution.0 = ratio;
            let solution = &mut solution.1;
            solution.iterate.velocity.clear();
            solution.iterate.velocity.extend_from_slice(meter.velocity());
            solution.iterate.impulse.clone_from(&current.impulse);
            solution.relative_velocity.clear();
            solution.relative_velocity.extend_from_slice(meter.relative_velocity());
            solution.report.residuals = residuals;
            solution.report.objective = objective;
        }
        let at_rounding = residuals.natural_map <= meter.rounding_floor();
        if iteration.own_rule_met().unwrap_or(ratio <= 1.0 || at_rounding) {
            break Status::Converged;
        }
        if limits.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
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
        let required_speed = match iteration.watches_required_speed() {
            true => meter.required_speed(&current.impulse),
            false => 0.0,
        };
        let known = Measured { residuals, required_speed };
        measured = Some(known);
        match iteration.advance(&known) {
            Step::Taken => count(&mut iterations, &mut phases, iteration.phase()),
            Step::Stalled(reason) => break Status::Stalled(reason),
            Step::Infeasible => break Status::Infeasible,
        }
    };
    // The first iterate measured is the best so far: there is one.
    let mut solution = match best {
        Some((_, solution)) => solution,
        None => empty_solution(method, limits, meter.measure(&current.velocity, &current.impulse)),
    };
    let report = &mut solution.report;
    report.status = status;
    report.iterations = iterations;
    report.phases = phases;
    report.history = history;
    report.timings = Timings { setup, iterations: started.elapsed().as_secs_f64() - setup - unclocked };
    solution
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

fn empty_solution(method: &'static str, limits: &Limits<'_>, residuals: Residuals) -> Solution {
    Solution {
        iterate: Iterate::default(),
        relative_velocity: Vec::new(),
        report: Report {
            method,
            kkt: None,
            facets: None,
            status: Status::IterationLimit,
            tolerance: limits.tolerance,
            iterations: 0,
            phases: Vec::new(),
            residuals,
            objective: 0.0,
            history: Vec::new(),
            timings: Timings::default(),
            factor_entries: 0,
            attempts: Vec::new(),
        },
    }
}
