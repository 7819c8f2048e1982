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
use std::collections::BTreeMap;

pub(super) struct Condensed {
    matrix: CscMatrix,
    pairs: Vec<Pair>,
    /// Entries of N for each pair, row-major, concatenated.
    values: Vec<f64>,
    /// Position of each of them in the matrix (lower triangle), with its mirror for LU.
    scatter: Vec<(u32, u32)>,
    factor: Factor,
    rhs: Vec<f64>,
}

/// Two coupled blocks, `row ≥ column`; cones come before free blocks.
pub(super) struct Pair {
    pub(super) row: usize,
    pub(super) column: usize,
}

enum Factor {
    Indefinite(Ldlt),
    General(Box<Lu>),
}

/// Blocks of cones, then of free rows, as one list.
pub(super) struct Blocks {
    pub(super) start: Vec<usize>,
    cones: usize,
}

impl Blocks {
    pub(super) fn new(form: &StandardForm) -> Self {
        let cones = form.cones.jacobian.len();
        let mut start = vec![0];
        start.extend((0..cones).map(|k| form.cones.jacobian.rows_of(k).end));
        start.extend((0..form.free.jacobian.len()).map(|k| form.cones.len() + form.free.jacobian.rows_of(k).end));
        Self { start, cones }
    }
    fn len(&self) -> usize {
        self.start.len() - 1
    }
    pub(super) fn size(&self, k: usize) -> usize {
        self.start[k + 1] - self.start[k]
    }
    fn of_row(&self, row: usize) -> usize {
        self.start.partition_point(|start| *start <= row) - 1
    }
}

impl Condensed {
    pub(super) fn new(form: &StandardForm, delassus: &CscMatrix, choice: KktForm) -> Result<Self, FactorError> {
        let blocks = Blocks::new(form);
        let (pairs, values) = coupled_pairs(&blocks, delassus);
        let size = delassus.nrows();
        let both = choice == KktForm::Augmented;
        let mut places = Vec::with_capacity(values.len());
        for pair in &pairs {
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
        Ok(Self { matrix, pairs, values, scatter, factor, rhs: vec![0.0; size] })
    }
}

/// Marks an entry that is not stored.
const NOWHERE: u32 = u32::MAX;

/// Coupled pairs of blocks (every diagonal pair included) with their entries of N.
pub(super) fn coupled_pairs(blocks: &Blocks, delassus: &CscMatrix) -> (Vec<Pair>, Vec<f64>) {
    let mut found: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for k in 0..blocks.len() {
        found.insert((k, k), vec![0.0; blocks.size(k).pow(2)]);
    }
    for (row, column, value) in delassus.triplets() {
        let (a, b) = (blocks.of_row(row), blocks.of_row(column));
        if a >= b {
            let (width, height) = (blocks.size(b), blocks.size(a));
            let entries = found.entry((a, b)).or_insert_with(|| vec![0.0; width * height]);
            entries[(row - blocks.start[a]) * width + (column - blocks.start[b])] = value;
        }
    }
    let pairs = found.keys().map(|&(row, column)| Pair { row, column }).collect();
    (pairs, found.into_values().flatten().collect())
}

impl Backend for Condensed {
    fn name(&self) -> &'static str {
        match &self.factor {
            Factor::Indefinite(_) => "quasi-definite",
            Factor::General(_) => "augmented",
        }
    }

    fn factorise(&mut self, form: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let blocks = Blocks::new(form);
        let out = self.matrix.values_mut();
        out.fill(0.0);
        let mut at = 0;
        let mut half = [0.0; MAX_ROWS];
        for pair in &self.pairs {
            let (height, width) = (blocks.size(pair.row), blocks.size(pair.column));
            let n = &self.values[at..at + height * width];
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

    fn renew(&mut self, _: &StandardForm) -> bool {
        // N is given anew with every condensed problem.
        false
    }
}
