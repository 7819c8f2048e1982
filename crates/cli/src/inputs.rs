//! From arguments to problems: files, folders, patterns, examples.

use crate::examples;
use anyhow::{Context, Result, bail};
use signorini_solver::fclib::{self, FclibError, FclibFile, Info};
use signorini_solver::problem::{from_fclib, to_fclib};
use signorini_solver::{ConeProblem, ProblemError};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One thing to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A file.
    File(PathBuf),
    /// A built-in problem.
    Example(String),
    /// An argument that leads to no file, and why.
    Nothing { argument: String, reason: String },
}

/// A problem as stored and as solved.
pub(crate) struct Loaded {
    /// As stored; `None` for an example that FCLIB has no form for (soft contacts, contacts of several kinds).
    pub(crate) file: Option<FclibFile>,
    pub(crate) problem: ConeProblem,
}

/// Why an input cannot be used.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

impl Input {
    /// What messages call it: the path as the user gave it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Example(name) => format!("{}{name}", examples::PREFIX),
            Self::Nothing { argument, .. } => argument.clone(),
        }
    }

    /// The name of a file that holds it.
    pub(crate) fn file_name(&self) -> PathBuf {
        match self {
            Self::File(path) => path.file_name().map_or_else(|| path.clone(), PathBuf::from),
            Self::Example(name) => PathBuf::from(format!("{name}.hdf5")),
            Self::Nothing { argument, .. } => PathBuf::from(argument),
        }
    }

    /// Reads what is stored, without making a problem of it.
    pub(crate) fn read(&self) -> Result<FclibFile, Failure> {
        match self {
            Self::File(path) => fclib::read(path).map_err(|error| self.fclib_failure(&error)),
            Self::Nothing { reason, .. } => Err(reason.clone().into()),
            Self::Example(_) => {
                self.load()?.file.ok_or_else(|| "an FCLIB file cannot hold this example".to_owned().into())
            }
        }
    }

    /// Reads and checks a problem.
    pub(crate) fn load(&self) -> Result<Loaded, Failure> {
        match self {
            Self::Example(name) => {
                let example = examples::find(name).map_err(|error| Failure::from(error.to_string()))?;
                let problem = (example.build)()?;
                let info = Info {
                    title: example.name.into(),
                    description: example.description.into(),
                    math_info: String::new(),
                };
                let file = to_fclib(&problem).ok().map(|stored| FclibFile::new(stored, info));
                Ok(Loaded { file, problem })
            }
            _ => {
                let file = self.read()?;
                Ok(Loaded { problem: from_fclib(&file.problem)?, file: Some(file) })
            }
        }
    }

    /// The message of the library starts with the file, and so does the line we put it in.
    fn fclib_failure(&self, error: &FclibError) -> Failure {
        let message = error.to_string();
        let message = message.strip_prefix(&format!("{}: ", self.name())).unwrap_or(&message);
        let hint = matches!(error, FclibError::NotHdf5 { .. } | FclibError::NoProblem { .. })
            .then_some("contact problems are read from FCLIB files (HDF5)");
        Failure { message: message.to_owned(), hint }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, hint: None }
    }
}

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        error.to_string().into()
    }
}

/// Files and examples the arguments stand for, in their order, what one argument stands for sorted by name,
/// nothing twice.
pub(crate) fn expand(arguments: &[PathBuf]) -> Vec<Input> {
    let mut seen = BTreeSet::new();
    let mut inputs = Vec::new();
    for argument in arguments {
        let name = argument.display().to_string();
        if let Some(example) = name.strip_prefix(examples::PREFIX).filter(|_| !argument.exists()) {
            inputs.push(Input::Example(example.to_owned()));
            continue;
        }
        match files_of(argument) {
            Ok(files) => {
                let fresh = |path: &PathBuf| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
                inputs.extend(files.into_iter().filter(fresh).map(Input::File));
            }
            Err(error) => inputs.push(Input::Nothing { argument: name, reason: format!("{error:#}") }),
        }
    }
    let mut named = BTreeSet::new();
    inputs.retain(|input| matches!(input, Input::File(_)) || named.insert(input.name()));
    inputs
}

fn files_of(argument: &Path) -> Result<Vec<PathBuf>> {
    let pattern = argument.to_str().filter(|text| text.contains(['*', '?']) && !argument.exists());
    let mut matches = match pattern {
        Some(_) => matching(argument)?,
        None => vec![argument.to_path_buf()],
    };
    matches.sort();
    let mut files = Vec::new();
    for path in matches {
        if path.is_dir() {
            let before = files.len();
            search(&path, &mut files)?;
            if files.len() == before && pattern.is_none() {
                bail!("the folder holds no .hdf5 or .h5 file");
            }
        } else {
            // A missing file is reported by whoever reads it, with the answer of the system.
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("no file matches this pattern");
    }
    Ok(files)
}

/// Problem files below a folder, sorted; links to folders are not followed, so there are no circles.
fn search(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for (path, name) in entries(folder)? {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        let extension = path.extension().and_then(|extension| extension.to_str());
        if is_folder && !name.starts_with('.') {
            search(&path, files)?;
        } else if matches!(extension, Some("hdf5" | "h5")) && !name.starts_with('.') && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let context = || format!("cannot list the folder {}", folder.display());
    let mut entries = Vec::new();
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(listed).with_context(context)? {
        let name = entry.with_context(context)?.file_name();
        entries.push((folder.join(&name), name.to_string_lossy().into_owned()));
    }
    entries.sort();
    Ok(entries)
}

/// Paths that match a pattern, component by component, as a shell would expand it.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let text = component.as_os_str().to_string_lossy();
        let mut next = Vec::new();
        for base in found {
            if !text.contains(['*', '?']) {
                next.push(base.join(component));
                continue;
            }
            if !(base.as_os_str().is_empty() || base.is_dir()) {
                continue;
            }
            let hidden_too = text.starts_with('.');
            let fits = |name: &str| (hidden_too || !name.starts_with('.')) && wildcard_matches(&text, name);
            next.extend(entries(&base)?.into_iter().filter(|(_, name)| fits(name)).map(|(path, _)| path));
        }
        found = next;
    }
    found.retain(|path| path.exists());
    Ok(found)
}

/// Whether `name` fits a pattern in which `*` stands for any text and `?` for any one character.
fn wildcard_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on when the text after the last `*` does not fit: that star takes one character more.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((star, taken)) => {
                    retry = Some((star, taken + 1));
                    p = star + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*.hdf5", "a.hdf5", true),
            ("*.hdf5", "a.hdf5.bak", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbx", false),
            ("Rover?0*", "Rover1039.hdf5", true),
            ("", "x", false),
        ] {
            assert_eq!(wildcard_matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn an_example_is_named_once() {
        let inputs = expand(&["example:incline".into(), "example:incline".into(), "example:x".into()]);
        assert_eq!(inputs, [Input::Example("incline".into()), Input::Example("x".into())]);
    }
}
