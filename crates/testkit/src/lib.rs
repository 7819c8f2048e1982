//! Oracles and helpers for the tests of every crate: a development dependency only.
//!
//! Nothing here uses the code it judges: matrices are dense `Vec<Vec<f64>>`, cones are projected by their own formula,
//! overlaps are those of shapes by their formulas.

pub mod counting;
mod dense;
pub mod layers;
mod order;
pub mod outside;
mod samples;

pub use dense::{DenseContact, DenseProblem};
pub use order::fitted_order;
pub use samples::{SAMPLES_VARIABLE, sample_problems, table};
