//! Exit codes, the same for every command.

use std::process::ExitCode;

/// How a command ended; the larger wins when several files end differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything was done as asked.
    #[default]
    Done,
    /// Finished, but a step broke a promise, a file missed its tolerance, or answers differ.
    Missed,
    /// Arguments or a file could not be used.
    CouldNotRun,
    /// Stopped by the user; results so far were kept.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Missed => 1,
            Self::CouldNotRun => 2,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_outweighs_one_that_missed_its_tolerance() {
        assert_eq!(Exit::Missed.max(Exit::CouldNotRun).max(Exit::Done).code(), 2);
        assert_eq!(Exit::CouldNotRun.max(Exit::Interrupted).code(), 130);
    }
}
