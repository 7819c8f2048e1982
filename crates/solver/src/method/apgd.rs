//! Accelerated projected gradient descent: Nesterov's method with a step length that follows the local curvature, and
//! restarts (THEORY §8).
//!
//! ```text
//! y  = x + β (x − x₋)
//! x⁺ = Π(y − (1/L) B ∇f(y)),     B_k = 1/mean diag N_kk, one number a block
//! accepted if  ‖x⁺ − y‖²_N ≤ L ‖x⁺ − y‖²_{B⁻¹},     which for a quadratic f is f(x⁺) ≤ its upper model at y
//! t⁺ = (1 + √(1 + 4 t² L⁺/L))/2,   β⁺ = (t − 1)/t⁺
//! restart (t = 1, β = 0) when  ⟨y − x⁺, x⁺ − x⟩_{B⁻¹} > 0:  the momentum points uphill
//! ```
//!
//! One iteration is one pass over J. Momenta and velocities of y follow from those of x and x₋, so the pass reads the
//! gradient at y and scatters x⁺; ‖x⁺ − y‖²_N = (p⁺ − p_y)·(v⁺ − v_y) needs bodies only. v_y of the next iteration is made
//! in the same pass over the bodies, because β⁺ is known unless there is a restart, which needs none.
//!
//! The residual of x⁺ is not known without another pass, but bounded: x⁺ = Π(y − τ∇f(y)) and Π is non-expansive, so
//! ‖x⁺ − Π(x⁺ − τ∇f(x⁺))‖ ≤ ‖(I − τBN)(x⁺ − y)‖ ≤ ‖x⁺ − y‖ in the norm of B⁻¹, for τ = B/L.

use super::best::Best;
use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockAt, BlockKernel, DualProblem, Forces, lanes};
use crate::dual_engine::DualEngine;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Accelerated projected gradient descent.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Apgd {
    /// Divide the gradient of each block by the mean diagonal of its part of N. It changes nothing for equal spheres
    /// and helps where blocks are unequal.
    pub precondition: bool,
    /// Start the momentum again when it points uphill.
    pub restart: bool,
    /// Factor of L after an accepted step; 1: L never falls. Smaller values follow the curvature and waste passes on refused
    /// steps.
    pub relax: f64,
    /// Least factor of L after a refused step.
    pub tighten: f64,
}

impl Default for Apgd {
    fn default() -> Self {
        Self { precondition: true, restart: true, relax: 1.0, tighten: 1.2 }
    }
}

impl MethodSettings for Apgd {
    fn describe(&self) -> Description {
        Description {
            name: "apgd",
            summary: "accelerated projected gradient: one pass over the contacts an iteration",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let wrong = |name, value, allowed| Err(SolveError::Setting { name, value, allowed });
        if !(self.relax > 0.0 && self.relax <= 1.0) {
            return wrong("relax", self.relax, "a number above 0 and at most 1");
        }
        if !(self.tighten > 1.0 && self.tighten.is_finite()) {
            return wrong("tighten", self.tighten, "a finite number above 1");
        }
        Ok(())
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(ApgdEngine::new(self.clone())))
    }
}

/// Momenta Jᵀx and velocities H⁻¹Jᵀx of some impulses.
#[derive(Default)]
struct Motion {
    p: Vec<f64>,
    v: Vec<f64>,
}

struct ApgdEngine {
    settings: Apgd,
    /// x, x₋, the best iterate, and room for the next.
    x: [Vec<f64>; 4],
    now_slot: usize,
    before_slot: usize,
    now: Motion,
    before: Motion,
    next: Motion,
    /// Velocities at the extrapolated point, unless β = 0.
    v_y: Vec<f64>,
    lipschitz: f64,
    beta: f64,
    t: f64,
    /// Steps refused in a row.
    refused: u32,
    best: Best,
    /// Why there is nothing left to do; told after the last iterate was looked at.
    end: Option<&'static str>,
}

/// Refusals in a row after which L has outgrown every curvature the problem can have.
const MOST_REFUSALS: u32 = 60;
/// Differences of velocities below this share of them are rounding, and say nothing about curvature.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl ApgdEngine {
    fn new(settings: Apgd) -> Self {
        Self {
            settings,
            x: Default::default(),
            now_slot: 0,
            before_slot: 1,
            now: Motion::default(),
            before: Motion::default(),
            next: Motion::default(),
            v_y: Vec::new(),
            lipschitz: 1.0,
            beta: 0.0,
            t: 1.0,
            refused: 0,
            best: Best::new(0),
            end: None,
        }
    }

    /// t and β after a step accepted with the present L, when the next step tries `lipschitz`.
    fn momentum_after(&self, lipschitz: f64) -> (f64, f64) {
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t * lipschitz / self.lipschitz).sqrt());
        (t, (self.t - 1.0) / t)
    }

    /// The pass over J: x⁺ into buffer `slot`. Returns its forces and
    /// ‖x⁺ − y‖²_{B⁻¹}, ⟨y − x⁺, x⁺ − x⟩_{B⁻¹} and the sum of squares of the natural map.
    fn sweep(&mut self, dual: &mut DualProblem, slot: usize) -> ([f64; 3], Forces) {
        let mut next = std::mem::take(&mut self.x[slot]);
        let kernel = StepFrom {
            x: &self.x[self.now_slot],
            before: &self.x[self.before_slot],
            beta: self.beta,
            step: 1.0 / self.lipschitz,
            rho: dual.step(),
            precondition: self.settings.precondition,
        };
        let v = if self.beta == 0.0 { &self.now.v } else { &self.v_y };
        let result = dual.sweep_forces(v, [&mut next], &kernel);
        self.x[slot] = next;
        result
    }

    /// v_y = v + β(v − v₋), after a refused step.
    fn extrapolate(&mut self, dual: &DualProblem) {
        let (now, before, beta) = (&self.now.v, &self.before.v, self.beta);
        let _: [f64; 0] = dual.for_columns([&mut self.v_y], &|columns, [v_y], _| {
            let (now, before) = (&now[columns.clone()], &before[columns]);
            v_y.iter_mut().zip(now).zip(before).for_each(|((v_y, v), before)| *v_y = v + beta * (v - before));
        });
    }
}

/// x⁺ = Π(y − τ∇f(y)), y = x + β(x − x₋).
struct StepFrom<'a> {
    x: &'a [f64],
    before: &'a [f64],
    beta: f64,
    /// 1/L.
    step: f64,
    rho: f64,
    precondition: bool,
}

impl BlockKernel<1, 3> for StepFrom<'_> {
    #[inline]
    fn block<const D: usize>(
        &self,
        block: BlockAt,
        gradient: &[f64; D],
        [next]: [&mut [f64; D]; 1],
        sums: &mut [f64; 3],
    ) -> [f64; D] {
        let weight = if self.precondition { block.softness } else { 1.0 / self.rho };
        let tau = self.step / weight;
        let first = block.rows.start;
        let (x, before) = (&self.x[first..first + D], &self.before[first..first + D]);
        let (mut y, mut z) = ([0.0; D], [0.0; D]);
        for i in 0..D {
            y[i] = x[i] + self.beta * (x[i] - before[i]);
            z[i] = y[i] - tau * gradient[i];
        }
        block.cone.project(&mut z);
        let (mut moved, mut uphill) = (0.0, 0.0);
        for i in 0..D {
            let change = z[i] - y[i];
            moved += change * change;
            uphill -= change * (z[i] - x[i]);
        }
        sums[0] += weight * moved;
        sums[1] += weight * uphill;
        sums[2] += moved / (tau.min(self.rho) * tau.min(self.rho));
        *next = z;
        z
    }
}

impl DualEngine for ApgdEngine {
    fn prepare(&mut self, _: &mut DualProblem, _: Change) -> Result<(), SolveError> {
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let n = dual.columns();
        for x in &mut self.x {
            x.clear();
            x.extend_from_slice(start);
        }
        for Motion { p, v } in [&mut self.now, &mut self.before, &mut self.next] {
            p.resize(n, 0.0);
            v.resize(n, 0.0);
        }
        self.v_y.resize(n, 0.0);
        dual.scatter(start, &mut self.now.p);
        dual.respond(&self.now.p, &mut self.now.v);
        self.before.p.copy_from_slice(&self.now.p);
        self.before.v.copy_from_slice(&self.now.v);
        (self.now_slot, self.before_slot) = (0, 1);
        // The mean diagonal of BN is 1, its largest eigenvalue is no less.
        (self.lipschitz, self.beta, self.t, self.refused) = (1.0, 0.0, 1.0, 0);
        (self.best, self.end) = (Best::new(0), None);
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        if let Some(reason) = self.end {
            return Step::Stalled(reason);
        }
        let slot = (0..4).find(|slot| ![self.now_slot, self.before_slot, self.best.slot].contains(slot)).unwrap_or(3);
        let ([moved, uphill, squares], forces) = self.sweep(dual, slot);
        if !(moved.is_finite() && squares.is_finite()) {
            return Step::Stalled("the impulses grow without bound");
        }
        // Bodies: momenta and velocities of x⁺, the energy of x⁺ − y, and v_y of the next iteration.
        let planned = self.settings.relax * self.lipschitz;
        let (t_next, beta_next) = self.momentum_after(planned);
        let (beta, now, before) = (self.beta, &self.now, &self.before);
        let Motion { p, v } = &mut self.next;
        let [energy, size] =
            dual.settle(forces, p, v, [&mut self.v_y], &|columns, p, v, [v_y], sums: &mut [f64; 2]| {
                let n = p.len();
                let (p, v, v_y) = (&p[..n], &v[..n], &mut v_y[..n]);
                let (p_now, v_now) = (&now.p[columns.clone()][..n], &now.v[columns.clone()][..n]);
                let (p_before, v_before) = (&before.p[columns.clone()][..n], &before.v[columns][..n]);
                *sums = lanes(n, |i| {
                    let dp = p[i] - p_now[i] - beta * (p_now[i] - p_before[i]);
                    let dv = v[i] - v_now[i] - beta * (v_now[i] - v_before[i]);
                    v_y[i] = v[i] + beta_next * (v[i] - v_now[i]);
                    [dp * dv, p[i] * v[i]]
                });
            });
        if energy > self.lipschitz * moved && energy > ROUNDING * ROUNDING * size {
            self.refused += 1;
            if self.refused > MOST_REFUSALS {
                return Step::Stalled("no step is short enough");
            }
            // The curvature along this step is known: L must be no less.
            self.lipschitz = (self.settings.tighten * self.lipschitz).max(energy / moved);
            self.extrapolate(dual);
            return Step::Taken;
        }
        self.refused = 0;
        self.best.offer(slot, dual.estimate_from(squares));
        self.before_slot = std::mem::replace(&mut self.now_slot, slot);
        // next → now → before → room for the next.
        std::mem::swap(&mut self.before, &mut self.next);
        std::mem::swap(&mut self.before, &mut self.now);
        self.lipschitz = planned;
        (self.t, self.beta) = if self.settings.restart && uphill > 0.0 { (1.0, 0.0) } else { (t_next, beta_next) };
        if moved == 0.0 || self.best.is_stale() {
            self.end = Some("the best iterate improves no more");
        }
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.x[self.best.slot], out);
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "apgd"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.best.estimate
    }
}
