//! One folder or file an algorithm.

pub mod interior_point;
pub(crate) mod kkt;
