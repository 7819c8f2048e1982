//! The Delassus operator N = J H⁻¹ Jᵀ + E, applied without being formed, and what follows from its diagonal.

mod sparse_diagonal;

use crate::SolveError;
use crate::change::Change;
use crate::parallel::Halves;
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, InertiaInverse};
use signorini_linalg::Threads;

/// N·x, the free relative velocity r, and the diagonal of N. It keeps numbers and buffers, not the problem: whoever calls it
/// hands in the problem it was last updated for.
pub struct Delassus {
    inverse: InertiaInverse,
    free_motion: Vec<f64>,
    free_velocity: Vec<f64>,
    /// b, less the relative velocity added by [`Delassus::set_extra`].
    offset: Vec<f64>,
    diagonal: Vec<f64>,
    /// Body of every velocity.
    body_of: Vec<u32>,
    /// Bodies with masses and principal inertias: one number per velocity.
    has_diagonal: Vec<bool>,
    scratch: [Vec<f64>; 2],
    threads: Threads,
}

/// Blocks of rows one task works on: some 20 µs.
const BLOCKS: usize = 512;

impl Delassus {
    /// Factorises H and computes r = −J H⁻¹ c − b and the diagonal of N.
    ///
    /// # Errors
    /// Never for a problem made by its builder, which has checked H.
    pub fn new(problem: &ConeProblem) -> Result<Self, SolveError> {
        let mut this = Self::empty();
        this.update(problem, Change::Everything, Threads::Pool)?;
        Ok(this)
    }

    /// The operator of no problem yet.
    pub(crate) fn empty() -> Self {
        Self {
            inverse: InertiaInverse::BlockDiagonal(BlockDiagonal::new()),
            free_motion: Vec::new(),
            free_velocity: Vec::new(),
            offset: Vec::new(),
            diagonal: Vec::new(),
            body_of: Vec::new(),
            has_diagonal: Vec::new(),
            scratch: Default::default(),
            threads: Threads::One,
        }
    }

    /// Becomes the operator of a problem, in the memory it has.
    pub(crate) fn update(&mut self, problem: &ConeProblem, change: Change, threads: Threads) -> Result<(), SolveError> {
        let (n, m) = (problem.velocities(), problem.row_count());
        self.threads = threads;
        if change == Change::Everything {
            body_of_velocities(problem.body_start(), &mut self.body_of);
            self.free_motion.resize(n, 0.0);
            self.free_velocity.resize(m, 0.0);
            self.diagonal.resize(m, 0.0);
            self.scratch.iter_mut().for_each(|buffer| buffer.resize(n, 0.0));
        }
        if change != Change::OffsetOnly {
            self.inverse.update(problem.inertia(), threads).map_err(|broken| problem.indefinite(broken))?;
            let momentum = &mut self.scratch[0];
            momentum.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m = -c);
            self.inverse.apply(momentum, &mut self.free_motion);
            self.update_diagonal(problem);
        }
        self.offset.clear();
        self.offset.extend_from_slice(problem.offset());
        let (motion, offset, rows) = (&self.free_motion, &self.offset, problem.rows());
        Halves::new(BLOCKS, threads).parts(rows.row_start(), &mut self.free_velocity, &|k, out| {
            let block = rows.block(k);
            block.rates(motion, out);
            out.iter_mut().zip(&offset[rows.rows_of(k)]).for_each(|(u, b)| *u -= b);
        });
        Ok(())
    }

    /// r: the relative velocity with no constraint force acting, in m/s.
    #[must_use]
    pub fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
    /// b of y = Jv − b + Eg.
    #[must_use]
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }
    /// Adds a relative velocity to every row, in place of the one added before: b ← b − extra, r ← r + extra.
    pub(crate) fn set_extra(&mut self, problem: &ConeProblem, extra: &[f64]) {
        for (row, (b, r)) in self.offset.iter_mut().zip(&mut self.free_velocity).enumerate() {
            let new = problem.offset()[row] - extra[row];
            *r += *b - new;
            *b = new;
        }
    }
    /// Diagonal of N, one entry per row. With a sparse H and many rows it is estimated from a fixed sample of them, the same
    /// for all methods (docs, Solvers: the diagonal of N with finite elements).
    #[must_use]
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }
    /// ρ = 1/mean(diag N): the step of the natural map every method reports (THEORY §10).
    #[must_use]
    pub fn step(&self) -> f64 {
        let sum: f64 = self.diagonal.iter().sum();
        if sum > 0.0 { self.diagonal.len() as f64 / sum } else { 1.0 }
    }
    /// H⁻¹(−c): the motion with no constraint force acting.
    pub(crate) fn free_motion(&self) -> &[f64] {
        &self.free_motion
    }
    /// The body of every velocity.
    pub(crate) fn body_of(&self) -> &[u32] {
        &self.body_of
    }
    /// H⁻¹.
    pub fn inverse(&mut self) -> &mut InertiaInverse {
        &mut self.inverse
    }
    pub(crate) fn inverse_ref(&self) -> &InertiaInverse {
        &self.inverse
    }

    /// `velocity = H⁻¹(Jᵀ g − c)`.
    pub fn velocity(&mut self, problem: &ConeProblem, g: &[f64], velocity: &mut [f64]) {
        let momentum = &mut self.scratch[0];
        momentum.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m = -c);
        problem.rows().mul_transpose_add(1.0, g, momentum);
        self.inverse.apply(momentum, velocity);
    }

    /// `out = N x`.
    pub fn apply(&mut self, problem: &ConeProblem, x: &[f64], out: &mut [f64]) {
        let [momentum, velocity] = &mut self.scratch;
        momentum.fill(0.0);
        problem.rows().mul_transpose_add(1.0, x, momentum);
        self.inverse.apply(momentum, velocity);
        problem.rows().mul(velocity, out);
        add_compliance(problem, x, out);
    }

    fn update_diagonal(&mut self, problem: &ConeProblem) {
        match &self.inverse {
            InertiaInverse::BlockDiagonal(inverse) => {
                let bodies = inverse.start().windows(2).enumerate();
                self.has_diagonal.clear();
                self.has_diagonal.extend(bodies.map(|(body, at)| is_diagonal(inverse.block(body), at[1] - at[0])));
                let bodies = Bodies { inverse, body_of: &self.body_of, has_diagonal: &self.has_diagonal };
                let halves = Halves::new(BLOCKS, self.threads);
                halves
                    .parts(problem.rows().row_start(), &mut self.diagonal, &|k, out| bodies.energies(problem, k, out));
            }
            InertiaInverse::Sparse { factor, .. } => {
                sparse_diagonal::energies(factor, problem, &mut self.diagonal);
            }
        }
        match problem.compliance() {
            Compliance::Zero => {}
            Compliance::Diagonal(e) => self.diagonal.iter_mut().zip(e).for_each(|(d, e)| *d += e),
            Compliance::Matrix(w) => (0..w.nrows()).for_each(|row| self.diagonal[row] = w.get(row, row)),
        }
    }
}

/// `out += E x`.
pub(crate) fn add_compliance(problem: &ConeProblem, x: &[f64], out: &mut [f64]) {
    match problem.compliance() {
        Compliance::Zero => {}
        Compliance::Diagonal(e) => {
            for ((out, e), x) in out.iter_mut().zip(e).zip(x) {
                *out += e * x;
            }
        }
        Compliance::Matrix(w) => w.mul_add(1.0, x, out),
    }
}

/// A block-diagonal H⁻¹ with what is known of its blocks.
struct Bodies<'a> {
    inverse: &'a BlockDiagonal,
    body_of: &'a [u32],
    has_diagonal: &'a [bool],
}

impl Bodies<'_> {
    /// rowᵀ H⁻¹ row of the rows of block `k`. Columns ascend, so those of one body are neighbours.
    fn energies(&self, problem: &ConeProblem, k: usize, out: &mut [f64]) {
        let (body_start, block) = (problem.body_start(), problem.rows().block(k));
        out.fill(0.0);
        let columns = block.columns;
        let mut at = 0;
        while at < columns.len() {
            let body = self.body_of[columns[at]] as usize;
            let (first, end) = (body_start[body], body_start[body + 1]);
            let width = end - first;
            let stop = at + columns[at..].iter().take_while(|column| **column < end).count();
            let (entries, is_diagonal) = (self.inverse.block(body), self.has_diagonal[body]);
            for (r, out) in out.iter_mut().enumerate() {
                let (row, columns) = (&block.row(r)[at..stop], &columns[at..stop]);
                *out += if is_diagonal {
                    let terms = row.iter().zip(columns);
                    terms.map(|(j, column)| j * entries[(column - first) * (width + 1)] * j).sum::<f64>()
                } else {
                    let term = |(i, j): (&f64, &usize)| {
                        let line = &entries[(j - first) * width..][..width];
                        i * row.iter().zip(columns).map(|(j, column)| line[column - first] * j).sum::<f64>()
                    };
                    row.iter().zip(columns).map(term).sum::<f64>()
                };
            }
            at = stop;
        }
    }
}

/// Whether a square matrix, row-major, has no entries off its diagonal.
pub(crate) fn is_diagonal(entries: &[f64], n: usize) -> bool {
    let lines = entries.chunks_exact(n.max(1)).enumerate();
    lines.into_iter().all(|(i, line)| line.iter().enumerate().all(|(j, a)| i == j || *a == 0.0))
}

/// The body of every velocity.
pub(crate) fn body_of_velocities(body_start: &[usize], body_of: &mut Vec<u32>) {
    body_of.clear();
    for (body, range) in body_start.windows(2).enumerate() {
        body_of.extend(std::iter::repeat_n(body as u32, range[1] - range[0]));
    }
}
