//! Replacing a file as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to a temporary file beside `path`, then renames it: a crash or a full disk leaves
/// the old file as it was. A symbolic link stays a link; its target is replaced.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name"));
    };
    // Process and count in the name: two writers never share a temporary file.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let temporary = target.with_file_name(hidden);
    let outcome = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, &target));
    if outcome.is_err() {
        // Nothing more can be done if this fails too; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
