//! Dense factorisation P A = L U with partial pivoting, for systems too full for a sparse one.

use crate::factor::column;
use faer::MatRef;
use faer::linalg::solvers::{PartialPivLu, SolveCore};

/// A dense LU factor.
pub struct DenseLu {
    factor: PartialPivLu<f64>,
}

impl DenseLu {
    /// Factorises a square matrix given column by column. A singular matrix gives a factor whose solutions are not finite.
    ///
    /// ```
    /// use signorini_linalg::DenseLu;
    /// let lu = DenseLu::factorise(2, &[0.0, 3.0, 2.0, 1.0]);
    /// let mut x = [4.0, 5.0];
    /// lu.solve_in_place(&mut x);
    /// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14, "{x:?}");
    /// ```
    #[must_use]
    pub fn factorise(n: usize, values: &[f64]) -> Self {
        Self { factor: PartialPivLu::new(MatRef::from_column_major_slice(values, n, n)) }
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&self, rhs: &mut [f64]) {
        self.factor.solve_in_place_with_conj(faer::Conj::No, column(rhs));
    }
}
