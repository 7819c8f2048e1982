//! Form `quasi-definite`: LDLᵀ of the symmetric system with every row kept.
//!
//! ```text
//! [ H   Cᵀ   D̃ᵀ ] [ dv  ]   [ a   ]
//! [ C  −E_γ  0  ] [ −dγ ] = [ b_γ ]
//! [ D̃   0   −I  ] [ −x  ]   [ b̃   ]
//! ```
//!
//! Without friction this needs far less fill than the reduced form, because bodies can be eliminated first.
//! Ordered as a graph with one vertex a body, contact or joint.

use super::{Backend, FREE_REGULARISATION, Weights};
use crate::standard_form::StandardForm;
use signorini_linalg::{CscMatrix, FactorError, Ldlt, SymbolicFactor, Threads};

pub(super) struct QuasiDefinite {
    matrix: CscMatrix,
    constant: Vec<(u32, f64)>,
    /// Position of each entry of D̃, in its storage order.
    scatter: Vec<u32>,
    factor: Ldlt,
    rhs: Vec<f64>,
}

impl QuasiDefinite {
    pub(super) fn new(form: &StandardForm) -> Result<Self, FactorError> {
        let (n, free) = (form.velocities(), form.free.len());
        let size = n + free + form.cones.len();
        let (constant, scaled) = entries(form, Side::Lower);
        let pattern = constant.iter().copied().chain(scaled.iter().map(|&(row, column)| (row, column, 0.0)));
        let matrix = CscMatrix::from_triplets(size, size, pattern).map_err(|_| FactorError::Memory)?;
        super::check_positions(&matrix)?;
        let position = |row, column| matrix.position(row, column).unwrap_or(0) as u32; // every pair is in the pattern
        let constant = constant.iter().map(|&(r, c, value)| (position(r, c), value)).collect();
        let scatter = scaled.iter().map(|&(row, column)| position(row, column)).collect();
        let factor = Ldlt::new(SymbolicFactor::analyse(&matrix, &quotient_order(form)?)?.into(), Threads::One);
        Ok(Self { matrix, constant, scatter, factor, rhs: vec![0.0; size] })
    }
}

/// Which entries a form stores.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// The lower triangle of the symmetric system.
    Lower,
    /// All of the system with the second and third unknowns taken positive.
    Full,
}

type Entries = (Vec<(usize, usize, f64)>, Vec<(usize, usize)>);

/// The entries that do not change, and the places of D̃ (then of −D̃ᵀ, for `Full`) in its storage order.
pub(super) fn entries(form: &StandardForm, side: Side) -> Entries {
    let (n, free) = (form.velocities(), form.free.len());
    let mut constant = Vec::new();
    each_constant(form, side, |row, column, value| constant.push((row, column, value)));
    let mut scaled = Vec::with_capacity(form.cones.jacobian.entries());
    for k in 0..form.cones.jacobian.len() {
        let block = form.cones.jacobian.block(k);
        for row in form.cones.jacobian.rows_of(k) {
            scaled.extend(block.columns.iter().map(|&column| (n + free + row, column)));
        }
    }
    if side == Side::Full {
        let mirrored: Vec<_> = scaled.iter().map(|&(row, column)| (column, row)).collect();
        scaled.extend(mirrored);
    }
    (constant, scaled)
}

/// `found(row, column, value)` for the entries that no iteration changes, always in the same order.
fn each_constant(form: &StandardForm, side: Side, mut found: impl FnMut(usize, usize, f64)) {
    let (n, free) = (form.velocities(), form.free.len());
    let full = side == Side::Full;
    // Symmetric form: negative diagonal; unsymmetric form: positive, with −Cᵀ and −D̃ᵀ above.
    let sign = if full { 1.0 } else { -1.0 };
    form.inertia.each_entry(|row, column, value| {
        if full || row >= column {
            found(row, column, value);
        }
    });
    for k in 0..form.free.jacobian.len() {
        let block = form.free.jacobian.block(k);
        for (r, row) in form.free.jacobian.rows_of(k).enumerate() {
            for (&column, &value) in block.columns.iter().zip(block.row(r)) {
                found(n + row, column, value);
                if full {
                    found(column, n + row, -value);
                }
            }
            let compliance = form.free.e.get(row).copied().unwrap_or(0.0);
            found(n + row, n + row, sign * (compliance + FREE_REGULARISATION * form.free_softness[row]));
        }
    }
    (0..form.cones.len()).for_each(|row| found(n + free + row, n + free + row, sign));
}

/// Writes new values of the entries that no iteration changes over those found before.
pub(super) fn renew(form: &StandardForm, side: Side, constant: &mut [(u32, f64)]) {
    let mut places = constant.iter_mut();
    each_constant(form, side, |_, _, value| {
        if let Some((_, old)) = places.next() {
            *old = value;
        }
    });
}

fn quotient_order(form: &StandardForm) -> Result<Vec<usize>, FactorError> {
    let bodies = form.body_start.len() - 1;
    let joints = form.free.jacobian.len();
    let (n, free) = (form.velocities(), form.free.len());
    let mut start = form.body_start.clone();
    start.extend((0..joints).map(|k| n + form.free.jacobian.rows_of(k).end));
    start.extend((0..form.cones.jacobian.len()).map(|k| n + free + form.cones.jacobian.rows_of(k).end));
    // Edges run between a row block and each of its bodies; bodies of one contact are not joined.
    let edges = super::body_cliques(form, &form.free.jacobian, Some(bodies))
        .chain(super::body_cliques(form, &form.cones.jacobian, Some(bodies + joints)))
        .flat_map(|mut clique| {
            let own = clique.pop();
            clique.into_iter().filter_map(move |body| own.map(|own| vec![body, own]))
        })
        .chain(super::inertia_cliques(form));
    let edges: Vec<Vec<usize>> = edges.collect();
    super::block_order(&start, edges.iter().map(Vec::as_slice))
}

impl Backend for QuasiDefinite {
    fn name(&self) -> &'static str {
        "quasi-definite"
    }

    fn factorise(&mut self, _: &StandardForm, weights: &Weights, boost: f64) -> Result<(), FactorError> {
        let values = self.matrix.values_mut();
        values.fill(0.0);
        for &(position, value) in &self.constant {
            values[position as usize] += value;
        }
        for (&position, value) in self.scatter.iter().zip(weights.scaled.values()) {
            values[position as usize] += value;
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
        free.iter_mut().zip(&self.rhs[n..split]).for_each(|(x, negative)| *x = -negative);
        cone.iter_mut().zip(&self.rhs[split..]).for_each(|(x, negative)| *x = -negative);
    }

    fn factor_entries(&self) -> usize {
        self.factor.symbolic().factor_entries()
    }

    fn renew(&mut self, form: &StandardForm) -> bool {
        renew(form, Side::Lower, &mut self.constant);
        true
    }
}
