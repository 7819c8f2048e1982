//! The parts that a problem falls into: what no row and no entry of H connects has nothing to do with each other.
//!
//! Each part is a problem of its own, with its own size, method, accuracy and factor. What is fixed has no velocities and connects nobody.

use super::{
    BlockColumns, BlockDiagonal, BlockShape, BlockSlot, Compliance, ConeProblem, Inertia, PatternName, ProblemError,
};
use crate::cone::Cone;
use signorini_linalg::{CscMatrix, Threads};
use std::sync::Arc;

/// Widest block of velocities that is written as a dense block of H: a rigid body.
const WIDEST: usize = 6;
/// Problems with more rows than this stay whole where one part has nearly all of them: to copy it costs more than what the others gain.
const LARGE: usize = 3_000;
/// Nearly all rows.
const NEARLY_ALL: f64 = 0.8;
/// Islands of contacts with fewer rows than this are solved together with their neighbours: a solver of its own costs more than it gains.
const SMALL: usize = 64;
/// Bodies in a row whose small islands are solved together. Which they are depends on the first body of an island alone, so that islands that come and go leave the
/// others as they are.
const NEIGHBOURS: usize = 32;
/// About the largest number of parts of a problem with many islands.
const PARTS: usize = 256;
/// Belongs to no part yet.
const NONE: usize = usize::MAX;

/// The parts of a problem, in ascending order of their first velocities. Velocities that no row acts on are one part together, the last.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// Blocks of rows, part by part, ascending in each.
    blocks: Vec<usize>,
    block_start: Vec<usize>,
    /// Velocities, part by part, ascending in each.
    velocities: Vec<usize>,
    velocity_start: Vec<usize>,
    /// Where every velocity stands among those of its part.
    place: Vec<usize>,
    /// The part of every velocity.
    part_of: Vec<usize>,
    /// Where the bodies of a part begin among its velocities, part by part, each with its end.
    body_start: Vec<usize>,
    body_start_of: Vec<usize>,
    /// Whether H couples bodies of a part.
    is_coupled: Vec<bool>,
    /// Columns of every block as its part counts them, in the order of `blocks`, and where those of each begin.
    columns: Vec<usize>,
    column_start: Vec<usize>,
}

/// The parts of one problem after the other: those of the last are kept while its pattern is.
#[derive(Debug, Default)]
pub struct Partition {
    pattern: Option<PatternName>,
    parts: Option<Components>,
}

impl Partition {
    /// As [`Components::of`]. The bodies begin where they did at the last call.
    pub fn of(&mut self, problem: &ConeProblem, first: &[usize]) -> Option<&Components> {
        let is_local = matches!(problem.inertia, Inertia::BlockDiagonal(_)) && problem.as_given().is_none();
        if !(is_local && self.pattern.is_some_and(|pattern| pattern.is(problem.pattern))) {
            self.parts = Components::of(problem, first);
            self.pattern = is_local.then_some(problem.pattern);
        }
        self.parts.as_ref()
    }
}

impl Components {
    /// The parts of a problem whose bodies begin at these velocities, with the number of velocities at the end; `None` where it is best solved as a whole.
    ///
    /// ```
    /// use signorini_solver::{Cone, ConeProblem, problem::Components};
    /// // Two masses on rails of their own have nothing to do with each other.
    /// let problem = ConeProblem::builder()
    ///     .diagonal_body(&[1.0]).diagonal_body(&[2.0]).linear(&[1.0, 1.0])
    ///     .row(Cone::Free, &[(0, 1.0)], 0.0)
    ///     .row(Cone::Free, &[(1, 1.0)], 0.0)
    ///     .build()?;
    /// assert_eq!(Components::of(&problem, problem.body_start()).map(|parts| parts.len()), Some(2));
    /// # Ok::<(), signorini_solver::ProblemError>(())
    /// ```
    #[must_use]
    pub fn of(problem: &ConeProblem, first: &[usize]) -> Option<Self> {
        if problem.is_condensed() || problem.as_given().is_some() || problem.blocks() == 0 {
            return None;
        }
        let bodies = first.len().saturating_sub(1);
        let mut body_of = vec![0; problem.velocities()];
        for body in 0..bodies {
            body_of[first[body]..first[body + 1]].fill(body);
        }
        let mut groups = Groups((0..bodies).collect());
        for k in 0..problem.blocks() {
            let columns = problem.rows.columns_of(k);
            let mut last = body_of[*columns.first()?];
            for &column in &columns[1..] {
                if body_of[column] != last {
                    groups.unite(last, body_of[column]);
                    last = body_of[column];
                }
            }
        }
        let mut coupled = Vec::new();
        if let Inertia::Sparse(matrix) = &problem.inertia {
            let pairs = matrix.triplets().map(|(row, column, _)| [body_of[row], body_of[column]]);
            coupled.extend(pairs.filter(|[a, b]| a < b));
            coupled.iter().for_each(|[a, b]| groups.unite(*a, *b));
        }
        let is_local = matches!(problem.inertia, Inertia::BlockDiagonal(_));
        if is_local && groups.are_nearly_one(problem, &body_of) {
            return None;
        }
        groups.unite_small(problem, &body_of, &coupled);
        let roots: Vec<usize> = (0..bodies).map(|body| groups.root(body)).collect();
        let root_of_block = |k: usize| roots[body_of[problem.rows.columns_of(k)[0]]];
        // Parts with rows are numbered by their first bodies.
        let mut number = vec![NONE; bodies];
        (0..problem.blocks()).for_each(|k| number[root_of_block(k)] = 0);
        let mut count = 0;
        for root in 0..bodies {
            if number[root] != NONE {
                number[root] = count;
                count += 1;
            }
        }
        let has_free = roots.iter().any(|root| number[*root] == NONE);
        if count + usize::from(!is_local && has_free) < 2 {
            return None;
        }
        let part_of_body: Vec<usize> = roots.iter().map(|root| number[*root].min(count)).collect();
        let parts = count + usize::from(has_free);
        let mut this = Self { is_coupled: vec![false; parts], ..Self::default() };
        coupled.iter().for_each(|[a, _]| this.is_coupled[part_of_body[*a]] = true);
        this.part_of = body_of.iter().map(|body| part_of_body[*body]).collect();
        (this.block_start, this.blocks) =
            sorted(parts, &(0..problem.blocks()).map(|k| number[root_of_block(k)]).collect::<Vec<_>>());
        (this.velocity_start, this.velocities) = sorted(parts, &this.part_of);
        this.place = vec![0; problem.velocities()];
        for part in 0..parts {
            let own = &this.velocities[this.velocity_start[part]..this.velocity_start[part + 1]];
            own.iter().enumerate().for_each(|(at, &velocity)| this.place[velocity] = at);
        }
        let (body_start_of, sorted_bodies) = sorted(parts, &part_of_body);
        for part in 0..parts {
            this.body_start_of.push(this.body_start.len());
            this.body_start.push(0);
            for &body in &sorted_bodies[body_start_of[part]..body_start_of[part + 1]] {
                let width = first[body + 1] - first[body];
                this.body_start.push(this.body_start[this.body_start.len() - 1] + width);
            }
        }
        this.body_start_of.push(this.body_start.len());
        this.column_start.push(0);
        for &k in &this.blocks {
            this.columns.extend(problem.rows.columns_of(k).iter().map(|column| this.place[*column]));
            this.column_start.push(this.columns.len());
        }
        Some(this)
    }

    /// Number of parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.is_coupled.len()
    }
    /// Whether there is no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Blocks of rows of a part.
    #[must_use]
    pub fn blocks(&self, part: usize) -> &[usize] {
        &self.blocks[self.block_start[part]..self.block_start[part + 1]]
    }
    /// Velocities of a part.
    #[must_use]
    pub fn velocities(&self, part: usize) -> &[usize] {
        &self.velocities[self.velocity_start[part]..self.velocity_start[part + 1]]
    }
    /// Number of rows of a part.
    #[must_use]
    pub fn rows(&self, part: usize, problem: &ConeProblem) -> usize {
        self.blocks(part).iter().map(|k| problem.rows.rows_of(*k).len()).sum()
    }

    /// Writes a part of a problem as a problem of its own, over one that may have been this part before: what has not changed keeps its name. `room` is memory for
    /// numbers on the way.
    ///
    /// # Errors
    /// Numbers that overflowed.
    pub fn write(
        &self,
        part: usize,
        of: &ConeProblem,
        to: &mut ConeProblem,
        room: &mut Vec<f64>,
        threads: Threads,
    ) -> Result<(), ProblemError> {
        room.clear();
        room.extend(self.velocities(part).iter().map(|at| of.linear[*at]));
        to.set_free_motion(&self.inertia(part, of, to), room)?;
        let (first, blocks) = (self.block_start[part], self.blocks(part));
        let compliance: &[f64] = if let Compliance::Diagonal(e) = &of.compliance { e } else { &[] };
        to.reshape(blocks.len(), threads, &|at| {
            let rows = of.rows.rows_of(blocks[at]);
            let is_soft = !compliance.is_empty() && compliance[rows.clone()].iter().any(|e| *e > 0.0);
            let columns =
                BlockColumns::List(&self.columns[self.column_start[first + at]..self.column_start[first + at + 1]]);
            BlockShape { cone: of.cones[blocks[at]], rows: rows.len(), columns, is_soft }
        });
        to.fill_rows(threads, &|at, slot: BlockSlot<'_>| {
            let rows = of.rows.rows_of(blocks[at]);
            slot.values.copy_from_slice(of.rows.block(blocks[at]).values);
            slot.offset.copy_from_slice(&of.offset[rows.clone()]);
            if !slot.compliance.is_empty() {
                slot.compliance.copy_from_slice(&compliance[rows]);
            }
        })
    }

    /// H of a part: the one the part has already where that is the same.
    fn inertia(&self, part: usize, of: &ConeProblem, to: &ConeProblem) -> Arc<Inertia> {
        let bodies = &self.body_start[self.body_start_of[part]..self.body_start_of[part + 1]];
        let velocities = self.velocities(part);
        let is_narrow = bodies.windows(2).all(|body| body[1] - body[0] <= WIDEST);
        if let Inertia::Sparse(matrix) = &of.inertia
            && (self.is_coupled[part] || !is_narrow)
        {
            return Arc::new(Inertia::sparse(self.submatrix(velocities, matrix)));
        }
        if let (Inertia::BlockDiagonal(blocks), Some(given)) = (&of.inertia, to.given_inertia.arc())
            && let Inertia::BlockDiagonal(known) = &**given
            && same_blocks(blocks, known, velocities, bodies)
        {
            return given.clone();
        }
        let mut own = BlockDiagonal::new();
        let mut dense = [0.0; WIDEST * WIDEST];
        for body in bodies.windows(2) {
            let width = body[1] - body[0];
            let first = velocities[body[0]];
            match &of.inertia {
                Inertia::BlockDiagonal(blocks) => {
                    // Bodies of the problem are the blocks of H.
                    if let Ok(k) = blocks.start().binary_search(&first) {
                        own.push(width, blocks.block(k));
                    }
                }
                Inertia::Sparse(matrix) => {
                    let dense = &mut dense[..width * width];
                    dense.fill(0.0);
                    for column in first..first + width {
                        for at in matrix.col_ptr()[column]..matrix.col_ptr()[column + 1] {
                            dense[(matrix.row_idx()[at] - first) * width + column - first] = matrix.values()[at];
                        }
                    }
                    own.push(width, dense);
                }
            }
        }
        match to.given_inertia.arc() {
            Some(given) if matches!(&**given, Inertia::BlockDiagonal(given) if *given == own) => given.clone(),
            _ => Arc::new(Inertia::BlockDiagonal(own)),
        }
    }

    /// The rows and columns of H that belong to a part.
    fn submatrix(&self, velocities: &[usize], matrix: &CscMatrix) -> CscMatrix {
        let entries = velocities.iter().enumerate().flat_map(|(to, &column)| {
            let range = matrix.col_ptr()[column]..matrix.col_ptr()[column + 1];
            range.map(move |at| (self.place[matrix.row_idx()[at]], to, matrix.values()[at]))
        });
        CscMatrix::from_triplets(velocities.len(), velocities.len(), entries)
            .unwrap_or_else(|error| unreachable!("entries of a checked matrix: {error}"))
    }

    /// The part of an answer to the whole problem.
    pub fn gather(
        &self,
        part: usize,
        of: &ConeProblem,
        [velocity, impulse]: [&[f64]; 2],
        [own_velocity, own_impulse]: [&mut Vec<f64>; 2],
    ) {
        own_velocity.clear();
        own_velocity.extend(self.velocities(part).iter().filter_map(|at| velocity.get(*at)));
        own_impulse.clear();
        own_impulse.extend(self.blocks(part).iter().flat_map(|k| &impulse[of.rows.rows_of(*k)]));
    }

    /// Writes velocities of a part to their places in all.
    pub fn scatter_velocities(&self, part: usize, own: &[f64], all: &mut [f64]) {
        self.velocities(part).iter().zip(own).for_each(|(at, value)| all[*at] = *value);
    }

    /// Writes numbers of the rows of a part to their places in those of all rows.
    pub fn scatter_rows(&self, part: usize, of: &ConeProblem, own: &[f64], all: &mut [f64]) {
        let mut own = own.iter();
        for k in self.blocks(part) {
            all[of.rows.rows_of(*k)].iter_mut().zip(&mut own).for_each(|(to, value)| *to = *value);
        }
    }
}

/// Whether some blocks of H are those that are known: of bodies that begin at these places of these velocities.
fn same_blocks(all: &BlockDiagonal, known: &BlockDiagonal, velocities: &[usize], bodies: &[usize]) -> bool {
    known.start() == bodies
        && (0..bodies.len() - 1).all(|body| {
            let at = all.start().binary_search(&velocities[bodies[body]]);
            at.is_ok_and(|at| all.block(at) == known.block(body))
        })
}

/// Where the items of every group begin, and all items by group, ascending in each.
fn sorted(groups: usize, group_of: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut start = vec![0; groups + 1];
    group_of.iter().for_each(|group| start[group + 1] += 1);
    (0..groups).for_each(|group| start[group + 1] += start[group]);
    let mut next = start.clone();
    let mut items = vec![0; group_of.len()];
    for (item, group) in group_of.iter().enumerate() {
        items[next[*group]] = item;
        next[*group] += 1;
    }
    (start, items)
}

/// Sets of bodies that are connected; each is named by its first body.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&mut self, mut body: usize) -> usize {
        while self.0[body] != body {
            self.0[body] = self.0[self.0[body]];
            body = self.0[body];
        }
        body
    }

    fn unite(&mut self, a: usize, b: usize) {
        if a != b {
            let (a, b) = (self.root(a), self.root(b));
            self.0[a.max(b)] = a.min(b);
        }
    }

    /// Whether one part of a large problem of contacts has nearly all rows.
    fn are_nearly_one(&mut self, problem: &ConeProblem, body_of: &[usize]) -> bool {
        let all = problem.row_count();
        if all <= LARGE || problem.cones.iter().any(|cone| matches!(cone, Cone::Free)) {
            return false;
        }
        let mut rows = vec![0; self.0.len()];
        for k in 0..problem.blocks() {
            rows[self.root(body_of[problem.rows.columns_of(k)[0]])] += problem.rows.rows_of(k).len();
        }
        rows.into_iter().max().is_some_and(|most| most as f64 > NEARLY_ALL * all as f64)
    }

    /// Unites small islands of contacts with their neighbours.
    fn unite_small(&mut self, problem: &ConeProblem, body_of: &[usize], coupled: &[[usize; 2]]) {
        let bodies = self.0.len();
        let mut rows = vec![0; bodies];
        let mut has_contacts_only = vec![true; bodies];
        for k in 0..problem.blocks() {
            let root = self.root(body_of[problem.rows.columns_of(k)[0]]);
            rows[root] += problem.rows.rows_of(k).len();
            has_contacts_only[root] &= !matches!(problem.cones[k], Cone::Free);
        }
        for [body, _] in coupled {
            has_contacts_only[self.root(*body)] = false;
        }
        let few = SMALL.max(problem.row_count() / PARTS);
        let neighbours = NEIGHBOURS.max(bodies / PARTS);
        let mut first = NONE;
        for body in 0..bodies {
            if self.0[body] == body && has_contacts_only[body] && (1..few).contains(&rows[body]) {
                if first != NONE && first / neighbours == body / neighbours {
                    self.unite(first, body);
                } else {
                    first = body;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::SpherePacking;
    use crate::{Limits, Solver, SolverSettings, Tolerance};

    /// Two packings in one problem, with a free body between them and, if asked, a spring that couples it to the body after it.
    fn two_packings(spring: bool) -> ConeProblem {
        let packings = [3, 4].map(|seed| SpherePacking { bodies: 60, seed, ..Default::default() }.problem().unwrap());
        let n = packings[0].velocities();
        let mut entries = Vec::new();
        let mut linear = packings[0].linear().to_vec();
        entries.extend(packings[0].inertia().triplets());
        entries.extend((0..6).map(|k| (n + k, n + k, 2.0)));
        linear.extend([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let second = n + 6;
        entries
            .extend(packings[1].inertia().triplets().into_iter().map(|(r, c, value)| (second + r, second + c, value)));
        linear.extend_from_slice(packings[1].linear());
        if spring {
            let stiffness = 0.5;
            entries.extend([
                (n, n, stiffness),
                (second, second, stiffness),
                (n, second, -stiffness),
                (second, n, -stiffness),
            ]);
        }
        let matrix = CscMatrix::from_triplets(linear.len(), linear.len(), entries).unwrap();
        let mut builder = ConeProblem::builder();
        builder.sparse_inertia(matrix).linear(&linear);
        for (packing, first) in packings.iter().zip([0, second]) {
            for k in 0..packing.blocks() {
                let block = packing.rows().block(k);
                let rows: Vec<Vec<(usize, f64)>> = (0..block.rows)
                    .map(|r| block.columns.iter().zip(block.row(r)).map(|(c, value)| (first + c, *value)).collect())
                    .collect();
                let rows: Vec<&[(usize, f64)]> = rows.iter().map(Vec::as_slice).collect();
                builder.rows(packing.cones()[k], &rows, &packing.offset()[packing.rows().rows_of(k)]);
            }
        }
        builder.build().unwrap()
    }

    /// Where the velocities of balls begin.
    fn balls(problem: &ConeProblem) -> Vec<usize> {
        (0..=problem.velocities()).step_by(6).collect()
    }

    /// The answers of the parts are the answer of the whole, and a spring connects.
    #[test]
    fn the_parts_solved_by_themselves_are_the_answer_of_the_whole() {
        for spring in [false, true] {
            let whole = two_packings(spring);
            let parts = Components::of(&whole, &balls(&whole)).unwrap();
            // Balls that touch nobody are in the last part.
            let free = (0..parts.len()).filter(|part| parts.blocks(*part).is_empty()).count();
            assert_eq!(free, usize::from(!spring || parts.blocks(parts.len() - 1).is_empty()));
            assert!(parts.len() - free >= 2);
            let (mut velocity, mut impulse) = (vec![f64::NAN; whole.velocities()], vec![f64::NAN; whole.row_count()]);
            let settings = SolverSettings::default().to(Tolerance::Velocity(1e-12));
            for part in 0..parts.len() {
                let mut solver = Solver::new(settings.clone()).unwrap();
                parts.write(part, &whole, solver.problem_mut(), &mut Vec::new(), Threads::One).unwrap();
                let is_local = matches!(solver.problem().inertia(), Inertia::BlockDiagonal(_));
                assert_eq!(is_local, !parts.is_coupled[part]);
                let answer = solver.solve(None, &Limits::default()).unwrap();
                parts.scatter_velocities(part, answer.velocity(), &mut velocity);
                parts.scatter_rows(part, &whole, answer.impulse(), &mut impulse);
            }
            let mut solver = Solver::new(settings).unwrap();
            *solver.problem_mut() = whole;
            let expected = solver.solve(None, &Limits::default()).unwrap();
            let apart = velocity.iter().zip(expected.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "velocities differ by {apart}");
            assert!(impulse.iter().all(|g| g.is_finite()));
        }
    }

    /// A part that is written once more over itself keeps the names of its pattern and of its H.
    #[test]
    fn what_has_not_changed_keeps_its_name() {
        let whole = two_packings(false);
        let parts = Components::of(&whole, &balls(&whole)).unwrap();
        let mut problem = ConeProblem::empty();
        parts.write(0, &whole, &mut problem, &mut Vec::new(), Threads::One).unwrap();
        let (pattern, inertia) = (problem.pattern, problem.inertia_name);
        parts.write(0, &whole, &mut problem, &mut Vec::new(), Threads::One).unwrap();
        assert!(problem.inertia_name.is(inertia), "H");
        assert!(problem.pattern.is(pattern), "pattern");
    }

    #[test]
    fn one_packing_is_one_part() {
        let bridge = ConeProblem::builder()
            .diagonal_body(&[1.0; 6])
            .diagonal_body(&[1.0; 6])
            .linear(&[1.0; 12])
            .row(Cone::NonNegative, &[(0, 1.0), (6, -1.0)], 0.0)
            .build()
            .unwrap();
        assert!(Components::of(&bridge, bridge.body_start()).is_none());
    }
}
