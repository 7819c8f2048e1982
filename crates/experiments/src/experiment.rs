//! One experiment of the list.

use crate::{Context, Effort, Outcome};

/// One experiment: what it is, what it costs, how it is run.
pub struct Experiment {
    /// The id of the benchmark list, as `IP-1`.
    pub id: &'static str,
    /// What it shows, in one line.
    pub title: &'static str,
    /// Where it was published, as `thesis (interior point)`.
    pub source: &'static str,
    /// Scene, parameters and what the paper left open, in a few sentences; shown in the report.
    pub description: &'static str,
    /// Seconds it takes on two cores, quick and full, as measured.
    pub seconds: [f64; 2],
    /// Runs it.
    pub run: fn(&Context<'_>) -> anyhow::Result<Outcome>,
}

impl Experiment {
    /// Seconds it is expected to take.
    #[must_use]
    pub fn expected_seconds(&self, effort: Effort) -> f64 {
        match effort {
            Effort::Quick => self.seconds[0],
            Effort::Full => self.seconds[1],
        }
    }
}
