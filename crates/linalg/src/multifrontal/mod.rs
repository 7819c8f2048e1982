//! Multifrontal Cholesky factorisation of a matrix given as a sum of small dense elements.
//!
//! A = Σ_e P_eᵀ A_e P_e, where the element A_e is a symmetric dense matrix on a few rows (a body's inertia, a contact
//! between two bodies). The matrix itself is never formed. Each supernode of the elimination tree gathers its elements
//! and the updates of its children in one dense front,
//!
//! ```text
//! [ F₁₁  ·   ]      L₁₁L₁₁ᵀ = F₁₁,   L₂₁ = F₂₁L₁₁⁻ᵀ,   update for the parent: F₂₂ − L₂₁L₂₁ᵀ
//! [ F₂₁  F₂₂ ]
//! ```
//!
//! [Duff and Reid 1983; Liu 1992.] Dense kernels are faer's. Threads work on disjoint subtrees, and on fixed slices of
//! the large fronts near the root, so the result has the same bits for any number of threads.

mod front;
mod numeric;
mod reach;
mod sides;
mod sparse;
mod symbolic;

pub use numeric::Multifrontal;
pub use reach::{Reach, SolveSpace};
pub use sides::Sides;
pub use sparse::{FactorRoom, SparseAnalysis, SparseFactor};
pub use symbolic::MultifrontalStructure;
