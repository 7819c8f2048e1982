//! Sparse factorisation P A Q = L U of a general square matrix, with partial pivoting.

use crate::CscMatrix;
use crate::factor::{FactorError, Threads, column, matrix, pattern};
use faer::Conj;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};

/// An LU factor with its symbolic phase, to be made again for new values of the same pattern.
///
/// It is made again in the memory it has, up to the fill that other pivots cause, where the analysis chose the factor entry by
/// entry. Above some 40 operations per entry of the factor it chooses dense blocks, which are up to nine times as fast (5000
/// rows) and for which faer allocates some hundred small matrices in every factorisation.
pub struct Lu {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    threads: Threads,
    scratch: MemBuffer,
}

impl Lu {
    /// Analyses the pattern of a square matrix (column ordering by COLAMD).
    ///
    /// # Errors
    /// [`FactorError::Memory`] when the analysis does not fit in memory.
    pub fn analyse(a: &CscMatrix, threads: Threads) -> Result<Self, FactorError> {
        let symbolic = factorize_symbolic_lu(pattern(a), Default::default()).map_err(|_| FactorError::Memory)?;
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(threads.par(), Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, threads.par()));
        Ok(Self { symbolic, numeric: NumericLu::new(), threads, scratch: MemBuffer::new(need) })
    }

    /// Factorises a matrix with the analysed pattern.
    ///
    /// # Errors
    /// [`FactorError::Structure`] when the pattern is singular.
    pub fn factorise(&mut self, a: &CscMatrix) -> Result<(), FactorError> {
        self.symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                matrix(a),
                self.threads.par(),
                MemStack::new(&mut self.scratch),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|error| match error {
                LuError::SymbolicSingular { index } => FactorError::Structure { column: index },
                LuError::Generic(_) => FactorError::Memory,
            })
    }

    /// Replaces `rhs` by A⁻¹ rhs. The factor must have been made by [`Lu::factorise`].
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        // `numeric` was filled by `factorize_numeric_lu` of this same `symbolic`.
        let factor = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        factor.solve_in_place_with_conj(Conj::No, column(rhs), self.threads.par(), MemStack::new(&mut self.scratch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsymmetric_system_is_solved_twice_with_one_analysis() {
        let entries = [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 1.0), (2, 2, 4.0), (0, 0, 1e-3)];
        let mut a = CscMatrix::from_triplets(3, 3, entries).unwrap();
        let mut lu = Lu::analyse(&a, Threads::One).unwrap();
        for _ in 0..2 {
            lu.factorise(&a).unwrap();
            let (expected, mut x) = ([1.0, -2.0, 0.5], vec![0.0; 3]);
            a.mul(&expected, &mut x);
            lu.solve_in_place(&mut x);
            for (found, expected) in x.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-13, "{x:?}");
            }
            a.values_mut().iter_mut().for_each(|v| *v *= 1.7);
        }
    }
}
