//! Quick runs of the experiments of the QP solver paper.
#![allow(missing_docs)]

mod common;

use common::{outcome_of, verdict_of};
use signorini_experiments::Verdict;

#[test]
fn memory_is_measured_and_extrapolated() {
    let outcome = outcome_of("PB-5");
    let measured = outcome.tables[0].rows.len();
    // Nothing where the system does not tell.
    assert!(measured == 9 && outcome.rows.len() == 10 || measured == 0, "{measured} {}", outcome.rows.len());
}

#[test]
fn kinetic_energies_agree_between_solvers() {
    let outcome = outcome_of("PB-6");
    assert_eq!(verdict_of(&outcome, "largest difference"), Verdict::AtPublished, "{:?}", outcome.rows);
    assert_eq!(outcome.figures[0].series.len(), 3);
}
