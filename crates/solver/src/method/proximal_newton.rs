//! Proximal Newton: semi-smooth Newton in the space of impulses, kept regular by a proximal term. Solves the exact friction
//! law as it is, and the relaxed one.
//!
//! With u = Ng + r + ασ(g − c), the natural map of a block, σ = mean diagonal of N_kk, is
//!
//! ```text
//! F(g) = g − Π(g − y/σ),   y = u + s(u) e_n          (s = 0 for the relaxed law)
//! σF'  = σ(I − P) + P A (N + ασ),   A = I + e_n ∇s(u)ᵀ,   P = Π'(g − y/σ)
//! ```
//!
//! N need not be symmetric. Where P = I (sticking) A is divided out: u itself must vanish. Blocks with P = 0 (open) have
//! dg = −g and leave the system. Hyperstatic contacts make N singular and Newton wild: the proximal term, centred at the last
//! good point c, makes the system regular. When F has fallen to a tenth, the centre moves; α falls while that is quick and
//! rises when Newton gets nowhere. Its fixed points are the answers for any α.

use crate::SolveError;
use crate::change::Change;
use crate::cone::Cone;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockMatrix, DualProblem, MAX_ROWS};
use crate::dual_engine::DualEngine;
use crate::friction_law::FrictionLaw;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;
use signorini_linalg::{CscMatrix, DenseLu, Lu, Threads};

/// Proximal Newton on the natural map.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProximalNewton {
    /// α at the start: share of each block's softness added to N.
    pub regularisation: f64,
}

impl Default for ProximalNewton {
    fn default() -> Self {
        Self { regularisation: 1e-3 }
    }
}

impl MethodSettings for ProximalNewton {
    fn describe(&self) -> Description {
        Description {
            name: "proximal-newton",
            summary: "regularised semi-smooth Newton on the friction law itself, relaxed or exact",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        1000
    }
    fn check(&self) -> Result<(), SolveError> {
        let value = self.regularisation;
        if (SMALLEST_ALPHA..=LARGEST_ALPHA).contains(&value) {
            Ok(())
        } else {
            Err(SolveError::Setting { name: "regularisation", value, allowed: "between 1e-9 and 1000" })
        }
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(ProximalNewtonEngine { settings: self.clone(), newton: NewtonOnImpulses::default() }))
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
}

struct ProximalNewtonEngine {
    settings: ProximalNewton,
    newton: NewtonOnImpulses,
}

impl DualEngine for ProximalNewtonEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            self.newton.prepare(dual)?;
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        self.newton.start(dual, start, self.settings.regularisation);
    }
    fn advance(&mut self, _: &mut DualProblem, _: &Measured) -> Step {
        if self.newton.advance() { Step::Taken } else { Step::Stalled("no regularisation makes a Newton step succeed") }
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(self.newton.impulses(), out);
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        None
    }
    fn phase(&self) -> &'static str {
        "proximal-newton"
    }
}

/// The centre moves when F has fallen to this share of its value there.
const CENTRE_GAIN: f64 = 0.1;
/// α falls by this factor when the centre moved within [`QUICK`] steps,
const ALPHA_DROP: f64 = 0.3;
const QUICK: u32 = 4;
/// and rises by this one when Newton gets nowhere:
const ALPHA_RISE: f64 = 10.0;
/// when F is above this share of its value at the centre after so many steps, or after many steps.
const HOPELESS: (f64, u32) = (0.5, 6);
const MOST_STEPS: u32 = 40;
const SMALLEST_ALPHA: f64 = 1e-9;
const LARGEST_ALPHA: f64 = 1e3;
/// A step is good when F falls below the largest of so many last values: Newton may climb before it falls.
const MEMORY: usize = 4;
const ENOUGH: f64 = 0.9999;
/// Halvings of a step before it is given up.
const HALVINGS: u32 = 8;
/// Systems at least this full, or this small, are factorised as dense ones.
const DENSE_FILL: f64 = 0.3;
const DENSE_ROWS: usize = 120;

/// The state of Newton's method, apart from the driver: the fixed point of the friction law uses it too.
#[derive(Default)]
pub(crate) struct NewtonOnImpulses {
    /// N of the law in force.
    matrix: BlockMatrix,
    free_velocity: Vec<f64>,
    cones: Vec<Cone>,
    softness: Vec<f64>,
    exact: bool,
    alpha: f64,
    centre: Vec<f64>,
    centre_norm: f64,
    /// Steps since the centre moved.
    steps: u32,
    recent: [f64; MEMORY],
    point: Point,
    trial: Point,
    step: Vec<f64>,
    /// P of every block, row-major.
    derivative: Vec<f64>,
    derivative_start: Vec<usize>,
    /// First row of every block in the system; `OPEN` for those that leave it.
    place: Vec<usize>,
    /// Right side of the system, then its solution.
    rhs: Vec<f64>,
    system: System,
}

const OPEN: usize = usize::MAX;

/// Impulses with what follows from them.
#[derive(Default)]
struct Point {
    g: Vec<f64>,
    u: Vec<f64>,
    /// σF, in m/s.
    residual: Vec<f64>,
    norm: f64,
}

impl Point {
    fn resize(&mut self, rows: usize) {
        [&mut self.g, &mut self.u, &mut self.residual].into_iter().for_each(|vector| vector.resize(rows, 0.0));
    }
}

impl NewtonOnImpulses {
    /// Takes over N of the law, cones and softness of a dual problem, in the memory there is.
    pub(crate) fn prepare(&mut self, dual: &mut DualProblem) -> Result<(), SolveError> {
        dual.write_out_law(&mut self.matrix)?;
        self.exact = dual.law() == FrictionLaw::Exact;
        let (blocks, rows) = (dual.blocks(), dual.rows());
        self.cones.clear();
        self.cones.extend((0..blocks).map(|k| dual.cone(k)));
        self.softness.clear();
        self.softness.extend_from_slice(dual.softness());
        self.derivative_start.clear();
        self.derivative_start.push(0);
        let mut end = 0;
        for k in 0..blocks {
            end += self.matrix.rows_of(k).len().pow(2);
            self.derivative_start.push(end);
        }
        self.derivative.resize(end, 0.0);
        for vector in [&mut self.free_velocity, &mut self.centre, &mut self.step] {
            vector.resize(rows, 0.0);
        }
        self.point.resize(rows);
        self.trial.resize(rows);
        self.place.resize(blocks, OPEN);
        self.rhs.clear();
        self.rhs.reserve(rows);
        self.system.prepare(&self.matrix, rows);
        Ok(())
    }

    pub(crate) fn impulses(&self) -> &[f64] {
        &self.point.g
    }

    /// Starts from impulses with the regularisation α, at the free velocity of the dual problem.
    pub(crate) fn start(&mut self, dual: &DualProblem, g: &[f64], alpha: f64) {
        self.free_velocity.copy_from_slice(dual.free_velocity());
        self.alpha = alpha;
        self.point.g.copy_from_slice(g);
        self.recentre();
    }

    fn recentre(&mut self) {
        self.centre.copy_from_slice(&self.point.g);
        let mut point = std::mem::take(&mut self.point);
        self.evaluate(&mut point);
        self.point = point;
        self.steps = 0;
        self.centre_norm = self.point.norm;
        self.recent = [self.point.norm; MEMORY];
    }

    /// One step; `false` when no regularisation makes one succeed.
    pub(crate) fn advance(&mut self) -> bool {
        if self.point.norm <= CENTRE_GAIN * self.centre_norm {
            if self.steps <= QUICK {
                self.alpha = (ALPHA_DROP * self.alpha).max(SMALLEST_ALPHA);
            }
            self.recentre();
        }
        loop {
            self.steps += 1;
            let (share, patience) = HOPELESS;
            let hopeless = self.steps > patience && self.point.norm > share * self.centre_norm;
            if !hopeless && self.steps < MOST_STEPS && self.try_step() {
                return true;
            }
            if self.alpha >= LARGEST_ALPHA {
                return false;
            }
            self.alpha = (ALPHA_RISE * self.alpha).min(LARGEST_ALPHA);
            // Back to the centre, unless the point is better by the law itself.
            let reached = self.point.norm;
            if reached > self.centre_norm {
                self.point.g.copy_from_slice(&self.centre);
            }
            self.recentre();
        }
    }

    fn try_step(&mut self) -> bool {
        if !self.direction() {
            return false;
        }
        let bound = ENOUGH * self.recent.iter().copied().fold(self.point.norm, f64::max);
        let mut trial = std::mem::take(&mut self.trial);
        let mut length = 1.0;
        let mut found = false;
        for _ in 0..=HALVINGS {
            for ((trial, g), step) in trial.g.iter_mut().zip(&self.point.g).zip(&self.step) {
                *trial = g + length * step;
            }
            self.evaluate(&mut trial);
            if trial.norm < bound {
                found = true;
                break;
            }
            length *= 0.5;
        }
        if found {
            self.recent[self.steps as usize % MEMORY] = trial.norm;
            std::mem::swap(&mut self.point, &mut trial);
        }
        self.trial = trial;
        found
    }

    /// u, σF and ‖σF‖ of the impulses of a point.
    fn evaluate(&self, point: &mut Point) {
        let Point { g, u, residual, norm } = point;
        let mut squares = 0.0;
        for (k, cone) in self.cones.iter().enumerate() {
            let rows = self.matrix.rows_of(k);
            self.matrix.multiply_row(k, g, &mut u[rows.clone()]);
            let proximal = self.alpha * self.softness[k];
            for row in rows.clone() {
                u[row] += self.free_velocity[row] + proximal * (g[row] - self.centre[row]);
            }
            let y = lifted(*cone, self.exact, &u[rows.clone()]);
            let residual = &mut residual[rows.clone()];
            cone.natural_map(&g[rows.clone()], &y[..rows.len()], 1.0 / self.softness[k], residual);
            squares += residual.iter().map(|f| f * f).sum::<f64>();
        }
        *norm = squares.sqrt();
    }

    /// Solves Newton's equation into `step`.
    fn direction(&mut self) -> bool {
        let mut size = 0;
        for k in 0..self.cones.len() {
            let rows = self.matrix.rows_of(k);
            let d = rows.len();
            let mut z = lifted(self.cones[k], self.exact, &self.point.u[rows.clone()]);
            for (z, g) in z.iter_mut().zip(&self.point.g[rows]) {
                *z = g - *z / self.softness[k];
            }
            let p = &mut self.derivative[self.derivative_start[k]..self.derivative_start[k + 1]];
            self.cones[k].projection_derivative(&z[..d], p);
            self.place[k] = OPEN;
            if p.iter().any(|p| *p != 0.0) {
                self.place[k] = size;
                size += d;
            }
        }
        self.step.iter_mut().zip(&self.point.g).for_each(|(step, g)| *step = -g);
        let Self {
            matrix, cones, softness, exact, alpha, point, derivative, derivative_start, place, rhs, system, ..
        } = self;
        let equation = Equation {
            matrix,
            cones,
            softness,
            exact: *exact,
            alpha: *alpha,
            point,
            derivative,
            derivative_start,
            place,
            size,
        };
        if !system.solve(&equation, rhs) || rhs.iter().any(|x| !x.is_finite()) {
            return false;
        }
        for k in (0..self.cones.len()).filter(|&k| self.place[k] != OPEN) {
            let rows = self.matrix.rows_of(k);
            let solved = &self.rhs[self.place[k]..self.place[k] + rows.len()];
            self.step[rows].copy_from_slice(solved);
        }
        true
    }
}

/// y = u + s(u) e_n of one block, s = 0 for the relaxed law.
fn lifted(cone: Cone, exact: bool, u: &[f64]) -> [f64; MAX_ROWS] {
    let mut y = [0.0; MAX_ROWS];
    y[..u.len()].copy_from_slice(u);
    if exact {
        y[0] += cone.dilation(u);
    }
    y
}

/// Newton's equation at a point, for the blocks that are not open.
struct Equation<'a> {
    matrix: &'a BlockMatrix,
    cones: &'a [Cone],
    softness: &'a [f64],
    exact: bool,
    alpha: f64,
    point: &'a Point,
    derivative: &'a [f64],
    derivative_start: &'a [usize],
    place: &'a [usize],
    /// Rows of the system.
    size: usize,
}

impl Equation<'_> {
    /// The blocks in the system.
    fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.place.len()).filter(|&k| self.place[k] != OPEN)
    }

    /// Writes the right side and gives every block of the matrix to `block(first row, first column, columns, entries
    /// row-major)`, in the order of [`Equation::active`] and of the couplings of each.
    fn assemble(&self, rhs: &mut [f64], mut block: impl FnMut(usize, usize, usize, &[f64])) {
        self.active().for_each(|k| self.assemble_rows(k, rhs, &mut block));
    }

    /// The rows of one block: σ(I − P) dg_k + P A (Σ N_kj dg_j + ασ dg_k) = −σF.
    fn assemble_rows(&self, k: usize, rhs: &mut [f64], block: &mut impl FnMut(usize, usize, usize, &[f64])) {
        let rows = self.matrix.rows_of(k);
        let d = rows.len();
        let sigma = self.softness[k];
        let p = &self.derivative[self.derivative_start[k]..self.derivative_start[k + 1]];
        let sticks = (0..d * d).all(|e| p[e] == f64::from(u8::from(e / d == e % d)));
        let u = &self.point.u[rows.clone()];
        // PA, or the identity where a block sticks.
        let mut pa = [0.0; MAX_ROWS * MAX_ROWS];
        let pa = &mut pa[..d * d];
        pa.copy_from_slice(p);
        if self.exact && !sticks {
            let mut slope = [0.0; MAX_ROWS];
            self.cones[k].dilation_gradient(u, &mut slope[..d]);
            for i in 0..d {
                for j in 0..d {
                    pa[i * d + j] += p[i * d] * slope[j];
                }
            }
        }
        let first = self.place[k];
        for i in 0..d {
            rhs[first + i] = if sticks { -u[i] } else { -self.point.residual[rows.start + i] };
        }
        let mut entries = [0.0; MAX_ROWS * MAX_ROWS];
        for (other, n) in self.matrix.row(k) {
            let columns = self.matrix.rows_of(other);
            let width = columns.len();
            let entries = &mut entries[..d * width];
            for i in 0..d {
                for j in 0..width {
                    let mut entry: f64 = (0..d).map(|l| pa[i * d + l] * n[l * width + j]).sum();
                    if other == k {
                        let identity = f64::from(u8::from(i == j));
                        entry += sigma * (identity - p[i * d + j]) + self.alpha * sigma * pa[i * d + j];
                    }
                    entries[i * width + j] = entry;
                }
            }
            if self.place[other] != OPEN {
                block(first, self.place[other], width, entries);
                continue;
            }
            // An open block moves by −g, known beforehand.
            for i in 0..d {
                for j in 0..width {
                    rhs[first + i] += entries[i * width + j] * self.point.g[columns.start + j];
                }
            }
        }
    }

    /// Couplings within the system: both blocks.
    fn couplings(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let within = |k: usize| self.matrix.row(k).map(|(other, _)| other).filter(|&other| self.place[other] != OPEN);
        self.active().flat_map(move |k| within(k).map(move |other| (k, other)))
    }

    fn is_dense(&self) -> bool {
        let entries = |(k, other)| self.matrix.rows_of(k).len() * self.matrix.rows_of(other).len();
        is_dense(self.size, self.couplings().map(entries).sum())
    }
}

fn is_dense(size: usize, entries: usize) -> bool {
    size <= DENSE_ROWS || entries as f64 > DENSE_FILL * (size * size) as f64
}

/// Factors of Newton's matrix, dense or sparse, with the memory to make them again.
#[derive(Default)]
struct System {
    dense: DenseLu,
    /// Blocks and couplings of the matrix that the sparse analyses belong to.
    pattern: Vec<u32>,
    known: Vec<Analysis>,
    /// The oldest of these, once no more are kept.
    oldest: usize,
}

/// Sets of active blocks whose analysis is kept: a step moves some blocks between open and closed, the next often back.
const ANALYSES: usize = 64;
/// Entries of their matrices together, at most: some 100 MB with the factors of the largest systems `auto` gives to this method.
const KEPT_ENTRIES: usize = 2_000_000;

/// The sparse system of one set of active blocks.
struct Analysis {
    /// The set: first row of every block in the system.
    place: Vec<usize>,
    matrix: CscMatrix,
    factor: Lu,
    /// Where the entries of each coupling begin in each of its columns; the rows of a block follow each other.
    columns: Vec<usize>,
}

impl System {
    /// Room for the systems of a matrix.
    fn prepare(&mut self, matrix: &BlockMatrix, rows: usize) {
        if !pattern(matrix).eq(self.pattern.iter().copied()) {
            self.pattern.clear();
            self.pattern.extend(pattern(matrix));
            self.known.clear();
            self.oldest = 0;
        }
        let entries = (0..matrix.len()).flat_map(|k| matrix.row(k)).map(|(_, values)| values.len()).sum();
        self.dense.reserve(if is_dense(rows, entries) { rows } else { DENSE_ROWS });
    }

    /// Solves a system into `rhs`; false where it cannot be factorised.
    fn solve(&mut self, equation: &Equation<'_>, rhs: &mut Vec<f64>) -> bool {
        let size = equation.size;
        rhs.clear();
        rhs.resize(size, 0.0);
        if size == 0 {
            return true;
        }
        if equation.is_dense() {
            self.dense.refactorise(size, |values| {
                equation.assemble(rhs, |row, column, width, entries| {
                    for (i, line) in entries.chunks_exact(width).enumerate() {
                        for (j, entry) in line.iter().enumerate() {
                            values[(column + j) * size + row + i] += entry;
                        }
                    }
                });
            });
            self.dense.solve_in_place(rhs);
            return true;
        }
        let Some(Analysis { matrix, factor, columns, .. }) = self.analysis(equation) else { return false };
        let values = matrix.values_mut();
        let mut columns = columns.iter();
        equation.assemble(rhs, |_, _, width, entries| {
            for (j, &first) in columns.by_ref().take(width).enumerate() {
                for (i, line) in entries.chunks_exact(width).enumerate() {
                    values[first + i] = line[j];
                }
            }
        });
        if values.iter().any(|value| !value.is_finite()) || factor.factorise(matrix).is_err() {
            return false;
        }
        factor.solve_in_place(rhs);
        true
    }

    /// The analysis of a set of blocks: one that is known, or a new one in place of the oldest. `None` without the memory for it.
    fn analysis(&mut self, equation: &Equation<'_>) -> Option<&mut Analysis> {
        let at = match self.known.iter().position(|known| known.place == equation.place) {
            Some(at) => at,
            None => {
                let new = Analysis::new(equation)?;
                let kept: usize = self.known.iter().map(|known| known.matrix.nnz()).sum();
                if self.known.is_empty() || (self.known.len() < ANALYSES && kept < KEPT_ENTRIES) {
                    self.known.push(new);
                    self.known.len() - 1
                } else {
                    let at = self.oldest;
                    self.known[at] = new;
                    self.oldest = (at + 1) % self.known.len();
                    at
                }
            }
        };
        Some(&mut self.known[at])
    }
}

impl Analysis {
    fn new(equation: &Equation<'_>) -> Option<Self> {
        let (rows_of, place) = (|k: usize| equation.matrix.rows_of(k).len(), equation.place);
        let entries = equation.couplings().flat_map(|(k, other)| {
            let (d, width) = (rows_of(k), rows_of(other));
            (0..d * width).map(move |e| (place[k] + e / width, place[other] + e % width, 0.0))
        });
        let Ok(matrix) = CscMatrix::from_triplets(equation.size, equation.size, entries) else {
            unreachable!("places are below the size of the system, and zero is finite")
        };
        let factor = Lu::analyse(&matrix, Threads::One).ok()?;
        let mut columns = Vec::new();
        for (k, other) in equation.couplings() {
            for column in place[other]..place[other] + rows_of(other) {
                let Some(first) = matrix.position(place[k], column) else {
                    unreachable!("every entry of every coupling was put into the matrix")
                };
                columns.push(first);
            }
        }
        Some(Self { place: place.to_vec(), matrix, factor, columns })
    }
}

/// What the pattern of a matrix of blocks is made of: rows and couplings of each block.
fn pattern(matrix: &BlockMatrix) -> impl Iterator<Item = u32> + '_ {
    (0..matrix.len()).flat_map(|k| {
        let sizes = [matrix.rows_of(k).len() as u32, matrix.row(k).count() as u32];
        sizes.into_iter().chain(matrix.row(k).map(|(other, _)| other as u32))
    })
}
