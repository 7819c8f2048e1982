//! The page: that of the viewer with the data in its place.

use crate::ViewError;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use signorini_plot::escape;
use signorini_scene::run::temporary_of;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The built viewer.
const VIEWER: &str = include_str!("../../assets/viewer.html");
const DATA: &str = "@@SIGNORINI_DATA@@";
const TITLE: &str = "@@SIGNORINI_TITLE@@";

/// Bytes that are compressed between two looks at whether to go on.
const CHUNK: usize = 1 << 20;

/// Writes the page and returns its size.
pub(super) fn write(
    path: &Path,
    title: &str,
    header: &str,
    body: &[u8],
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<u64, ViewError> {
    let failed = |source| ViewError::Write { file: path.to_path_buf(), source };
    // What a link points to is replaced, not the link.
    let followed = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = followed.as_path();
    if path.exists() && !path.is_file() {
        let problem = "it is no ordinary file, and a page replaces what is there";
        return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidInput, problem)));
    }
    let temporary = temporary_of(path);
    let written = fill(&temporary, title, header, body, go_on);
    let renamed = match written {
        Ok(Some(size)) => std::fs::rename(&temporary, path).map(|()| size).map_err(failed),
        Ok(None) => Err(ViewError::Interrupted),
        Err(error) => Err(failed(error)),
    };
    if renamed.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

/// Writes all to a file; `None` if it was not to go on.
fn fill(
    path: &Path,
    title: &str,
    header: &str,
    body: &[u8],
    go_on: &mut dyn FnMut(usize) -> bool,
) -> std::io::Result<Option<u64>> {
    let title = escape(title);
    // The place of the data first: a title may hold the same text.
    let (before, after) = VIEWER.split_once(DATA).unwrap_or((VIEWER, ""));
    let [before, after] = [before, after].map(|part| part.replace(TITLE, &title));
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(before.as_bytes())?;
    {
        let mut data = ZlibEncoder::new(EncoderWriter::new(&mut file, &STANDARD), Compression::default());
        data.write_all(&(header.len() as u32).to_le_bytes())?;
        data.write_all(header.as_bytes())?;
        for (index, chunk) in body.chunks(CHUNK).enumerate() {
            if !go_on(index) {
                return Ok(None);
            }
            data.write_all(chunk)?;
        }
        data.finish()?.finish()?;
    }
    file.write_all(after.as_bytes())?;
    file.flush()?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(Some(file.metadata()?.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_has_one_place_for_data_and_one_for_the_title() {
        assert_eq!((VIEWER.matches(DATA).count(), VIEWER.matches(TITLE).count()), (1, 1));
    }
}
