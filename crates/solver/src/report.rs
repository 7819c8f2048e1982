//! What a solve says about itself.

use crate::ConeProblem;
use crate::limits::Tolerance;
use crate::residual::{ResidualMeter, Residuals};
use signorini_linalg::Halves;
use std::mem::take;

/// An answer: velocities, and impulses row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Iterate {
    /// Velocities v.
    pub velocity: Vec<f64>,
    /// Constraint impulses g, in the row order of the problem.
    pub impulse: Vec<f64>,
}

impl Iterate {
    /// Sizes of a problem.
    pub(crate) fn resize(&mut self, problem: &ConeProblem) {
        self.velocity.resize(problem.velocities(), 0.0);
        self.impulse.resize(problem.row_count(), 0.0);
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The tolerance asked for was reached.
    Converged,
    /// The method can make no further progress; the reason.
    Stalled(&'static str),
    /// The iteration limit was reached.
    IterationLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The caller asked to stop.
    Interrupted,
    /// The constraints contradict each other; the answer violates them as little as possible.
    Infeasible,
}

impl Status {
    /// A short name for tables and JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Stalled(_) => "stalled",
            Self::IterationLimit => "iteration-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::Infeasible => "infeasible",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stalled(reason) => write!(f, "stalled ({reason})"),
            other => f.write_str(other.name()),
        }
    }
}

/// One line of the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Iterations done.
    pub iteration: u32,
    /// Which part of the method made this iterate.
    pub phase: &'static str,
    /// Seconds since the start of the solve.
    pub seconds: f64,
    /// Residuals of the iterate.
    pub residuals: Residuals,
    /// Dual objective of the iterate.
    pub objective: f64,
    /// Blocks that carry force, as the natural map sees them: Π(g − ρy) ≠ 0.
    pub active: usize,
}

/// Seconds spent in the parts of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// What follows from the problem alone, whatever the start: scaling, order, layout, colours, symbolic analysis, checks, copies.
    pub setup: f64,
    /// The rest: the iterations, and every measurement from that of the start on.
    pub iterations: f64,
}

/// One method that `auto` tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: &'static str,
    /// Why it was tried.
    pub reason: &'static str,
    /// How it ended.
    pub status: Status,
    /// Its iterations.
    pub iterations: u32,
    /// `natural_map_relative` of its answer.
    pub residual: f64,
}

/// What happened in a solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Name of the method.
    pub method: &'static str,
    /// Form of the linear system, for methods that factorise.
    pub kkt: Option<&'static str>,
    /// Facets of the friction pyramids that took the place of round cones. Residuals are then those of the pyramid law.
    pub facets: Option<u32>,
    /// How it ended.
    pub status: Status,
    /// What was asked.
    pub tolerance: Tolerance,
    /// Iterations done, all phases.
    pub iterations: u32,
    /// Iterations of each phase that ran (interior point, Newton polish).
    pub phases: Vec<(&'static str, u32)>,
    /// Residuals of the answer.
    pub residuals: Residuals,
    /// Dual objective of the answer.
    pub objective: f64,
    /// Every iterate, when asked for.
    pub history: Vec<HistoryEntry>,
    /// Where the time went.
    pub timings: Timings,
    /// Values stored for the largest factor.
    pub factor_entries: usize,
    /// What `auto` tried, in order; empty for every other method.
    pub attempts: Vec<Attempt>,
}

/// What a report calls the method where the start was the answer.
pub(crate) const WARM_START: &str = "warm-start";

/// An answer and its report.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Solution {
    /// The best iterate found.
    pub iterate: Iterate,
    /// y = Jv − b + Eg of that iterate.
    pub relative_velocity: Vec<f64>,
    /// What happened.
    pub report: Report,
}

impl Solution {
    /// Velocities.
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.iterate.velocity
    }
    /// Impulses, row by row.
    #[must_use]
    pub fn impulse(&self) -> &[f64] {
        &self.iterate.impulse
    }

    /// Whether the start was good enough to be the answer.
    #[must_use]
    pub fn was_start(&self) -> bool {
        self.report.method == WARM_START
    }

    /// No answer yet, with a tolerance that nothing has met.
    pub(crate) fn empty(tolerance: Tolerance) -> Self {
        Self {
            iterate: Iterate::default(),
            relative_velocity: Vec::new(),
            report: Report {
                method: "",
                kkt: None,
                facets: None,
                status: Status::IterationLimit,
                tolerance,
                iterations: 0,
                phases: Vec::new(),
                residuals: Residuals::default(),
                objective: 0.0,
                history: Vec::new(),
                timings: Timings::default(),
                factor_entries: 0,
                attempts: Vec::new(),
            },
        }
    }

    /// The same again, in the memory it has.
    pub(crate) fn reset(&mut self, method: &'static str, tolerance: Tolerance) {
        let Report { phases, history, attempts, .. } = &mut self.report;
        phases.clear();
        history.clear();
        attempts.clear();
        let (phases, history, attempts) = (take(phases), take(history), take(attempts));
        self.report = Report { method, phases, history, attempts, ..Self::empty(tolerance).report };
    }

    /// Takes the answer last measured.
    pub(crate) fn take(&mut self, meter: &ResidualMeter, impulse: &[f64], residuals: Residuals) {
        let halves = Halves::new(COPIED, meter.threads());
        halves.copy(meter.velocity(), &mut self.iterate.velocity);
        halves.copy(impulse, &mut self.iterate.impulse);
        halves.copy(meter.relative_velocity(), &mut self.relative_velocity);
        self.report.residuals = residuals;
        self.report.objective = meter.objective();
    }

    /// Goes on from an earlier attempt at the same problem: the record is that of both, the answer the better one's. `earlier` is
    /// left with the other answer.
    pub(crate) fn follow(&mut self, earlier: &mut Self) {
        let (report, before) = (&mut self.report, &mut earlier.report);
        report.iterations += before.iterations;
        report.history.iter_mut().for_each(|entry| entry.iteration += before.iterations);
        // The earlier record comes first. It is put together there and copied: each list keeps its own memory, so that the next solve of
        // this kind finds it large enough.
        before.phases.append(&mut report.phases);
        before.history.append(&mut report.history);
        report.phases.extend_from_slice(&before.phases);
        report.history.extend_from_slice(&before.history);
        // Both clocks started together: that of the second has the times of the first.
        let [was, is] = [&*before, &*report].map(|report| report.tolerance.ratio(&report.residuals));
        if is > was || is.is_nan() {
            report.residuals = before.residuals;
            report.objective = before.objective;
            (report.method, report.kkt, report.factor_entries) = (before.method, before.kkt, before.factor_entries);
            std::mem::swap(&mut self.iterate, &mut earlier.iterate);
            std::mem::swap(&mut self.relative_velocity, &mut earlier.relative_velocity);
        }
    }
}

/// Numbers one task copies.
const COPIED: usize = 32_768;
