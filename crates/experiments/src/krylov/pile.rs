//! A frictionless pile in a cylinder, and what methods make of the problem of one step from no impulses.

use anyhow::Context as _;
use signorini_solver::family::CylinderPacking;
use signorini_solver::{ConeProblem, HistoryEntry, InteriorPoint, Method, Solution, SolverSettings, Tolerance, solve};

/// Accuracy of the least objective, relative: gaps below it say nothing and count as equal. So do residuals, which there
/// are soon rounding.
pub(super) const FLOOR: f64 = 1e-10;

/// A problem with its least objective.
pub(super) struct Pile {
    pub(super) name: String,
    pub(super) problem: ConeProblem,
    /// Impulses of the least objective.
    pub(super) impulse: Vec<f64>,
    pub(super) least: f64,
}

/// One method on one pile.
pub(super) struct Run {
    pub(super) method: &'static str,
    pub(super) solution: Solution,
}

/// What a method had after so many iterations.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) problem: String,
    pub(super) method: &'static str,
    /// As asked; the entry may be a few earlier.
    pub(super) iterations: u32,
    pub(super) entry: HistoryEntry,
    /// (objective − least)/|least|
    pub(super) gap: f64,
}

impl Pile {
    /// The problem of a packing, solved by the interior point.
    pub(super) fn new(name: &str, packing: &CylinderPacking) -> anyhow::Result<Self> {
        let problem = packing.problem().with_context(|| name.to_owned())?;
        let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(FLOOR));
        let solution = solve(&problem, &settings).with_context(|| name.to_owned())?;
        let least = solution.report.objective;
        Ok(Self { name: name.into(), problem, impulse: solution.iterate.impulse, least })
    }

    /// A run from g = 0 on one thread; the tolerance is out of reach, so that only rounding ends it before the limit.
    pub(super) fn run(&self, method: &'static str, settings: Method, iterations: u32) -> anyhow::Result<Run> {
        let settings = SolverSettings {
            method: settings,
            tolerance: Tolerance::Relative(1e-15),
            max_iterations: Some(iterations),
            history: true,
            parallel: false,
            ..SolverSettings::default()
        };
        let solution = solve(&self.problem, &settings).with_context(|| format!("{method} on {}", self.name))?;
        Ok(Run { method, solution })
    }

    /// (objective − least)/|least|
    pub(super) fn gap(&self, entry: &HistoryEntry) -> f64 {
        (entry.objective - self.least) / self.least.abs()
    }

    /// The last iterate recorded that took no more than so many iterations.
    pub(super) fn after(&self, run: &Run, iterations: u32) -> anyhow::Result<Sample> {
        let history = &run.solution.report.history;
        let entry = history.iter().rev().find(|entry| entry.iteration <= iterations).context("empty history")?;
        let gap = self.gap(entry);
        Ok(Sample { problem: self.name.clone(), method: run.method, iterations, entry: *entry, gap })
    }
}

impl Run {
    /// The first iterate whose objective is at most this.
    pub(super) fn reaching(&self, objective: f64) -> Option<&HistoryEntry> {
        self.solution.report.history.iter().find(|entry| entry.objective <= objective)
    }
}
