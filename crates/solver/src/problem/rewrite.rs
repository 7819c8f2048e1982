//! Writing a problem in place: the same memory step after step, every block of rows into its own slot, by several threads.
//!
//! First the shapes of all blocks, then their numbers. Shapes are compared with those that are there; as long as they agree the
//! pattern keeps its name, and a solver keeps what it has prepared for it.

use super::body_partition::infer_bodies;
use super::builder::{check_number, check_numbers, check_replacement, check_zero_rows, symmetric_part};
use super::row_facts::FactSlots;
use super::row_pass::RowSums;
use super::rows::Starts;
use super::streams::{Pieces, REST};
use super::{Compliance, ConeProblem, Inertia, InertiaName, PatternName, ProblemError, RowBlock, SparseInertia};
use crate::cone::Cone;
use signorini_linalg::Halves;
use signorini_linalg::Threads;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Runs of neighbouring velocities a block may have: two triangles of three nodes each.
pub const MOST_RUNS: usize = 6;

/// What a block of rows looks like, before its numbers.
#[derive(Clone, Copy, Debug)]
pub struct BlockShape<'a> {
    /// The cone, with its coefficients.
    pub cone: Cone,
    /// Number of rows.
    pub rows: usize,
    /// The velocities it acts on.
    pub columns: BlockColumns<'a>,
    /// Whether a row has compliance.
    pub is_soft: bool,
}

/// The velocities a block of rows acts on, ascending.
#[derive(Clone, Copy, Debug)]
pub enum BlockColumns<'a> {
    /// First velocity and length of so many runs of neighbours.
    Runs([(usize, usize); MOST_RUNS], usize),
    /// One by one.
    List(&'a [usize]),
}

impl BlockColumns<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Runs(runs, count) => runs[..*count].iter().map(|(_, length)| length).sum(),
            Self::List(list) => list.len(),
        }
    }
    fn write_to(&self, columns: &mut [usize]) {
        match self {
            Self::Runs(runs, count) => {
                let own = runs[..*count].iter().flat_map(|&(first, length)| first..first + length);
                columns.iter_mut().zip(own).for_each(|(to, column)| *to = column);
            }
            Self::List(list) => columns.copy_from_slice(list),
        }
    }
    fn are(&self, columns: &[usize]) -> bool {
        match self {
            Self::Runs(runs, count) => {
                let own = runs[..*count].iter().flat_map(|&(first, length)| first..first + length);
                self.len() == columns.len() && own.zip(columns).all(|(a, b)| a == *b)
            }
            Self::List(list) => *list == columns,
        }
    }
}

/// The slot of one block.
pub struct BlockSlot<'a> {
    /// Its columns.
    pub columns: &'a [usize],
    /// Its entries, row-major over the columns.
    pub values: &'a mut [f64],
    /// Its part of b.
    pub offset: &'a mut [f64],
    /// Compliance of its rows; empty where no row of the problem has any.
    pub compliance: &'a mut [f64],
}

/// An H that a caller has given. It is held, so that its address stays its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenInertia(Option<Arc<Inertia>>);

impl GivenInertia {
    /// The H that is held.
    pub(super) fn arc(&self) -> Option<&Arc<Inertia>> {
        self.0.as_ref()
    }
}

/// Where H comes from is no part of the problem.
impl PartialEq for GivenInertia {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Blocks whose shapes one task looks at: some 10 µs.
const SHAPES: usize = 256;
/// No block.
const NONE: usize = usize::MAX;

impl ConeProblem {
    /// Replaces H and c, in the memory the problem has. H is checked when the problem is solved; the same H once more costs nothing. With an H of another size the problem has no
    /// rows until it gets new ones: those it had are rows of other velocities.
    ///
    /// # Errors
    /// Numbers that overflowed.
    pub fn set_free_motion(&mut self, inertia: &Arc<Inertia>, linear: &[f64]) -> Result<(), ProblemError> {
        check_replacement("c", linear, inertia.dimension())?;
        self.linear.clear();
        self.linear.extend_from_slice(linear);
        self.facts.forget();
        if self.given_inertia.0.as_ref().is_some_and(|given| Arc::ptr_eq(given, inertia)) {
            return Ok(());
        }
        let has_rows_of_others = self.blocks() > 0 && self.inertia.dimension() != inertia.dimension();
        self.given_inertia = GivenInertia(None);
        self.inertia_name = InertiaName::fresh();
        let is_same = match (&mut self.inertia, &**inertia) {
            (Inertia::BlockDiagonal(own), Inertia::BlockDiagonal(new)) => {
                let same = own.start() == new.start();
                own.clone_from_other(new);
                own.make_symmetric();
                same
            }
            (Inertia::Sparse(own), Inertia::Sparse(new)) => {
                let same = own.col_ptr() == new.col_ptr() && own.row_idx() == new.row_idx();
                // Clones share the factor, which the caller may have made.
                *own = symmetric(new)?;
                same
            }
            (own, Inertia::Sparse(new)) => {
                *own = Inertia::Sparse(symmetric(new)?);
                false
            }
            (own, new) => {
                *own = new.clone();
                false
            }
        };
        // A sparse H is another in every step: it is not held.
        let is_held = matches!(**inertia, Inertia::BlockDiagonal(_));
        self.given_inertia = GivenInertia(is_held.then(|| inertia.clone()));
        self.facts.set_inertia(match &self.inertia {
            Inertia::BlockDiagonal(blocks) => Some(blocks),
            Inertia::Sparse(_) => None,
        });
        if has_rows_of_others {
            self.reshape(0, Threads::One, &|_| unreachable!("there are no blocks"));
        } else if !is_same {
            self.rename();
        }
        Ok(())
    }

    /// Gives the problem `count` blocks of rows of these shapes. Numbers of the rows are not defined until they are filled in.
    pub fn reshape<'a>(&mut self, count: usize, threads: Threads, shape: &(impl Fn(usize) -> BlockShape<'a> + Sync)) {
        if count == self.blocks() && self.has_shapes(threads, shape) {
            return self.place_rows(threads);
        }
        let halves = Halves::new(SHAPES, threads);
        self.cones.resize(count, Cone::Free);
        self.soft_blocks.resize(count, false);
        let (cones, soft) = (&mut self.cones[..], &mut self.soft_blocks[..]);
        self.rows.reshape(count, |rows, widths| {
            let shapes = Shapes { cones, soft, rows, widths };
            let work = |range: Range<usize>, shapes: Shapes<'_>| {
                let Shapes { cones, soft, rows, widths } = shapes;
                let slots = cones.iter_mut().zip(soft).zip(rows).zip(widths);
                for (k, (((cone, soft), rows), width)) in range.zip(slots) {
                    let shape = shape(k);
                    (*cone, *soft, *rows, *width) = (shape.cone, shape.is_soft, shape.rows, shape.columns.len());
                }
            };
            let split = |shapes, range: &Range<usize>, middle: usize| Shapes::split(shapes, middle - range.start);
            halves.run(0..count, shapes, &split, &work, &|(), ()| ());
        });
        self.rows.fill_columns(halves, &|k, columns| shape(k).columns.write_to(columns));
        let rows = self.rows.nrows();
        self.offset.resize(rows, 0.0);
        let is_soft = self.soft_blocks.contains(&true);
        match (&mut self.compliance, is_soft) {
            (Compliance::Diagonal(e), true) => e.resize(rows, 0.0),
            (compliance, true) => *compliance = Compliance::Diagonal(vec![0.0; rows]),
            (compliance, false) => *compliance = Compliance::Zero,
        }
        self.rename();
        self.place_rows(threads);
    }

    /// Gives the numbers of every block their place in memory, where that is not done yet: by colour where H couples no bodies.
    fn place_rows(&mut self, threads: Threads) {
        let Self { inertia, rows, cones, body_start, soft_blocks, order, pattern, .. } = self;
        // What reads values where they are relies on the name of the pattern: other places, another name.
        let is_local = matches!(inertia, Inertia::BlockDiagonal(_));
        if rows.is_placed() && (!is_local || order.if_of(*pattern).is_some()) {
            return;
        }
        let began = Instant::now();
        *pattern = PatternName::fresh();
        if is_local {
            let soft = |k: usize| soft_blocks.get(k) == Some(&true);
            order.update(*pattern, (rows, cones), &soft, body_start, threads);
            rows.place(|k| order.colours[k] as usize);
        } else {
            rows.place(|_| REST);
        }
        order.seconds = began.elapsed().as_secs_f64();
    }

    /// Fills in the rows: `fill(block, its slot)`, each block once, on all threads if these are allowed.
    ///
    /// # Errors
    /// Numbers that overflowed, by block.
    pub fn fill_rows(
        &mut self,
        threads: Threads,
        fill: &(impl Fn(usize, BlockSlot<'_>) + Sync),
    ) -> Result<(), ProblemError> {
        self.place_rows(threads);
        let Self { rows, order, facts, linear, offset, compliance, body_start, pattern, .. } = self;
        let (start, values) = rows.parts_mut();
        let compliance: &mut [f64] = match compliance {
            Compliance::Diagonal(e) => e,
            _ => &mut [],
        };
        let broken = AtomicUsize::new(NONE);
        let order = order.if_of(*pattern);
        let (computed, facts_of_all) = facts.begin(linear, offset.len(), start.row.len() - 1, threads);
        let plain = |k: usize| {
            let (first, second) = order?.plain(k)?;
            Some((body_start[first], second.map(|body| body_start[body])))
        };
        let work = |chunks: Range<usize>, mut slots: Slots<'_>| {
            let mut sums = RowSums::default();
            for k in start.streams.blocks_of(&chunks) {
                let (rows, width) = start.size(k);
                let (values, offset, compliance, facts) = slots.take(&start, k, rows, width);
                let columns = &start.columns[start.column[k]..start.column[k + 1]];
                compliance.fill(0.0);
                fill(k, BlockSlot { columns, values: &mut *values, offset: &mut *offset, compliance });
                let is_usable = check_numbers(values) & check_numbers(offset);
                let is_first_zero = values[..width].iter().all(|value| *value == 0.0);
                if !is_usable || is_first_zero {
                    broken.fetch_min(k, Ordering::Relaxed);
                }
                if let Some(computed) = &computed {
                    computed.block(plain(k), &RowBlock { columns, values, rows }, offset, facts, &mut sums);
                }
            }
            sums
        };
        let split = |slots, chunks: &Range<usize>, middle: usize| Slots::split(slots, &start, chunks.start, middle);
        let pieces = start.streams.whole(values);
        let slots = Slots { values: pieces, offset: &mut offset[..], compliance, facts: facts_of_all };
        let sums = Halves::new(1, threads).run(0..start.streams.chunks(), slots, &split, &work, &RowSums::joined);
        if computed.is_some() {
            facts.end(*pattern, sums);
        }
        match broken.into_inner() {
            NONE => Ok(()),
            block => {
                self.facts.forget();
                self.doubtful(block)
            }
        }
    }

    /// What is wrong with a block, if anything is: a number that overflowed, or a row through which no force can act.
    fn doubtful(&self, block: usize) -> Result<(), ProblemError> {
        check_zero_rows(&self.names, &self.rows, &self.cones, &self.compliance)?;
        let values = self.rows.block(block).values.iter().enumerate();
        let entries = values.map(|(e, value)| (format!("entry {e} of its rows"), *value));
        let offsets = self.offset[self.rows.rows_of(block)].iter().enumerate();
        let offsets = offsets.map(|(r, value)| (format!("b of row {r}"), *value));
        match entries.chain(offsets).find(|(_, value)| !check_number(*value)) {
            Some((what, value)) => {
                Err(ProblemError::NotFinite { place: format!("{}: {what}", self.names.block(block)), value })
            }
            // A soft row may be zero: its own compliance moves it.
            None => Ok(()),
        }
    }

    /// Whether all blocks have these shapes; takes over their coefficients of friction.
    fn has_shapes<'a>(&mut self, threads: Threads, shape: &(impl Fn(usize) -> BlockShape<'a> + Sync)) -> bool {
        let mut cones = std::mem::take(&mut self.cones);
        let this = &*self;
        let work = |range: Range<usize>, cones: &mut [Cone]| {
            range.zip(cones).all(|(k, cone)| {
                let shape = shape(k);
                let is_same = has_shape(this, k, *cone, &shape);
                if is_same {
                    *cone = shape.cone;
                }
                is_same
            })
        };
        let split = |cones, range: &Range<usize>, middle: usize| <[Cone]>::split_at_mut(cones, middle - range.start);
        let halves = Halves::new(SHAPES, threads);
        let is_same = halves.run(0..cones.len(), &mut cones[..], &split, &work, &|a, b| a && b);
        self.cones = cones;
        is_same
    }

    /// The pattern is another: nothing that was prepared for the old one fits.
    fn rename(&mut self) {
        self.pattern = PatternName::fresh();
        self.body_start.clear();
        match &self.inertia {
            Inertia::BlockDiagonal(blocks) => self.body_start.extend_from_slice(blocks.start()),
            Inertia::Sparse(matrix) => self.body_start = infer_bodies(matrix, &self.rows),
        }
    }
}

/// What is known of a range of blocks once their shapes are: cones, whether they are soft, numbers of rows and of columns.
struct Shapes<'a> {
    cones: &'a mut [Cone],
    soft: &'a mut [bool],
    rows: &'a mut [usize],
    widths: &'a mut [usize],
}

impl<'a> Shapes<'a> {
    fn split(shapes: Shapes<'a>, at: usize) -> (Self, Self) {
        let Self { cones, soft, rows, widths } = shapes;
        let ((a, b), (c, d)) = (cones.split_at_mut(at), soft.split_at_mut(at));
        let ((e, f), (g, h)) = (rows.split_at_mut(at), widths.split_at_mut(at));
        (Self { cones: a, soft: c, rows: e, widths: g }, Self { cones: b, soft: d, rows: f, widths: h })
    }
}

/// Whether block `k`, which has this cone, has a shape.
fn has_shape(problem: &ConeProblem, k: usize, cone: Cone, shape: &BlockShape<'_>) -> bool {
    let block = problem.rows.block(k);
    block.rows == shape.rows
        && std::mem::discriminant(&cone) == std::mem::discriminant(&shape.cone)
        && problem.soft_blocks.get(k) == Some(&shape.is_soft)
        && shape.columns.are(block.columns)
}

/// The matrix itself where it is symmetric to the bit, else its symmetric part.
fn symmetric(matrix: &SparseInertia) -> Result<SparseInertia, ProblemError> {
    if matrix.is_symmetric() {
        return Ok(matrix.clone());
    }
    matrix.clone().mapped(|matrix| symmetric_part("H", matrix, &mut Vec::new()))
}

/// What the blocks of some chunks are filled into.
struct Slots<'a> {
    values: Pieces<'a>,
    offset: &'a mut [f64],
    compliance: &'a mut [f64],
    facts: FactSlots<'a>,
}

impl<'a> Slots<'a> {
    /// Divides the slots of the chunks from `first` on at another.
    fn split(self, start: &Starts<'_>, first: usize, middle: usize) -> (Self, Self) {
        let blocks = start.streams.blocks_of(&(first..middle));
        let rows = start.row[blocks.end] - start.row[blocks.start];
        let (a, b) = start.streams.split(self.values, first, middle);
        let (c, d) = self.offset.split_at_mut(rows);
        let (e, f) = self.compliance.split_at_mut(rows.min(self.compliance.len()));
        let (g, h) = self.facts.split(rows, blocks.len());
        (Self { values: a, offset: c, compliance: e, facts: g }, Self { values: b, offset: d, compliance: f, facts: h })
    }

    /// Values, offset, compliance and facts of the next block.
    #[inline]
    fn take(&mut self, start: &Starts<'_>, k: usize, rows: usize, width: usize) -> SlotOfBlock<'a> {
        let values = start.streams.take(&mut self.values, k, rows * width);
        let (offset, others) = std::mem::take(&mut self.offset).split_at_mut(rows);
        self.offset = others;
        let own = rows.min(self.compliance.len());
        let (compliance, others) = std::mem::take(&mut self.compliance).split_at_mut(own);
        self.compliance = others;
        (values, offset, compliance, self.facts.take(rows))
    }
}

/// Values, offset, compliance and facts of a block.
type SlotOfBlock<'a> = (&'a mut [f64], &'a mut [f64], &'a mut [f64], FactSlots<'a>);

/// A problem written in place that is equal to one that was built, for tests.
#[cfg(test)]
pub(crate) fn in_place(built: &ConeProblem) -> ConeProblem {
    let mut problem = ConeProblem::empty();
    write_over(built, &mut problem, Threads::Pool);
    problem
}

/// Writes a problem over another.
#[cfg(test)]
fn write_over(built: &ConeProblem, problem: &mut ConeProblem, threads: Threads) {
    let e = if let Compliance::Diagonal(e) = built.compliance() { &e[..] } else { &[] };
    problem.set_free_motion(&Arc::new(built.inertia().clone()), built.linear()).unwrap();
    problem.reshape(built.blocks(), threads, &|k| {
        let (block, rows) = (built.rows().block(k), built.rows().rows_of(k));
        let is_soft = !e.is_empty() && e[rows].iter().any(|e| *e > 0.0);
        BlockShape { cone: built.cones()[k], rows: block.rows, columns: BlockColumns::List(block.columns), is_soft }
    });
    let fill = |k: usize, slot: BlockSlot<'_>| {
        let rows = built.rows().rows_of(k);
        slot.values.copy_from_slice(built.rows().block(k).values);
        slot.offset.copy_from_slice(&built.offset()[rows.clone()]);
        if !slot.compliance.is_empty() {
            slot.compliance.copy_from_slice(&e[rows]);
        }
    };
    problem.fill_rows(threads, &fill).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::family::{Chain, Net, RandomProblem, SpherePacking};
    use signorini_linalg::CscMatrix;

    /// A body that carries more contacts than there are streams of colours, beside others.
    fn crowded() -> ConeProblem {
        let mut builder = ConeProblem::builder();
        (0..3).for_each(|i| _ = builder.diagonal_body(&[1.0, 1.0, 1.0, 0.1, 0.2, 0.3 + f64::from(i)]));
        builder.linear(&[0.3; 18]);
        for i in 0..150 {
            let (x, other) = (0.01 * f64::from(i), if i % 7 == 0 { 12 } else { 6 });
            let row = |axis: usize| [(axis, 1.0), (3 + (axis + 1) % 3, x), (other + axis, -1.0), (other + 3, 0.5 * x)];
            let rows = [row(0), row(1), row(2)];
            builder.rows(Cone::Friction { mu: 0.3 }, &rows.each_ref().map(|row| &row[..]), &[-x, 0.0, 0.0]);
        }
        builder.build().unwrap()
    }

    /// Two masses that an entry of H couples, beside a third.
    fn coupled(bodies: usize) -> CscMatrix {
        let diagonal = (0..bodies).map(|k| (k, k, 2.0));
        CscMatrix::from_triplets(bodies, bodies, diagonal.chain([(0, 1, -0.5), (1, 0, -0.5)])).unwrap()
    }

    #[test]
    fn an_inertia_of_another_size_takes_the_rows_with_it() {
        let build = |bodies: usize| {
            let mut builder = ConeProblem::builder();
            builder.sparse_inertia(coupled(bodies)).linear(&vec![1.0; bodies]);
            (0..bodies).for_each(|k| _ = builder.row(Cone::NonNegative, &[(k, 1.0)], 0.0));
            builder.build().unwrap()
        };
        for [from, to] in [[3, 2], [2, 3]] {
            let mut problem = build(from);
            problem.set_free_motion(&Arc::new(Inertia::sparse(coupled(to))), &vec![1.0; to]).unwrap();
            assert_eq!((problem.velocities(), problem.row_count()), (to, 0));
            let ones: Vec<[usize; 1]> = (0..to).map(|k| [k]).collect();
            problem.reshape(to, Threads::One, &|k| BlockShape {
                cone: Cone::NonNegative,
                rows: 1,
                columns: BlockColumns::List(&ones[k]),
                is_soft: false,
            });
            let fill = |_: usize, slot: BlockSlot<'_>| {
                slot.values.fill(1.0);
                slot.offset.fill(0.0);
            };
            problem.fill_rows(Threads::One, &fill).unwrap();
            let known = build(to);
            assert_eq!(problem.body_start(), known.body_start(), "from {from} to {to}");
            for k in 0..to {
                let blocks = [&problem, &known].map(|of| of.rows().block(k));
                assert_eq!((blocks[0].columns, blocks[0].values), (blocks[1].columns, blocks[1].values));
            }
        }
    }

    fn problems() -> Vec<ConeProblem> {
        let mut list = vec![
            SpherePacking { bodies: 1200, ..Default::default() }.problem().unwrap(),
            SpherePacking { bodies: 30, friction: 0.0, ..Default::default() }.problem().unwrap(),
            Net::default().problem().unwrap(),
            Chain { links: 8, floor: Some(0.4), doubled: true, ..Default::default() }.problem().unwrap(),
            crowded(),
        ];
        list.extend((0..40).map(|seed| {
            let softness = if seed % 3 == 0 { 0.1 } else { 0.0 };
            RandomProblem { bodies: 5, blocks: 9, softness, seed, ..Default::default() }.generate().unwrap().problem
        }));
        list
    }

    #[test]
    fn what_is_written_is_there_block_by_block_whatever_was_there_before() {
        let list = problems();
        let [mut one, mut several] = [ConeProblem::empty(), ConeProblem::empty()];
        for built in list.iter().chain(list.iter().rev()) {
            write_over(built, &mut one, Threads::One);
            write_over(built, &mut several, Threads::Pool);
            for problem in [&one, &several] {
                assert!(problem.rows() == built.rows() && problem.offset() == built.offset());
                assert!(problem.compliance() == built.compliance() && problem.cones() == built.cones());
            }
            assert_eq!(one.rows().values(), several.rows().values());
        }
    }

    /// Who holds a copy keeps what was there.
    #[test]
    fn a_copy_of_the_problem_does_not_change_with_it() {
        let [first, second] =
            [1, 2].map(|seed| SpherePacking { bodies: 40, seed, ..Default::default() }.problem().unwrap());
        let mut problem = in_place(&first);
        let copy = problem.clone();
        write_over(&second, &mut problem, Threads::One);
        assert!(copy.rows() == first.rows() && problem.rows() == second.rows());
    }

    /// r and the diagonal of N against one pass over the rows of the problem that was built, which has no facts.
    #[test]
    fn facts_are_those_of_a_pass_over_the_rows() {
        let mut with_facts = 0;
        for built in &problems() {
            let problem = in_place(built);
            with_facts += u32::from(problem.facts().is_some());
            assert!(built.facts().is_none());
            let [found, expected] = [&problem, built].map(|problem| Delassus::new(problem).unwrap());
            for (a, b) in [
                (found.free_velocity(), expected.free_velocity()),
                (found.diagonal(), expected.diagonal()),
                (
                    &[found.step(), found.free_norm(), found.largest_terms()],
                    &[expected.step(), expected.free_norm(), expected.largest_terms()],
                ),
            ] {
                let size = b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
                assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * size));
            }
        }
        assert!(with_facts >= 3, "{with_facts} problems have masses and principal inertias");
    }

    /// What was known of the rows is forgotten with the first change.
    #[test]
    fn facts_do_not_outlive_a_change() {
        let built = SpherePacking { bodies: 10, ..Default::default() }.problem().unwrap();
        let mut problem = in_place(&built);
        assert!(problem.facts().is_some());
        problem.set_linear(&vec![0.5; built.velocities()]).unwrap();
        assert!(problem.facts().is_none());
        let mut problem = in_place(&built);
        problem.set_offset(&vec![0.5; built.row_count()]).unwrap();
        assert!(problem.facts().is_none());
        assert!(in_place(&built).softened(std::iter::repeat_n(1e-3, built.row_count())).facts().is_none());
    }
}
