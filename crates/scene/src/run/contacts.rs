//! contacts.csv: the contact forces of every frame.

use super::RunError;
use super::error::{damaged, reading};
use super::step_row::number;
use serde::{Deserialize, Serialize};
use signorini_mechanics::ContactForce;
use std::borrow::Cow;
use std::path::Path;

pub(super) const HEADER: &str = "step,time,body_a,body_b,x,y,z,nx,ny,nz,gap,fx,fy,fz\n";

/// One line of contacts.csv: the force in one contact, averaged over the step that led to the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactRow {
    /// The step.
    pub step: u64,
    /// Time after it \[s\].
    pub time: f64,
    /// Body A.
    pub body_a: String,
    /// Body B.
    pub body_b: String,
    /// Where \[m\].
    pub x: f64,
    /// Where \[m\].
    pub y: f64,
    /// Where \[m\].
    pub z: f64,
    /// Unit normal from A to B.
    pub nx: f64,
    /// Unit normal from A to B.
    pub ny: f64,
    /// Unit normal from A to B.
    pub nz: f64,
    /// Gap before the step \[m\].
    pub gap: f64,
    /// Force on B \[N\].
    pub fx: f64,
    /// Force on B \[N\].
    pub fy: f64,
    /// Force on B \[N\].
    pub fz: f64,
}

/// Adds the lines of one frame. `names` are those of all bodies, flexible ones last, ready for CSV.
pub(super) fn write(
    step: u64,
    time: f64,
    forces: impl Iterator<Item = ContactForce>,
    names: &[String],
    lines: &mut String,
) {
    use std::fmt::Write;
    for contact in forces {
        let [a, b] = contact.bodies.map(|body| names[body.index()].as_str());
        let _ = write!(lines, "{step},{},{a},{b}", number(time));
        let vectors = [contact.point, contact.normal].map(|v| v.to_array());
        let numbers = vectors.into_iter().flatten().chain([contact.gap]).chain(contact.force.to_array());
        numbers.for_each(|value| {
            let _ = write!(lines, ",{}", number(value));
        });
        lines.push('\n');
    }
}

/// A name as a field of a CSV file: in quotes if it needs them.
pub(super) fn csv_field(name: &str) -> Cow<'_, str> {
    match name.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
        false => Cow::Borrowed(name),
    }
}

/// Reads the lines of steps up to `last`: those that are complete.
pub(super) fn read(path: &Path, last: u64) -> Result<Vec<ContactRow>, RunError> {
    let text = std::fs::read(path).map_err(reading(path))?;
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(&text[..end]).deserialize::<ContactRow>() {
        match row {
            Ok(row) if row.step <= last => rows.push(row),
            // Lines of a step that was cut short: what comes is no longer of interest.
            Ok(_) => break,
            Err(error) => return Err(damaged(path, error.to_string())),
        }
    }
    Ok(rows)
}

/// The rows of all complete lines, one at a time.
pub(super) fn rows(path: &Path) -> Result<impl Iterator<Item = Result<ContactRow, RunError>> + use<>, RunError> {
    super::rows::rows(path)
}
