//! Plots of the report.

use crate::commands::compare::outcome::{Answer, Comparison, FileRuns, Reached};
use crate::commands::compare::profile;
use signorini_plot::{Axis, Curve, Plot, Rule};
use signorini_solver::{FrictionLaw, HistoryEntry, Tolerance};

/// How the runs on one file went: residual, distance to the least objective, contacts that carry force.
pub(super) fn of_file(comparison: &Comparison, file: &FileRuns) -> Vec<String> {
    if file.runs.iter().filter_map(|run| run.answer()).all(|answer| answer.history.is_empty()) {
        return Vec::new();
    }
    let residual = |entry: &HistoryEntry| comparison.residual(&entry.residuals);
    let (Tolerance::Relative(tolerance) | Tolerance::Velocity(tolerance)) = comparison.tolerance;
    let rules = vec![Rule { name: format!("tolerance {}", comparison.tolerance_name()), at: tolerance }];
    let residual_axis = Axis::logarithmic(match comparison.tolerance {
        Tolerance::Relative(_) => "natural map, relative",
        Tolerance::Velocity(_) => "natural map [m/s]",
    });
    let iteration = |entry: &HistoryEntry| f64::from(entry.iteration);
    let iterations = Axis::logarithmic("iteration");
    let mut plots = vec![
        Plot {
            title: "Residual against iterations".into(),
            x: iterations.clone(),
            y: residual_axis.clone(),
            curves: curves(comparison, file, |entry| [iteration(entry), residual(entry)]),
            rules: rules.clone(),
            ..Plot::default()
        },
        Plot {
            title: "Residual against time".into(),
            x: Axis::logarithmic("time [s]"),
            y: residual_axis,
            curves: curves(comparison, file, |entry| [entry.seconds, residual(entry)]),
            rules,
            ..Plot::default()
        },
    ];
    // Under the exact law nothing is minimised.
    if let (Some(least), true) = (reference_objective(file), comparison.law != FrictionLaw::Exact) {
        let unit = if least == 0.0 { 1.0 } else { least.abs() };
        plots.push(Plot {
            title: "Objective gap".into(),
            x: iterations.clone(),
            y: Axis::logarithmic(if least == 0.0 { "|f − f*| [J]" } else { "|f − f*| / |f*|" }),
            curves: curves(comparison, file, |entry| [iteration(entry), (entry.objective - least).abs() / unit]),
            ..Plot::default()
        });
    }
    plots.push(Plot {
        title: "Active set".into(),
        x: iterations,
        y: Axis::linear("contacts and joints that carry force"),
        curves: curves(comparison, file, |entry| [iteration(entry), entry.active as f64]),
        ..Plot::default()
    });
    plots.iter().map(Plot::svg).collect()
}

/// The objective of the most accurate answer.
fn reference_objective(file: &FileRuns) -> Option<f64> {
    let reference = file.runs.iter().filter_map(|run| run.answer()).find(|answer| answer.is_reference)?;
    Some(reference.objective).filter(|objective| objective.is_finite())
}

fn curves(comparison: &Comparison, file: &FileRuns, point: impl Fn(&HistoryEntry) -> [f64; 2]) -> Vec<Curve> {
    let answers = file.runs.iter().enumerate().filter_map(|(style, run)| Some((style, run.solver, run.answer()?)));
    let curve = |(style, solver, answer): (usize, &str, &Answer)| {
        let end = answer.reached.and(answer.history.last());
        let [status, time, iterations, relative, ..] = crate::commands::compare::table::cells(answer);
        let name = if comparison.solvers.len() > style { comparison.solvers[style] } else { solver };
        Curve {
            note: format!("{status}, {iterations} iterations, {time}, residual {relative}"),
            dots: end.map(&point).into_iter().collect(),
            ..Curve::new(name, style, answer.history.iter().map(&point).collect())
        }
    };
    answers.map(curve).collect()
}

/// Performance profiles by time and by iterations.
pub(super) fn profiles(comparison: &Comparison) -> Vec<String> {
    let by_time = |reached: Reached| reached.seconds;
    // No iteration at all is no less work than one: ratios need a number above zero.
    let by_iterations = |reached: Reached| f64::from(reached.iterations.max(1));
    [
        ("Time", "time / least time", profile_of(comparison, by_time)),
        ("Iterations", "iterations / fewest iterations", profile_of(comparison, by_iterations)),
    ]
    .into_iter()
    .map(|(title, label, profiles)| {
        let largest = profiles.iter().flatten().map(|step| step.0).fold(1.0, f64::max);
        let end = 10f64.powf(largest.log10().ceil().max(1.0));
        let named = comparison.solvers.iter().zip(profiles).enumerate();
        let plot = Plot {
            title: title.into(),
            x: Axis::logarithmic(label).within([1.0, end]),
            y: Axis::linear("share of problems").within([0.0, 1.02]),
            curves: named.map(|(style, (name, steps))| staircase(name, style, &steps, end)).collect(),
            ..Plot::default()
        };
        plot.svg()
    })
    .collect()
}

fn profile_of(comparison: &Comparison, cost: impl Fn(Reached) -> f64) -> Vec<Vec<(f64, f64)>> {
    let solvers = comparison.solvers.len();
    // A file whose runs were interrupted says nothing about the solvers that did not run.
    let files = comparison.files.iter().filter(|file| file.runs.len() == solvers);
    let costs: Vec<_> = files.map(|file| file.runs.iter().map(|run| run.reached().map(&cost)).collect()).collect();
    profile::profiles(&costs)
}

fn staircase(name: &str, style: usize, steps: &[(f64, f64)], end: f64) -> Curve {
    let mut points = vec![[1.0, 0.0]];
    let mut level = 0.0;
    for &(at, share) in steps {
        points.extend([[at, level], [at, share]]);
        level = share;
    }
    points.push([end, level]);
    let best = steps.first().filter(|step| step.0 == 1.0).map_or(0.0, |step| step.1);
    let note = format!("best on {:.0} %, solves {:.0} %", 100.0 * best, 100.0 * level);
    Curve { note, ..Curve::new(name, style, points) }
}
