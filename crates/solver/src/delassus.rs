//! The Delassus operator N = J H⁻¹ Jᵀ + E, applied without being formed, and what follows from its diagonal.

mod sparse_diagonal;

use crate::SolveError;
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, InertiaInverse};
use signorini_linalg::Threads;

/// N·x, the free relative velocity r, and the diagonal of N for one problem.
pub struct Delassus<'a> {
    problem: &'a ConeProblem,
    inverse: InertiaInverse,
    free_motion: Vec<f64>,
    free_velocity: Vec<f64>,
    /// b, less the relative velocity added by [`Delassus::set_extra`].
    offset: Vec<f64>,
    diagonal: Vec<f64>,
    scratch: [Vec<f64>; 2],
}

impl<'a> Delassus<'a> {
    /// Factorises H and computes r = −J H⁻¹ c − b and the diagonal of N.
    ///
    /// # Errors
    /// Never for a problem made by its builder, which has checked H.
    pub fn new(problem: &'a ConeProblem) -> Result<Self, SolveError> {
        let inverse = InertiaInverse::new(problem.inertia()).map_err(|_| SolveError::Factorisation)?;
        let n = problem.velocities();
        let mut this = Self {
            problem,
            inverse,
            free_motion: vec![0.0; n],
            free_velocity: vec![0.0; problem.row_count()],
            offset: problem.offset().to_vec(),
            diagonal: Vec::new(),
            scratch: [vec![0.0; n], vec![0.0; n]],
        };
        let momentum = &mut this.scratch[0];
        momentum.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m = -c);
        this.inverse.apply(momentum, &mut this.free_motion);
        problem.rows().mul(&this.free_motion, &mut this.free_velocity);
        this.free_velocity.iter_mut().zip(problem.offset()).for_each(|(u, b)| *u -= b);
        this.diagonal = this.compute_diagonal();
        Ok(this)
    }

    /// The problem this operator belongs to.
    #[must_use]
    pub fn problem(&self) -> &'a ConeProblem {
        self.problem
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
    pub(crate) fn set_extra(&mut self, extra: &[f64]) {
        for (row, (b, r)) in self.offset.iter_mut().zip(&mut self.free_velocity).enumerate() {
            let new = self.problem.offset()[row] - extra[row];
            *r += *b - new;
            *b = new;
        }
    }
    /// Diagonal of N, one entry a row. With a sparse H and many rows it is estimated from a fixed sample of them, the same
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
    /// Threads of products with H⁻¹; the bits are the same.
    pub(crate) fn set_threads(&mut self, threads: Threads) {
        self.inverse.set_threads(threads);
    }
    /// H⁻¹(−c): the motion with no constraint force acting.
    pub(crate) fn free_motion(&self) -> &[f64] {
        &self.free_motion
    }
    /// H⁻¹.
    pub fn inverse(&mut self) -> &mut InertiaInverse {
        &mut self.inverse
    }

    /// `velocity = H⁻¹(Jᵀ g − c)`.
    pub fn velocity(&mut self, g: &[f64], velocity: &mut [f64]) {
        let momentum = &mut self.scratch[0];
        momentum.iter_mut().zip(self.problem.linear()).for_each(|(m, c)| *m = -c);
        self.problem.rows().mul_transpose_add(1.0, g, momentum);
        self.inverse.apply(momentum, velocity);
    }

    /// `out = N x`.
    pub fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let [momentum, velocity] = &mut self.scratch;
        momentum.fill(0.0);
        self.problem.rows().mul_transpose_add(1.0, x, momentum);
        self.inverse.apply(momentum, velocity);
        self.problem.rows().mul(velocity, out);
        add_compliance(self.problem, x, out);
    }

    fn compute_diagonal(&mut self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.problem.row_count()];
        match &self.inverse {
            InertiaInverse::BlockDiagonal(inverse) => energies(inverse, self.problem, &mut diagonal),
            InertiaInverse::Sparse { factor, .. } => sparse_diagonal::energies(factor, self.problem, &mut diagonal),
        }
        match self.problem.compliance() {
            Compliance::Zero => {}
            Compliance::Diagonal(e) => diagonal.iter_mut().zip(e).for_each(|(d, e)| *d += e),
            Compliance::Matrix(w) => diagonal.copy_from_slice(&w.diagonal_entries()),
        }
        diagonal
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

/// rowᵀ H⁻¹ row of every row, for a block-diagonal inverse. Columns ascend, so those of one body are neighbours.
fn energies(inverse: &BlockDiagonal, problem: &ConeProblem, out: &mut [f64]) {
    let body_start = problem.body_start();
    let body_of = body_of_velocities(body_start);
    // Bodies with masses and principal inertias need one number a velocity.
    let diagonal: Vec<bool> = (0..inverse.len()).map(|body| is_diagonal(inverse.block(body))).collect();
    let rows = problem.rows();
    for k in 0..rows.len() {
        let (block, out) = (rows.block(k), &mut out[rows.rows_of(k)]);
        let columns = block.columns;
        let mut at = 0;
        while at < columns.len() {
            let body = body_of[columns[at]] as usize;
            let (first, end) = (body_start[body], body_start[body + 1]);
            let width = end - first;
            let stop = at + columns[at..].iter().take_while(|column| **column < end).count();
            let entries = inverse.block(body);
            for (r, out) in out.iter_mut().enumerate() {
                let (row, columns) = (&block.row(r)[at..stop], &columns[at..stop]);
                *out += match diagonal[body] {
                    true => {
                        let terms = row.iter().zip(columns);
                        terms.map(|(j, column)| j * entries[(column - first) * (width + 1)] * j).sum::<f64>()
                    }
                    false => {
                        let term = |(i, j): (&f64, &usize)| {
                            let line = &entries[(j - first) * width..][..width];
                            i * row.iter().zip(columns).map(|(j, column)| line[column - first] * j).sum::<f64>()
                        };
                        row.iter().zip(columns).map(term).sum::<f64>()
                    }
                };
            }
            at = stop;
        }
    }
}

/// Whether a square matrix, row-major, has no entries off its diagonal.
fn is_diagonal(entries: &[f64]) -> bool {
    let n = entries.len().isqrt();
    entries
        .chunks_exact(n.max(1))
        .enumerate()
        .all(|(i, line)| line.iter().enumerate().all(|(j, a)| i == j || *a == 0.0))
}

/// The body of every velocity.
pub(crate) fn body_of_velocities(body_start: &[usize]) -> Vec<u32> {
    let mut body_of = Vec::with_capacity(body_start.last().copied().unwrap_or(0));
    for (body, range) in body_start.windows(2).enumerate() {
        body_of.extend(std::iter::repeat_n(body as u32, range[1] - range[0]));
    }
    body_of
}
