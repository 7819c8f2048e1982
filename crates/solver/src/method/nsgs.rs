//! Non-smooth Gauss-Seidel: one block after the other, each solved exactly for its own impulse (THEORY §8).
//!
//! With the other impulses fixed a block sees u = N_kk g + q. A friction block is open, sticks or slides:
//!
//! ```text
//! open     q ∈ K* (relaxed), q_n ≥ 0 (exact)        g = 0
//! sticks   g = −N_kk⁻¹q ∈ K                          u = 0
//! slides   exact:   u_n = 0, u_t = −κ g_t, ‖g_t‖ = μ g_n:  (N_kk + κ diag(0, 1, 1)) g = −q, one equation for κ > 0
//!          relaxed: the ray of the boundary with the least objective, one equation for its angle
//! ```

use crate::SolveError;
use crate::change::Change;
use crate::cone::{Cone, friction};
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockMatrix, DualProblem, MAX_ROWS};
use crate::dual_engine::DualEngine;
use crate::friction_law::FrictionLaw;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Non-smooth Gauss-Seidel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Nsgs {
    /// Share of each block's own answer taken; 1 is Gauss-Seidel.
    pub relaxation: f64,
}

impl Default for Nsgs {
    fn default() -> Self {
        Self { relaxation: 1.0 }
    }
}

impl MethodSettings for Nsgs {
    fn describe(&self) -> Description {
        Description {
            name: "nsgs",
            summary: "non-smooth Gauss-Seidel with an exact one-contact solve, relaxed or exact law",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let value = self.relaxation;
        if value > 0.0 && value < 2.0 {
            Ok(())
        } else {
            Err(SolveError::Setting { name: "relaxation", value, allowed: "a number between 0 and 2" })
        }
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(NsgsEngine::new(self.clone())))
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
}

struct NsgsEngine {
    settings: Nsgs,
    /// N of the law in force.
    matrix: BlockMatrix,
    g: Vec<f64>,
    estimate: Option<Estimate>,
}

impl NsgsEngine {
    fn new(settings: Nsgs) -> Self {
        Self { settings, matrix: BlockMatrix::default(), g: Vec::new(), estimate: None }
    }
}

impl DualEngine for NsgsEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            dual.write_out_law(&mut self.matrix)?;
        }
        Ok(())
    }
    fn begin(&mut self, _: &mut DualProblem, start: &[f64]) {
        self.g.clear();
        self.g.extend_from_slice(start);
        self.estimate = None;
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        let exact = dual.law() == FrictionLaw::Exact;
        let mut squares = 0.0;
        for k in 0..self.matrix.len() {
            let rows = self.matrix.rows_of(k);
            let d = rows.len();
            let diagonal = self.matrix.diagonal(k);
            let (mut q, mut found) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            self.matrix.multiply_row(k, &self.g, &mut q[..d]);
            let g = &mut self.g[rows.clone()];
            for i in 0..d {
                let own: f64 = diagonal[i * d..(i + 1) * d].iter().zip(&*g).map(|(n, g)| n * g).sum();
                q[i] += dual.free_velocity()[rows.start + i] - own;
            }
            found[..d].copy_from_slice(g);
            solve_block(dual.cone(k), diagonal, &q[..d], exact, &mut found[..d]);
            let softness = dual.softness()[k];
            for (g, found) in g.iter_mut().zip(&found) {
                let change = self.settings.relaxation * (found - *g);
                squares += (softness * change).powi(2);
                *g += change;
            }
        }
        self.estimate = Some(dual.estimate_from(squares));
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "nsgs"
    }
}

/// Replaces `g` by the answer of one block; N_kk = `n`, row-major.
fn solve_block(cone: Cone, n: &[f64], q: &[f64], exact: bool, g: &mut [f64]) {
    match cone {
        Cone::Free => g[0] = -q[0] / n[0],
        Cone::NonNegative => g[0] = (-q[0] / n[0]).max(0.0),
        Cone::Friction { mu } => solve_friction(mu, n, q, exact, g),
        Cone::Rolling { .. } => iterate_block(cone, n, q, exact, g),
    }
}

fn solve_friction(mu: f64, n: &[f64], q: &[f64], exact: bool, g: &mut [f64]) {
    let cone = Cone::Friction { mu };
    let open = if exact { q[0] >= 0.0 } else { cone.dual_distance(q) == 0.0 };
    if open {
        g.fill(0.0);
        return;
    }
    let d = q.len();
    // The matrix may be singular (plane contacts written in space); a share of its trace makes it regular.
    let trace: f64 = (0..d).map(|i| n[i * d + i]).sum();
    let smallest = 1e-14 * trace;
    let Some(stick) = sliding(n, q, smallest) else { return iterate_block(cone, n, q, exact, g) };
    if excess(mu, &stick, d) <= 0.0 {
        g.copy_from_slice(&stick[..d]);
        return;
    }
    let found = if exact { slide_exactly(mu, n, q, [smallest, trace]) } else { slide_relaxed(mu, n, q) };
    match found {
        Some(found) => g.copy_from_slice(&found[..d]),
        None => iterate_block(cone, n, q, exact, g),
    }
    cone.project(g);
}

/// ‖g_t‖ − μ g_n.
fn excess(mu: f64, g: &[f64; 3], d: usize) -> f64 {
    friction::tangent_norm(&g[..d]) - mu * g[0]
}

/// (N_kk + κ diag(0, 1, 1)) g = −q.
fn sliding(n: &[f64], q: &[f64], kappa: f64) -> Option<[f64; 3]> {
    let d = q.len();
    let mut a = [0.0; 9];
    a[..d * d].copy_from_slice(n);
    (1..d).for_each(|i| a[i * d + i] += kappa);
    solve_small(d, &mut a[..d * d], q)
}

/// κ with ‖g_t‖ = μ g_n, which is bracketed from the sticking κ = 0 upwards.
fn slide_exactly(mu: f64, n: &[f64], q: &[f64], [mut low, trace]: [f64; 2]) -> Option<[f64; 3]> {
    let d = q.len();
    let over = |kappa: f64| sliding(n, q, kappa).map(|g| excess(mu, &g, d));
    let mut high = trace;
    for _ in 0..MOST_DOUBLINGS {
        if over(high)? <= 0.0 {
            let kappa = root([low, high], |kappa| over(kappa).unwrap_or(f64::NAN));
            return sliding(n, q, kappa);
        }
        low = high;
        high *= 16.0;
    }
    None
}

/// The best ray of the boundary, d(θ) = (1, μ cos θ, μ sin θ): along it the objective is least at g = −(q·d)/(dᵀNd) d,
/// where it is −½(q·d)²/(dᵀNd). The block's problem is convex and its answer not sticking, so that the ray is unique.
fn slide_relaxed(mu: f64, n: &[f64], q: &[f64]) -> Option<[f64; 3]> {
    let d = q.len();
    let ray = |theta: f64| [1.0, mu * theta.cos(), mu * theta.sin()];
    let tangent = |theta: f64| [0.0, -mu * theta.sin(), mu * theta.cos()];
    let along = |d_: &[f64; 3]| (0..d).map(|i| q[i] * d_[i]).sum::<f64>();
    let energy = |a: &[f64; 3], b: &[f64; 3]| -> f64 {
        (0..d).map(|i| a[i] * (0..d).map(|j| 0.5 * (n[i * d + j] + n[j * d + i]) * b[j]).sum::<f64>()).sum()
    };
    let gain = |theta: f64| {
        let ray = ray(theta);
        let push = -along(&ray);
        if push > 0.0 { push * push / energy(&ray, &ray) } else { 0.0 }
    };
    let answer = |theta: f64| {
        let ray = ray(theta);
        let length = -along(&ray) / energy(&ray, &ray);
        ray.map(|x| length * x)
    };
    if d == 2 {
        let theta = if gain(0.0) >= gain(std::f64::consts::PI) { 0.0 } else { std::f64::consts::PI };
        return (gain(theta) > 0.0).then(|| answer(theta));
    }
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / SAMPLES as f64;
    let best = (0..SAMPLES).max_by(|&i, &j| gain(angle(i)).total_cmp(&gain(angle(j))))?;
    if gain(angle(best)) <= 0.0 {
        return None;
    }
    // Half the derivative of the gain, up to a positive factor: it falls through zero at the maximum.
    let slope = |theta: f64| {
        let (ray, tangent) = (ray(theta), tangent(theta));
        along(&ray) * along(&tangent) * energy(&ray, &ray) - along(&ray).powi(2) * energy(&ray, &tangent)
    };
    let width = angle(1);
    Some(answer(root([angle(best) - width, angle(best) + width], slope)))
}

/// A root of `f`, positive at the lower and negative at the upper end: false position (Illinois), bisection where that is slow.
fn root([mut low, mut high]: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
    let (mut f_low, mut f_high) = (f(low), f(high));
    let mut x = high;
    for iteration in 0..MOST_ROOT_STEPS {
        if high - low <= 2.0 * f64::EPSILON * high.abs() {
            break;
        }
        x = (low * f_high - high * f_low) / (f_high - f_low);
        if iteration % 4 == 3 || !(x > low && x < high) {
            x = if low > 0.0 && high > 16.0 * low { (low * high).sqrt() } else { 0.5 * (low + high) };
        }
        let value = f(x);
        if value == 0.0 || value.is_nan() {
            break;
        }
        if value > 0.0 {
            (low, f_low) = (x, value);
            f_high *= 0.5;
        } else {
            (high, f_high) = (x, value);
            f_low *= 0.5;
        }
        if value.abs() <= ROOT_TOLERANCE * f_low.abs().max(f_high.abs()) && iteration > 4 {
            break;
        }
    }
    x
}

const MOST_DOUBLINGS: u32 = 60;
const MOST_ROOT_STEPS: u32 = 100;
const ROOT_TOLERANCE: f64 = 1e-15;
/// Rays looked at before the best is refined.
const SAMPLES: usize = 24;

/// A⁻¹(−q) by elimination with pivoting (A need not be symmetric); `None` when A is singular.
fn solve_small(d: usize, a: &mut [f64], q: &[f64]) -> Option<[f64; 3]> {
    let mut x = [0.0; 3];
    (0..d).for_each(|i| x[i] = -q[i]);
    for column in 0..d {
        let pivot = (column..d).max_by(|&i, &j| a[i * d + column].abs().total_cmp(&a[j * d + column].abs()))?;
        (0..d).for_each(|j| a.swap(column * d + j, pivot * d + j));
        x.swap(column, pivot);
        for row in column + 1..d {
            let factor = a[row * d + column] / a[column * d + column];
            (column..d).for_each(|j| a[row * d + j] -= factor * a[column * d + j]);
            x[row] -= factor * x[column];
        }
    }
    for row in (0..d).rev() {
        let sum: f64 = (row + 1..d).map(|j| a[row * d + j] * x[j]).sum();
        x[row] = (x[row] - sum) / a[row * d + row];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Projections within the block until it settles: for cones of other shapes.
fn iterate_block(cone: Cone, n: &[f64], q: &[f64], exact: bool, g: &mut [f64]) {
    let d = q.len();
    let trace: f64 = (0..d).map(|i| n[i * d + i]).sum();
    let step = 1.0 / trace.max(f64::MIN_POSITIVE);
    let mut z = [0.0; MAX_ROWS];
    for _ in 0..LOCAL_ITERATIONS {
        for i in 0..d {
            z[i] = q[i] + (0..d).map(|j| n[i * d + j] * g[j]).sum::<f64>();
        }
        if exact {
            z[0] += cone.dilation(&z[..d]);
        }
        for i in 0..d {
            z[i] = g[i] - step * z[i];
        }
        cone.project(&mut z[..d]);
        let change = (0..d).map(|i| (z[i] - g[i]).abs()).fold(0.0, f64::max);
        let size = z[..d].iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        g.copy_from_slice(&z[..d]);
        if change <= 1e-15 * size {
            break;
        }
    }
}

/// Projections within one block.
const LOCAL_ITERATIONS: u32 = 200;
