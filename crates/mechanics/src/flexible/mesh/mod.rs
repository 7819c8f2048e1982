//! Meshes of volume elements: nodes, elements and named sets of them; generators, surfaces, volumes, checks.
//!
//! ```
//! use signorini_mechanics::Vec3;
//! use signorini_mechanics::flexible::mesh::{ElementKind, Surface, box_mesh};
//! let beam = box_mesh(ElementKind::Tet10, Vec3::new(1.0, 0.1, 0.2), [10, 1, 2])?;
//! beam.check()?;
//! assert!((beam.volume() - 0.02).abs() < 1e-15);
//! assert!((Surface::of_set(&beam, "x-min")?.area() - 0.02).abs() < 1e-15);
//! // Three by five nodes: corners and middles of edges.
//! assert_eq!(beam.node_sets["x-min"].len(), 15);
//! # Ok::<(), signorini_mechanics::flexible::mesh::MeshError>(())
//! ```

mod brick;
mod check;
mod components;
mod cylinder;
mod element_kind;
mod error;
mod face_nodes;
mod hexahedra;
mod measure;
mod quadratic;
mod split;
mod surface;
#[cfg(test)]
mod tests;
mod tube;
mod volume_mesh;

pub use brick::box_mesh;
pub use check::DEGENERATE;
pub use cylinder::{CylinderDivisions, cylinder_mesh};
pub use element_kind::ElementKind;
pub use error::MeshError;
pub use face_nodes::FaceNodes;
pub use hexahedra::Sides;
pub use surface::{Surface, SurfaceTriangle};
pub use tube::{TubeDivisions, tube_mesh};
pub use volume_mesh::VolumeMesh;
