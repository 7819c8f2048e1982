//! The experiments of the time-steppers and mechanisms, quick: their verdicts, commands, tables and figures.

use signorini_experiments::{Context, Effort, Outcome, Verdict, all, find};
use std::sync::atomic::AtomicBool;

fn quick(id: &str) -> Outcome {
    let experiment = find(id).expect("an experiment");
    let context = Context { effort: Effort::Quick, stop: &AtomicBool::new(false), progress: &|_| () };
    (experiment.run)(&context).unwrap_or_else(|error| panic!("{id}: {error:#}"))
}

/// Every row holds but those named; every row has a command, a shortfall a note; every table is as wide as its columns.
fn holds(id: &str, short: &[&str]) -> Outcome {
    let outcome = quick(id);
    assert!(!outcome.rows.is_empty(), "{id} says nothing");
    for row in &outcome.rows {
        let is_known = short.iter().any(|known| row.quantity.contains(known));
        assert_eq!(row.verdict == Verdict::Short, is_known, "{id}: {row:?}");
        assert!(row.command.starts_with("signorini ") || row.command.contains(" signorini "), "{id}: {row:?}");
        assert!(row.verdict != Verdict::Short || !row.note.is_empty(), "{id}: {row:?}");
    }
    for table in &outcome.tables {
        assert!(
            !table.rows.is_empty() && table.rows.iter().all(|row| row.len() == table.columns.len()),
            "{id}: {}",
            table.name
        );
    }
    for figure in &outcome.figures {
        assert!(figure.series.iter().all(|series| !series.points.is_empty()), "{id}: {}", figure.name);
        assert!(figure.plot().document().starts_with("<svg"));
    }
    outcome
}

#[test]
fn orders_are_those_of_the_methods() {
    let outcome = holds("TS-1", &[]);
    assert_eq!(outcome.rows.len(), 30);
}

#[test]
fn dissipation_is_that_of_the_closed_form() {
    holds("TS-2", &[]);
}

#[test]
fn multipliers_oscillate_without_damping_also_with_rho_one_against_the_notes() {
    holds("TS-3", &["generalised-alpha, rho 1"]);
}

#[test]
fn joints_drift_without_stabilisation_only() {
    holds("TS-4", &[]);
}

#[test]
fn painleves_rod_has_no_forces_but_impulses() {
    let outcome = holds("TS-5", &[]);
    assert!(
        outcome.rows.iter().any(|row| row.quantity.starts_with("impulse of the first step")),
        "the closed form applies"
    );
}

#[test]
fn only_the_relaxed_law_lifts_what_slides() {
    holds("TS-6", &[]);
}

#[test]
fn energy_stays_as_each_method_says() {
    holds("TS-7", &[]);
}

#[test]
fn linkages_meet_their_references() {
    for id in ["ME-1", "ME-2", "ME-3", "ME-4"] {
        holds(id, &[]);
    }
}

#[test]
fn motions_with_closed_forms_are_met() {
    for id in ["ME-5", "ME-6", "ME-7", "ME-8", "ME-12"] {
        holds(id, &[]);
    }
}

#[test]
fn tops_beams_and_chains_meet_their_closed_forms() {
    for id in ["ME-9", "ME-10", "ME-11"] {
        holds(id, &[]);
    }
}

#[test]
fn problems_that_are_not_there_are_not_run() {
    if std::env::var_os("SIGNORINI_PROBLEMS").is_none() {
        assert_eq!(quick("BP-1").rows[0].verdict, Verdict::NotRun);
    }
}

#[test]
fn an_interrupted_experiment_ends_at_once() {
    let stop = AtomicBool::new(true);
    for experiment in all().filter(|experiment| experiment.id.starts_with("TS") || experiment.id.starts_with("ME")) {
        let context = Context { effort: Effort::Full, stop: &stop, progress: &|_| () };
        let error = (experiment.run)(&context).expect_err(experiment.id);
        assert!(error.is::<signorini_experiments::Interrupted>(), "{}: {error:#}", experiment.id);
    }
}

#[test]
fn ids_are_found_once_whatever_their_capitals() {
    let ids: Vec<&str> = all().map(|experiment| experiment.id).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), ids.len(), "{ids:?}");
    assert!(find("ts-6").is_some() && find("me-12").is_some());
}
