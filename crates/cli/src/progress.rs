//! A bar over many files or runs, on stderr and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar; hidden when there is nothing to wait for or nobody to see it.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(parts: usize, quiet: bool) -> Self {
        if quiet || parts < 2 {
            return Self { bar: ProgressBar::hidden() };
        }
        // indicatif hides a bar whose target is no terminal.
        let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("  {bar:28} {pos}/{len}  eta {eta}  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Self { bar }
    }

    /// Says what is being worked on.
    pub(crate) fn begin(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Counts one part as done.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Takes the bar away while something else is written.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
