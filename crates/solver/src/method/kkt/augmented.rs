//! Form `augmented`: unsymmetric LU of the whole system, with partial pivoting.
//!
//! ```text
//! [ H  −Cᵀ  −D̃ᵀ ] [ dv ]   [ a   ]
//! [ C   E_γ  0  ] [ dγ ] = [ b_γ ]
//! [ D̃   0    I  ] [ x  ]   [ b̃   ]
//! ```
//!
//! The form of the thesis: slowest, and the least that can go wrong.

use super::quasi_definite::{self, Side, entries};
use super::{Backend, Weights};
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Lu, Threads};

pub(super) struct Augmented {
    matrix: CscMatrix,
    constant: Vec<(u32, f64)>,
    /// Positions of D̃ in its storage order, then of −D̃ᵀ.
    scatter: Vec<u32>,
    factor: Lu,
    rhs: Vec<f64>,
}

impl Augmented {
    pub(super) fn new(form: &StandardForm) -> Result<Self, FactorError> {
        let size = form.velocities() + form.free.len() + form.cones.len();
        let (constant, scaled) = entries(form, Side::Full);
        let pattern = constant.iter().copied().chain(scaled.iter().map(|&(row, column)| (row, column, 0.0)));
        let matrix = CscMatrix::from_triplets(size, size, pattern).map_err(|_| FactorError::Memory)?;
        super::check_positions(&matrix)?;
        let position = |row, column| matrix.position(row, column).unwrap_or(0) as u32; // every pair is in the pattern
        let constant = constant.iter().map(|&(r, c, value)| (position(r, c), value)).collect();
        let scatter = scaled.iter().map(|&(row, column)| position(row, column)).collect();
        let factor = Lu::analyse(&matrix, Threads::One)?;
        Ok(Self { matrix, constant, scatter, factor, rhs: vec![0.0; size] })
    }
}

impl Backend for Augmented {
    fn name(&self) -> &'static str {
        "augmented"
    }

    fn factorise(&mut self, _: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let values = self.matrix.values_mut();
        values.fill(0.0);
        for &(position, value) in &self.constant {
            values[position as usize] += value;
        }
        let scaled = weights.scaled.values();
        let (below, above) = self.scatter.split_at(scaled.len());
        for ((&lower, &upper), value) in below.iter().zip(above).zip(scaled) {
            values[lower as usize] += value;
            values[upper as usize] -= value;
        }
        super::boost_diagonal(&mut self.matrix, boost);
        self.factor.factorise(&self.matrix)
    }

    fn solve(&mut self, _: &StandardForm, _: &Weights, v: &mut [f64], free: &mut [f64], cone: &mut [f64]) {
        let (n, split) = (v.len(), v.len() + free.len());
        self.rhs[..n].copy_from_slice(v);
        self.rhs[n..split].copy_from_slice(free);
        self.rhs[split..].copy_from_slice(cone);
        self.factor.solve_in_place(&mut self.rhs);
        v.copy_from_slice(&self.rhs[..n]);
        free.copy_from_slice(&self.rhs[n..split]);
        cone.copy_from_slice(&self.rhs[split..]);
    }

    fn factor_entries(&self) -> usize {
        // The factor of an LU grows with the pivots chosen; the matrix is what is known beforehand.
        self.matrix.nnz()
    }

    fn renew(&mut self, form: &StandardForm) -> bool {
        quasi_definite::renew(form, Side::Full, &mut self.constant);
        true
    }
}
