//! Messages quoted in Troubleshooting exist in the source, and every error declared in the libraries is explained there.

use crate::repository::{PAGES, Repository};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// A declared error: its text with the names of what is filled in, what it means, and where.
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) meaning: String,
    pub(crate) file: PathBuf,
}

/// Crates whose errors reach users.
const CRATES: [&str; 7] = ["cli", "collision", "linalg", "mechanics", "scene", "solver", "view"];
/// Crates whose errors only programs meet: listed, not explained.
const UNEXPLAINED: [&str; 2] = ["linalg", "view"];

/// Errors declared with `#[error("…")]`, in the order of files and lines; those that only pass on another are left out.
pub(crate) fn declared(repository: &Repository) -> Result<Vec<Message>> {
    let mut found = Vec::new();
    for (file, text) in sources(repository)? {
        for (at, _) in text.match_indices("#[error(") {
            let Some(message) = first_literal(&text[at + "#[error(".len()..]) else { continue };
            found.push(Message { text: message, meaning: doc_comment(&text[..at]), file: file.clone() });
        }
    }
    Ok(found)
}

pub(super) fn check(repository: &Repository) -> Result<Vec<String>> {
    let page = Path::new(PAGES).join("troubleshooting.md");
    let quoted: Vec<(usize, String)> = quoted(&repository.read(&page)?);
    let mut faults = Vec::new();
    for message in declared(repository)? {
        // Of nothing but what another error says: explained there.
        let words = message.text.split(['{', '}']).step_by(2).collect::<String>();
        let is_empty = !words.chars().any(char::is_alphabetic);
        let is_inner = UNEXPLAINED.iter().any(|name| message.file.starts_with(format!("crates/{name}")));
        if !is_empty && !is_inner && !quoted.iter().any(|(_, text)| *text == message.text) {
            faults.push(format!(
                "{}: `{}` of {} is not explained",
                page.display(),
                message.text,
                message.file.display()
            ));
        }
    }
    let code: Vec<String> = sources(repository)?.into_iter().map(|(_, text)| joined(&text)).collect();
    for (line, text) in quoted {
        if !code.iter().any(|code| code.contains(&text)) {
            faults.push(format!("{}:{line}: no source says `{text}`", page.display()));
        }
    }
    Ok(faults)
}

/// Messages of the page: the code span that starts a row of a table.
fn quoted(page: &str) -> Vec<(usize, String)> {
    let row = |(at, line): (usize, &str)| {
        let cell = line.strip_prefix("| `")?;
        let ticks = 1 + cell.len() - cell.trim_start_matches('`').len();
        let mark = "`".repeat(ticks);
        let inside = cell.trim_start_matches('`');
        let end = inside.find(&format!("{mark} |"))?;
        Some((at + 1, inside[..end].trim().replace("\\|", "|")))
    };
    page.lines().enumerate().filter_map(row).collect()
}

fn sources(repository: &Repository) -> Result<Vec<(PathBuf, String)>> {
    let files = repository.files("rs")?.into_iter().filter(|file| {
        CRATES.iter().any(|name| file.starts_with(format!("crates/{name}/src"))) && !file.ends_with("tests.rs")
    });
    files.map(|file| Ok((file.clone(), repository.read(&file)?))).collect()
}

/// The text of the literal that code starts with, as the compiler reads it; `None` without one.
fn first_literal(code: &str) -> Option<String> {
    let code = joined(code.trim_start().get(..2000).unwrap_or(code.trim_start()));
    let inside = code.strip_prefix('"')?;
    // Quotes inside are told from the end by `joined`.
    inside.split('"').next().map(|text| text.replace(QUOTE, "\""))
}

/// Stands for an escaped quote while literals are told apart.
const QUOTE: char = '\u{1}';

/// Code with its continued literals on one line and escaped quotes replaced.
fn joined(code: &str) -> String {
    let mut text = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("\\\n") {
        text.push_str(&rest[..at]);
        rest = rest[at + 2..].trim_start();
    }
    text.push_str(rest);
    text.replace("\\\"", &QUOTE.to_string())
}

/// The last lines of `///` before an attribute.
fn doc_comment(before: &str) -> String {
    let mut lines: Vec<&str> =
        before.lines().rev().skip(1).map(str::trim).take_while(|line| line.starts_with("///")).collect();
    lines.reverse();
    let text: Vec<&str> = lines.iter().map(|line| line.trim_start_matches('/').trim()).collect();
    text.join(" ").replace("\\[", "[").replace("\\]", "]")
}

#[cfg(test)]
mod tests {
    use super::{doc_comment, first_literal, quoted};

    #[test]
    fn literals_are_read_as_the_compiler_does() {
        assert_eq!(first_literal("\"a {b}\", c)"), Some("a {b}".into()));
        assert_eq!(first_literal("\n  \"one \\\n     two \\\"x\\\"\"\n)"), Some("one two \"x\"".into()));
        assert_eq!(first_literal("transparent)]"), None);
    }

    #[test]
    fn messages_are_first_cells_with_any_number_of_ticks() {
        let page = "| message | cause |\n|---|---|\n| `a {b}` | c |\n| ``body `{x}` is`` | d |\n";
        assert_eq!(quoted(page), [(3, "a {b}".to_owned()), (4, "body `{x}` is".to_owned())]);
    }

    #[test]
    fn the_meaning_is_the_comment_above() {
        assert_eq!(doc_comment("x,\n    /// One.\n    /// Two.\n    "), "One. Two.");
    }
}
