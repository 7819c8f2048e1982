//! Why a file of a volume mesh cannot be used.

use super::MOST_BYTES;
use signorini_mechanics::flexible::mesh::MeshError;

/// Why a file of a volume mesh cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeMeshFileError {
    /// The file cannot be opened or read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A directory, for instance.
    #[error("{path}: is no file")]
    NoFile {
        /// What it is called.
        path: String,
    },
    /// Too many bytes.
    #[error("{path}: {bytes} bytes, expected at most {MOST_BYTES}")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// A format that is not read.
    #[error("{path}: unknown ending, expected .msh, .vtk or .vtu")]
    Ending {
        /// The file.
        path: String,
    },
    /// The content is not what the format wants, or not what can be used.
    #[error("{path}:{line}: {problem}")]
    Content {
        /// The file.
        path: String,
        /// Line, counted from 1.
        line: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// The mesh was read but cannot be used.
    #[error("{path}: {error}")]
    Mesh {
        /// The file.
        path: String,
        /// Why.
        error: MeshError,
    },
}

/// What is wrong at a line.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}
