//! Every form of the linear system on packings of several sizes: which one should be the default?

use crate::cases::PackingArguments;
use crate::our_run;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_solver::{InteriorPoint, KktForm};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    packings: PackingArguments,
    /// The residual to reach, `natural_map_relative`
    #[arg(long, default_value_t = 1e-7)]
    tol: f64,
    /// The best of so many runs is taken
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Forms to measure, separated by commas; all when not given
    #[arg(long, value_delimiter = ',', value_parser = form_of_name)]
    kkt: Vec<KktForm>,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

fn form_of_name(name: &str) -> Result<KktForm, String> {
    let found = KktForm::ALL.into_iter().find(|form| form.name() == name);
    found.ok_or_else(|| format!("expected one of {}", KktForm::ALL.map(|form| form.name()).join(", ")))
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "packing",
        "contacts",
        "form",
        "used",
        "iterations",
        "status",
        "residual",
        "time",
        "set-up",
        "factor entries",
    ]);
    let forms = if arguments.kkt.is_empty() { KktForm::ALL.to_vec() } else { arguments.kkt.clone() };
    for case in arguments.packings.cases(&[100, 1000])? {
        for &kkt in &forms {
            let settings = our_run::with(InteriorPoint { kkt, ..InteriorPoint::default() }, arguments.tol);
            let run = our_run::fastest(&case.problem, &settings, arguments.repeat)?;
            table.push(vec![
                Value::text(&case.name),
                Value::Count(case.problem.contacts()),
                Value::text(kkt.name()),
                Value::text(run.report.kkt.unwrap_or_default()),
                Value::Count(run.report.iterations as usize),
                Value::text(run.report.status.name()),
                Value::Small(run.residual()),
                Value::Seconds(run.seconds),
                Value::Seconds(run.report.timings.setup),
                Value::Count(run.report.factor_entries),
            ]);
        }
    }
    table.finish(arguments.csv.as_deref())
}
