//! How an experiment is run: how much of it, who hears of its progress, and whether it should stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// The smallest sizes that still show the effect: all experiments together take a few minutes.
    Quick,
    /// The published sizes.
    Full,
}

impl Effort {
    /// As the command line spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// The user asked to stop: the experiment is left without an outcome and is run again when resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// What an experiment is given.
pub struct Context<'a> {
    /// How much of it to run.
    pub effort: Effort,
    /// Set when the user asked to stop.
    pub stop: &'a AtomicBool,
    /// Hears what is done at the moment, in a few words.
    pub progress: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// Whether only the smallest sizes are run.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.effort == Effort::Quick
    }

    /// Says what is done at the moment; call it often (every step of a long run): it is also where Ctrl-C takes effect.
    ///
    /// # Errors
    /// The user asked to stop.
    pub fn at(&self, what: &str) -> Result<(), Interrupted> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        (self.progress)(what);
        Ok(())
    }

    /// One of two values by the effort.
    pub fn choose<T>(&self, quick: T, full: T) -> T {
        if self.is_quick() { quick } else { full }
    }
}
