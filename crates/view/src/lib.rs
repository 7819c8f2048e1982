//! Pages and pictures of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`recording`] | what can be shown of a run folder, damaged ones included |
//! | [`mesh`] | shapes as triangles |
//! | [`page`] | the viewer with the data of a run, one HTML file |

mod frame_check;
pub mod mesh;
pub mod page;
pub mod recording;

pub use mesh::{Look, TriangleMesh};
pub use page::{PageOptions, PageReport, write_page};
pub use recording::{Recording, ViewError};
