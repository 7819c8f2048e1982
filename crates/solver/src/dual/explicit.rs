//! N written out, for methods that change one block at a time or factorise parts of N.
//!
//! Blocks i and j are coupled when they touch a common body: N_ij = J_i H⁻¹ J_jᵀ. A contact of a packing is coupled to
//! about ten others, 0.8 kB in all; where H couples bodies (finite elements) everything is coupled to everything.

use super::DualProblem;
use super::cells::Numbers;
use crate::SolveError;
use crate::cone::MAX_ROWS;
use signorini_linalg::CscMatrix;
use signorini_linalg::{Halves, Sides};

/// A matrix of small dense blocks, row by row; the blocks of a row are in ascending order.
#[derive(Default)]
pub(crate) struct BlockMatrix {
    /// First coupling of every block row.
    start: Vec<usize>,
    column: Vec<u32>,
    value_start: Vec<usize>,
    values: Vec<f64>,
    /// First scalar row of every block.
    row_start: Vec<usize>,
    diagonal: Vec<usize>,
    work: Work,
}

/// Room for writing a matrix out, kept for the next time.
#[derive(Default)]
struct Work {
    rows_of_body: Vec<usize>,
    couplings: Couplings,
    column: ColumnOf,
    momenta: Momenta,
    dense: Vec<f64>,
    block_of: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

/// Momenta of unit impulses, and room for finding them.
#[derive(Default)]
struct Momenta {
    list: Sides,
    /// Velocities that one of them moves.
    columns: Vec<usize>,
}

/// Most numbers a matrix may have: 2 GiB.
const MOST_VALUES: usize = 1 << 28;
/// Most operations it may take to write a matrix out, in 10⁹: some minutes.
const MOST_GIGAFLOPS: f64 = 4000.0;
/// Columns of N found at a time where H is sparse: dense kernels then read the factor once for all of them.
const COLUMNS_AT_A_TIME: usize = 32;

impl BlockMatrix {
    /// No couplings of the blocks of a dual problem.
    fn clear(&mut self, dual: &DualProblem) {
        self.row_start.clone_from(&dual.layout.row_start);
        for list in [&mut self.start, &mut self.value_start] {
            list.clear();
            list.push(0);
        }
        self.column.clear();
        self.values.clear();
        self.diagonal.clear();
    }
    /// Number of block rows.
    pub(crate) fn len(&self) -> usize {
        self.row_start.len().saturating_sub(1)
    }
    /// Scalar rows of a block.
    pub(crate) fn rows_of(&self, block: usize) -> std::ops::Range<usize> {
        self.row_start[block]..self.row_start[block + 1]
    }
    /// The couplings of a block row: (other block, entries row-major).
    pub(crate) fn row(&self, block: usize) -> impl Iterator<Item = (usize, &[f64])> + '_ {
        (self.start[block]..self.start[block + 1])
            .map(|at| (self.column[at] as usize, &self.values[self.value_start[at]..self.value_start[at + 1]]))
    }
    /// The diagonal block, row-major.
    pub(crate) fn diagonal(&self, block: usize) -> &[f64] {
        let at = self.diagonal[block];
        &self.values[self.value_start[at]..self.value_start[at + 1]]
    }
    /// `out = N_block x`: the rows of one block.
    pub(crate) fn multiply_row(&self, block: usize, x: &[f64], out: &mut [f64]) {
        self.multiply_row_of(block, x, out);
    }
    /// [`BlockMatrix::multiply_row`] with any vector.
    pub(crate) fn multiply_row_of(&self, block: usize, x: &(impl Numbers + ?Sized), out: &mut [f64]) {
        out.fill(0.0);
        for (other, values) in self.row(block) {
            let rows = self.rows_of(other);
            let x = x.part(rows.start, rows.len());
            match (&mut *out, values) {
                ([a, b, c], &[n00, n01, n02, n10, n11, n12, n20, n21, n22]) => {
                    let [x, y, z] = [0, 1, 2].map(|i| x.get(i));
                    *a += n00 * x + n01 * y + n02 * z;
                    *b += n10 * x + n11 * y + n12 * z;
                    *c += n20 * x + n21 * y + n22 * z;
                }
                (out, values) => {
                    for (line, out) in values.chunks_exact(rows.len()).zip(out) {
                        *out += line.iter().enumerate().map(|(i, n)| n * x.get(i)).sum::<f64>();
                    }
                }
            }
        }
    }
    /// All entries as a sparse matrix.
    pub(crate) fn to_csc(&self) -> Result<CscMatrix, SolveError> {
        let size = self.row_start[self.len()];
        let entries = (0..self.len()).flat_map(|block| {
            self.row(block).flat_map(move |(other, values)| {
                let (rows, columns) = (self.rows_of(block), self.rows_of(other));
                let width = columns.len();
                values
                    .iter()
                    .enumerate()
                    .map(move |(e, value)| (rows.start + e / width, columns.start + e % width, *value))
            })
        });
        // The indices are those of blocks of this matrix: only an entry that is no finite number is refused.
        CscMatrix::from_triplets(size, size, entries).map_err(|_| SolveError::Factorisation { pivot: None })
    }
    /// [`BlockMatrix::to_csc`] in the memory of a sparse matrix made before, if that has this pattern.
    pub(crate) fn update_csc(&self, out: &mut CscMatrix) -> Result<(), SolveError> {
        if !self.fill_csc(out) {
            *out = self.to_csc()?;
        }
        Ok(())
    }
    /// Replaces the entries of a sparse matrix; false where it has another pattern or an entry is no finite number.
    fn fill_csc(&self, out: &mut CscMatrix) -> bool {
        let size = self.row_start.last().copied().unwrap_or(0);
        if [out.nrows(), out.ncols()] != [size; 2] || out.nnz() != self.values.len() {
            return false;
        }
        for block in 0..self.len() {
            let rows = self.rows_of(block);
            for (other, values) in self.row(block) {
                let columns = self.rows_of(other);
                let width = columns.len();
                for (j, column) in columns.enumerate() {
                    // The rows of a block follow each other in every column they have entries in.
                    let Some(first) = out.position(rows.start, column) else { return false };
                    let place = first..first + rows.len();
                    if out.row_idx().get(place.clone()).is_none_or(|found| !found.iter().copied().eq(rows.clone())) {
                        return false;
                    }
                    for (i, entry) in out.values_mut()[place].iter_mut().enumerate() {
                        *entry = values[i * width + j];
                    }
                }
            }
        }
        out.values().iter().all(|value| value.is_finite())
    }
}

impl DualProblem {
    /// Writes N out, in the memory `out` has.
    ///
    /// # Errors
    /// Too large to be written out.
    pub(crate) fn write_out(&mut self, out: &mut BlockMatrix) -> Result<(), SolveError> {
        if let Some(matrix) = self.response.matrix() {
            return self.cut_into_blocks(matrix.triplets(), out);
        }
        self.check_size(&mut out.work.rows_of_body)?;
        if self.response.is_sparse() {
            return self.write_out_sparse(out);
        }
        let blocks = self.blocks();
        out.clear(self);
        let BlockMatrix { start, column, value_start, values, diagonal, work, .. } = out;
        let Work { couplings, column: rates, .. } = work;
        couplings.update(self);
        // One block at a time: u = N e for the unit impulses of its rows is one block column, which is the block row.
        rates.resize(self);
        for k in 0..blocks {
            let d = self.rows_of(k).len();
            let coupled = couplings.of(k);
            rates.compute(self, k, coupled);
            for &other in coupled {
                if other as usize == k {
                    diagonal.push(column.len());
                }
                column.push(other);
                let rows = self.rows_of(other as usize);
                for i in 0..d {
                    values.extend(rows.clone().map(|row| rates.rate(i, row)));
                }
                value_start.push(values.len());
            }
            if values.len() > MOST_VALUES {
                return Err(SolveError::Memory);
            }
            start.push(column.len());
        }
        Ok(())
    }

    /// Any matrix given in the rows of the problem, in blocks; it need not be symmetric.
    pub(crate) fn blocks_of(&self, matrix: &CscMatrix, out: &mut BlockMatrix) -> Result<(), SolveError> {
        let mut rank = vec![0; self.rows()];
        self.layout.row_origin.iter().enumerate().for_each(|(new, &old)| rank[old] = new);
        self.cut_into_blocks(matrix.triplets().map(|(row, column, value)| (rank[row], rank[column], value)), out)
    }

    /// Entries in our rows, in blocks.
    fn cut_into_blocks(
        &self,
        entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
        out: &mut BlockMatrix,
    ) -> Result<(), SolveError> {
        let blocks = self.blocks();
        out.clear(self);
        let mut block_of = std::mem::take(&mut out.work.block_of);
        let mut pairs = std::mem::take(&mut out.work.pairs);
        block_of.clear();
        block_of.extend((0..blocks).flat_map(|k| std::iter::repeat_n(k, self.rows_of(k).len())));
        // (block row, block column) of every coupling, with the whole diagonal.
        pairs.clear();
        pairs.extend((0..blocks).map(|k| (k, k)));
        pairs.extend(entries.clone().map(|(row, column, _)| (block_of[row], block_of[column])));
        pairs.sort_unstable();
        pairs.dedup();
        out.column.extend(pairs.iter().map(|pair| pair.1 as u32));
        out.start.clear();
        out.start.resize(blocks + 1, 0);
        out.diagonal.resize(blocks, 0);
        for (at, &(row, column)) in pairs.iter().enumerate() {
            out.start[row + 1] = at + 1;
            if row == column {
                out.diagonal[row] = at;
            }
            out.value_start.push(out.value_start[at] + out.rows_of(row).len() * out.rows_of(column).len());
        }
        let total = out.value_start[pairs.len()];
        if total > MOST_VALUES {
            return Err(SolveError::Memory);
        }
        out.values.resize(total, 0.0);
        for (row, column, value) in entries {
            let pair = (block_of[row], block_of[column]);
            // Every pair was put in the list above.
            if let Ok(at) = pairs.binary_search(&pair) {
                let (rows, columns) = (out.rows_of(pair.0), out.rows_of(pair.1));
                let entry = out.value_start[at] + (row - rows.start) * columns.len() + column - columns.start;
                out.values[entry] += value;
            }
        }
        (out.work.block_of, out.work.pairs) = (block_of, pairs);
        Ok(())
    }

    /// N_kk of one block, row-major, where [`DualProblem::is_local`].
    pub(crate) fn diagonal_block(&self, block: usize, out: &mut [f64]) {
        self.jacobian.gram(block, &self.response, out);
    }

    /// The diagonal blocks of N alone, one after the other, row-major.
    pub(crate) fn diagonal_blocks(&mut self, work: &mut DiagonalWork, values: &mut Vec<f64>) {
        values.clear();
        if self.response.is_sparse() {
            let DiagonalWork(column, _, momenta, products) = work;
            column.resize(self);
            for k in 0..self.blocks() {
                momenta.list.clear();
                self.unit_momenta(k, &mut column.p, momenta);
                self.response.gram(&momenta.list, products);
                values.extend_from_slice(products);
            }
            return;
        }
        if !self.response.is_local() {
            work.0.resize(self);
            for k in 0..self.blocks() {
                work.0.compute(self, k, &[k as u32]);
                let rows = self.rows_of(k);
                (0..rows.len()).for_each(|i| values.extend(rows.clone().map(|row| work.0.rate(i, row))));
            }
            return;
        }
        work.1.clear();
        work.1.push(0);
        let mut end = 0;
        for k in 0..self.blocks() {
            end += self.rows_of(k).len().pow(2);
            work.1.push(end);
        }
        values.resize(end, 0.0);
        let (jacobian, response) = (&self.jacobian, &self.response);
        Halves::new(DIAGONALS, self.threads).parts(&work.1, values, &|k, out| jacobian.gram(k, response, out));
    }

    /// Refuses a matrix that would take too much memory or time.
    fn check_size(&self, rows_of_body: &mut Vec<usize>) -> Result<(), SolveError> {
        let (rows, entries) = (self.rows(), self.most_values(rows_of_body));
        // Two triangular solves a column, two operations an entry of the factor.
        let gigaflops = 1e-9 * 4.0 * self.response.factor_entries() as f64 * rows as f64;
        let (most_entries, most_gigaflops) = (MOST_VALUES, MOST_GIGAFLOPS);
        match entries > most_entries || gigaflops > most_gigaflops {
            true => Err(SolveError::WrittenOut { rows, entries, gigaflops, most_entries, most_gigaflops }),
            false => Ok(()),
        }
    }

    /// N for a sparse H: everything is coupled; columns come from blocked solves.
    fn write_out_sparse(&mut self, this: &mut BlockMatrix) -> Result<(), SolveError> {
        let (blocks, m) = (self.blocks(), self.rows());
        let Work { column, momenta, dense, .. } = &mut this.work;
        column.resize(self);
        let ColumnOf { p, v, .. } = column;
        dense.clear();
        dense.resize(m * m, 0.0);
        let mut first = 0;
        while first < blocks {
            // As many blocks as have so many rows.
            let fits = |k: &usize| *k == first || self.rows_of(*k).end - self.rows_of(first).start <= COLUMNS_AT_A_TIME;
            let end = (first..blocks).take_while(fits).last().map_or(blocks, |last| last + 1);
            momenta.list.clear();
            (first..end).for_each(|k| self.unit_momenta(k, p, momenta));
            let base = self.rows_of(first).start;
            let Self { response, jacobian, layout, threads, .. } = self;
            response.solve_many(&momenta.list, *threads, v, |side, v| {
                let line = &mut dense[(base + side) * m..(base + side + 1) * m];
                (0..blocks).for_each(|k| jacobian.rates_one(k, v, &mut line[layout.rows_of(k)]));
            });
            first = end;
        }
        this.clear(self);
        this.diagonal.extend((0..blocks).map(|k| k * blocks + k));
        let dense = &this.work.dense;
        for k in 0..blocks {
            for other in 0..blocks {
                this.column.push(other as u32);
                // Symmetric: a column is a row.
                let (rows, columns) = (self.rows_of(k), self.rows_of(other));
                rows.for_each(|row| this.values.extend_from_slice(&dense[row * m..][columns.clone()]));
                this.value_start.push(this.values.len());
            }
            this.start.push(this.column.len());
        }
        Ok(())
    }

    /// Appends the momenta of the unit impulses of one block, as (velocity, value); `p` is zero before and after.
    fn unit_momenta(&self, block: usize, p: &mut [f64], out: &mut Momenta) {
        let d = self.rows_of(block).len();
        let Momenta { list, columns } = out;
        let mut force = [0.0; MAX_ROWS];
        for unit in 0..d {
            force[unit] = 1.0;
            self.jacobian.push_one(block, &force[..d], p);
            force[unit] = 0.0;
            let runs = self.jacobian.runs_of(block).flat_map(|(first, count)| first..first + count);
            // A velocity in two runs of one block counts once.
            columns.clear();
            columns.extend(runs.filter(|column| p[*column] != 0.0));
            columns.sort_unstable();
            columns.dedup();
            list.push(columns.iter().map(|&column| (column, p[column])));
            self.jacobian.clear_one(block, p);
        }
    }

    /// A bound of the numbers N has written out, found without writing anything.
    fn most_values(&self, rows_of_body: &mut Vec<usize>) -> usize {
        if !self.response.is_local() {
            return self.rows().saturating_mul(self.rows());
        }
        rows_of_body.clear();
        rows_of_body.resize(self.layout.bodies.len(), 0);
        for k in 0..self.blocks() {
            let rows = self.rows_of(k).len();
            self.jacobian.bodies_of(k).for_each(|body| rows_of_body[body] += rows);
        }
        // Every row of a body meets all rows of that body.
        rows_of_body.iter().map(|rows| rows.saturating_mul(*rows)).fold(0, usize::saturating_add)
    }
}

/// Which blocks are coupled to which, in ascending order.
#[derive(Default)]
struct Couplings {
    /// Every block is coupled to every block.
    is_full: bool,
    start: Vec<usize>,
    column: Vec<u32>,
    /// Blocks of each body, one body after the other.
    body_start: Vec<usize>,
    of_body: Vec<u32>,
    list: Vec<u32>,
}

impl Couplings {
    fn update(&mut self, dual: &DualProblem) {
        let Self { is_full, start, column, body_start, of_body, list } = self;
        let blocks = dual.blocks();
        column.clear();
        *is_full = !dual.response.is_local();
        if *is_full {
            column.extend(0..blocks as u32);
            return;
        }
        // Counted two places ahead: after the blocks are filled in, entry b is where body b begins.
        let bodies = dual.layout.bodies.len();
        body_start.clear();
        body_start.resize(bodies + 2, 0);
        for k in 0..blocks {
            dual.jacobian.bodies_of(k).for_each(|body| body_start[body + 2] += 1);
        }
        for body in 0..bodies {
            body_start[body + 2] += body_start[body + 1];
        }
        of_body.clear();
        of_body.resize(body_start[bodies + 1], 0);
        for k in 0..blocks {
            for body in dual.jacobian.bodies_of(k) {
                of_body[body_start[body + 1]] = k as u32;
                body_start[body + 1] += 1;
            }
        }
        start.clear();
        start.push(0);
        for k in 0..blocks {
            list.clear();
            list.push(k as u32);
            for body in dual.jacobian.bodies_of(k) {
                list.extend_from_slice(&of_body[body_start[body]..body_start[body + 1]]);
            }
            list.sort_unstable();
            list.dedup();
            column.extend_from_slice(list);
            start.push(column.len());
        }
    }
    fn of(&self, block: usize) -> &[u32] {
        if self.is_full { &self.column } else { &self.column[self.start[block]..self.start[block + 1]] }
    }
}

/// Room for diagonal blocks, kept for the next time.
#[derive(Default)]
pub(crate) struct DiagonalWork(ColumnOf, Vec<usize>, Momenta, Vec<f64>);

/// Diagonal blocks one task computes.
const DIAGONALS: usize = 512;

/// N times the unit impulses of one block.
#[derive(Default)]
struct ColumnOf {
    p: Vec<f64>,
    v: Vec<f64>,
    /// Rates of each unit impulse, at the rows of the coupled blocks.
    rates: [Vec<f64>; MAX_ROWS],
}

impl ColumnOf {
    /// Zeros of the sizes of a dual problem.
    fn resize(&mut self, dual: &DualProblem) {
        let (n, m) = (dual.columns(), dual.rows());
        for (buffer, size) in [(&mut self.p, n), (&mut self.v, n)] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.rates.iter_mut().for_each(|rates| rates.resize(m, 0.0));
    }
    fn rate(&self, unit: usize, row: usize) -> f64 {
        self.rates[unit][row]
    }
    fn compute(&mut self, dual: &mut DualProblem, block: usize, coupled: &[u32]) {
        let d = dual.rows_of(block).len();
        if let Some(matrix) = dual.response.matrix() {
            // Given: read, not multiplied.
            for (rates, row) in self.rates.iter_mut().zip(dual.rows_of(block)) {
                coupled.iter().for_each(|&other| rates[dual.rows_of(other as usize)].fill(0.0));
                let (rows, values) = matrix.col(row);
                rows.iter().zip(values).for_each(|(&row, value)| rates[row] = *value);
            }
            return;
        }
        let mut force = [0.0; MAX_ROWS];
        for unit in 0..d {
            force[unit] = 1.0;
            let Self { p, v, rates } = self;
            dual.jacobian.push_one(block, &force[..d], p);
            match dual.response.is_local() {
                true => dual.response.apply_near(dual.jacobian.runs_of(block), p, v),
                false => dual.response.apply(p, v, signorini_linalg::Threads::One),
            }
            for &other in coupled {
                let rows = dual.layout.rows_of(other as usize);
                dual.jacobian.rates_one(other as usize, v.as_slice(), &mut rates[unit][rows]);
            }
            if dual.response.is_local() {
                dual.response.clear_near(dual.jacobian.runs_of(block), v);
            }
            dual.jacobian.clear_one(block, p);
            force[unit] = 0.0;
        }
    }
}
