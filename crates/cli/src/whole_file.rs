//! Files that are complete or as they were.

use std::fs;
use std::path::Path;

/// Writes a file so that there is the old one or the new one, never a part.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    fs::write(&part, text).and_then(|()| fs::rename(&part, path)).inspect_err(|_| {
        // What was begun is of no use to anyone.
        let _ = fs::remove_file(&part);
    })
}
