//! Blocks of commands in pages. One marked `<!-- checked -->` is run and holds what the commands write, on stdout and then on stderr.

use crate::program::Workshop;
use crate::repository::Repository;
use anyhow::{Result, bail};
use std::path::Path;

const MARK: &str = "<!-- checked -->";

/// Whether a line tells of times, which differ from run to run, or of the last bits, which differ between systems.
pub(crate) fn is_timing(line: &str) -> bool {
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
        for line in lines.by_ref().take_while(|line| *line != "```") {
            let Some(command) = line.strip_prefix("$ ") else { continue };
            filled.push_str(line);
            filled.push('\n');
            let Some(arguments) = command.split('#').next().and_then(|part| part.trim().strip_prefix("signorini "))
            else {
                bail!("{}: `{command}` is no command of `signorini`", path.display());
            };
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            let outcome = workshop.run(&arguments)?;
            filled.extend(outcome.text.lines().map(|line| format!("{}\n", line.trim_end())));
        }
        filled.push_str("```\n");
    }
    Ok(filled)
}
