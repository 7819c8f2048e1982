//! steps.csv of damaged folders and of earlier formats: what can be read of it.

use super::error::{damaged, reading};
use super::step_row::{BROKEN, WORK};
use super::{COLUMNS, RunError, StepRow};
use std::path::Path;

/// Reads the steps of a file before its first line that makes no sense, and what is wrong with that. Columns are found by their
/// names; those that are not there are 0 or none. A last line that was cut short does not count.
pub(super) fn read_named(path: &Path) -> (Vec<StepRow>, Option<RunError>) {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return (Vec::new(), Some(reading(path)(error))),
    };
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = bytes[..end].split(|byte| *byte == b'\n').map(std::str::from_utf8);
    let header: Vec<&str> = match lines.next() {
        Some(Ok(header)) if end > 0 => header.split(',').collect(),
        _ => return (Vec::new(), Some(damaged(path, "it has no first line with the names of columns"))),
    };
    let places = COLUMNS.map(|column| header.iter().position(|name| *name == column));
    if let Some(missing) = (0..8).find(|column| places[*column].is_none()) {
        let problem = format!("its first line has no column {}", COLUMNS[missing]);
        return (Vec::new(), Some(damaged(path, problem)));
    }
    let mut rows: Vec<StepRow> = Vec::new();
    for (at, line) in lines.enumerate() {
        let (number_of_line, step) = (at + 2, at as u64 + 1);
        let row = match line {
            // What is after the last end of a line.
            Ok("") => continue,
            Ok(line) => {
                let fields: Vec<&str> = line.split(',').collect();
                match fields.len() == header.len() {
                    true => {
                        let field = |k: usize| places[k].map_or(if is_optional(k) { "" } else { "0" }, |at| fields[at]);
                        let ordered: Vec<&str> = (0..COLUMNS.len()).map(field).collect();
                        let row = StepRow::of_fields(&ordered, path, number_of_line);
                        match places[BROKEN] {
                            Some(_) => row,
                            None => row.map(StepRow::judged_by_residual),
                        }
                    }
                    false => Err(damaged(
                        path,
                        format!("line {number_of_line} has {} fields, expected {}", fields.len(), header.len()),
                    )),
                }
            }
            Err(error) => Err(damaged(path, format!("line {number_of_line}: {error}"))),
        };
        let before = rows.last().map_or(f64::NEG_INFINITY, |row| row.time);
        match row {
            Ok(row) if row.step == step && row.time.is_finite() && row.time > before => rows.push(row),
            Ok(row) if row.step == step => {
                let problem = format!("line {number_of_line}: time_s is {}, expected more than before", row.time);
                return (rows, Some(damaged(path, problem)));
            }
            Ok(row) => {
                let problem = format!("line {number_of_line} is of step {}, expected {step}", row.step);
                return (rows, Some(damaged(path, problem)));
            }
            Err(error) => return (rows, Some(error)),
        }
    }
    (rows, None)
}

/// Columns that may be empty: work, estimated errors and broken promises.
fn is_optional(column: usize) -> bool {
    WORK.contains(&column) || (32..=BROKEN).contains(&column)
}
