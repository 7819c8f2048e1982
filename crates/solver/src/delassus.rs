//! The Delassus operator N = J H⁻¹ Jᵀ + E, applied without being formed, and what follows from its diagonal.

mod sparse_diagonal;

use crate::SolveError;
use crate::change::Change;
use crate::problem::{BlockDiagonal, Compliance, ConeProblem, InertiaInverse, InertiaName, RowFacts, RowPass, RowSums};
use signorini_linalg::Halves;
use signorini_linalg::Threads;
use sparse_diagonal::SparseDiagonal;
use std::ops::Range;

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
    /// The H that was inverted.
    inverse_of: Option<InertiaName>,
    /// Bodies with masses and principal inertias: one number per velocity.
    has_diagonal: Vec<bool>,
    /// The diagonal of H⁻¹, where all bodies are such; else empty.
    reciprocal: Vec<f64>,
    /// ρ of [`Delassus::step`].
    step: f64,
    sums: RowSums,
    scratch: [Vec<f64>; 2],
    of_sparse: SparseDiagonal,
    threads: Threads,
}

/// Blocks of rows one task works on: some 20 µs.
const BLOCKS: usize = 512;
/// Numbers one task copies or adds up.
const NUMBERS: usize = 32_768;
/// Bodies one task works on.
const BODIES: usize = 1024;

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
            inverse_of: None,
            has_diagonal: Vec::new(),
            reciprocal: Vec::new(),
            step: 1.0,
            sums: RowSums::default(),
            scratch: Default::default(),
            of_sparse: SparseDiagonal::default(),
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
        let is_new = change != Change::OffsetOnly;
        if is_new {
            self.update_inverse(problem)?;
        }
        Halves::new(NUMBERS, threads).copy(problem.offset(), &mut self.offset);
        if let Some(facts) = problem.facts().filter(|_| is_new) {
            self.take_facts(problem, facts);
            return Ok(());
        }
        if is_new {
            self.update_free_motion(problem);
        }
        self.pass_over_rows(problem, is_new);
        Ok(())
    }

    /// H⁻¹, unless H is the one it was.
    fn update_inverse(&mut self, problem: &ConeProblem) -> Result<(), SolveError> {
        if self.inverse_of.is_some_and(|name| name.is(problem.inertia_name)) {
            return Ok(());
        }
        self.inverse_of = None;
        self.inverse.update(problem.inertia(), self.threads).map_err(|broken| problem.indefinite(broken))?;
        self.has_diagonal.clear();
        self.reciprocal.clear();
        if let InertiaInverse::BlockDiagonal(inverse) = &self.inverse {
            let bodies = inverse.start().windows(2).enumerate();
            self.has_diagonal.extend(bodies.map(|(body, at)| is_diagonal(inverse.block(body), at[1] - at[0])));
            if !self.has_diagonal.contains(&false) {
                let blocks = (0..inverse.len()).map(|body| (inverse.block(body), inverse.rows_of(body).len()));
                self.reciprocal.extend(blocks.flat_map(|(block, n)| block.iter().step_by(n + 1).take(n)));
            }
        }
        self.inverse_of = Some(problem.inertia_name);
        Ok(())
    }

    /// −H⁻¹c.
    fn update_free_motion(&mut self, problem: &ConeProblem) {
        let Self { inverse, has_diagonal, free_motion, scratch, threads, .. } = self;
        match inverse {
            InertiaInverse::BlockDiagonal(inverse) => {
                let halves = Halves::new(BODIES, *threads);
                halves.parts(inverse.start(), free_motion, &|body, motion| {
                    let (entries, n) = (inverse.block(body), motion.len());
                    let c = &problem.linear()[inverse.start()[body]..][..n];
                    for (i, motion) in motion.iter_mut().enumerate() {
                        *motion = match has_diagonal[body] {
                            true => -(entries[i * (n + 1)] * c[i]),
                            false => -entries[i * n..(i + 1) * n].iter().zip(c).map(|(h, c)| h * c).sum::<f64>(),
                        };
                    }
                });
            }
            InertiaInverse::Sparse { .. } => {
                let momentum = &mut scratch[0];
                momentum.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m = -c);
                inverse.apply(momentum, free_motion);
            }
        }
    }

    /// r = J(−H⁻¹c) − b and the sizes of its terms; the diagonal of N where the problem `is_new`.
    fn pass_over_rows(&mut self, problem: &ConeProblem, is_new: bool) {
        let has_reciprocal = !self.reciprocal.is_empty();
        if is_new && !has_reciprocal {
            self.update_diagonal(problem);
        }
        let in_passing = is_new && has_reciprocal;
        let Self { free_motion, free_velocity, offset, diagonal, reciprocal, threads, .. } = self;
        let reciprocal = if in_passing { &reciprocal[..] } else { &[] };
        let (pass, rows, offset) = (RowPass { motion: free_motion, reciprocal }, problem.rows(), &*offset);
        let work = |range: Range<usize>, (mut free, mut diagonal): Rows<'_>| {
            let mut sums = RowSums::default();
            for k in range {
                let at = rows.rows_of(k);
                let (own_free, rest_free) = free.split_at_mut(at.len());
                let (own, rest) = diagonal.split_at_mut(if in_passing { at.len() } else { 0 });
                (free, diagonal) = (rest_free, rest);
                pass.block(&rows.block(k), &offset[at], own_free, own, &mut sums);
            }
            sums
        };
        let split = |(free, diagonal), range: &Range<usize>, middle: usize| {
            let at = rows.rows_of(middle).start - rows.rows_of(range.start).start;
            split_rows(free, diagonal, (at, if in_passing { at } else { 0 }))
        };
        let diagonal = if in_passing { &mut diagonal[..] } else { &mut [] };
        let halves = Halves::new(BLOCKS, *threads);
        self.sums = halves.run(0..rows.len(), (&mut free_velocity[..], diagonal), &split, &work, &RowSums::joined);
        if is_new {
            self.finish_diagonal(problem);
        }
    }

    /// The same from what was computed while the rows were written.
    fn take_facts(&mut self, problem: &ConeProblem, facts: &RowFacts) {
        let halves = Halves::new(NUMBERS, self.threads);
        halves.copy(&facts.motion, &mut self.free_motion);
        halves.copy(&facts.free_velocity, &mut self.free_velocity);
        halves.copy(&facts.diagonal, &mut self.diagonal);
        self.sums = facts.sums;
        self.finish_diagonal(problem);
    }

    /// The diagonal of N from that of J H⁻¹ Jᵀ, and its mean.
    fn finish_diagonal(&mut self, problem: &ConeProblem) {
        self.add_compliance_to_diagonal(problem);
        let diagonal = &self.diagonal;
        let halves = Halves::new(NUMBERS, self.threads);
        let sum = halves.total(diagonal.len(), &|range| diagonal[range].iter().sum::<f64>(), &|a, b| a + b);
        self.step = if sum > 0.0 { self.diagonal.len() as f64 / sum } else { 1.0 };
    }

    /// ‖r‖ as it was before [`Delassus::set_extra`].
    pub(crate) fn free_norm(&self) -> f64 {
        self.sums.squares.sqrt()
    }
    /// The largest |J||v| + |b| of a row at the free motion.
    pub(crate) fn largest_terms(&self) -> f64 {
        self.sums.largest
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
        self.step
    }
    /// H⁻¹(−c): the motion with no constraint force acting.
    pub(crate) fn free_motion(&self) -> &[f64] {
        &self.free_motion
    }
    /// The diagonal of H⁻¹, where all bodies have masses and principal inertias; else empty.
    pub(crate) fn reciprocal(&self) -> &[f64] {
        &self.reciprocal
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

    /// Diagonal of J H⁻¹ Jᵀ where H⁻¹ is not diagonal.
    fn update_diagonal(&mut self, problem: &ConeProblem) {
        match &self.inverse {
            InertiaInverse::BlockDiagonal(inverse) => {
                let bodies = Bodies { inverse, body_of: &self.body_of, has_diagonal: &self.has_diagonal };
                let halves = Halves::new(BLOCKS, self.threads);
                halves
                    .parts(problem.rows().row_start(), &mut self.diagonal, &|k, out| bodies.energies(problem, k, out));
            }
            InertiaInverse::Sparse { factor, .. } => {
                self.of_sparse.compute(factor, problem, self.threads, &mut self.diagonal);
            }
        }
    }

    fn add_compliance_to_diagonal(&mut self, problem: &ConeProblem) {
        match problem.compliance() {
            Compliance::Zero => {}
            Compliance::Diagonal(e) => self.diagonal.iter_mut().zip(e).for_each(|(d, e)| *d += e),
            Compliance::Matrix(w) => (0..w.nrows()).for_each(|row| self.diagonal[row] = w.get(row, row)),
        }
    }
}

/// r and the diagonal of N of a range of rows; no diagonal where it is not asked for.
type Rows<'a> = (&'a mut [f64], &'a mut [f64]);

fn split_rows<'a>(free: &'a mut [f64], diagonal: &'a mut [f64], at: (usize, usize)) -> (Rows<'a>, Rows<'a>) {
    let ((a, c), (b, d)) = (free.split_at_mut(at.0), diagonal.split_at_mut(at.1));
    ((a, b), (c, d))
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
    // Most often it is what it was.
    let is_same = |(body, at): (usize, &[usize])| {
        let (body, own) = (body as u32, &body_of[at[0]..at[1]]);
        own.first().is_none_or(|first| *first == body) && own.last().is_none_or(|last| *last == body)
    };
    if body_of.len() == body_start[body_start.len() - 1] && body_start.windows(2).enumerate().all(is_same) {
        return;
    }
    body_of.clear();
    for (body, range) in body_start.windows(2).enumerate() {
        body_of.extend(std::iter::repeat_n(body as u32, range[1] - range[0]));
    }
}
