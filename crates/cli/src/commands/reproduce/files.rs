//! The folder of a reproduction: outcomes, report, tables, figures.

use super::machine::Machine;
use super::page;
use super::record::Record;
use super::sheet::Sheet;
use crate::whole_file::write_whole;
use anyhow::{Context, Result};
use serde::Serialize;
use signorini_experiments::{Cell, DataTable, Verdict};
use std::fs;
use std::path::{Path, PathBuf};

const OUTCOMES: &str = "outcomes";

/// Where everything goes.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder if there is none.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let outcomes = path.join(OUTCOMES);
        fs::create_dir_all(&outcomes).with_context(|| format!("cannot make the folder {}", outcomes.display()))?;
        Ok(Self { path: path.to_owned() })
    }

    pub(super) fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// The outcome kept of an experiment; one that cannot be read is found again.
    pub(super) fn record(&self, id: &str) -> Option<Record> {
        let text = fs::read_to_string(self.path.join(OUTCOMES).join(format!("{id}.json"))).ok()?;
        serde_json::from_str::<Record>(&text).ok().filter(|record| record.id == id)
    }

    /// Keeps an outcome, with its tables and figures.
    pub(super) fn keep(&self, record: &Record) -> Result<()> {
        let own = self.path.join(&record.id);
        fs::create_dir_all(&own).with_context(|| format!("cannot make the folder {}", own.display()))?;
        for table in &record.outcome.tables {
            write(&own.join(format!("{}.csv", table.name)), &csv_of(table)?)?;
        }
        for figure in &record.outcome.figures {
            write(&own.join(format!("{}.svg", figure.name)), &figure.plot().document())?;
        }
        // Last: what has an outcome has everything else.
        let text = serde_json::to_string_pretty(record).context("cannot write an outcome as JSON")?;
        write(&self.path.join(OUTCOMES).join(format!("{}.json", record.id)), &text)
    }

    /// Writes the page and the table of all rows.
    pub(super) fn write_report(&self, sheet: &Sheet, machine: &Machine) -> Result<()> {
        write(&self.path.join("results.csv"), &results(sheet)?)?;
        write(&self.report(), &page::page(sheet, machine))
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    write_whole(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// One line of `results.csv`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    quantity: &'a str,
    published: &'a str,
    ours: &'a str,
    ratio: Option<f64>,
    verdict: Verdict,
    command: &'a str,
    note: &'a str,
}

fn results(sheet: &Sheet) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(["id", "quantity", "published", "ours", "ratio", "verdict", "command", "note"])?;
    for section in &sheet.sections {
        for row in section.rows() {
            writer.serialize(Line {
                id: section.experiment.id,
                quantity: &row.quantity,
                published: &row.published,
                ours: &row.ours,
                ratio: row.ratio,
                verdict: row.verdict,
                command: &row.command,
                note: &row.note,
            })?;
        }
    }
    text(writer)
}

fn csv_of(table: &DataTable) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&table.columns)?;
    for row in &table.rows {
        let cell = |cell: &Cell| match cell {
            Cell::Number(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
            Cell::Missing(()) => String::new(),
        };
        writer.write_record(row.iter().map(cell))?;
    }
    text(writer)
}

fn text(writer: csv::Writer<Vec<u8>>) -> Result<String> {
    Ok(String::from_utf8(writer.into_inner()?)?)
}
