//! Sparse matrices, orderings, factorisations with a reusable symbolic phase, and Krylov methods.
//!
//! This crate knows no cones and no bodies: it is the layer every solver of the project stands on.

mod csc;

pub use csc::{CscMatrix, MatrixError};
