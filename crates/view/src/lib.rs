//! Pages and pictures of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`recording`] | what can be shown of a run folder, damaged ones included |
//! | [`mesh`] | shapes as triangles |
//! | [`page`] | the viewer with the data of a run, one HTML file |
//! | [`picture`] | stills and films |
//! | [`series`] | plots over time |
//! | [`png_of_svg`] | plots as pixels |

mod frame_check;
pub mod mesh;
pub mod page;
pub mod picture;
pub mod recording;
pub mod series;
mod svg_png;

pub use mesh::{Look, TriangleMesh};
pub use page::{PageOptions, PageReport, write_page};
pub use recording::{Recording, ViewError};
pub use svg_png::{SvgError, png_of_svg};
