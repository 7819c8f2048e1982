//! The constraint Jacobian J as dense blocks, one a constraint.
//!
//! A contact between two rigid bodies has 3 rows and 12 columns, all filled: a dense block needs one index a
//! column instead of one an entry, and products run over contiguous memory.

use super::streams::Streams;
use signorini_linalg::Halves;
use std::sync::Arc;

/// Constraint rows grouped in blocks; each block is dense over the velocities it touches.
#[derive(Clone, Debug)]
pub struct RowBlocks {
    row_start: Vec<usize>,
    column_start: Vec<usize>,
    columns: Vec<usize>,
    /// Where the values of each block begin, in any order.
    value_start: Vec<usize>,
    /// Methods that read them where they are hold them as well, until they are to be changed.
    values: Arc<Vec<f64>>,
    streams: Streams,
}

/// Rows are equal block by block, wherever their values lie.
impl PartialEq for RowBlocks {
    fn eq(&self, other: &Self) -> bool {
        let same_shape = self.row_start == other.row_start && self.columns == other.columns;
        same_shape && (0..self.len()).all(|k| self.block(k).values == other.block(k).values)
    }
}

/// Where the rows and columns of every block begin, with one entry more at the end; the columns; and which values are whose.
pub(super) struct Starts<'a> {
    pub(super) row: &'a [usize],
    pub(super) column: &'a [usize],
    pub(super) columns: &'a [usize],
    pub(super) streams: &'a Streams,
}

impl Starts<'_> {
    /// Rows and columns of a block.
    #[inline]
    pub(super) fn size(&self, k: usize) -> (usize, usize) {
        (self.row[k + 1] - self.row[k], self.column[k + 1] - self.column[k])
    }
}

/// One block: `values` is row-major, `rows × columns.len()`.
#[derive(Clone, Copy, Debug)]
pub struct RowBlock<'a> {
    /// Velocities the block touches, ascending.
    pub columns: &'a [usize],
    /// Entries, row-major.
    pub values: &'a [f64],
    /// Number of rows.
    pub rows: usize,
}

impl<'a> RowBlock<'a> {
    /// One row over [`RowBlock::columns`].
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [f64] {
        let width = self.columns.len();
        &self.values[row * width..(row + 1) * width]
    }
    /// `out = J_k v`.
    #[inline]
    pub(crate) fn rates(&self, v: &[f64], out: &mut [f64]) {
        let width = self.columns.len();
        out.fill(0.0);
        for (first, at) in self.runs() {
            let v = &v[first..first + at.len()];
            for (line, out) in self.values.chunks_exact(width).zip(&mut *out) {
                *out += dot(&line[at.clone()], v);
            }
        }
    }
    /// Neighbouring columns: the first, and where they begin and end in a row. Those of one rigid body are a run, unless a
    /// body next to it joins in.
    pub(crate) fn runs(&self) -> Runs<'a> {
        Runs { columns: self.columns, at: 0 }
    }
}

/// See [`RowBlock::runs`].
pub(crate) struct Runs<'a> {
    columns: &'a [usize],
    at: usize,
}

/// Velocities of a rigid body.
pub(crate) const RIGID: usize = 6;

impl Iterator for Runs<'_> {
    type Item = (usize, std::ops::Range<usize>);
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.columns[self.at..];
        let &first = rest.first()?;
        // Columns ascend: six of them that end five further on are neighbours.
        let count = match rest.get(RIGID - 1) {
            Some(&last) if last == first + RIGID - 1 => RIGID,
            _ => rest.iter().zip(first..).take_while(|&(&column, expected)| column == expected).count().min(RIGID),
        };
        self.at += count;
        Some((first, self.at - count..self.at))
    }
}

impl Default for RowBlocks {
    fn default() -> Self {
        Self::new()
    }
}

impl RowBlocks {
    /// No blocks.
    #[must_use]
    pub fn new() -> Self {
        Self {
            row_start: vec![0],
            column_start: vec![0],
            columns: Vec::new(),
            value_start: Vec::new(),
            values: Arc::default(),
            streams: Streams::default(),
        }
    }

    /// No blocks, with room for so many blocks, column indices and entries.
    #[must_use]
    pub fn with_capacity(blocks: usize, columns: usize, values: usize) -> Self {
        let start = || {
            let mut start = Vec::with_capacity(blocks + 1);
            start.push(0);
            start
        };
        Self {
            row_start: start(),
            column_start: start(),
            value_start: Vec::with_capacity(blocks),
            columns: Vec::with_capacity(columns),
            values: Arc::new(Vec::with_capacity(values)),
            streams: Streams::default(),
        }
    }

    /// Appends a block given by the sparse entries `(column, value)` of each row; duplicates add up.
    pub fn push(&mut self, rows: &[&[(usize, f64)]]) {
        let first = self.columns.len();
        self.columns.extend(rows.iter().flat_map(|row| row.iter().map(|&(column, _)| column)));
        self.columns[first..].sort_unstable();
        let mut kept = first;
        for at in first..self.columns.len() {
            if kept == first || self.columns[kept - 1] != self.columns[at] {
                self.columns[kept] = self.columns[at];
                kept += 1;
            }
        }
        self.columns.truncate(kept);
        let columns = &self.columns[first..];
        let values = Arc::make_mut(&mut self.values);
        let value_first = values.len();
        values.resize(value_first + rows.len() * columns.len(), 0.0);
        for (r, row) in rows.iter().enumerate() {
            for &(column, value) in *row {
                // Every column was put in the list above.
                if let Ok(at) = columns.binary_search(&column) {
                    values[value_first + r * columns.len() + at] += value;
                }
            }
        }
        self.close_block(rows.len(), value_first);
    }

    /// Appends a dense block over `columns` (ascending), `values` row-major.
    pub fn push_dense(&mut self, columns: &[usize], rows: usize, values: &[f64]) {
        debug_assert!(values.len() == rows * columns.len() && columns.windows(2).all(|w| w[0] < w[1]));
        self.columns.extend_from_slice(columns);
        let own = Arc::make_mut(&mut self.values);
        let first = own.len();
        own.extend_from_slice(values);
        self.close_block(rows, first);
    }

    /// Becomes `count` blocks whose columns and values are filled in later; `size(rows, columns)` writes how many of either each has.
    /// Where values lie is settled by [`RowBlocks::place`].
    pub(super) fn reshape(&mut self, count: usize, size: impl FnOnce(&mut [usize], &mut [usize])) {
        let Self { row_start, column_start, columns, streams, .. } = self;
        for start in [&mut *row_start, &mut *column_start] {
            start.resize(count + 1, 0);
        }
        size(&mut row_start[1..], &mut column_start[1..]);
        let [mut row, mut column] = [0; 2];
        for k in 1..=count {
            (row, column) = (row + row_start[k], column + column_start[k]);
            (row_start[k], column_start[k]) = (row, column);
        }
        columns.resize(column, 0);
        streams.forget();
    }

    /// Fills in the columns of every block, ascending.
    pub(super) fn fill_columns(&mut self, halves: Halves, fill: &(impl Fn(usize, &mut [usize]) + Sync)) {
        halves.parts(&self.column_start, &mut self.columns, fill);
    }

    /// Gives every block its place in memory: blocks of the same stream lie one after the other. Values are not defined afterwards.
    pub(super) fn place(&mut self, stream_of: impl Fn(usize) -> usize) {
        let Self { row_start, column_start, value_start, values, streams, .. } = self;
        let size = |k: usize| (row_start[k + 1] - row_start[k]) * (column_start[k + 1] - column_start[k]);
        let length = streams.update(row_start.len() - 1, stream_of, size, value_start);
        unshared(values).resize(length, 0.0);
    }
    /// Whether every block has its place.
    pub(super) fn is_placed(&self) -> bool {
        self.streams.are_of(self.len())
    }

    /// Where blocks begin, and all values to be written. What was there is not to be relied on.
    pub(super) fn parts_mut(&mut self) -> (Starts<'_>, &mut [f64]) {
        let Self { row_start, column_start, columns, values, streams, .. } = self;
        let length = values.len();
        let values = unshared(values);
        values.resize(length, 0.0);
        (Starts { row: row_start, column: column_start, columns, streams }, values)
    }

    fn close_block(&mut self, rows: usize, first_value: usize) {
        self.row_start.push(self.nrows() + rows);
        self.column_start.push(self.columns.len());
        self.value_start.push(first_value);
        self.streams.forget();
    }

    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row_start.len() - 1
    }
    /// Whether there is no block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Number of scalar rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.row_start[self.row_start.len() - 1]
    }
    /// Rows of block `k`.
    #[must_use]
    #[inline]
    pub fn rows_of(&self, k: usize) -> std::ops::Range<usize> {
        self.row_start[k]..self.row_start[k + 1]
    }
    /// Velocities that block `k` touches.
    #[inline]
    pub(super) fn columns_of(&self, k: usize) -> &[usize] {
        &self.columns[self.column_start[k]..self.column_start[k + 1]]
    }
    /// Block `k`.
    #[must_use]
    #[inline]
    pub fn block(&self, k: usize) -> RowBlock<'_> {
        let columns = self.columns_of(k);
        let rows = self.row_start[k + 1] - self.row_start[k];
        RowBlock { columns, values: &self.values[self.value_start[k]..][..rows * columns.len()], rows }
    }
    /// Number of stored entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        Arc::make_mut(&mut self.values).as_mut_slice()
    }
    /// All values, to be held by whoever reads them where they are.
    pub(crate) fn shared_values(&self) -> &Arc<Vec<f64>> {
        &self.values
    }
    /// Where the values of a block begin, if they lie where a sweep by colours reads them.
    pub(crate) fn place_by_colour(&self, k: usize) -> Option<usize> {
        self.streams.is_by_colour(k).then(|| self.value_start[k])
    }
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }
    /// First row of every block, and the number of rows at the end.
    pub(crate) fn row_start(&self) -> &[usize] {
        &self.row_start
    }
    pub(crate) fn value_start(&self) -> &[usize] {
        &self.value_start
    }

    /// `out = J v`.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        for k in 0..self.len() {
            self.block(k).rates(v, &mut out[self.rows_of(k)]);
        }
    }

    /// `out += alpha Jᵀ g`.
    pub fn mul_transpose_add(&self, alpha: f64, g: &[f64], out: &mut [f64]) {
        for k in 0..self.len() {
            let (block, g) = (self.block(k), &g[self.rows_of(k)]);
            let width = block.columns.len();
            // An open contact has no force.
            if g.iter().all(|g| *g == 0.0) {
                continue;
            }
            for (first, at) in block.runs() {
                let out = &mut out[first..first + at.len()];
                for (line, g) in block.values.chunks_exact(width).zip(g) {
                    add_multiple(alpha * g, &line[at.clone()], out);
                }
            }
        }
    }
}

/// Room for values that nobody else reads: what is there, if so, else none.
fn unshared(values: &mut Arc<Vec<f64>>) -> &mut Vec<f64> {
    if Arc::get_mut(values).is_none() {
        *values = Arc::default();
    }
    Arc::make_mut(values)
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    match (a.first_chunk::<RIGID>().filter(|_| a.len() == RIGID), b.first_chunk::<RIGID>()) {
        (Some(a), Some(b)) => (0..RIGID).map(|i| a[i] * b[i]).sum(),
        _ => a.iter().zip(b).map(|(a, b)| a * b).sum(),
    }
}

/// `out += scale line`.
#[inline]
fn add_multiple(scale: f64, line: &[f64], out: &mut [f64]) {
    if let (Some(line), Some(out), RIGID) = (line.first_chunk::<RIGID>(), out.first_chunk_mut::<RIGID>(), line.len()) {
        return (0..RIGID).for_each(|i| out[i] += scale * line[i]);
    }
    out.iter_mut().zip(line).for_each(|(out, value)| *out += scale * value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_entries() {
        let mut rows = RowBlocks::new();
        rows.push(&[&[(3, 1.0), (0, 2.0)], &[(0, -1.0), (3, 0.5), (0, 4.0)]]);
        rows.push(&[&[(1, 5.0)]]);
        assert_eq!((rows.len(), rows.nrows(), rows.block(0).columns), (2, 3, &[0, 3][..]));
        let mut u = [0.0; 3];
        rows.mul(&[1.0, 2.0, 3.0, 4.0], &mut u);
        assert_eq!(u, [6.0, 5.0, 10.0]);
        let mut p = [1.0; 4];
        rows.mul_transpose_add(2.0, &[1.0, 1.0, 1.0], &mut p);
        assert_eq!(p, [1.0 + 10.0, 1.0 + 10.0, 1.0, 1.0 + 3.0]);
    }
}
