//! Oracles and helpers for the tests of every crate: a development dependency only.
//!
//! Nothing here uses the code it judges: matrices are dense `Vec<Vec<f64>>`, cones are projected by their own formula.

pub mod counting;
mod dense;
pub mod layers;
mod order;
mod samples;

pub use dense::{DenseContact, DenseProblem};
pub use order::fitted_order;
pub use samples::{SAMPLES_VARIABLE, sample_problems, table};
