//! STL files, binary and text. Normals and attributes are not used: the order of the corners tells the front.

use super::{Problem, Triangles, lines, point, quote};
use glam::DVec3;

/// Header and triangle count of a binary file.
const HEADER: usize = 84;
/// Bytes of a triangle in a binary file.
const TRIANGLE: usize = 50;
/// Bytes of a file that tell a text from numbers.
const LOOK_AHEAD: usize = 512;

pub(super) fn read(bytes: &[u8]) -> Result<Triangles, Problem> {
    // A text starts with `solid`, but so do the headers of some binary files, which no text goes on like.
    let is_binary = !bytes.starts_with(b"solid") || bytes[..bytes.len().min(LOOK_AHEAD)].contains(&0);
    if is_binary { binary(bytes) } else { text(bytes) }
}

fn binary(bytes: &[u8]) -> Result<Triangles, Problem> {
    let Some(announced) = bytes.get(80..HEADER) else {
        return Err(Problem::of_file(format!("is cut off after {} bytes of an STL header", bytes.len())));
    };
    let count = u32::from_le_bytes([announced[0], announced[1], announced[2], announced[3]]) as usize;
    let body = &bytes[HEADER..];
    let found = body.len() / TRIANGLE;
    if found < count {
        return Err(Problem::of_file(format!("is cut off: {found} of {count} triangles")));
    }
    let number = |at: &[u8]| f64::from(f32::from_le_bytes([at[0], at[1], at[2], at[3]]));
    let corner = |triangle: &[u8], k: usize| {
        let at = 12 + 12 * k;
        DVec3::new(number(&triangle[at..]), number(&triangle[at + 4..]), number(&triangle[at + 8..]))
    };
    let corners = body.chunks_exact(TRIANGLE).take(count).map(|triangle| [0, 1, 2].map(|k| corner(triangle, k)));
    let triangles = Triangles { corners: corners.collect(), lines: Vec::new() };
    let wrong = |corners: &[DVec3; 3]| corners.iter().any(|corner| !corner.is_finite());
    match triangles.corners.iter().position(wrong) {
        Some(at) => {
            let [a, b, c] = triangles.corners[at];
            Err(triangles.problem(at, format_args!("corners are {a}, {b} and {c}, expected finite numbers")))
        }
        None => Ok(triangles),
    }
}

/// `solid`, then facets of an outer loop of three vertices each, then `endsolid`; several of them in a file are one mesh.
fn text(bytes: &[u8]) -> Result<Triangles, Problem> {
    let mut triangles = Triangles::default();
    let mut corners: Vec<DVec3> = Vec::new();
    let mut is_open = false;
    let mut last = 1;
    for (line, text) in lines(bytes) {
        let mut words = text.split_whitespace();
        let Some(word) = words.next() else { continue };
        last = line;
        match word.to_ascii_lowercase().as_str() {
            "solid" => is_open = true,
            "endsolid" => is_open = false,
            "outer" | "endloop" => {}
            "facet" => corners.clear(),
            // The numbers of the format have 32 bits. Corners that programs write with other last digits become one vertex.
            "vertex" => corners.push(point(line, words)?.as_vec3().as_dvec3()),
            "endfacet" => {
                let Ok(triangle) = <[DVec3; 3]>::try_from(&corners[..]) else {
                    return Err(Problem::at(line, format!("a facet has {} vertices, expected 3", corners.len())));
                };
                triangles.corners.push(triangle);
                triangles.lines.push(line);
                corners.clear();
            }
            _ => {
                let expected = "a line of an STL file (`facet`, `vertex`, `endfacet`, `endsolid`)";
                return Err(Problem::at(line, format!("{} was found where {expected} was expected", quote(word))));
            }
        }
    }
    if is_open {
        return Err(Problem::at(last, "the file ends before `endsolid`: it may be cut off"));
    }
    Ok(triangles)
}
