//! Lines of a CSV file one at a time: files of large runs do not fit into memory as rows.

use super::RunError;
use super::error::{damaged, reading};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// How much is searched at once for the last end of a line.
const CHUNK: u64 = 1 << 16;

/// The rows of all complete lines; nothing after an error.
pub(super) fn rows<T: DeserializeOwned>(
    path: &Path,
) -> Result<impl Iterator<Item = Result<T, RunError>> + use<T>, RunError> {
    let mut file = File::open(path).map_err(reading(path))?;
    let end = complete(&mut file).map_err(reading(path))?;
    let lines = csv::Reader::from_reader(BufReader::new(file).take(end)).into_deserialize::<T>();
    let path = path.to_path_buf();
    let mut is_over = false;
    Ok(lines.map_while(move |row| {
        if is_over {
            return None;
        }
        is_over = row.is_err();
        Some(row.map_err(|error| damaged(&path, error.to_string())))
    }))
}

/// The bytes up to the last end of a line: what comes after was cut short. The file is at its start again.
fn complete(file: &mut File) -> std::io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut bytes = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        bytes.resize((end - start) as usize, 0);
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        end = start;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(end)
}
