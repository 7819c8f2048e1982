//! Runs an experiment and finds its rows.

use signorini_experiments::{Context, Effort, Outcome, Verdict, find};
use std::sync::atomic::AtomicBool;

/// A quick run.
pub(crate) fn outcome_of(id: &str) -> Outcome {
    let stop = AtomicBool::new(false);
    let context = Context { effort: Effort::Quick, stop: &stop, progress: &|_| {} };
    let experiment = find(id).expect("an id of the list");
    (experiment.run)(&context).expect("an outcome")
}

/// The verdict of the first row whose quantity begins so.
pub(crate) fn verdict_of(outcome: &Outcome, quantity: &str) -> Verdict {
    outcome
        .rows
        .iter()
        .find(|row| row.quantity.starts_with(quantity))
        .unwrap_or_else(|| panic!("no {quantity}"))
        .verdict
}
