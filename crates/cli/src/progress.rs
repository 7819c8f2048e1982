//! A bar over many files, on stderr and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar; hidden when there is nothing to wait for or nobody to see it.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(files: usize, quiet: bool) -> Self {
        if quiet || files < 2 {
            return Self { bar: ProgressBar::hidden() };
        }
        // indicatif hides a bar whose target is no terminal.
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("  {bar:28} {pos}/{len}  eta {eta}  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Self { bar }
    }

    /// Says which file is being worked on.
    pub(crate) fn begin(&self, file: &str) {
        self.bar.set_message(file.to_owned());
    }

    /// Counts one file as done.
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
