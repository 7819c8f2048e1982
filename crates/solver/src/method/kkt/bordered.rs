//! Form `reduced` with bilateral rows: LDLᵀ of S = H + D̃ᵀD̃ bordered by C.
//!
//! ```text
//! [ S  Cᵀ ] [ dv  ]   [ a + D̃ᵀb̃ ]
//! [ C −E_γ] [ −dγ ] = [ b_γ      ]        x = b̃ − D̃ dv
//! ```
//!
//! The pattern of S joins the bodies of each contact; it is ordered as a graph of bodies.

use super::{Backend, FREE_REGULARISATION, Weights};
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Ldlt, SymbolicFactor, Threads};

pub(super) struct Bordered {
    matrix: CscMatrix,
    /// Position in the matrix and value of the parts that do not change: H, C, E_γ.
    constant: Vec<(u32, f64)>,
    /// Positions of the lower triangle of each cone's columns, row by row.
    scatter: Vec<u32>,
    factor: Ldlt,
    rhs: Vec<f64>,
}

impl Bordered {
    pub(super) fn new(form: &StandardForm) -> Result<Self, FactorError> {
        let n = form.velocities();
        let size = n + form.free.len();
        let mut constant = Vec::new();
        each_constant(form, |row, column, value| constant.push((row, column, value)));
        let cliques = form.cones.jacobian.len();
        let pattern = constant.iter().copied().chain((0..cliques).flat_map(|k| {
            let columns = form.cones.jacobian.block(k).columns;
            columns
                .iter()
                .enumerate()
                .flat_map(move |(i, &row)| columns[..=i].iter().map(move |&column| (row, column, 0.0)))
        }));
        let matrix = CscMatrix::from_triplets(size, size, pattern).map_err(|_| FactorError::Memory)?;
        super::check_positions(&matrix)?;
        let position = |row, column| matrix.position(row, column).unwrap_or(0) as u32; // every pair is in the pattern
        let constant: Vec<(u32, f64)> = constant.iter().map(|&(r, c, value)| (position(r, c), value)).collect();
        let mut scatter = Vec::new();
        for k in 0..cliques {
            let columns = form.cones.jacobian.block(k).columns;
            for (i, &row) in columns.iter().enumerate() {
                scatter.extend(columns[..=i].iter().map(|&column| position(row, column)));
            }
        }
        let symbolic = SymbolicFactor::analyse(&matrix, &body_order(form)?)?.into();
        let factor = Ldlt::new(symbolic, Threads::One);
        Ok(Self { matrix, constant, scatter, factor, rhs: vec![0.0; size] })
    }
}

/// `found(row, column, value)` for the lower triangle of the parts of the matrix that no iteration changes, always in the same
/// order.
fn each_constant(form: &StandardForm, mut found: impl FnMut(usize, usize, f64)) {
    let n = form.velocities();
    form.inertia.each_entry(|row, column, value| {
        if row >= column {
            found(row, column, value);
        }
    });
    for k in 0..form.free.jacobian.len() {
        let block = form.free.jacobian.block(k);
        for (r, row) in form.free.jacobian.rows_of(k).enumerate() {
            block.columns.iter().zip(block.row(r)).for_each(|(&column, &value)| found(n + row, column, value));
            let compliance = form.free.e.get(row).copied().unwrap_or(0.0);
            found(n + row, n + row, -compliance - FREE_REGULARISATION * form.free_softness[row]);
        }
    }
}

/// Elimination order of velocities and bilateral rows, from the graph of bodies and joints.
fn body_order(form: &StandardForm) -> Result<Vec<usize>, FactorError> {
    let bodies = form.body_start.len() - 1;
    let mut start = form.body_start.clone();
    for k in 0..form.free.jacobian.len() {
        start.push(form.velocities() + form.free.jacobian.rows_of(k).end);
    }
    let cliques = super::body_cliques(form, &form.cones.jacobian, None)
        .chain(super::body_cliques(form, &form.free.jacobian, Some(bodies)))
        .chain(super::inertia_cliques(form));
    let cliques: Vec<Vec<usize>> = cliques.collect();
    super::block_order(&start, cliques.iter().map(Vec::as_slice))
}

impl Backend for Bordered {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn factorise(&mut self, form: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let values = self.matrix.values_mut();
        values.fill(0.0);
        for &(position, value) in &self.constant {
            values[position as usize] += value;
        }
        let mut at = 0;
        for k in 0..form.cones.jacobian.len() {
            let block = weights.scaled.block(k);
            let width = block.columns.len();
            for i in 0..width {
                for j in 0..=i {
                    let mut sum = 0.0;
                    for r in 0..block.rows {
                        sum += block.values[r * width + i] * block.values[r * width + j];
                    }
                    values[self.scatter[at] as usize] += sum;
                    at += 1;
                }
            }
        }
        super::boost_diagonal(&mut self.matrix, boost);
        self.factor.factorise(&self.matrix)
    }

    fn solve(&mut self, _: &StandardForm, weights: &Weights, v: &mut [f64], free: &mut [f64], cone: &mut [f64]) {
        let n = v.len();
        weights.scaled.mul_transpose_add(1.0, cone, v);
        self.rhs[..n].copy_from_slice(v);
        self.rhs[n..].copy_from_slice(free);
        self.factor.solve_in_place(&mut self.rhs);
        v.copy_from_slice(&self.rhs[..n]);
        free.iter_mut().zip(&self.rhs[n..]).for_each(|(gamma, negative)| *gamma = -negative);
        // x = b̃ − D̃ dv
        super::subtract_product(&weights.scaled, v, cone);
    }

    fn factor_entries(&self) -> usize {
        self.factor.symbolic().factor_entries()
    }

    fn renew(&mut self, form: &StandardForm) -> bool {
        let mut places = self.constant.iter_mut();
        each_constant(form, |_, _, value| {
            if let Some((_, old)) = places.next() {
                *old = value;
            }
        });
        true
    }
}
