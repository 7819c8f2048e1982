//! OBJ files: vertices (`v`) and faces (`f`). Names, materials, normals and texture coordinates do not matter here.

use super::{Problem, Triangles, lines, point, quote};
use glam::DVec3;

/// The corners of a face by the numbers of their vertices, from 0.
struct Face {
    line: usize,
    corners: Vec<usize>,
}

/// Faces with more than three corners are cut into triangles from their first corner; lines and points are left out.
pub(super) fn read(bytes: &[u8]) -> Result<Triangles, Problem> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    for (line, text) in lines(bytes) {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(point(line, words)?),
            Some("f") => {
                let corners = words.map(|word| corner(line, word, vertices.len())).collect::<Result<_, _>>()?;
                faces.push(Face { line, corners });
            }
            _ => {}
        }
    }
    let mut triangles = Triangles::default();
    for Face { line, corners } in faces {
        // A face may stand before its vertices.
        if let Some(number) = corners.iter().find(|&&corner| corner >= vertices.len()) {
            let message = format!("a face uses vertex {}, but there are {}", number + 1, vertices.len());
            return Err(Problem::at(line, message));
        }
        for k in 2..corners.len() {
            triangles.corners.push([corners[0], corners[k - 1], corners[k]].map(|corner| vertices[corner]));
            triangles.lines.push(line);
        }
    }
    Ok(triangles)
}

/// The vertex of a corner, such as `7`, `7/1/3` or `-1`, the last vertex so far.
fn corner(line: usize, word: &str, vertices: usize) -> Result<usize, Problem> {
    let number = word.split('/').next().unwrap_or(word);
    let wrong = |expected: &str| Problem::at(line, format!("{} was found where {expected} was expected", quote(word)));
    match number.parse::<i64>() {
        Ok(number) if number > 0 => Ok(number as usize - 1),
        Ok(number) if number < 0 => (vertices as i64)
            .checked_add(number)
            .and_then(|at| usize::try_from(at).ok())
            .ok_or_else(|| wrong(&format!("one of the {vertices} vertices before it"))),
        _ => Err(wrong("the number of a vertex, from 1,")),
    }
}
