//! What pages point at: every fault is one line.

mod includes;
mod links;
mod messages;
mod summary;

pub(crate) use messages::declared;

use crate::repository::Repository;
use anyhow::Result;

/// Everything that is wrong with the pages.
pub(crate) fn all(repository: &Repository) -> Result<Vec<String>> {
    let mut faults = links::check(repository)?;
    faults.extend(links::check_named_paths(repository)?);
    faults.extend(summary::check(repository)?);
    faults.extend(includes::check(repository)?);
    faults.extend(messages::check(repository)?);
    Ok(faults)
}
