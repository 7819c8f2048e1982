//! Scene files: text in, a model that can be stepped out.

mod error;
pub mod gallery;
mod load;
pub mod run;
mod scene;

pub use error::{SceneError, SceneErrors};
pub use load::{load, parse};
pub use scene::{Origin, Output, Overrides, Scene};
