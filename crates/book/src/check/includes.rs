//! `{{#include FILE}}` and `{{#include FILE:ANCHOR}}` of pages: the file and its `ANCHOR: name` … `ANCHOR_END: name` exist.

use crate::repository::{Repository, beside};
use anyhow::Result;

pub(super) fn check(repository: &Repository) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for page in repository.pages()? {
        let text = repository.read(&page)?;
        for (at, line) in text.lines().enumerate() {
            for part in line.split("{{#").skip(1) {
                let directive = part.split("}}").next().unwrap_or_default();
                let mut say = |problem: &str| {
                    faults.push(format!("{}:{}: `{directive}` {problem}", page.display(), at + 1));
                };
                let Some(target) = directive.strip_prefix("include ") else {
                    say("is no include");
                    continue;
                };
                let (file, anchor) = target.split_once(':').map_or((target, None), |(file, name)| (file, Some(name)));
                let content = beside(&page, file).and_then(|path| repository.read(&path).ok());
                let Some(content) = content else {
                    say("names a file that is not there");
                    continue;
                };
                if let Some(name) = anchor {
                    let is_there =
                        |mark: &str| content.lines().any(|line| line.trim().ends_with(&format!("{mark}: {name}")));
                    if !(is_there("ANCHOR") && is_there("ANCHOR_END")) {
                        say("names an anchor that does not start or does not end");
                    }
                }
            }
        }
    }
    Ok(faults)
}
