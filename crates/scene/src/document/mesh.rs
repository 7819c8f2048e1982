//! Surfaces of triangles from files: each file is read once, and what looks wrong with it is said once.

use super::mesh_warnings;
use super::shape::{path_of, scale};
use crate::mesh_file::{self, MeshInUse};
use crate::reader::Table;
use signorini_mechanics::Mesh;
use std::sync::Arc;

/// What looks wrong with a mesh that is the surface of shapes.
pub(super) fn warnings(used: &MeshInUse) -> Vec<String> {
    let Some(first) = used.surface_of.first() else { return Vec::new() };
    let more = match used.surface_of.len() - 1 {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    };
    let file = used.path.display();
    let found = mesh_warnings::of(&used.mesh, &used.mesh.defects());
    found.into_iter().map(|message| format!("{first}{more}: {file} {message}")).collect()
}

/// The triangles of `file`, `scale` times as large.
pub(super) fn file(table: &Table<'_>) -> Option<Arc<Mesh>> {
    let at = read(table)?;
    Some(table.context().meshes.borrow()[at].mesh.clone())
}

/// The same, as the surface of the shape.
pub(super) fn surface(table: &Table<'_>) -> Option<Arc<Mesh>> {
    let at = read(table)?;
    let mesh = &mut table.context().meshes.borrow_mut()[at];
    mesh.surface_of.push(table.name().to_owned());
    Some(mesh.mesh.clone())
}

/// The place of a mesh among those that have been read.
fn read(table: &Table<'_>) -> Option<usize> {
    let value = table.require("file");
    let scale = scale(table);
    let value = value?;
    let (path, scale) = (path_of(&value, table.context().base_dir)?, scale?);
    let mut meshes = table.context().meshes.borrow_mut();
    if let Some(at) = meshes.iter().position(|mesh| mesh.path == path && mesh.scale == scale) {
        return Some(at);
    }
    match mesh_file::read(&path, scale) {
        Ok(mesh) => {
            meshes.push(MeshInUse { path, scale, mesh: Arc::new(mesh), surface_of: Vec::new() });
            Some(meshes.len() - 1)
        }
        Err(error) => {
            value.error(format_args!("cannot be used: {error}"));
            None
        }
    }
}
