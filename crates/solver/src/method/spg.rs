//! Preconditioned spectral projected gradient with fallback, P-SPG-FB (THEORY §8).
//!
//! ```text
//! d = Π(x − α B ∇f(x)) − x,     B_k = 1/mean diag N_kk, one number a block
//! x⁺ = x + λ d,     λ the first of 1, … with  f(x + λd) ≤ max of the last f + ξ λ ∇f·d
//! α⁺ = ‖d‖²_{B⁻¹}/‖d‖²_N  (BB1)   and   ‖d‖²_N/‖Nd‖²_B  (BB2)   in turn, without a period
//! ```
//!
//! f is quadratic: f(x + λd) − f(x) = λ∇f·d + ½λ²‖d‖²_N with ‖d‖²_N = p_d·v_d on bodies, so a line search costs nothing.
//! One pass over J reads the gradient at x and scatters d; velocities follow as v⁺ = v + λ v_d. Nd takes a second pass,
//! which only reads, in every other iteration. The residual goes up and down: the answer is the best iterate.
//!
//! B is a scalar on each block, hence d the projected step of a gradient in another metric, and a descent direction:
//! ∇f·d ≤ −‖d‖²_{B⁻¹}/α. Rounding may say otherwise; then the next step is short and has no preconditioner.

use super::best::Best;
use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockAt, BlockKernel, DualProblem, Forces, lanes};
use crate::dual_engine::DualEngine;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Preconditioned spectral projected gradient with fallback.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spg {
    /// Divide the gradient of each block by the mean diagonal of its part of N.
    pub precondition: bool,
    /// Earlier values of f the line search compares with, from 1 (f falls in every step) to 100.
    pub memory: u32,
    /// ξ: share of the decrease a step promises that it must keep, below ½.
    pub decrease: f64,
    /// Share of iterations that use BB2, from 0 to 1; each of these passes over J twice.
    pub bb2_share: f64,
    /// Least α, relative to 1/mean diag N.
    pub alpha_min: f64,
    /// Largest α, relative to 1/mean diag N.
    pub alpha_max: f64,
}

impl Default for Spg {
    fn default() -> Self {
        Self { precondition: true, memory: 10, decrease: 1e-4, bb2_share: 0.5, alpha_min: 1e-9, alpha_max: 1e9 }
    }
}

impl MethodSettings for Spg {
    fn describe(&self) -> Description {
        Description {
            name: "spg",
            summary: "spectral projected gradient (P-SPG-FB): Barzilai-Borwein steps, non-monotone",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let wrong = |name, value, allowed| Err(SolveError::Setting { name, value, allowed });
        if !(1..=100).contains(&self.memory) {
            return wrong("memory", f64::from(self.memory), "a whole number from 1 to 100");
        }
        if !(self.decrease > 0.0 && self.decrease < 0.5) {
            return wrong("decrease", self.decrease, "a number between 0 and 0.5");
        }
        if !(0.0..=1.0).contains(&self.bb2_share) {
            return wrong("bb2-share", self.bb2_share, "a number from 0 to 1");
        }
        if !(self.alpha_min > 0.0 && self.alpha_min <= 1.0) {
            return wrong("alpha-min", self.alpha_min, "a number above 0 and at most 1");
        }
        if !(self.alpha_max >= 1.0 && self.alpha_max.is_finite()) {
            return wrong("alpha-max", self.alpha_max, "a finite number, at least 1");
        }
        Ok(())
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(SpgEngine::new(self.clone())))
    }
}

struct SpgEngine {
    settings: Spg,
    /// The iterate before the last step, the best one, and room for the next.
    x: [Vec<f64>; 3],
    slot: usize,
    d: Vec<f64>,
    /// The step λd that the next pass takes first.
    lambda: f64,
    /// Velocities H⁻¹Jᵀ(x + λd).
    v: Vec<f64>,
    p_d: Vec<f64>,
    v_d: Vec<f64>,
    alpha: f64,
    /// f of the last iterates less that of the present one: differences stay exact when f itself hardly changes.
    earlier: Vec<f64>,
    oldest: usize,
    iterations: u32,
    /// The next direction has no preconditioner.
    plain: bool,
    /// No descent was found, and fresh velocities are tried once.
    retried: bool,
    best: Best,
    /// Why there is nothing left to do; told after the last iterate was looked at.
    end: Option<&'static str>,
}

/// Iterations after which the velocities are computed afresh from the impulses.
const REFRESH_EVERY: u32 = 100;
/// Multiples of the golden section fill an interval evenly and never repeat.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// A refused λ is shortened to between these shares of itself (σ_min, σ_max of the paper).
const SHORTEN: [f64; 2] = [0.1, 0.9];

impl SpgEngine {
    fn new(settings: Spg) -> Self {
        let (x, d, v, p_d, v_d, earlier) = Default::default();
        Self {
            settings,
            x,
            slot: 0,
            d,
            lambda: 0.0,
            v,
            p_d,
            v_d,
            alpha: 1.0,
            earlier,
            oldest: 0,
            iterations: 0,
            plain: false,
            retried: false,
            best: Best::new(0),
            end: None,
        }
    }

    /// The buffer that holds neither the iterate nor the best one.
    fn spare(&self) -> usize {
        (0..3).find(|slot| ![self.slot, self.best.slot].contains(slot)).unwrap_or(2)
    }

    /// Takes the step λd that is due and computes the velocities of x.
    fn refresh(&mut self, dual: &mut DualProblem) {
        let spare = self.spare();
        let mut next = std::mem::take(&mut self.x[spare]);
        let (x, d, lambda) = (&self.x[self.slot], &self.d, self.lambda);
        let _: [f64; 0] = dual.for_blocks([&mut next], &|block, [next], _| {
            let (x, d) = (&x[block.rows.clone()], &d[block.rows]);
            next.iter_mut().zip(x).zip(d).for_each(|((next, x), d)| *next = x + lambda * d);
        });
        dual.scatter(&next, &mut self.p_d);
        dual.respond(&self.p_d, &mut self.v);
        self.x[spare] = next;
        self.slot = spare;
        self.lambda = 0.0;
    }

    /// The pass over J: takes the step that is due, into buffer `slot`, and finds the next direction there. Returns its
    /// forces and ∇f·d, ‖d‖²_{B⁻¹}, the sums of squares and of eighth powers of the natural map.
    fn sweep(&mut self, dual: &mut DualProblem, slot: usize) -> ([f64; 4], Forces) {
        let mut next = std::mem::take(&mut self.x[slot]);
        let kernel = Direction {
            x: &self.x[self.slot],
            lambda: self.lambda,
            alpha: self.alpha,
            rho: dual.step(),
            precondition: self.settings.precondition && !self.plain,
        };
        let result = dual.sweep_forces(&self.v, [&mut next, &mut self.d], &kernel);
        self.x[slot] = next;
        self.lambda = 0.0;
        result
    }

    /// λ of the line search and f(x + λd) − f(x), for the slope ∇f·d < 0 and the curvature ‖d‖²_N.
    fn search(&self, slope: f64, curvature: f64) -> (f64, f64) {
        let change = |lambda: f64| lambda * slope + 0.5 * lambda * lambda * curvature;
        let reference = self.earlier.iter().fold(0.0_f64, |most, f| most.max(*f));
        let mut lambda = 1.0;
        while change(lambda) > reference + self.settings.decrease * lambda * slope {
            // The least f lies at −slope/curvature, where the test holds; what is refused is longer.
            lambda = (-slope / curvature).clamp(SHORTEN[0] * lambda, SHORTEN[1] * lambda);
        }
        (lambda, change(lambda))
    }

    /// Remembers the f the step of this change comes from.
    fn remember(&mut self, change: f64) {
        self.earlier.iter_mut().for_each(|f| *f -= change);
        // The present iterate counts as one of the last `memory`.
        let room = self.settings.memory as usize - 1;
        if self.earlier.len() < room {
            self.earlier.push(-change);
        } else if room > 0 {
            self.earlier[self.oldest] = -change;
            self.oldest = (self.oldest + 1) % room;
        }
    }
}

/// The step λd of last time, then the next d = Π(x − τ∇f(x)) − x.
struct Direction<'a> {
    x: &'a [f64],
    lambda: f64,
    alpha: f64,
    rho: f64,
    precondition: bool,
}

impl BlockKernel<2, 4> for Direction<'_> {
    #[inline]
    fn block<const D: usize>(
        &self,
        block: BlockAt,
        gradient: &[f64; D],
        [next, d]: [&mut [f64; D]; 2],
        sums: &mut [f64; 4],
    ) -> [f64; D] {
        let weight = if self.precondition { block.softness } else { 1.0 / self.rho };
        let tau = self.alpha / weight;
        let x = &self.x[block.rows.start..block.rows.start + D];
        let (mut now, mut z, mut map) = ([0.0; D], [0.0; D], [0.0; D]);
        for i in 0..D {
            now[i] = x[i] + self.lambda * d[i];
            z[i] = now[i] - tau * gradient[i];
        }
        block.cone.project(&mut z);
        block.cone.natural_map(&now, gradient, self.rho, &mut map);
        let [mut slope, mut moved, mut squares] = [0.0; 3];
        for i in 0..D {
            z[i] -= now[i];
            slope += gradient[i] * z[i];
            moved += z[i] * z[i];
            squares += map[i] * map[i];
        }
        sums[0] += slope;
        sums[1] += weight * moved;
        sums[2] += squares;
        sums[3] += squares.powi(4);
        (*next, *d) = (now, z);
        z
    }
}

impl DualEngine for SpgEngine {
    fn prepare(&mut self, _: &mut DualProblem, _: Change) -> Result<(), SolveError> {
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        for x in &mut self.x {
            x.clear();
            x.extend_from_slice(start);
        }
        self.d.clear();
        self.d.resize(dual.rows(), 0.0);
        for vector in [&mut self.v, &mut self.p_d, &mut self.v_d] {
            vector.resize(dual.columns(), 0.0);
        }
        self.earlier.clear();
        self.earlier.reserve(self.settings.memory as usize);
        (self.slot, self.lambda, self.alpha, self.oldest, self.iterations) = (0, 0.0, 1.0, 0, 0);
        (self.plain, self.retried, self.best, self.end) = (false, false, Best::new(0), None);
        self.refresh(dual);
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        if let Some(reason) = self.end {
            return Step::Stalled(reason);
        }
        if (self.iterations.is_multiple_of(REFRESH_EVERY) && self.iterations > 0) || self.retried {
            self.refresh(dual);
        }
        self.iterations += 1;
        let slot = self.spare();
        let ([slope, moved, squares, powers], forces) = self.sweep(dual, slot);
        self.slot = slot;
        self.best.offer(slot, dual.estimate_from_powers(squares, powers));
        if !(slope.is_finite() && moved.is_finite()) {
            return Step::Stalled("the impulses grow without bound");
        }
        if self.best.is_stale() {
            self.end = Some("the best iterate improves no more");
        }
        if slope >= 0.0 {
            // With a very long step, rounding of x − αB∇f may hide the descent: once more with a short one.
            // Velocities kept by recurrence drift: with fresh ones, too, before it is called the end.
            if moved == 0.0 || self.plain {
                if self.retried {
                    self.end = Some("no direction of descent is left");
                }
                self.retried = true;
            }
            (self.plain, self.alpha) = (true, 1.0);
            return Step::Taken;
        }
        // Bodies: momenta and velocities of d, and the velocities of x + d, which is the next iterate nearly always.
        let [curvature] = dual.settle(forces, &mut self.p_d, &mut self.v_d, [&mut self.v], &|_, p, v_d, [v], sums| {
            let n = p.len();
            let (v_d, v) = (&v_d[..n], &mut v[..n]);
            *sums = lanes(n, |i| {
                v[i] += v_d[i];
                [p[i] * v_d[i]]
            });
        });
        let (lambda, change) = self.search(slope, curvature);
        self.lambda = lambda;
        if lambda != 1.0 {
            let v_d = &self.v_d;
            let _: [f64; 0] = dual.for_columns([&mut self.v], &|columns, [v], _| {
                v.iter_mut().zip(&v_d[columns]).for_each(|(v, v_d)| *v -= (1.0 - lambda) * v_d);
            });
        }
        self.remember(change);
        let precondition = self.settings.precondition && !self.plain;
        // In turn, but without a period: strict alternation can lock the method into a cycle of four step lengths.
        let second = (GOLDEN * f64::from(self.iterations)).fract() < self.settings.bb2_share;
        let ratio = if second {
            let rho = dual.step();
            let [squared] = dual.read_rates(&self.v_d, &|block, rate, [sum]: &mut [f64; 1]| {
                let weight = if precondition { block.softness } else { 1.0 / rho };
                *sum += rate.iter().map(|u| u * u).sum::<f64>() / weight;
            });
            curvature / squared
        } else {
            moved / curvature
        };
        self.plain = false;
        self.retried = false;
        // 0/0 and x/0: no curvature along d, the longest step.
        let Spg { alpha_min, alpha_max, .. } = self.settings;
        self.alpha = if ratio.is_nan() { alpha_max } else { ratio.clamp(alpha_min, alpha_max) };
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.x[self.best.slot], out);
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "spg"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.best.estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::dual::{Arrangement, dot};
    use crate::family::{Gaps, SpherePacking};
    use crate::residual::ResidualMeter;
    use signorini_linalg::Threads;

    /// The iterate a pass has reached, f there, and the distance of its worst block from K.
    fn look(engine: &SpgEngine, dual: &mut DualProblem) -> (f64, f64) {
        let x = &engine.x[engine.slot];
        let mut y = vec![0.0; x.len()];
        dual.gradient(x, &mut y);
        let f = 0.5 * (dot(x, &y) + dot(x, dual.free_velocity()));
        let outside = (0..dual.blocks()).map(|k| dual.cone(k).distance(&x[dual.rows_of(k)]));
        (f, outside.fold(0.0, f64::max))
    }

    #[test]
    fn iterates_stay_in_the_cones_and_f_falls_within_the_memory() {
        let packing = SpherePacking { bodies: 60, gaps: Gaps::Closed, ..Default::default() };
        let problem = packing.problem().unwrap();
        let measured = {
            let mut meter = ResidualMeter::new(&problem).unwrap();
            let zero = (vec![0.0; problem.velocities()], vec![0.0; problem.row_count()]);
            Measured { residuals: meter.measure(&problem, &zero.0, &zero.1), required_speed: 0.0 }
        };
        let mut delassus = Delassus::new(&problem).unwrap();
        for memory in [1, 10] {
            let settings = Spg { memory, ..Spg::default() };
            let mut dual = DualProblem::new(&problem, &mut delassus, Threads::One, Arrangement::Neighbours).unwrap();
            let start = vec![0.0; dual.rows()];
            let mut engine = SpgEngine::new(settings);
            engine.prepare(&mut dual, Change::Everything).unwrap();
            engine.begin(&mut dual, &start);
            let mut values = vec![0.0];
            for _ in 0..250 {
                assert!(matches!(engine.advance(&mut dual, &measured), Step::Taken));
                let (f, outside) = look(&engine, &mut dual);
                let from = values.len().saturating_sub(memory as usize);
                let most = values[from..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert!(f <= most + 1e-12 * f.abs(), "memory {memory}: {f} after {most}");
                assert!(outside <= 1e-14, "{outside:e} outside");
                values.push(f);
            }
            assert!(values[250] < values[10]);
        }
    }
}
