//! `signorini-book`: writes the generated parts of the book, and checks that everything its pages say can be found.

mod check;
mod console;
mod markdown;
mod measured;
mod numbers;
mod pages;
mod program;
mod repository;
mod sections;

use anyhow::Result;
use clap::{Parser, Subcommand};
use repository::Repository;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes the generated parts of the book, and checks its pages.
#[derive(Debug, Parser)]
#[command(name = "signorini-book", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write generated pages and parts of pages, and the output of checked commands
    Generate,
    /// Compare all of these with the files, and follow every link, include and quoted message
    Check,
    /// Run every scene of the gallery and write bench/results/gallery.csv
    Measure {
        /// Only these scenes; the others keep their lines
        scenes: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode> {
    let repository = Repository::find()?;
    match &cli.command {
        Command::Measure { scenes } => {
            measured::measure(&repository, scenes, &say)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Generate => {
            for (path, text) in generated(&repository)? {
                if repository.read(&path).ok().as_deref() != Some(text.as_str()) {
                    repository.write(&path, &text)?;
                    say(&format!("wrote {}", path.display()));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Check => {
            let mut faults = Vec::new();
            for (path, text) in generated(&repository)? {
                let found = repository.read(&path).unwrap_or_default();
                if let Some(difference) = first_difference(&found, &text) {
                    faults.push(format!("{}: {difference}; `signorini-book generate` writes it", path.display()));
                }
            }
            faults.extend(check::all(&repository)?);
            faults.extend(measured::check(&repository)?);
            faults.iter().for_each(|fault| say(fault));
            match faults.len() {
                0 => {
                    say("the book is in order");
                    Ok(ExitCode::SUCCESS)
                }
                count => {
                    say(&format!("{count} faults"));
                    Ok(ExitCode::FAILURE)
                }
            }
        }
    }
}

/// Every file with generated parts, as it should be.
fn generated(repository: &Repository) -> Result<BTreeMap<PathBuf, String>> {
    let mut files = pages::all(repository)?;
    for path in repository.pages()? {
        if files.contains_key(&path) {
            continue;
        }
        let text = repository.read(&path)?;
        let filled = sections::fill(repository, &path, &text)?;
        files.insert(path.clone(), console::fill(repository, &path, &filled)?);
    }
    Ok(files)
}

/// The first line in which two texts differ.
fn first_difference(found: &str, expected: &str) -> Option<String> {
    let (mut found, mut expected) = (found.lines(), expected.lines());
    for line in 1.. {
        match (found.next(), expected.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if a == b => {}
            (a, b) => {
                let shown = |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("`{line}`"));
                return Some(format!("line {line} is {}, expected {}", shown(a), shown(b)));
            }
        }
    }
    None
}

/// A line for the terminal; one that is gone has seen enough.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn texts_differ_in_one_line_first() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let difference = first_difference("a\nb\n", "a\nc\n").expect("a difference");
        assert!(difference.starts_with("line 2 is `b`, expected `c`"), "{difference}");
        assert!(first_difference("a", "a\nb").is_some());
    }
}
