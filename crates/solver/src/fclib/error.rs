//! What can be wrong with a file, or with data to be written.

/// Why a file could not be read or written. Every message names the file and, where there is one, the data set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FclibError {
    /// The operating system refused.
    #[error("{file}: cannot {action}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What was tried.
        action: &'static str,
        /// The answer of the system.
        source: std::io::Error,
    },
    /// The bytes are something else.
    #[error("{file}: not an HDF5 file: no HDF5 signature in its {size} bytes")]
    NotHdf5 {
        /// The file.
        file: String,
        /// Its length in bytes.
        size: usize,
    },
    /// The end of the file is missing.
    #[error("{file}: truncated: it has {found} bytes, its header announces {expected}")]
    Truncated {
        /// The file.
        file: String,
        /// Length in bytes.
        found: u64,
        /// Length stated in the header.
        expected: u64,
    },
    /// The structure of the file cannot be followed.
    #[error("{file}: the HDF5 structure is damaged at {path}: {reason}")]
    Damaged {
        /// The file.
        file: String,
        /// The object being read.
        path: String,
        /// What the HDF5 reader said.
        reason: String,
    },
    /// An HDF5 file with something else in it.
    #[error(
        "{file}: no contact problem: found {found}, expected one of the groups fclib_local, fclib_global, \
         fclib_local_rolling, fclib_global_rolling"
    )]
    NoProblem {
        /// The file.
        file: String,
        /// The groups found.
        found: String,
    },
    /// More than one formulation in one file: which one is meant cannot be told.
    #[error("{file}: found {found}, expected only one contact problem")]
    SeveralProblems {
        /// The file.
        file: String,
        /// The groups found.
        found: String,
    },
    /// A data set or group that must be there.
    #[error("{file}: {path} is missing: {needed}")]
    Missing {
        /// The file.
        file: String,
        /// The missing object.
        path: String,
        /// What it should be.
        needed: String,
    },
    /// An object of another kind.
    #[error("{file}: {path} holds {found}, expected {expected}")]
    WrongType {
        /// The file.
        file: String,
        /// The object.
        path: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// An array or a matrix whose size does not fit.
    #[error("{file}: {path} has {found}, expected {expected}")]
    WrongSize {
        /// The file.
        file: String,
        /// The object.
        path: String,
        /// Its size.
        found: String,
        /// The sizes allowed.
        expected: String,
    },
    /// A number that is not allowed.
    #[error("{file}: {path} is {found}, expected {expected}")]
    BadValue {
        /// The file.
        file: String,
        /// The data set, with the entry in brackets for arrays.
        path: String,
        /// The value.
        found: String,
        /// The values allowed.
        expected: String,
    },
    /// A size stated in the file that its length cannot account for.
    #[error("{file}: {path} claims {bytes} bytes, expected at most {limit} in a file of this length")]
    TooLarge {
        /// The file.
        file: String,
        /// The data set.
        path: String,
        /// Bytes it would occupy in memory.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

/// Makes errors about one file.
#[derive(Clone, Copy)]
pub(super) struct Blame<'a> {
    pub(super) file: &'a str,
}

impl Blame<'_> {
    pub(super) fn io(self, action: &'static str, source: std::io::Error) -> FclibError {
        FclibError::Io { file: self.file.into(), action, source }
    }

    pub(super) fn damaged(self, path: impl Into<String>, reason: impl ToString) -> FclibError {
        FclibError::Damaged { file: self.file.into(), path: path.into(), reason: reason.to_string() }
    }

    pub(super) fn missing(self, path: impl Into<String>, needed: impl Into<String>) -> FclibError {
        FclibError::Missing { file: self.file.into(), path: path.into(), needed: needed.into() }
    }

    pub(super) fn wrong_type(
        self,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: &'static str,
    ) -> FclibError {
        FclibError::WrongType { file: self.file.into(), path: path.into(), found: found.into(), expected }
    }

    pub(super) fn wrong_size(
        self,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> FclibError {
        FclibError::WrongSize {
            file: self.file.into(),
            path: path.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    pub(super) fn bad_value(
        self,
        path: impl Into<String>,
        found: impl ToString,
        expected: impl Into<String>,
    ) -> FclibError {
        FclibError::BadValue {
            file: self.file.into(),
            path: path.into(),
            found: found.to_string(),
            expected: expected.into(),
        }
    }
}
