//! Semi-smooth Newton on the natural map of the exact law, in the space of impulses.
//!
//! ```text
//! F(g) = g − Π(g − y/σ),   y = u + s(u) e_n,   u = Ng + r          (block by block, σ = mean diagonal of N_kk)
//! F' dg = [ (I − P) + σ⁻¹ P A N ] dg,   A = I + e_n ∇s(u)ᵀ,   P = Π'(g − y/σ)
//! ```
//!
//! N need not be symmetric. Where P = I (sticking) A can be divided out: u itself must vanish. Blocks with P = 0 (open)
//! have dg = −g and leave the system. Hyperstatic contacts make N singular: a share of σ is added to its diagonal, which
//! changes the step by that share of itself and no answer. A step is shortened until ‖σF‖ falls.

use crate::cone::Cone;
use crate::dual::{BlockMatrix, MAX_ROWS};
use signorini_linalg::{CscMatrix, DenseLu, Lu, Threads};

/// Share of σ added to the diagonal of N.
const PROXIMAL: f64 = 1e-10;
/// Halvings of a step before it is given up.
const HALVINGS: u32 = 8;
/// A step is good when the residual falls below this share of what it was.
const ENOUGH: f64 = 0.9999;
/// Systems at least this full, or this small, are factorised as dense ones.
const DENSE_FILL: f64 = 0.5;
const DENSE_ROWS: usize = 160;
/// Largest system factorised.
const MOST_ROWS: usize = 40_000;

/// What Newton works on: N as it was given, r, cones, σ, in the rows of the dual problem.
pub(super) struct NewtonProblem {
    pub(super) matrix: BlockMatrix,
    pub(super) free_velocity: Vec<f64>,
    pub(super) cones: Vec<Cone>,
    pub(super) softness: Vec<f64>,
}

pub(super) struct ExactNewton {
    problem: NewtonProblem,
    /// α: share of σ by which N is regularised; the term ασ(g − centre) is part of u.
    alpha: f64,
    centre: Vec<f64>,
    /// ‖σF‖ of the law itself at the centre.
    centre_norm: f64,
    /// Steps since the centre was moved.
    steps: u32,
    recent: Vec<f64>,
    pub(super) g: Vec<f64>,
    u: Vec<f64>,
    /// σF, in m/s.
    residual: Vec<f64>,
    norm: f64,
    step: Vec<f64>,
    trial: [Vec<f64>; 3],
    /// P of every block, row-major.
    derivative: Vec<f64>,
    derivative_start: Vec<usize>,
}

impl ExactNewton {
    pub(super) fn new(problem: NewtonProblem) -> Self {
        let m = problem.free_velocity.len();
        let mut derivative_start = vec![0];
        for k in 0..problem.cones.len() {
            derivative_start.push(derivative_start[k] + problem.matrix.rows_of(k).len().pow(2));
        }
        Self {
            alpha: 0.0,
            centre: vec![0.0; m],
            centre_norm: f64::INFINITY,
            steps: 0,
            recent: Vec::new(),
            g: vec![0.0; m],
            u: vec![0.0; m],
            residual: vec![0.0; m],
            norm: f64::INFINITY,
            step: vec![0.0; m],
            trial: std::array::from_fn(|_| vec![0.0; m]),
            derivative: vec![0.0; derivative_start[problem.cones.len()]],
            derivative_start,
            problem,
        }
    }

    /// Starts from impulses.
    pub(super) fn start(&mut self, g: &[f64], alpha: f64) {
        self.alpha = alpha;
        self.g.copy_from_slice(g);
        self.recentre();
    }

    fn recentre(&mut self) {
        self.centre.copy_from_slice(&self.g);
        self.steps = 0;
        self.norm = evaluate(&self.problem, 0.0, &self.centre, &self.g, &mut self.u, &mut self.residual);
        self.centre_norm = self.norm;
        self.recent = vec![self.norm; pr("MEM", 4.0) as usize];
    }

    /// One step; `false` when none improves the residual.
    pub(super) fn advance(&mut self) -> bool {
        loop {
            if self.alpha > 0.0 && self.norm <= 0.1 * self.centre_norm {
                let steps = self.steps;
                self.recentre();
                if steps <= pr("FAST", 4.0) as u32 { self.alpha *= pr("DROP", 0.1) }
                if self.alpha < 1e-9 { self.alpha = 1e-9 }
                // F at the new centre is that of the law itself.
            }
            self.steps += 1;
            if std::env::var("TRACE").is_ok() { eprintln!("alpha {:.0e} norm {:.3e} centre {:.3e} steps {}", self.alpha, self.norm, self.centre_norm, self.steps); }
            let hopeless = self.alpha > 0.0 && self.steps > pr("HS", 6.0) as u32 && self.norm > pr("HN", 0.5) * self.centre_norm;
            if self.steps < 40 && !hopeless && self.try_step() {
                return true;
            }
            if self.alpha == 0.0 || self.alpha > 1e3 {
                return false;
            }
            self.alpha *= 10.0;
            self.g.copy_from_slice(&self.centre);
            self.recentre();
        }
    }

    fn try_step(&mut self) -> bool {
        if !self.direction() {
            return false;
        }
        let [g, u, residual] = &mut self.trial;
        let mut length = 1.0;
        for _ in 0..=HALVINGS {
            for ((trial, g), step) in g.iter_mut().zip(&self.g).zip(&self.step) {
                *trial = g + length * step;
            }
            let norm = evaluate(&self.problem, self.alpha, &self.centre, g, u, residual);
            let bound = self.recent.iter().copied().fold(self.norm, f64::max);
            if norm < ENOUGH * bound {
                let n = self.recent.len();
                if n > 0 { self.recent[self.steps as usize % n] = norm; }
                self.norm = norm;
                std::mem::swap(&mut self.g, g);
                std::mem::swap(&mut self.u, u);
                std::mem::swap(&mut self.residual, residual);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// Solves Newton's equation into `step`.
    fn direction(&mut self) -> bool {
        let NewtonProblem { matrix, cones, softness, .. } = &self.problem;
        // Rows of blocks that are not open, numbered through.
        let mut place = vec![usize::MAX; cones.len()];
        let mut size = 0;
        for k in 0..cones.len() {
            let rows = matrix.rows_of(k);
            let d = rows.len();
            let p = &mut self.derivative[self.derivative_start[k]..self.derivative_start[k + 1]];
            let mut y = [0.0; MAX_ROWS];
            y[..d].copy_from_slice(&self.u[rows.clone()]);
            y[0] += cones[k].dilation(&y[..d]);
            let mut z = [0.0; MAX_ROWS];
            for i in 0..d {
                z[i] = self.g[rows.start + i] - y[i] / softness[k];
            }
            cones[k].projection_derivative(&z[..d], p);
            if p.iter().any(|p| *p != 0.0) {
                place[k] = size;
                size += d;
            }
        }
        for (step, g) in self.step.iter_mut().zip(&self.g) {
            *step = -g;
        }
        if size == 0 {
            return true;
        }
        if size > MOST_ROWS {
            return false;
        }
        let mut system = System::new(size, matrix, &place);
        let mut rhs = vec![0.0; size];
        for k in (0..cones.len()).filter(|&k| place[k] != usize::MAX) {
            self.assemble(k, &place, &mut system, &mut rhs);
        }
        if !system.solve(&mut rhs) || rhs.iter().any(|x| !x.is_finite()) {
            return false;
        }
        for k in (0..cones.len()).filter(|&k| place[k] != usize::MAX) {
            let rows = matrix.rows_of(k);
            let d = rows.len();
            self.step[rows].copy_from_slice(&rhs[place[k]..place[k] + d]);
        }
        true
    }

    /// The rows of one block: σ(I − P) dg_k + P A Σ N_kj dg_j = −σF.
    fn assemble(&self, k: usize, place: &[usize], system: &mut System, rhs: &mut [f64]) {
        let NewtonProblem { matrix, cones, softness, .. } = &self.problem;
        let rows = matrix.rows_of(k);
        let d = rows.len();
        let sigma = softness[k];
        let p = &self.derivative[self.derivative_start[k]..self.derivative_start[k + 1]];
        let sticks = (0..d * d).all(|e| p[e] == f64::from(u8::from(e / d == e % d)));
        // PA, or the identity where a block sticks.
        let mut pa = [0.0; MAX_ROWS * MAX_ROWS];
        let pa = &mut pa[..d * d];
        pa.copy_from_slice(p);
        let u = &self.u[rows.clone()];
        if !sticks {
            let mut slope = [0.0; MAX_ROWS];
            cones[k].dilation_gradient(u, &mut slope[..d]);
            for i in 0..d {
                for j in 0..d {
                    pa[i * d + j] += p[i * d] * slope[j];
                }
            }
        }
        let first = place[k];
        for i in 0..d {
            rhs[first + i] = if sticks { -u[i] } else { -self.residual[rows.start + i] };
        }
        for (other, n) in matrix.row(k) {
            let columns = matrix.rows_of(other);
            let width = columns.len();
            for i in 0..d {
                for j in 0..width {
                    let mut entry: f64 = (0..d).map(|l| pa[i * d + l] * n[l * width + j]).sum();
                    if other == k {
                        let identity = f64::from(u8::from(i == j));
                        entry += sigma * (identity - p[i * d + j]) + self.alpha.max(PROXIMAL) * sigma * pa[i * d + j];
                    }
                    match place[other] {
                        // An open block moves by −g, known beforehand.
                        usize::MAX => rhs[first + i] += entry * self.g[columns.start + j],
                        column => system.add(first + i, column + j, entry),
                    }
                }
            }
        }
    }
}

/// u = Ng + r + ασ(g − centre) and σF; returns ‖σF‖.
fn evaluate(
    problem: &NewtonProblem,
    alpha: f64,
    centre: &[f64],
    g: &[f64],
    u: &mut [f64],
    residual: &mut [f64],
) -> f64 {
    let mut squares = 0.0;
    for (k, cone) in problem.cones.iter().enumerate() {
        let rows = problem.matrix.rows_of(k);
        let d = rows.len();
        problem.matrix.multiply_row(k, g, &mut u[rows.clone()]);
        u[rows.clone()].iter_mut().zip(&problem.free_velocity[rows.clone()]).for_each(|(u, r)| *u += r);
        for row in rows.clone() {
            u[row] += alpha * problem.softness[k] * (g[row] - centre[row]);
        }
        let mut y = [0.0; MAX_ROWS];
        y[..d].copy_from_slice(&u[rows.clone()]);
        y[0] += cone.dilation(&y[..d]);
        cone.natural_map(&g[rows.clone()], &y[..d], 1.0 / problem.softness[k], &mut residual[rows.clone()]);
        squares += residual[rows].iter().map(|f| f * f).sum::<f64>();
    }
    squares.sqrt()
}

/// Newton's matrix, dense or sparse.
enum System {
    Dense { size: usize, values: Vec<f64> },
    Sparse { size: usize, entries: Vec<(usize, usize, f64)> },
}

impl System {
    fn new(size: usize, matrix: &BlockMatrix, place: &[usize]) -> Self {
        let mut entries = 0;
        for k in (0..place.len()).filter(|&k| place[k] != usize::MAX) {
            let active = matrix.row(k).filter(|(other, _)| place[*other] != usize::MAX);
            entries += active.map(|(_, values)| values.len()).sum::<usize>();
        }
        if size <= DENSE_ROWS || entries as f64 > DENSE_FILL * (size * size) as f64 {
            return Self::Dense { size, values: vec![0.0; size * size] };
        }
        Self::Sparse { size, entries: Vec::with_capacity(entries) }
    }
    fn add(&mut self, row: usize, column: usize, value: f64) {
        match self {
            Self::Dense { size, values } => values[column * *size + row] += value,
            Self::Sparse { entries, .. } => entries.push((row, column, value)),
        }
    }
    fn solve(self, rhs: &mut [f64]) -> bool {
        match self {
            Self::Dense { size, values } => {
                DenseLu::factorise(size, &values, Threads::One).solve_in_place(rhs);
                true
            }
            Self::Sparse { size, entries } => {
                let Ok(matrix) = CscMatrix::from_triplets(size, size, entries) else { return false };
                let Ok(mut factor) = Lu::analyse(&matrix, Threads::One) else { return false };
                if factor.factorise(&matrix).is_err() {
                    return false;
                }
                factor.solve_in_place(rhs);
                true
            }
        }
    }
}

fn pr(name: &str, default: f64) -> f64 { std::env::var(name).ok().and_then(|a| a.parse().ok()).unwrap_or(default) }
