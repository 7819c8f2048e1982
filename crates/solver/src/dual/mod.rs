//! The dual problem min ½gᵀNg + rᵀg over g ∈ K, laid out for methods that only multiply by N.
//!
//! N = J H⁻¹ Jᵀ + E acts in three steps: momenta p = Jᵀg, velocities v = H⁻¹p, relative velocities u = Jv. Each is an
//! operation of [`DualProblem`], because a method that keeps p and v saves work: gᵀNg = p·v needs no pass over J, and one
//! pass over J ([`DualProblem::sweep_forces`]) both reads the gradient of an iterate and scatters the next one.
//!
//! * A soft row (compliance e > 0) acts on one velocity of its own, of inverse mass e: E needs no code of its own.
//! * A condensed problem has J = I and "H⁻¹" = N.
//! * Rows that are independent in K (bilateral, unilateral) are blocks of one row; friction cones are blocks of 2, 3 or
//!   more rows.
//! * Blocks are sorted by colour, and then bodies keep their order and contacts are read where the problem has them; or bodies are
//!   renumbered along the contact graph and blocks sorted by body, so that neighbours in memory touch the same bodies. Import and
//!   export translate. The blocks are cut into parts that do not depend on the number of threads,
//!   partial results are added in a fixed order: any number of threads gives the same bits.

mod cells;
mod colouring;
mod columns;
mod explicit;
mod jacobian;
mod layout;
mod response;

use crate::SolveError;
use crate::change::Change;
use crate::colouring::Colouring;
use crate::cone::Cone;
use crate::delassus::Delassus;
use crate::driver::Estimate;
use crate::friction_law::FrictionLaw;
use crate::problem::{ConeProblem, Gram, InertiaInverse};
use crate::report::Iterate;
use columns::Columns;
use jacobian::Jacobian;
use layout::Layout;
use response::Response;
use signorini_linalg::Halves;
use signorini_linalg::{CscMatrix, Threads};
use std::ops::Range;

pub(crate) use crate::cone::MAX_ROWS;
pub(crate) use cells::{Numbers, Shared};
pub(crate) use columns::lanes;
pub(crate) use explicit::{BlockMatrix, DiagonalWork};
pub(crate) use jacobian::Action;
pub(crate) use layout::Arrangement;

/// The dual problem of a [`crate::ConeProblem`]. See the [module documentation](self).
pub(crate) struct DualProblem {
    arrangement: Arrangement,
    jacobian: Jacobian,
    response: Response,
    /// r: relative velocity with no impulse acting.
    free_velocity: Vec<f64>,
    /// Mean diagonal of N over each block: its velocity per impulse.
    softness: Vec<f64>,
    /// N_kk of every block, where the problem had computed them all; else empty.
    grams: Vec<Gram>,
    /// ρ of the natural map every method reports.
    step: f64,
    /// ‖r‖, or 1 where that is zero.
    scale: f64,
    layout: Layout,
    columns: Columns,
    /// Momenta and velocities of [`DualProblem::apply`].
    scratch: [Vec<f64>; 2],
    threads: Threads,
    law: FrictionLaw,
    /// N of the exact law, where it was given with a skew part.
    as_given: Option<CscMatrix>,
}

/// Blocks one task works on.
const BLOCKS: usize = 1024;
/// Rows one task copies.
const ROWS: usize = 8192;

/// Says that the forces of a sweep have not been added up yet.
#[must_use]
pub(crate) struct Forces(());

/// What a method does with every block in its pass over J.
pub(crate) trait BlockKernel<const V: usize, const S: usize>: Sync {
    /// Sees the gradient y = J_k v + r and its rows of each vector, adds to the sums, returns the force.
    fn block<const D: usize>(
        &self,
        at: BlockAt,
        gradient: &[f64; D],
        vectors: [&mut [f64; D]; V],
        sums: &mut [f64; S],
    ) -> [f64; D];
}

/// Rates become gradients, numbers become blocks.
struct AtGradient<'a, K> {
    cones: &'a [Cone],
    softness: &'a [f64],
    free_velocity: &'a [f64],
    kernel: &'a K,
}

impl<const V: usize, const S: usize, K: BlockKernel<V, S>> jacobian::Kernel<V, S> for AtGradient<'_, K> {
    #[inline]
    fn block<const D: usize>(
        &self,
        index: usize,
        row: usize,
        mut rate: [f64; D],
        vectors: [&mut [f64; D]; V],
        sums: &mut [f64; S],
    ) -> [f64; D] {
        let free_velocity = &self.free_velocity[row..row + D];
        (0..D).for_each(|i| rate[i] += free_velocity[i]);
        let at = BlockAt { rows: row..row + D, cone: self.cones[index], softness: self.softness[index] };
        self.kernel.block(at, &rate, vectors, sums)
    }
}

/// A closure over slices as a kernel.
#[cfg(test)]
struct ByClosure<'a, F>(&'a F);

#[cfg(test)]
impl<const V: usize, const S: usize, F> BlockKernel<V, S> for ByClosure<'_, F>
where
    F: Fn(BlockAt, &[f64], [&mut [f64]; V], &mut [f64], &mut [f64; S]) + Sync,
{
    fn block<const D: usize>(
        &self,
        at: BlockAt,
        gradient: &[f64; D],
        vectors: [&mut [f64; D]; V],
        sums: &mut [f64; S],
    ) -> [f64; D] {
        let mut force = [0.0; D];
        (self.0)(at, gradient, vectors.map(|vector| &mut vector[..]), &mut force, sums);
        force
    }
}

/// Which block a kernel of [`DualProblem::sweep_forces`] is at.
pub(crate) struct BlockAt {
    /// Its rows.
    pub(crate) rows: Range<usize>,
    /// Its cone.
    pub(crate) cone: Cone,
    /// Mean diagonal of N over the block.
    pub(crate) softness: f64,
}

impl DualProblem {
    /// The dual problem of a problem.
    #[cfg(test)]
    pub(crate) fn new(
        problem: &ConeProblem,
        delassus: &mut Delassus,
        threads: Threads,
        arrangement: Arrangement,
    ) -> Result<Self, SolveError> {
        let mut this = Self::empty(arrangement);
        this.update(problem, delassus, Change::Everything, threads)?;
        Ok(this)
    }

    /// That of no problem yet, whose blocks will be arranged as a method visits them.
    pub(crate) fn empty(arrangement: Arrangement) -> Self {
        Self {
            arrangement,
            jacobian: Jacobian::default(),
            response: Response::empty(),
            free_velocity: Vec::new(),
            softness: Vec::new(),
            grams: Vec::new(),
            step: 1.0,
            scale: 1.0,
            layout: Layout::default(),
            columns: Columns::default(),
            scratch: Default::default(),
            threads: Threads::One,
            law: FrictionLaw::Relaxed,
            as_given: None,
        }
    }

    /// Becomes the dual problem of a problem, in the memory it has, for the relaxed law. Returns what really changed: entries that
    /// were zero and are not any more change the layout.
    pub(crate) fn update(
        &mut self,
        problem: &ConeProblem,
        delassus: &Delassus,
        change: Change,
        threads: Threads,
    ) -> Result<Change, SolveError> {
        self.threads = threads;
        self.law = FrictionLaw::Relaxed;
        let mut change = change;
        if change == Change::SamePattern {
            self.layout.renew(problem);
            let fits = self.jacobian.fill(problem, &self.layout, threads);
            let renewed = fits && self.renew_response(problem, delassus)?;
            if !renewed {
                change = Change::Everything;
            }
        }
        if change == Change::Everything {
            self.layout.update(problem, self.arrangement, threads);
            self.jacobian.update(problem, &self.layout, threads);
            self.response.update(problem, delassus, &self.layout, threads)?;
            self.columns.update(&self.layout.body_start);
            let columns = self.layout.columns();
            self.scratch.iter_mut().for_each(|buffer| buffer.resize(columns, 0.0));
        }
        if change != Change::OffsetOnly {
            self.update_softness(problem, delassus);
        }
        self.free_velocity.resize(self.layout.row_origin.len(), 0.0);
        self.set_free_velocity(delassus.free_velocity());
        let norm = dot(&self.free_velocity, &self.free_velocity).sqrt();
        self.scale = if norm > 0.0 { norm } else { 1.0 };
        Ok(change)
    }

    /// Gives back the rows of the problem, which are about to change: it has to be updated before it is used again.
    pub(crate) fn release(&mut self) {
        self.jacobian.release();
    }

    /// H⁻¹ of a problem with the same layout; false where more than its numbers has changed.
    fn renew_response(&mut self, problem: &ConeProblem, delassus: &Delassus) -> Result<bool, SolveError> {
        if let InertiaInverse::Sparse { factor, .. } = delassus.inverse_ref() {
            return Ok(self.response.renew_sparse(factor, &self.layout));
        }
        self.response.update(problem, delassus, &self.layout, self.threads)?;
        Ok(true)
    }

    fn update_softness(&mut self, problem: &ConeProblem, delassus: &Delassus) {
        self.step = delassus.step();
        let Self { layout, softness, grams, step, .. } = self;
        let (diagonal, layout, step) = (delassus.diagonal(), &*layout, *step);
        grams.clear();
        // A row that nothing moves: any positive number will do, its velocity never changes.
        let positive = |mean: f64| if mean > 0.0 { mean } else { 1.0 / step };
        if let Some(given) = problem.all_grams().filter(|_| layout.keeps_bodies()) {
            grams.resize(layout.blocks(), [0.0; 6]);
            softness.resize(layout.blocks(), 0.0);
            let halves = Halves::new(BLOCKS, self.threads);
            let split = |(grams, softness), range: &Range<usize>, middle: usize| {
                let ((a, b), (c, d)) = (
                    <[Gram]>::split_at_mut(grams, middle - range.start),
                    <[f64]>::split_at_mut(softness, middle - range.start),
                );
                ((a, c), (b, d))
            };
            let work = |range: Range<usize>, (grams, softness): (&mut [Gram], &mut [f64])| {
                for (k, (gram, softness)) in range.zip(grams.iter_mut().zip(softness)) {
                    *gram = given[layout.block_origin[k]];
                    *softness = positive((gram[0] + gram[1] + gram[2]) / 3.0);
                }
            };
            return halves.run(0..layout.blocks(), (&mut grams[..], &mut softness[..]), &split, &work, &|(), ()| ());
        }
        softness.resize(layout.blocks(), 0.0);
        Halves::new(BLOCKS, self.threads).each(softness, &|k, softness| {
            let rows = layout.rows_of(k);
            let mean = rows.clone().map(|row| diagonal[layout.row_origin[row]]).sum::<f64>() / rows.len() as f64;
            *softness = positive(mean);
        });
    }

    /// Obeys the exact law from now on, with N as it was given in a condensed problem.
    pub(crate) fn set_exact_law(&mut self, problem: &ConeProblem) {
        self.law = FrictionLaw::Exact;
        self.as_given = problem.as_given().filter(|_| problem.is_condensed()).cloned();
    }
    /// The friction law; methods that do not ask solve the relaxed one.
    pub(crate) fn law(&self) -> FrictionLaw {
        self.law
    }
    /// N of the law, written out; not symmetric where it was given so.
    pub(crate) fn write_out_law(&mut self, out: &mut BlockMatrix) -> Result<(), SolveError> {
        match self.as_given.take() {
            Some(given) => {
                let blocks = self.blocks_of(&given, out);
                self.as_given = Some(given);
                blocks
            }
            None => self.write_out(out),
        }
    }

    /// Number of rows: the length of g.
    pub(crate) fn rows(&self) -> usize {
        self.free_velocity.len()
    }
    /// Number of velocities (internal ones: soft rows have one each).
    pub(crate) fn columns(&self) -> usize {
        self.layout.columns()
    }
    pub(crate) fn blocks(&self) -> usize {
        self.layout.cones.len()
    }
    #[inline]
    pub(crate) fn rows_of(&self, block: usize) -> Range<usize> {
        self.layout.rows_of(block)
    }
    pub(crate) fn cone(&self, block: usize) -> Cone {
        self.layout.cones[block]
    }
    /// r: the gradient at g = 0, in m/s.
    pub(crate) fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
    /// Replaces r by the one given in the rows of the problem.
    pub(crate) fn set_free_velocity(&mut self, free_velocity: &[f64]) {
        let Self { free_velocity: own, layout, .. } = self;
        Halves::new(ROWS, self.threads).each(own, &|at, r| *r = free_velocity[layout.row_origin[at]]);
    }
    /// Mean diagonal of N over each block. Its inverse is the scalar preconditioner of the block.
    pub(crate) fn softness(&self) -> &[f64] {
        &self.softness
    }
    /// N_kk of a block, where the problem had computed it.
    pub(crate) fn gram(&self, block: usize) -> Option<&Gram> {
        self.grams.get(block)
    }
    /// ρ of the natural map every method reports.
    pub(crate) fn step(&self) -> f64 {
        self.step
    }
    /// Bytes one product with N reads and writes at least: J twice, H⁻¹ once, four vectors.
    #[allow(dead_code, reason = "stated by benchmarks")]
    pub(crate) fn bytes(&self) -> usize {
        self.jacobian.bytes() + self.response.bytes() + 8 * (4 * self.rows() + 4 * self.columns())
    }

    /// Reads impulses of the problem.
    pub(crate) fn import(&self, impulse: &[f64], g: &mut [f64]) {
        Halves::new(ROWS, self.threads).each(g, &|at, g| *g = impulse[self.layout.row_origin[at]]);
    }
    /// Where a run begins: the impulses of the warm start, projected on K, or zero.
    pub(crate) fn start(&self, warm: Option<&Iterate>, start: &mut Vec<f64>) {
        start.clear();
        start.resize(self.rows(), 0.0);
        if let Some(warm) = warm {
            self.import(&warm.impulse, start);
            self.project(start);
        }
    }
    /// The colours of the blocks, where they are arranged by them.
    pub(crate) fn colouring(&self) -> &Colouring {
        &self.layout.colouring
    }
    /// Writes g into an iterate of the problem; the velocities follow from it.
    pub(crate) fn export(&self, g: &[f64], out: &mut Iterate) {
        self.export_of(g, out);
    }
    /// [`DualProblem::export`] of any vector.
    pub(crate) fn export_of(&self, g: &(impl Numbers + Sync + ?Sized), out: &mut Iterate) {
        self.layout.restore(self.threads, &|at| g.get(at), &mut out.impulse);
    }

    /// `p = Jᵀ g`.
    pub(crate) fn scatter(&mut self, g: &[f64], p: &mut [f64]) {
        self.jacobian.scatter(g, p, self.threads);
    }
    /// `v = H⁻¹ p`.
    pub(crate) fn respond(&mut self, p: &[f64], v: &mut [f64]) {
        self.response.apply(p, v, self.threads);
    }
    /// `u = J v`.
    pub(crate) fn gather(&self, v: &[f64], u: &mut [f64]) {
        self.jacobian.gather(v, u, self.threads);
    }
    /// `out = N x`.
    pub(crate) fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let [mut p, mut v] = std::mem::take(&mut self.scratch);
        self.scatter(x, &mut p);
        self.respond(&p, &mut v);
        self.gather(&v, out);
        self.scratch = [p, v];
    }
    /// `out = N g + r`: the relative velocity y, which is the gradient of the dual objective.
    pub(crate) fn gradient(&mut self, g: &[f64], out: &mut [f64]) {
        self.apply(g, out);
        out.iter_mut().zip(&self.free_velocity).for_each(|(y, r)| *y += r);
    }

    /// Whether a momentum moves its own body only, so that blocks can act on velocities one at a time.
    pub(crate) fn is_local(&self) -> bool {
        self.response.is_local()
    }
    /// Threads its passes may use.
    pub(crate) fn threads(&self) -> Threads {
        self.threads
    }
    /// Number of bodies, soft rows counted as such.
    pub(crate) fn bodies(&self) -> usize {
        self.layout.bodies.len()
    }
    /// Bodies that a block touches, where [`DualProblem::is_local`]; one may come twice.
    pub(crate) fn bodies_of(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.jacobian.bodies_of(block)
    }
    /// `out = J_k v + r_k`: the gradient of one block at the impulses that v belongs to.
    #[inline]
    pub(crate) fn block_gradient(&self, block: usize, v: &[Shared], out: &mut [f64]) {
        self.jacobian.rates_one(block, v, out);
        out.iter_mut().zip(&self.free_velocity[self.rows_of(block)]).for_each(|(y, r)| *y += r);
    }
    /// `v += H⁻¹ J_kᵀ Δg`: what a change of the impulses of one block does, where [`DualProblem::is_local`].
    #[inline]
    pub(crate) fn kick(&self, block: usize, change: &[f64], v: &[Shared]) {
        self.jacobian.kick(block, change, &self.response, v);
    }

    /// One block acts: `action` sees its gradient J_k v + r_k and says by how much its impulses change, if they do; v follows,
    /// where [`DualProblem::is_local`].
    #[inline(always)]
    pub(crate) fn act<const D: usize>(&self, block: usize, v: &[Shared], action: &mut impl Action) {
        let first = self.rows_of(block).start;
        if let Some(free) = self.free_velocity[first..].first_chunk::<D>() {
            self.jacobian.act(block, free, &self.response, v, action);
        }
    }

    /// One pass over J: for every block, `kernel(block, y = J_k v + r, its rows of each vector, force, sums)` sees the
    /// gradient at the impulses that v belongs to and sets the force; then p = Jᵀ force. Returns the sums, added up in a
    /// fixed order. Vectors that are only read are better captured and indexed by `block.rows`.
    #[cfg(test)]
    fn sweep_gradient<const V: usize, const S: usize>(
        &mut self,
        v: &[f64],
        vectors: [&mut [f64]; V],
        p: &mut [f64],
        kernel: &(impl Fn(BlockAt, &[f64], [&mut [f64]; V], &mut [f64], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let (sums, _) = self.sweep_forces(v, vectors, &ByClosure(kernel));
        let _: [f64; 0] = self.columns.each([p], self.threads, &|columns, [p], _| {
            self.jacobian.collect(columns.start, p);
        });
        sums
    }

    /// The same pass with a kernel compiled for each number of rows; the momenta of the forces wait for
    /// [`DualProblem::settle`].
    pub(crate) fn sweep_forces<const V: usize, const S: usize>(
        &mut self,
        v: &[f64],
        vectors: [&mut [f64]; V],
        kernel: &impl BlockKernel<V, S>,
    ) -> ([f64; S], Forces) {
        let Self { jacobian, layout, softness, free_velocity, threads, .. } = self;
        let kernel = AtGradient { cones: &layout.cones, softness, free_velocity, kernel };
        (jacobian.sweep(v, vectors, *threads, &kernel), Forces(()))
    }

    /// Momenta p = Jᵀ force of the last sweep and their velocities v = H⁻¹p; then `kernel(columns, p, v, these columns of
    /// each vector, sums)`. One pass where a momentum moves its own body only: what it reads and writes stays in cache.
    pub(crate) fn settle<const C: usize, const S: usize>(
        &mut self,
        _: Forces,
        p: &mut [f64],
        v: &mut [f64],
        vectors: [&mut [f64]; C],
        kernel: &(impl Fn(Range<usize>, &[f64], &[f64], [&mut [f64]; C], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let Self { columns, jacobian, response, threads, .. } = self;
        let threads = *threads;
        if response.is_local() {
            let response = &*response;
            return columns.each_of(([p, v], vectors), threads, &|columns, ([p, v], vectors), sums| {
                jacobian.collect(columns.start, p);
                response.apply_to(columns.clone(), p, v);
                kernel(columns, p, v, vectors, sums);
            });
        }
        let _: [f64; 0] = columns.each([&mut *p], threads, &|columns, [p], _| jacobian.collect(columns.start, p));
        response.apply(p, v, threads);
        columns.each(vectors, threads, &|columns, vectors, sums| {
            kernel(columns.clone(), &p[columns.clone()], &v[columns], vectors, sums);
        })
    }

    /// Work on velocities and momenta alone: `kernel(columns, these columns of each vector, sums)`.
    pub(crate) fn for_columns<const C: usize, const S: usize>(
        &self,
        vectors: [&mut [f64]; C],
        kernel: &(impl Fn(Range<usize>, [&mut [f64]; C], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        self.columns.each(vectors, self.threads, kernel)
    }

    /// One pass over J that only reads: `kernel(block, u = J_k v, sums)`.
    pub(crate) fn read_rates<const S: usize>(
        &self,
        v: &[f64],
        kernel: &(impl Fn(BlockAt, &[f64], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        self.jacobian.read(v, self.threads, &|index, rows, rate, sums| {
            let (cone, softness) = (self.layout.cones[index], self.softness[index]);
            kernel(BlockAt { rows, cone, softness }, rate, sums);
        })
    }

    /// The same blocks and parts without J: `kernel(block, its rows of each vector, sums)`.
    pub(crate) fn for_blocks<const V: usize, const S: usize>(
        &self,
        vectors: [&mut [f64]; V],
        kernel: &(impl Fn(BlockAt, [&mut [f64]; V], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        self.jacobian.for_blocks(vectors, self.threads, &|index, rows, vectors, sums| {
            let (cone, softness) = (self.layout.cones[index], self.softness[index]);
            kernel(BlockAt { rows, cone, softness }, vectors, sums);
        })
    }

    /// Π(z), block by block.
    pub(crate) fn project(&self, z: &mut [f64]) {
        let _: [f64; 0] = self.for_blocks([z], &|block, [z], _| block.cone.project(z));
    }

    /// The natural map of g with its relative velocity y = Ng + r, as the meter defines it.
    pub(crate) fn natural_map(&self, g: &[f64], y: &[f64]) -> Estimate {
        let (mut squares, mut largest) = (0.0, 0.0_f64);
        let mut z = [0.0; MAX_ROWS];
        for k in 0..self.blocks() {
            let rows = self.rows_of(k);
            let z = &mut z[..rows.len()];
            self.layout.cones[k].natural_map(&g[rows.clone()], &y[rows], self.step, z);
            let squared: f64 = z.iter().map(|z| z * z).sum();
            squares += squared;
            largest = if squared > largest || squared.is_nan() { squared } else { largest };
        }
        Estimate { natural_map: largest.sqrt(), natural_map_relative: squares.sqrt() / self.scale }
    }

    /// An estimate from the sum of squares of some natural map alone. The largest block is at most the sum, so that a
    /// tolerance in m/s is met no later than it says.
    pub(crate) fn estimate_from(&self, squares: f64) -> Estimate {
        Estimate { natural_map: squares.sqrt(), natural_map_relative: squares.sqrt() / self.scale }
    }

    /// The same with the sum of the eighth powers of the blocks, whose eighth root bounds the largest block closely: by
    /// 2.6 times at worst over 2000 blocks, where the root of the squares may be 45 times as large.
    pub(crate) fn estimate_from_powers(&self, squares: f64, powers: f64) -> Estimate {
        let all = self.estimate_from(squares);
        // Zero or infinite where the powers leave the range of numbers.
        let bound = powers.powf(0.125);
        let usable = powers > f64::MIN_POSITIVE && bound < all.natural_map;
        Estimate { natural_map: if usable { bound } else { all.natural_map }, ..all }
    }

    /// A bound of the largest eigenvalue of B^½NB^½ (B = block softness⁻¹ if `scaled`, else the identity): power iteration
    /// from a fixed start, enlarged by what it may have missed.
    pub(crate) fn largest_eigenvalue(&mut self, scaled: bool, [x, y]: &mut [Vec<f64>; 2]) -> f64 {
        let m = self.rows();
        let weight = |this: &Self, k: usize| if scaled { 1.0 / this.softness[k].sqrt() } else { 1.0 };
        // A start with no symmetry of its own: a low-discrepancy sequence.
        x.clear();
        x.extend((0..m).map(|i| 0.5 + (0.618_033_988_749_895 * i as f64).fract()));
        y.resize(m, 0.0);
        let mut value = 0.0;
        for _ in 0..POWER_ITERATIONS {
            let norm = dot(x, x).sqrt();
            if norm == 0.0 {
                break;
            }
            for k in 0..self.blocks() {
                let w = weight(self, k) / norm;
                x[self.rows_of(k)].iter_mut().for_each(|x| *x *= w);
            }
            self.apply(x, y);
            for k in 0..self.blocks() {
                let w = weight(self, k);
                y[self.rows_of(k)].iter_mut().for_each(|y| *y *= w);
            }
            value = dot(y, y).sqrt();
            std::mem::swap(x, y);
        }
        POWER_MARGIN * value
    }
}

/// Steps of the power iteration: it is within a few per cent of the largest eigenvalue of contact problems after these.
const POWER_ITERATIONS: u32 = 30;
const POWER_MARGIN: f64 = 1.05;

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four running sums: the order is fixed, and the compiler can use vector instructions.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Chain, Net, RandomProblem, SpherePacking};

    fn problems() -> Vec<ConeProblem> {
        let mut list = vec![
            SpherePacking { bodies: 900, ..Default::default() }.problem().unwrap(),
            SpherePacking { bodies: 30, friction: 0.0, ..Default::default() }.problem().unwrap(),
            Net::default().problem().unwrap(),
            Chain::default().problem().unwrap(),
        ];
        list.extend((0..40).map(|seed| {
            let softness = if seed % 3 == 0 { 0.1 } else { 0.0 };
            RandomProblem { bodies: 5, blocks: 9, softness, seed, ..Default::default() }.generate().unwrap().problem
        }));
        // The same written in place: rows lie by colour, and what was computed in passing is used.
        let written: Vec<_> = list.iter().map(crate::problem::in_place).collect();
        list.extend(written);
        let w =
            [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.5), (3, 3, 1.0), (0, 3, 0.3), (3, 0, 0.3), (1, 2, 0.1), (2, 1, 0.1)];
        let w = CscMatrix::from_triplets(4, 4, w).unwrap();
        let cones = [(Cone::Friction { mu: 0.4 }, 3), (Cone::NonNegative, 1)];
        list.push(ConeProblem::condensed(w, vec![-1.0, 0.2, 0.1, -0.5], &cones).unwrap());
        list
    }

    /// The same product by the operator of the problem, which shares no code with this module.
    #[test]
    fn products_gradients_and_the_written_matrix_agree_with_the_problem() {
        for (number, problem) in problems().iter().enumerate() {
            let mut delassus = Delassus::new(problem).unwrap();
            let arranged = [Arrangement::Neighbours, Arrangement::Colours];
            for (threads, arrangement) in
                [Threads::One, Threads::Pool].into_iter().flat_map(|t| arranged.map(|a| (t, a)))
            {
                let mut dual = DualProblem::new(problem, &mut delassus, threads, arrangement).unwrap();
                let m = dual.rows();
                let impulse: Vec<f64> = (0..m).map(|i| (1.7 * i as f64).sin()).collect();
                let mut expected = vec![0.0; m];
                delassus.apply(problem, &impulse, &mut expected);
                let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let (mut g, mut wanted, mut found) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
                dual.import(&impulse, &mut g);
                let mut restored = Iterate { velocity: Vec::new(), impulse: vec![0.0; m] };
                dual.export(&g, &mut restored);
                assert_eq!(restored.impulse, impulse, "rows of problem {number}, {arrangement:?}");
                dual.import(&expected, &mut wanted);
                dual.apply(&g, &mut found);
                let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart(&found, &wanted) <= 1e-13 * size, "problem {number}: {}", apart(&found, &wanted));
                let mut matrix = BlockMatrix::default();
                dual.write_out(&mut matrix).unwrap();
                for k in 0..matrix.len() {
                    let (d, softness) = (dual.rows_of(k).len(), dual.softness()[k]);
                    let mean = matrix.diagonal(k).iter().step_by(d + 1).sum::<f64>() / d as f64;
                    assert!(mean == 0.0 || (mean - softness).abs() <= 1e-12 * mean, "block {k} of problem {number}");
                }
                let mut by_rows = vec![0.0; m];
                (0..matrix.len()).for_each(|k| matrix.multiply_row(k, &g, &mut by_rows[dual.rows_of(k)]));
                assert!(apart(&by_rows, &wanted) <= 1e-12 * size, "matrix of problem {number}");
                let mut by_csc = vec![0.0; m];
                matrix.to_csc().unwrap().mul(&g, &mut by_csc);
                assert!(apart(&by_csc, &wanted) <= 1e-12 * size, "sparse matrix of problem {number}");
                // One pass reads the gradient and scatters what the kernel sets.
                let (n, mut gradient) = (dual.columns(), vec![0.0; m]);
                dual.gradient(&g, &mut gradient);
                let (mut p, mut v, mut seen, mut scattered) = (vec![0.0; n], vec![0.0; n], vec![0.0; m], vec![0.0; n]);
                dual.scatter(&g, &mut p);
                dual.respond(&p, &mut v);
                let [count] =
                    dual.sweep_gradient(&v, [&mut seen], &mut scattered, &|block, y, [seen], force, [count]| {
                        seen.copy_from_slice(y);
                        force.copy_from_slice(&g[block.rows]);
                        *count += 1.0;
                    });
                assert_eq!(count as usize, dual.blocks());
                assert!(apart(&seen, &gradient) <= 1e-13 * size.max(1.0), "gradient of problem {number}");
                assert!(apart(&scattered, &p) == 0.0, "momenta of problem {number}");
            }
        }
    }
}
