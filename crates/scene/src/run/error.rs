//! What can stop a run, or keep a run folder from being used.

use crate::SceneErrors;
use signorini_mechanics::StepError;
use std::io;
use std::path::{Path, PathBuf};

/// What can stop a run, or keep a run folder from being used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A folder that holds results already.
    #[error("{} holds a run already", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that holds something else.
    #[error("{} holds files that belong to no run; expected an empty folder or none", folder.display())]
    ForeignFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// No run there.
    #[error("{} is no run folder: it has no run.json", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// Somebody else writes there.
    #[error("{}: another process writes to this run", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The answer of the system.
        #[source]
        source: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The answer of the system.
        #[source]
        source: io::Error,
    },
    /// A file that does not say what it should.
    #[error("{} is damaged: {problem}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What was found and what was expected.
        problem: String,
    },
    /// A file of another version of the format.
    #[error("{} has format {found}, expected {expected}", file.display())]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u64,
        /// The version this program reads and writes.
        expected: u64,
    },
    /// A part of the results that was not written.
    #[error("{} has no {what}", folder.display())]
    Without {
        /// The run folder.
        folder: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// The stored scene cannot be read again.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// The stored scene gives another model than the one that was run.
    #[error("{}: the scene gives another model than the one that was run (a mesh file it names may have changed)", folder.display())]
    Changed {
        /// The run folder.
        folder: PathBuf,
    },
    /// A step has no answer, or a setting is out of range.
    #[error(transparent)]
    Step(#[from] StepError),
    /// More steps than a run may have.
    #[error("{steps} steps are asked for, expected at most {most}")]
    TooManySteps {
        /// What was asked.
        steps: u64,
        /// What is allowed.
        most: u64,
    },
    /// The end is nearer to the start than to the first step.
    #[error("the run ends at {until} s, expected at least half a step of {step} s: no step would be taken")]
    NoSteps {
        /// When it ends \[s\].
        until: f64,
        /// Length of a step \[s\].
        step: f64,
    },
    /// The problem of a step that was asked for cannot be stored.
    #[error("the problem of the step at t = {time} s cannot be stored: {problem}")]
    Problem {
        /// When the step starts \[s\].
        time: f64,
        /// Why.
        problem: String,
    },
}

impl RunError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => Some("name another folder with --out, or replace the run with --force"),
            Self::ForeignFolder { .. } => Some("name another folder with --out"),
            Self::Write { .. } => {
                Some("what was written before stays readable; `signorini resume RUN` goes on from the last checkpoint")
            }
            Self::NoSteps { .. } => Some("a later --until, a shorter --dt, or --steps"),
            Self::Changed { .. } => Some("`signorini run` starts anew"),
            _ => None,
        }
    }
}

pub(super) fn reading(file: &Path) -> impl FnOnce(io::Error) -> RunError + '_ {
    move |source| RunError::Read { file: file.to_path_buf(), source }
}

pub(super) fn writing(file: &Path) -> impl FnOnce(io::Error) -> RunError + '_ {
    move |source| RunError::Write { file: file.to_path_buf(), source }
}

pub(super) fn damaged(file: &Path, problem: impl Into<String>) -> RunError {
    RunError::Damaged { file: file.to_path_buf(), problem: problem.into() }
}
