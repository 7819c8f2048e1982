//! Pages and pictures of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`recording`] | what can be shown of a run folder, damaged ones included |
//! | [`mesh`] | shapes as triangles |

pub mod mesh;
pub mod recording;

pub use mesh::{Look, TriangleMesh};
pub use recording::{Recording, ViewError};
