//! Form `reduced` of a condensed problem without bilateral rows: Cholesky of I + R N Rᵀ, a sum of one element a
//! coupled pair of contacts.

use super::condensed::{Blocks, Pair, coupled_pairs};
use super::{Backend, Weights};
use crate::cone::MAX_ROWS;
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Multifrontal, Threads};

pub(super) struct CondensedDefinite {
    pairs: Vec<Pair>,
    /// Entries of N for each pair, row-major, concatenated, and where each pair starts.
    values: Vec<f64>,
    value_start: Vec<usize>,
    /// Number of rows of each block.
    sizes: Vec<usize>,
    factor: Multifrontal,
}

impl CondensedDefinite {
    pub(super) fn new(form: &StandardForm, delassus: &CscMatrix, threads: Threads) -> Result<Self, FactorError> {
        let blocks = Blocks::new(form);
        let (pairs, values) = coupled_pairs(&blocks, delassus);
        let sizes: Vec<usize> = blocks.start.windows(2).map(|w| w[1] - w[0]).collect();
        let mut value_start = vec![0];
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            value_start.push(value_start[rows.len()] + sizes[pair.row] * sizes[pair.column]);
            let of = |k: usize| blocks.start[k]..blocks.start[k + 1];
            rows.push(if pair.row == pair.column {
                of(pair.row).collect()
            } else {
                of(pair.column).chain(of(pair.row)).collect()
            });
        }
        let elements: Vec<&[usize]> = rows.iter().map(Vec::as_slice).collect();
        let factor = super::multifrontal(&blocks.start, &elements, threads)?;
        Ok(Self { pairs, values, value_start, sizes, factor })
    }
}

impl Backend for CondensedDefinite {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn factorise(&mut self, _: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let Self { pairs, values, value_start, sizes, factor } = self;
        factor.factorise(&|element, out| {
            let pair = &pairs[element];
            let (height, width) = (sizes[pair.row], sizes[pair.column]);
            let n = &values[value_start[element]..value_start[element + 1]];
            let (left, right) = (weights.block(pair.row), weights.block(pair.column));
            let diagonal = pair.row == pair.column;
            let (size, first) = if diagonal { (width, 0) } else { (width + height, width) };
            out.fill(0.0);
            for i in 0..height {
                // Row i of R_a N_ab, then times R_bᵀ.
                let mut half = [0.0; MAX_ROWS];
                for (j, half) in half[..width].iter_mut().enumerate() {
                    *half = (0..height).map(|k| left[i * height + k] * n[k * width + j]).sum();
                }
                for j in 0..width {
                    let entry: f64 = (0..width).map(|k| half[k] * right[j * width + k]).sum();
                    out[j * size + first + i] = entry;
                }
            }
            if diagonal {
                for i in 0..size {
                    let entry = &mut out[i * size + i];
                    *entry = (1.0 + *entry) * (1.0 + boost);
                }
            }
        })
    }

    fn solve(&mut self, _: &StandardForm, _: &Weights, _: &mut [f64], _: &mut [f64], cone: &mut [f64]) {
        self.factor.solve_in_place(cone);
    }

    fn factor_entries(&self) -> usize {
        self.factor.structure().factor_entries()
    }

    fn renew(&mut self, _: &StandardForm) -> bool {
        // N is given anew with every condensed problem.
        false
    }
}
