//! Whole pages that are generated.

mod command_line;
mod errors;
mod gallery;

use crate::repository::{GENERATED, Repository};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every generated page.
pub(crate) fn all(repository: &Repository) -> Result<BTreeMap<PathBuf, String>> {
    let folder = Path::new(GENERATED);
    Ok(BTreeMap::from([
        (folder.join("command-line.md"), command_line::page(repository)?),
        (folder.join("errors.md"), errors::page(repository)?),
        (folder.join("gallery.md"), gallery::page(repository)?),
    ]))
}

/// The first lines of a generated page.
fn header(title: &str) -> String {
    format!("<!-- Written by `signorini-book generate`: change what it is made from. -->\n\n# {title}\n\n")
}
