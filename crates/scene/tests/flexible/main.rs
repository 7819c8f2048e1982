//! Flexible bodies in scene files: what is read, what is refused, what comes out.

mod gallery;
mod model;
mod refusal;
