//! v = H⁻¹ p in the order of the dual problem.

use super::cells::Shared;
use super::layout::{Body, Layout};
use crate::SolveError;
use crate::delassus::{Delassus, is_diagonal};
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, InertiaInverse};
use rayon::prelude::*;
use signorini_linalg::Halves;
use signorini_linalg::{CscMatrix, Reach, Sides, SolveSpace, SparseFactor, Threads};
use std::sync::Arc;

/// H⁻¹ as an operation.
pub(super) enum Response {
    /// Bodies with masses and principal inertias: one number a velocity.
    Diagonal(Vec<f64>),
    /// Dense inverses of the blocks.
    Blocks { start: Vec<usize>, value_start: Vec<usize>, values: Vec<f64> },
    /// A factor of the sparse matrix H; `columns` are the problem velocities of ours, `None` for soft rows.
    /// Solves visit the part of the elimination tree that rows of J touch.
    Sparse {
        factor: Arc<SparseFactor>,
        space: SolveSpace,
        columns: Vec<Option<usize>>,
        soft: Vec<f64>,
        work: Vec<f64>,
        room: Box<SparseRoom>,
    },
    /// Velocities per impulse given as a symmetric matrix.
    Matrix(CscMatrix),
}

/// Room for several right sides with a sparse H, kept for the next ones.
pub(super) struct SparseRoom {
    /// For any velocities that rows of J touch.
    many: SolveSpace,
    /// For those of one block.
    near: SolveSpace,
    sides: Sides,
}

/// Bodies whose inverses one task copies.
const BODIES: usize = 1024;
/// Velocities handled by one task; fixed, so that results do not depend on the number of threads.
const CHUNK: usize = 8192;
/// Smaller products are not worth a second thread.
const THREADS_FROM: usize = 16384;

impl Response {
    /// No bodies.
    pub(super) fn empty() -> Self {
        Self::Diagonal(Vec::new())
    }

    /// Becomes the response of a problem in its layout, in the memory it has where that fits.
    pub(super) fn update(
        &mut self,
        problem: &ConeProblem,
        delassus: &Delassus,
        layout: &Layout,
        threads: Threads,
    ) -> Result<(), SolveError> {
        if let Compliance::Matrix(matrix) = problem.compliance() {
            if self.refill_matrix(matrix, &layout.row_origin) {
                return Ok(());
            }
            let mut rank = vec![0; problem.row_count()];
            layout.row_origin.iter().enumerate().for_each(|(new, &old)| rank[old] = new);
            let triplets = matrix.triplets().map(|(row, column, value)| (rank[row], rank[column], value));
            let m = layout.row_origin.len();
            *self = CscMatrix::from_triplets(m, m, triplets).map(Self::Matrix).map_err(|_| SolveError::Memory)?;
            return Ok(());
        }
        match delassus.inverse_ref() {
            InertiaInverse::Sparse { factor, .. } => self.update_sparse(problem, factor, layout),
            InertiaInverse::BlockDiagonal(_) if layout.keeps_bodies() && !delassus.reciprocal().is_empty() => {
                self.copy_diagonal(delassus.reciprocal(), layout);
            }
            InertiaInverse::BlockDiagonal(inverse) => self.update_blocks(inverse, layout, threads),
        }
        Ok(())
    }

    /// Takes over the numbers of a matrix in the rows of the problem; false where its pattern is another.
    fn refill_matrix(&mut self, given: &CscMatrix, row_origin: &[usize]) -> bool {
        let Self::Matrix(own) = self else { return false };
        if own.nnz() != given.nnz() || own.nrows() != row_origin.len() {
            return false;
        }
        for (new, &old) in row_origin.iter().enumerate() {
            for at in own.col_ptr()[new]..own.col_ptr()[new + 1] {
                let Some(place) = given.position(row_origin[own.row_idx()[at]], old) else { return false };
                own.values_mut()[at] = given.values()[place];
            }
        }
        true
    }

    fn update_sparse(&mut self, problem: &ConeProblem, with: &Arc<SparseFactor>, layout: &Layout) {
        let mut columns = vec![None; layout.columns()];
        for old in 0..problem.velocities() {
            if let Some(new) = layout.column(old) {
                columns[new] = Some(old);
            }
        }
        let mut soft = vec![0.0; layout.columns()];
        for (body, start) in layout.bodies.iter().zip(&layout.body_start) {
            if let Body::Soft(e) = body {
                soft[*start] = *e;
            }
        }
        let reach = Reach::of(with.analysis(), columns.iter().copied().flatten());
        let space = SolveSpace::new(reach.into(), 1);
        let many = SolveSpace::new(space.reach().clone(), 0);
        let room = Box::new(SparseRoom { many, near: SolveSpace::default(), sides: Sides::default() });
        let work = vec![0.0; problem.velocities()];
        *self = Self::Sparse { factor: with.clone(), space, columns, soft, work, room };
    }

    /// Takes over the factor of another H of the same pattern; false where there is none.
    pub(super) fn renew_sparse(&mut self, with: &Arc<SparseFactor>, layout: &Layout) -> bool {
        let Self::Sparse { factor, soft, .. } = self else { return false };
        if !Arc::ptr_eq(with.analysis(), factor.analysis()) {
            return false;
        }
        *factor = with.clone();
        for (body, start) in layout.bodies.iter().zip(&layout.body_start) {
            if let Body::Soft(e) = body {
                soft[*start] = *e;
            }
        }
        true
    }

    /// Masses and principal inertias of bodies in the order of the problem, then soft rows.
    fn copy_diagonal(&mut self, reciprocal: &[f64], layout: &Layout) {
        if !matches!(self, Self::Diagonal(_)) {
            *self = Self::empty();
        }
        let Self::Diagonal(values) = self else { return };
        values.clear();
        values.extend_from_slice(reciprocal);
        let soft = |body: &Body| if let Body::Soft(e) = body { Some(*e) } else { None };
        values.extend(layout.bodies.iter().rev().map_while(soft));
        values[reciprocal.len()..].reverse();
    }

    fn update_blocks(&mut self, inverse: &BlockDiagonal, layout: &Layout, threads: Threads) {
        let halves = Halves::new(BODIES, threads);
        let entries = |body: &Body, out: &mut [f64]| match body {
            Body::Given(index) => out.copy_from_slice(inverse.block(*index)),
            Body::Soft(e) => out[0] = *e,
        };
        let diagonal = |body: &Body| match body {
            Body::Given(index) => is_diagonal(inverse.block(*index), inverse.rows_of(*index).len()),
            Body::Soft(_) => true,
        };
        if layout.bodies.iter().all(diagonal) {
            if !matches!(self, Self::Diagonal(_)) {
                *self = Self::empty();
            }
            let Self::Diagonal(values) = self else { return };
            values.resize(layout.columns(), 0.0);
            halves.parts(&layout.body_start, values, &|body, out| match &layout.bodies[body] {
                Body::Given(index) => {
                    let (block, n) = (inverse.block(*index), out.len());
                    out.iter_mut().enumerate().for_each(|(i, out)| *out = block[i * (n + 1)]);
                }
                Body::Soft(e) => out[0] = *e,
            });
            return;
        }
        if !matches!(self, Self::Blocks { .. }) {
            *self = Self::Blocks { start: Vec::new(), value_start: Vec::new(), values: Vec::new() };
        }
        let Self::Blocks { start, value_start, values } = self else { return };
        start.clone_from(&layout.body_start);
        value_start.clear();
        value_start.push(0);
        let mut end = 0;
        for rows in start.windows(2) {
            end += (rows[1] - rows[0]).pow(2);
            value_start.push(end);
        }
        values.resize(end, 0.0);
        halves.parts(value_start, values, &|body, out| entries(&layout.bodies[body], out));
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Diagonal(values) | Self::Blocks { values, .. } => 8 * values.len(),
            Self::Sparse { space, .. } => 16 * space.reach().entries(),
            Self::Matrix(matrix) => 16 * matrix.nnz(),
        }
    }

    /// Whether H is a sparse matrix.
    pub(super) fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse { .. })
    }
    /// Entries of the factor that one triangular solve reads.
    pub(super) fn factor_entries(&self) -> usize {
        if let Self::Sparse { space, .. } = self { space.reach().entries() } else { 0 }
    }
    /// `found(side, H⁻¹p)` for every list p of (velocity, momentum), several at a time, where `is_sparse`.
    pub(super) fn solve_many(
        &mut self,
        momenta: &Sides,
        threads: Threads,
        v: &mut [f64],
        mut found: impl FnMut(usize, &[f64]),
    ) {
        let Self::Sparse { factor, columns, soft, room, .. } = self else { return };
        let SparseRoom { many, sides, .. } = &mut **room;
        given(momenta, columns, sides);
        many.resize(momenta.len().max(1));
        factor.solve_many(sides, many, threads, |side, value| {
            v.iter_mut().zip(&*columns).for_each(|(v, column)| *v = column.map_or(0.0, value));
            let soft_rows = momenta.side(side).iter().filter(|(at, _)| columns[*at].is_none());
            soft_rows.for_each(|&(at, p)| v[at] = soft[at] * p);
            found(side, v);
        });
    }
    /// pᵢᵀH⁻¹pⱼ of some momenta, row-major, where `is_sparse`; into the memory `out` has.
    pub(super) fn gram(&mut self, momenta: &Sides, out: &mut Vec<f64>) {
        out.clear();
        let Self::Sparse { factor, columns, soft, room, .. } = self else { return };
        let SparseRoom { near, sides, .. } = &mut **room;
        given(momenta, columns, sides);
        near.reset(factor.analysis(), sides.entries().iter().map(|&(column, _)| column), sides.len().max(1));
        factor.gram(sides, near, out);
        let all = || (0..momenta.len()).map(|side| momenta.side(side)).enumerate();
        for (i, a) in all() {
            for (j, b) in all() {
                for &(at, p) in a.iter().filter(|(at, _)| columns[*at].is_none()) {
                    let other: f64 = b.iter().filter(|(other, _)| *other == at).map(|(_, p)| p).sum();
                    out[i * momenta.len() + j] += p * soft[at] * other;
                }
            }
        }
    }

    /// Whether a momentum moves its own body only.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Diagonal(_) | Self::Blocks { .. })
    }
    /// The matrix of a condensed problem.
    pub(super) fn matrix(&self) -> Option<&CscMatrix> {
        if let Self::Matrix(matrix) = self { Some(matrix) } else { None }
    }
    /// `v = H⁻¹ p` on the bodies that own the velocities `near`, where `is_local`.
    pub(super) fn apply_near(&self, near: impl Iterator<Item = (usize, usize)>, p: &[f64], v: &mut [f64]) {
        match self {
            Self::Diagonal(inverse) => {
                for (first, count) in near {
                    (first..first + count).for_each(|i| v[i] = inverse[i] * p[i]);
                }
            }
            Self::Blocks { start, value_start, values } => {
                each_body(start, near, |body| {
                    let rows = start[body]..start[body + 1];
                    let block = &values[value_start[body]..value_start[body + 1]];
                    for (line, row) in block.chunks_exact(rows.len().max(1)).zip(rows.clone()) {
                        v[row] = line.iter().zip(&p[rows.clone()]).map(|(h, p)| h * p).sum();
                    }
                });
            }
            Self::Sparse { .. } | Self::Matrix(_) => {}
        }
    }
    /// `v += H⁻¹ p` for momenta p of the velocities `first..` of one body, where `is_local`.
    #[inline(always)]
    pub(super) fn kick<const N: usize>(&self, body: usize, first: usize, p: &[f64; N], v: &[Shared]) {
        match self {
            Self::Diagonal(inverse) => {
                let (inverse, v) = (&inverse[first..first + N], &v[first..first + N]);
                (0..N).for_each(|i| v[i].set(v[i].get() + inverse[i] * p[i]));
            }
            Self::Blocks { start, value_start, values } => {
                let v = &v[start[body]..start[body + 1]];
                // Symmetric: column i is row i.
                let lines = values[value_start[body]..value_start[body + 1]].chunks_exact(v.len().max(1));
                for (line, p) in lines.skip(first - start[body]).zip(p) {
                    v.iter().zip(line).for_each(|(v, h)| v.set(v.get() + h * p));
                }
            }
            Self::Sparse { .. } | Self::Matrix(_) => {}
        }
    }
    /// Whether six neighbouring momenta of a body move nothing but their own six velocities.
    #[inline(always)]
    pub(super) fn is_rigid(&self, body: usize) -> bool {
        match self {
            Self::Diagonal(_) => true,
            Self::Blocks { start, .. } => start[body + 1] - start[body] == 6,
            Self::Sparse { .. } | Self::Matrix(_) => false,
        }
    }
    /// H⁻¹p for the momentum of one rigid body, whose velocities begin at `first`, where `is_local`.
    #[inline(always)]
    pub(super) fn of_rigid_body(&self, body: usize, first: usize, p: &[f64; 6]) -> [f64; 6] {
        let mut v = [0.0; 6];
        match self {
            Self::Diagonal(inverse) => {
                let inverse = &inverse[first..first + 6];
                (0..6).for_each(|i| v[i] = inverse[i] * p[i]);
            }
            Self::Blocks { value_start, values, .. } => {
                let lines = values[value_start[body]..value_start[body + 1]].as_chunks::<6>().0;
                v.iter_mut().zip(lines).for_each(|(v, line)| *v = (0..6).map(|i| line[i] * p[i]).sum());
            }
            Self::Sparse { .. } | Self::Matrix(_) => {}
        }
        v
    }
    /// aᵀH⁻¹b for momenta of the velocities of one body that begin at the places given, where `is_local`.
    #[inline]
    pub(super) fn energy(&self, body: usize, (first, a): (usize, &[f64]), (second, b): (usize, &[f64])) -> f64 {
        match self {
            Self::Diagonal(inverse) => {
                if first != second {
                    return 0.0;
                }
                a.iter().zip(b).zip(&inverse[first..]).map(|((a, b), h)| a * h * b).sum()
            }
            Self::Blocks { start, value_start, values } => {
                let (origin, n) = (start[body], start[body + 1] - start[body]);
                let block = &values[value_start[body]..value_start[body + 1]];
                let row = |i: usize| &block[(first + i - origin) * n + second - origin..][..b.len()];
                a.iter().enumerate().map(|(i, a)| a * row(i).iter().zip(b).map(|(h, b)| h * b).sum::<f64>()).sum()
            }
            Self::Sparse { .. } | Self::Matrix(_) => 0.0,
        }
    }
    /// Sets v to zero on the bodies that own the velocities `near`.
    pub(super) fn clear_near(&self, near: impl Iterator<Item = (usize, usize)>, v: &mut [f64]) {
        match self {
            Self::Blocks { start, .. } => each_body(start, near, |body| v[start[body]..start[body + 1]].fill(0.0)),
            _ => near.for_each(|(first, count)| v[first..first + count].fill(0.0)),
        }
    }

    /// `v = H⁻¹ p` on whole bodies, the velocities `columns`, where `is_local`.
    pub(super) fn apply_to(&self, columns: std::ops::Range<usize>, p: &[f64], v: &mut [f64]) {
        match self {
            Self::Diagonal(inverse) => {
                v.iter_mut().zip(p).zip(&inverse[columns]).for_each(|((v, p), h)| *v = h * p);
            }
            Self::Blocks { start, value_start, values } => {
                let first = start.partition_point(|start| *start < columns.start);
                let end = start.partition_point(|start| *start < columns.end);
                for (rows, at) in start[first..=end].windows(2).zip(value_start[first..=end].windows(2)) {
                    let body = rows[0] - columns.start..rows[1] - columns.start;
                    let p = &p[body.clone()];
                    for (line, v) in values[at[0]..at[1]].chunks_exact(p.len().max(1)).zip(&mut v[body]) {
                        *v = line.iter().zip(p).map(|(h, p)| h * p).sum();
                    }
                }
            }
            Self::Sparse { .. } | Self::Matrix(_) => {}
        }
    }

    /// `v = H⁻¹ p`.
    pub(super) fn apply(&mut self, p: &[f64], v: &mut [f64], threads: Threads) {
        let parallel = threads == Threads::Pool && v.len() >= THREADS_FROM;
        match self {
            Self::Diagonal(inverse) => {
                let multiply = |at: usize, v: &mut [f64]| {
                    let range = at * CHUNK..at * CHUNK + v.len();
                    for ((v, p), h) in v.iter_mut().zip(&p[range.clone()]).zip(&inverse[range]) {
                        *v = h * p;
                    }
                };
                match parallel {
                    true => v.par_chunks_mut(CHUNK).enumerate().for_each(|(at, v)| multiply(at, v)),
                    false => v.chunks_mut(CHUNK).enumerate().for_each(|(at, v)| multiply(at, v)),
                }
            }
            Self::Blocks { start, value_start, values } => {
                blocks(start, value_start, values, p, v, parallel);
            }
            Self::Sparse { factor, space, columns, soft, work, .. } => {
                for (p, column) in p.iter().zip(&*columns) {
                    if let Some(column) = column {
                        work[*column] = *p;
                    }
                }
                factor.solve_by(work, space, threads);
                for (row, v) in v.iter_mut().enumerate() {
                    *v = columns[row].map_or(soft[row] * p[row], |column| work[column]);
                }
            }
            Self::Matrix(matrix) => {
                // Symmetric: row i is column i.
                let product = |row: usize| {
                    let (columns, values) = matrix.col(row);
                    columns.iter().zip(values).map(|(&column, value)| value * p[column]).sum()
                };
                match parallel || (threads == Threads::Pool && matrix.nnz() >= 8 * THREADS_FROM) {
                    true => v.par_chunks_mut(CHUNK / 8).enumerate().for_each(|(at, v)| {
                        v.iter_mut().enumerate().for_each(|(i, v)| *v = product(at * (CHUNK / 8) + i));
                    }),
                    false => v.iter_mut().enumerate().for_each(|(row, v)| *v = product(row)),
                }
            }
        }
    }
}

/// Momenta in the velocities of the problem, those of soft rows left out.
fn given(momenta: &Sides, columns: &[Option<usize>], out: &mut Sides) {
    out.clear();
    for side in 0..momenta.len() {
        out.push(momenta.side(side).iter().filter_map(|&(at, p)| Some((columns[at]?, p))));
    }
}

/// Bodies that own the velocities `near`; a run stays within one body.
fn each_body(start: &[usize], near: impl Iterator<Item = (usize, usize)>, mut work: impl FnMut(usize)) {
    near.for_each(|(first, _)| work(start.partition_point(|start| *start <= first) - 1));
}

/// Dense blocks `start` (a window of them; `v` begins at its first row), halved until a task is small.
fn blocks(start: &[usize], value_start: &[usize], values: &[f64], p: &[f64], v: &mut [f64], fork: bool) {
    let count = start.len() - 1;
    if fork && v.len() > CHUNK && count > 1 {
        let mid = count / 2;
        let (left, right) = v.split_at_mut(start[mid] - start[0]);
        rayon::join(
            || blocks(&start[..=mid], &value_start[..=mid], values, p, left, fork),
            || blocks(&start[mid..], &value_start[mid..], values, p, right, fork),
        );
        return;
    }
    for (rows, at) in start.windows(2).zip(value_start.windows(2)) {
        let p = &p[rows[0]..rows[1]];
        let v = &mut v[rows[0] - start[0]..rows[1] - start[0]];
        for (line, v) in values[at[0]..at[1]].chunks_exact(p.len().max(1)).zip(v) {
            *v = line.iter().zip(p).map(|(h, p)| h * p).sum();
        }
    }
}
