//! The table of contents names every page once.

use crate::markdown::links;
use crate::repository::{PAGES, Repository, beside};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) fn check(repository: &Repository) -> Result<Vec<String>> {
    let summary = Path::new(PAGES).join("SUMMARY.md");
    let mut named: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for link in links(&repository.read(&summary)?) {
        if let Some(path) = beside(&summary, &link.target) {
            *named.entry(path).or_insert(0) += 1;
        }
    }
    let mut faults = Vec::new();
    for page in repository.pages()? {
        let count = named.get(&page).copied().unwrap_or(0);
        if page != summary && count != 1 {
            faults.push(format!("{}: named {count} times in SUMMARY.md, expected once", page.display()));
        }
    }
    Ok(faults)
}
