//! Sparse factorisation A = L D Lᵀ of a symmetric quasi-definite matrix.
//!
//! A quasi-definite matrix [[F, Bᵀ], [B, −G]] with F, G positive definite has such a factorisation for every
//! elimination order, and the signs of D are known beforehand: + for F, − for G [Vanderbei 1995].

use crate::CscMatrix;
use crate::factor::{FactorError, SymbolicFactor, Threads, column, matrix};
use faer::Conj;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltRegularization};
use faer::sparse::linalg::cholesky::{LdltRef, SymbolicCholeskyRaw};
use std::sync::Arc;

/// An LDLᵀ factor with the buffers to make it again for new values of the same pattern.
pub struct Ldlt {
    symbolic: Arc<SymbolicFactor>,
    threads: Threads,
    values: Vec<f64>,
    scratch: MemBuffer,
}

impl Ldlt {
    /// Reserves the memory of a factor.
    #[must_use]
    pub fn new(symbolic: Arc<SymbolicFactor>, threads: Threads) -> Self {
        let inner = &symbolic.inner;
        let need = inner
            .factorize_numeric_ldlt_scratch::<f64>(threads.par(), Default::default())
            .or(inner.solve_in_place_scratch::<f64>(1, threads.par()));
        Self { threads, values: vec![0.0; inner.len_val()], scratch: MemBuffer::new(need), symbolic }
    }

    /// Factorises the lower triangle of a matrix with the analysed pattern.
    ///
    /// # Errors
    /// [`FactorError::Pivot`] when a pivot is zero or not a number.
    pub fn factorise(&mut self, lower: &CscMatrix) -> Result<(), FactorError> {
        self.symbolic.debug_check(lower);
        self.symbolic
            .inner
            .factorize_numeric_ldlt(
                &mut self.values,
                matrix(lower),
                faer::Side::Lower,
                // No dynamic regularisation: its thresholds are absolute, and pivots of a well-posed problem
                // may be as small as 1e-25 (mass ratios).
                LdltRegularization::default(),
                self.threads.par(),
                MemStack::new(&mut self.scratch),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|LdltError::ZeroPivot { index }| FactorError::Pivot { pivot: index })?;
        match self.pivots().enumerate().find(|(_, pivot)| !pivot.is_finite() || *pivot == 0.0) {
            Some((pivot, _)) => Err(FactorError::Pivot { pivot }),
            None => Ok(()),
        }
    }

    /// The diagonal D in elimination order. Its signs are those of the eigenvalues of A (Sylvester).
    pub fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        let raw = self.symbolic.inner.raw();
        let panels = match raw {
            SymbolicCholeskyRaw::Simplicial(symbolic) => symbolic.ncols(),
            SymbolicCholeskyRaw::Supernodal(symbolic) => symbolic.n_supernodes(),
        };
        (0..panels).flat_map(move |panel| {
            // First value of the panel, its columns, and the distance from one diagonal entry to the next.
            let (first, columns, stride) = match raw {
                // Column by column, the diagonal first.
                SymbolicCholeskyRaw::Simplicial(symbolic) => (symbolic.col_ptr()[panel], 1, 0),
                // Dense panels, one per supernode, column-major.
                SymbolicCholeskyRaw::Supernodal(symbolic) => {
                    let columns = symbolic.supernode_end()[panel] - symbolic.supernode_begin()[panel];
                    let (first, end) = (symbolic.col_ptr_for_val()[panel], symbolic.col_ptr_for_val()[panel + 1]);
                    (first, columns, (end - first) / columns.max(1) + 1)
                }
            };
            (0..columns).map(move |column| self.values[first + column * stride])
        })
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        LdltRef::new(&self.symbolic.inner, &self.values).solve_in_place_with_conj(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_show_the_inertia_and_the_solve_inverts() {
        // [[2, 1], [1, −3]] ⊕ [5]: one negative eigenvalue.
        let lower = CscMatrix::from_triplets(3, 3, [(0, 0, 2.0), (1, 0, 1.0), (1, 1, -3.0), (2, 2, 5.0)]).unwrap();
        let symbolic = SymbolicFactor::analyse(&lower, &[2, 0, 1]).unwrap();
        let mut factor = Ldlt::new(symbolic.into(), Threads::One);
        factor.factorise(&lower).unwrap();
        let pivots: Vec<f64> = factor.pivots().collect();
        assert_eq!(pivots.len(), 3);
        assert_eq!(pivots.iter().filter(|p| **p < 0.0).count(), 1, "{pivots:?}");
        assert!((pivots.iter().product::<f64>() - -35.0).abs() < 1e-12, "{pivots:?}");
        let mut x = [2.0 + 2.0, 1.0 - 6.0, 15.0];
        factor.solve_in_place(&mut x);
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{x:?}");
        }
    }

    #[test]
    fn a_singular_matrix_is_an_error() {
        let lower = CscMatrix::from_triplets(2, 2, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0)]).unwrap();
        let mut factor = Ldlt::new(SymbolicFactor::analyse(&lower, &[0, 1]).unwrap().into(), Threads::One);
        assert!(matches!(factor.factorise(&lower), Err(FactorError::Pivot { .. })));
    }
}
