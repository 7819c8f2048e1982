//! Interior-point iterations against size: they should not grow.

use crate::cases::PackingArguments;
use crate::our_run;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_solver::InteriorPoint;
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

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table =
        Table::new(&["packing", "bodies", "contacts", "iterations", "status", "residual", "time", "factor entries"]);
    for case in arguments.packings.cases(&[100, 1000, 10_000])? {
        let settings = our_run::with(InteriorPoint { polish: false, ..InteriorPoint::default() }, arguments.tol);
        let run = our_run::run(&case.problem, &settings)?;
        table.push(vec![
            Value::text(&case.name),
            Value::Count(case.problem.bodies()),
            Value::Count(case.problem.contacts()),
            Value::Count(run.report.iterations as usize),
            Value::text(run.report.status.name()),
            Value::Small(run.residual()),
            Value::Seconds(run.seconds),
            Value::Count(run.report.factor_entries),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}
