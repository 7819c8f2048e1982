//! Starting points, further correctors and refinements over all problems: which should be the defaults?

use crate::cases::{Case, PackingArguments, file_cases};
use crate::our_run;
use crate::table::{Table, Value, median};
use anyhow::{Context, Result};
use signorini_solver::{InteriorPoint, Start, Tolerance};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders searched for FCLIB files (or files)
    #[arg(value_name = "DIR")]
    places: Vec<PathBuf>,
    #[command(flatten)]
    packings: PackingArguments,
    /// The residual to reach without polish, `natural_map_relative`
    #[arg(long, default_value_t = 1e-6)]
    tol: f64,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut cases = file_cases(&arguments.places)?;
    cases.extend(arguments.packings.cases(&[100, 1000])?);
    let plain = InteriorPoint { polish: false, ..Default::default() };
    let mut variants: Vec<InteriorPoint> =
        Start::ALL.iter().map(|&start| InteriorPoint { start, ..plain.clone() }).collect();
    variants.extend((0..=3).map(|correctors| InteriorPoint { correctors, ..plain.clone() }));
    variants.extend((0..=2).map(|refinements| InteriorPoint { refinements, ..plain.clone() }));
    let mut table = Table::new(&[
        "start",
        "correctors",
        "refinements",
        "solved",
        "of",
        "median",
        "total iterations",
        "most",
        "on",
        "total time",
    ]);
    for settings in &variants {
        table.push(row(settings, arguments.tol, &cases)?);
    }
    table.finish(arguments.csv.as_deref())
}

fn row(settings: &InteriorPoint, tolerance: f64, cases: &[Case]) -> Result<Vec<Value>> {
    let mut solved = Vec::new();
    let (mut seconds, mut most) = (0.0, (0, ""));
    for case in cases {
        let run = our_run::run(&case.problem, &our_run::with(settings.clone(), tolerance))
            .with_context(|| case.name.clone())?;
        seconds += run.seconds;
        if Tolerance::Relative(tolerance).met(&run.report.residuals) {
            solved.push(run.report.iterations);
        }
        most = most.max((run.report.iterations, &case.name));
    }
    Ok(vec![
        Value::text(settings.start.name()),
        Value::Count(settings.correctors as usize),
        Value::Count(settings.refinements as usize),
        Value::Count(solved.len()),
        Value::Count(cases.len()),
        median(solved.clone()).map_or(Value::Missing, |count| Value::Count(count as usize)),
        Value::Count(solved.iter().sum::<u32>() as usize),
        Value::Count(most.0 as usize),
        Value::text(most.1),
        Value::Seconds(seconds),
    ])
}
