//! PB-6: the kinetic energy against time is the same with every solver.

use super::fill::{Fill, Recipe, Taken};
use super::solvers::{self, BLMVM, QUASI_DEFINITE, REDUCED};
use crate::{Context, DataTable, Figure, Outcome, Row, Series, Verdict};

/// Two curves agree to plotting accuracy within this share of the largest kinetic energy: the width of a line.
const PLOTTING: f64 = 0.01;

pub(super) fn run(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let (pebbles, most_steps) = context.choose((60, 90), (800, 240));
    let mut fills = Vec::new();
    for name in [REDUCED, QUASI_DEFINITE, BLMVM] {
        let Some(solver) = solvers::named(name) else { continue };
        let label = format!("{pebbles} pebbles, {name}");
        let recipe =
            Recipe { label: &label, pebbles, method: solver.method, rest_energy: 0.2, most_steps, keep_every: None };
        fills.push((name, Fill::run(context, &recipe)?));
    }
    let mut outcome = Outcome::default();
    let columns =
        ["method", "steps", "mean time of a step [s]", "mean iterations", "steps missed", "largest difference"];
    let mut table = DataTable::new("pb-6", "Fills by different solvers", &columns);
    let reference = fills.first().map_or(&[][..], |(_, fill)| &fill.steps);
    for (name, fill) in &fills {
        let difference = largest_difference(reference, &fill.steps);
        table.push(vec![
            (*name).into(),
            fill.steps.len().into(),
            fill.mean_seconds().into(),
            fill.mean_iterations().into(),
            fill.missed().into(),
            difference.into(),
        ]);
        if *name == REDUCED {
            continue;
        }
        let verdict = agreement(difference);
        let note = match verdict {
            Verdict::Short => {
                "granular flow is chaotic: after the first impacts the pebbles of two runs are in different places"
            }
            _ => "",
        };
        let effort = if context.is_quick() { " --quick" } else { "" };
        outcome.rows.push(Row {
            quantity: format!("largest difference of kinetic energy from {REDUCED} over the largest: {name}"),
            published: "agrees to plotting accuracy (1 %)".into(),
            ours: format!("{difference:.1e}"),
            ratio: None,
            verdict,
            command: format!("signorini reproduce PB-6{effort}"),
            note: note.into(),
        });
    }
    let line =
        |(name, fill): &(&str, Fill)| Series::new(name, fill.steps.iter().map(|taken| [taken.time, taken.kinetic]));
    outcome.figures.push(Figure {
        name: "pb-6-energy".into(),
        title: format!("Kinetic energy of {pebbles} pebbles"),
        x: "time [s]".into(),
        y: "kinetic energy".into(),
        log: [false, true],
        series: fills.iter().map(line).collect(),
        rules: Vec::new(),
    });
    let times =
        |(name, fill): &(&str, Fill)| Series::new(name, fill.steps.iter().map(|taken| [taken.time, taken.seconds]));
    outcome.figures.push(Figure {
        name: "pb-6-time".into(),
        title: format!("Time of a step of {pebbles} pebbles"),
        x: "time [s]".into(),
        y: "time of a step [s]".into(),
        log: [false, true],
        series: fills.iter().map(times).collect(),
        rules: Vec::new(),
    });
    outcome.tables.push(table);
    Ok(outcome)
}

/// Over the steps both have, relative to the largest energy of the reference.
fn largest_difference(reference: &[Taken], other: &[Taken]) -> f64 {
    let largest = reference.iter().map(|taken| taken.kinetic).fold(0.0, f64::max);
    let differences = reference.iter().zip(other).map(|(a, b)| (a.kinetic - b.kinetic).abs());
    differences.fold(0.0, f64::max) / largest.max(f64::MIN_POSITIVE)
}

fn agreement(difference: f64) -> Verdict {
    Verdict::holds(difference <= PLOTTING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_agree_within_the_width_of_a_line() {
        let taken = |kinetic| Taken { time: 0.0, kinetic, seconds: 0.0, iterations: 0, contacts: 0, converged: true };
        let (a, b) = ([taken(100.0), taken(50.0)], [taken(100.0), taken(49.0), taken(0.0)]);
        assert!((largest_difference(&a, &b) - 0.01).abs() < 1e-15);
        assert_eq!(agreement(0.005), Verdict::AtPublished);
        assert_eq!(agreement(0.02), Verdict::Short);
        assert_eq!(agreement(f64::NAN), Verdict::Short);
    }
}
