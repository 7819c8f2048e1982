//! What the factorisations share: threads, errors, and the symbolic phase of the symmetric ones.

use crate::CscMatrix;
use faer::sparse::linalg::cholesky::{CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::linalg::{SupernodalThreshold, cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, Par, Side};

/// Why a factorisation gave no usable factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactorError {
    /// A pivot of a Cholesky factorisation is not positive, or a pivot of an LDLᵀ factorisation is zero.
    #[error("pivot {pivot} (in elimination order) has the wrong sign or is zero")]
    Pivot {
        /// Position in elimination order.
        pivot: usize,
    },
    /// The pattern of the matrix is singular, whatever the values.
    #[error("the matrix is structurally singular at column {column}")]
    Structure {
        /// Column at which no pivot could be found.
        column: usize,
    },
    /// The factor does not fit in memory.
    #[error("not enough memory for the factor")]
    Memory,
}

/// How many threads a factorisation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Threads {
    /// One thread.
    #[default]
    One,
    /// All threads of the current `rayon` pool.
    Pool,
}

impl Threads {
    pub(crate) fn par(self) -> Par {
        match self {
            Self::One => Par::Seq,
            Self::Pool => Par::rayon(0),
        }
    }
}

/// The symbolic phase of a symmetric factorisation: elimination order, supernodes, pattern of the factor.
///
/// It depends on the pattern alone, so it is made once and shared by every numeric factorisation
/// of matrices with that pattern.
#[derive(Debug)]
pub struct SymbolicFactor {
    pub(crate) inner: cholesky::SymbolicCholesky<usize>,
    nnz: usize,
}

impl SymbolicFactor {
    /// Analyses the lower triangle of a symmetric pattern. `order[k]` is the row eliminated k-th.
    ///
    /// # Errors
    /// [`FactorError::Memory`] when the analysis does not fit in memory.
    pub fn analyse(lower: &CscMatrix, order: &[usize]) -> Result<Self, FactorError> {
        debug_assert!(lower.nrows() == lower.ncols() && order.len() == lower.nrows());
        let mut inverse = vec![0; order.len()];
        for (k, &row) in order.iter().enumerate() {
            inverse[row] = k;
        }
        let permutation = faer::perm::PermRef::new_checked(order, &inverse, order.len());
        let params = CholeskySymbolicParams {
            // Dense blocks pay off from some tens of operations an entry on; below that (small or very sparse systems)
            // the entry-by-entry variant is up to 1.4 times faster, above it up to 60 times slower.
            supernodal_flop_ratio_threshold: SupernodalThreshold::AUTO,
            ..Default::default()
        };
        let inner =
            factorize_symbolic_cholesky(pattern(lower), Side::Lower, SymmetricOrdering::Custom(permutation), params)
                .map_err(|_| FactorError::Memory)?;
        Ok(Self { inner, nnz: lower.nnz() })
    }

    /// Order of the matrix.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.inner.nrows()
    }

    /// Number of values stored for the factor, zeros inside supernodes included.
    #[must_use]
    pub fn factor_entries(&self) -> usize {
        self.inner.len_val()
    }

    pub(crate) fn debug_check(&self, lower: &CscMatrix) {
        debug_assert!(
            lower.nrows() == self.dimension() && lower.nnz() == self.nnz,
            "pattern differs from the analysis"
        );
    }
}

pub(crate) fn pattern(a: &CscMatrix) -> SymbolicSparseColMatRef<'_, usize> {
    // `CscMatrix` keeps exactly the invariants this constructor checks.
    SymbolicSparseColMatRef::new_checked(a.nrows(), a.ncols(), a.col_ptr(), None, a.row_idx())
}

pub(crate) fn matrix(a: &CscMatrix) -> SparseColMatRef<'_, usize, f64> {
    SparseColMatRef::new(pattern(a), a.values())
}

pub(crate) fn column(rhs: &mut [f64]) -> MatMut<'_, f64> {
    let n = rhs.len();
    MatMut::from_column_major_slice_mut(rhs, n, 1)
}
