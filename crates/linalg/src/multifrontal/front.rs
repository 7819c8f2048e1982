//! Dense work on one front: gathering and partial factorisation.

use crate::FactorError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::{matmul, triangular};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of a slice of the update that one thread works on. Fixed, so that threads do not change the result.
const SLICE: usize = 96;
/// Pivots eliminated at a time.
const PIVOT_BLOCK: usize = 128;
/// Fronts with fewer operations than this are not worth sharing between threads.
const SHARED_FROM: f64 = 4e6;

/// A front: pivot columns `panel` (`rows × pivots`) and the update matrix (`border × border`), both column-major.
pub(super) struct Front<'a> {
    pub(super) pivots: usize,
    pub(super) border: usize,
    pub(super) panel: &'a mut [f64],
    pub(super) update: &'a mut [f64],
}

/// Scratch memory of the dense kernels.
pub(super) fn scratch(largest_front: usize) -> MemBuffer {
    MemBuffer::new(cholesky_in_place_scratch::<f64>(largest_front, Par::Seq, Default::default()))
}

impl Front<'_> {
    fn rows(&self) -> usize {
        self.pivots + self.border
    }

    /// Zeroes the lower triangle, which is all that is used.
    pub(super) fn clear(&mut self) {
        let rows = self.rows();
        self.panel.chunks_exact_mut(rows.max(1)).enumerate().for_each(|(j, column)| column[j..].fill(0.0));
        self.update.chunks_exact_mut(self.border.max(1)).enumerate().for_each(|(j, column)| column[j..].fill(0.0));
    }

    /// Adds the lower triangle of an element, column-major `n × n`, whose rows are `local` rows of the front.
    pub(super) fn add_element(&mut self, local: &[u32], element: &[f64]) {
        let n = local.len();
        let (rows, pivots, border) = (self.rows(), self.pivots, self.border);
        for (j, &b) in local.iter().enumerate() {
            for (i, &a) in local.iter().enumerate().skip(j) {
                let (row, column) = if a >= b { (a as usize, b as usize) } else { (b as usize, a as usize) };
                let entry = match column < pivots {
                    true => &mut self.panel[column * rows + row],
                    false => &mut self.update[(column - pivots) * border + row - pivots],
                };
                *entry += element[j * n + i];
            }
        }
    }

    /// Adds the update matrix (`n × n`) of a child; `runs` of its rows are runs of rows of this front.
    pub(super) fn add_update(&mut self, n: usize, runs: &[(u32, u32, u32)], child: &[f64]) {
        let (rows, pivots, border) = (self.rows(), self.pivots, self.border);
        for (at, &(from, to, length)) in runs.iter().enumerate() {
            for offset in 0..length as usize {
                let (j, column) = (from as usize + offset, to as usize + offset);
                let source = &child[j * n..(j + 1) * n];
                let (target, shift) = match column < pivots {
                    true => (&mut self.panel[column * rows..(column + 1) * rows], 0),
                    false => (&mut self.update[(column - pivots) * border..(column - pivots + 1) * border], pivots),
                };
                // The rest of this run below the diagonal, then the runs after it.
                add(
                    &mut target[column - shift..to as usize + length as usize - shift],
                    &source[j..(from + length) as usize],
                );
                for &(from, to, length) in &runs[at + 1..] {
                    let (first, length) = (to as usize - shift, length as usize);
                    add(&mut target[first..first + length], &source[from as usize..from as usize + length]);
                }
            }
        }
    }

    /// L₁₁ and L₂₁ into the panel, F₂₂ − L₂₁L₂₁ᵀ into the update.
    ///
    /// The pivots are eliminated in blocks, each followed by the update of the panel to its right (right-looking).
    pub(super) fn eliminate(&mut self, threads: bool, scratch: &mut MemBuffer) -> Result<(), FactorError> {
        let (rows, pivots, border) = (self.rows(), self.pivots, self.border);
        let share = threads && pivots as f64 * (rows as f64).powi(2) > SHARED_FROM;
        let mut panel = MatMut::from_column_major_slice_mut(&mut *self.panel, rows, pivots);
        let mut first = 0;
        while first < pivots {
            let width = PIVOT_BLOCK.min(pivots - first);
            let (_, rest) = panel.rb_mut().split_at_row_mut(first);
            let (_, rest) = rest.split_at_col_mut(first);
            let (block, right) = rest.split_at_col_mut(width);
            let (mut diagonal, mut below) = block.split_at_row_mut(width);
            cholesky_in_place(
                diagonal.rb_mut(),
                Default::default(),
                Par::Seq,
                MemStack::new(scratch),
                Default::default(),
            )
            .map_err(|LltError::NonPositivePivot { index }| FactorError::Pivot { pivot: first + index })?;
            let diagonal = diagonal.rb();
            // L₂₁ = F₂₁L₁₁⁻ᵀ: every slice of rows by itself.
            for_each_slice(share, below.rb_mut().transpose_mut(), |_, slice| {
                solve_lower_triangular_in_place(diagonal, slice, Par::Seq);
            });
            let (_, right) = right.split_at_row_mut(width);
            let below = below.rb();
            for_each_slice(share, right, |first, slice| subtract_product(first, slice, below));
            first += width;
        }
        if border > 0 {
            let (_, bottom) = panel.rb().split_at_row(pivots);
            let update = MatMut::from_column_major_slice_mut(&mut *self.update, border, border);
            for_each_slice(share, update, |first, slice| subtract_product(first, slice, bottom));
        }
        Ok(())
    }
}

fn add(target: &mut [f64], source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(target, source)| *target += source);
}

/// Cuts a matrix into slices of columns and works on each, by several threads if `share`.
fn for_each_slice(share: bool, matrix: MatMut<'_, f64>, work: impl Fn(usize, MatMut<'_, f64>) + Sync) {
    let slices = {
        let mut rest = matrix;
        let mut first = 0;
        std::iter::from_fn(move || {
            let at = rest.ncols().min(SLICE);
            let (slice, right) =
                std::mem::replace(&mut rest, MatMut::from_column_major_slice_mut(&mut [], 0, 0)).split_at_col_mut(at);
            rest = right;
            first += at;
            (at > 0).then_some((first - at, slice))
        })
    };
    if share {
        let work = &work;
        rayon::scope(|scope| slices.for_each(|(first, slice)| scope.spawn(move |_| work(first, slice))));
    } else {
        slices.for_each(|(first, slice)| work(first, slice));
    }
}

/// Columns `first..` of F₂₂ −= L₂₁L₂₁ᵀ, lower triangle; `slice` has the rows of F₂₂ and its own columns only.
fn subtract_product(first: usize, slice: MatMut<'_, f64>, bottom: MatRef<'_, f64>) {
    use triangular::BlockStructure::{Rectangular, TriangularLower};
    let width = slice.ncols();
    let (_, slice) = slice.split_at_row_mut(first);
    let (diagonal, below) = slice.split_at_row_mut(width);
    let (_, left) = bottom.split_at_row(first);
    let (left_diagonal, left_below) = left.split_at_row(width);
    let right = left_diagonal.transpose();
    triangular::matmul(
        diagonal,
        TriangularLower,
        Accum::Add,
        left_diagonal,
        Rectangular,
        right,
        Rectangular,
        -1.0,
        Par::Seq,
    );
    matmul(below, Accum::Add, left_below, right, -1.0, Par::Seq);
}
