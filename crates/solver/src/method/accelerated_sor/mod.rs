//! Projected Gauss-Seidel with Nesterov's momentum: the blocks of a sweep step one after the other, from a point beyond the
//! last one.
//!
//! ```text
//! y  = x + β (x − x₋),                      β = (t − 1)/t⁺,  t⁺ = (1 + √(1 + 4t²))/2
//! x⁺_k = Π_W(y_k − W_k⁻¹ u_k),  u_k = N_k g + r_k with g = x⁺ before block k and y from there on
//! restart (t = 1, β = 0) when  ⟨y − x⁺, x⁺ − x⟩_W > 0:  the momentum points uphill
//! ```
//!
//! y and u_k of a visit are those of the moment, colour by colour, as in `parallel-sor`: no two blocks of a colour act on each
//! other, so that the answer has the same bits for any number of threads.
//!
//! W_k is diagonal, one number for the normal, one for the tangents, one for the rolling rows, W_k ≽ N_kk: a visit lowers the
//! objective. For spheres W_k = N_kk, and the normal impulse steps as far as it should though tangents are 3.5 times as soft.
//! Dividing by √W turns the cone into another of its kind, μ ← μ√(w_t/w_n), and Π_W into the usual projection; it leaves
//! Coulomb's law as it is, so that de Saxcé's term on the normal row of u_k solves the exact law.
//!
//! Without momentum this is a descent method. With it nothing is proved; so momentum is limited whenever the steps have not
//! become shorter for long, in the end to none.

mod metric;
mod momentum;

use super::best::Best;
use super::calibration::Calibration;
use super::stages::{Tally, stage};
use crate::SolveError;
use crate::change::Change;
use crate::colouring::{Colouring, Greedy};
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{Action, Arrangement, BlockMatrix, DualProblem, MAX_ROWS, Numbers, Shared};
use crate::dual_engine::DualEngine;
use crate::friction_law::FrictionLaw;
use crate::method::{Accepts, Description, MethodSettings};
use crate::report::Iterate;
use metric::{KIND, Metrics};
use momentum::Momentum;
use signorini_linalg::Halves;
use signorini_linalg::Threads;

/// Projected Gauss-Seidel with momentum, colour by colour.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcceleratedSor {
    /// Length of the step of a block as a share of the one that solves it, above 0 and at most 1.
    pub omega: f64,
}

impl Default for AcceleratedSor {
    fn default() -> Self {
        Self { omega: 1.0 }
    }
}

impl MethodSettings for AcceleratedSor {
    fn describe(&self) -> Description {
        Description {
            name: "accelerated-sor",
            summary: "projected Gauss-Seidel with momentum, relaxed or exact law, colour by colour on all threads",
            accepts: Accepts::EVERYTHING,
        }
    }
    fn usual_iterations(&self) -> u32 {
        100_000
    }
    fn check(&self) -> Result<(), SolveError> {
        if self.omega > 0.0 && self.omega <= 1.0 {
            return Ok(());
        }
        Err(SolveError::Setting { name: "omega", value: self.omega, allowed: "a number above 0, at most 1" })
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
    fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
        Some(Box::new(AcceleratedSorEngine::new(self.clone())))
    }
}

/// A vector that is changed in place, and what it was before the sweep.
#[derive(Default)]
struct Trail {
    now: Vec<Shared>,
    before: Vec<f64>,
}

impl Trail {
    fn resize(&mut self, size: usize) {
        self.now.resize_with(size, || 0.0.into());
        self.before.resize(size, 0.0);
    }
    /// x = `start`(i), x₋ ← x.
    fn begin(&mut self, threads: Threads, start: &(impl Fn(usize) -> f64 + Sync)) {
        let now = &self.now;
        Halves::new(NUMBERS, threads).each(&mut self.before, &|i, before| {
            *before = start(i);
            now[i].set(*before);
        });
    }
    /// x ← x + β(x − x₋), x₋ ← x.
    fn extrapolate(&mut self, beta: f64, threads: Threads) {
        let now = &self.now;
        Halves::new(NUMBERS, threads).each(&mut self.before, &|i, before| {
            let x = now[i].get();
            now[i].set(x + beta * (x - *before));
            *before = x;
        });
    }
}

/// Numbers one task changes: some 10 µs.
const NUMBERS: usize = 8192;

struct AcceleratedSorEngine {
    settings: AcceleratedSor,
    /// N of the law written out, where H⁻¹ is not local.
    matrix: BlockMatrix,
    greedy: Greedy,
    /// Colours of the blocks of that matrix.
    colouring: Colouring,
    metrics: Metrics,
    impulses: Trail,
    /// H⁻¹Jᵀ of the impulses, where H⁻¹ is local.
    velocities: Trail,
    momentum: Momentum,
    /// Sweeps since the velocities were computed from the impulses.
    fresh: u32,
    /// The last sweep changed nothing.
    still: bool,
    best: Best,
    estimate: Option<Estimate>,
    calibration: Calibration,
}

/// Sweeps after which velocities are computed from impulses anew: their rounding errors add up with every visit.
const REFRESH_EVERY: u32 = 100;
/// Changes of an impulse below this share of it are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What visits to blocks came to.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// ‖W(x⁺ − y)‖², velocities: all and the largest block.
    squares: f64,
    largest: f64,
    /// ⟨y − x⁺, x⁺ − x⟩_W.
    uphill: f64,
    /// Blocks whose impulse changed by more than rounding.
    moved: u32,
}

impl Tally for Visit {
    #[inline]
    fn plus(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            largest: if other.largest > self.largest { other.largest } else { self.largest },
            uphill: self.uphill + other.uphill,
            moved: self.moved + other.moved,
        }
    }
}

impl AcceleratedSorEngine {
    fn new(settings: AcceleratedSor) -> Self {
        let (matrix, greedy, colouring, metrics, impulses, velocities) = Default::default();
        Self {
            settings,
            matrix,
            greedy,
            colouring,
            metrics,
            impulses,
            velocities,
            momentum: Momentum::default(),
            fresh: 0,
            still: false,
            best: Best::new(0),
            estimate: None,
            calibration: Calibration::default(),
        }
    }

    /// Velocities v = H⁻¹Jᵀg of the impulses, and of those before the last sweep.
    fn refresh(&mut self, dual: &DualProblem) {
        self.fresh = 0;
        if !dual.is_local() {
            return;
        }
        let Self { impulses, velocities, .. } = self;
        let Trail { now, before } = velocities;
        velocities_of(dual, impulses.before.as_slice(), now);
        Halves::new(NUMBERS, dual.threads()).each(before, &|i, before| *before = now[i].get());
        velocities_of(dual, impulses.now.as_slice(), now);
    }

    /// One block takes its step.
    #[inline]
    fn visit(&self, dual: &DualProblem, exact: bool, block: usize) -> Visit {
        match dual.rows_of(block).len() {
            3 => self.visit_rows::<3>(dual, exact, block),
            1 => self.visit_rows::<1>(dual, exact, block),
            2 => self.visit_rows::<2>(dual, exact, block),
            4 => self.visit_rows::<4>(dual, exact, block),
            _ => self.visit_rows::<MAX_ROWS>(dual, exact, block),
        }
    }

    #[inline(always)]
    fn visit_rows<const D: usize>(&self, dual: &DualProblem, exact: bool, block: usize) -> Visit {
        let mut out = Visit::default();
        if dual.is_local() {
            let mut action = StepOf { engine: self, dual, exact, block, out: &mut out };
            dual.act::<D>(block, &self.velocities.now, &mut action);
        } else {
            let mut u = [0.0; D];
            self.matrix.multiply_row_of(block, self.impulses.now.as_slice(), &mut u);
            let free = &dual.free_velocity()[dual.rows_of(block)];
            u.iter_mut().zip(free).for_each(|(u, r)| *u += r);
            self.step(dual, exact, block, u, &mut out);
        }
        out
    }

    /// Replaces the impulses y of a block by Π_W(y − W⁻¹u); returns by how much they change, if they do.
    #[inline(always)]
    fn step<const D: usize>(
        &self,
        dual: &DualProblem,
        exact: bool,
        block: usize,
        mut u: [f64; D],
        out: &mut Visit,
    ) -> Option<[f64; D]> {
        let (first, metric) = (dual.rows_of(block).start, &self.metrics.list[block]);
        let (g, before) = (&self.impulses.now[first..first + D], &self.impulses.before[first..first + D]);
        if exact {
            u[0] += dual.cone(block).dilation(&u);
        }
        // In stretched impulses the metric is w_n times the identity.
        let (mut stretch, mut old, mut z) = ([0.0; D], [0.0; D], [0.0; D]);
        for i in 0..D {
            stretch[i] = metric.stretch[KIND[i]];
            old[i] = g[i].get();
            z[i] = (old[i] - metric.step[KIND[i]] * u[i]) * stretch[i];
        }
        // An open contact that stays open: most contacts that carry nothing are recognised without a root or a division.
        if old == [0.0; D] && before == [0.0; D] && metric.is_polar(&z) {
            return None;
        }
        metric.cone.project(&mut z);
        let (mut change, mut size) = ([0.0; D], 0.0);
        for i in 0..D {
            let new = z[i] * metric.shrink[KIND[i]];
            change[i] = new - old[i];
            let stretched = stretch[i] * change[i];
            out.squares += stretched * stretched;
            out.uphill -= stretched * (z[i] - stretch[i] * before[i]);
            size += z[i] * z[i];
            g[i].set(new);
        }
        out.moved = u32::from(out.squares > ROUNDING * ROUNDING * size);
        out.uphill *= metric.weight;
        out.squares *= metric.weight * metric.weight;
        out.largest = out.squares;
        // An open contact stays open: nothing to be passed on.
        change.iter().any(|change| *change != 0.0).then_some(change)
    }
}

/// v = H⁻¹Jᵀg, where H⁻¹ is local. Colour by colour: no two blocks of one act on the same body.
fn velocities_of(dual: &DualProblem, g: &(impl Numbers + Sync + ?Sized), v: &mut [Shared]) {
    Halves::new(NUMBERS, dual.threads()).each(v, &|_, v| v.set(0.0));
    let v = &*v;
    let act = |block: usize| {
        let (rows, mut force) = (dual.rows_of(block), [0.0; MAX_ROWS]);
        let force = &mut force[..rows.len()];
        force.iter_mut().zip(rows).for_each(|(force, row)| *force = g.get(row));
        // An open contact has no force.
        if force.iter().any(|force| *force != 0.0) {
            dual.kick(block, force, v);
        }
    };
    let Colouring { order, start } = dual.colouring();
    start.windows(2).for_each(|range| stage(&order[range[0]..range[1]], dual.threads(), &act));
}

/// The step of one block.
struct StepOf<'a> {
    engine: &'a AcceleratedSorEngine,
    dual: &'a DualProblem,
    exact: bool,
    block: usize,
    out: &'a mut Visit,
}

impl Action for StepOf<'_> {
    #[inline(always)]
    fn act<const D: usize>(&mut self, gradient: [f64; D]) -> Option<[f64; D]> {
        self.engine.step(self.dual, self.exact, self.block, gradient, self.out)
    }
}

impl DualEngine for AcceleratedSorEngine {
    fn arrangement(&self) -> Arrangement {
        Arrangement::Colours
    }
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change == Change::OffsetOnly {
            return Ok(());
        }
        if !dual.is_local() {
            dual.write_out_law(&mut self.matrix)?;
            self.matrix.colour(&mut self.greedy, &mut self.colouring);
        }
        self.metrics.update(self.settings.omega, dual, &self.matrix);
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let n = if dual.is_local() { dual.columns() } else { 0 };
        self.impulses.resize(start.len());
        self.impulses.begin(dual.threads(), &|i| start[i]);
        self.velocities.resize(n);
        (self.momentum, self.still, self.best) = (Momentum::default(), false, Best::new(0));
        (self.estimate, self.calibration) = (None, Calibration::default());
        self.fresh = 0;
        if dual.is_local() {
            let Trail { now, before } = &mut self.velocities;
            velocities_of(dual, start, now);
            Halves::new(NUMBERS, dual.threads()).each(before, &|i, before| *before = now[i].get());
        }
    }
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step {
        self.calibration.learn(measured, self.estimate);
        if self.best.is_stale() {
            return Step::Stalled("the steps become no shorter");
        }
        if self.fresh >= REFRESH_EVERY || self.still {
            self.refresh(dual);
        }
        self.impulses.extrapolate(self.momentum.beta, dual.threads());
        self.velocities.extrapolate(self.momentum.beta, dual.threads());
        let (this, dual) = (&*self, &*dual);
        let Colouring { order, start } = if dual.is_local() { dual.colouring() } else { &this.colouring };
        let exact = dual.law() == FrictionLaw::Exact;
        let visit = |block| this.visit(dual, exact, block);
        let sum = start
            .windows(2)
            .fold(Visit::default(), |sum, range| sum.plus(stage(&order[range[0]..range[1]], dual.threads(), &visit)));
        self.fresh += 1;
        if !sum.squares.is_finite() {
            return Step::Stalled("the impulses grow without bound");
        }
        if sum.moved == 0 && self.still {
            return Step::Stalled("impulses change by rounding only");
        }
        // At rest: the driver measures what was reached, and one more sweep with fresh velocities confirms it.
        self.still = sum.moved == 0;
        let squares = if self.still { [0.0; 2] } else { [sum.largest, sum.squares] };
        let estimate = Estimate {
            natural_map: squares[0].sqrt(),
            natural_map_relative: dual.estimate_from(squares[1]).natural_map_relative,
        };
        self.best.offer(0, estimate);
        self.estimate = Some(estimate);
        self.momentum.advance(sum.squares, sum.uphill > 0.0);
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export_of(self.impulses.now.as_slice(), out);
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "accelerated-sor"
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate.map(|estimate| self.calibration.apply(estimate))
    }
}
