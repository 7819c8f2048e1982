//! Projected limited-memory quasi-Newton for bounds (BLMVM) [BensonMore2001].
//!
//! ```text
//! F = {i : not (g_i = 0 and y_i ≥ 0)}          variables that may move; y = Ng + r
//! d_F = −B y_F,  d = 0 elsewhere               B: the last m pairs (s, Ns), projected onto F (two-loop recursion)
//! g⁺ = Π(g + αd)                               projected search along the arc α ↦ Π(g + αd)
//! ```
//!
//! The objective is quadratic, so the product Ns of a trial step s = Π(g + αd) − g tells the exact minimiser
//! t* = −y·s/s·Ns on the chord g + ts. Where no bound was met, the step is t*s (as far as bounds allow): on one face with
//! exact steps the method makes the directions of conjugate gradients. Where a bound was met, g + s is taken if it lowers
//! the objective enough, else α shrinks. Every trial is one product with N and one iteration.

use crate::SolveError;
use crate::change::Change;
use crate::cone::Cone;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{DualProblem, dot};
use crate::dual_engine::DualEngine;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Projected limited-memory quasi-Newton.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Blmvm {
    /// m: pairs of steps and products that are remembered, 1 to 50. Each costs two vectors and 8 flops per row and iteration.
    pub memory: u32,
}

impl Default for Blmvm {
    fn default() -> Self {
        Self { memory: 5 }
    }
}

/// Most pairs: beyond some dozens the pairs cost more than the product.
const MOST_MEMORY: u32 = 50;

impl MethodSettings for Blmvm {
    fn describe(&self) -> Description {
        Description {
            name: "blmvm",
            summary: "projected limited-memory quasi-Newton for bounds; friction as pyramids",
            accepts: Accepts::BOUNDS,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        if (1..=MOST_MEMORY).contains(&self.memory) {
            return Ok(());
        }
        let value = f64::from(self.memory);
        Err(SolveError::Setting { name: "memory", value, allowed: "a number of pairs from 1 to 50" })
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(BlmvmEngine::new(self)))
    }
}

/// Which rows have the bound g ≥ 0.
pub(crate) fn bounded_rows(dual: &DualProblem, bounded: &mut Vec<bool>) {
    bounded.resize(dual.rows(), false);
    for k in 0..dual.blocks() {
        bounded[dual.rows_of(k)].fill(dual.cone(k) != Cone::Free);
    }
}

/// Iterations after which y is computed afresh: it is otherwise a sum of products.
const FRESH_EVERY: u32 = 100;
/// Share of the decrease foretold by the slope that a step onto bounds must bring.
const SUFFICIENT: f64 = 1e-2;
/// A shorter arc is this share of the last at least and at most.
const SHRINK: [f64; 2] = [0.1, 0.5];
/// Arcs tried before the best point of the chord is taken, which always lowers the objective.
const MOST_ARCS: u32 = 4;
/// Pairs with a smaller cosine between s and Ns say nothing about curvature.
const LEAST_COSINE: f64 = 1e-10;
/// Directions closer than this to a right angle with −y are replaced by the gradient.
const LEAST_DESCENT: f64 = 1e-12;

struct BlmvmEngine {
    g: Vec<f64>,
    y: Vec<f64>,
    d: Vec<f64>,
    /// Trial step and its product.
    s: Vec<f64>,
    ns: Vec<f64>,
    bounded: Vec<bool>,
    /// 1 on F, 0 elsewhere.
    free: Vec<f64>,
    pairs: Pairs,
    /// α of the arc to be tried next and how many were tried; `None` when a new direction is due.
    arc: Option<(f64, u32)>,
    since_fresh: u32,
    watch: Watch,
    estimate: Option<Estimate>,
}

impl BlmvmEngine {
    fn new(settings: &Blmvm) -> Self {
        let (g, y, d, s, ns, bounded, free) = Default::default();
        Self {
            g,
            y,
            d,
            s,
            ns,
            bounded,
            free,
            pairs: Pairs::new(settings.memory as usize),
            arc: None,
            since_fresh: 0,
            watch: Watch::default(),
            estimate: None,
        }
    }

    /// y = Ng + r from g alone.
    fn refresh(&mut self, dual: &mut DualProblem) {
        dual.gradient(&self.g, &mut self.y);
        self.since_fresh = 0;
        self.estimate = Some(dual.natural_map(&self.g, &self.y));
    }

    /// Sets F and d; false when nothing can move.
    fn find_direction(&mut self, dual: &DualProblem) -> bool {
        let Self { g, y, d, bounded, free, pairs, .. } = self;
        for i in 0..g.len() {
            free[i] = if bounded[i] && g[i] <= 0.0 && y[i] >= 0.0 { 0.0 } else { 1.0 };
            d[i] = -free[i] * y[i];
        }
        // With −y_F in d: the squared length of the gradient on F.
        let gradient = dot(d, d);
        if gradient == 0.0 {
            return false;
        }
        pairs.multiply(d, free, dual.softness());
        let descends = dot(d, y) < -LEAST_DESCENT * (gradient * dot(d, d)).sqrt();
        if !descends {
            pairs.clear();
            for i in 0..g.len() {
                d[i] = -free[i] * y[i] / dual.softness()[i];
            }
        }
        true
    }

    /// Sets s = Π(g + αd) − g; returns whether a bound cut it.
    fn trial(&mut self, alpha: f64) -> bool {
        let mut cut = false;
        for i in 0..self.g.len() {
            let step = alpha * self.d[i];
            let beyond = self.bounded[i] && self.g[i] + step < 0.0;
            cut |= beyond;
            self.s[i] = if beyond { -self.g[i] } else { step };
        }
        cut
    }

    /// The largest t for which g + ts keeps the bounds.
    fn room(&self) -> f64 {
        let rows = self.g.iter().zip(&self.s).zip(&self.bounded);
        rows.fold(f64::INFINITY, |room, ((g, s), bounded)| if *bounded && *s < 0.0 { room.min(-g / s) } else { room })
    }

    /// g += ts; the objective changes by t (slope + ½ t curvature).
    fn take(&mut self, dual: &mut DualProblem, t: f64, slope: f64, curvature: f64) {
        self.watch.gained(-t * (slope + 0.5 * t * curvature));
        for i in 0..self.g.len() {
            self.g[i] += t * self.s[i];
            if self.bounded[i] {
                // Rounding of g + t s; exact zeros decide what is free.
                self.g[i] = self.g[i].max(0.0);
            }
            self.y[i] += t * self.ns[i];
        }
        self.pairs.push(&self.s, &self.ns);
        self.arc = None;
        self.since_fresh += 1;
        if self.since_fresh >= FRESH_EVERY {
            self.refresh(dual);
        } else {
            self.estimate = Some(dual.natural_map(&self.g, &self.y));
        }
    }
}

impl DualEngine for BlmvmEngine {
    fn prepare(&mut self, _: &mut DualProblem, _: Change) -> Result<(), SolveError> {
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let m = dual.rows();
        self.g.clear();
        self.g.extend_from_slice(start);
        for vector in [&mut self.y, &mut self.d, &mut self.s, &mut self.ns, &mut self.free] {
            vector.resize(m, 0.0);
        }
        bounded_rows(dual, &mut self.bounded);
        self.pairs.begin(m);
        (self.arc, self.watch) = (None, Watch::default());
        self.refresh(dual);
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        if self.watch.idle(self.estimate) {
            return Step::Stalled("steps no longer reduce the residual");
        }
        if self.arc.is_none() && !self.find_direction(dual) {
            return Step::Stalled("no impulse can move");
        }
        let (alpha, tried) = self.arc.unwrap_or((1.0, 0));
        let cut = self.trial(alpha);
        let slope = dot(&self.s, &self.y);
        let descends = slope < 0.0;
        if !descends {
            // The projected arc of a quasi-Newton direction may start uphill; that of the scaled gradient does not.
            if self.pairs.is_empty() {
                return Step::Stalled("rounding hides the descent");
            }
            self.pairs.clear();
            self.arc = None;
            return Step::Taken;
        }
        dual.apply(&self.s, &mut self.ns);
        let curvature = dot(&self.s, &self.ns);
        // Without curvature the objective falls along the whole ray; `FARTHEST` keeps the step finite.
        let best = if curvature > 0.0 { -slope / curvature } else { f64::INFINITY };
        let enough = best >= 0.5 / (1.0 - SUFFICIENT);
        if !cut {
            self.take(dual, best.min(self.room()).min(FARTHEST), slope, curvature);
        } else if enough {
            self.take(dual, 1.0, slope, curvature);
        } else if tried < MOST_ARCS {
            self.arc = Some((alpha * best.clamp(SHRINK[0], SHRINK[1]), tried + 1));
        } else {
            self.take(dual, best.min(1.0), slope, curvature);
        }
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn phase(&self) -> &'static str {
        "blmvm"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate
    }
}

/// Longest step along a chord, in lengths of the chord.
const FARTHEST: f64 = 1e3;

/// The last pairs (s, Ns) and products with B, the inverse they approximate.
struct Pairs {
    s: Vec<Vec<f64>>,
    ns: Vec<Vec<f64>>,
    /// Pairs stored; the oldest is at `next` when all places are taken.
    count: usize,
    next: usize,
    coefficient: Vec<f64>,
    /// s·Ns of each pair, and its part on F at the last product (0: not used).
    whole_curvature: Vec<f64>,
    curvature: Vec<f64>,
}

impl Pairs {
    fn new(memory: usize) -> Self {
        let numbers = || vec![0.0; memory];
        Self {
            s: vec![Vec::new(); memory],
            ns: vec![Vec::new(); memory],
            count: 0,
            next: 0,
            coefficient: numbers(),
            whole_curvature: numbers(),
            curvature: numbers(),
        }
    }
    /// No pairs, of vectors of so many rows.
    fn begin(&mut self, rows: usize) {
        self.s.iter_mut().chain(&mut self.ns).for_each(|vector| vector.resize(rows, 0.0));
        self.clear();
    }
    fn is_empty(&self) -> bool {
        self.count == 0
    }
    fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }
    fn push(&mut self, s: &[f64], ns: &[f64]) {
        let curvature = dot(s, ns);
        let curved = curvature > LEAST_COSINE * (dot(s, s) * dot(ns, ns)).sqrt();
        if !curved {
            return;
        }
        self.whole_curvature[self.next] = curvature;
        self.s[self.next].copy_from_slice(s);
        self.ns[self.next].copy_from_slice(ns);
        self.next = (self.next + 1) % self.s.len();
        self.count = (self.count + 1).min(self.s.len());
    }
    /// Places from the newest pair to the oldest.
    fn newest_first(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (next, memory) = (self.next, self.s.len());
        (1..=self.count).map(move |back| (next + memory - back) % memory)
    }

    /// x ← B x for x = 0 off F, by the two-loop recursion with pairs restricted to F; B₀ = γ diag(N)⁻¹.
    ///
    /// Restricting the pairs takes a fifth fewer iterations than restricting the product with the whole B.
    fn multiply(&mut self, x: &mut [f64], free: &[f64], softness: &[f64]) {
        let mut gamma = None;
        for at in self.newest_first() {
            let (s, ns) = (&self.s[at], &self.ns[at]);
            let curvature = weighted_dot(s, ns, free);
            // On F alone a pair may have lost its curvature.
            let curved = curvature > LEAST_COSINE * self.whole_curvature[at];
            self.curvature[at] = if curved { curvature } else { 0.0 };
            if !curved {
                continue;
            }
            gamma.get_or_insert_with(|| {
                let rows = ns.iter().zip(free).zip(softness);
                curvature / rows.map(|((ns, free), n)| free * ns * ns / n).sum::<f64>()
            });
            let coefficient = dot(s, x) / curvature;
            self.coefficient[at] = coefficient;
            x.iter_mut().zip(ns).zip(free).for_each(|((x, ns), free)| *x -= coefficient * free * ns);
        }
        let gamma = gamma.unwrap_or(1.0);
        x.iter_mut().zip(softness).for_each(|(x, n)| *x *= gamma / n);
        for at in self.newest_first().rev() {
            let (s, ns, curvature) = (&self.s[at], &self.ns[at], self.curvature[at]);
            if curvature > 0.0 {
                let change = self.coefficient[at] - dot(ns, x) / curvature;
                x.iter_mut().zip(s).zip(free).for_each(|((x, s), free)| *x += change * free * s);
            }
        }
    }
}

/// Σ a_i b_i w_i.
fn weighted_dot(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    // Four running sums, as in `dot`.
    let mut sums = [0.0; 4];
    let (a4, b4, w4) = (a.chunks_exact(4), b.chunks_exact(4), w.chunks_exact(4));
    let last = a4.remainder().iter().zip(b4.remainder()).zip(w4.remainder());
    let rest: f64 = last.map(|((a, b), w)| a * b * w).sum();
    for ((a, b), w) in a4.zip(b4).zip(w4) {
        for i in 0..4 {
            sums[i] += a[i] * b[i] * w[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Watches residual and objective: a method that improves neither for long can do no more.
#[derive(Default)]
pub(crate) struct Watch {
    best: Option<f64>,
    /// Iterations since the residual was last improved, and the decrease of the objective in them and in all.
    since: u32,
    recent: f64,
    total: f64,
}

/// Iterations without a better residual after which a method gives up,
const PATIENCE: u32 = 3000;
/// unless the objective has fallen in them by this share of all it fell: on degenerate problems the residual rises and
/// falls while bounds are tried out.
const WORTH_WHILE: f64 = 1e-10;

impl Watch {
    /// Notes a decrease of the objective.
    pub(crate) fn gained(&mut self, gain: f64) {
        self.recent += gain;
        self.total += gain;
    }
    /// Whether nothing has improved for too long, or the residual is no number.
    pub(crate) fn idle(&mut self, estimate: Option<Estimate>) -> bool {
        let Some(now) = estimate.map(|estimate| estimate.natural_map_relative) else { return false };
        let better = self.best.is_none_or(|best| now < best);
        if better {
            self.best = Some(now);
        }
        self.since += 1;
        if better || (self.since > PATIENCE && self.recent > WORTH_WHILE * self.total) {
            self.since = 0;
            self.recent = 0.0;
        }
        self.since > PATIENCE || !now.is_finite()
    }
}
