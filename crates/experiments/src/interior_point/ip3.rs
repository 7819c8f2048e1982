//! IP-3: what a warm start saves.

use super::counts::{count_from, settings};
use super::{THESIS, scenes};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::Model;
use signorini_solver::{Stopping, WarmStart};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "IP-3",
    title: "Warm starts: total iterations from none, partial and full",
    source: THESIS,
    description: "Total iterations of all steps, h = 0.02 s, stopping rule of 2015, from a cold start (none), from the velocities of the step \
                  before (partial), and from velocities, impulses and gaps (full): balls in a box (280, 50 steps; quick: 64), a ball \
                  and a brick at rest on a floor (100 steps). The brick has four contacts, one more than it needs.",
    seconds: [0.1, 2.8],
    run,
};

/// A scene with its published totals: none, partial, full.
struct Case {
    name: &'static str,
    model: fn(&Context<'_>) -> Result<Model>,
    steps: u32,
    published: [u32; 3],
}

const CASES: [Case; 3] = [
    Case {
        name: "balls in a box",
        model: |context| scenes::container(context.choose(64, 280)),
        steps: 50,
        published: [935, 927, 747],
    },
    Case { name: "a ball", model: |_| scenes::ball(), steps: 100, published: [720, 515, 90] },
    Case { name: "a brick", model: |_| scenes::brick(None), steps: 100, published: [499, 370, 81] },
];

const STARTS: [(&str, WarmStart); 3] =
    [("none", WarmStart::None), ("partial", WarmStart::Partial), ("full", WarmStart::Full)];

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "warm-starts",
        "Total iterations by scene and start",
        &["scene", "start", "steps", "iterations", "published", "most in a step", "steps without any", "steps missed"],
    );
    let mut outcome = Outcome::default();
    for case in &CASES {
        let mut series = Vec::new();
        for ((start, warm), published) in STARTS.into_iter().zip(case.published) {
            let what = format!("{}, {start}", case.name);
            let model = (case.model)(context)?;
            let counts = count_from(context, &what, model, settings(0.02, Stopping::Paper, warm), case.steps)?;
            let idle = counts.iterations.iter().filter(|iterations| **iterations == 0).count();
            table.push(vec![
                case.name.into(),
                start.into(),
                case.steps.into(),
                counts.total().into(),
                published.into(),
                counts.most().into(),
                idle.into(),
                counts.missed.into(),
            ]);
            outcome.rows.push(row(case, start, counts.total(), counts.missed, published));
            let steps = counts.iterations.iter().enumerate().map(|(k, n)| [(k + 1) as f64, f64::from(*n)]);
            series.push(Series::new(start, steps));
        }
        outcome.figures.push(Figure {
            name: case.name.replace(' ', "-"),
            title: format!("Iterations of each step: {}", case.name),
            x: "step".into(),
            y: "iterations".into(),
            series,
            ..Figure::default()
        });
    }
    outcome.tables.push(table);
    outcome.notes.push(
        "A step whose recycled answer meets the stopping rule as it stands takes no iteration; otherwise the recycled point is pushed inside \
         the cones first."
            .into(),
    );
    Ok(outcome)
}

fn row(case: &Case, start: &str, total: u32, missed: usize, published: u32) -> Row {
    let verdict = match missed {
        0 => Verdict::less_is_better(f64::from(total), f64::from(published)),
        _ => Verdict::Short,
    };
    let note = match (missed, verdict) {
        (0, Verdict::Short) => {
            "The warm point is pushed inside the cones, and each step finds its way back from there.".into()
        }
        (0, _) => String::new(),
        _ => format!("{missed} steps did not meet the stopping rule"),
    };
    Row {
        quantity: format!("{}: iterations in {} steps, warm start: {start}", case.name, case.steps),
        published: published.to_string(),
        ours: total.to_string(),
        ratio: Some(f64::from(total) / f64::from(published)),
        verdict,
        command: "signorini reproduce IP-3".into(),
        note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_iterations_or_missed_steps_fall_short_with_a_reason() {
        let of = |total, missed| row(&CASES[1], "full", total, missed, 90);
        assert_eq!(of(20, 0).verdict, Verdict::Better);
        assert_eq!(of(95, 0).verdict, Verdict::AtPublished);
        for short in [of(206, 0), of(20, 1)] {
            assert!(short.verdict == Verdict::Short && !short.note.is_empty());
        }
    }
}
