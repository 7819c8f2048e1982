//! The problem as the second-order methods see it: self-dual cones, frictionless tangents and idle bodies gone.
//!
//! ```text
//! H v + c − Cᵀγ − Dᵀλ = 0,   C v − b_γ + E_γ γ = 0,   y = D v − b + E λ,   λ, y ∈ L
//! ```
//!
//! with λ̂ = Tλ, ŷ = T⁻¹y, D̂ = T⁻¹D, T = diag(μ, 1, 1) in each friction block (THEORY §6). Hats are dropped.
//! Changes made here and undone by [`StandardForm::export`]: blocks with μ = 0 keep their normal row only,
//! `NonNegative` blocks become single rows, bodies that no row touches are left out.
//!
//! A rolling block has T = diag(μ, 1, 1, κ, κ), κ = μ/μ_r, which makes its cone {‖λ_t‖ ≤ λ_n, ‖λ_r‖ ≤ λ_n}: two second-order
//! cones that share the normal. With μ = 0 or μ_r = 0 the rows without friction are left out and a friction block is left.

use crate::change::Change;
use crate::cone::{Cone, NO_FRICTION};
use crate::delassus::Delassus;
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, Inertia, RowBlock, RowBlocks};
use crate::report::Iterate;
use signorini_linalg::CscMatrix;
use std::ops::Range;

#[derive(Default)]
pub(crate) struct StandardForm {
    pub(crate) inertia: Inertia,
    pub(crate) linear: Vec<f64>,
    pub(crate) body_start: Vec<usize>,
    /// D: one block per cone of dimension 1, 2 or 3, or a rolling one of dimension 5.
    pub(crate) cones: Rows,
    /// C: bilateral blocks.
    pub(crate) free: Rows,
    /// Delassus matrix of a condensed problem, rows in the order cones, free.
    pub(crate) delassus: Option<CscMatrix>,
    /// Mean diagonal of N over each cone block: its velocity per impulse.
    pub(crate) cone_softness: Vec<f64>,
    /// Diagonal of N at each free row.
    pub(crate) free_softness: Vec<f64>,
    /// Problem column of each column kept.
    columns: Vec<usize>,
    touched: Touched,
    /// Velocities with no force acting: the answer of the bodies left out.
    free_motion: Vec<f64>,
    /// Row of a condensed problem by row of the problem, with its t; `LEFT_OUT` for those left out.
    placed: Vec<(usize, f64)>,
}

/// Rows of one kind.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) jacobian: RowBlocks,
    pub(crate) b: Vec<f64>,
    /// Diagonal compliance; empty when zero.
    pub(crate) e: Vec<f64>,
    /// Problem row of each row.
    origin: Vec<usize>,
    /// Diagonal of T: problem force = scaled force / t, problem velocity = t · scaled velocity.
    t: Vec<f64>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.b.len()
    }
    /// Whether E is zero on these rows.
    pub(crate) fn is_hard(&self) -> bool {
        self.e.is_empty()
    }
}

impl StandardForm {
    /// Becomes the form of a problem. Returns whether the pattern is that of the problem before, so that an elimination order
    /// and a symbolic analysis still fit; nothing is allocated then.
    pub(crate) fn update(&mut self, problem: &ConeProblem, delassus: &Delassus, change: Change) -> bool {
        let is_same = change != Change::Everything && self.refill(problem);
        if !is_same {
            self.rebuild(problem);
        }
        self.free_motion.clear();
        self.free_motion.extend_from_slice(delassus.free_motion());
        let Self { cones, free, cone_softness, free_softness, .. } = self;
        let diagonal = delassus.diagonal();
        let scaled = |rows: &Rows, row: usize| diagonal[rows.origin[row]] / (rows.t[row] * rows.t[row]);
        cone_softness.clear();
        cone_softness.extend((0..cones.jacobian.len()).map(|k| {
            let range = cones.jacobian.rows_of(k);
            let count = range.len() as f64;
            range.map(|row| scaled(cones, row)).sum::<f64>() / count
        }));
        free_softness.clear();
        free_softness.extend((0..free.len()).map(|row| scaled(free, row)));
        self.set_offset(delassus.offset());
        is_same
    }

    /// Makes everything anew.
    fn rebuild(&mut self, problem: &ConeProblem) {
        self.touched.update(problem);
        let (mut cones, mut free) = (Rows::default(), Rows::default());
        for (k, (rows, cone)) in problem.each_block().enumerate() {
            let kept = Kept { cone, count: rows.len() };
            match cone {
                Cone::Free => push_block(problem, &self.touched, k, 0..kept.len(), kept, &mut free),
                Cone::NonNegative => {
                    (0..rows.len()).for_each(|r| push_block(problem, &self.touched, k, r..r + 1, kept, &mut cones));
                }
                Cone::Friction { .. } | Cone::Rolling { .. } => {
                    push_block(problem, &self.touched, k, 0..kept.len(), kept, &mut cones);
                }
            }
        }
        (self.cones, self.free) = (cones, free);
        self.columns = (0..problem.velocities()).filter(|&column| self.touched.keep[column]).collect();
        self.body_start = vec![0];
        for body in problem.body_start().windows(2) {
            let end = self.columns.partition_point(|column| *column < body[1]);
            if self.body_start[self.body_start.len() - 1] < end {
                self.body_start.push(end);
            }
        }
        self.inertia = restricted(problem.inertia(), &self.columns, &self.body_start, &self.touched.renumbered);
        self.linear = self.columns.iter().map(|&column| problem.linear()[column]).collect();
        self.delassus = self.condensed_matrix(problem);
    }

    /// Takes over the numbers of a problem; false where its pattern is another: rows and columns that are zero are no part of it.
    fn refill(&mut self, problem: &ConeProblem) -> bool {
        if problem.is_condensed() != self.delassus.is_some() || !self.touched.is_same(problem) {
            return false;
        }
        let Self { cones, free, touched, .. } = self;
        let (mut next_cone, mut next_free) = (Cursor::default(), Cursor::default());
        for (k, (rows, cone)) in problem.each_block().enumerate() {
            let kept = Kept { cone, count: rows.len() };
            let fits = match cone {
                Cone::Free => refill_block(problem, touched, k, 0..kept.len(), kept, free, &mut next_free),
                Cone::NonNegative => {
                    (0..rows.len()).all(|r| refill_block(problem, touched, k, r..r + 1, kept, cones, &mut next_cone))
                }
                Cone::Friction { .. } | Cone::Rolling { .. } => {
                    refill_block(problem, touched, k, 0..kept.len(), kept, cones, &mut next_cone)
                }
            };
            if !fits {
                return false;
            }
        }
        let complete = next_cone.block == cones.jacobian.len() && next_free.block == free.jacobian.len();
        if !complete || !refill_inertia(problem.inertia(), &self.columns, &self.body_start, &mut self.inertia) {
            return false;
        }
        self.linear.iter_mut().zip(&self.columns).for_each(|(c, &column)| *c = problem.linear()[column]);
        self.refill_condensed(problem)
    }

    /// Notes where the rows kept of a condensed problem are: cones first.
    fn place_rows(&mut self, problem: &ConeProblem) {
        let Self { cones, free, placed, .. } = self;
        placed.clear();
        placed.resize(problem.row_count(), (LEFT_OUT, 1.0));
        let kept = cones.origin.iter().zip(&cones.t).chain(free.origin.iter().zip(&free.t));
        for (row, (&origin, &t)) in kept.enumerate() {
            placed[origin] = (row, t);
        }
    }

    /// T⁻¹ W T⁻¹ on the rows kept, ordered cones first.
    fn condensed_matrix(&mut self, problem: &ConeProblem) -> Option<CscMatrix> {
        let Compliance::Matrix(w) = problem.compliance() else { return None };
        self.place_rows(problem);
        let count = self.cones.len() + self.free.len();
        match CscMatrix::from_triplets(count, count, condensed_entries(w, &self.placed)) {
            Ok(matrix) => Some(matrix),
            Err(error) => unreachable!("rows were renumbered into 0..{count}, values come from a checked W: {error}"),
        }
    }

    /// Takes over the numbers of another W; false where its pattern is another.
    fn refill_condensed(&mut self, problem: &ConeProblem) -> bool {
        let Compliance::Matrix(w) = problem.compliance() else { return true };
        self.place_rows(problem);
        let Some(kept) = &mut self.delassus else { return false };
        let mut count = 0;
        for (row, column, value) in condensed_entries(w, &self.placed) {
            let Some(at) = kept.position(row, column) else { return false };
            kept.values_mut()[at] = value;
            count += 1;
        }
        count == kept.nnz()
    }

    pub(crate) fn velocities(&self) -> usize {
        self.linear.len()
    }

    /// Replaces b by the offsets given in the rows of the problem.
    pub(crate) fn set_offset(&mut self, offset: &[f64]) {
        for rows in [&mut self.cones, &mut self.free] {
            for ((b, &origin), t) in rows.b.iter_mut().zip(&rows.origin).zip(&rows.t) {
                *b = offset[origin] / t;
            }
        }
    }

    /// Writes an iterate in the rows and columns of the problem.
    pub(crate) fn export(&self, v: &[f64], gamma: &[f64], lambda: &[f64], out: &mut Iterate) {
        out.velocity.copy_from_slice(&self.free_motion);
        for (&column, v) in self.columns.iter().zip(v) {
            out.velocity[column] = *v;
        }
        out.impulse.fill(0.0);
        for (row, (&origin, t)) in self.cones.origin.iter().zip(&self.cones.t).enumerate() {
            out.impulse[origin] = lambda[row] / t;
        }
        for (row, &origin) in self.free.origin.iter().enumerate() {
            out.impulse[origin] = gamma[row];
        }
    }

    /// Reads velocities and impulses of the problem into this form.
    pub(crate) fn import(&self, from: &Iterate, v: &mut [f64], gamma: &mut [f64], lambda: &mut [f64]) {
        v.iter_mut().zip(&self.columns).for_each(|(v, &column)| *v = from.velocity[column]);
        for (row, (&origin, t)) in self.cones.origin.iter().zip(&self.cones.t).enumerate() {
            lambda[row] = from.impulse[origin] * t;
        }
        gamma.iter_mut().zip(&self.free.origin).for_each(|(gamma, &origin)| *gamma = from.impulse[origin]);
    }

    /// `out = H v + c − Cᵀγ − Dᵀλ`.
    pub(crate) fn dual_residual(&self, v: &[f64], gamma: &[f64], lambda: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.linear);
        self.inertia.mul_add(1.0, v, out);
        self.free.jacobian.mul_transpose_add(-1.0, gamma, out);
        self.cones.jacobian.mul_transpose_add(-1.0, lambda, out);
    }

    /// Relative velocities: `cone = D v − b + E λ`, `free = C v − b_γ + E_γ γ`.
    pub(crate) fn relative_velocity(
        &self,
        v: &[f64],
        gamma: &[f64],
        lambda: &[f64],
        cone: &mut [f64],
        free: &mut [f64],
    ) {
        self.rates(v, gamma, lambda, cone, free);
        cone.iter_mut().zip(&self.cones.b).for_each(|(y, b)| *y -= b);
        free.iter_mut().zip(&self.free.b).for_each(|(y, b)| *y -= b);
    }

    /// The linear part of [`StandardForm::relative_velocity`].
    pub(crate) fn rates(&self, v: &[f64], gamma: &[f64], lambda: &[f64], cone: &mut [f64], free: &mut [f64]) {
        self.cones.jacobian.mul(v, cone);
        self.free.jacobian.mul(v, free);
        cone.iter_mut().zip(&self.cones.e).zip(lambda).for_each(|((y, e), l)| *y += e * l);
        free.iter_mut().zip(&self.free.e).zip(gamma).for_each(|((y, e), l)| *y += e * l);
        if let Some(w) = &self.delassus {
            let split = lambda.len();
            for column in 0..w.ncols() {
                let force = if column < split { lambda[column] } else { gamma[column - split] };
                let (rows, values) = w.col(column);
                for (&row, value) in rows.iter().zip(values) {
                    let out = if row < split { &mut cone[row] } else { &mut free[row - split] };
                    *out += value * force;
                }
            }
        }
    }
}

/// The velocities that rows touch, directly or through H, renumbered. The rotation of a frictionless sphere is not among
/// them, which makes its body three times cheaper to eliminate.
#[derive(Default)]
struct Touched {
    keep: Vec<bool>,
    /// New column of each problem column; `LEFT_OUT` for those left out.
    renumbered: Vec<usize>,
    /// Room for looking again.
    again: Vec<bool>,
    waiting: Vec<usize>,
}

const LEFT_OUT: usize = usize::MAX;

/// The rows of a block that carry force, counted from its first, each with its entry of T.
#[derive(Clone, Copy)]
struct Kept {
    cone: Cone,
    /// Rows of the block.
    count: usize,
}

impl Kept {
    fn len(self) -> usize {
        match self.cone {
            Cone::Free | Cone::NonNegative => self.count,
            Cone::Friction { mu } => {
                if has_friction(mu) {
                    self.count
                } else {
                    1
                }
            }
            Cone::Rolling { mu, .. } => match (has_friction(mu), rolls(self.cone)) {
                (true, true) => 5,
                (false, false) => 1,
                _ => 3,
            },
        }
    }
    fn get(self, i: usize) -> (usize, f64) {
        match self.cone {
            Cone::Free | Cone::NonNegative => (i, 1.0),
            Cone::Friction { mu } if has_friction(mu) => (i, if i == 0 { mu } else { 1.0 }),
            Cone::Rolling { mu, mu_r } if rolls(self.cone) => match (has_friction(mu), i) {
                (true, 0) => (0, mu),
                (true, 1 | 2) => (i, 1.0),
                (true, _) => (i, mu / mu_r),
                (false, 0) => (0, mu_r),
                (false, _) => (i + 2, 1.0),
            },
            Cone::Rolling { mu, .. } if has_friction(mu) => (i, if i == 0 { mu } else { 1.0 }),
            Cone::Friction { .. } | Cone::Rolling { .. } => (0, 1.0),
        }
    }
}

fn has_friction(mu: f64) -> bool {
    mu > NO_FRICTION
}

/// Whether the block resists rolling.
fn rolls(cone: Cone) -> bool {
    matches!(cone, Cone::Rolling { mu_r, .. } if mu_r > NO_FRICTION)
}

impl Touched {
    fn update(&mut self, problem: &ConeProblem) {
        mark(problem, &mut self.keep, &mut self.waiting);
        self.renumbered.clear();
        let mut next = 0;
        for &keep in &self.keep {
            self.renumbered.push(if keep { next } else { LEFT_OUT });
            next += usize::from(keep);
        }
    }

    /// Whether rows of a problem touch the same velocities.
    fn is_same(&mut self, problem: &ConeProblem) -> bool {
        mark(problem, &mut self.again, &mut self.waiting);
        self.again == self.keep
    }
}

/// Marks the velocities that rows touch, directly or through H.
fn mark(problem: &ConeProblem, keep: &mut Vec<bool>, waiting: &mut Vec<usize>) {
    keep.clear();
    keep.resize(problem.velocities(), false);
    for (k, (rows, cone)) in problem.each_block().enumerate() {
        let block = problem.rows().block(k);
        let kept = Kept { cone, count: rows.len() };
        for (at, &column) in block.columns.iter().enumerate() {
            keep[column] |= (0..kept.len()).any(|i| block.row(kept.get(i).0)[at] != 0.0);
        }
    }
    spread(problem.inertia(), keep, waiting);
}

/// H on the velocities kept.
fn restricted(inertia: &Inertia, columns: &[usize], body_start: &[usize], renumbered: &[usize]) -> Inertia {
    match inertia {
        Inertia::BlockDiagonal(blocks) => {
            let mut kept = BlockDiagonal::new();
            let mut entries = Vec::new();
            for body in body_start.windows(2) {
                let columns = &columns[body[0]..body[1]];
                entries.clear();
                entries.extend(restricted_block(blocks, columns));
                kept.push(columns.len(), &entries);
            }
            Inertia::BlockDiagonal(kept)
        }
        Inertia::Sparse(matrix) => {
            let n = columns.len();
            if n == matrix.nrows() {
                return Inertia::sparse(matrix.matrix().clone());
            }
            let triplets = matrix
                .triplets()
                .map(|(row, column, value)| (renumbered[row], renumbered[column], value))
                .filter(|&(row, column, _)| row != LEFT_OUT && column != LEFT_OUT);
            match CscMatrix::from_triplets(n, n, triplets) {
                Ok(matrix) => Inertia::sparse(matrix),
                Err(error) => {
                    unreachable!("indices were renumbered into 0..{n}, values come from a checked H: {error}")
                }
            }
        }
    }
}

/// Entries of the part of a body's block on some of its columns, row-major.
fn restricted_block<'a>(blocks: &'a BlockDiagonal, columns: &'a [usize]) -> impl Iterator<Item = f64> + 'a {
    let index = blocks.start().partition_point(|start| *start <= columns[0]) - 1;
    let (first, width) = (blocks.start()[index], blocks.rows_of(index).len());
    let block = blocks.block(index);
    columns.iter().flat_map(move |row| columns.iter().map(move |column| block[(row - first) * width + column - first]))
}

/// Takes over the numbers of another H on the velocities kept; false where its pattern is another.
fn refill_inertia(inertia: &Inertia, columns: &[usize], body_start: &[usize], kept: &mut Inertia) -> bool {
    match (inertia, kept) {
        (Inertia::BlockDiagonal(blocks), Inertia::BlockDiagonal(kept)) => {
            let mut values = kept.values_mut().iter_mut();
            for body in body_start.windows(2) {
                let entries = restricted_block(blocks, &columns[body[0]..body[1]]);
                entries.zip(&mut values).for_each(|(entry, value)| *value = entry);
            }
            true
        }
        (Inertia::Sparse(matrix), Inertia::Sparse(kept)) => {
            columns.len() == matrix.nrows() && kept.copy_values(matrix.matrix())
        }
        _ => false,
    }
}

/// Marks every velocity that H couples, through any chain of entries, to one already marked.
fn spread(inertia: &Inertia, marked: &mut [bool], waiting: &mut Vec<usize>) {
    waiting.clear();
    match inertia {
        Inertia::BlockDiagonal(blocks) => {
            for body in 0..blocks.len() {
                let (first, n) = (blocks.rows_of(body).start, blocks.rows_of(body).len());
                let block = blocks.block(body);
                waiting.extend((first..first + n).filter(|&i| marked[i]));
                while let Some(i) = waiting.pop() {
                    for j in (0..n).filter(|j| block[(i - first) * n + j] != 0.0) {
                        if !std::mem::replace(&mut marked[first + j], true) {
                            waiting.push(first + j);
                        }
                    }
                }
            }
        }
        Inertia::Sparse(matrix) => {
            waiting.extend((0..matrix.nrows()).filter(|&i| marked[i]));
            while let Some(i) = waiting.pop() {
                let (rows, values) = matrix.col(i);
                for (&j, _) in rows.iter().zip(values).filter(|(_, value)| **value != 0.0) {
                    if !std::mem::replace(&mut marked[j], true) {
                        waiting.push(j);
                    }
                }
            }
        }
    }
}

/// Appends the rows `range` of those kept of problem block `k`, each scaled by its 1/t.
fn push_block(problem: &ConeProblem, touched: &Touched, k: usize, range: Range<usize>, kept: Kept, out: &mut Rows) {
    let block = problem.rows().block(k);
    let first = problem.rows().rows_of(k).start;
    let used: Vec<usize> = used_columns(&block, range.clone(), kept).collect();
    let columns: Vec<usize> = used.iter().map(|&at| touched.renumbered[block.columns[at]]).collect();
    let mut values = Vec::with_capacity(range.len() * columns.len());
    for (row, t) in range.clone().map(|i| kept.get(i)) {
        values.extend(used.iter().map(|&at| block.row(row)[at] / t));
        out.b.push(0.0);
        out.origin.push(first + row);
        out.t.push(t);
        if let Compliance::Diagonal(e) = problem.compliance() {
            out.e.push(e[first + row] / (t * t));
        }
    }
    out.jacobian.push_dense(&columns, range.len(), &values);
}

/// Columns in which some of these rows are not zero, by their place in the block: a frictionless row does not turn a sphere.
fn used_columns<'a>(block: &'a RowBlock<'a>, range: Range<usize>, kept: Kept) -> impl Iterator<Item = usize> + 'a {
    (0..block.columns.len()).filter(move |&at| range.clone().any(|i| block.row(kept.get(i).0)[at] != 0.0))
}

/// Where the next block goes.
#[derive(Default)]
struct Cursor {
    block: usize,
    row: usize,
}

/// Writes what [`push_block`] would append over the block at the cursor; false where its rows or columns are others.
fn refill_block(
    problem: &ConeProblem,
    touched: &Touched,
    k: usize,
    range: Range<usize>,
    kept: Kept,
    out: &mut Rows,
    at: &mut Cursor,
) -> bool {
    if at.block >= out.jacobian.len() || out.jacobian.rows_of(at.block).len() != range.len() {
        return false;
    }
    let is_soft = matches!(problem.compliance(), Compliance::Diagonal(_));
    let block = problem.rows().block(k);
    let columns = out.jacobian.block(at.block).columns;
    let used = used_columns(&block, range.clone(), kept).map(|place| touched.renumbered[block.columns[place]]);
    if is_soft == out.e.is_empty() || !used.eq(columns.iter().copied()) {
        return false;
    }
    let (width, first) = (columns.len(), problem.rows().rows_of(k).start);
    let start = out.jacobian.value_start()[at.block];
    for (r, (row, t)) in range.clone().map(|i| kept.get(i)).enumerate() {
        let values = &mut out.jacobian.values_mut()[start + r * width..][..width];
        let line = block.row(row);
        for (value, place) in values.iter_mut().zip(used_columns(&block, range.clone(), kept)) {
            *value = line[place] / t;
        }
        (out.origin[at.row + r], out.t[at.row + r]) = (first + row, t);
        if let Compliance::Diagonal(e) = problem.compliance() {
            out.e[at.row + r] = e[first + row] / (t * t);
        }
    }
    at.block += 1;
    at.row += range.len();
    true
}

/// Entries of T⁻¹ W T⁻¹ on the rows kept.
fn condensed_entries<'a>(
    w: &'a CscMatrix,
    placed: &'a [(usize, f64)],
) -> impl Iterator<Item = (usize, usize, f64)> + Clone + 'a {
    w.triplets().filter_map(|(row, column, value)| {
        let ((r, tr), (c, tc)) = (placed[row], placed[column]);
        (r != LEFT_OUT && c != LEFT_OUT).then(|| (r, c, value / (tr * tc)))
    })
}
