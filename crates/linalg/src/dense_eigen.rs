//! Eigenvalues and eigenvectors of dense matrices, symmetric and general. One thread: the same bits however many there are.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_real, evd_scratch, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

/// Eigenvalues that were not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EigenError {
    /// A number that is not finite.
    #[error("the matrix has an entry that is not finite")]
    NotFinite,
    /// The iteration did not end.
    #[error("the iteration for the eigenvalues of a matrix of {size} rows did not converge")]
    NoConvergence {
        /// Number of rows.
        size: usize,
    },
}

/// A = V diag(values) Vᵀ of a symmetric matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// Ascending.
    pub values: Vec<f64>,
    /// The eigenvectors one after the other, orthonormal.
    pub vectors: Vec<f64>,
}

impl SymmetricEigen {
    /// Decomposes a symmetric matrix of n rows, of which the lower triangle is read (column by column).
    ///
    /// # Errors
    /// Entries that are not finite, or an iteration that does not end.
    ///
    /// ```
    /// use signorini_linalg::SymmetricEigen;
    /// let eigen = SymmetricEigen::of(2, &[2.0, 1.0, 1.0, 2.0])?;
    /// assert!((eigen.values[0] - 1.0).abs() < 1e-14 && (eigen.values[1] - 3.0).abs() < 1e-14);
    /// # Ok::<(), signorini_linalg::EigenError>(())
    /// ```
    pub fn of(n: usize, matrix: &[f64]) -> Result<Self, EigenError> {
        if matrix.iter().any(|entry| !entry.is_finite()) {
            return Err(EigenError::NotFinite);
        }
        if n == 0 {
            return Ok(Self { values: Vec::new(), vectors: Vec::new() });
        }
        let (mut values, mut vectors) = (Diag::<f64>::zeros(n), Mat::<f64>::zeros(n, n));
        let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(need);
        self_adjoint_evd(
            MatRef::from_column_major_slice(matrix, n, n),
            values.as_mut(),
            Some(vectors.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|_| EigenError::NoConvergence { size: n })?;
        Ok(Self { values: (0..n).map(|k| values.column_vector()[k]).collect(), vectors: columns(&vectors) })
    }

    /// Eigenvector k.
    #[must_use]
    pub fn vector(&self, k: usize) -> &[f64] {
        let n = self.values.len();
        &self.vectors[k * n..(k + 1) * n]
    }
}

/// An eigenvalue of a real matrix: real and imaginary part.
pub type Complex = [f64; 2];

/// A x = s x of a general real matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// In no particular order; the two of a conjugate pair follow each other.
    pub values: Vec<Complex>,
    /// The eigenvectors one after the other, of unit length.
    pub vectors: Vec<Vec<Complex>>,
}

impl Eigen {
    /// Decomposes a matrix of n rows, given column by column.
    ///
    /// # Errors
    /// Entries that are not finite, or an iteration that does not end.
    ///
    /// ```
    /// use signorini_linalg::Eigen;
    /// // A quarter of a turn: s = ±i.
    /// let eigen = Eigen::of(2, &[0.0, 1.0, -1.0, 0.0])?;
    /// assert!(eigen.values.iter().all(|[re, im]| re.abs() < 1e-15 && (im.abs() - 1.0).abs() < 1e-15));
    /// # Ok::<(), signorini_linalg::EigenError>(())
    /// ```
    pub fn of(n: usize, matrix: &[f64]) -> Result<Self, EigenError> {
        if matrix.iter().any(|entry| !entry.is_finite()) {
            return Err(EigenError::NotFinite);
        }
        if n == 0 {
            return Ok(Self { values: Vec::new(), vectors: Vec::new() });
        }
        let (mut re, mut im) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
        let mut packed = Mat::<f64>::zeros(n, n);
        let (no, yes) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
        let mut memory = MemBuffer::new(evd_scratch::<f64>(n, no, yes, Par::Seq, Default::default()));
        evd_real(
            MatRef::from_column_major_slice(matrix, n, n),
            re.as_mut(),
            im.as_mut(),
            None,
            Some(packed.as_mut()),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|_| EigenError::NoConvergence { size: n })?;
        let (mut values, mut vectors) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut k = 0;
        while k < n {
            let (a, b) = (re.column_vector()[k], im.column_vector()[k]);
            if b == 0.0 || k + 1 == n {
                values.push([a, 0.0]);
                vectors.push(unit((0..n).map(|i| [packed[(i, k)], 0.0]).collect()));
                k += 1;
            } else {
                // A conjugate pair shares two columns: real and imaginary part of the first one's vector.
                for sign in [1.0, -1.0] {
                    values.push([a, sign * b]);
                    vectors.push(unit((0..n).map(|i| [packed[(i, k)], sign * packed[(i, k + 1)]]).collect()));
                }
                k += 2;
            }
        }
        Ok(Self { values, vectors })
    }
}

fn unit(mut vector: Vec<Complex>) -> Vec<Complex> {
    let length = vector.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().flatten().for_each(|x| *x /= length);
    }
    vector
}

fn columns(matrix: &Mat<f64>) -> Vec<f64> {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|at| matrix[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square() -> impl Strategy<Value = (usize, Vec<f64>)> {
        (0_usize..30).prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0_f64..1.0, n * n)))
    }

    proptest! {
        #[test]
        fn symmetric_eigenvectors_are_orthonormal_and_rebuild_the_matrix((n, entries) in square()) {
            let symmetric: Vec<f64> = (0..n * n).map(|e| entries[e] + entries[(e % n) * n + e / n]).collect();
            let eigen = SymmetricEigen::of(n, &symmetric).unwrap();
            prop_assert!(eigen.values.windows(2).all(|pair| pair[0] <= pair[1]));
            for e in 0..n * n {
                let (i, j) = (e % n, e / n);
                let sum: f64 = (0..n).map(|k| eigen.values[k] * eigen.vector(k)[i] * eigen.vector(k)[j]).sum();
                prop_assert!((sum - symmetric[e]).abs() < 1e-12);
                let product: f64 = eigen.vector(i).iter().zip(eigen.vector(j)).map(|(a, b)| a * b).sum();
                prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13);
            }
        }

        #[test]
        fn general_eigenvectors_are_stretched_by_their_eigenvalues((n, entries) in square()) {
            let eigen = Eigen::of(n, &entries).unwrap();
            prop_assert_eq!(eigen.values.len(), n);
            let trace: f64 = (0..n).map(|k| entries[k * (n + 1)]).sum();
            let sum: f64 = eigen.values.iter().map(|s| s[0]).sum();
            prop_assert!((trace - sum).abs() < 1e-11);
            for (s, x) in eigen.values.iter().zip(&eigen.vectors) {
                for i in 0..n {
                    let ax: [f64; 2] = [0, 1].map(|c| (0..n).map(|j| entries[j * n + i] * x[j][c]).sum());
                    let sx = [s[0] * x[i][0] - s[1] * x[i][1], s[0] * x[i][1] + s[1] * x[i][0]];
                    prop_assert!((ax[0] - sx[0]).abs().max((ax[1] - sx[1]).abs()) < 1e-10, "{ax:?} {sx:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(SymmetricEigen::of(1, &[bad]), Err(EigenError::NotFinite));
            assert_eq!(Eigen::of(1, &[bad]), Err(EigenError::NotFinite));
        }
    }
}
