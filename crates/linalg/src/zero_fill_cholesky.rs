//! Incomplete Cholesky factorisation A ≈ L Lᵀ without fill: L has the pattern of the lower triangle of A.
//!
//! Column by column, with the columns k < j that have an entry in row j found through linked lists:
//!
//! ```text
//! L_ij = (A_ij − Σ_k L_ik L_jk)/L_jj   for (i, j) in the pattern
//! ```
//!
//! Dropped fill may leave a pivot that is not positive although A is positive definite. Then A + σ diag(A) is factorised,
//! with σ growing until it works: for σ large enough the matrix is diagonally dominant [Manteuffel1980].

use crate::CscMatrix;

/// First shift σ, and the factor by which it grows.
const FIRST_SHIFT: f64 = 1e-3;
const SHIFT_GROWTH: f64 = 4.0;
/// A matrix that needs a larger shift has no positive diagonal.
const LARGEST_SHIFT: f64 = 1e12;
/// A pivot below this share of its diagonal entry is rounding.
const LEAST_PIVOT: f64 = 1e-12;
const NONE: usize = usize::MAX;

/// An incomplete factor with the buffers to make it again for new values of the same pattern.
///
/// ```
/// use signorini_linalg::{CscMatrix, ZeroFillCholesky};
/// // Tridiagonal: no fill, so the factor is complete.
/// let lower = CscMatrix::from_triplets(3, 3, [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 2.0), (2, 1, -1.0), (2, 2, 2.0)])?;
/// let mut factor = ZeroFillCholesky::new(&lower);
/// factor.factorise(&lower);
/// let mut x = [1.0, 0.0, 1.0];
/// factor.solve_in_place(&mut x);
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZeroFillCholesky {
    factor: CscMatrix,
    /// Where each row of the current column is in its values.
    place: Vec<usize>,
    /// Columns waiting for row j: the first, and each one's next; where each continues.
    first: Vec<usize>,
    next: Vec<usize>,
    at: Vec<usize>,
}

impl ZeroFillCholesky {
    /// Reserves the memory of a factor with the pattern of `lower`, a lower triangle with all diagonal entries.
    #[must_use]
    pub fn new(lower: &CscMatrix) -> Self {
        let n = lower.ncols();
        Self { factor: lower.clone(), place: vec![NONE; n], first: vec![NONE; n], next: vec![NONE; n], at: vec![0; n] }
    }

    /// Factorises a matrix with the pattern given to [`ZeroFillCholesky::new`] and a positive diagonal; returns the shift
    /// σ that was needed.
    pub fn factorise(&mut self, lower: &CscMatrix) -> f64 {
        let mut shift = 0.0;
        while !self.attempt(lower, shift) {
            shift = if shift == 0.0 { FIRST_SHIFT } else { SHIFT_GROWTH * shift };
            if shift > LARGEST_SHIFT {
                // Not finite or a diagonal that is not positive: the identity is all that can be offered.
                self.become_identity();
                break;
            }
        }
        shift
    }

    fn attempt(&mut self, lower: &CscMatrix, shift: f64) -> bool {
        let Self { factor, place, first, next, at } = self;
        first.fill(NONE);
        let (pointers, rows, values) = factor.parts_mut();
        values.copy_from_slice(lower.values());
        for j in 0..first.len() {
            let (start, end) = (pointers[j], pointers[j + 1]);
            let diagonal = values[start];
            values[start] *= 1.0 + shift;
            rows[start..end].iter().enumerate().for_each(|(offset, &row)| place[row] = start + offset);
            let mut k = first[j];
            while k != NONE {
                let following = next[k];
                let (from, end) = (at[k], pointers[k + 1]);
                let multiplier = values[from];
                for entry in from..end {
                    let target = place[rows[entry]];
                    if target != NONE {
                        values[target] -= values[entry] * multiplier;
                    }
                }
                wait(rows, at, first, next, k, from + 1, end);
                k = following;
            }
            rows[start..end].iter().for_each(|&row| place[row] = NONE);
            let pivot = values[start];
            if pivot <= LEAST_PIVOT * diagonal || !pivot.is_finite() {
                return false;
            }
            let root = pivot.sqrt();
            values[start] = root;
            values[start + 1..end].iter_mut().for_each(|value| *value /= root);
            wait(rows, at, first, next, j, start + 1, end);
        }
        true
    }

    fn become_identity(&mut self) {
        let (pointers, _, values) = self.factor.parts_mut();
        values.fill(0.0);
        pointers[..pointers.len() - 1].iter().for_each(|&start| values[start] = 1.0);
    }

    /// Replaces `rhs` by (L Lᵀ)⁻¹ rhs.
    pub fn solve_in_place(&self, rhs: &mut [f64]) {
        let n = self.first.len();
        for j in 0..n {
            let (rows, values) = self.factor.col(j);
            let x = rhs[j] / values[0];
            rhs[j] = x;
            rows[1..].iter().zip(&values[1..]).for_each(|(&row, value)| rhs[row] -= value * x);
        }
        for j in (0..n).rev() {
            let (rows, values) = self.factor.col(j);
            let sum: f64 = rows[1..].iter().zip(&values[1..]).map(|(&row, value)| value * rhs[row]).sum();
            rhs[j] = (rhs[j] - sum) / values[0];
        }
    }
}

/// Puts column k, whose next entry is at `from`, on the list of that entry's row.
fn wait(rows: &[usize], at: &mut [usize], first: &mut [usize], next: &mut [usize], k: usize, from: usize, end: usize) {
    at[k] = from;
    if from < end {
        let row = rows[from];
        next[k] = first[row];
        first[row] = k;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(factor: &ZeroFillCholesky, i: usize, j: usize) -> f64 {
        (0..factor.first.len()).map(|k| factor.factor.get(i, k) * factor.factor.get(j, k)).sum()
    }

    /// The defining property: (L Lᵀ)_ij = A_ij on the pattern.
    #[test]
    fn the_product_agrees_with_the_matrix_on_its_pattern() {
        // A 4×4 grid with a strong diagonal: fill is dropped.
        let mut entries = Vec::new();
        for i in 0..16 {
            entries.push((i, i, 4.5));
            if i % 4 != 3 {
                entries.push((i + 1, i, -1.0));
            }
            if i + 4 < 16 {
                entries.push((i + 4, i, -0.7));
            }
        }
        let lower = CscMatrix::from_triplets(16, 16, entries).unwrap();
        let mut factor = ZeroFillCholesky::new(&lower);
        for _ in 0..2 {
            assert_eq!(factor.factorise(&lower), 0.0);
            for (i, j, value) in lower.triplets() {
                assert!((product(&factor, i, j) - value).abs() < 1e-14, "({i}, {j})");
            }
        }
        let x: Vec<f64> = (0..16).map(|i| f64::from(i).sin()).collect();
        let mut b: Vec<f64> = (0..16).map(|i| (0..16).map(|j| product(&factor, i, j) * x[j]).sum()).collect();
        factor.solve_in_place(&mut b);
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13));
    }

    #[test]
    fn a_lost_pivot_is_mended_by_a_shift() {
        // Positive semidefinite, and dropping the entry (3, 1) would make the last pivot negative.
        let entries =
            [(0, 0, 1.0), (1, 0, 0.9), (1, 1, 1.0), (2, 0, -0.9), (2, 2, 1.0), (3, 1, 0.9), (3, 2, 0.9), (3, 3, 1.0)];
        let lower = CscMatrix::from_triplets(4, 4, entries).unwrap();
        let mut factor = ZeroFillCholesky::new(&lower);
        let shift = factor.factorise(&lower);
        assert!(shift > 0.0 && shift < 10.0, "{shift}");
        let mut x = [1.0, 2.0, 3.0, 4.0];
        factor.solve_in_place(&mut x);
        assert!(x.iter().all(|x| x.is_finite()));
    }
}
