//! Time-steppers: the experiments on them with all tables and pictures, and the cost of steps of long chains.

mod chain;

use crate::sheet::{Places, Sheet};
use crate::table::{Table, Value};
use anyhow::{Context as _, Result, anyhow};
use signorini_experiments::{Cell, Context, DataTable, Effort, find};
use std::sync::atomic::AtomicBool;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure; all of it unless some are named
    #[arg(value_enum, value_name = "PART")]
    parts: Vec<Part>,
    #[command(flatten)]
    places: Places,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Fitted order and error of positions, velocities and joint forces on four motions (TS-1)
    Orders,
    /// Spectral radius against h/T, measured and in closed form (TS-2)
    Dissipation,
    /// Joint force of a pendulum: who oscillates (TS-3)
    Multipliers,
    /// Violation of joints (TS-4)
    Drift,
    /// Drift of energy (TS-7)
    Energy,
    /// Error of Andrews' squeezer at 0.03 s against steps and time (ME-1)
    Andrews,
    /// Singular and over-constrained mechanisms for ten seconds (ME-2, ME-3)
    Mechanisms,
    /// Cost of a step against the number of links of a chain
    Chain,
}

impl Part {
    /// The experiments that measure it.
    fn experiments(self) -> &'static [&'static str] {
        match self {
            Self::Orders => &["TS-1"],
            Self::Dissipation => &["TS-2"],
            Self::Multipliers => &["TS-3"],
            Self::Drift => &["TS-4"],
            Self::Energy => &["TS-7"],
            Self::Andrews => &["ME-1"],
            Self::Mechanisms => &["ME-2", "ME-3"],
            Self::Chain => &[],
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    use clap::ValueEnum;
    let sheet = Sheet { kind: "steppers", places: &arguments.places };
    for part in Part::value_variants() {
        if !arguments.parts.is_empty() && !arguments.parts.contains(part) {
            continue;
        }
        let at = || format!("{part:?}").to_lowercase();
        part.experiments().iter().try_for_each(|id| experiment(&sheet, id)).with_context(at)?;
        if *part == Part::Chain {
            chain::run(&sheet).with_context(at)?;
        }
    }
    Ok(())
}

/// Runs an experiment; keeps its tables and figures, prints what it found.
fn experiment(sheet: &Sheet<'_>, id: &str) -> Result<()> {
    let experiment = find(id).ok_or_else(|| anyhow!("there is no experiment {id}"))?;
    let effort = if sheet.is_quick() { Effort::Quick } else { Effort::Full };
    let outcome = (experiment.run)(&Context { effort, stop: &AtomicBool::new(false), progress: &|_| () })?;
    println!("\n{id}: {}", experiment.title);
    let mut rows = Table::new(&["what", "published", "ours", "verdict"]);
    for row in &outcome.rows {
        rows.push([&row.quantity, &row.published, &row.ours, row.verdict.words()].map(Value::text).to_vec());
    }
    rows.print();
    for table in &outcome.tables {
        sheet.keep(&table.name, &shown(table))?;
    }
    outcome.figures.iter().try_for_each(|figure| sheet.picture(&figure.name, &figure.plot()))
}

fn shown(data: &DataTable) -> Table {
    let columns: Vec<&str> = data.columns.iter().map(String::as_str).collect();
    let mut table = Table::new(&columns);
    for row in &data.rows {
        let value = |cell: &Cell| match cell {
            Cell::Number(number) => Value::Exact(*number),
            Cell::Text(text) => Value::text(text),
            Cell::Missing(()) => Value::Missing,
        };
        table.push(row.iter().map(value).collect());
    }
    table
}
