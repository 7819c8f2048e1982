//! The files of the repository.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Where pages are.
pub(crate) const PAGES: &str = "docs/book/src";
/// Where whole generated pages are.
pub(crate) const GENERATED: &str = "docs/book/src/generated";

/// Folders that hold nothing of ours.
const LEFT_OUT: [&str; 4] = ["target", ".git", "node_modules", "docs/book/book"];

/// The repository; paths are relative to its root.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository around the current folder.
    pub(crate) fn find() -> Result<Self> {
        let start = std::env::current_dir()?;
        for folder in start.ancestors() {
            if folder.join(PAGES).is_dir() && folder.join("Cargo.toml").is_file() {
                return Ok(Self { root: folder.to_owned() });
            }
        }
        bail!("no folder from {} upwards has {PAGES}", start.display())
    }

    /// A repository of a few files, for tests.
    #[cfg(test)]
    pub(crate) fn of(root: PathBuf, files: &[(&str, &str)]) -> Result<Self> {
        let this = Self { root };
        files.iter().try_for_each(|(path, text)| this.write(Path::new(path), text))?;
        Ok(this)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn read(&self, path: &Path) -> Result<String> {
        std::fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read {}", path.display()))
    }

    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<()> {
        let full = self.root.join(path);
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(full, text).with_context(|| format!("cannot write {}", path.display()))
    }

    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.root.join(path).exists()
    }

    /// All files of an ending, sorted.
    pub(crate) fn files(&self, ending: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        self.collect(Path::new(""), ending, &mut found)?;
        found.sort();
        Ok(found)
    }

    /// The pages of the book, sorted.
    pub(crate) fn pages(&self) -> Result<Vec<PathBuf>> {
        Ok(self.files("md")?.into_iter().filter(|path| path.starts_with(PAGES)).collect())
    }

    fn collect(&self, folder: &Path, ending: &str, found: &mut Vec<PathBuf>) -> Result<()> {
        for entry in std::fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if LEFT_OUT.iter().any(|left_out| path.ends_with(left_out)) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.collect(&path, ending, found)?;
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
        Ok(())
    }
}

/// `path` seen from the folder of `from`, with `..` resolved; `None` where it leaves the repository.
pub(crate) fn beside(from: &Path, path: &str) -> Option<PathBuf> {
    let mut resolved: Vec<_> = from.parent()?.components().collect();
    for part in Path::new(path).components() {
        match part {
            std::path::Component::ParentDir => {
                resolved.pop()?;
            }
            std::path::Component::CurDir => {}
            std::path::Component::Normal(_) => resolved.push(part),
            _ => return None,
        }
    }
    Some(resolved.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::beside;
    use std::path::{Path, PathBuf};

    #[test]
    fn paths_are_resolved_against_the_folder_of_a_file() {
        let from = Path::new("docs/book/src/a.md");
        assert_eq!(beside(from, "../../x.svg"), Some(PathBuf::from("docs/x.svg")));
        assert_eq!(beside(from, "./b.md"), Some(PathBuf::from("docs/book/src/b.md")));
        assert_eq!(beside(from, "../../../../out"), None);
    }
}
