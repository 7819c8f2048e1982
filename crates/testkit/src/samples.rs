//! The set of real contact problems with reference solutions, where it is at hand.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Environment variable that names the folder of sample problems.
pub const SAMPLES_VARIABLE: &str = "SIGNORINI_CONTACT_PROBLEMS";
/// Where they are looked for without it, from the root of the workspace.
const BESIDE: &str = "../shared/contact-problems";

/// The folder of sample problems; a loud remark on stderr, past the capture of the test harness, if there is none.
#[must_use]
pub fn sample_problems(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(SAMPLES_VARIABLE)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(BESIDE), PathBuf::from);
    if folder.join("reference.csv").is_file() {
        return std::fs::canonicalize(folder).ok();
    }
    let remark = format!("SKIPPED ({test}): no sample problems in {}; set {SAMPLES_VARIABLE}\n", folder.display());
    // A remark that cannot be written is no reason to fail.
    _ = std::io::stderr().write_all(remark.as_bytes());
    None
}

/// Rows of a CSV file, by column name. Quotes protect commas.
///
/// # Errors
/// When the file cannot be read.
pub fn table(path: &Path) -> std::io::Result<Vec<BTreeMap<String, String>>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines().map(split);
    let header = lines.next().unwrap_or_default();
    Ok(lines.map(|row| header.iter().cloned().zip(row).collect()).collect())
}

fn split(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(character),
        }
    }
    fields.push(field);
    fields
}
