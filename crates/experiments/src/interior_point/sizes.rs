//! Balls in a container, by their number (IP-1, IP-2): iterations should not grow with it.

use super::counts::{Counts, count, settings};
use super::scenes;
use crate::fit;
use crate::{Context, DataTable, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::Simulation;
use signorini_solver::{FrictionLaw, InteriorPoint, SolverSettings, Stopping, WarmStart, solve};

/// What was published: balls (n_v = 6 a ball) and mean iterations of 50 steps.
pub(super) type Published = [(usize, f64); 4];

/// The published sizes, and the quick ones.
const STEPS: u32 = 50;
const QUICK_BALLS: usize = 280;
/// Iterations that grow with a smaller power of the size than this do not depend on it: 1.3 times as many from 64 to 1190 balls.
const INDEPENDENT: f64 = 0.1;

/// Runs all sizes; `id` is for the commands.
pub(super) fn run(context: &Context<'_>, id: &str, stopping: Stopping, published: Published) -> Result<Outcome> {
    let mut table = DataTable::new(
        "iterations",
        "Iterations of 50 steps from a cold start, h = 0.02 s",
        &[
            "balls",
            "velocities",
            "most contacts",
            "mean iterations",
            "most iterations",
            "published mean",
            "steps missed",
        ],
    );
    let command = format!("signorini reproduce {id}");
    let mut outcome = Outcome::default();
    let (mut means, mut by_step, mut residuals) = (Vec::new(), Vec::new(), Vec::new());
    for (balls, mean) in published {
        let quantity = format!("mean iterations a step, {balls} balls");
        if context.is_quick() && balls > QUICK_BALLS {
            outcome.rows.push(not_run(&quantity, mean, &command));
            continue;
        }
        let what = format!("{balls} balls");
        let mut simulation = Simulation::new(scenes::container(balls)?, settings(0.02, stopping, WarmStart::None))?;
        let counts = count(context, &what, &mut simulation, STEPS)?;
        context.at(&format!("{what}, the step after, iteration by iteration"))?;
        residuals.extend(typical_step(&simulation, stopping, balls)?);
        table.push(vec![
            balls.into(),
            (6 * balls).into(),
            counts.contacts.into(),
            counts.mean().into(),
            counts.most().into(),
            mean.into(),
            counts.missed.into(),
        ]);
        outcome.rows.push(row(&quantity, &counts, mean, &command));
        means.push([balls as f64, counts.mean()]);
        let steps = counts.iterations.iter().enumerate().map(|(k, n)| [(k + 1) as f64, f64::from(*n)]);
        by_step.push(Series::new(&what, steps));
    }
    outcome.rows.push(growth(&means, &published, &command));
    outcome.figures = vec![sizes_figure(&means, &published), steps_figure(by_step), residual_figure(residuals)];
    outcome.tables.push(table);
    outcome.notes.push(
        "The paper does not say where the balls start: here on a square grid just above each other, falling for the first steps. \
         Contacts within 1 % of a radius count, and those that may close in a step: 3 a \
         ball with 64 balls, 8 with 1190 (the table), where the paper has 14 at every size. Piles of different size are less alike here."
            .into(),
    );
    Ok(outcome)
}

fn row(quantity: &str, counts: &Counts, published: f64, command: &str) -> Row {
    let missed = counts.missed > 0;
    Row {
        quantity: quantity.into(),
        published: published.to_string(),
        ours: format!("{:.1}", counts.mean()),
        ratio: Some(counts.mean() / published),
        verdict: if missed { Verdict::Short } else { Verdict::less_is_better(counts.mean(), published) },
        command: command.into(),
        note: if missed {
            format!("{} of {STEPS} steps did not meet the stopping rule", counts.missed)
        } else {
            String::new()
        },
    }
}

fn not_run(quantity: &str, published: f64, command: &str) -> Row {
    Row {
        quantity: quantity.into(),
        published: published.to_string(),
        ours: String::new(),
        ratio: None,
        verdict: Verdict::NotRun,
        command: command.into(),
        note: String::new(),
    }
}

/// Whether iterations are independent of the size, or below the published ones wherever they grow.
fn growth(means: &[[f64; 2]], published: &Published, command: &str) -> Row {
    let theirs = fit::power(&published.map(|(balls, mean)| [balls as f64, mean]));
    let ours = fit::power(means);
    // Two sizes are no trend.
    let is_trend = means.len() > 2;
    let verdict = if is_trend { Verdict::holds(ours <= INDEPENDENT) } else { Verdict::NotRun };
    let note = match (verdict, means) {
        (Verdict::Short, [.., before, last]) => {
            let end = fit::power(&[*before, *last]);
            let fewer = means
                .iter()
                .all(|[balls, mean]| published.iter().any(|(size, theirs)| *size as f64 == *balls && mean < theirs));
            let fewer = if fewer { "; every size needs fewer iterations than published" } else { "" };
            format!(
                "Iterations grow with the size here: 64 balls lie in one layer, larger numbers in piles. Between the \
                 two largest p is {end:.2}{fewer}."
            )
        }
        _ => String::new(),
    };
    Row {
        quantity: "iterations do not depend on the size: exponent p of iterations ~ sizeᵖ, at most 0.1".into(),
        published: format!("{theirs:.2}"),
        ours: if is_trend { format!("{ours:.2}") } else { String::new() },
        ratio: None,
        verdict,
        command: command.into(),
        note,
    }
}

/// Residual and complementarity of the next step, iteration by iteration.
fn typical_step(simulation: &Simulation, stopping: Stopping, balls: usize) -> Result<Vec<Series>> {
    let method = InteriorPoint { stopping, polish: false, ..InteriorPoint::default() };
    let friction = FrictionLaw::Relaxed;
    let settings = SolverSettings { friction, history: true, ..SolverSettings::from(method) };
    let problem = simulation.problem()?;
    let solution = solve(&problem, &settings)?;
    let history = &solution.report.history;
    let each = problem.contacts().max(1) as f64;
    let residual = history.iter().map(|entry| [f64::from(entry.iteration), entry.residuals.natural_map_relative]);
    let mu = history.iter().map(|entry| [f64::from(entry.iteration), entry.residuals.complementarity / each]);
    Ok(vec![
        Series::new(&format!("{balls} balls, residual"), residual).with_dots(),
        Series::new(&format!("{balls} balls, μ [J]"), mu),
    ])
}

fn sizes_figure(means: &[[f64; 2]], published: &Published) -> Figure {
    let theirs = published.map(|(balls, mean)| [balls as f64, mean]);
    Figure {
        name: "size".into(),
        title: "Mean iterations a step against the number of balls".into(),
        x: "balls".into(),
        y: "iterations".into(),
        log: [true, false],
        series: vec![
            Series::new("ours", means.iter().copied()).with_dots(),
            Series::new("published", theirs).with_dots(),
        ],
        rules: Vec::new(),
    }
}

fn steps_figure(series: Vec<Series>) -> Figure {
    Figure {
        name: "steps".into(),
        title: "Iterations of each step".into(),
        x: "step".into(),
        y: "iterations".into(),
        series,
        ..Figure::default()
    }
}

fn residual_figure(series: Vec<Series>) -> Figure {
    Figure {
        name: "convergence".into(),
        title: "Convergence in the step after the last".into(),
        x: "iteration".into(),
        y: "natural map, relative; μ [J]".into(),
        log: [false, true],
        series,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: Published = [(64, 17.0), (280, 17.0), (595, 17.0), (1190, 17.0)];

    #[test]
    fn growth_with_the_size_falls_short_and_says_why() {
        let flat = growth(&[[64.0, 9.0], [280.0, 9.2], [1190.0, 9.1]], &PUBLISHED, "");
        assert_eq!((flat.verdict, flat.note.as_str()), (Verdict::AtPublished, ""));
        let growing = growth(&[[64.0, 4.0], [280.0, 9.0], [1190.0, 16.0]], &PUBLISHED, "");
        assert!(growing.verdict == Verdict::Short && !growing.note.is_empty());
        assert_eq!(growth(&[[64.0, 4.0], [280.0, 9.0]], &PUBLISHED, "").verdict, Verdict::NotRun);
    }

    #[test]
    fn steps_that_miss_their_rule_fall_short_however_few_iterations_they_took() {
        let counts = |missed| Counts { iterations: vec![2, 4], missed, ..Counts::default() };
        assert_eq!(row("", &counts(0), 17.0, "").verdict, Verdict::Better);
        assert_eq!(row("", &counts(1), 17.0, "").verdict, Verdict::Short);
    }
}
