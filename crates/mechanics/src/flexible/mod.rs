//! Flexible bodies: meshes of finite elements and what their elements do.

pub mod beam_line;
pub mod element;
pub mod material;
pub mod mesh;
