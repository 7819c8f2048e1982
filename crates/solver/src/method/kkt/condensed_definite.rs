//! Form `reduced` of a condensed problem without bilateral rows: Cholesky of I + R N Rᵀ, a sum of one element a
//! coupled pair of contacts.

use super::condensed::Couplings;
use super::{Backend, Weights};
use crate::cone::MAX_ROWS;
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Multifrontal, Threads};

pub(super) struct CondensedDefinite {
    couplings: Couplings,
    factor: Multifrontal,
}

impl CondensedDefinite {
    pub(super) fn new(form: &StandardForm, delassus: &CscMatrix, threads: Threads) -> Result<Self, FactorError> {
        let couplings = Couplings::new(form, delassus);
        let Couplings { blocks, pairs, .. } = &couplings;
        let (mut start, mut rows) = (Vec::with_capacity(pairs.len() + 1), Vec::new());
        start.push(0);
        for pair in pairs {
            let of = |k: usize| blocks.start[k]..blocks.start[k + 1];
            rows.extend(of(pair.column));
            rows.extend(of(pair.row).filter(|_| pair.row != pair.column));
            start.push(rows.len());
        }
        let elements: Vec<&[usize]> = start.windows(2).map(|at| &rows[at[0]..at[1]]).collect();
        let factor = super::multifrontal(&blocks.start, &elements, threads)?;
        Ok(Self { couplings, factor })
    }
}

impl Backend for CondensedDefinite {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn factorise(&mut self, _: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let Self { couplings: Couplings { blocks, pairs, values, start }, factor } = self;
        factor.factorise(&|element, out| {
            let pair = &pairs[element];
            let (height, width) = (blocks.size(pair.row), blocks.size(pair.column));
            let n = &values[start[element]..start[element + 1]];
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

    fn renew(&mut self, form: &StandardForm) -> bool {
        form.delassus.as_ref().is_some_and(|delassus| self.couplings.fill(delassus))
    }
}
