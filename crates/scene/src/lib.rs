//! Scene files: text in, a model that can be stepped out.
//!
//! ```
//! use signorini_scene::{Overrides, load};
//! let overrides = Overrides { set: vec![("height".into(), "0.5".into())], ..Overrides::default() };
//! let scene = load("single-ball", &overrides)?;
//! assert_eq!(scene.model.moving(), 1);
//! # Ok::<(), signorini_scene::SceneErrors>(())
//! ```

mod document;
mod error;
#[cfg(test)]
mod fuzz;
pub mod gallery;
mod load;
mod mesh_file;
mod populate;
mod reader;
pub mod run;
mod scene;
pub mod volume_mesh_file;

pub use error::{SceneError, SceneErrors};
pub use load::{load, parse};
pub use scene::{Origin, Output, Overrides, Scene};
