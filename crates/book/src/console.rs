//! Blocks of commands in pages. One marked `<!-- checked -->` is run and holds what the commands write, on stdout and then on stderr.

use crate::program::Workshop;
use crate::repository::Repository;
use anyhow::{Result, bail};
use std::path::Path;

const MARK: &str = "<!-- checked -->";

/// Whether a line is left out: times differ from run to run, and the last bits of a state between systems.
fn is_volatile(line: &str) -> bool {
    ["time a step ", "total time ", "state "].iter().any(|start| line.starts_with(start))
}

/// The page with the output of its checked commands.
pub(crate) fn fill(repository: &Repository, path: &Path, text: &str) -> Result<String> {
    if !text.lines().any(|line| line.trim() == MARK) {
        return Ok(text.to_owned());
    }
    let workshop = Workshop::new(repository)?;
    let mut filled = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        if line.trim() != MARK {
            continue;
        }
        let Some("```console") = lines.next() else {
            bail!("{}: `{MARK}` is not followed by a block of `console`", path.display());
        };
        filled.push_str("```console\n");
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut rest = &block[..];
        while let Some((line, after)) = rest.split_first() {
            let Some(command) = line.strip_prefix("$ ") else {
                bail!("{}: a checked block starts with `{line}`, expected `$ signorini …`", path.display());
            };
            let told = after.iter().position(|line| line.starts_with("$ ")).unwrap_or(after.len());
            let (old, later) = after.split_at(told);
            rest = later;
            filled.push_str(line);
            filled.push('\n');
            let command = command.split('#').next().unwrap_or_default().trim();
            let Some(arguments) = command.strip_prefix("signorini ") else {
                bail!("{}: `{command}` is no command of `signorini`", path.display());
            };
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            let outcome = workshop.run(&arguments)?;
            let new: Vec<&str> = outcome.text.lines().map(str::trim_end).filter(|line| !is_volatile(line)).collect();
            // What stands in the page stays while it is as true as the new text.
            let is_same = old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| are_alike(old, new));
            let told = if is_same { old } else { &new[..] };
            filled.extend(told.iter().map(|line| format!("{line}\n")));
        }
        filled.push_str("```\n");
    }
    Ok(filled)
}

/// Relative difference of numbers that count as the same: systems differ in the last bits of sines.
const SAME: f64 = 1e-2;
/// Numbers below this are rounding, however large they are against each other.
const ROUNDING: f64 = 1e-7;

/// Whether two lines say the same: equal words, and numbers that differ by rounding only.
fn are_alike(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let number = |word: &str| word.trim_end_matches([',', ':']).parse::<f64>().ok();
                let (Some(a), Some(b)) = (number(a), number(b)) else { return false };
                let larger = a.abs().max(b.abs());
                if (a - b).abs() > SAME * larger && larger > ROUNDING {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn numbers_of_rounding_are_alike_and_words_are_not() {
        assert!(are_alike("residual  worst 1.8e-8 m/s", "residual worst 1.9e-8 m/s"));
        assert!(are_alike("energy 1.1062 J", "energy 1.1063 J"));
        assert!(!are_alike("energy 1.1 J", "energy 1.2 J"));
        assert!(!are_alike("100 converged", "100 missed"));
        assert!(!are_alike("a", "a b"));
    }
}
