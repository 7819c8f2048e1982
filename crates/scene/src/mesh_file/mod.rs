//! Triangles from STL and OBJ files.

mod obj;
mod stl;

use glam::DVec3;
use signorini_mechanics::{Mesh, ShapeError};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger files are refused.
const MOST_BYTES: u64 = 1 << 30;
/// Farthest coordinate, after scaling \[m\]: that of every place in a scene.
const FARTHEST: f64 = 1e9;
/// Longest excerpt of a file in a message.
const LONGEST: usize = 40;

/// Why a mesh file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeshFileError {
    #[error("{path}: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("{path}: {bytes} bytes, expected at most {MOST_BYTES}")]
    TooLarge { path: String, bytes: u64 },
    #[error("{path}: unknown ending, expected .stl or .obj")]
    Ending { path: String },
    #[error("{path}: {problem}")]
    Content { path: String, problem: String },
    #[error("{path}:{line}: {problem}")]
    Line { path: String, line: usize, problem: String },
    #[error("{path}: {error}")]
    Shape { path: String, error: ShapeError },
}

/// A file of triangles that has been read at a scale.
pub(crate) struct MeshInUse {
    pub(crate) path: PathBuf,
    pub(crate) scale: DVec3,
    pub(crate) mesh: Arc<Mesh>,
    /// What messages call the shapes whose surface it is; empty if only hulls are made of it.
    pub(crate) surface_of: Vec<String>,
}

/// What is wrong with the content of a file.
#[derive(Debug)]
struct Problem {
    /// From 1; none of binary files, and of what no line says.
    line: Option<usize>,
    message: String,
}

impl Problem {
    fn of_file(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }
}

/// The triangles of a file.
#[derive(Default)]
struct Triangles {
    corners: Vec<[DVec3; 3]>,
    /// The line of each, from 1; empty for binary files.
    lines: Vec<usize>,
}

impl Triangles {
    /// What is wrong with a triangle: at its line, or by its number.
    fn problem(&self, triangle: usize, message: impl Display) -> Problem {
        match self.lines.get(triangle) {
            Some(&line) => Problem::at(line, message.to_string()),
            None => {
                let count = self.corners.len();
                Problem::of_file(format!("triangle {} of {count}, counted from 1: {message}", triangle + 1))
            }
        }
    }

    fn scaled(mut self, scale: DVec3) -> Result<Mesh, Problem> {
        for corner in self.corners.iter_mut().flatten() {
            *corner *= scale;
        }
        // The readers refuse what is not finite, so that a product may be infinite but is a number.
        let is_far = |corner: &&DVec3| corner.abs().max_element() > FARTHEST;
        let far = |(at, corners): (usize, &[DVec3; 3])| corners.iter().find(is_far).map(|corner| (at, *corner));
        if let Some((at, corner)) = self.corners.iter().enumerate().find_map(far) {
            let expected = format!("expected finite numbers of metres up to {FARTHEST:e}");
            return Err(self.problem(at, format_args!("a corner is {corner}, {expected}")));
        }
        let vertices = self.corners.iter().flatten().copied().collect();
        let triangles = (0..self.corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Mesh { vertices, triangles };
        let mut flat = (0..self.corners.len()).filter(|&t| mesh.is_degenerate(t));
        if let Some(first) = flat.next() {
            let ([a, b, c], count, all) = (self.corners[first], 1 + flat.count(), self.corners.len());
            let message = format!(
                "a triangle has no area, its corners are {a}, {b} and {c} m; {count} of {all} triangles are like that"
            );
            return Err(self.problem(first, message));
        }
        Ok(mesh.welded())
    }
}

/// Reads a mesh and scales it along its axes. Equal corners become one vertex.
pub(crate) fn read(path: &Path, scale: DVec3) -> Result<Mesh, MeshFileError> {
    let name = || path.display().to_string();
    let io = |error| MeshFileError::Io { path: name(), error };
    let content = |problem: Problem| match problem {
        Problem { line: Some(line), message } => MeshFileError::Line { path: name(), line, problem: message },
        Problem { line: None, message } => MeshFileError::Content { path: name(), problem: message },
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ending != "stl" && ending != "obj" {
        return Err(MeshFileError::Ending { path: name() });
    }
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(content(Problem::of_file("is no file")));
    }
    if metadata.len() > MOST_BYTES {
        return Err(MeshFileError::TooLarge { path: name(), bytes: metadata.len() });
    }
    let mut bytes = Vec::new();
    BufReader::new(file).take(MOST_BYTES).read_to_end(&mut bytes).map_err(io)?;
    let triangles = match ending.as_str() {
        "stl" => stl::read(&bytes),
        _ => obj::read(&bytes),
    }
    .map_err(content)?;
    if triangles.corners.is_empty() {
        return Err(content(Problem::of_file("contains no triangles")));
    }
    let mesh = triangles.scaled(scale).map_err(content)?;
    mesh.check().map_err(|error| MeshFileError::Shape { path: name(), error })?;
    Ok(mesh)
}

/// The lines of a text with their numbers, from 1, as words. Bytes that are no text are replaced: names of parts may be in
/// any encoding.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, str>)> {
    (1..).zip(bytes.split(|&byte| byte == b'\n').map(String::from_utf8_lossy))
}

/// A word of a file for a message: short, and without what a terminal would not show.
fn quote(word: &str) -> String {
    let shown = word.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let more = if word.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("`{}{more}`", shown.collect::<String>())
}

/// The first three words as a point; what follows is left alone.
fn point<'a>(line: usize, mut words: impl Iterator<Item = &'a str>) -> Result<DVec3, Problem> {
    let mut point = DVec3::ZERO;
    for k in 0..3 {
        let word = words.next().ok_or_else(|| Problem::at(line, format!("has {k} numbers, expected 3")))?;
        let value: f64 = word
            .parse()
            .map_err(|_| Problem::at(line, format!("{} was found where a number was expected", quote(word))))?;
        if !value.is_finite() {
            return Err(Problem::at(line, format!("a coordinate is {value}, expected a finite number")));
        }
        point[k] = value;
    }
    Ok(point)
}
