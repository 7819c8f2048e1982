//! Links, anchors and pictures of every Markdown file, and paths of documents named in text and code.

use crate::markdown::{anchors, links};
use crate::repository::{Repository, beside};
use anyhow::Result;
use std::path::Path;

/// Links that lead nowhere.
pub(super) fn check(repository: &Repository) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for page in repository.files("md")? {
        let text = repository.read(&page)?;
        for link in links(&text) {
            if let Some(problem) = problem(repository, &page, &text, &link.target) {
                faults.push(format!("{}:{}: link `{}` {problem}", page.display(), link.line, link.target));
            }
        }
    }
    Ok(faults)
}

fn problem(repository: &Repository, page: &Path, text: &str, target: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { Some(page.to_owned()) } else { beside(page, file) };
    let Some(path) = path else { return Some("leaves the repository".into()) };
    if !repository.exists(&path) {
        return Some(format!("leads to {}, which is not there", path.display()));
    }
    let anchor = anchor?;
    if path.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let other = if file.is_empty() { text.to_owned() } else { repository.read(&path).ok()? };
    let known = anchors(&other);
    (!known.iter().any(|known| known == anchor))
        .then(|| format!("names no heading of {}; there are: {}", path.display(), known.join(", ")))
}

/// Documents named in text or code (`docs/…`) that are not there.
pub(super) fn check_named_paths(repository: &Repository) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for ending in ["md", "rs", "toml"] {
        for file in repository.files(ending)? {
            // Tests of this crate speak of paths that need not be there.
            if file.starts_with("crates/book/src") {
                continue;
            }
            let text = repository.read(&file)?;
            for (at, line) in text.lines().enumerate() {
                for path in named_documents(line) {
                    if !repository.exists(Path::new(path)) {
                        faults.push(format!("{}:{}: `{path}` is not there", file.display(), at + 1));
                    }
                }
            }
        }
    }
    Ok(faults)
}

/// Words of a line that are documents: `docs/` with an ending, from the root of the repository.
fn named_documents(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '*' | ':');
    line.split(move |c: char| !is_part(c)).filter_map(|word| {
        let word = word.trim_end_matches(['.', ':']);
        // What mdBook makes is there once it has been built.
        let is_made = word.starts_with("docs/book/book/");
        let is_document =
            !is_made && word.starts_with("docs/") && word.rsplit('/').next().is_some_and(|name| name.contains('.'));
        (is_document && !word.contains('*')).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::named_documents;

    #[test]
    fn documents_are_found_in_sentences() {
        let found: Vec<_> = named_documents("see docs/book/src/a.md, (docs/x.svg) and docs/steppers-*.svg.").collect();
        assert_eq!(found, ["docs/book/src/a.md", "docs/x.svg"]);
    }
}
