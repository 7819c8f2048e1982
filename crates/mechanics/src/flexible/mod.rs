//! Flexible bodies: meshes of finite elements and what their elements do.
//!
//! A [`FlexibleBody`] is added to a model beside rigid ones; its nodes are unknowns of the same step. [`Link`]s hold nodes to rigid
//! bodies or impose their motion, [`FlexibleLoad`]s push them, a [`Skin`] lets them meet others.

pub(crate) mod assembly;
pub mod beam_line;
mod body;
pub mod element;
pub(crate) mod elements;
pub(crate) mod field;
mod link;
mod load;
pub mod material;
pub mod mesh;
mod stresses;

pub use body::{FlexibleBody, FlexibleId, MassMatrix, Skin, StressLaw, Structure};
pub use link::Link;
pub(crate) use link::LinkRow;
pub use load::FlexibleLoad;
pub use stresses::{ElementStress, Stresses};
