//! Parts of pages that are generated: from `<!-- generated: WHAT -->` to `<!-- end -->`.

mod csv_table;
mod fastest;
mod lists;
mod methods;

use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::path::Path;

const START: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// The page with its generated parts as they should be.
pub(crate) fn fill(repository: &Repository, path: &Path, text: &str) -> Result<String> {
    let mut filled = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        let Some(what) = line.strip_prefix(START).and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        if !lines.by_ref().any(|line| line == END) {
            bail!("{}: `{line}` has no `{END}`", path.display());
        }
        let part = section(repository, what).with_context(|| format!("{}: `{what}`", path.display()))?;
        filled.push_str(&part);
        filled.push_str(END);
        filled.push('\n');
    }
    Ok(filled)
}

fn section(repository: &Repository, what: &str) -> Result<String> {
    let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
    match kind {
        "csv" => csv_table::table(repository, rest),
        "fastest" => fastest::table(repository, rest),
        "methods" => methods::table(repository, rest),
        "solvers" => Ok(lists::solvers()),
        "steppers" => Ok(lists::steppers()),
        other => bail!("no generated part `{other}`; there are csv, fastest, methods, solvers, steppers"),
    }
}

/// A table in Markdown.
pub(crate) fn table(titles: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(titles);
    text += &format!("|{}\n", "---|".repeat(titles.len()));
    text.extend(rows.iter().map(|row| line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn cells_keep_their_bars() {
        let text = table(&["a".into(), "b".into()], &[vec!["|x|".into(), "1".into()]]);
        assert_eq!(text, "| a | b |\n|---|---|\n| \\|x\\| | 1 |\n");
    }
}
