//! How far an answer is from solving the problem, in physical units: one definition for all methods.

use crate::change::Change;
use crate::cone::{Cone, MAX_ROWS};
use crate::delassus::{Delassus, add_compliance};
use crate::friction_law::FrictionLaw;
use crate::incidence::Incidence;
use crate::problem::{BlockDiagonal, Compliance, Inertia, InertiaInverse};
use crate::{ConeProblem, SolveError};
use signorini_linalg::Halves;
use signorini_linalg::{CscMatrix, Threads};
use std::ops::Range;

/// Residuals of an answer (v, g). Speeds in m/s, impulses in N·s when the problem is in SI units.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Residuals {
    /// Natural map ‖g − Π(g − ρ y)‖/ρ, the largest over blocks \[m/s\]; ρ = 1/mean(diag N).
    pub natural_map: f64,
    /// Euclidean norm of the natural map over all blocks, divided by the norm of the free relative velocity.
    pub natural_map_relative: f64,
    /// Largest distance of a relative velocity from K* \[m/s\]: approach speed left, or drift of a joint.
    pub primal: f64,
    /// Largest distance of an impulse from K \[N·s\]: pulling contacts, too much friction.
    pub dual: f64,
    /// Σ|g·y| \[J\]: work of the constraint impulses that should do none.
    pub complementarity: f64,
    /// ‖Hv + c − Jᵀg‖ relative to the momenta it is the sum of.
    pub momentum: f64,
}

/// Measures residuals. It keeps numbers and buffers, not the problem: whoever calls it hands in the problem it was last updated
/// for.
pub struct ResidualMeter {
    delassus: Delassus,
    incidence: Incidence,
    step: f64,
    free_norm: f64,
    free_speed: f64,
    rounding_floor: f64,
    /// Velocity that belongs to the impulses last measured.
    velocity: Vec<f64>,
    relative_velocity: Vec<f64>,
    objective: f64,
    imbalance: Vec<f64>,
    magnitude: Vec<f64>,
    correction: Vec<f64>,
    active: usize,
    law: FrictionLaw,
    /// N as given less N as used, for the exact law.
    defect: Option<CscMatrix>,
    threads: Threads,
}

/// A momentum imbalance below this multiple of ε times the momenta summed is rounding of the sum itself.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Rounding of a relative velocity, as a share of the terms it is the sum of.
const FLOOR: f64 = 16.0 * f64::EPSILON;
/// Bodies, and blocks of rows, one task works on: some 20 µs.
const BODIES: usize = 256;
const BLOCKS: usize = 512;

impl ResidualMeter {
    /// Prepares to measure answers of one problem.
    ///
    /// # Errors
    /// Never for a problem made by its builder.
    pub fn new(problem: &ConeProblem) -> Result<Self, SolveError> {
        let mut this = Self::empty();
        this.update(problem, Change::Everything, Threads::Pool)?;
        Ok(this)
    }

    /// The meter of no problem yet.
    pub(crate) fn empty() -> Self {
        Self {
            delassus: Delassus::empty(),
            incidence: Incidence::default(),
            step: 1.0,
            free_norm: 0.0,
            free_speed: 0.0,
            rounding_floor: 0.0,
            velocity: Vec::new(),
            relative_velocity: Vec::new(),
            objective: 0.0,
            imbalance: Vec::new(),
            magnitude: Vec::new(),
            correction: Vec::new(),
            active: 0,
            law: FrictionLaw::Relaxed,
            defect: None,
            threads: Threads::One,
        }
    }

    /// Prepares to measure answers of a problem, in the memory it has; the law is the relaxed one.
    pub(crate) fn update(&mut self, problem: &ConeProblem, change: Change, threads: Threads) -> Result<(), SolveError> {
        self.delassus.update(problem, change, threads)?;
        self.threads = threads;
        let (n, m) = (problem.velocities(), problem.row_count());
        if change == Change::Everything {
            self.incidence.update(problem, self.delassus.body_of(), threads);
            self.relative_velocity.resize(m, 0.0);
            for buffer in [&mut self.velocity, &mut self.imbalance, &mut self.magnitude, &mut self.correction] {
                buffer.resize(n, 0.0);
            }
        }
        self.set_law(problem, FrictionLaw::Relaxed);
        self.step = self.delassus.step();
        let free_motion = self.delassus.free_motion();
        self.free_speed = free_motion.iter().fold(0.0, |m, v| v.abs().max(m));
        self.free_norm = self.delassus.free_norm();
        self.rounding_floor = FLOOR * self.delassus.largest_terms();
        Ok(())
    }

    /// Measures by another friction law from now on. For [`FrictionLaw::Exact`] y is that of Coulomb's law, u + s(u) on the
    /// normal row (see [`Cone::dilation`](crate::Cone::dilation)), with N as it was given.
    pub fn set_law(&mut self, problem: &ConeProblem, law: FrictionLaw) {
        self.law = law;
        self.defect = if law == FrictionLaw::Exact { problem.defect() } else { None };
    }

    /// The operator the residuals are measured with.
    pub fn delassus(&mut self) -> &mut Delassus {
        &mut self.delassus
    }
    /// Threads that measuring may use.
    pub(crate) fn threads(&self) -> Threads {
        self.threads
    }
    pub(crate) fn delassus_ref(&self) -> &Delassus {
        &self.delassus
    }
    /// Velocity of the answer last measured, in balance with its impulses.
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }
    /// y = Jv − b + Eg of the answer last measured.
    #[must_use]
    pub fn relative_velocity(&self) -> &[f64] {
        &self.relative_velocity
    }
    /// Blocks of the answer last measured that carry force, as the natural map sees them: Π(g − ρy) ≠ 0.
    #[must_use]
    pub fn active(&self) -> usize {
        self.active
    }
    /// Norm of the free relative velocity \[m/s\].
    #[must_use]
    pub fn free_norm(&self) -> f64 {
        self.free_norm
    }

    /// Residuals of the velocities `v` with the impulses `g`.
    ///
    /// The natural map is a function of g alone, with y taken at v(g) = H⁻¹(Jᵀg − c). It is computed as
    /// v − H⁻¹(Hv + c − Jᵀg), where an imbalance at rounding level counts as zero: with mass ratios of 10⁵⁰
    /// the rounding of a force on a heavy body would otherwise throw its light neighbour away.
    pub fn measure(&mut self, problem: &ConeProblem, v: &[f64], g: &[f64]) -> Residuals {
        self.measure_from(problem, Some(v), g)
    }

    /// Residuals of the impulses `g` with the velocities that follow from them.
    pub fn measure_impulses(&mut self, problem: &ConeProblem, g: &[f64]) -> Residuals {
        self.measure_from(problem, None, g)
    }

    fn measure_from(&mut self, problem: &ConeProblem, v: Option<&[f64]>, g: &[f64]) -> Residuals {
        let momentum = self.settle_velocity(problem, v, g);
        let mut out = self.natural_map(problem, g);
        out.momentum = momentum;
        out
    }

    /// y and the natural map at `self.velocity` and the impulses g, in one pass over J.
    fn natural_map(&mut self, problem: &ConeProblem, g: &[f64]) -> Residuals {
        // What is not local to a block is added up beforehand.
        let Self { relative_velocity, defect, velocity, delassus, step, law, .. } = self;
        let (rows, cones, is_matrix) = (problem.rows(), problem.cones(), problem.is_condensed());
        if is_matrix {
            relative_velocity.fill(0.0);
            add_compliance(problem, g, relative_velocity);
        }
        if let Some(defect) = defect {
            defect.mul_add(1.0, g, relative_velocity);
        }
        let softness = match problem.compliance() {
            Compliance::Diagonal(e) => &e[..],
            _ => &[],
        };
        let (offset, free, velocity, step) = (delassus.offset(), delassus.free_velocity(), &*velocity, *step);
        let is_exact = *law == FrictionLaw::Exact;
        let work = |range: Range<usize>, mut y: &mut [f64]| {
            let mut sums = Sums::default();
            let (mut map, mut lifted) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            let (mut long_map, mut long_lifted) = (Vec::new(), Vec::new());
            for k in range {
                let at = rows.rows_of(k);
                let (own, rest) = y.split_at_mut(at.len());
                y = rest;
                if !is_matrix {
                    rows.block(k).rates(velocity, own);
                }
                let (g, b, r) = (&g[at.clone()], &offset[at.clone()], &free[at.clone()]);
                own.iter_mut().zip(b).for_each(|(y, b)| *y -= b);
                if !softness.is_empty() {
                    own.iter_mut().zip(&softness[at]).zip(g).for_each(|((y, e), g)| *y += e * g);
                }
                sums.objective += 0.5 * g.iter().zip(&*own).zip(r).map(|((g, y), r)| g * (y + r)).sum::<f64>();
                // Bilateral blocks and those of pyramids may have any number of rows.
                let (map, lifted) = if g.len() <= MAX_ROWS {
                    (&mut map[..g.len()], &mut lifted[..g.len()])
                } else {
                    long_map.resize(g.len(), 0.0);
                    long_lifted.resize(g.len(), 0.0);
                    (&mut long_map[..], &mut long_lifted[..])
                };
                lifted.copy_from_slice(own);
                if is_exact {
                    lifted[0] += cones[k].dilation(lifted);
                }
                sums.add(cones[k], g, lifted, step, map);
            }
            sums
        };
        let split = |y, range: &Range<usize>, middle: usize| {
            <[f64]>::split_at_mut(y, rows.rows_of(middle).start - rows.rows_of(range.start).start)
        };
        let halves = Halves::new(BLOCKS, self.threads);
        let sums = halves.run(0..rows.len(), &mut relative_velocity[..], &split, &work, &Sums::joined);
        self.active = sums.active;
        self.objective = sums.objective;
        let norm = sums.squares.sqrt();
        Residuals {
            natural_map: sums.natural_map,
            natural_map_relative: if self.free_norm > 0.0 { norm / self.free_norm } else { norm },
            primal: sums.primal,
            dual: sums.dual,
            complementarity: sums.complementarity,
            momentum: 0.0,
        }
    }

    /// The dual objective ½ gᵀN g + rᵀg of the answer last measured: Ng + r = y, so it is ½gᵀ(y + r).
    #[must_use]
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// How many times the problem's own speed any admissible velocity must be, by the certificate g (Farkas).
    ///
    /// g ∈ K and y = Jv − b ∈ K* give (Jᵀg)·v ≥ b·g, so Σ|v| ≥ b·g/max|Jᵀg|: impulses that cancel on the bodies
    /// (Jᵀg → 0) while pushing against the prescribed velocities (b·g > 0) leave no room for v. The problem's speed is the
    /// largest of its free motion and of |b|/|J|. In a condensed problem the same holds with N for J, −r for b and impulses
    /// for velocities. Zero when g is no such certificate, or meets compliance.
    pub fn required_speed(&mut self, problem: &ConeProblem, g: &[f64]) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let push: f64 = g.iter().zip(self.delassus.offset()).map(|(g, b)| g * b).sum();
        let moved = &mut self.correction;
        let speed = match problem.compliance() {
            Compliance::Matrix(n) => {
                moved.clear();
                moved.resize(g.len(), 0.0);
                n.mul_add(1.0, g, moved);
                let hardest =
                    self.delassus.diagonal().iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
                g.len() as f64 * largest(self.delassus.offset()) / hardest
            }
            compliance => {
                moved.fill(0.0);
                problem.rows().mul_transpose_add(1.0, g, moved);
                if let Compliance::Diagonal(e) = compliance {
                    // A soft row gives way: its share of the push does not count.
                    if e.iter().zip(g).any(|(e, g)| e * g.abs() > 0.0) {
                        return 0.0;
                    }
                }
                let entry = largest(problem.rows().values());
                self.free_speed.max(largest(self.delassus.offset()) / entry.max(f64::MIN_POSITIVE))
            }
        };
        let least = push / largest(moved).max(f64::MIN_POSITIVE);
        if push > 0.0 && speed > 0.0 { least / speed } else { 0.0 }
    }

    /// Natural maps below this \[m/s\] are rounding of the relative velocities themselves: 16 ε (|J||v| + |b|) at the free
    /// motion. Bodies that fly together have no relative velocity but this.
    #[must_use]
    pub fn rounding_floor(&self) -> f64 {
        self.rounding_floor
    }

    /// Puts v(g) into `self.velocity`; returns the relative momentum imbalance of `v`, or of H⁻¹(Jᵀg − c) without one.
    fn settle_velocity(&mut self, problem: &ConeProblem, v: Option<&[f64]>, g: &[f64]) -> f64 {
        if problem.velocities() == 0 {
            return 0.0;
        }
        match (problem.inertia(), self.delassus.inverse_ref()) {
            (Inertia::BlockDiagonal(inertia), InertiaInverse::BlockDiagonal(inverse)) => {
                let bodies = BodyBalance { problem, inertia, inverse, incidence: &self.incidence };
                let [imbalance, magnitude] = bodies.settle(v, g, &mut self.velocity, self.threads);
                imbalance.sqrt() / magnitude.sqrt().max(f64::MIN_POSITIVE)
            }
            _ => self.settle_coupled(problem, v, g),
        }
    }

    /// The same where H couples bodies.
    fn settle_coupled(&mut self, problem: &ConeProblem, v: Option<&[f64]>, g: &[f64]) -> f64 {
        let Self { delassus, incidence, velocity, imbalance, magnitude, correction, .. } = self;
        match v {
            Some(v) => velocity.copy_from_slice(v),
            None => delassus.velocity(problem, g, velocity),
        }
        imbalance.fill(0.0);
        magnitude.fill(0.0);
        for (body, range) in problem.body_start().windows(2).enumerate() {
            let (own, size) = (&mut imbalance[range[0]..range[1]], &mut magnitude[range[0]..range[1]]);
            incidence.add(problem, body, g, own, size);
        }
        imbalance.iter_mut().for_each(|p| *p = -*p);
        imbalance.iter_mut().zip(problem.linear()).for_each(|(p, c)| *p += c);
        magnitude.iter_mut().zip(problem.linear()).for_each(|(m, c)| *m += c.abs());
        problem.inertia().mul_add(1.0, velocity, imbalance);
        if let Inertia::Sparse(matrix) = problem.inertia() {
            for (row, column, value) in matrix.triplets() {
                magnitude[row] += (value * velocity[column]).abs();
            }
        }
        let relative = norm(imbalance) / norm(magnitude).max(f64::MIN_POSITIVE);
        for (imbalance, magnitude) in imbalance.iter_mut().zip(&*magnitude) {
            if imbalance.abs() <= ROUNDING * magnitude {
                *imbalance = 0.0;
            }
        }
        correction.resize(imbalance.len(), 0.0);
        delassus.inverse().apply(imbalance, correction);
        velocity.iter_mut().zip(&*correction).for_each(|(v, correction)| *v -= correction);
        relative
    }
}

/// The balance of momentum body by body, where H couples none.
struct BodyBalance<'a> {
    problem: &'a ConeProblem,
    inertia: &'a BlockDiagonal,
    inverse: &'a BlockDiagonal,
    incidence: &'a Incidence,
}

impl BodyBalance<'_> {
    /// Velocities in balance with the impulses; returns the squares of imbalance and of the momenta it is the sum of.
    fn settle(&self, v: Option<&[f64]>, g: &[f64], velocity: &mut [f64], threads: Threads) -> [f64; 2] {
        let start = self.problem.body_start();
        let work = |range: Range<usize>, mut velocity: &mut [f64]| {
            let (mut sums, mut large) = ([0.0; 2], Vec::new());
            for body in range {
                let at = start[body]..start[body + 1];
                let (own, rest) = velocity.split_at_mut(at.len());
                velocity = rest;
                let v = v.map(|v| &v[at]);
                // With the size known, loops over a body's velocities take a handful of instructions: those of particles, of
                // bodies in the plane and of rigid bodies.
                let parts = match own.len() {
                    1 => self.settle_small::<1>(body, v, g, own),
                    3 => self.settle_small::<3>(body, v, g, own),
                    6 => self.settle_small::<6>(body, v, g, own),
                    n => {
                        large.resize(4 * n, 0.0);
                        let (a, b) = large.split_at_mut(2 * n);
                        let ((a, b), (c, d)) = (a.split_at_mut(n), b.split_at_mut(n));
                        self.settle_body(body, v, g, own, [a, b, c, d])
                    }
                };
                (0..2).for_each(|i| sums[i] += parts[i]);
            }
            sums
        };
        let split = |velocity, range: &Range<usize>, middle: usize| {
            <[f64]>::split_at_mut(velocity, start[middle] - start[range.start])
        };
        let join = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        Halves::new(BODIES, threads).run(0..start.len() - 1, velocity, &split, &work, &join)
    }

    /// A body of `N` velocities.
    #[inline]
    fn settle_small<const N: usize>(
        &self,
        body: usize,
        v: Option<&[f64]>,
        g: &[f64],
        velocity: &mut [f64],
    ) -> [f64; 2] {
        let mut buffers = [[0.0; N]; 4];
        self.settle_body(
            body,
            v.map(|v| &v[..N]),
            g,
            &mut velocity[..N],
            buffers.each_mut().map(|buffer| &mut buffer[..]),
        )
    }

    #[inline(always)]
    fn settle_body(
        &self,
        body: usize,
        v: Option<&[f64]>,
        g: &[f64],
        velocity: &mut [f64],
        [sum, size, imbalance, scratch]: [&mut [f64]; 4],
    ) -> [f64; 2] {
        let n = velocity.len();
        let c = &self.problem.linear()[self.problem.body_start()[body]..][..n];
        let (inertia, inverse) = (&self.inertia.block(body)[..n * n], &self.inverse.block(body)[..n * n]);
        sum.fill(0.0);
        size.fill(0.0);
        self.incidence.add(self.problem, body, g, sum, size);
        match v {
            Some(v) => velocity.copy_from_slice(v),
            None => {
                scratch.iter_mut().zip(&*sum).zip(c).for_each(|((p, sum), c)| *p = sum - c);
                multiply(inverse, scratch, velocity);
            }
        }
        multiply(inertia, velocity, imbalance);
        let mut squares = [0.0; 2];
        for i in 0..n {
            imbalance[i] += c[i] - sum[i];
            let moved = inertia[i * n..(i + 1) * n].iter().zip(&*velocity).map(|(h, v)| (h * v).abs()).sum::<f64>();
            let magnitude = size[i] + c[i].abs() + moved;
            squares[0] += imbalance[i] * imbalance[i];
            squares[1] += magnitude * magnitude;
            if imbalance[i].abs() <= ROUNDING * magnitude {
                imbalance[i] = 0.0;
            }
        }
        if imbalance.iter().any(|p| *p != 0.0) {
            multiply(inverse, imbalance, scratch);
            velocity.iter_mut().zip(&*scratch).for_each(|(v, correction)| *v -= correction);
        }
        squares
    }
}

/// `out = A x` for a dense matrix, row-major.
#[inline(always)]
fn multiply(a: &[f64], x: &[f64], out: &mut [f64]) {
    for (line, out) in a.chunks_exact(x.len().max(1)).zip(out) {
        *out = line.iter().zip(x).map(|(a, x)| a * x).sum();
    }
}

/// What the blocks of a range came to.
#[derive(Clone, Copy, Default)]
struct Sums {
    squares: f64,
    natural_map: f64,
    primal: f64,
    dual: f64,
    complementarity: f64,
    objective: f64,
    active: usize,
}

impl Sums {
    /// Adds a block with impulses g and relative velocity y.
    #[inline]
    fn add(&mut self, cone: Cone, g: &[f64], y: &[f64], step: f64, map: &mut [f64]) {
        cone.natural_map(g, y, step, map);
        let squared: f64 = map.iter().map(|z| z * z).sum();
        // Π(g − ρy) = g − ρz.
        self.active += usize::from(map.iter().zip(g).any(|(z, g)| *z != g / step));
        self.squares += squared;
        // f64::max drops NaN; an answer that is not a number must not look solved.
        self.natural_map = worst(self.natural_map, squared.sqrt());
        self.primal = worst(self.primal, cone.dual_distance(y));
        self.dual = worst(self.dual, cone.distance(g));
        self.complementarity += g.iter().zip(y).map(|(g, y)| g * y).sum::<f64>().abs();
    }

    fn joined(a: Self, b: Self) -> Self {
        Self {
            squares: a.squares + b.squares,
            natural_map: worst(a.natural_map, b.natural_map),
            primal: worst(a.primal, b.primal),
            dual: worst(a.dual, b.dual),
            complementarity: a.complementarity + b.complementarity,
            objective: a.objective + b.objective,
            active: a.active + b.active,
        }
    }
}

fn worst(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
