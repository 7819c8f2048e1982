//! The bar over experiments, in expected seconds.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How often the bar changes: faster than that nobody reads.
const REFRESH: Duration = Duration::from_millis(100);
/// The bar counts in these \[s\].
const UNIT: f64 = 1e-3;

/// The bar; hidden when nobody sees it.
pub(super) struct ExperimentProgress {
    bar: ProgressBar,
    current: RefCell<Current>,
    /// Expected seconds of what is finished.
    behind: Cell<f64>,
    shown: Cell<Option<Instant>>,
}

/// The experiment that runs.
struct Current {
    id: &'static str,
    expected: f64,
    started: Instant,
}

impl ExperimentProgress {
    pub(super) fn new(expected: f64, quiet: bool) -> Self {
        let bar = match quiet {
            true => ProgressBar::hidden(),
            // indicatif hides a bar whose target is no terminal.
            false => ProgressBar::with_draw_target(Some((expected / UNIT) as u64), ProgressDrawTarget::stderr()),
        };
        if let Ok(style) = ProgressStyle::with_template("  {bar:20} {percent:>3} %  eta {eta:>3}  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        let current = RefCell::new(Current { id: "", expected: 0.0, started: Instant::now() });
        Self { bar, current, behind: Cell::new(0.0), shown: Cell::new(None) }
    }

    pub(super) fn begin(&self, id: &'static str, expected: f64) {
        *self.current.borrow_mut() = Current { id, expected, started: Instant::now() };
        self.bar.set_message(id);
    }

    /// What the experiment does at the moment.
    pub(super) fn at(&self, what: &str) {
        if self.bar.is_hidden() || self.shown.get().is_some_and(|shown| shown.elapsed() < REFRESH) {
            return;
        }
        self.shown.set(Some(Instant::now()));
        let current = self.current.borrow();
        // One that takes longer than expected waits at its end.
        let passed = current.started.elapsed().as_secs_f64().min(current.expected);
        self.bar.set_position(((self.behind.get() + passed) / UNIT) as u64);
        self.bar.set_message(format!("{}: {what}", current.id));
    }

    pub(super) fn end(&self, expected: f64) {
        self.behind.set(self.behind.get() + expected);
        self.bar.set_position((self.behind.get() / UNIT) as u64);
    }

    /// Takes the bar away while something else is written.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
