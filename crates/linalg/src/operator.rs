//! Linear maps known only by their product with a vector.

use crate::CscMatrix;

/// A linear map `x ↦ A x`: a matrix, a factorisation, or a product of several that is never formed.
///
/// ```
/// use signorini_linalg::{CscMatrix, LinearOperator};
/// let a = CscMatrix::diagonal(&[2.0, 3.0]);
/// let mut out = [0.0; 2];
/// a.apply(&[1.0, 1.0], &mut out);
/// assert_eq!(out, [2.0, 3.0]);
/// ```
pub trait LinearOperator {
    /// Length of `out`.
    fn nrows(&self) -> usize;
    /// Length of `x`.
    fn ncols(&self) -> usize;
    /// `out = A x`; what `out` held before is ignored.
    fn apply(&self, x: &[f64], out: &mut [f64]);
}

impl LinearOperator for CscMatrix {
    fn nrows(&self) -> usize {
        self.nrows()
    }
    fn ncols(&self) -> usize {
        self.ncols()
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.mul(x, out);
    }
}

impl<T: LinearOperator + ?Sized> LinearOperator for &T {
    fn nrows(&self) -> usize {
        (**self).nrows()
    }
    fn ncols(&self) -> usize {
        (**self).ncols()
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        (**self).apply(x, out);
    }
}

/// The identity on vectors of the given length: the preconditioner of an unpreconditioned method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(pub usize);

impl LinearOperator for Identity {
    fn nrows(&self) -> usize {
        self.0
    }
    fn ncols(&self) -> usize {
        self.0
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(operator: impl LinearOperator, x: &[f64]) -> Vec<f64> {
        let mut out = vec![f64::NAN; operator.nrows()];
        operator.apply(x, &mut out);
        out
    }

    #[test]
    fn matrices_references_and_trait_objects_apply_alike() {
        let a = CscMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, 4.0)]).unwrap();
        let object: &dyn LinearOperator = &a;
        assert_eq!((object.nrows(), object.ncols()), (2, 3));
        assert_eq!(image(&a, &[1.0, 2.0, 3.0]), [1.0, 12.0]);
        assert_eq!(image(object, &[1.0, 2.0, 3.0]), [1.0, 12.0]);
        assert_eq!(image(Identity(2), &[5.0, 6.0]), [5.0, 6.0]);
    }
}
