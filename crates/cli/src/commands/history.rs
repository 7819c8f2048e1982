//! The residuals of every iteration, as one CSV file.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use signorini_solver::HistoryEntry;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file being written: complete lines at any time, whole files at a time.
pub(super) struct HistoryFile {
    path: PathBuf,
    file: File,
}

#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    iteration: u32,
    phase: &'a str,
    seconds: f64,
    natural_map: f64,
    natural_map_relative: f64,
    primal: f64,
    dual: f64,
    complementarity: f64,
    momentum: f64,
    objective: f64,
}

/// First line of the file, also when there is nothing to follow.
const HEADER: &str =
    "file,iteration,phase,seconds,natural_map,natural_map_relative,primal,dual,complementarity,momentum,objective\n";

impl HistoryFile {
    /// Creates the file, so that a path that cannot be written is known before the work.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            bail!("cannot write the history to {}: it is a folder", path.display());
        }
        let context = || format!("cannot write the history to {}", path.display());
        let mut file = File::create(path).with_context(context)?;
        file.write_all(HEADER.as_bytes()).with_context(context)?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Adds the history of one file.
    pub(super) fn append(&mut self, name: &str, history: &[HistoryEntry]) -> Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        for entry in history {
            let residuals = entry.residuals;
            writer.serialize(Row {
                file: name,
                iteration: entry.iteration,
                phase: entry.phase,
                seconds: entry.seconds,
                natural_map: residuals.natural_map,
                natural_map_relative: residuals.natural_map_relative,
                primal: residuals.primal,
                dual: residuals.dual,
                complementarity: residuals.complementarity,
                momentum: residuals.momentum,
                objective: entry.objective,
            })?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        // One write for the whole file: an interruption leaves all of its lines or none.
        self.file.write_all(&bytes).with_context(|| format!("cannot write the history to {}", self.path.display()))
    }
}
