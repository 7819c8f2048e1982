//! Trust-region Newton for bounds (TRON) [LinMore1999], on the dual q(g) = ½gᵀNg + rᵀg, g ≥ 0 where bounded.
//!
//! One outer iteration:
//!
//! ```text
//! Cauchy     g_c = Π(g − α D⁻¹y),  D = diag N,  α with q(g_c) ≤ q(g) + μ₀ y·(g_c − g) and ‖g_c − g‖_D ≤ Δ
//! subspace   F = {i : g_i > 0 or unbounded};  N_FF w = −y_F by conjugate gradients, preconditioned by the incomplete
//!            Cholesky factor of N_FF, until the residual has fallen by ξ or ‖w‖_D = Δ
//! search     g ← Π(g + βw) with sufficient decrease; again from `subspace` on the smaller face while that pays
//! radius     Δ from the ratio of the true decrease to the sum of those the steps foretold
//! ```
//!
//! q is its own quadratic model, so the ratio is 1 but for the drift of the recurrences, which the fresh gradient at the
//! end of an outer iteration takes out. Δ keeps steps finite where N_FF is singular, as it is for pyramids of more than
//! three facets. Every product with N is one iteration: a trial of a search, or a step of conjugate gradients.

use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockMatrix, DualProblem, dot};
use crate::dual_engine::DualEngine;
use crate::method::blmvm::{Watch, bounded_rows};
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;
use signorini_linalg::{CscMatrix, IncompleteCholesky};

/// Trust-region Newton.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tron {
    /// ξ: conjugate gradients stop at this share of the residual they began with, between 0 and 1.
    pub subspace_tolerance: f64,
    /// Entries below the diagonal that the incomplete factor keeps of each column of N, at least 1.
    pub factor_entries: u32,
}

impl Default for Tron {
    fn default() -> Self {
        Self { subspace_tolerance: 0.1, factor_entries: 256 }
    }
}

impl MethodSettings for Tron {
    fn describe(&self) -> Description {
        Description {
            name: "tron",
            summary: "trust-region Newton for bounds, incomplete Cholesky inside; friction as pyramids",
            accepts: Accepts::BOUNDS,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let (xi, entries) = (self.subspace_tolerance, self.factor_entries);
        if !(xi > 0.0 && xi < 1.0) {
            let allowed = "a number between 0 and 1";
            return Err(SolveError::Setting { name: "subspace-tolerance", value: xi, allowed });
        }
        if entries > 0 {
            Ok(())
        } else {
            Err(SolveError::Setting { name: "factor-entries", value: 0.0, allowed: "a number ≥ 1" })
        }
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(TronEngine::new(self.clone())))
    }
}

/// μ₀: share of the decrease foretold by the slope that a step must bring [LinMore1999].
const SUFFICIENT: f64 = 1e-2;
/// A shorter step is this share of the last at least and at most.
const SHRINK: [f64; 2] = [0.1, 0.5];
/// A longer Cauchy step is this multiple of the last at most, and worth its product from the smaller one on.
const STRETCH: [f64; 2] = [2.0, 10.0];
/// Trials of a projected search before the way to the nearest bound is taken, which needs no product.
const MOST_TRIALS: u32 = 6;
/// Trials of a Cauchy search before the best point of the chord is taken.
const MOST_CAUCHY_TRIALS: u32 = 8;
/// Share of the free rows, and number, after which conjugate gradients are cut off.
const MOST_STEPS: [usize; 2] = [2, 50];
/// Conjugate gradients also stop when a step gains less than this share of the best one: the face is then more likely
/// wrong than the system unsolved [MoreToraldo1991].
const SLUGGISH: f64 = 0.01;
/// Ratios of true to foretold decrease at which the radius shrinks and grows, and the step is refused.
const RATIOS: [f64; 3] = [0.25, 0.75, 1e-4];
/// Factors of the radius.
const RADII: [f64; 2] = [0.25, 10.0];
/// A radius that grows is at least this many lengths of the scaled gradient: steps that bounds cut short would shrink it
/// until only one or two bounds are met at a time.
const LEAST_RADIUS: f64 = 10.0;
/// A smaller face is solved at once while a step there gains this share of the best step of the outer iteration.
const WORTH_WHILE: f64 = 0.1;
/// First radius in lengths of the first scaled gradient step.
const FIRST_RADIUS: f64 = 100.0;
/// ξ shrinks by this factor when the face did not change in an outer iteration, down to the least.
const TIGHTEN: f64 = 0.1;
const LEAST_XI: f64 = 1e-6;

enum Phase {
    /// An outer iteration begins.
    Begin,
    /// The next product is of a Cauchy step; the longest that was good enough is in `w` (its product in `nw`).
    Cauchy { trial: u32, found: bool },
    /// The next product is of a direction of conjugate gradients.
    Subspace,
    /// The next product is of a projected step along w.
    Search { beta: f64, trial: u32 },
    /// The gradient is computed afresh and the radius chosen.
    End,
}

/// What an outer iteration remembers.
#[derive(Default)]
struct Outer {
    g: Vec<f64>,
    y: Vec<f64>,
    /// Sum of the changes of q that its steps foretold.
    foretold: f64,
    /// Largest decrease by one of its steps.
    gain: f64,
    /// Length of the projected gradient at its beginning.
    residual: f64,
    /// A step ended on the boundary of the trust region.
    on_boundary: bool,
}

/// Scalars of the conjugate gradients.
#[derive(Default)]
struct Conjugate {
    /// rᵀM⁻¹r, and the value at which to stop.
    rho: f64,
    stop: f64,
    /// ‖w‖²_D.
    size: f64,
    steps: usize,
    /// Largest decrease of q by one step.
    gain: f64,
}

struct TronEngine {
    settings: Tron,
    /// N in blocks, and entry by entry.
    matrix: BlockMatrix,
    entries: CscMatrix,
    g: Vec<f64>,
    y: Vec<f64>,
    outer: Outer,
    bounded: Vec<bool>,
    /// Trial step and its product.
    s: Vec<f64>,
    ns: Vec<f64>,
    /// Step on the face and its product.
    w: Vec<f64>,
    nw: Vec<f64>,
    /// Direction of the conjugate gradients and its product.
    p: Vec<f64>,
    np: Vec<f64>,
    /// −y_F − N_FF w, zero elsewhere.
    residual: Vec<f64>,
    free: Vec<usize>,
    /// F of the factor.
    factorised: Vec<usize>,
    compressed: Vec<f64>,
    factor: IncompleteCholesky,
    cg: Conjugate,
    xi: f64,
    /// Length of the last Cauchy step.
    alpha: f64,
    radius: f64,
    phase: Phase,
    watch: Watch,
    estimate: Option<Estimate>,
}

impl TronEngine {
    fn new(settings: Tron) -> Self {
        let entries = CscMatrix::zeros(0, 0);
        let factor = IncompleteCholesky::new(&entries, settings.factor_entries as usize);
        let (matrix, g, y, outer, bounded, s, ns, w, nw) = Default::default();
        let (p, np, residual, free, factorised, compressed, cg) = Default::default();
        Self {
            xi: settings.subspace_tolerance,
            settings,
            matrix,
            entries,
            g,
            y,
            outer,
            bounded,
            s,
            ns,
            w,
            nw,
            p,
            np,
            residual,
            free,
            factorised,
            compressed,
            factor,
            cg,
            alpha: 1.0,
            radius: f64::INFINITY,
            phase: Phase::Begin,
            watch: Watch::default(),
            estimate: None,
        }
    }

    /// Length of the gradient that can still lower q.
    fn projected_gradient(&self, dual: &DualProblem) -> f64 {
        let rows = self.g.iter().zip(&self.y).zip(&self.bounded).zip(dual.softness());
        let squares =
            rows.map(|(((g, y), bounded), n)| if *bounded && *g <= 0.0 { y.min(0.0) } else { *y }.powi(2) / n);
        squares.sum::<f64>().sqrt()
    }

    fn begin_outer(&mut self, dual: &DualProblem) -> bool {
        self.outer.g.copy_from_slice(&self.g);
        self.outer.y.copy_from_slice(&self.y);
        self.outer.foretold = 0.0;
        self.outer.gain = 0.0;
        self.outer.on_boundary = false;
        self.outer.residual = self.projected_gradient(dual);
        if self.radius.is_infinite() {
            self.radius = FIRST_RADIUS * self.outer.residual;
        }
        self.phase = Phase::Cauchy { trial: 0, found: false };
        self.outer.residual > 0.0
    }

    /// One trial of the Cauchy search: a shorter step until one is good enough, a longer one while that pays.
    fn cauchy(&mut self, dual: &mut DualProblem, trial: u32, found: bool) -> Step {
        for i in 0..self.g.len() {
            let step = -self.alpha * self.y[i] / dual.softness()[i];
            self.s[i] = if self.bounded[i] { step.max(-self.g[i]) } else { step };
        }
        let mut length = scaled_size(dual, &self.s).sqrt();
        if length > self.radius && !found {
            // Shorter at once: no product is needed to know that this one is too long.
            let shrink = self.radius / length;
            self.s.iter_mut().for_each(|s| *s *= shrink);
            self.alpha *= shrink;
            length = self.radius;
        }
        dual.apply(&self.s, &mut self.ns);
        let (slope, curvature) = (dot(&self.y, &self.s), dot(&self.s, &self.ns));
        let descends = slope < 0.0;
        if !descends {
            return Step::Stalled("rounding hides the descent");
        }
        let best = if curvature > 0.0 { -slope / curvature } else { f64::INFINITY };
        let good = best >= 0.5 / (1.0 - SUFFICIENT) && length <= self.radius * (1.0 + f64::EPSILON.sqrt());
        if good {
            std::mem::swap(&mut self.w, &mut self.s);
            std::mem::swap(&mut self.nw, &mut self.ns);
            if best > STRETCH[0] && trial < MOST_CAUCHY_TRIALS && length < 0.5 * self.radius {
                self.alpha *= best.min(STRETCH[1]);
                self.phase = Phase::Cauchy { trial: trial + 1, found: true };
                return Step::Taken;
            }
        } else if found {
            // The step before was the last good one; start from its length next time.
            self.alpha /= STRETCH[0];
        } else if trial < MOST_CAUCHY_TRIALS {
            self.alpha *= best.clamp(SHRINK[0], SHRINK[1]);
            self.phase = Phase::Cauchy { trial: trial + 1, found: false };
            return Step::Taken;
        } else {
            let t = best.min(1.0);
            self.w.iter_mut().zip(&self.s).for_each(|(w, s)| *w = t * s);
            self.nw.iter_mut().zip(&self.ns).for_each(|(w, s)| *w = t * s);
        }
        self.move_by(dual, 1.0);
        self.begin_subspace();
        Step::Taken
    }

    /// g += βw with its gradient; returns the decrease of q that foretells.
    fn move_by(&mut self, dual: &DualProblem, beta: f64) -> f64 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for i in 0..self.g.len() {
            let (step, change) = (beta * self.w[i], beta * self.nw[i]);
            slope += self.y[i] * step;
            curvature += step * change;
            self.g[i] += step;
            if self.bounded[i] && self.g[i] < 0.0 {
                // Rounding of g + βw; exact zeros decide what is free.
                self.g[i] = 0.0;
            }
            self.y[i] += change;
        }
        let gain = -(slope + 0.5 * curvature);
        self.outer.foretold -= gain;
        self.outer.gain = self.outer.gain.max(gain);
        self.watch.gained(gain);
        self.estimate = Some(dual.natural_map(&self.g, &self.y));
        gain
    }

    /// Sets F, its factor, and conjugate gradients at w = 0.
    fn begin_subspace(&mut self) {
        self.free.clear();
        let (g, bounded) = (&self.g, &self.bounded);
        self.free.extend((0..g.len()).filter(|&i| !bounded[i] || g[i] > 0.0));
        if self.free != self.factorised {
            self.factor.factorise(&self.free);
            self.factorised.clone_from(&self.free);
        }
        for vector in [&mut self.w, &mut self.nw, &mut self.p, &mut self.residual] {
            vector.fill(0.0);
        }
        for &i in &self.free {
            self.residual[i] = -self.y[i];
        }
        self.cg = Conjugate::default();
        self.precondition();
        self.cg.stop = self.xi * self.xi * self.cg.rho;
        self.phase = if self.cg.rho > 0.0 { Phase::Subspace } else { Phase::End };
    }

    /// p ← M⁻¹r + (ρ/ρ_old) p.
    fn precondition(&mut self) {
        let Self { compressed, residual, free, factor, p, cg, .. } = self;
        compressed.clear();
        compressed.extend(free.iter().map(|&i| residual[i]));
        factor.solve_in_place(compressed);
        let rho: f64 = free.iter().zip(&*compressed).map(|(&i, z)| residual[i] * z).sum();
        let beta = if cg.steps > 0 { rho / cg.rho } else { 0.0 };
        free.iter().zip(&*compressed).for_each(|(&i, z)| p[i] = z + beta * p[i]);
        cg.rho = rho;
    }

    /// One step of conjugate gradients on the face.
    fn conjugate(&mut self, dual: &mut DualProblem) {
        dual.apply(&self.p, &mut self.np);
        let curvature = dot(&self.p, &self.np);
        let along = self.p.iter().zip(&self.w).zip(dual.softness()).map(|((p, w), n)| n * p * w).sum::<f64>();
        let length = scaled_size(dual, &self.p);
        // ‖w + tp‖_D = Δ, the larger root.
        let room = self.radius * self.radius - self.cg.size;
        let boundary = (-along + (along * along + length * room.max(0.0)).sqrt()) / length;
        let step = if curvature > 0.0 { self.cg.rho / curvature } else { f64::INFINITY };
        let t = step.min(boundary);
        if !t.is_finite() {
            self.phase = Phase::End;
            return;
        }
        for i in 0..self.g.len() {
            self.w[i] += t * self.p[i];
            self.nw[i] += t * self.np[i];
        }
        for &i in &self.free {
            self.residual[i] -= t * self.np[i];
        }
        self.cg.size += t * (2.0 * along + t * length);
        self.cg.steps += 1;
        self.outer.on_boundary |= step > boundary;
        // q falls by t(ρ − ½ t pᵀNp), since w is conjugate to p.
        let gain = t * (self.cg.rho - 0.5 * t * curvature);
        self.cg.gain = self.cg.gain.max(gain);
        let slow = gain <= SLUGGISH * self.cg.gain;
        let stop = self.cg.stop;
        if step <= boundary {
            self.precondition();
        }
        let cut_off = self.cg.steps >= self.free.len() / MOST_STEPS[0] + MOST_STEPS[1];
        let unsolved = self.cg.rho > stop;
        if step > boundary || !unsolved || cut_off || slow {
            self.leave_subspace(dual);
        }
    }

    /// Takes w if it keeps the bounds, else begins the projected search.
    fn leave_subspace(&mut self, dual: &DualProblem) {
        if self.free.iter().all(|&i| !self.bounded[i] || self.g[i] + self.w[i] >= 0.0) {
            self.move_by(dual, 1.0);
            self.phase = Phase::End;
        } else {
            self.phase = Phase::Search { beta: 1.0, trial: 0 };
        }
    }

    /// One trial of the projected search along w.
    fn search(&mut self, dual: &mut DualProblem, beta: f64, trial: u32) {
        self.s.fill(0.0);
        for &i in &self.free {
            let step = beta * self.w[i];
            self.s[i] = if self.bounded[i] { step.max(-self.g[i]) } else { step };
        }
        dual.apply(&self.s, &mut self.ns);
        let (slope, curvature) = (dot(&self.y, &self.s), dot(&self.s, &self.ns));
        let best = if curvature > 0.0 { -slope / curvature } else { f64::INFINITY };
        let gain;
        if slope < 0.0 && best >= 0.5 / (1.0 - SUFFICIENT) {
            std::mem::swap(&mut self.w, &mut self.s);
            std::mem::swap(&mut self.nw, &mut self.ns);
            gain = self.move_by(dual, 1.0);
        } else if trial < MOST_TRIALS {
            self.phase = Phase::Search { beta: beta * best.clamp(SHRINK[0], SHRINK[1]), trial: trial + 1 };
            return;
        } else {
            let steps = self.free.iter().filter(|&&i| self.bounded[i] && self.w[i] < 0.0);
            let nearest = steps.map(|&i| -self.g[i] / self.w[i]).fold(1.0, f64::min);
            gain = self.move_by(dual, nearest);
        }
        // Variables have met their bounds: the face is smaller. Go on there while that gains as much as it did.
        if gain > WORTH_WHILE * self.outer.gain {
            self.begin_subspace();
        } else {
            self.phase = Phase::End;
        }
    }

    /// Takes out drift, judges the foretold decrease, chooses the radius.
    fn end_outer(&mut self, dual: &mut DualProblem) {
        dual.gradient(&self.g, &mut self.y);
        // q(g) − q(g_k) = ½(y + y_k)·(g − g_k), without subtracting large numbers.
        let rows = self.g.iter().zip(&self.outer.g).zip(self.y.iter().zip(&self.outer.y));
        let (mut change, mut same_face, mut squares) = (0.0, true, 0.0);
        for (i, ((new, old), (y_new, y_old))) in rows.enumerate() {
            let step = new - old;
            change += 0.5 * (y_new + y_old) * step;
            squares += dual.softness()[i] * step * step;
            same_face &= !self.bounded[i] || (*new > 0.0) == (*old > 0.0);
        }
        let ratio = if self.outer.foretold < 0.0 { change / self.outer.foretold } else { 1.0 };
        let [low, high, refuse] = RATIOS;
        if ratio < low {
            self.radius = RADII[0] * self.radius.min(squares.sqrt());
        } else if ratio > high && self.outer.on_boundary {
            // A step that bounds cut short says nothing about longer ones.
            let least = LEAST_RADIUS * self.outer.residual;
            self.radius = RADII[1] * self.radius.min(squares.sqrt()).max(least);
        }
        if ratio < refuse {
            self.g.copy_from_slice(&self.outer.g);
            self.y.copy_from_slice(&self.outer.y);
        }
        // On a face that stays, more of the same system is worth more than another Cauchy search.
        self.xi = if same_face { (TIGHTEN * self.xi).max(LEAST_XI) } else { self.settings.subspace_tolerance };
        self.estimate = Some(dual.natural_map(&self.g, &self.y));
        self.phase = Phase::Begin;
    }
}

/// ‖x‖²_D.
fn scaled_size(dual: &DualProblem, x: &[f64]) -> f64 {
    x.iter().zip(dual.softness()).map(|(x, n)| n * x * x).sum()
}

impl DualEngine for TronEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            dual.write_out(&mut self.matrix)?;
            self.matrix.update_csc(&mut self.entries)?;
            self.factor.renew(&self.entries);
            // No rows are factorised yet.
            self.factorised.clear();
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let m = dual.rows();
        self.g.clear();
        self.g.extend_from_slice(start);
        let Self { y, outer, s, ns, w, nw, p, np, residual, .. } = self;
        for vector in [y, &mut outer.g, &mut outer.y, s, ns, w, nw, p, np, residual] {
            vector.clear();
            vector.resize(m, 0.0);
        }
        for list in [&mut self.free, &mut self.factorised] {
            list.reserve(m.saturating_sub(list.len()));
        }
        self.compressed.clear();
        self.compressed.reserve(m);
        bounded_rows(dual, &mut self.bounded);
        self.xi = self.settings.subspace_tolerance;
        (self.alpha, self.radius, self.phase, self.watch) = (1.0, f64::INFINITY, Phase::Begin, Watch::default());
        dual.gradient(&self.g, &mut self.y);
        self.estimate = Some(dual.natural_map(&self.g, &self.y));
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        if self.watch.idle(self.estimate) {
            return Step::Stalled("steps no longer reduce the residual");
        }
        if matches!(self.phase, Phase::Begin) && !self.begin_outer(dual) {
            return Step::Stalled("no impulse can move");
        }
        match self.phase {
            Phase::Begin => {}
            Phase::Cauchy { trial, found } => return self.cauchy(dual, trial, found),
            Phase::Subspace => self.conjugate(dual),
            Phase::Search { beta, trial } => self.search(dual, beta, trial),
            Phase::End => self.end_outer(dual),
        }
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn phase(&self) -> &'static str {
        "tron"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate
    }
}
