//! Sparse matrices, orderings, factorisations with a reusable symbolic phase, and Krylov methods.
//!
//! This crate knows no cones and no bodies: it is the layer every solver of the project stands on.

mod cholesky;
mod csc;
mod factor;
mod ldlt;
mod lu;

pub use cholesky::Cholesky;
pub use csc::{CscMatrix, MatrixError};
pub use factor::{FactorError, SymbolicFactor, Threads};
pub use ldlt::Ldlt;
pub use lu::Lu;
