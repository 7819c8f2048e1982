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
use crate::driver::{Estimate, Iteration, Measured, Step};
use crate::dual::{Action, Arrangement, BlockMatrix, Colouring, DualProblem, MAX_ROWS, Shared};
use crate::friction::FrictionLaw;
use crate::method::{Accepts, Description, DualMethod, MethodSettings};
use crate::report::Iterate;
use metric::{KIND, Metric, metrics};
use momentum::Momentum;

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
        match self.omega > 0.0 && self.omega <= 1.0 {
            true => Ok(()),
            false => {
                Err(SolveError::Setting { name: "omega", value: self.omega, allowed: "a number above 0, at most 1" })
            }
        }
    }
    fn solves_exact_law(&self) -> bool {
        true
    }
    fn dual(&self) -> Option<&dyn DualMethod> {
        Some(self)
    }
}

impl DualMethod for AcceleratedSor {
    fn arrangement(&self) -> Arrangement {
        Arrangement::Colours
    }
    fn begin<'a>(&'a self, dual: &'a mut DualProblem, start: &[f64]) -> Result<Box<dyn Iteration + 'a>, SolveError> {
        let matrix = if dual.is_local() { None } else { Some(dual.couplings_of_law()?) };
        let colouring = match &matrix {
            None => dual.colours(),
            Some(matrix) => matrix.colours(),
        };
        let metrics = metrics(self.omega, dual, matrix.as_ref());
        let n = if matrix.is_none() { dual.columns() } else { 0 };
        let mut run = AcceleratedSorRun {
            exact: dual.law() == FrictionLaw::Exact,
            metrics,
            colouring,
            impulses: Trail::new(start),
            velocities: Trail::new(&vec![0.0; n]),
            work: [start.to_vec(), vec![0.0; n], vec![0.0; n]],
            momentum: Momentum::default(),
            fresh: 0,
            still: false,
            best: Best::new(0),
            estimate: None,
            calibration: Calibration::default(),
            matrix,
            dual,
        };
        run.refresh();
        Ok(Box::new(run))
    }
}

/// A vector that is changed in place, and what it was before the sweep.
struct Trail {
    now: Vec<Shared>,
    before: Vec<f64>,
}

impl Trail {
    fn new(start: &[f64]) -> Self {
        Self { now: start.iter().map(|&x| x.into()).collect(), before: start.to_vec() }
    }
    /// x ← x + β(x − x₋), x₋ ← x.
    fn extrapolate(&mut self, beta: f64) {
        for (now, before) in self.now.iter().zip(&mut self.before) {
            let x = now.get();
            now.set(x + beta * (x - *before));
            *before = x;
        }
    }
}

struct AcceleratedSorRun<'a> {
    dual: &'a mut DualProblem,
    /// N written out, where H⁻¹ is not local.
    matrix: Option<BlockMatrix>,
    exact: bool,
    metrics: Vec<Metric>,
    colouring: Colouring,
    impulses: Trail,
    /// H⁻¹Jᵀ of the impulses, where H⁻¹ is local.
    velocities: Trail,
    /// g, p and v for [`AcceleratedSorRun::refresh`].
    work: [Vec<f64>; 3],
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

impl AcceleratedSorRun<'_> {
    /// Velocities v = H⁻¹Jᵀg of the impulses, and of those before the last sweep.
    fn refresh(&mut self) {
        self.fresh = 0;
        if self.matrix.is_some() {
            return;
        }
        let [g, p, v] = &mut self.work;
        self.dual.scatter(&self.impulses.before, p);
        self.dual.respond(p, &mut self.velocities.before);
        g.iter_mut().zip(&self.impulses.now).for_each(|(g, now)| *g = now.get());
        self.dual.scatter(g, p);
        self.dual.respond(p, v);
        self.velocities.now.iter().zip(&*v).for_each(|(now, v)| now.set(*v));
    }

    /// One block takes its step.
    #[inline]
    fn visit(&self, block: usize) -> Visit {
        match self.dual.rows_of(block).len() {
            3 => self.visit_rows::<3>(block),
            1 => self.visit_rows::<1>(block),
            2 => self.visit_rows::<2>(block),
            4 => self.visit_rows::<4>(block),
            _ => self.visit_rows::<MAX_ROWS>(block),
        }
    }

    #[inline(always)]
    fn visit_rows<const D: usize>(&self, block: usize) -> Visit {
        let mut out = Visit::default();
        match &self.matrix {
            None => {
                let mut action = StepOf { run: self, block, out: &mut out };
                self.dual.act::<D>(block, &self.velocities.now, &mut action);
            }
            Some(matrix) => {
                let mut u = [0.0; D];
                matrix.multiply_row_of(block, self.impulses.now.as_slice(), &mut u);
                let free = &self.dual.free_velocity()[self.dual.rows_of(block)];
                u.iter_mut().zip(free).for_each(|(u, r)| *u += r);
                self.step(block, u, &mut out);
            }
        }
        out
    }

    /// Replaces the impulses y of a block by Π_W(y − W⁻¹u); returns by how much they change, if they do.
    #[inline(always)]
    fn step<const D: usize>(&self, block: usize, mut u: [f64; D], out: &mut Visit) -> Option<[f64; D]> {
        let (first, metric) = (self.dual.rows_of(block).start, &self.metrics[block]);
        let (g, before) = (&self.impulses.now[first..first + D], &self.impulses.before[first..first + D]);
        if self.exact {
            u[0] += self.dual.cone(block).dilation(&u);
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

/// The step of one block.
struct StepOf<'a, 'b> {
    run: &'a AcceleratedSorRun<'b>,
    block: usize,
    out: &'a mut Visit,
}

impl Action for StepOf<'_, '_> {
    #[inline(always)]
    fn act<const D: usize>(&mut self, gradient: [f64; D]) -> Option<[f64; D]> {
        self.run.step(self.block, gradient, self.out)
    }
}

impl Iteration for AcceleratedSorRun<'_> {
    fn advance(&mut self, measured: &Measured) -> Step {
        self.calibration.learn(measured, self.estimate);
        if self.best.is_stale() {
            return Step::Stalled("the steps become no shorter");
        }
        if self.fresh >= REFRESH_EVERY || self.still {
            self.refresh();
        }
        self.impulses.extrapolate(self.momentum.beta);
        self.velocities.extrapolate(self.momentum.beta);
        let Colouring { order, start } = &self.colouring;
        let visit = |block| self.visit(block);
        let sum = start.windows(2).fold(Visit::default(), |sum, range| {
            sum.plus(stage(&order[range[0]..range[1]], self.dual.threads(), &visit))
        });
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
            natural_map_relative: self.dual.estimate_from(squares[1]).natural_map_relative,
        };
        self.best.offer(0, estimate);
        self.estimate = Some(estimate);
        self.momentum.advance(sum.squares, sum.uphill > 0.0);
        Step::Taken
    }
    fn export(&self, out: &mut Iterate) {
        self.dual.export_of(self.impulses.now.as_slice(), out);
    }
    fn impulses_only(&self) -> bool {
        true
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        "accelerated-sor"
    }
    fn estimate(&self) -> Option<Estimate> {
        self.estimate.map(|estimate| self.calibration.apply(estimate))
    }
}
