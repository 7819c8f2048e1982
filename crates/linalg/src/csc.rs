//! Compressed sparse columns.

/// A sparse matrix in compressed-column storage: rows sorted within a column, no duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct CscMatrix {
    nrows: usize,
    ncols: usize,
    col_ptr: Vec<usize>,
    row_idx: Vec<usize>,
    values: Vec<f64>,
}

/// What is wrong with the arrays given for a sparse matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The pointer array has the wrong length or does not end at the number of entries.
    #[error("pointer array: found {found}, expected {expected}")]
    Pointers {
        /// What the arrays hold.
        found: String,
        /// What they should hold.
        expected: String,
    },
    /// An index points outside the matrix.
    #[error("entry {entry}: {axis} index {found} is out of range 0..{limit}")]
    IndexOutOfRange {
        /// Position in the index array.
        entry: usize,
        /// `row` or `column`.
        axis: &'static str,
        /// The index found.
        found: usize,
        /// One past the largest index allowed.
        limit: usize,
    },
    /// An entry is NaN or infinite.
    #[error("entry {entry} (row {row}, column {col}) is {value}, expected a finite number")]
    NotFinite {
        /// Position in the value array.
        entry: usize,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// The value found.
        value: f64,
    },
}

impl CscMatrix {
    /// The matrix without entries.
    #[must_use]
    pub fn zeros(nrows: usize, ncols: usize) -> Self {
        Self { nrows, ncols, col_ptr: vec![0; ncols + 1], row_idx: Vec::new(), values: Vec::new() }
    }

    /// A diagonal matrix.
    #[must_use]
    pub fn diagonal(entries: &[f64]) -> Self {
        let n = entries.len();
        Self { nrows: n, ncols: n, col_ptr: (0..=n).collect(), row_idx: (0..n).collect(), values: entries.to_vec() }
    }

    /// Builds a matrix from `(row, column, value)` triplets in any order; duplicates add up.
    ///
    /// # Errors
    /// An index out of range, or a value that is not finite.
    ///
    /// ```
    /// use signorini_linalg::CscMatrix;
    /// let a = CscMatrix::from_triplets(2, 2, [(0, 0, 1.0), (1, 0, 2.0), (0, 0, 3.0)])?;
    /// assert_eq!(a.get(0, 0), 4.0);
    /// # Ok::<(), signorini_linalg::MatrixError>(())
    /// ```
    pub fn from_triplets(
        nrows: usize,
        ncols: usize,
        triplets: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, MatrixError> {
        let triplets: Vec<_> = triplets.into_iter().collect();
        for (entry, &(row, col, value)) in triplets.iter().enumerate() {
            check_index(entry, "row", row, nrows)?;
            check_index(entry, "column", col, ncols)?;
            if !value.is_finite() {
                return Err(MatrixError::NotFinite { entry, row, col, value });
            }
        }
        Ok(Self::from_checked_triplets(nrows, ncols, &triplets))
    }

    /// Two counting passes (by row, then by column) leave the rows of every column sorted.
    fn from_checked_triplets(nrows: usize, ncols: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let by_row = counting_order(nrows, triplets.len(), |e| triplets[e].0);
        let by_col = counting_order(ncols, triplets.len(), |e| triplets[by_row[e]].1);
        let mut out = Self::zeros(nrows, ncols);
        let mut previous = None;
        for &e in &by_col {
            let (row, col, value) = triplets[by_row[e]];
            if previous == Some((row, col)) {
                // A duplicate of the entry just written: the vector is not empty.
                let last = out.values.len() - 1;
                out.values[last] += value;
            } else {
                out.row_idx.push(row);
                out.values.push(value);
                previous = Some((row, col));
            }
            out.col_ptr[col + 1] = out.values.len();
        }
        for col in 0..ncols {
            out.col_ptr[col + 1] = out.col_ptr[col + 1].max(out.col_ptr[col]);
        }
        out
    }

    /// Builds a matrix from compressed columns; rows need not be sorted and duplicates add up.
    ///
    /// # Errors
    /// Inconsistent pointers, an index out of range, or a value that is not finite.
    pub fn from_compressed_columns(
        nrows: usize,
        ncols: usize,
        col_ptr: &[usize],
        row_idx: &[usize],
        values: &[f64],
    ) -> Result<Self, MatrixError> {
        check_pointers(ncols, col_ptr, row_idx.len().min(values.len()))?;
        Self::from_triplets(
            nrows,
            ncols,
            (0..ncols).flat_map(|col| (col_ptr[col]..col_ptr[col + 1]).map(move |e| (row_idx[e], col, values[e]))),
        )
    }

    /// Builds a matrix from compressed rows; columns need not be sorted and duplicates add up.
    ///
    /// # Errors
    /// Inconsistent pointers, an index out of range, or a value that is not finite.
    pub fn from_compressed_rows(
        nrows: usize,
        ncols: usize,
        row_ptr: &[usize],
        col_idx: &[usize],
        values: &[f64],
    ) -> Result<Self, MatrixError> {
        check_pointers(nrows, row_ptr, col_idx.len().min(values.len()))?;
        Self::from_triplets(
            nrows,
            ncols,
            (0..nrows).flat_map(|row| (row_ptr[row]..row_ptr[row + 1]).map(move |e| (row, col_idx[e], values[e]))),
        )
    }

    /// Number of rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }
    /// Number of columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.ncols
    }
    /// Number of stored entries.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.values.len()
    }
    /// Where each column starts; one more entry than columns.
    #[must_use]
    pub fn col_ptr(&self) -> &[usize] {
        &self.col_ptr
    }
    /// Row of each stored entry.
    #[must_use]
    pub fn row_idx(&self) -> &[usize] {
        &self.row_idx
    }
    /// Value of each stored entry.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Values of the stored entries, for filling the same pattern again.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Column starts, rows, and the values to be changed.
    pub(crate) fn parts_mut(&mut self) -> (&[usize], &[usize], &mut [f64]) {
        (&self.col_ptr, &self.row_idx, &mut self.values)
    }

    /// Rows and values of one column.
    #[must_use]
    pub fn col(&self, col: usize) -> (&[usize], &[f64]) {
        let range = self.col_ptr[col]..self.col_ptr[col + 1];
        (&self.row_idx[range.clone()], &self.values[range])
    }

    /// One entry, zero if not stored.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        let (rows, values) = self.col(col);
        rows.binary_search(&row).map_or(0.0, |at| values[at])
    }

    /// Position in `values` of a stored entry.
    #[must_use]
    pub fn position(&self, row: usize, col: usize) -> Option<usize> {
        let (rows, _) = self.col(col);
        rows.binary_search(&row).ok().map(|at| self.col_ptr[col] + at)
    }

    /// All entries as `(row, column, value)`, column by column.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone + '_ {
        (0..self.ncols).flat_map(move |col| {
            let (rows, values) = self.col(col);
            rows.iter().zip(values).map(move |(&row, &value)| (row, col, value))
        })
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let triplets: Vec<_> = self.triplets().map(|(r, c, v)| (c, r, v)).collect();
        Self::from_checked_triplets(self.ncols, self.nrows, &triplets)
    }

    /// `out = A x`.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.mul_add(1.0, x, out);
    }

    /// `out += alpha A x`.
    pub fn mul_add(&self, alpha: f64, x: &[f64], out: &mut [f64]) {
        debug_assert!(x.len() == self.ncols && out.len() == self.nrows);
        for (col, &x_col) in x.iter().enumerate() {
            let scaled = alpha * x_col;
            let (rows, values) = self.col(col);
            for (&row, &value) in rows.iter().zip(values) {
                out[row] += value * scaled;
            }
        }
    }

    /// `out += alpha Aᵀ x`.
    pub fn mul_transpose_add(&self, alpha: f64, x: &[f64], out: &mut [f64]) {
        debug_assert!(x.len() == self.nrows && out.len() == self.ncols);
        for (col, out_col) in out.iter_mut().enumerate() {
            let (rows, values) = self.col(col);
            let dot: f64 = rows.iter().zip(values).map(|(&row, &value)| value * x[row]).sum();
            *out_col += alpha * dot;
        }
    }

    /// Whether every stored entry has its mirror image stored with the same value.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        if self.nrows != self.ncols {
            return false;
        }
        // Entries above the diagonal of column r are met in ascending order when the columns left of r are gone through.
        let mut next = self.col_ptr[..self.ncols].to_vec();
        for col in 0..self.ncols {
            // All mirror images above the diagonal were met, or the entry at hand has none.
            let end = self.col_ptr[col + 1];
            let mut at = next[col];
            if at < end && self.row_idx[at] < col {
                return false;
            }
            if at < end && self.row_idx[at] == col {
                at += 1;
            }
            for entry in at..end {
                let row = self.row_idx[entry];
                let mirror = next[row];
                let there = mirror < self.col_ptr[row + 1] && self.row_idx[mirror] == col;
                if !there || self.values[mirror] != self.values[entry] {
                    return false;
                }
                next[row] += 1;
            }
        }
        true
    }

    /// The symmetric part ½(A + Aᵀ) and the largest entry of the skew part ½|A − Aᵀ|. Square matrices only.
    #[must_use]
    pub fn symmetric_part(&self) -> (Self, f64) {
        debug_assert_eq!(self.nrows, self.ncols);
        let mut triplets = Vec::with_capacity(2 * self.nnz());
        for (row, col, value) in self.triplets() {
            triplets.push((row, col, 0.5 * value));
            triplets.push((col, row, 0.5 * value));
        }
        let symmetric = Self::from_checked_triplets(self.nrows, self.ncols, &triplets);
        // Where (col, row) is not stored, the sum below still sees the whole skew part: |a − a/2| = a/2.
        let skew = self.triplets().map(|(r, c, v)| (v - symmetric.get(r, c)).abs()).fold(0.0, f64::max);
        (symmetric, skew)
    }

    /// The entries on and below the diagonal.
    #[must_use]
    pub fn lower_triangle(&self) -> Self {
        let mut out = Self::zeros(self.nrows, self.ncols);
        for col in 0..self.ncols {
            let (rows, values) = self.col(col);
            let first = rows.partition_point(|row| *row < col);
            out.row_idx.extend_from_slice(&rows[first..]);
            out.values.extend_from_slice(&values[first..]);
            out.col_ptr[col + 1] = out.values.len();
        }
        out
    }

    /// The diagonal, zero where no entry is stored.
    #[must_use]
    pub fn diagonal_entries(&self) -> Vec<f64> {
        (0..self.nrows.min(self.ncols)).map(|i| self.get(i, i)).collect()
    }

    /// Largest absolute value of an entry; zero for an empty matrix.
    #[must_use]
    pub fn max_abs(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }
}

fn check_index(entry: usize, axis: &'static str, found: usize, limit: usize) -> Result<(), MatrixError> {
    if found < limit { Ok(()) } else { Err(MatrixError::IndexOutOfRange { entry, axis, found, limit }) }
}

fn check_pointers(count: usize, ptr: &[usize], entries: usize) -> Result<(), MatrixError> {
    let wrong = |found: String, expected: String| Err(MatrixError::Pointers { found, expected });
    if ptr.len() != count + 1 {
        return wrong(format!("{} pointers", ptr.len()), format!("{} pointers", count + 1));
    }
    if ptr[0] != 0 {
        return wrong(format!("first pointer {}", ptr[0]), "first pointer 0".into());
    }
    if let Some(at) = ptr.windows(2).position(|pair| pair[1] < pair[0]) {
        return wrong(format!("pointer {} smaller than the one before", at + 1), "pointers that never decrease".into());
    }
    if ptr[count] > entries {
        return wrong(format!("last pointer {}", ptr[count]), format!("at most {entries}, the number of entries"));
    }
    Ok(())
}

/// Indices `0..len` sorted by `key` (stable), by counting.
fn counting_order(keys: usize, len: usize, key: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut start = vec![0; keys + 1];
    for e in 0..len {
        start[key(e) + 1] += 1;
    }
    for k in 0..keys {
        start[k + 1] += start[k];
    }
    let mut order = vec![0; len];
    for e in 0..len {
        let slot = &mut start[key(e)];
        order[*slot] = e;
        *slot += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dense(a: &CscMatrix) -> Vec<Vec<f64>> {
        let mut out = vec![vec![0.0; a.ncols()]; a.nrows()];
        for (r, c, v) in a.triplets() {
            out[r][c] += v;
        }
        out
    }

    proptest! {
        #[test]
        fn any_storage_gives_the_same_products(entries in prop::collection::vec((0usize..5, 0usize..4, -3i32..4), 0..30)) {
            let mut sum = vec![vec![0.0; 4]; 5];
            for &(r, c, v) in &entries {
                sum[r][c] += f64::from(v);
            }
            let a = CscMatrix::from_triplets(5, 4, entries.iter().map(|&(r, c, v)| (r, c, f64::from(v)))).unwrap();
            prop_assert_eq!(dense(&a), sum.clone());
            for col in 0..4 {
                prop_assert!(a.col(col).0.windows(2).all(|w| w[0] < w[1]));
            }
            prop_assert_eq!(a.transpose().transpose(), a.clone());
            let x = [1.0, -2.0, 3.0, 0.5];
            let mut y = vec![0.0; 5];
            a.mul(&x, &mut y);
            for r in 0..5 {
                let expected: f64 = (0..4).map(|c| sum[r][c] * x[c]).sum();
                prop_assert!((y[r] - expected).abs() < 1e-12);
            }
            let (mut by_transpose, w) = (vec![0.0; 4], [1.0, 2.0, 3.0, 4.0, 5.0]);
            a.mul_transpose_add(1.0, &w, &mut by_transpose);
            let mut by_copy = vec![0.0; 4];
            a.transpose().mul(&w, &mut by_copy);
            prop_assert_eq!(by_transpose, by_copy);
        }
    }

    #[test]
    fn the_skew_part_is_seen_where_only_one_side_is_stored() {
        let a = CscMatrix::from_triplets(2, 2, [(0, 0, 1.0), (0, 1, 0.5)]).unwrap();
        let (symmetric, skew) = a.symmetric_part();
        assert_eq!((symmetric.get(0, 1), symmetric.get(1, 0), skew), (0.25, 0.25, 0.25));
    }

    #[test]
    fn bad_arrays_are_named() {
        let bad = |ptr: &[usize], idx: &[usize], x: &[f64]| {
            CscMatrix::from_compressed_rows(2, 2, ptr, idx, x).unwrap_err().to_string()
        };
        assert_eq!(bad(&[0, 1], &[0], &[1.0]), "pointer array: found 2 pointers, expected 3 pointers");
        assert!(bad(&[0, 2, 1], &[0, 1], &[1.0, 1.0]).contains("never decrease"));
        assert!(bad(&[0, 1, 2], &[0, 7], &[1.0, 1.0]).contains("column index 7 is out of range 0..2"));
        assert!(bad(&[0, 1, 2], &[0, 1], &[1.0, f64::NAN]).contains("NaN"));
        assert!(bad(&[0, 1, 3], &[0, 1], &[1.0, 1.0]).contains("at most 2"));
    }
}
