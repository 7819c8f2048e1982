//! What can be shown of a run folder: all of it, or what is whole before the first damage.

use signorini_scene::run::{Frame, Frames, Manifest, RunError, RunFolder, StepRow};
use std::path::Path;

/// What keeps a run from being shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A run as pages and pictures show it.
pub struct Recording {
    folder: RunFolder,
    frames: Frames,
    steps: Vec<StepRow>,
    notes: Vec<String>,
}

impl Recording {
    /// Opens a run folder and keeps what is whole.
    ///
    /// # Errors
    /// No run there, or nothing of it can be read.
    pub fn open(path: &Path) -> Result<Self, ViewError> {
        let folder = RunFolder::open(path)?;
        let frames = folder.frames()?;
        let steps = folder.steps()?;
        Ok(Self { folder, frames, steps, notes: Vec::new() })
    }

    /// What is run.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.folder.manifest()
    }
    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }
    /// All whole steps.
    #[must_use]
    pub fn steps(&self) -> &[StepRow] {
        &self.steps
    }
    /// Number of whole frames; frame k is after step k · `output.every`.
    #[must_use]
    pub fn frame_count(&self) -> u64 {
        self.frames.len()
    }
    /// One frame.
    ///
    /// # Errors
    /// No such frame, or a file that cannot be read.
    pub fn frame(&mut self, index: u64) -> Result<Frame, ViewError> {
        Ok(self.frames.get(index)?)
    }
    /// What the user should know: damage, and which step is the last good one.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
