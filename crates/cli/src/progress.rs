//! Bars over many files or over the steps of a run, on stderr and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signorini_mechanics::StepReport;
use std::time::{Duration, Instant};

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

    /// So many parts are done.
    pub(crate) fn advance_to(&self, done: u64) {
        self.bar.set_position(done);
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

/// How often the text beside the bar changes: faster than that nobody reads.
const REFRESH: Duration = Duration::from_millis(100);

/// The bar over the steps of a run.
pub(crate) struct StepProgress {
    bar: ProgressBar,
    shown: Option<Instant>,
}

impl StepProgress {
    /// A bar for a run of `steps` steps, of which `done` are behind it.
    pub(crate) fn new(steps: u64, done: u64, quiet: bool) -> Self {
        if quiet {
            return Self { bar: ProgressBar::hidden(), shown: None };
        }
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("  {bar:20} {percent:>3} %  eta {eta:>3}  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_position(done);
        bar.reset_eta();
        Self { bar, shown: None }
    }

    /// A step was taken.
    pub(crate) fn step(&mut self, report: &StepReport) {
        if self.bar.is_hidden() || self.shown.is_some_and(|shown| shown.elapsed() < REFRESH) {
            return;
        }
        self.shown = Some(Instant::now());
        self.bar.set_position(report.step);
        self.bar.set_message(format!(
            "t {:.3} s  contacts {}  residual {:.0e} m/s  penetration {:.0e} m",
            report.time, report.contacts, report.residuals.natural_map, report.penetration
        ));
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
