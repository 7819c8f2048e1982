//! Projected Jacobi: every block steps on its own, all at once (THEORY §8).
//!
//! ```text
//! g⁺ = λ Π(g − ω B (Ng + r)) + (1 − λ) g,      B_k = 1/mean diag N_kk
//! ```
//!
//! B is a scalar on each block, or the projection would be wrong. It converges for ω < 2/λ_max(BN); piles have
//! λ_max ≈ 5 … 6, whence the usual ω ≈ 0.3.

use crate::SolveError;
use crate::change::Change;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{BlockAt, BlockKernel, DualProblem};
use crate::dual_engine::DualEngine;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;

/// Projected Jacobi.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Jacobi {
    /// ω: length of the step of each block; `None`: 1.8/λ_max(BN) as a power iteration finds it, shortened whenever the
    /// residual rises, which it cannot do for ω ≤ 2/λ_max.
    pub omega: Option<f64>,
    /// λ: share of the new iterate in the next.
    pub lambda: f64,
}

impl Default for Jacobi {
    fn default() -> Self {
        Self { omega: None, lambda: 1.0 }
    }
}

// ANCHOR: settings
impl MethodSettings for Jacobi {
    fn describe(&self) -> Description {
        Description {
            name: "jacobi",
            summary: "projected Jacobi: simplest, slow, parallel",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        let in_range = |value: f64| value > 0.0 && value < 2.0;
        for (name, value) in [("omega", self.omega.unwrap_or(1.0)), ("lambda", self.lambda)] {
            if !in_range(value) {
                return Err(SolveError::Setting { name, value, allowed: "a number between 0 and 2" });
            }
        }
        Ok(())
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(JacobiEngine::new(self.clone())))
    }
}
// ANCHOR_END: settings

/// Share of the longest step that converges, 2/λ_max.
const SAFE_SHARE: f64 = 0.9;

/// Factor of ω when steps grow: λ_max was underestimated.
const SHORTEN: f64 = 0.9;
/// Growth of the squared length of steps that rounding does not explain.
const RISE: f64 = 1.0 + 1e-9;

struct JacobiEngine {
    settings: Jacobi,
    g: Vec<f64>,
    /// v = H⁻¹Jᵀg.
    v: Vec<f64>,
    p: Vec<f64>,
    /// Natural map of the iterate before the last step, the one its pass over J could measure. It is a bound for the
    /// iterate after it: Π and, for ω ≤ 2/λ_max, I − ωBN bring no two points further apart in the norm of B⁻¹. With the
    /// step τ of a block in place of ρ, ‖g − Π(g − τy)‖/min(τ, ρ) bounds the natural map from above: its length grows
    /// with the step, and divided by the step falls.
    estimate: Option<Estimate>,
    /// ω of the problem, as a power iteration finds it, and of this run.
    safe_omega: f64,
    omega: f64,
    /// ‖g⁺ − g‖²_{B⁻¹} of the last step.
    length: f64,
    power: [Vec<f64>; 2],
}

impl JacobiEngine {
    fn new(settings: Jacobi) -> Self {
        let (g, v, p, power) = Default::default();
        Self { settings, g, v, p, estimate: None, safe_omega: 1.0, omega: 1.0, length: f64::INFINITY, power }
    }
}

/// g⁺ = λ Π(g − τy) + (1 − λ) g.
struct Relax {
    omega: f64,
    lambda: f64,
    rho: f64,
}

impl BlockKernel<1, 2> for Relax {
    #[inline]
    fn block<const D: usize>(
        &self,
        block: BlockAt,
        y: &[f64; D],
        [g]: [&mut [f64; D]; 1],
        [squares, length]: &mut [f64; 2],
    ) -> [f64; D] {
        let step = self.omega / block.softness;
        let mut z = [0.0; D];
        (0..D).for_each(|i| z[i] = g[i] - step * y[i]);
        block.cone.project(&mut z);
        let mut moved = 0.0;
        for i in 0..D {
            let change = z[i] - g[i];
            moved += change * change;
            g[i] += self.lambda * change;
        }
        *length += block.softness * moved;
        *squares += moved / (step.min(self.rho) * step.min(self.rho));
        *g
    }
}

// ANCHOR: iteration
impl DualEngine for JacobiEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change != Change::OffsetOnly {
            self.safe_omega = self.settings.omega.unwrap_or_else(|| {
                let largest = dual.largest_eigenvalue(true, &mut self.power);
                if largest > 0.0 { SAFE_SHARE * 2.0 / largest } else { 1.0 }
            });
        }
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let Self { g, v, p, .. } = self;
        g.clear();
        g.extend_from_slice(start);
        v.resize(dual.columns(), 0.0);
        p.resize(dual.columns(), 0.0);
        dual.scatter(g, p);
        dual.respond(p, v);
        (self.omega, self.length, self.estimate) = (self.safe_omega, f64::INFINITY, None);
    }
    fn advance(&mut self, dual: &mut DualProblem, _: &Measured) -> Step {
        if self.estimate.is_some_and(|last| last.natural_map == 0.0) {
            return Step::Stalled("the impulses change no more");
        }
        let Self { g, v, p, omega, settings, .. } = self;
        let kernel = Relax { omega: *omega, lambda: settings.lambda, rho: dual.step() };
        let ([squares, length], forces) = dual.sweep_forces(v, [g], &kernel);
        let [] = dual.settle(forces, p, v, [], &|_, _, _, [], _| {});
        if !squares.is_finite() {
            return Step::Stalled("the impulses grow without bound: omega is too large");
        }
        // Without a given ω it is ours to choose.
        if self.settings.omega.is_none() && length > RISE * self.length {
            self.omega *= SHORTEN;
            self.length = f64::INFINITY;
        } else {
            self.length = length;
        }
        self.estimate = Some(dual.estimate_from(squares));
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export(&self.g, out);
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "jacobi"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate
    }
}
// ANCHOR_END: iteration
