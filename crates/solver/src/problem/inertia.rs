//! The matrix H: masses of rigid bodies as small dense blocks, or a sparse matrix with stiffness and damping.

use super::{SpareFactor, SparseInertia};
use signorini_linalg::Halves;
use signorini_linalg::{CscMatrix, SolveSpace, SparseAnalysis, SparseFactor, Threads};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The symmetric positive definite matrix H of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Inertia {
    /// One dense block a body (rigid bodies).
    BlockDiagonal(BlockDiagonal),
    /// A sparse matrix, both triangles stored (finite elements, springs treated implicitly).
    Sparse(SparseInertia),
}

impl Default for Inertia {
    fn default() -> Self {
        Self::BlockDiagonal(BlockDiagonal::new())
    }
}

/// A symmetric matrix of dense diagonal blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockDiagonal {
    start: Vec<usize>,
    value_start: Vec<usize>,
    values: Vec<f64>,
}

impl BlockDiagonal {
    /// No blocks.
    #[must_use]
    pub fn new() -> Self {
        Self { start: vec![0], value_start: vec![0], values: Vec::new() }
    }
    /// Appends a block, row-major `n × n`.
    pub fn push(&mut self, n: usize, block: &[f64]) {
        debug_assert_eq!(block.len(), n * n);
        self.values.extend_from_slice(block);
        self.start.push(self.dimension() + n);
        self.value_start.push(self.values.len());
    }
    /// Adds to one entry of a block.
    pub fn add(&mut self, block: usize, row: usize, column: usize, value: f64) {
        let width = self.start[block + 1] - self.start[block];
        self.values[self.value_start[block] + row * width + column] += value;
    }
    /// Number of scalar rows.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.start[self.start.len() - 1]
    }
    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
    /// Whether there is no block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// First row of every block, and the dimension at the end.
    #[must_use]
    pub fn start(&self) -> &[usize] {
        &self.start
    }
    /// Rows of block `k`.
    #[must_use]
    pub fn rows_of(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k]..self.start[k + 1]
    }
    /// Entries of block `k`, row-major.
    #[must_use]
    pub fn block(&self, k: usize) -> &[f64] {
        &self.values[self.value_start[k]..self.value_start[k + 1]]
    }
    /// `out += alpha A x`.
    pub fn mul_add(&self, alpha: f64, x: &[f64], out: &mut [f64]) {
        for k in 0..self.len() {
            let rows = self.rows_of(k);
            let (x, out) = (&x[rows.clone()], &mut out[rows]);
            for (row, out) in self.block(k).chunks_exact(x.len().max(1)).zip(out) {
                *out += alpha * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            }
        }
    }

    /// The inverse, block by block. The error is the first block that is not positive definite.
    ///
    /// # Errors
    /// The number of the offending block.
    pub fn inverse(&self) -> Result<Self, usize> {
        let mut out = Self::new();
        out.invert(self, Threads::One)?;
        Ok(out)
    }

    /// Becomes the inverse of another matrix, in the memory it has.
    ///
    /// # Errors
    /// The number of the first block that is not positive definite.
    pub(crate) fn invert(&mut self, of: &Self, threads: Threads) -> Result<(), usize> {
        self.clone_from_other(of);
        let broken = AtomicUsize::new(usize::MAX);
        let Self { start, value_start, values } = self;
        Halves::new(INVERSES, threads).parts(value_start, values, &|k, block| {
            if invert_positive_definite(start[k + 1] - start[k], block).is_none() {
                broken.fetch_min(k, Ordering::Relaxed);
            }
        });
        match broken.into_inner() {
            usize::MAX => Ok(()),
            block => Err(block),
        }
    }

    /// Copies another matrix into the memory this one has.
    pub(crate) fn clone_from_other(&mut self, other: &Self) {
        self.start.clone_from(&other.start);
        self.value_start.clone_from(&other.value_start);
        self.values.clone_from(&other.values);
    }

    /// Every block becomes its symmetric part.
    pub(crate) fn make_symmetric(&mut self) {
        for k in 0..self.len() {
            let n = self.rows_of(k).len();
            let block = &mut self.values[self.value_start[k]..self.value_start[k + 1]];
            for i in 0..n {
                for j in 0..i {
                    let (a, b) = (block[i * n + j], block[j * n + i]);
                    if a != b {
                        (block[i * n + j], block[j * n + i]) = (0.5 * (a + b), 0.5 * (a + b));
                    }
                }
            }
        }
    }
    /// All entries, block after block.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

/// Blocks inverted by one task: some 10 µs of work.
const INVERSES: usize = 256;

/// Replaces a symmetric positive definite matrix A = LLᵀ (row-major) by L⁻¹, lower triangular; so RᵀR = A⁻¹ for R = L⁻¹.
pub(crate) fn inverse_cholesky(n: usize, a: &mut [f64]) -> Option<()> {
    for j in 0..n {
        for i in j..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                // Relative to the diagonal entry it came from: no absolute size is assumed.
                if !(sum > 4.0 * f64::EPSILON * a[i * n + i] && sum.is_finite()) {
                    return None;
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    // L ← L⁻¹, column by column.
    for j in 0..n {
        a[j * n + j] = 1.0 / a[j * n + j];
        for i in j + 1..n {
            let mut sum = 0.0;
            for k in j..i {
                sum -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = sum / a[i * n + i];
        }
    }
    for i in 0..n {
        a[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    Some(())
}

/// Inverts a symmetric positive definite matrix in place: A⁻¹ = L⁻ᵀL⁻¹.
fn invert_positive_definite(n: usize, a: &mut [f64]) -> Option<()> {
    // Masses and principal inertias.
    if (0..n).all(|i| a[i * n..(i + 1) * n].iter().enumerate().all(|(j, a)| i == j || *a == 0.0)) {
        for a in a.iter_mut().step_by(n + 1) {
            if !(*a > 0.0 && a.is_finite()) {
                return None;
            }
            *a = a.recip();
        }
        return Some(());
    }
    inverse_cholesky(n, a)?;
    // Upper triangle ← L⁻ᵀL⁻¹, then mirrored.
    for i in 0..n {
        for j in i..n {
            let sum: f64 = (j..n).map(|k| a[k * n + i] * a[k * n + j]).sum();
            a[i * n + j] = sum;
        }
        // Row i of the result is complete; column i of L⁻¹ below the diagonal is still needed by later rows.
    }
    for i in 0..n {
        for j in 0..i {
            a[i * n + j] = a[j * n + i];
        }
    }
    Some(())
}

impl Inertia {
    /// A sparse matrix, both triangles stored.
    #[must_use]
    pub fn sparse(matrix: CscMatrix) -> Self {
        Self::Sparse(SparseInertia::new(matrix))
    }
    /// A sparse matrix with the analysis of one of the same pattern, which saves the symbolic phase.
    #[must_use]
    pub fn sparse_with(matrix: CscMatrix, analysis: &Arc<SparseAnalysis>) -> Self {
        Self::Sparse(SparseInertia::with(matrix, analysis))
    }
    /// Refuses a matrix that is not positive definite. The factor of a sparse one is kept.
    pub(super) fn check_definite(&self) -> Result<(), NotPositiveDefinite> {
        match self {
            Self::BlockDiagonal(blocks) => blocks.inverse().map(|_| ()).map_err(NotPositiveDefinite::Block),
            Self::Sparse(matrix) => matrix.factor(Threads::Pool).map(|_| ()),
        }
    }
    /// Number of velocities.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            Self::BlockDiagonal(blocks) => blocks.dimension(),
            Self::Sparse(matrix) => matrix.nrows(),
        }
    }
    /// `out += alpha H x`.
    pub fn mul_add(&self, alpha: f64, x: &[f64], out: &mut [f64]) {
        match self {
            Self::BlockDiagonal(blocks) => blocks.mul_add(alpha, x, out),
            Self::Sparse(matrix) => matrix.mul_add(alpha, x, out),
        }
    }
    /// `found(row, column, value)` for every entry of H.
    pub(crate) fn each_entry(&self, mut found: impl FnMut(usize, usize, f64)) {
        match self {
            Self::BlockDiagonal(blocks) => {
                for k in 0..blocks.len() {
                    let (first, n) = (blocks.rows_of(k).start, blocks.rows_of(k).len());
                    let entries = blocks.block(k).iter().enumerate();
                    entries.for_each(|(e, value)| found(first + e / n, first + e % n, *value));
                }
            }
            Self::Sparse(matrix) => matrix.triplets().for_each(|(row, column, value)| found(row, column, value)),
        }
    }
    /// All entries of H as `(row, column, value)`.
    #[must_use]
    pub fn triplets(&self) -> Vec<(usize, usize, f64)> {
        match self {
            Self::BlockDiagonal(blocks) => (0..blocks.len())
                .flat_map(|k| {
                    let (first, n) = (blocks.rows_of(k).start, blocks.rows_of(k).len());
                    let block = blocks.block(k);
                    (0..n * n).map(move |e| (first + e / n, first + e % n, block[e]))
                })
                .collect(),
            Self::Sparse(matrix) => matrix.triplets().collect(),
        }
    }
}

/// H⁻¹ as an operation.
pub enum InertiaInverse {
    /// Dense inverses of the blocks.
    BlockDiagonal(BlockDiagonal),
    /// The Cholesky factor the problem keeps, with room for a solve.
    Sparse {
        /// The factor.
        factor: Arc<SparseFactor>,
        /// Room for a solve.
        space: Box<SolveSpace>,
        /// Threads of a solve; the bits are the same.
        threads: Threads,
        /// Memory for the next factor.
        spare: Box<SpareFactor>,
    },
}

/// H is not positive definite: the body block, or the velocity, where that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPositiveDefinite {
    /// Block of a block-diagonal H.
    Block(usize),
    /// Row of a sparse H.
    Row(usize),
}

impl InertiaInverse {
    /// Inverts the blocks, or takes the factor that H keeps.
    ///
    /// # Errors
    /// Where H is not positive definite.
    pub fn new(inertia: &Inertia) -> Result<Self, NotPositiveDefinite> {
        let mut inverse = Self::BlockDiagonal(BlockDiagonal::new());
        inverse.update(inertia, Threads::Pool)?;
        Ok(inverse)
    }

    /// Becomes the inverse of another matrix, in the memory it has where that fits.
    ///
    /// # Errors
    /// Where H is not positive definite.
    pub(crate) fn update(&mut self, inertia: &Inertia, with: Threads) -> Result<(), NotPositiveDefinite> {
        match (inertia, &mut *self) {
            (Inertia::BlockDiagonal(blocks), Self::BlockDiagonal(inverse)) => {
                inverse.invert(blocks, with).map_err(NotPositiveDefinite::Block)
            }
            (Inertia::BlockDiagonal(blocks), Self::Sparse { .. }) => {
                *self = Self::BlockDiagonal(blocks.inverse().map_err(NotPositiveDefinite::Block)?);
                Ok(())
            }
            (Inertia::Sparse(matrix), Self::Sparse { factor, space, threads, spare }) => {
                let is_made = matrix.is_factorised();
                let new = matrix.factor_after(factor, spare, with)?.clone();
                if !Arc::ptr_eq(new.analysis(), factor.analysis()) {
                    **space = new.space_for_all();
                }
                let old = std::mem::replace(factor, new);
                // Who hands factors in has no use for the memory of those before.
                spare.factor = (!is_made).then_some(old);
                *threads = with;
                Ok(())
            }
            (Inertia::Sparse(matrix), _) => {
                let factor = matrix.factor(with)?.clone();
                let space = Box::new(factor.space_for_all());
                *self = Self::Sparse { factor, space, threads: with, spare: Box::default() };
                Ok(())
            }
        }
    }

    /// `out = H⁻¹ x`.
    pub fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        match self {
            Self::BlockDiagonal(inverse) => {
                out.fill(0.0);
                inverse.mul_add(1.0, x, out);
            }
            Self::Sparse { factor, space, threads, .. } => {
                out.copy_from_slice(x);
                factor.solve_by(out, space, *threads);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_inverse_times_matrix_is_the_identity() {
        let a = [4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0];
        let mut inverse = a;
        invert_positive_definite(3, &mut inverse).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| a[i * 3 + k] * inverse[k * 3 + j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14, "{inverse:?}");
            }
        }
        assert!(invert_positive_definite(2, &mut [1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
