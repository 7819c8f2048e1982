//! The system of a condensed problem (no velocities, N = E given).
//!
//! ```text
//! [ I + R N_λλ Rᵀ   R N_λγ ] [ x  ]   [ b̃   ]
//! [ N_γλ Rᵀ         N_γγ   ] [ dγ ] = [ b_γ ]
//! ```
//!
//! Symmetric and positive semi-definite: LDLᵀ for `quasi-definite` and with bilateral rows, LU for `augmented`. Cholesky,
//! for `reduced`, is in [`super::condensed_definite`].

use super::{Backend, FREE_REGULARISATION, KktForm, Weights};
use crate::cone::MAX_ROWS;
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Ldlt, Lu, SymbolicFactor, Threads};

pub(super) struct Condensed {
    matrix: CscMatrix,
    couplings: Couplings,
    /// Position of each of them in the matrix (lower triangle), with its mirror for LU.
    scatter: Vec<(u32, u32)>,
    factor: Factor,
    rhs: Vec<f64>,
}

/// Two coupled blocks, `row ≥ column`; cones come before free blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) row: usize,
    pub(super) column: usize,
}

enum Factor {
    Indefinite(Ldlt),
    General(Box<Lu>),
}

/// Coupled pairs of blocks, in ascending order, every diagonal pair included, with their entries of N.
pub(super) struct Couplings {
    pub(super) blocks: Blocks,
    pub(super) pairs: Vec<Pair>,
    /// Entries of N for each pair, row-major, concatenated, and where each pair starts.
    pub(super) values: Vec<f64>,
    pub(super) start: Vec<usize>,
}

/// Blocks of cones, then of free rows, as one list.
pub(super) struct Blocks {
    pub(super) start: Vec<usize>,
    /// Block of every row.
    of_row: Vec<usize>,
    cones: usize,
}

impl Blocks {
    pub(super) fn new(form: &StandardForm) -> Self {
        let cones = form.cones.jacobian.len();
        let mut start = vec![0];
        start.extend((0..cones).map(|k| form.cones.jacobian.rows_of(k).end));
        start.extend((0..form.free.jacobian.len()).map(|k| form.cones.len() + form.free.jacobian.rows_of(k).end));
        let of_row = (0..start.len() - 1).flat_map(|k| std::iter::repeat_n(k, start[k + 1] - start[k])).collect();
        Self { start, of_row, cones }
    }
    fn len(&self) -> usize {
        self.start.len() - 1
    }
    pub(super) fn size(&self, k: usize) -> usize {
        self.start[k + 1] - self.start[k]
    }
}

impl Condensed {
    pub(super) fn new(form: &StandardForm, delassus: &CscMatrix, choice: KktForm) -> Result<Self, FactorError> {
        let couplings = Couplings::new(form, delassus);
        let Couplings { blocks, pairs, values, .. } = &couplings;
        let size = delassus.nrows();
        let both = choice == KktForm::Augmented;
        let mut places = Vec::with_capacity(values.len());
        for pair in pairs {
            for i in 0..blocks.size(pair.row) {
                for j in 0..blocks.size(pair.column) {
                    places.push((blocks.start[pair.row] + i, blocks.start[pair.column] + j));
                }
            }
        }
        let stored = |&(row, column): &(usize, usize)| row >= column;
        let lower = places.iter().filter(|place| stored(place)).map(|&(row, column)| (row, column, 0.0));
        let upper = places.iter().filter(|place| both && stored(place)).map(|&(row, column)| (column, row, 0.0));
        let matrix = CscMatrix::from_triplets(size, size, lower.chain(upper)).map_err(|_| FactorError::Memory)?;
        super::check_positions(&matrix)?;
        let at = |row, column| matrix.position(row, column).map_or(NOWHERE, |position| position as u32);
        let scatter = places
            .iter()
            .map(|&(row, column)| match row >= column {
                true => (at(row, column), if both && row > column { at(column, row) } else { NOWHERE }),
                false => (NOWHERE, NOWHERE),
            })
            .collect();
        let factor = match choice {
            KktForm::Augmented => Factor::General(Box::new(Lu::analyse(&matrix, Threads::One)?)),
            _ => {
                let edges: Vec<[usize; 2]> = pairs.iter().map(|pair| [pair.row, pair.column]).collect();
                let order = super::block_order(&blocks.start, edges.iter().map(|edge| &edge[..]))?;
                let symbolic = SymbolicFactor::analyse(&matrix, &order)?.into();
                Factor::Indefinite(Ldlt::new(symbolic, Threads::One))
            }
        };
        Ok(Self { matrix, couplings, scatter, factor, rhs: vec![0.0; size] })
    }
}

/// Marks an entry that is not stored.
const NOWHERE: u32 = u32::MAX;

impl Couplings {
    pub(super) fn new(form: &StandardForm, delassus: &CscMatrix) -> Self {
        let blocks = Blocks::new(form);
        let mut pairs: Vec<Pair> = (0..blocks.len()).map(|k| Pair { row: k, column: k }).collect();
        for (row, column, _) in delassus.triplets() {
            let pair = Pair { row: blocks.of_row[row], column: blocks.of_row[column] };
            // Rows of a column ascend: those of one block follow each other.
            if pair.row > pair.column && pairs.last() != Some(&pair) {
                pairs.push(pair);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = Vec::with_capacity(pairs.len() + 1);
        start.push(0);
        let mut end = 0;
        start.extend(pairs.iter().map(|pair| {
            end += blocks.size(pair.row) * blocks.size(pair.column);
            end
        }));
        let mut this = Self { blocks, pairs, values: vec![0.0; end], start };
        this.fill(delassus);
        this
    }

    /// Takes over the numbers of a matrix; false where it couples other blocks.
    pub(super) fn fill(&mut self, delassus: &CscMatrix) -> bool {
        let Self { blocks, pairs, values, start } = self;
        values.fill(0.0);
        let (mut last, mut at) = (Pair { row: 0, column: 0 }, 0);
        for (row, column, value) in delassus.triplets() {
            let pair = Pair { row: blocks.of_row[row], column: blocks.of_row[column] };
            if pair.row < pair.column {
                continue;
            }
            // Rows of a column ascend: those of one block follow each other.
            if pair != last {
                let Ok(found) = pairs.binary_search(&pair) else { return false };
                (last, at) = (pair, found);
            }
            let place =
                (row - blocks.start[pair.row]) * blocks.size(pair.column) + (column - blocks.start[pair.column]);
            values[start[at] + place] = value;
        }
        true
    }
}

impl Backend for Condensed {
    fn name(&self) -> &'static str {
        match &self.factor {
            Factor::Indefinite(_) => "quasi-definite",
            Factor::General(_) => "augmented",
        }
    }

    fn factorise(&mut self, form: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let Couplings { blocks, pairs, values, .. } = &self.couplings;
        let out = self.matrix.values_mut();
        out.fill(0.0);
        let mut at = 0;
        let mut half = [0.0; MAX_ROWS];
        for pair in pairs {
            let (height, width) = (blocks.size(pair.row), blocks.size(pair.column));
            let n = &values[at..at + height * width];
            let left = (pair.row < blocks.cones).then(|| weights.block(pair.row));
            let right = (pair.column < blocks.cones).then(|| weights.block(pair.column));
            for i in 0..height {
                for j in 0..width {
                    // (R_a N_ab)_ij, then times R_bᵀ; free blocks have R = I and any size.
                    let product = |j: usize| match left {
                        Some(r) => (0..height).map(|k| r[i * height + k] * n[k * width + j]).sum(),
                        None => n[i * width + j],
                    };
                    let entry: f64 = match right {
                        Some(r) => {
                            if j == 0 {
                                (0..width).for_each(|k| half[k] = product(k));
                            }
                            (0..width).map(|k| half[k] * r[j * width + k]).sum()
                        }
                        None => product(j),
                    };
                    let (lower, upper) = self.scatter[at + i * width + j];
                    for position in [lower, upper] {
                        if position != NOWHERE {
                            out[position as usize] += entry;
                        }
                    }
                }
            }
            at += height * width;
        }
        for row in 0..self.matrix.nrows() {
            let extra = if row < form.cones.len() {
                1.0
            } else {
                FREE_REGULARISATION * form.free_softness[row - form.cones.len()]
            };
            if let Some(position) = self.matrix.position(row, row) {
                self.matrix.values_mut()[position] += extra;
            }
        }
        super::boost_diagonal(&mut self.matrix, boost);
        match &mut self.factor {
            Factor::Indefinite(factor) => factor.factorise(&self.matrix),
            Factor::General(factor) => factor.factorise(&self.matrix),
        }
    }

    fn solve(&mut self, _: &StandardForm, _: &Weights, _: &mut [f64], free: &mut [f64], cone: &mut [f64]) {
        let split = cone.len();
        self.rhs[..split].copy_from_slice(cone);
        self.rhs[split..].copy_from_slice(free);
        match &mut self.factor {
            Factor::Indefinite(factor) => factor.solve_in_place(&mut self.rhs),
            Factor::General(factor) => factor.solve_in_place(&mut self.rhs),
        }
        cone.copy_from_slice(&self.rhs[..split]);
        free.copy_from_slice(&self.rhs[split..]);
    }

    fn factor_entries(&self) -> usize {
        match &self.factor {
            Factor::Indefinite(factor) => factor.symbolic().factor_entries(),
            Factor::General(_) => self.matrix.nnz(),
        }
    }

    fn renew(&mut self, form: &StandardForm) -> bool {
        form.delassus.as_ref().is_some_and(|delassus| self.couplings.fill(delassus))
    }
}
