//! Sparse Cholesky factorisation A = L Lᵀ of a symmetric positive definite matrix.

use crate::CscMatrix;
use crate::factor::{FactorError, SymbolicFactor, Threads, column, matrix};
use faer::Conj;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::LltRef;
use std::sync::Arc;

/// A Cholesky factor with the buffers to make it again for new values of the same pattern.
///
/// ```
/// use signorini_linalg::{Cholesky, CscMatrix, SymbolicFactor, Threads};
/// let lower = CscMatrix::from_triplets(2, 2, [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 3.0)])?;
/// let symbolic = SymbolicFactor::analyse(&lower, &[0, 1])?;
/// let mut factor = Cholesky::new(symbolic.into(), Threads::One);
/// factor.factorise(&lower)?;
/// let mut x = [8.0, 7.0];
/// factor.solve_in_place(&mut x);
/// assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cholesky {
    symbolic: Arc<SymbolicFactor>,
    threads: Threads,
    values: Vec<f64>,
    scratch: MemBuffer,
}

impl Cholesky {
    /// Reserves the memory of a factor.
    #[must_use]
    pub fn new(symbolic: Arc<SymbolicFactor>, threads: Threads) -> Self {
        let inner = &symbolic.inner;
        let need = inner
            .factorize_numeric_llt_scratch::<f64>(threads.par(), Default::default())
            .or(inner.solve_in_place_scratch::<f64>(1, threads.par()));
        Self { threads, values: vec![0.0; inner.len_val()], scratch: MemBuffer::new(need), symbolic }
    }

    /// Factorises the lower triangle of a matrix with the analysed pattern.
    ///
    /// # Errors
    /// [`FactorError::Pivot`] if the matrix is not positive definite to working accuracy.
    pub fn factorise(&mut self, lower: &CscMatrix) -> Result<(), FactorError> {
        self.symbolic.debug_check(lower);
        self.symbolic
            .inner
            .factorize_numeric_llt(
                &mut self.values,
                matrix(lower),
                faer::Side::Lower,
                Default::default(),
                self.threads.par(),
                MemStack::new(&mut self.scratch),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|LltError::NonPositivePivot { index }| FactorError::Pivot { pivot: index })
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        LltRef::new(&self.symbolic.inner, &self.values).solve_in_place_with_conj(
            Conj::No,
            column(rhs),
            self.threads.par(),
            MemStack::new(&mut self.scratch),
        );
    }

    /// The symbolic phase this factor was made with.
    #[must_use]
    pub fn symbolic(&self) -> &Arc<SymbolicFactor> {
        &self.symbolic
    }
}
