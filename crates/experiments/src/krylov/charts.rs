//! Figures in the style of the paper: objective above the least and residual, against iterations and against time; contacts
//! that carry force; sorted impulses.

use super::pile::{FLOOR, Pile, Run, Sample};
use crate::{Cell, DataTable, Figure, Series};
use signorini_solver::HistoryEntry;

/// Points of a line: more are not seen.
const POINTS: usize = 240;
/// What is drawn of a history entry, given the entry and its gap.
type Quantity = fn(&HistoryEntry, f64) -> f64;
/// Name, labels of x and y, what they are, whether they are logarithmic.
type Chart<'a> = (&'a str, &'a str, &'a str, Quantity, Quantity, [bool; 2]);

/// Four figures of convergence and one of active sets, of all runs on one pile.
pub(super) fn convergence(prefix: &str, pile: &Pile, runs: &[&Run]) -> Vec<Figure> {
    let gap: Quantity = |_, gap| gap.max(FLOOR);
    let residual: Quantity = |entry, _| entry.residuals.natural_map_relative.max(FLOOR);
    let active: Quantity = |entry, _| entry.active as f64;
    let iterations: Quantity = |entry, _| f64::from(entry.iteration);
    let seconds: Quantity = |entry, _| entry.seconds;
    let objective = "(objective − least)/|least|";
    let norm = "‖(γ − Π(γ − τy))/τ‖ / ‖y₀‖";
    let all: [Chart<'_>; 5] = [
        ("objective-iterations", "iterations", objective, iterations, gap, [true, true]),
        ("objective-time", "time [s]", objective, seconds, gap, [true, true]),
        ("residual-iterations", "iterations", norm, iterations, residual, [true, true]),
        ("residual-time", "time [s]", norm, seconds, residual, [true, true]),
        ("active-set", "iterations", "contacts that carry force", iterations, active, [true, false]),
    ];
    let draw = |(name, x, y, across, up, log): Chart<'_>| Figure {
        name: format!("{prefix}-{name}"),
        title: format!("{}: {y} against {x}", pile.name),
        x: x.into(),
        y: y.into(),
        log,
        series: runs.iter().map(|run| line(pile, run, across, up)).collect(),
        rules: Vec::new(),
    };
    all.into_iter().map(draw).collect()
}

fn line(pile: &Pile, run: &Run, across: Quantity, up: Quantity) -> Series {
    let entries = thinned(&run.solution.report.history);
    let points = entries.into_iter().filter(|entry| entry.iteration > 0);
    Series::new(
        run.method,
        points.map(|entry| {
            let gap = pile.gap(entry);
            [across(entry, gap), up(entry, gap)]
        }),
    )
}

/// Entries evenly spread over the logarithm of their number.
fn thinned(history: &[HistoryEntry]) -> Vec<&HistoryEntry> {
    let last = history.len().saturating_sub(1) as f64;
    let mut places: Vec<usize> =
        (0..=POINTS).map(|k| ((1.0 + last).powf(k as f64 / POINTS as f64) - 1.0).round() as usize).collect();
    places.dedup();
    places.iter().filter_map(|&place| history.get(place)).collect()
}

/// Impulses in falling order, one line for each set.
pub(super) fn sorted_impulses(name: &str, pile: &Pile, sets: &[(&str, &[f64])]) -> Figure {
    let line = |(name, set): &(&str, &[f64])| {
        let mut sorted = set.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let every = sorted.len().div_ceil(POINTS).max(1);
        let points = sorted.iter().enumerate().step_by(every);
        Series::new(name, points.map(|(place, impulse)| [place as f64 + 1.0, *impulse]))
    };
    Figure {
        name: name.into(),
        title: format!("{}: impulses in falling order", pile.name),
        x: "contact".into(),
        y: "impulse γ [N·s]".into(),
        log: [true, false],
        series: sets.iter().map(line).collect(),
        rules: Vec::new(),
    }
}

/// All samples, one a row.
pub(super) fn table(name: &str, title: &str, samples: &[(usize, Sample)]) -> DataTable {
    let columns = [
        "problem",
        "contacts",
        "method",
        "iterations",
        "objective [J]",
        "above least, relative",
        "residual",
        "contacts that carry force",
        "time [s]",
    ];
    let mut table = DataTable::new(name, title, &columns);
    for (contacts, sample) in samples {
        let entry = &sample.entry;
        table.push(vec![
            Cell::from(sample.problem.as_str()),
            (*contacts).into(),
            sample.method.into(),
            entry.iteration.into(),
            entry.objective.into(),
            sample.gap.into(),
            entry.residuals.natural_map_relative.into(),
            entry.active.into(),
            entry.seconds.into(),
        ]);
    }
    table
}
