//! A table for people on the terminal and, with all digits, for programs in a CSV file.

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, presets};
use std::path::Path;

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Count(usize),
    /// A residual or another small number.
    Small(f64),
    Seconds(f64),
    Ratio(f64),
    /// A number of which many digits count.
    Exact(f64),
    Missing,
}

/// Rows under named columns.
pub(crate) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Small(x) => format!("{x:.1e}"),
            Self::Seconds(x) if *x < 1e-6 => format!("{:.0} ns", x * 1e9),
            Self::Seconds(x) if *x < 1e-3 => format!("{:.0} µs", x * 1e6),
            Self::Seconds(x) if *x < 1.0 => format!("{:.2} ms", x * 1e3),
            Self::Seconds(x) => format!("{x:.2} s"),
            Self::Ratio(x) => format!("{x:.2}"),
            Self::Exact(x) => format!("{x:.9}"),
            Self::Missing => "-".into(),
        }
    }

    fn stored(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Small(x) | Self::Seconds(x) | Self::Ratio(x) | Self::Exact(x) => format!("{x:e}"),
            Self::Missing => String::new(),
        }
    }
}

impl Table {
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&column| column.to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<Value>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Prints the command and the table; writes the CSV file when asked.
    pub(crate) fn finish(&self, csv: Option<&Path>) -> Result<()> {
        let command: Vec<String> = std::env::args().skip(1).collect();
        println!("$ cargo run -p signorini-bench --release -- {}", command.join(" "));
        self.print();
        self.save(csv)
    }

    /// Prints the table alone.
    pub(crate) fn print(&self) {
        let mut shown = comfy_table::Table::new();
        shown.load_style(presets::NOTHING).set_header(&self.columns);
        shown.add_rows(self.rows.iter().map(|row| row.iter().map(Value::shown)));
        shown.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        println!("{shown}");
    }

    /// Writes the CSV file when asked.
    pub(crate) fn save(&self, csv: Option<&Path>) -> Result<()> {
        match csv {
            Some(file) => self.write(file).with_context(|| file.display().to_string()),
            None => Ok(()),
        }
    }

    fn write(&self, file: &Path) -> Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Value::stored))?;
        }
        Ok(writer.flush()?)
    }
}

/// exp(mean(ln x)); `None` of nothing.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|x| x.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The middle value (of the two middle ones the larger); `None` of nothing.
pub(crate) fn median(mut values: Vec<u32>) -> Option<u32> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// The middle value of numbers (of the two middle ones the larger); `None` of nothing.
pub(crate) fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians() {
        assert_eq!(median(vec![3, 1, 2]), Some(2));
        assert_eq!((median(vec![]), geometric_mean(&[])), (None, None));
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn times_are_shown_with_a_unit_that_fits_and_stored_in_seconds() {
        let shown: Vec<String> = [2.5e-4, 0.25, 2.5].map(|x| Value::Seconds(x).shown()).to_vec();
        assert_eq!(shown, ["250 µs", "250.00 ms", "2.50 s"]);
        assert_eq!(Value::Seconds(0.25).stored(), "2.5e-1");
    }
}
