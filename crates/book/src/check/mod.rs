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

#[cfg(test)]
mod tests {
    use super::all;
    use crate::repository::Repository;

    const ERROR: &str = "/// It broke.\n#[error(\"it broke at {place}\")]\nBroke { place: String },\n";

    /// Faults of a book of one page beside the table of contents and Troubleshooting.
    fn faults(name: &str, page: &str, troubleshooting: &str) -> Vec<String> {
        let root = std::env::temp_dir().join(format!("signorini-book-test-{}-{name}", std::process::id()));
        let files = [
            ("docs/book/src/SUMMARY.md", "- [A](a.md)\n- [T](troubleshooting.md)\n"),
            ("docs/book/src/a.md", page),
            ("docs/book/src/troubleshooting.md", troubleshooting),
            ("crates/solver/src/error.rs", ERROR),
            ("code.rs", "// ANCHOR: whole\nfn a() {}\n// ANCHOR_END: whole\n"),
        ];
        let repository = Repository::of(root.clone(), &files).expect("files");
        let faults = all(&repository).expect("a check");
        std::fs::remove_dir_all(root).expect("removed");
        faults
    }

    const GOOD: &str =
        "# A\n[here](#a) and [there](troubleshooting.md#t)\n```rust\n{{#include ../../../code.rs:whole}}\n```\n";
    const EXPLAINED: &str = "# T\n| `it broke at {place}` | a fall |\n";

    #[test]
    fn a_book_in_order_has_no_faults() {
        assert!(faults("good", GOOD, EXPLAINED).is_empty());
    }

    #[test]
    fn every_kind_of_fault_is_found_and_named() {
        let one = |name: &str, page: &str, troubleshooting: &str, part: &str| {
            let faults = faults(name, page, troubleshooting);
            assert!(faults.len() == 1 && faults[0].contains(part), "{name}: {faults:?}");
        };
        one("file", "# A\n[x](b.md)\n", EXPLAINED, "b.md");
        one("anchor", "# A\n[x](troubleshooting.md#u)\n", EXPLAINED, "names no heading");
        one("include", "{{#include ../../../code.rs:part}}\n", EXPLAINED, "anchor");
        one("included file", "{{#include nothing.rs}}\n", EXPLAINED, "not there");
        one("path", "See docs/book/src/b.md.\n", EXPLAINED, "is not there");
        one("unexplained", GOOD, "# T\n", "is not explained");
        let quoted = format!("{EXPLAINED}| `it sank` | a hole |\n");
        one("unsaid", GOOD, &quoted, "no source says");
    }
}
