//! Peak resident memory of a solve against what it must hold: the factor and the problem.

use crate::cases::PackingArguments;
use crate::our_run;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_experiments::memory::{peak_bytes, reset_peak};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    packings: PackingArguments,
    /// The residual to reach, `natural_map_relative`
    #[arg(long, default_value_t = 1e-6)]
    tol: f64,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const MEGABYTE: f64 = 1e6;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "packing",
        "contacts",
        "problem MB",
        "factor MB",
        "resident before MB",
        "peak MB",
        "peak / (factor + problem)",
    ]);
    let sizes = arguments.packings.packings.clone().unwrap_or_else(|| vec![10_000]);
    for bodies in sizes {
        for &friction in &arguments.packings.friction {
            // One problem at a time: the others would count as resident.
            let one = PackingArguments { packings: Some(vec![bodies]), friction: vec![friction], ..arguments.packings };
            for case in one.cases(&[])? {
                let before = reset_peak().map(|bytes| bytes as f64);
                let run = our_run::run(&case.problem, &our_run::to(arguments.tol))?;
                let peak = before.and_then(|_| peak_bytes()).map(|bytes| bytes as f64);
                let (problem, factor) = (case.problem.memory_bytes() as f64, 8.0 * run.report.factor_entries as f64);
                let megabytes = |bytes: Option<f64>| match bytes {
                    Some(bytes) => Value::Ratio(bytes / MEGABYTE),
                    None => Value::text("unavailable"),
                };
                table.push(vec![
                    Value::text(&case.name),
                    Value::Count(case.problem.contacts()),
                    megabytes(Some(problem)),
                    megabytes(Some(factor)),
                    megabytes(before),
                    megabytes(peak),
                    peak.map_or(Value::text("unavailable"), |peak| Value::Ratio(peak / (factor + problem))),
                ]);
            }
        }
    }
    table.finish(arguments.csv.as_deref())
}
