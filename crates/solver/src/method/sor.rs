//! Projected successive over-relaxation: blocks step one after the other, each from what the others have reached (THEORY §8).
//!
//! ```text
//! g_k ← λ Π(g_k − ω B_k y_k) + (1 − λ) g_k,   y_k = N_k g + r_k at the impulses of this moment
//! ```
//!
//! Where H is block diagonal, y_k = J_k v + r_k and the change goes straight to the bodies touched, v += H⁻¹J_kᵀΔg: a sweep
//! is one pass over J, the cost of one product with N. Where H couples bodies, or N is given, N is written out and a block
//! reads its row of it: a sweep is one product with that matrix.
//!
//! Every visit lowers the objective as long as ωB_k < 2/λ_max(N_kk), whatever the order of the blocks. Three orders are
//! methods of their own: forwards (`sor`), forwards and backwards in turn (`symmetric-sor`), and colour by colour with the
//! blocks of a colour on all threads (`parallel-sor`), where no two blocks of a colour act on each other.

use super::calibration::Calibration;
use super::stages::{Tally, stage};
use crate::SolveError;
use crate::change::Change;
use crate::colouring::{Colouring, Greedy};
use crate::cone::Cone;
use crate::delassus::Delassus;
use crate::driver::{Estimate, Measured, Step};
use crate::dual::{Arrangement, BlockMatrix, DiagonalWork, DualProblem, MAX_ROWS, Shared};
use crate::dual_engine::DualEngine;
use crate::generator::Generator;
use crate::method::{Accepts, Description, MethodSettings};
use crate::problem::ConeProblem;
use crate::report::Iterate;
use signorini_linalg::Threads;

/// How the blocks of a sweep follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Forward,
    /// Forwards and backwards in turn.
    Symmetric,
    /// Colour by colour.
    Parallel,
}

/// What the three settings types have in common.
#[derive(Clone, Copy)]
struct Relaxation {
    sweep: Sweep,
    omega: f64,
    lambda: f64,
    block_step: BlockStep,
    block_steps: u32,
    order: Order,
}

macro_rules! relaxation {
    ($($(#[$doc:meta])* $name:ident, $sweep:expr, $called:literal, $summary:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            /// ω: length of the step of a block, between 0 and 2.
            pub omega: f64,
            /// λ: share of the new impulse in the next, at most 1.
            pub lambda: f64,
            /// B: what the step of a block is measured by.
            pub block_step: BlockStep,
            /// Steps a block of several rows makes at each visit, with its own part of N: many solve it exactly.
            pub block_steps: u32,
            /// In which order blocks, or colours, are visited.
            pub order: Order,
        }

        impl Default for $name {
            fn default() -> Self {
                let Relaxation { omega, lambda, block_step, block_steps, order, .. } = Relaxation::usual($sweep);
                Self { omega, lambda, block_step, block_steps, order }
            }
        }

        impl $name {
            fn relaxation(&self) -> Relaxation {
                let Self { omega, lambda, block_step, block_steps, order } = *self;
                Relaxation { sweep: $sweep, omega, lambda, block_step, block_steps, order }
            }
        }

        impl MethodSettings for $name {
            fn describe(&self) -> Description {
                Description { name: $called, summary: $summary, accepts: Accepts::EVERYTHING }
            }
            fn usual_iterations(&self) -> u32 {
                100_000
            }
            fn check(&self) -> Result<(), SolveError> {
                self.relaxation().check()
            }
            fn dual_engine(&self) -> Option<Box<dyn DualEngine>> {
                Some(Box::new(SorEngine::new($called, self.relaxation())))
            }
        }
    )*};
}

relaxation! {
    /// Projected SOR, block after block.
    Sor, Sweep::Forward, "sor", "projected SOR: block after block, good first digits";
    /// Projected SOR, forwards and backwards in turn. An iteration is one sweep.
    SymmetricSor, Sweep::Symmetric, "symmetric-sor", "projected SOR, forwards and backwards in turn";
    /// Projected SOR, colour by colour; the blocks of a colour on all threads.
    ///
    /// The answer has the same bits for any number of threads. A body with very many contacts makes as many colours: those
    /// with few blocks are visited by one thread, so that in the worst case the method is `sor` in another order.
    ParallelSor, Sweep::Parallel, "parallel-sor", "projected SOR, colour by colour on all threads";
}

impl Relaxation {
    /// The default settings: over-relaxed, except there and back, where that gains nothing; several cheap steps on N_kk a
    /// visit, because a friction block is far from solved after one (`signorini-bench sweeps`).
    fn usual(sweep: Sweep) -> Self {
        Self {
            sweep,
            omega: if sweep == Sweep::Symmetric { 1.0 } else { 1.7 },
            lambda: 1.0,
            block_step: BlockStep::Largest,
            block_steps: 4,
            order: Order::Natural,
        }
    }
}

/// The length 1/B of the step of a block with the diagonal block N_kk. Blocks of one row know no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockStep {
    /// Mean diagonal of N_kk: longer steps, which may fail to converge for large ω.
    Mean,
    /// Largest eigenvalue of N_kk: always converges.
    Largest,
}

/// The order of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Along the contact graph, from body to body.
    Natural,
    /// The other way round.
    Reverse,
    /// A new permutation every sweep (every two of `symmetric-sor`), the same for the same seed.
    Random {
        /// Chooses the permutations.
        seed: u64,
    },
}

/// Most steps a block may make at one visit.
const MOST_BLOCK_STEPS: u32 = 1000;

impl ParallelSor {
    /// How many colours the blocks of a problem need: the stages of a sweep.
    ///
    /// # Errors
    /// As [`crate::solve`].
    pub fn colours(problem: &ConeProblem) -> Result<usize, SolveError> {
        let mut dual = DualProblem::empty(Arrangement::Neighbours);
        dual.update(problem, &Delassus::new(problem)?, Change::Everything, Threads::One)?;
        let mut colouring = Colouring::default();
        if dual.is_local() {
            dual.colour(&mut Greedy::default(), &mut colouring);
        } else {
            let mut matrix = BlockMatrix::default();
            dual.write_out(&mut matrix)?;
            matrix.colour(&mut Greedy::default(), &mut colouring);
        }
        Ok(colouring.len())
    }
}

impl Relaxation {
    fn check(&self) -> Result<(), SolveError> {
        let wrong = |name, value, allowed| Err(SolveError::Setting { name, value, allowed });
        if !(self.omega > 0.0 && self.omega < 2.0) {
            return wrong("omega", self.omega, "a number between 0 and 2");
        }
        if !(self.lambda > 0.0 && self.lambda <= 1.0) {
            return wrong("lambda", self.lambda, "a number above 0, at most 1");
        }
        if !(1..=MOST_BLOCK_STEPS).contains(&self.block_steps) {
            return wrong("block-steps", self.block_steps.into(), "a whole number from 1 to 1000");
        }
        Ok(())
    }
}

/// Steps towards the minimum of a block are this many times 1/λ_max(N_kk); below 2 they converge, and for a sphere (normal and
/// tangential softness 1 : 3.5) this is near the best.
const STRETCH: f64 = 1.5;

/// What each block knows of its own part of N.
#[derive(Default)]
struct LocalBlocks {
    /// τ_k = ωB_k.
    step: Vec<f64>,
    /// Where N_kk begins in `diagonal`.
    start: Vec<usize>,
    /// N_kk of every block, row-major; empty where neither step lengths nor visits need it.
    diagonal: Vec<f64>,
    work: DiagonalWork,
}

impl LocalBlocks {
    /// Takes over N_kk of a dual problem, whose N is in `matrix` unless H⁻¹ is local.
    fn update(&mut self, settings: &Relaxation, dual: &mut DualProblem, matrix: &BlockMatrix) {
        let Self { step, start, diagonal, work } = self;
        let needed = settings.block_steps > 1 || settings.block_step == BlockStep::Largest;
        diagonal.clear();
        if needed {
            if dual.is_local() {
                dual.diagonal_blocks(work, diagonal);
            } else {
                diagonal.extend((0..dual.blocks()).flat_map(|k| matrix.diagonal(k)));
            }
        }
        start.clear();
        step.clear();
        let mut at = 0;
        for k in 0..dual.blocks() {
            let softness = dual.softness()[k];
            let d = dual.rows_of(k).len();
            let stiffest = match settings.block_step {
                BlockStep::Largest if d > 1 => largest_eigenvalue(&diagonal[at..at + d * d], d).max(softness),
                _ => softness,
            };
            start.push(at);
            at += d * d;
            // One row is solved exactly by one step, which ω then lengthens.
            let length = if d == 1 || settings.block_steps == 1 {
                settings.omega
            } else {
                match settings.block_step {
                    BlockStep::Mean => 1.0,
                    BlockStep::Largest => STRETCH,
                }
            };
            step.push(length / stiffest);
        }
    }
}

/// An upper bound of the largest eigenvalue of a symmetric positive semi-definite d × d matrix, 7 % above it at most for d = 3:
/// λ_max ≤ ‖A⁸‖^⅛ ≤ d^(1/16) λ_max in the Frobenius norm.
fn largest_eigenvalue(matrix: &[f64], d: usize) -> f64 {
    let trace: f64 = (0..d).map(|i| matrix[i * d + i]).sum();
    if trace.is_nan() || trace <= 0.0 {
        return 0.0;
    }
    let mut power = [0.0; MAX_ROWS * MAX_ROWS];
    power.iter_mut().zip(matrix).for_each(|(p, a)| *p = a / trace);
    for _ in 0..3 {
        let old = power;
        for (e, power) in power[..d * d].iter_mut().enumerate() {
            *power = (0..d).map(|k| old[e / d * d + k] * old[k * d + e % d]).sum();
        }
    }
    trace * power.iter().map(|p| p * p).sum::<f64>().powf(1.0 / 16.0)
}

/// Which blocks are visited when.
#[derive(Default)]
struct Schedule {
    /// Blocks of the stages, one stage after the other. Without colours there is one stage, in which every block sees those
    /// before it.
    order: Vec<u32>,
    start: Vec<usize>,
    /// The stages in the order they come.
    stages: Vec<u32>,
    backwards: bool,
    random: Option<Generator>,
}

impl Schedule {
    /// The order of the first sweep, for so many blocks.
    fn begin(&mut self, settings: &Relaxation, blocks: usize, colouring: &Colouring) {
        let Self { order, start, stages, backwards, random } = self;
        let parallel = settings.sweep == Sweep::Parallel;
        order.clear();
        start.clear();
        if parallel {
            order.extend_from_slice(&colouring.order);
            start.extend_from_slice(&colouring.start);
        } else {
            order.extend(0..blocks as u32);
            start.extend([0, blocks]);
        }
        stages.clear();
        stages.extend(0..start.len() as u32 - 1);
        (*backwards, *random) = (false, None);
        match settings.order {
            Order::Natural => {}
            Order::Reverse if parallel => stages.reverse(),
            Order::Reverse => order.reverse(),
            Order::Random { seed } => *random = Some(Generator::new(seed)),
        }
    }

    /// Chooses the order of the next sweep, which is number `sweep`.
    fn prepare(&mut self, settings: &Relaxation, sweep: u64) {
        self.backwards = settings.sweep == Sweep::Symmetric && sweep % 2 == 1;
        if let (Some(random), false) = (&mut self.random, self.backwards) {
            let list = if settings.sweep == Sweep::Parallel { &mut self.stages } else { &mut self.order };
            shuffle(list, random);
        }
    }

    /// Visits all blocks; returns the sums of what the visits return, added in a fixed order. Stages of a parallel sweep may be
    /// shared between threads: their blocks do not act on each other.
    fn sweep(&self, settings: &Relaxation, threads: Threads, visit: &(impl Fn(usize) -> Visit + Sync)) -> Visit {
        if settings.sweep != Sweep::Parallel {
            let blocks = self.order.iter();
            let visit = |sum: Visit, &block: &u32| sum.plus(visit(block as usize));
            return if self.backwards {
                blocks.rev().fold(Visit::default(), visit)
            } else {
                blocks.fold(Visit::default(), visit)
            };
        }
        let stages =
            self.stages.iter().map(|&stage| &self.order[self.start[stage as usize]..self.start[stage as usize + 1]]);
        stages.fold(Visit::default(), |sum, blocks| sum.plus(stage(blocks, threads, visit)))
    }
}

/// Every permutation with the same chance (Fisher and Yates).
fn shuffle(list: &mut [u32], random: &mut Generator) {
    for last in (1..list.len()).rev() {
        list.swap(last, random.below(last + 1));
    }
}

/// What visits to blocks came to.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// ‖(g − Π(g − τy))/τ‖² with the g and y each visit found.
    squares: f64,
    /// Blocks whose impulse changed by more than rounding.
    moved: usize,
}

impl Tally for Visit {
    fn plus(self, other: Self) -> Self {
        Self { squares: self.squares + other.squares, moved: self.moved + other.moved }
    }
}

/// Changes of an impulse below this share of it are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Sweeps after which v is computed from g anew: its rounding errors add up with every visit. One costs about a sweep.
const REFRESH_EVERY: u32 = 100;

struct SorEngine {
    name: &'static str,
    settings: Relaxation,
    /// N written out, where H⁻¹ is not local.
    matrix: BlockMatrix,
    local: LocalBlocks,
    greedy: Greedy,
    /// Colours of the blocks, for parallel sweeps.
    colouring: Colouring,
    schedule: Schedule,
    g: Vec<Shared>,
    /// v = H⁻¹Jᵀg, where H⁻¹ is local.
    v: Vec<Shared>,
    /// g, p and v for [`SorEngine::refresh`].
    work: [Vec<f64>; 3],
    sweeps: u64,
    /// Sweeps since v was last computed from g.
    stale: u32,
    /// The last sweep changed nothing.
    still: bool,
    estimate: Option<Estimate>,
    calibration: Calibration,
}

impl SorEngine {
    fn new(name: &'static str, settings: Relaxation) -> Self {
        let (matrix, local, greedy, colouring, schedule, g, v, work) = Default::default();
        Self {
            name,
            settings,
            matrix,
            local,
            greedy,
            colouring,
            schedule,
            g,
            v,
            work,
            sweeps: 0,
            stale: 0,
            still: false,
            estimate: None,
            calibration: Calibration::default(),
        }
    }

    /// v = H⁻¹Jᵀg.
    fn refresh(&mut self, dual: &mut DualProblem) {
        self.stale = 0;
        if !dual.is_local() {
            return;
        }
        let [g, p, v] = &mut self.work;
        g.iter_mut().zip(&self.g).for_each(|(g, shared)| *g = shared.get());
        dual.scatter(g, p);
        dual.respond(p, v);
        self.v.iter().zip(v).for_each(|(shared, v)| shared.set(*v));
    }

    /// One block takes its step.
    fn visit(&self, dual: &DualProblem, block: usize) -> Visit {
        let (rows, cone, tau) = (dual.rows_of(block), dual.cone(block), self.local.step[block]);
        let d = rows.len();
        let (mut y, mut z, mut old) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        let (y, z, old) = (&mut y[..d], &mut z[..d], &mut old[..d]);
        if dual.is_local() {
            dual.block_gradient(block, &self.v, y);
        } else {
            self.matrix.multiply_row_of(block, self.g.as_slice(), y);
            y.iter_mut().zip(&dual.free_velocity()[rows.clone()]).for_each(|(y, r)| *y += r);
        }
        let g = &self.g[rows];
        old.iter_mut().zip(g).for_each(|(old, g)| *old = g.get());
        z.iter_mut().zip(old.iter().zip(&*y)).for_each(|(z, (g, y))| *z = g - tau * y);
        cone.project(z);
        let squares = z.iter().zip(&*old).map(|(z, g)| ((z - g) / tau).powi(2)).sum();
        if self.settings.block_steps > 1 {
            match d {
                // Solved by the first step.
                0 | 1 => {}
                2 => self.solve_block::<2>(block, cone, y, z, old),
                3 => self.solve_block::<3>(block, cone, y, z, old),
                4 => self.solve_block::<4>(block, cone, y, z, old),
                5 => self.solve_block::<5>(block, cone, y, z, old),
                _ => self.solve_block::<MAX_ROWS>(block, cone, y, z, old),
            }
        }
        // From here on `y` is the change of the impulse.
        let change = y;
        let (mut most, mut size) = (0.0_f64, 0.0_f64);
        let lambda = self.settings.lambda;
        for i in 0..d {
            let new = if lambda == 1.0 { z[i] } else { lambda * z[i] + (1.0 - lambda) * old[i] };
            change[i] = new - old[i];
            most = most.max(change[i].abs());
            size = size.max(old[i].abs());
            g[i].set(new);
        }
        if dual.is_local() && most != 0.0 {
            dual.kick(block, change, &self.v);
        }
        Visit { squares, moved: usize::from(most > ROUNDING * size) }
    }

    /// Goes on from the first step `z` of a block towards the minimum over K of its own objective, that of the dual problem with
    /// all other blocks at rest, q(z) = y·(z − old) + ½(z − old)ᵀN_kk(z − old), and beyond: z ← Π(old + ω(z − old)).
    fn solve_block<const D: usize>(&self, block: usize, cone: Cone, y: &[f64], z: &mut [f64], old: &[f64]) {
        let (tau, start) = (self.local.step[block], self.local.start[block]);
        let lines = self.local.diagonal[start..].as_chunks::<D>().0.first_chunk::<D>();
        let parts = (lines, y.first_chunk::<D>(), z.first_chunk_mut::<D>(), old.first_chunk::<D>());
        let (Some(lines), Some(y), Some(z), Some(old)) = parts else { return };
        // N_kk (z − old).
        let response = |z: &[f64; D]| -> [f64; D] {
            std::array::from_fn(|i| (0..D).map(|j| lines[i][j] * (z[j] - old[j])).sum::<f64>())
        };
        for _ in 1..self.settings.block_steps {
            let u = response(z);
            let mut next: [f64; D] = std::array::from_fn(|i| z[i] - tau * (y[i] + u[i]));
            cone.project(&mut next);
            if next == *z {
                break;
            }
            *z = next;
        }
        let mut next: [f64; D] = std::array::from_fn(|i| old[i] + self.settings.omega * (z[i] - old[i]));
        cone.project(&mut next);
        // On the line through old and the minimum q falls as long as ω < 2; the projection leaves the line and may go too far.
        let u = response(&next);
        let change: f64 = (0..D).map(|i| (next[i] - old[i]) * (y[i] + 0.5 * u[i])).sum();
        if change <= 0.0 {
            *z = next;
        }
    }
}

impl DualEngine for SorEngine {
    fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        if change == Change::OffsetOnly {
            return Ok(());
        }
        let parallel = self.settings.sweep == Sweep::Parallel;
        if !dual.is_local() {
            dual.write_out(&mut self.matrix)?;
            if parallel {
                self.matrix.colour(&mut self.greedy, &mut self.colouring);
            }
        } else if parallel && change == Change::Everything {
            // Colours depend on the pattern alone.
            dual.colour(&mut self.greedy, &mut self.colouring);
        }
        self.local.update(&self.settings, dual, &self.matrix);
        Ok(())
    }
    fn begin(&mut self, dual: &mut DualProblem, start: &[f64]) {
        let (m, n) = (dual.rows(), if dual.is_local() { dual.columns() } else { 0 });
        self.g.resize_with(m, || 0.0.into());
        self.g.iter().zip(start).for_each(|(shared, g)| shared.set(*g));
        // v follows from g in `refresh`.
        self.v.resize_with(n, || 0.0.into());
        self.work.iter_mut().zip([m, n, n]).for_each(|(buffer, size)| buffer.resize(size, 0.0));
        self.schedule.begin(&self.settings, dual.blocks(), &self.colouring);
        (self.sweeps, self.still, self.estimate) = (0, false, None);
        self.calibration = Calibration::default();
        self.refresh(dual);
    }
    fn advance(&mut self, dual: &mut DualProblem, measured: &Measured) -> Step {
        self.calibration.learn(measured, self.estimate);
        if self.stale >= REFRESH_EVERY || self.still {
            self.refresh(dual);
        }
        self.schedule.prepare(&self.settings, self.sweeps);
        let (this, on) = (&*self, &*dual);
        let sum = this.schedule.sweep(&this.settings, on.threads(), &|block| this.visit(on, block));
        self.sweeps += 1;
        self.stale += 1;
        if !sum.squares.is_finite() {
            return Step::Stalled("the steps grow without bound: choose a smaller omega");
        }
        if sum.moved == 0 && self.still {
            return Step::Stalled("impulses change by rounding only");
        }
        // At rest: the driver measures what was reached, and one more sweep with fresh velocities confirms it.
        self.still = sum.moved == 0;
        self.estimate = Some(dual.estimate_from(if self.still { 0.0 } else { sum.squares }));
        Step::Taken
    }
    fn export(&self, dual: &DualProblem, out: &mut Iterate) {
        dual.export_of(self.g.as_slice(), out);
    }
    fn watches_required_speed(&self) -> bool {
        false
    }
    fn phase(&self) -> &'static str {
        self.name
    }
    fn estimate(&self, _: &DualProblem) -> Option<Estimate> {
        self.estimate.map(|estimate| self.calibration.apply(estimate))
    }
}
