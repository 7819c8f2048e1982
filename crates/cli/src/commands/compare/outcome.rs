//! What a comparison found: files, runs, and how each run ended.

use super::agreement::Difference;
use signorini_solver::{FrictionLaw, HistoryEntry, Residuals, Status, Tolerance};

/// Everything found.
pub(crate) struct Comparison {
    /// Names of the solvers, in the order they ran.
    pub(crate) solvers: Vec<&'static str>,
    /// What every run was asked for.
    pub(crate) tolerance: Tolerance,
    pub(crate) law: FrictionLaw,
    pub(crate) time_limit: f64,
    pub(crate) files: Vec<FileRuns>,
    /// Files that could not be used, and why.
    pub(crate) unusable: Vec<(String, String)>,
    /// Runs that were asked for and not made.
    pub(crate) left: usize,
}

/// The runs on one file.
pub(crate) struct FileRuns {
    /// The path as the user gave it.
    pub(crate) name: String,
    /// A shorter name that no other file of the comparison has.
    pub(crate) label: String,
    pub(crate) contacts: usize,
    pub(crate) velocities: usize,
    pub(crate) rows: usize,
    pub(crate) runs: Vec<Run>,
}

/// One solver on one file.
pub(crate) struct Run {
    pub(crate) solver: &'static str,
    pub(crate) outcome: Outcome,
}

/// How a run ended.
pub(crate) enum Outcome {
    /// The solver does not take such problems; the reason.
    NotAccepted(String),
    /// There is no answer; the reason.
    Failed(String),
    /// There is an answer.
    Answered(Box<Answer>),
}

/// An answer and what it took.
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// Whether the tolerance was reached, and when.
    pub(crate) reached: Option<Reached>,
    /// Seconds and iterations in all, the history left out.
    pub(crate) seconds: f64,
    pub(crate) setup_seconds: f64,
    pub(crate) iterations: u32,
    /// Runs made; the fastest is reported.
    pub(crate) repeats: u32,
    pub(crate) residuals: Residuals,
    pub(crate) objective: f64,
    pub(crate) peak_memory_bytes: Option<u64>,
    pub(crate) factor_entries: usize,
    /// To the most accurate answer; `None` when interrupted before it was known.
    pub(crate) difference: Option<Difference>,
    /// This is the most accurate answer.
    pub(crate) is_reference: bool,
    /// Kept only for the plots of a report.
    pub(crate) history: Vec<HistoryEntry>,
}

/// What it took to reach the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reached {
    pub(crate) seconds: f64,
    pub(crate) iterations: u32,
}

impl Comparison {
    /// The residual the tolerance speaks of.
    pub(crate) fn residual(&self, residuals: &Residuals) -> f64 {
        match self.tolerance {
            Tolerance::Relative(_) => residuals.natural_map_relative,
            Tolerance::Velocity(_) => residuals.natural_map,
        }
    }
    /// The tolerance for people.
    pub(crate) fn tolerance_name(&self) -> String {
        match self.tolerance {
            Tolerance::Relative(value) => format!("{value:e}"),
            Tolerance::Velocity(value) => format!("{value:e} m/s"),
        }
    }
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.files.iter().flat_map(|file| &file.runs)
    }
}

impl Run {
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answered(answer) => Some(answer),
            _ => None,
        }
    }
    /// Drops what only plots need.
    pub(crate) fn forget_history(&mut self) {
        if let Outcome::Answered(answer) = &mut self.outcome {
            answer.history = Vec::new();
        }
    }
    /// What it took, if it reached the tolerance.
    pub(crate) fn reached(&self) -> Option<Reached> {
        self.answer()?.reached
    }
    pub(crate) fn differs(&self) -> bool {
        self.answer().and_then(|answer| answer.difference).is_some_and(|difference| difference.differs)
    }
    pub(crate) fn status(&self) -> &'static str {
        match &self.outcome {
            Outcome::NotAccepted(_) => "not-accepted",
            Outcome::Failed(_) => "error",
            Outcome::Answered(answer) => answer.status.name(),
        }
    }
    /// Why it did not do better.
    pub(crate) fn reason(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::NotAccepted(reason) | Outcome::Failed(reason) => Some(reason),
            Outcome::Answered(answer) => match answer.status {
                Status::Stalled(reason) => Some(reason),
                _ => None,
            },
        }
    }
}
