//! Quick experiments of the interior-point publications, and what holds for every experiment.
#![allow(clippy::unwrap_used, clippy::panic)]

use signorini_experiments::{Context, Effort, Interrupted, Outcome, Verdict, all, find};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

fn quick(id: &str) -> Outcome {
    let stop = AtomicBool::new(false);
    let context = Context { effort: Effort::Quick, stop: &stop, progress: &|_| {} };
    let outcome = (find(id).unwrap().run)(&context).unwrap();
    for row in &outcome.rows {
        assert!(row.verdict != Verdict::Short || !row.note.is_empty(), "no reason why {} falls short", row.quantity);
        assert!(row.command.contains(id), "{}", row.command);
    }
    assert!(outcome.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    assert!(outcome.figures.iter().all(|figure| figure.plot().svg().starts_with("<svg")));
    outcome
}

/// Verdicts in the order of the rows.
fn verdicts(outcome: &Outcome) -> Vec<Verdict> {
    outcome.rows.iter().map(|row| row.verdict).collect()
}

#[test]
fn ids_are_unique_and_every_experiment_says_what_it_is_and_what_it_takes() {
    let ids: BTreeSet<&str> = all().map(|experiment| experiment.id).collect();
    assert_eq!(ids.len(), all().count());
    for own in all() {
        assert!(!own.title.is_empty() && !own.source.is_empty() && own.description.len() > 80, "{}", own.id);
        assert!(own.seconds[0] > 0.0 && own.seconds[0] <= own.seconds[1], "{}", own.id);
    }
}

#[test]
fn piles_take_fewer_iterations_than_published() {
    use Verdict::{Better, NotRun};
    for id in ["IP-1", "IP-2"] {
        assert_eq!(verdicts(&quick(id)), [Better, Better, NotRun, NotRun, NotRun], "{id}");
    }
}

#[test]
fn full_warm_starts_take_fewer_iterations_than_published_and_no_start_takes_more() {
    let outcome = quick("IP-3");
    assert_eq!(outcome.rows.len(), 9);
    for (k, row) in outcome.rows.iter().enumerate() {
        assert_ne!(row.verdict, Verdict::Short, "{}: {}", row.quantity, row.ours);
        assert!(k % 3 != 2 || row.verdict == Verdict::Better, "{}: {}", row.quantity, row.ours);
    }
}

#[test]
fn stacks_of_growing_masses_stand_beyond_the_published_height() {
    let outcome = quick("IP-5");
    let growing = outcome.rows.iter().filter(|row| row.quantity.starts_with("10ⁿ"));
    assert_eq!(growing.map(|row| row.verdict).collect::<Vec<_>>(), [Verdict::Better; 2]);
}

#[test]
fn an_experiment_stops_where_it_is_asked_to() {
    let stop = AtomicBool::new(true);
    let context = Context { effort: Effort::Full, stop: &stop, progress: &|_| {} };
    for experiment in all().filter(|experiment| experiment.id.starts_with("IP")) {
        let Err(error) = (experiment.run)(&context) else { panic!("{} went on", experiment.id) };
        assert!(error.is::<Interrupted>(), "{}: {error:#}", experiment.id);
    }
}
