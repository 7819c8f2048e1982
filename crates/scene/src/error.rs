//! What is wrong with a scene file, and where.

use std::fmt;

/// One thing that is wrong with a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, or the name of the gallery scene.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was found and what is allowed.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {} ({}:{}:{})", self.message, self.file, self.line, self.column)?;
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
