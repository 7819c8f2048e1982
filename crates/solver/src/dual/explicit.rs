//! N written out, for methods that change one block at a time or factorise parts of N.
//!
//! Blocks i and j are coupled when they touch a common body: N_ij = J_i H⁻¹ J_jᵀ. A contact of a packing is coupled to
//! about ten others, 0.8 kB in all; where H couples bodies (finite elements) everything is coupled to everything.

use super::DualProblem;
use super::cells::Numbers;
use crate::SolveError;
use crate::cone::MAX_ROWS;
use signorini_linalg::CscMatrix;

/// A matrix of small dense blocks, row by row; the blocks of a row are in ascending order.
pub(crate) struct BlockMatrix {
    /// First coupling of every block row.
    start: Vec<usize>,
    column: Vec<u32>,
    value_start: Vec<usize>,
    values: Vec<f64>,
    /// First scalar row of every block.
    row_start: Vec<usize>,
    diagonal: Vec<usize>,
}

/// Most numbers a matrix may have: 2 GiB.
const MOST_VALUES: usize = 1 << 28;
/// Most operations it may take to write a matrix out, in 10⁹: some minutes.
const MOST_GIGAFLOPS: f64 = 4000.0;
/// Columns of N found at a time where H is sparse: dense kernels then read the factor once for all of them.
const COLUMNS_AT_A_TIME: usize = 32;

impl BlockMatrix {
    /// Number of block rows.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
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
        CscMatrix::from_triplets(size, size, entries).map_err(|_| SolveError::Memory)
    }
}

impl DualProblem {
    /// N as a sparse matrix, both triangles.
    ///
    /// # Errors
    /// Too large to be written out.
    pub(crate) fn explicit_csc(&mut self) -> Result<CscMatrix, SolveError> {
        match self.response.matrix() {
            // J = I: the matrix of a condensed problem is N.
            Some(matrix) => Ok(matrix.clone()),
            None => self.explicit()?.to_csc(),
        }
    }

    /// Writes N out.
    ///
    /// # Errors
    /// Too large to be written out.
    pub(crate) fn explicit(&mut self) -> Result<BlockMatrix, SolveError> {
        if let Some(matrix) = self.response.matrix() {
            return self.cut_into_blocks(matrix.triplets());
        }
        self.check_size()?;
        if self.response.is_sparse() {
            return self.explicit_sparse();
        }
        let blocks = self.blocks();
        let row_start: Vec<usize> = (0..blocks).map(|k| self.rows_of(k).start).chain([self.rows()]).collect();
        let couplings = self.couplings();
        let mut this = BlockMatrix {
            start: vec![0],
            column: Vec::new(),
            value_start: vec![0],
            values: Vec::new(),
            diagonal: Vec::with_capacity(blocks),
            row_start,
        };
        // One block at a time: u = N e for the unit impulses of its rows is one block column, which is the block row.
        let mut column = ColumnOf::new(self);
        for k in 0..blocks {
            let d = self.rows_of(k).len();
            let coupled = couplings.of(k);
            column.compute(self, k, coupled);
            for &other in coupled {
                if other as usize == k {
                    this.diagonal.push(this.column.len());
                }
                this.column.push(other);
                let rows = self.rows_of(other as usize);
                for i in 0..d {
                    this.values.extend(rows.clone().map(|row| column.rate(i, row)));
                }
                this.value_start.push(this.values.len());
            }
            if this.values.len() > MOST_VALUES {
                return Err(SolveError::Memory);
            }
            this.start.push(this.column.len());
        }
        Ok(this)
    }

    /// Any matrix given in the rows of the problem, in blocks; it need not be symmetric.
    pub(crate) fn blocks_of(&self, matrix: &CscMatrix) -> Result<BlockMatrix, SolveError> {
        let mut rank = vec![0; self.rows()];
        self.layout.row_origin.iter().enumerate().for_each(|(new, &old)| rank[old] = new);
        self.cut_into_blocks(matrix.triplets().map(|(row, column, value)| (rank[row], rank[column], value)))
    }

    /// Entries in our rows, in blocks.
    fn cut_into_blocks(&self, entries: impl Iterator<Item = (usize, usize, f64)>) -> Result<BlockMatrix, SolveError> {
        let (blocks, m) = (self.blocks(), self.rows());
        let row_start: Vec<usize> = (0..blocks).map(|k| self.rows_of(k).start).chain([m]).collect();
        let block_of: Vec<usize> = (0..blocks).flat_map(|k| std::iter::repeat_n(k, self.rows_of(k).len())).collect();
        // (block row, block column) of every coupling, with the whole diagonal.
        let entries: Vec<(usize, usize, f64)> = entries.collect();
        let mut pairs: Vec<(usize, usize)> = (0..blocks).map(|k| (k, k)).collect();
        pairs.extend(entries.iter().map(|&(row, column, _)| (block_of[row], block_of[column])));
        pairs.sort_unstable();
        pairs.dedup();
        let mut this = BlockMatrix {
            start: vec![0; blocks + 1],
            column: pairs.iter().map(|pair| pair.1 as u32).collect(),
            value_start: vec![0],
            values: Vec::new(),
            diagonal: vec![0; blocks],
            row_start,
        };
        for (at, &(row, column)) in pairs.iter().enumerate() {
            this.start[row + 1] = at + 1;
            if row == column {
                this.diagonal[row] = at;
            }
            this.value_start.push(this.value_start[at] + this.rows_of(row).len() * this.rows_of(column).len());
        }
        let total = this.value_start[pairs.len()];
        if total > MOST_VALUES {
            return Err(SolveError::Memory);
        }
        this.values = vec![0.0; total];
        for (row, column, value) in entries {
            let pair = (block_of[row], block_of[column]);
            // Every pair was put in the list above.
            if let Ok(at) = pairs.binary_search(&pair) {
                let (rows, columns) = (this.rows_of(pair.0), this.rows_of(pair.1));
                this.values[this.value_start[at] + (row - rows.start) * columns.len() + column - columns.start] +=
                    value;
            }
        }
        Ok(this)
    }

    /// The diagonal blocks of N alone, one after the other, row-major.
    pub(crate) fn diagonal_blocks(&mut self) -> Vec<f64> {
        let mut values = Vec::with_capacity(MAX_ROWS * self.rows());
        if self.response.is_sparse() {
            let mut p = vec![0.0; self.columns()];
            for k in 0..self.blocks() {
                values.extend(self.response.gram(&self.unit_momenta(k, &mut p)));
            }
            return values;
        }
        let mut column = ColumnOf::new(self);
        for k in 0..self.blocks() {
            column.compute(self, k, &[k as u32]);
            let rows = self.rows_of(k);
            (0..rows.len()).for_each(|i| values.extend(rows.clone().map(|row| column.rate(i, row))));
        }
        values
    }

    /// Refuses a matrix that would take too much memory or time.
    fn check_size(&self) -> Result<(), SolveError> {
        let (rows, entries) = (self.rows(), self.most_values());
        // Two triangular solves a column, two operations an entry of the factor.
        let gigaflops = 1e-9 * 4.0 * self.response.factor_entries() as f64 * rows as f64;
        let (most_entries, most_gigaflops) = (MOST_VALUES, MOST_GIGAFLOPS);
        match entries > most_entries || gigaflops > most_gigaflops {
            true => Err(SolveError::WrittenOut { rows, entries, gigaflops, most_entries, most_gigaflops }),
            false => Ok(()),
        }
    }

    /// N for a sparse H: everything is coupled; columns come from blocked solves.
    fn explicit_sparse(&mut self) -> Result<BlockMatrix, SolveError> {
        let (blocks, m) = (self.blocks(), self.rows());
        let row_start: Vec<usize> = (0..blocks).map(|k| self.rows_of(k).start).chain([m]).collect();
        let mut dense = vec![0.0; m * m];
        let (mut p, mut v) = (vec![0.0; self.columns()], vec![0.0; self.columns()]);
        let mut first = 0;
        while first < blocks {
            // As many blocks as have so many rows.
            let fits = |k: &usize| *k == first || self.rows_of(*k).end - self.rows_of(first).start <= COLUMNS_AT_A_TIME;
            let end = (first..blocks).take_while(fits).last().map_or(blocks, |last| last + 1);
            let momenta: Vec<Vec<(usize, f64)>> = (first..end).flat_map(|k| self.unit_momenta(k, &mut p)).collect();
            let base = self.rows_of(first).start;
            let Self { response, jacobian, layout, threads, .. } = self;
            response.solve_many(&momenta, *threads, &mut v, |side, v| {
                let line = &mut dense[(base + side) * m..(base + side + 1) * m];
                (0..blocks).for_each(|k| jacobian.rates_one(k, v, &mut line[layout.rows_of(k)]));
            });
            first = end;
        }
        let mut this = BlockMatrix {
            start: vec![0],
            column: Vec::with_capacity(blocks * blocks),
            value_start: vec![0],
            values: Vec::with_capacity(m * m),
            diagonal: (0..blocks).map(|k| k * blocks + k).collect(),
            row_start,
        };
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
        Ok(this)
    }

    /// Momenta of the unit impulses of one block, as (velocity, value); `p` is zero before and after.
    fn unit_momenta(&self, block: usize, p: &mut [f64]) -> Vec<Vec<(usize, f64)>> {
        let d = self.rows_of(block).len();
        let mut force = [0.0; MAX_ROWS];
        (0..d)
            .map(|unit| {
                force[unit] = 1.0;
                self.jacobian.push_one(block, &force[..d], p);
                force[unit] = 0.0;
                let runs = self.jacobian.runs_of(block).flat_map(|(first, count)| first..first + count);
                // A velocity in two runs of one block counts once.
                let mut columns: Vec<usize> = runs.filter(|column| p[*column] != 0.0).collect();
                columns.sort_unstable();
                columns.dedup();
                let momenta = columns.into_iter().map(|column| (column, p[column])).collect();
                self.jacobian.clear_one(block, p);
                momenta
            })
            .collect()
    }

    /// A bound of the numbers N has written out, found without writing anything.
    fn most_values(&self) -> usize {
        if !self.response.is_local() {
            return self.rows().saturating_mul(self.rows());
        }
        let body_of = |column: usize| self.layout.body_start.partition_point(|start| *start <= column) - 1;
        let mut rows_of_body = vec![0_usize; self.layout.bodies.len()];
        for k in 0..self.blocks() {
            let rows = self.rows_of(k).len();
            self.jacobian.runs_of(k).for_each(|(first, _)| rows_of_body[body_of(first)] += rows);
        }
        // Every row of a body meets all rows of that body.
        rows_of_body.iter().map(|rows| rows.saturating_mul(*rows)).fold(0, usize::saturating_add)
    }

    /// Which blocks are coupled to which, in ascending order.
    fn couplings(&self) -> Couplings {
        let blocks = self.blocks();
        if !self.response.is_local() {
            return Couplings::All((0..blocks as u32).collect());
        }
        // Blocks of each body, by its first velocity.
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); self.layout.bodies.len()];
        let body_of = |column: usize| self.layout.body_start.partition_point(|start| *start <= column) - 1;
        for k in 0..blocks {
            for (first, _) in self.jacobian.runs_of(k) {
                let list = &mut of_body[body_of(first)];
                if list.last() != Some(&(k as u32)) {
                    list.push(k as u32);
                }
            }
        }
        Couplings::collect(blocks, |k, list| {
            list.push(k as u32);
            self.jacobian.runs_of(k).for_each(|(first, _)| list.extend_from_slice(&of_body[body_of(first)]));
        })
    }
}

enum Couplings {
    All(Vec<u32>),
    Lists { start: Vec<usize>, column: Vec<u32> },
}

impl Couplings {
    fn collect(blocks: usize, list_of: impl Fn(usize, &mut Vec<u32>)) -> Self {
        let (mut start, mut column, mut list) = (vec![0], Vec::new(), Vec::new());
        for k in 0..blocks {
            list.clear();
            list_of(k, &mut list);
            list.sort_unstable();
            list.dedup();
            column.extend_from_slice(&list);
            start.push(column.len());
        }
        Self::Lists { start, column }
    }
    fn of(&self, block: usize) -> &[u32] {
        match self {
            Self::All(all) => all,
            Self::Lists { start, column } => &column[start[block]..start[block + 1]],
        }
    }
}

/// N times the unit impulses of one block.
struct ColumnOf {
    p: Vec<f64>,
    v: Vec<f64>,
    /// Rates of each unit impulse, at the rows of the coupled blocks.
    rates: [Vec<f64>; MAX_ROWS],
}

impl ColumnOf {
    fn new(dual: &DualProblem) -> Self {
        let (n, m) = (dual.columns(), dual.rows());
        Self { p: vec![0.0; n], v: vec![0.0; n], rates: std::array::from_fn(|_| vec![0.0; m]) }
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
