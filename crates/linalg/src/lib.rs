//! Sparse matrices, orderings, factorisations with a reusable symbolic phase, and Krylov methods.
//!
//! This crate knows no cones and no bodies: it is the layer every solver of the project stands on.

mod csc;
mod krylov;
mod operator;
mod ordering;

pub use csc::{CscMatrix, MatrixError};
pub use krylov::{
    Cg, CgSettings, CgWorkspace, KrylovError, KrylovReport, KrylovStatus, KrylovStep, Minres, MinresSettings,
    MinresWorkspace, solve_cg, solve_minres,
};
pub use operator::{Identity, LinearOperator};
pub use ordering::{
    FactorCost, Graph, GraphError, OrderingChoice, expand_to_rows, factor_cost, fill_reducing, minimum_degree,
    nested_dissection,
};
