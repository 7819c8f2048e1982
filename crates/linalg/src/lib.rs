//! Sparse matrices, orderings, factorisations with a reusable symbolic phase, and Krylov methods.
//!
//! This crate knows no cones and no bodies: it is the layer every solver of the project stands on.

mod cholesky;
mod csc;
mod dense_eigen;
mod dense_lu;
mod dot;
mod factor;
mod group_lu;
mod halves;
mod incomplete_cholesky;
mod krylov;
mod ldlt;
mod lu;
mod multifrontal;
mod null_space;
mod operator;
mod ordering;
mod zero_fill_cholesky;

pub use cholesky::Cholesky;
pub use csc::{CscMatrix, MatrixError};
pub use dense_eigen::{Complex, Eigen, EigenError, SymmetricEigen};
pub use dense_lu::DenseLu;
pub use factor::{FactorError, SymbolicFactor, Threads};
pub use group_lu::{Group, GroupLu};
pub use halves::Halves;
pub use incomplete_cholesky::IncompleteCholesky;
pub use krylov::{
    Cg, CgSettings, CgWorkspace, KrylovError, KrylovReport, KrylovStatus, KrylovStep, Minres, MinresRecurrence,
    MinresSettings, MinresWorkspace, solve_cg, solve_minres,
};
pub use ldlt::Ldlt;
pub use lu::Lu;
pub use multifrontal::{
    FactorRoom, Multifrontal, MultifrontalStructure, Reach, Sides, SolveSpace, SparseAnalysis, SparseFactor,
};
pub use null_space::NullSpace;
pub use operator::{Identity, LinearOperator};
pub use ordering::{
    FactorCost, Graph, GraphError, OrderingChoice, expand_to_rows, factor_cost, fill_reducing, minimum_degree,
    nested_dissection, order_symmetric,
};
pub use zero_fill_cholesky::ZeroFillCholesky;
