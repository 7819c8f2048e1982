//! Files that survive a crash: replaced as a whole, or only ever appended to.

use super::RunError;
use super::error::{damaged, reading, writing};
use std::fs::{self, File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Replaces a file as a whole: a temporary file beside it is written, forced to the disk and renamed. Whatever happens, the
/// path holds the old contents or the new ones.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let temporary = temporary_of(path);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        return Err(writing(path)(error));
    }
    sync_folder(path);
    Ok(())
}

/// The hidden file a replacement is written to. One process writes to a run, so one name is enough.
#[must_use]
pub fn temporary_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Whether a folder entry is left over from a replacement that a crash cut short.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

/// Makes a rename last through a power failure. Where folders cannot be forced to the disk the rename itself still holds
/// through any crash of the program.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// A file that is only appended to, every piece in one call: what a crash can leave is a last piece cut short.
pub(super) struct Appender {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Appender {
    /// A new, empty file.
    pub(super) fn create(path: &Path) -> Result<Self, RunError> {
        let file = File::options().write(true).create_new(true).open(path).map_err(writing(path))?;
        Ok(Self { path: path.to_path_buf(), file, length: 0 })
    }

    /// A file that is there, cut back to `length` bytes.
    pub(super) fn reopen(path: &Path, length: u64) -> Result<Self, RunError> {
        let mut file = File::options().write(true).open(path).map_err(writing(path))?;
        let found = file.metadata().map_err(reading(path))?.len();
        if found < length {
            return Err(damaged(path, format!("it has {found} bytes, expected at least {length}")));
        }
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(writing(path))?;
        Ok(Self { path: path.to_path_buf(), file, length })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.file.write_all(bytes).map_err(writing(&self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Forces everything to the disk.
    pub(super) fn sync(&self) -> Result<(), RunError> {
        self.file.sync_data().map_err(writing(&self.path))
    }

    /// Bytes written.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

/// Keeps others from writing to a run until dropped, or until the process ends in whatever way.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a run folder; it sits on a file of its own, which nobody replaces.
    pub(super) fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(super::LOCK);
        let file = File::options().create(true).append(true).open(&path).map_err(writing(&path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(RunError::Busy { folder: folder.to_path_buf() }),
            // A file system without locks: there is nothing to wait for.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let path = Path::new("/dev/full");
        let file = File::options().write(true).open(path).unwrap();
        let mut full = Appender { path: path.to_path_buf(), file, length: 0 };
        let error = full.append(b"a line\n").unwrap_err();
        assert!(error.to_string().starts_with("cannot write /dev/full: No space left"), "{error}");
        assert_eq!(full.length(), 0);
    }
}
