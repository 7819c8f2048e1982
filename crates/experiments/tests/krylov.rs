//! Quick runs of the experiments of the Krylov and spectral methods paper.
#![allow(missing_docs)]

mod common;

use common::{outcome_of, verdict_of};
use signorini_experiments::Verdict;

#[test]
fn krylov_and_spectral_methods_are_far_ahead_of_jacobi() {
    let outcome = outcome_of("KS-2");
    for method in ["spg", "gpminres"] {
        let row = format!("{method}: lead on Jacobi in objective after 1000 iterations");
        assert_eq!(verdict_of(&outcome, &row), Verdict::AtPublished, "{row}");
    }
    assert_eq!(verdict_of(&outcome, "contacts"), Verdict::AtPublished);
    assert_eq!(verdict_of(&outcome, "SPG in objective after 100"), Verdict::AtPublished);
    assert!(outcome.figures.len() >= 6 && outcome.figures.iter().all(|figure| figure.series.len() >= 4));
}
