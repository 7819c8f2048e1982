//! Meshes of volume elements from files of Gmsh and VTK.
//!
//! [`read_volume_mesh`] takes the ending of the file's name for its format:
//!
//! | ending | read | refused |
//! |---|---|---|
//! | `.msh` | Gmsh 2.2 and 4.1, ASCII | other versions, binary |
//! | `.vtk` | legacy VTK, ASCII, unstructured grids | binary, other data sets |
//! | `.vtu` | VTK XML, `format="ascii"`, one piece | binary, appended and compressed arrays |
//!
//! All volume elements must be of one kind: four- or ten-node tetrahedra or eight-node hexahedra. Points, lines and faces
//! are no elements, but name sets: a physical group of Gmsh becomes a node set of its name (`physical-3` if group 3 has
//! none), one of surfaces a face set too, in which a face between two elements belongs to the first. Nodes of no volume
//! element are left out; an element that is listed twice counts once.

mod assemble;
mod cell;
mod error;
#[cfg(test)]
mod fuzz;
mod gmsh;
mod gmsh_2;
mod gmsh_4;
mod lines;
#[cfg(test)]
mod tests;
mod vtk;
mod vtu;
#[cfg(test)]
mod writers;

pub use error::VolumeMeshFileError;

use assemble::assemble;
use error::Problem;
use signorini_mechanics::flexible::mesh::VolumeMesh;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Larger files are refused.
const MOST_BYTES: u64 = 1 << 30;

/// What files of volume meshes contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeMeshFormat {
    /// `.msh` of Gmsh.
    Gmsh,
    /// `.vtk`, the legacy format of VTK.
    Vtk,
    /// `.vtu`, the XML format of VTK.
    Vtu,
}

/// Reads a mesh from a file; its format is told by the ending of its name.
///
/// # Errors
/// Files that cannot be read, with the line at which that was found; elements that are inverted or flat, with a count.
pub fn read_volume_mesh(path: &Path) -> Result<VolumeMesh, VolumeMeshFileError> {
    let name = path.display().to_string();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let format = match ending.as_str() {
        "msh" => VolumeMeshFormat::Gmsh,
        "vtk" => VolumeMeshFormat::Vtk,
        "vtu" => VolumeMeshFormat::Vtu,
        _ => return Err(VolumeMeshFileError::Ending { path: name }),
    };
    let io = |error| VolumeMeshFileError::Io { path: name.clone(), error };
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(VolumeMeshFileError::NoFile { path: name });
    }
    if metadata.len() > MOST_BYTES {
        return Err(VolumeMeshFileError::TooLarge { path: name, bytes: metadata.len() });
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(io)?;
    parse_volume_mesh(&bytes, format, &name)
}

/// Reads a mesh from the bytes of a file; `path` is what errors call it.
///
/// ```
/// use signorini_scene::volume_mesh_file::{VolumeMeshFormat, parse_volume_mesh};
/// let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
///     $PhysicalNames\n1\n2 7 \"clamped\"\n$EndPhysicalNames\n\
///     $Nodes\n4\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n$EndNodes\n\
///     $Elements\n2\n1 2 2 7 1 10 20 30\n2 4 2 0 1 10 20 30 40\n$EndElements\n";
/// let mesh = parse_volume_mesh(text.as_bytes(), VolumeMeshFormat::Gmsh, "one.msh")?;
/// assert_eq!(mesh.elements, [0, 1, 2, 3]);
/// assert_eq!(mesh.face_sets["clamped"], [(0, 3)]);
/// assert_eq!(mesh.node_sets["clamped"], [0, 1, 2]);
/// let error = parse_volume_mesh(&text.as_bytes()[..140], VolumeMeshFormat::Gmsh, "cut.msh").unwrap_err();
/// assert!(error.to_string().starts_with("cut.msh:"));
/// # Ok::<(), signorini_scene::volume_mesh_file::VolumeMeshFileError>(())
/// ```
///
/// # Errors
/// As [`read_volume_mesh`].
pub fn parse_volume_mesh(
    bytes: &[u8],
    format: VolumeMeshFormat,
    path: &str,
) -> Result<VolumeMesh, VolumeMeshFileError> {
    let content = |problem: Problem| VolumeMeshFileError::Content {
        path: path.into(),
        line: problem.line,
        problem: problem.message,
    };
    let cells = match format {
        VolumeMeshFormat::Gmsh => gmsh::read(bytes),
        VolumeMeshFormat::Vtk => vtk::read(bytes),
        VolumeMeshFormat::Vtu => vtu::read(bytes),
    }
    .map_err(content)?;
    let mesh = assemble(&cells).map_err(content)?;
    let shape = |error| VolumeMeshFileError::Mesh { path: path.into(), error };
    mesh.check_references().map_err(shape)?;
    mesh.check_shapes().map_err(shape)?;
    Ok(mesh)
}
