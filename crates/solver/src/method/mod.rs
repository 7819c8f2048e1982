//! One folder or file an algorithm.

pub(crate) mod crossover;
pub(crate) mod interior_point;
pub(crate) mod kkt;
pub(crate) mod semismooth_newton;
