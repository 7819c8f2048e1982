//! Reading a run folder, also while it is written and after a crash.

use super::error::{damaged, reading};
use super::{Checkpoint, ContactRow, ForceRow, Frames, Manifest, MeshRecord, RunError, StepRow, Summary};
use super::{checkpoint, contacts, flexible, forces, readable_steps, trajectory};
use signorini_mechanics::Model;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// A run folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    manifest: Manifest,
}

impl RunFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// No run there, a damaged run.json, or one of another version.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        Ok(Self { path: path.to_path_buf(), manifest: Manifest::read(path, false)? })
    }

    /// Opens a folder to look at it: one of an earlier format too, which cannot be resumed.
    ///
    /// # Errors
    /// No run there, a damaged run.json, or one of a later version.
    pub fn open_to_view(path: &Path) -> Result<Self, RunError> {
        Ok(Self { path: path.to_path_buf(), manifest: Manifest::read(path, true)? })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// What is run, and how it ended.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All complete steps. A last line that was cut short does not count.
    ///
    /// # Errors
    /// A file that cannot be read, or lines that make no sense.
    pub fn steps(&self) -> Result<Vec<StepRow>, RunError> {
        self.steps_of(None)
    }

    /// The steps before the first line that makes no sense, and what is wrong with that line. Columns are found by their names:
    /// those an earlier format does not have are 0 or none.
    #[must_use]
    pub fn readable_steps(&self) -> (Vec<StepRow>, Option<RunError>) {
        readable_steps::read_named(&self.path.join(super::STEPS))
    }

    /// Contact forces line by line, in the order of steps; none if they were not asked for. Nothing comes after an error.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn contact_rows(&self) -> Result<Option<impl Iterator<Item = Result<ContactRow, RunError>> + use<>>, RunError> {
        self.manifest.output.contacts.then(|| contacts::rows(&self.path.join(super::CONTACTS))).transpose()
    }

    /// Forces of joints and of forces line by line; none if they were not asked for. Nothing comes after an error.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn force_rows(&self) -> Result<Option<impl Iterator<Item = Result<ForceRow, RunError>> + use<>>, RunError> {
        self.manifest.output.forces.then(|| forces::rows(&self.path.join(super::FORCES))).transpose()
    }

    /// A model of the flexible bodies and nothing else: what gives strains and stresses of frames.
    ///
    /// # Errors
    /// A file that cannot be read, or that does not fit run.json.
    pub fn flexible_model(&self) -> Result<Model, RunError> {
        flexible::model(&self.path, &self.manifest.flexible)
    }

    /// Whether steps.csv has the columns of an earlier program.
    pub(super) fn has_earlier_steps(&self) -> Result<bool, RunError> {
        let path = self.path.join(super::STEPS);
        let mut header = String::new();
        let file = std::fs::File::open(&path).map_err(reading(&path))?;
        std::io::BufReader::new(file).read_line(&mut header).map_err(reading(&path))?;
        Ok(header != StepRow::header())
    }

    /// Steps within the first `length` bytes.
    pub(super) fn steps_of(&self, length: Option<u64>) -> Result<Vec<StepRow>, RunError> {
        let path = self.path.join(super::STEPS);
        let mut bytes = std::fs::read(&path).map_err(reading(&path))?;
        bytes.truncate(length.map_or(usize::MAX, |length| length as usize));
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let text = std::str::from_utf8(&bytes[..end]).map_err(|error| damaged(&path, error.to_string()))?;
        let mut lines = text.lines();
        let Some(header) = lines.next() else { return Ok(Vec::new()) };
        let Some(parse) = StepRow::parser(header) else {
            return Err(damaged(&path, "its first line is not that of a steps.csv of this version"));
        };
        let mut rows = Vec::new();
        for (at, line) in lines.enumerate() {
            let row = parse(line, &path, at + 2)?;
            if row.step != at as u64 + 1 {
                return Err(damaged(&path, format!("line {} is of step {}, expected {}", at + 2, row.step, at + 1)));
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Number of the last complete step; 0 before the first.
    ///
    /// # Errors
    /// As [`RunFolder::steps`].
    pub fn last_step(&self) -> Result<u64, RunError> {
        Ok(self.steps()?.last().map_or(0, |row| row.step))
    }

    /// The frames: frame k is after step k · `output.every`. A last frame that was cut short does not count.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn frames(&self) -> Result<Frames, RunError> {
        let path = self.path.join(super::TRAJECTORY);
        Frames::open(&path, self.manifest.bodies.len(), self.manifest.nodes())
    }

    /// Contact forces of all frames up to the last complete step; none if they were not asked for.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn contacts(&self) -> Result<Option<Vec<ContactRow>>, RunError> {
        match self.manifest.output.contacts {
            true => contacts::read(&self.path.join(super::CONTACTS), self.last_step()?).map(Some),
            false => Ok(None),
        }
    }

    /// Forces of joints and of forces of all frames up to the last complete step; none if they were not asked for.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn forces(&self) -> Result<Option<Vec<ForceRow>>, RunError> {
        match self.manifest.output.forces {
            true => forces::read(&self.path.join(super::FORCES), self.last_step()?).map(Some),
            false => Ok(None),
        }
    }

    /// The last checkpoint.
    ///
    /// # Errors
    /// A file that is missing, damaged or of another version, or that belongs to another run.
    pub fn checkpoint(&self) -> Result<Checkpoint, RunError> {
        let read = checkpoint::read(&self.path)?;
        let (found, expected) = (read.state.poses.len(), self.manifest.bodies.len());
        if found != expected {
            let path = self.path.join(super::CHECKPOINT);
            return Err(damaged(&path, format!("it has {found} bodies, run.json has {expected}")));
        }
        let (found, expected) = (read.state.nodes.len(), self.manifest.nodes());
        if found != expected {
            let path = self.path.join(super::CHECKPOINT);
            let problem = format!("it has {found} nodes of flexible bodies, run.json has {expected}");
            return Err(damaged(&path, problem));
        }
        Ok(read)
    }

    /// All steps together, from steps.csv: also for a run that crashed. Without a hash of the state. For a run of an earlier program that
    /// did not store the energy before the first step, that after it counts as the energy at the start.
    ///
    /// # Errors
    /// As [`RunFolder::steps`].
    pub fn summary(&self) -> Result<Summary, RunError> {
        let rows = self.steps()?;
        let after_first = || rows.first().map(StepRow::energy);
        let energy = self.manifest.energy_at_start.or_else(after_first).unwrap_or_default();
        let mut summary = Summary::start(&self.manifest, &energy);
        rows.iter().for_each(|row| summary.add(row));
        summary.took(summary.seconds.total());
        Ok(summary)
    }

    /// Meshes and materials of the flexible bodies.
    ///
    /// # Errors
    /// A file that cannot be read, or that does not fit run.json.
    pub fn meshes(&self) -> Result<Vec<MeshRecord>, RunError> {
        flexible::read(&self.path, &self.manifest.flexible)
    }

    pub(super) fn frame_bytes(&self) -> u64 {
        trajectory::frame_bytes(self.manifest.bodies.len(), self.manifest.nodes())
    }
}
