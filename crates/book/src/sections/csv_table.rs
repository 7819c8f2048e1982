//! A table of a CSV file: `csv FILE | COLUMN[:FORMAT][ = TITLE] | … | where COLUMN = VALUE | where COLUMN != VALUE`.
//!
//! Formats: `time` (seconds with a unit), `small` (1.2e-3), `digits` (three of them); without one the text of the file.

use crate::numbers;
use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// A CSV file in memory.
pub(super) struct Sheet {
    titles: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Sheet {
    pub(super) fn read(repository: &Repository, path: &str) -> Result<Self> {
        let text = repository.read(Path::new(path))?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let titles = reader.headers()?.iter().map(str::to_owned).collect();
        let rows = reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect()));
        Ok(Self { titles, rows: rows.collect::<Result<_>>()? })
    }

    pub(super) fn column(&self, name: &str) -> Result<usize> {
        let found = self.titles.iter().position(|title| title == name);
        found.with_context(|| format!("no column `{name}`; there are: {}", self.titles.join(", ")))
    }
}

/// A number of a cell; `None` where it is empty.
pub(super) fn number(cell: &str) -> Result<Option<f64>> {
    match cell {
        "" => Ok(None),
        _ => Ok(Some(cell.parse().with_context(|| format!("`{cell}` is no number"))?)),
    }
}

pub(super) fn table(repository: &Repository, what: &str) -> Result<String> {
    let mut parts = what.split(" | ");
    let sheet = Sheet::read(repository, parts.next().unwrap_or_default())?;
    let (mut columns, mut titles, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        if let Some(condition) = part.strip_prefix("where ") {
            let (name, value, is_equal) = match (condition.split_once(" != "), condition.split_once(" = ")) {
                (Some((name, value)), _) => (name, value, false),
                (None, Some((name, value))) => (name, value, true),
                _ => bail!("`{part}` is no condition, expected `where COLUMN = VALUE` or `!=`"),
            };
            conditions.push((sheet.column(name)?, value, is_equal));
            continue;
        }
        let (column, title) = match part.split_once(" = ") {
            Some((column, title)) => (column, Some(title)),
            None => (part, None),
        };
        let (name, format) = column.rsplit_once(':').unwrap_or((column, ""));
        titles.push(title.unwrap_or(name).to_owned());
        columns.push((sheet.column(name)?, format));
    }
    let mut rows = Vec::new();
    for row in &sheet.rows {
        if conditions.iter().any(|(column, value, is_equal)| (row[*column] == *value) != *is_equal) {
            continue;
        }
        let cells = columns.iter().map(|(column, format)| shown(&row[*column], format));
        rows.push(cells.collect::<Result<_>>()?);
    }
    if rows.is_empty() {
        bail!("no row meets the conditions");
    }
    Ok(super::table(&titles, &rows))
}

fn shown(cell: &str, format: &str) -> Result<String> {
    let format = match format {
        "" => return Ok(cell.to_owned()),
        "time" => numbers::time,
        "small" => numbers::small,
        "digits" => numbers::digits,
        other => bail!("no format `{other}`; there are time, small, digits"),
    };
    Ok(number(cell)?.map_or(String::new(), format))
}
