//! Triangles from STL and OBJ files.

use glam::DVec3;
use signorini_mechanics::{Mesh, ShapeError};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Larger files are refused.
const MOST_BYTES: u64 = 1 << 30;
/// Header and triangle count of a binary STL file.
const STL_HEADER: u64 = 84;
/// Bytes of a triangle in a binary STL file.
const STL_TRIANGLE: u64 = 50;

/// Bytes of a file that tell a text from numbers.
const LOOK_AHEAD: usize = 512;

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
    #[error("{path}: {error}")]
    Shape { path: String, error: ShapeError },
}

/// Reads a mesh and scales it along its axes.
pub(crate) fn read(path: &Path, scale: DVec3) -> Result<Mesh, MeshFileError> {
    let name = || path.display().to_string();
    let io = |error| MeshFileError::Io { path: name(), error };
    let content = |problem: String| MeshFileError::Content { path: name(), problem };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ending != "stl" && ending != "obj" {
        return Err(MeshFileError::Ending { path: name() });
    }
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(content("is no file".into()));
    }
    if metadata.len() > MOST_BYTES {
        return Err(MeshFileError::TooLarge { path: name(), bytes: metadata.len() });
    }
    let mut bytes = Vec::new();
    BufReader::new(file).take(MOST_BYTES).read_to_end(&mut bytes).map_err(io)?;
    let triangles = match ending.as_str() {
        "stl" => stl(&bytes),
        _ => obj(&bytes),
    }
    .map_err(content)?;
    if triangles.is_empty() {
        return Err(content("contains no triangles".into()));
    }
    let scaled: Vec<[DVec3; 3]> = triangles.iter().map(|corners| corners.map(|corner| corner * scale)).collect();
    Mesh::from_loose_triangles(&scaled).map_err(|error| MeshFileError::Shape { path: name(), error })
}

fn stl(bytes: &[u8]) -> Result<Vec<[DVec3; 3]>, String> {
    // A text starts with `solid`, but so do the headers of some binary files, which no text goes on like.
    let announced = bytes.get(80..84).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes).map(u64::from);
    let size = |count: u64| STL_HEADER + STL_TRIANGLE * count;
    let is_binary = !bytes.starts_with(b"solid") || bytes[..bytes.len().min(LOOK_AHEAD)].contains(&0);
    if is_binary {
        let count = announced.ok_or(format!("is cut off after {} bytes of an STL header", bytes.len()))?;
        if (bytes.len() as u64) < size(count) {
            let found = (bytes.len() as u64 - STL_HEADER) / STL_TRIANGLE;
            return Err(format!("is cut off: {found} of {count} triangles"));
        }
        return Ok(binary_stl(bytes));
    }
    let mut cursor = std::io::Cursor::new(bytes);
    let reader = stl_io::create_stl_reader(&mut cursor).map_err(|error| format!("is no STL file: {error}"))?;
    let corner = |vertex: &stl_io::Vertex| DVec3::from_array(vertex.0.map(f64::from));
    reader
        .map(|triangle| triangle.map(|triangle| triangle.vertices.each_ref().map(corner)))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("is no STL file: {error}"))
}

/// The corners of a binary file whose size has been checked; normals and attributes are not used.
fn binary_stl(bytes: &[u8]) -> Vec<[DVec3; 3]> {
    let number = |at: &[u8]| f64::from(f32::from_le_bytes([at[0], at[1], at[2], at[3]]));
    let triangles = bytes[STL_HEADER as usize..].chunks_exact(STL_TRIANGLE as usize);
    let corner = |triangle: &[u8], k: usize| {
        let at = 12 + 12 * k;
        DVec3::new(number(&triangle[at..]), number(&triangle[at + 4..]), number(&triangle[at + 8..]))
    };
    triangles.map(|triangle| [0, 1, 2].map(|k| corner(triangle, k))).collect()
}

fn obj(bytes: &[u8]) -> Result<Vec<[DVec3; 3]>, String> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let mut reader = std::io::Cursor::new(bytes);
    // Colours do not matter: material files are not opened.
    let materials = |_: &Path| Ok(Default::default());
    let (models, _) =
        tobj::load_obj_buf(&mut reader, &options, materials).map_err(|error| format!("is no OBJ file: {error}"))?;
    let mut triangles = Vec::new();
    for model in &models {
        let corner = |index: &u32| {
            let at = 3 * *index as usize;
            let position = model.mesh.positions.get(at..at + 3)?;
            Some(DVec3::new(f64::from(position[0]), f64::from(position[1]), f64::from(position[2])))
        };
        for indices in model.mesh.indices.chunks_exact(3) {
            match [corner(&indices[0]), corner(&indices[1]), corner(&indices[2])] {
                [Some(a), Some(b), Some(c)] => triangles.push([a, b, c]),
                _ => return Err("a face names a vertex that does not exist".into()),
            }
        }
    }
    Ok(triangles)
}
