//! What can be shown of a run folder: all of it, or what is whole before the first damage.

use crate::frame_check::FrameCheck;
use signorini_scene::run::{FORMAT, Frame, Frames, Manifest, RunError, RunFolder, RunStatus, StepRow};
use std::path::{Path, PathBuf};

/// What keeps a run from being shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Not even the first frame is whole.
    #[error("{}: there is nothing to show: {problem}", file.display())]
    Nothing {
        /// The file.
        file: PathBuf,
        /// What was found and what was expected.
        problem: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The answer of the system.
        #[source]
        source: std::io::Error,
    },
    /// More than fits, however few frames are kept.
    #[error("two frames and the shapes take {least} bytes, expected at most {most}")]
    TooLarge {
        /// What the smallest page holds.
        least: u64,
        /// What is allowed.
        most: u64,
    },
    /// Stopped by the user; nothing was written.
    #[error("interrupted: no page was written")]
    Interrupted,
}

impl ViewError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Run(RunError::OtherVersion { found, .. }) if *found > FORMAT => {
                Some("a newer program wrote this run: show it with that one")
            }
            Self::Run(RunError::Damaged { .. } | RunError::Read { .. }) | Self::Nothing { .. } => {
                Some("`signorini run SCENE --force --out RUN` makes the run anew")
            }
            Self::TooLarge { .. } => Some("a larger --max-size"),
            Self::Write { .. } => Some("name another file with --out"),
            _ => None,
        }
    }
}

/// A run as pages and pictures show it.
pub struct Recording {
    folder: RunFolder,
    frames: Frames,
    count: u64,
    steps: Vec<StepRow>,
    notes: Vec<String>,
    is_damaged: bool,
}

impl Recording {
    /// Opens a run folder and keeps what is whole: frames and steps before the first damage. All frames are read once.
    ///
    /// # Errors
    /// No run there, one of a later version, or not even the first frame can be read.
    pub fn open(path: &Path) -> Result<Self, ViewError> {
        let folder = RunFolder::open_to_view(path)?;
        let frames = folder.frames()?;
        let (steps, problem) = folder.readable_steps();
        let mut this = Self { folder, frames, count: 0, steps, notes: Vec::new(), is_damaged: false };
        if this.manifest().format != FORMAT {
            let found = this.manifest().format;
            this.notes
                .push(format!("the run has format {found}, this program writes {FORMAT}: shown as far as it goes"));
        }
        this.count = this.whole_frames()?;
        this.judge_steps(problem);
        this.judge_end();
        Ok(this)
    }

    /// Counts the frames before the first that makes no sense.
    fn whole_frames(&mut self) -> Result<u64, ViewError> {
        let file = self.folder.path().join("trajectory.bin");
        let nothing = |problem: String| ViewError::Nothing { file: file.clone(), problem };
        if self.frames.is_empty() {
            return Err(nothing("it has no complete frame".into()));
        }
        if self.manifest().names().next().is_none() {
            return Err(nothing("the run has no bodies".into()));
        }
        let mut check = FrameCheck::default();
        for index in 0..self.frames.len() {
            // A disk may give back less than it said it holds.
            let problem = match self.frames.get(index) {
                Ok(frame) => check.problem(&frame, self.folder.manifest()),
                Err(error) => Some(error.to_string()),
            };
            let Some(problem) = problem else { continue };
            if index == 0 {
                return Err(nothing(format!("frame 0: {problem}")));
            }
            let (bad, good) = (self.step_of(index), self.step_of(index - 1));
            self.damaged(format!(
                "trajectory.bin is damaged in the frame after step {bad}: {problem}; shown up to step {good}, the last good one"
            ));
            return Ok(index);
        }
        Ok(self.frames.len())
    }

    /// What is wrong with steps.csv.
    fn judge_steps(&mut self, problem: Option<RunError>) {
        if let Some(problem) = problem {
            let good = self.steps.len();
            let problem = match problem {
                RunError::Damaged { problem, .. } => format!("steps.csv is damaged: {problem}"),
                other => other.to_string(),
            };
            let upto = if good == 0 { "there are no plots".into() } else { format!("plots end with step {good}") };
            self.damaged(format!("{problem}; {upto}"));
        }
    }

    /// Whether files are shorter than they were when the run ended.
    fn judge_end(&mut self) {
        let manifest = self.manifest();
        let summary = manifest.summary.as_ref().map(|summary| summary.steps);
        let (status, every) = (manifest.status, manifest.output.every.max(1));
        let taken = match status {
            RunStatus::Finished => Some(summary.unwrap_or(manifest.steps)),
            RunStatus::Interrupted | RunStatus::Failed | RunStatus::Stopped => summary,
            RunStatus::Running => None,
        };
        let rows = self.steps.len() as u64;
        if let Some(taken) = taken.filter(|taken| rows < *taken)
            && !self.is_damaged
        {
            self.damaged(format!(
                "steps.csv was cut short: it has {rows} of {taken} steps; plots end with step {rows}"
            ));
        }
        let expected = (taken.unwrap_or(rows) / every).saturating_add(1);
        let found = self.frames.len();
        if found < expected {
            let good = self.step_of(self.count.saturating_sub(1));
            self.damaged(format!(
                "trajectory.bin was cut short: it has {found} of {expected} frames; shown up to step {good}, the last good one"
            ));
        }
        match (status, self.manifest().message.clone()) {
            (RunStatus::Running, _) => {
                self.notes.push(format!("the run has no end: it is under way or was killed; {rows} steps so far"));
            }
            (RunStatus::Stopped, Some(message)) => self.notes.push(format!("the run was stopped: {message}")),
            (RunStatus::Failed, Some(message)) => self.notes.push(format!("the run failed: {message}")),
            _ => {}
        }
    }

    fn damaged(&mut self, note: String) {
        self.is_damaged = true;
        self.notes.push(note);
    }

    /// Adds a note about damage that was found later, in contacts or forces.
    pub(crate) fn note_damage(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.damaged(note);
        }
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
    /// All whole steps, in order from step 1.
    #[must_use]
    pub fn steps(&self) -> &[StepRow] {
        &self.steps
    }
    /// Number of whole frames, at least 1; frame k is after step k · `output.every`.
    #[must_use]
    pub fn frame_count(&self) -> u64 {
        self.count
    }
    /// Steps taken at a frame.
    #[must_use]
    pub fn step_of(&self, frame: u64) -> u64 {
        frame.saturating_mul(self.manifest().output.every)
    }
    /// One frame: numbers are finite, rotations of unit length within 1e-3.
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
    /// Whether a file is missing, cut short or holds what makes no sense.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }
}
