//! Pictures of runs, drawn by the processor alone: no window, no graphics card, the same bits for any number of threads.
//!
//! | file | what it decides |
//! |---|---|
//! | `camera`, `framing` | where pictures are taken from; one camera for a film; what would hide the rest is glass |
//! | `cast`, `set`, `stage` | bodies as balls and triangles; one frame of them |
//! | `raster`, `draw` | which samples a triangle or ball covers, depth, shading, bands of rows |
//! | `shadow` | the lamp's light and the sky's |
//! | `field`, `theme`, `label` | colours, text |
//! | `image`, `film` | PNG and GIF files |
//! | `times`, `show` | from a run and times to pictures |

mod camera;
mod cast;
mod draw;
mod field;
mod film;
mod framing;
pub(crate) mod image;
mod label;
mod raster;
mod set;
mod shadow;
mod show;
mod solid_mesh;
mod stage;
#[cfg(test)]
mod tests;
mod theme;
mod times;
mod tube;

pub use camera::{Bounds, Camera, FIELD, View, focal_length};
pub use draw::{Quality, draw};
pub use field::ColourBy;
pub use film::GifWriter;
pub use framing::Viewpoint;
pub use image::Image;
pub use show::{FEWEST_PIXELS, MOST_PIXELS, PictureError, PictureSettings, Show};
pub use stage::{Ball, Plane, Stage, Triangle};
pub use theme::Theme;
pub use times::{FrameTimes, TimeError};
