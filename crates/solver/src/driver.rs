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

/// One run of an algorithm: its state; no loop, no clock, no printing.
pub(crate) trait Iteration {
    /// Makes the next iterate.
    fn advance(&mut self, measured: &Measured) -> Step;
    /// Copies the current iterate.
    fn export(&self, out: &mut Iterate);
    /// Which part of the method made the current iterate.
    fn phase(&self) -> &'static str;
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
    let mut iterations = 0;
    let status = loop {
        iteration.export(&mut current);
        let residuals = meter.measure(&current.velocity, &current.impulse);
        let objective = meter.objective(&current.impulse);
        let seconds = started.elapsed().as_secs_f64();
        if limits.history {
            history.push(HistoryEntry {
                iteration: iterations,
                phase: iteration.phase(),
                seconds,
                residuals,
                objective,
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
        if iterations >= limits.max_iterations {
            break Status::IterationLimit;
        }
        if limits.time_limit.is_some_and(|limit| seconds >= limit) {
            break Status::TimeLimit;
        }
        let required_speed = meter.required_speed(&current.impulse);
        match iteration.advance(&Measured { residuals, required_speed }) {
            Step::Taken => {}
            Step::Stalled(reason) => break Status::Stalled(reason),
            Step::Infeasible => break Status::Infeasible,
        }
        iterations += 1;
        match phases.last_mut() {
            Some((phase, count)) if *phase == iteration.phase() => *count += 1,
            _ => phases.push((iteration.phase(), 1)),
        }
    };
    let residuals = meter.measure(&current.velocity, &current.impulse);
    let mut solution = best.map_or_else(|| empty_solution(method, limits, residuals), |(_, solution)| solution);
    let report = &mut solution.report;
    report.status = status;
    report.iterations = iterations;
    report.phases = phases;
    report.history = history;
    report.timings = Timings { setup, iterations: started.elapsed().as_secs_f64() - setup };
    solution
}

fn empty_solution(method: &'static str, limits: &Limits<'_>, residuals: Residuals) -> Solution {
    Solution {
        iterate: Iterate::default(),
        relative_velocity: Vec::new(),
        report: Report {
            method,
            kkt: None,
            status: Status::IterationLimit,
            tolerance: limits.tolerance,
            iterations: 0,
            phases: Vec::new(),
            residuals,
            objective: 0.0,
            history: Vec::new(),
            timings: Timings::default(),
            factor_entries: 0,
        },
    }
}
