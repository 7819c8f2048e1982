//! The command line, as `--help` tells it.

use super::header;
use crate::program::Workshop;
use crate::repository::Repository;
use anyhow::{Result, bail};

pub(super) fn page(repository: &Repository) -> Result<String> {
    let workshop = Workshop::new(repository)?;
    let help = |arguments: &[&str]| -> Result<String> {
        let outcome = workshop.run(arguments)?;
        if outcome.code != 0 {
            bail!("`signorini {}` ends with {}: {}", arguments.join(" "), outcome.code, outcome.text);
        }
        Ok(outcome.results.lines().map(|line| line.trim_end().to_owned() + "\n").collect())
    };
    let overview = help(&["--help"])?;
    let mut text = header("The command line");
    text += &format!("```text\n{overview}```\n");
    for command in commands(&overview) {
        text += &format!("\n## signorini {command}\n\n```text\n{}```\n", help(&[command, "--help"])?);
    }
    Ok(text)
}

/// Names of commands in the list of `--help`.
fn commands(overview: &str) -> impl Iterator<Item = &str> {
    let list = overview.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let list = list.take_while(|line| !line.is_empty());
    // Texts that go on in a second line are further to the right.
    let names = list.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help")
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_the_words_at_the_left() {
        let overview = "Usage\n\nCommands:\n  run   Simulate\n        a scene\n  help  Print\n\nOptions:\n  -h\n";
        assert_eq!(commands(overview).collect::<Vec<_>>(), ["run"]);
    }
}
