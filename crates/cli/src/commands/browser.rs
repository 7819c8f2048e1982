//! The browser of the system.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program that opens pages may take to say that it cannot.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether somebody can see a window.
pub(super) fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a page; what went wrong otherwise.
pub(super) fn open(page: &Path) -> Result<(), String> {
    let (program, before): (&str, &[&str]) = match () {
        () if cfg!(windows) => ("cmd", &["/C", "start", ""]),
        () if cfg!(target_os = "macos") => ("open", &[]),
        () => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot start the browser with {program}: {error}"))?;
    let start = Instant::now();
    // Some of these programs end at once, others with the browser: one that still runs has opened the page.
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("{program} could not open the page ({status})")),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(format!("cannot start the browser with {program}: {error}")),
        }
    }
    Ok(())
}
