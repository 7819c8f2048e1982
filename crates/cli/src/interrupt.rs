//! Ctrl-C, or SIGTERM and SIGHUP of a batch system: the first asks to stop and keep the results, the second stops at once.

use crate::exit::Exit;
use std::sync::atomic::{AtomicBool, Ordering};

static CANCEL: AtomicBool = AtomicBool::new(false);

/// Installs the handler and returns the flag it sets.
pub(crate) fn flag() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program at once, which is no worse than what the user asked for.
    let _ = ctrlc::set_handler(|| {
        if CANCEL.swap(true, Ordering::Relaxed) {
            leave();
        }
    });
    &CANCEL
}

/// Whether Ctrl-C was pressed.
pub(crate) fn flagged() -> bool {
    CANCEL.load(Ordering::Relaxed)
}

#[allow(clippy::exit, reason = "the second Ctrl-C: the user does not want to wait for anything")]
fn leave() -> ! {
    std::process::exit(Exit::Interrupted.code().into())
}
