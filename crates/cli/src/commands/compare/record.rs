//! One run as a row of the CSV file and as a JSON object.

use super::outcome::{Comparison, FileRuns, Run};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};
use signorini_solver::Tolerance;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A row; all numbers with all digits.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    solver: &'static str,
    status: &'static str,
    met: bool,
    seconds_to_tolerance: Option<f64>,
    iterations_to_tolerance: Option<u32>,
    wall_seconds: Option<f64>,
    setup_seconds: Option<f64>,
    iterations: Option<u32>,
    repeats: Option<u32>,
    contacts: usize,
    velocities: usize,
    rows: usize,
    natural_map: Option<f64>,
    natural_map_relative: Option<f64>,
    primal: Option<f64>,
    dual: Option<f64>,
    complementarity: Option<f64>,
    momentum: Option<f64>,
    objective: Option<f64>,
    peak_memory_bytes: Option<u64>,
    factor_entries: Option<usize>,
    difference_relative: Option<f64>,
    difference: Option<f64>,
    difference_velocity: Option<f64>,
    reference: Option<bool>,
    differs: Option<bool>,
    reason: Option<&'a str>,
    tolerance: f64,
    tolerance_unit: &'static str,
    friction: &'static str,
}

impl<'a> Row<'a> {
    fn new(comparison: &Comparison, file: &'a FileRuns, run: &'a Run) -> Self {
        let answer = run.answer();
        let residuals = answer.map(|answer| answer.residuals);
        let difference = answer.and_then(|answer| answer.difference);
        let (tolerance, tolerance_unit) = match comparison.tolerance {
            Tolerance::Relative(value) => (value, "relative"),
            Tolerance::Velocity(value) => (value, "m/s"),
        };
        Self {
            file: &file.name,
            solver: run.solver,
            status: run.status(),
            met: run.reached().is_some(),
            seconds_to_tolerance: run.reached().map(|reached| reached.seconds),
            iterations_to_tolerance: run.reached().map(|reached| reached.iterations),
            wall_seconds: answer.map(|answer| answer.seconds),
            setup_seconds: answer.map(|answer| answer.setup_seconds),
            iterations: answer.map(|answer| answer.iterations),
            repeats: answer.map(|answer| answer.repeats),
            contacts: file.contacts,
            velocities: file.velocities,
            rows: file.rows,
            natural_map: residuals.map(|r| r.natural_map),
            natural_map_relative: residuals.map(|r| r.natural_map_relative),
            primal: residuals.map(|r| r.primal),
            dual: residuals.map(|r| r.dual),
            complementarity: residuals.map(|r| r.complementarity),
            momentum: residuals.map(|r| r.momentum),
            objective: answer.map(|answer| answer.objective),
            peak_memory_bytes: answer.and_then(|answer| answer.peak_memory_bytes),
            factor_entries: answer.map(|answer| answer.factor_entries),
            difference_relative: difference.map(|d| d.relative),
            difference: difference.map(|d| d.largest),
            difference_velocity: difference.map(|d| d.velocity),
            reference: difference.and(answer.map(|answer| answer.is_reference)),
            differs: difference.map(|d| d.differs),
            reason: run.reason(),
            tolerance,
            tolerance_unit,
            friction: comparison.law.name(),
        }
    }
}

/// The fields of `solve` under their names, and what a comparison adds.
pub(crate) fn object(comparison: &Comparison, file: &FileRuns, run: &Run) -> Value {
    let mut object = json!(Row::new(comparison, file, run));
    if let Some(map) = object.as_object_mut() {
        map.remove("tolerance_unit");
        map.insert("tolerance".into(), json!(comparison.tolerance));
        match run.answer() {
            Some(answer) => {
                map.retain(|name, _| !RESIDUALS.contains(&name.as_str()));
                map.insert("residual".into(), json!(answer.residuals));
            }
            // Without an answer there is nothing to say but why.
            None => map.retain(|_, value| !value.is_null()),
        }
    }
    object
}

const RESIDUALS: [&str; 6] = ["natural_map", "natural_map_relative", "primal", "dual", "complementarity", "momentum"];

/// The CSV file. Every run is written when it ends; when the last one of a file has ended its rows are written again, with
/// the differences that are known only then.
pub(crate) struct CsvFile {
    path: PathBuf,
    file: File,
    /// Where the rows of the current problem start.
    start: u64,
}

impl CsvFile {
    /// Creates the file, so that a path that cannot be written is known before the work.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            bail!("cannot write the table to {}: it is a folder", path.display());
        }
        let file = File::create(path).with_context(|| format!("cannot write the table to {}", path.display()))?;
        Ok(Self { path: path.to_path_buf(), file, start: 0 })
    }

    /// Writes the runs of one problem so far.
    pub(crate) fn write(&mut self, comparison: &Comparison, file: &FileRuns, complete: bool) -> Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(self.start == 0).from_writer(Vec::new());
        for run in &file.runs {
            writer.serialize(Row::new(comparison, file, run))?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        self.replace(&bytes, complete).with_context(|| format!("cannot write the table to {}", self.path.display()))
    }

    fn replace(&mut self, bytes: &[u8], complete: bool) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.write_all(bytes)?;
        let end = self.start + bytes.len() as u64;
        self.file.set_len(end)?;
        if complete {
            self.start = end;
        }
        Ok(())
    }
}
