//! What is wrong with a scene file, and where.

use std::fmt;

/// One thing that is wrong with a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, or the name of the gallery scene.
    pub file: String,
    /// Line, from 1; 0 if the file as a whole is meant.
    pub line: usize,
    /// Column in characters, from 1; 0 if the file as a whole is meant.
    pub column: usize,
    /// What was found and what is allowed.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl SceneError {
    /// Where it is: file, line and column, or the file or option alone.
    #[must_use]
    pub fn place(&self) -> String {
        // An option of the command line has no lines.
        match self.line == 0 || self.file.starts_with("--") {
            true => self.file.clone(),
            false => format!("{}:{}:{}", self.file, self.line, self.column),
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {} ({})", self.message, self.place())?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a scene file, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneErrors(pub Vec<SceneError>);

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneErrors {}
