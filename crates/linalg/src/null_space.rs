//! What a dense matrix maps to zero, by a QR factorisation of its transpose with column pivoting:
//!
//! ```text
//! Aᵀ P = Q [ R₁₁ R₁₂ ]      R₂₂ ≈ 0 below the rank r
//!          [  0  R₂₂ ]      A Q₂ ≈ 0 for the columns of Q beyond r, which are orthonormal
//! ```

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::col_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, Par};

/// Rank of a matrix and an orthonormal basis of the vectors it maps to zero.
#[derive(Clone, Debug, PartialEq)]
pub struct NullSpace {
    /// Number of rows that are independent.
    pub rank: usize,
    /// Number of columns of the matrix.
    pub dimension: usize,
    /// The basis, vector by vector: (dimension − rank) · dimension numbers.
    pub basis: Vec<f64>,
}

impl NullSpace {
    /// The null space of a matrix with `columns` columns, given row by row. Rows whose part that is independent of the others is below
    /// `tolerance` of the longest row count as dependent. One thread: the same bits on any machine with the same instructions.
    ///
    /// ```
    /// use signorini_linalg::NullSpace;
    /// // Two rows say the same: x + y = 0 in space.
    /// let found = NullSpace::of(3, &[1.0, 1.0, 0.0, 2.0, 2.0, 0.0], 1e-10);
    /// assert_eq!((found.rank, found.vectors().len()), (1, 2));
    /// assert!(found.vectors().all(|v| (v[0] + v[1]).abs() < 1e-15));
    /// ```
    #[must_use]
    pub fn of(columns: usize, rows: &[f64], tolerance: f64) -> Self {
        let m = rows.len().checked_div(columns).unwrap_or(0);
        let mut basis = Mat::<f64>::identity(columns, columns);
        let mut rank = 0;
        if m > 0 {
            // Row by row is the transpose column by column.
            let mut qr = Mat::from_fn(columns, m, |i, j| rows[j * columns + i]);
            let (size, block) = (columns.min(m), recommended_block_size::<f64>(columns, m));
            let mut factor = Mat::<f64>::zeros(block, size);
            let (mut order, mut inverse) = (vec![0_usize; m], vec![0_usize; m]);
            let need = qr_in_place_scratch::<usize, f64>(columns, m, block, Par::Seq, Default::default());
            let mut memory = MemBuffer::new(need);
            qr_in_place(
                qr.as_mut(),
                factor.as_mut(),
                &mut order,
                &mut inverse,
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            );
            let first = qr[(0, 0)].abs();
            rank = (0..size).take_while(|&k| qr[(k, k)].abs() > tolerance * first).count();
            let need = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(columns, block, columns);
            let mut memory = MemBuffer::new(need);
            // The reflections stand below the diagonal; R above it is not looked at.
            apply_block_householder_sequence_on_the_left_in_place_with_conj(
                qr.as_ref().subcols(0, size),
                factor.as_ref(),
                Conj::No,
                basis.as_mut(),
                Par::Seq,
                MemStack::new(&mut memory),
            );
        }
        let basis = (rank..columns).flat_map(|j| (0..columns).map(move |i| (i, j))).map(|at| basis[at]).collect();
        Self { rank, dimension: columns, basis }
    }

    /// The vectors of the basis.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.basis.chunks_exact(self.dimension.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_basis_is_orthonormal_mapped_to_zero_and_complete(
            (n, rank, numbers) in (1_usize..40, 0_usize..40)
                .prop_flat_map(|(n, r)| (Just(n), Just(r.min(n)), prop::collection::vec(-1.0_f64..1.0, n * r.min(n)))),
        ) {
            // Every row twice, the second time with another factor and the one before it added.
            let independent: Vec<&[f64]> = numbers.chunks_exact(n).collect();
            let mut rows = numbers.clone();
            for (k, row) in independent.iter().enumerate() {
                let before = independent[k.saturating_sub(1)];
                rows.extend(row.iter().zip(before).map(|(a, b)| 3.0 * a + b));
            }
            let found = NullSpace::of(n, &rows, 1e-10);
            // Random rows are independent unless they are tiny.
            prop_assert!(found.rank <= rank);
            prop_assert_eq!(found.vectors().len(), n - found.rank);
            for (k, v) in found.vectors().enumerate() {
                for row in rows.chunks_exact(n) {
                    prop_assert!(row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().abs() < 1e-9);
                }
                for (l, w) in found.vectors().enumerate() {
                    let product: f64 = v.iter().zip(w).map(|(a, b)| a * b).sum();
                    prop_assert!((product - f64::from(u8::from(k == l))).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn the_rank_of_random_rows_is_their_number() {
        let mut seed = 1_u64;
        let rows: Vec<f64> = (0..200 * 150)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            })
            .collect();
        assert_eq!(NullSpace::of(200, &rows, 1e-10).rank, 150);
        assert_eq!(NullSpace::of(150, &rows, 1e-10).rank, 150);
    }

    #[test]
    fn without_rows_everything_is_mapped_to_zero() {
        assert_eq!(NullSpace::of(2, &[], 1e-10).basis, [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(NullSpace::of(2, &[0.0; 6], 1e-10).rank, 0);
        assert_eq!(NullSpace::of(0, &[], 1e-10).vectors().len(), 0);
    }
}
