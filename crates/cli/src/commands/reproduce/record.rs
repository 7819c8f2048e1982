//! An outcome as it is kept between runs of the program.

use super::date;
use serde::{Deserialize, Serialize};
use signorini_experiments::{Effort, Outcome};

/// An outcome and what it was found with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    /// Version of the program; outcomes of others are found again.
    pub(super) version: String,
    /// How the program was compiled.
    pub(super) build: String,
    pub(super) effort: Effort,
    /// What it took.
    pub(super) seconds: f64,
    /// When it ended, as `2026-01-31 12:00 UTC`.
    pub(super) finished: String,
    pub(super) outcome: Outcome,
}

impl Record {
    pub(super) fn new(id: &str, effort: Effort, seconds: f64, outcome: Outcome) -> Self {
        Self {
            id: id.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: crate::commands::doctor::build().to_owned(),
            effort,
            seconds,
            finished: date::now(),
            outcome,
        }
    }

    /// Whether this program found it.
    pub(super) fn is_current(&self) -> bool {
        self.version == env!("CARGO_PKG_VERSION")
    }

    /// Whether it answers what is asked: full outcomes answer quick questions too.
    pub(super) fn answers(&self, effort: Effort) -> bool {
        self.is_current() && (self.effort == effort || self.effort == Effort::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_of_the_published_sizes_answers_a_quick_question_and_not_the_other_way_round() {
        let of = |effort| Record::new("IP-1", effort, 1.0, Outcome::default());
        assert!(of(Effort::Full).answers(Effort::Quick) && of(Effort::Quick).answers(Effort::Quick));
        assert!(!of(Effort::Quick).answers(Effort::Full));
        let older = Record { version: "0.0.0".into(), ..of(Effort::Full) };
        assert!(!older.answers(Effort::Full) && !older.answers(Effort::Quick));
    }
}
