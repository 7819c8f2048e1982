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
use crate::cone::Cone;
use crate::driver::{Estimate, Iteration, Measured, Step};
use crate::dual::{BlockMatrix, DualProblem, MAX_ROWS};
use crate::friction::FrictionLaw;
use crate::method::{Accepts, Description, DualMethod, MethodSettings};
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
        match (SMALLEST_ALPHA..=LARGEST_ALPHA).contains(&value) {
            true => Ok(()),
            false => Err(SolveError::Setting { name: "regularisation", value, allowed: "between 1e-9 and 1000" }),
        }
    }
    fn dual(&self) -> Option<&dyn DualMethod> {
        Some(self)
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
}

impl DualMethod for ProximalNewton {
    fn begin<'a>(&'a self, dual: &'a mut DualProblem, start: &[f64]) -> Result<Box<dyn Iteration + 'a>, SolveError> {
        let mut newton = NewtonOnImpulses::new(dual)?;
        newton.start(start, self.regularisation);
        Ok(Box::new(ProximalNewtonRun { dual, newton }))
    }
}

struct ProximalNewtonRun<'a> {
    dual: &'a DualProblem,
    newton: NewtonOnImpulses,
}

impl Iteration for ProximalNewtonRun<'_> {
    fn advance(&mut self, _: &Measured) -> Step {
        match self.newton.advance() {
            true => Step::Taken,
            false => Step::Stalled("no regularisation makes a Newton step succeed"),
        }
    }
    fn export(&self, out: &mut Iterate) {
        self.dual.export(self.newton.impulses(), out);
    }
    fn impulses_only(&self) -> bool {
        true
    }
    fn estimate(&self) -> Option<Estimate> {
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
pub(crate) struct NewtonOnImpulses {
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
}

const OPEN: usize = usize::MAX;

/// Impulses with what follows from them.
struct Point {
    g: Vec<f64>,
    u: Vec<f64>,
    /// σF, in m/s.
    residual: Vec<f64>,
    norm: f64,
}

impl Point {
    fn new(rows: usize) -> Self {
        Self { g: vec![0.0; rows], u: vec![0.0; rows], residual: vec![0.0; rows], norm: f64::INFINITY }
    }
}

impl NewtonOnImpulses {
    pub(crate) fn new(dual: &mut DualProblem) -> Result<Self, SolveError> {
        let matrix = dual.couplings_of_law()?;
        let (blocks, rows) = (dual.blocks(), dual.rows());
        let mut derivative_start = vec![0];
        for k in 0..blocks {
            derivative_start.push(derivative_start[k] + matrix.rows_of(k).len().pow(2));
        }
        Ok(Self {
            matrix,
            free_velocity: dual.free_velocity().to_vec(),
            cones: (0..blocks).map(|k| dual.cone(k)).collect(),
            softness: dual.softness().to_vec(),
            exact: dual.law() == FrictionLaw::Exact,
            alpha: 0.0,
            centre: vec![0.0; rows],
            centre_norm: f64::INFINITY,
            steps: 0,
            recent: [0.0; MEMORY],
            point: Point::new(rows),
            trial: Point::new(rows),
            step: vec![0.0; rows],
            derivative: vec![0.0; derivative_start[blocks]],
            derivative_start,
            place: vec![OPEN; blocks],
        })
    }

    pub(crate) fn impulses(&self) -> &[f64] {
        &self.point.g
    }

    /// Starts from impulses with the regularisation α.
    pub(crate) fn start(&mut self, g: &[f64], alpha: f64) {
        self.alpha = alpha;
        self.point.g.copy_from_slice(g);
        self.recentre();
    }

    fn recentre(&mut self) {
        self.centre.copy_from_slice(&self.point.g);
        let mut point = std::mem::replace(&mut self.point, Point::new(0));
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
        let mut trial = std::mem::replace(&mut self.trial, Point::new(0));
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

    /// y = u + s(u) e_n of one block.
    fn lifted(&self, k: usize, u: &[f64]) -> [f64; MAX_ROWS] {
        let mut y = [0.0; MAX_ROWS];
        y[..u.len()].copy_from_slice(u);
        if self.exact {
            y[0] += self.cones[k].dilation(u);
        }
        y
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
            let y = self.lifted(k, &u[rows.clone()]);
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
            let mut z = self.lifted(k, &self.point.u[rows.clone()]);
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
        let mut system = System::new(size, &self.matrix, &self.place);
        let mut rhs = vec![0.0; size];
        for k in (0..self.cones.len()).filter(|&k| self.place[k] != OPEN) {
            self.assemble(k, &mut system, &mut rhs);
        }
        if !system.solve(&mut rhs) || rhs.iter().any(|x| !x.is_finite()) {
            return false;
        }
        for k in (0..self.cones.len()).filter(|&k| self.place[k] != OPEN) {
            let rows = self.matrix.rows_of(k);
            let solved = &rhs[self.place[k]..self.place[k] + rows.len()];
            self.step[rows].copy_from_slice(solved);
        }
        true
    }

    /// The rows of one block: σ(I − P) dg_k + P A (Σ N_kj dg_j + ασ dg_k) = −σF.
    fn assemble(&self, k: usize, system: &mut System, rhs: &mut [f64]) {
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
        for (other, n) in self.matrix.row(k) {
            let columns = self.matrix.rows_of(other);
            let width = columns.len();
            for i in 0..d {
                for j in 0..width {
                    let mut entry: f64 = (0..d).map(|l| pa[i * d + l] * n[l * width + j]).sum();
                    if other == k {
                        let identity = f64::from(u8::from(i == j));
                        entry += sigma * (identity - p[i * d + j]) + self.alpha * sigma * pa[i * d + j];
                    }
                    match self.place[other] {
                        // An open block moves by −g, known beforehand.
                        OPEN => rhs[first + i] += entry * self.point.g[columns.start + j],
                        column => system.add(first + i, column + j, entry),
                    }
                }
            }
        }
    }
}

/// Newton's matrix, dense or sparse.
enum System {
    Dense { size: usize, values: Vec<f64> },
    Sparse { size: usize, entries: Vec<(usize, usize, f64)> },
}

impl System {
    fn new(size: usize, matrix: &BlockMatrix, place: &[usize]) -> Self {
        let mut entries = 0;
        for k in (0..place.len()).filter(|&k| place[k] != OPEN) {
            let active = matrix.row(k).filter(|(other, _)| place[*other] != OPEN);
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
            Self::Dense { size: 0, .. } => true,
            Self::Dense { size, values } => {
                DenseLu::factorise(size, &values).solve_in_place(rhs);
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
