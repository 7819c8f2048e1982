//! Dense factorisation P A = L U with partial pivoting, for systems too full for a sparse one.

use crate::factor::column;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place_scratch, solve_in_place_with_conj};
use faer::perm::PermRef;
use faer::{Conj, MatMut, MatRef, Par};

/// A dense LU factor with the memory to make it again: a factor no larger than one before allocates nothing.
pub struct DenseLu {
    size: usize,
    /// L without its unit diagonal and U, in one matrix, column by column.
    values: Vec<f64>,
    /// Row of A that is row i of P A, and the inverse.
    forward: Vec<usize>,
    backward: Vec<usize>,
    scratch: MemBuffer,
    /// Rows that `scratch` has room for.
    room: usize,
}

impl Default for DenseLu {
    fn default() -> Self {
        let (values, forward, backward) = Default::default();
        Self { size: 0, values, forward, backward, scratch: MemBuffer::new(need(0)), room: 0 }
    }
}

/// Scratch memory for a matrix of n rows.
fn need(n: usize) -> StackReq {
    lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default()).or(solve_in_place_scratch::<usize, f64>(
        n,
        1,
        Par::Seq,
    ))
}

impl DenseLu {
    /// Factorises a square matrix given column by column. A singular matrix gives a factor whose solutions are not finite.
    ///
    /// ```
    /// use signorini_linalg::DenseLu;
    /// let mut lu = DenseLu::factorise(2, &[0.0, 3.0, 2.0, 1.0]);
    /// let mut x = [4.0, 5.0];
    /// lu.solve_in_place(&mut x);
    /// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14, "{x:?}");
    /// ```
    #[must_use]
    pub fn factorise(n: usize, values: &[f64]) -> Self {
        let mut this = Self::default();
        this.refactorise(n, |out| out.copy_from_slice(values));
        this
    }

    /// Sets memory aside for a matrix of n rows.
    pub fn reserve(&mut self, n: usize) {
        self.values.reserve((n * n).saturating_sub(self.values.len()));
        self.forward.reserve(n.saturating_sub(self.forward.len()));
        self.backward.reserve(n.saturating_sub(self.backward.len()));
        if n > self.room {
            self.scratch = MemBuffer::new(need(n));
            self.room = n;
        }
    }

    /// Factorises another matrix in the memory of the last one; `fill` adds its entries to zeros, column by column.
    pub fn refactorise(&mut self, n: usize, fill: impl FnOnce(&mut [f64])) {
        self.reserve(n);
        self.size = n;
        self.values.clear();
        self.values.resize(n * n, 0.0);
        self.forward.resize(n, 0);
        self.backward.resize(n, 0);
        fill(&mut self.values);
        lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.values, n, n),
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        let factor = MatRef::from_column_major_slice(&self.values, self.size, self.size);
        solve_in_place_with_conj(
            factor,
            factor,
            // Linear in the rows, where the solve is quadratic: the check costs nothing to speak of.
            PermRef::new_checked(&self.forward, &self.backward, self.size),
            Conj::No,
            column(rhs),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::linalg::solvers::{PartialPivLu, SolveCore};

    /// Entries without a pattern, in −½ … ½.
    fn entries(n: usize, seed: usize) -> Vec<f64> {
        (0..n * n).map(|e| (0.754_877_666_2 * ((e + seed) * (e + 3 * seed + 1)) as f64).fract() - 0.5).collect()
    }

    #[test]
    fn a_factor_in_used_memory_has_the_bits_of_a_new_one() {
        let mut kept = DenseLu::default();
        for (seed, n) in [7, 150, 1, 64, 0, 65, 150, 33].into_iter().enumerate() {
            let values = entries(n, seed + 1);
            let b: Vec<f64> = (0..n).map(|i| (1.1 * i as f64).cos()).collect();
            let (mut x, mut fresh, mut reference) = (b.clone(), b.clone(), b);
            kept.refactorise(n, |out| out.copy_from_slice(&values));
            kept.solve_in_place(&mut x);
            DenseLu::factorise(n, &values).solve_in_place(&mut fresh);
            assert_eq!(x, fresh, "{n} rows");
            // faer's own driver, which keeps L and U apart.
            let matrix = MatRef::from_column_major_slice(&values, n, n);
            PartialPivLu::new(matrix).solve_in_place_with_conj(Conj::No, column(&mut reference));
            assert_eq!(x, reference, "{n} rows");
        }
    }
}
