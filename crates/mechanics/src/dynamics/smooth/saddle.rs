//! The linear system of every smooth step, with its pattern analysed once:
//!
//! ```text
//! [ A  −Cᵀ ] [ z ]   [ r ]
//! [ C   E  ] [ μ ] = [ s ]        A = M, or M + κ(…R + …K) in Newton's method
//! ```
//!
//! Redundant joints make C rank-deficient. E = ε diag(C M⁻¹Cᵀ), taken where the bodies start, then picks the multipliers of least norm √(μᵀEμ),
//! whatever ε. Positions give way by ε times what reactions do within one step; rounding of Ψ appears in redundant multipliers
//! divided by ε.

use super::equations::Equations;
use super::rows::Rows;
use signorini_linalg::{CscMatrix, FactorError, Lu, Threads};

/// ε where refinement takes E out again.
pub(crate) const COMPLIANCE: f64 = 1e-6;

/// A factorised saddle-point matrix and what is needed to make it again.
pub(crate) struct Saddle {
    matrix: CscMatrix,
    /// Where every contribution goes, in the order they are added.
    slots: Vec<usize>,
    lu: Option<Lu>,
    /// Pairs of bodies that are coupled in A, by their first velocities.
    couplings: Vec<[Option<usize>; 2]>,
    /// Where entries of nodes go, and those of contacts of skins.
    node_slots: Vec<usize>,
    contact_slots: Vec<usize>,
    /// E.
    compliance: Vec<f64>,
    dimension: usize,
}

/// One coupling's contribution to A: 12 × 12 over both bodies.
pub(crate) type Coupling = [[f64; 12]; 12];

impl Saddle {
    /// The pattern for a model whose bodies are coupled in A as given; `nodes` is that of its nodes, `contacts` are entries of A that
    /// contacts of skins add to.
    pub(crate) fn new(
        equations: &Equations,
        couplings: Vec<[Option<usize>; 2]>,
        nodes: Option<&CscMatrix>,
        contacts: &[[usize; 2]],
    ) -> Self {
        let n = equations.dimension;
        let size = n + equations.rows.len();
        let mut places = Vec::new();
        (0..equations.moving.len()).for_each(|k| places.extend((0..36).map(|e| (6 * k + e / 6, 6 * k + e % 6))));
        for pair in &couplings {
            for_each_entry(pair, |i, j, _, _| places.push((i, j)));
        }
        for (row, place) in equations.rows.iter().enumerate() {
            let columns = &equations.row_columns[place.entries.clone()];
            columns.iter().for_each(|&at| places.extend([(n + row, at), (at, n + row)]));
            places.push((n + row, n + row));
        }
        let first_node = equations.columns.of_bodies();
        let of_nodes = nodes.iter().flat_map(|nodes| nodes.triplets());
        let node_places: Vec<_> = of_nodes.map(|(i, j, _)| (first_node + i, first_node + j)).collect();
        let contact_places = contacts.iter().map(|&[i, j]| (i, j));
        let all = places.iter().copied().chain(node_places.iter().copied()).chain(contact_places.clone());
        let matrix = match CscMatrix::from_triplets(size, size, all.map(|(i, j)| (i, j, 1.0))) {
            Ok(matrix) => matrix,
            Err(error) => unreachable!("places are velocities or rows, all below {size}: {error}"),
        };
        let compliance = vec![0.0; equations.rows.len()];
        let slot = |(i, j): (usize, usize)| match matrix.position(i, j) {
            Some(slot) => slot,
            None => unreachable!("the matrix was made of these places, ({i}, {j}) among them"),
        };
        let slots = places.into_iter().map(slot).collect();
        let (node_slots, contact_slots) =
            (node_places.into_iter().map(slot).collect(), contact_places.map(slot).collect());
        Self { matrix, slots, lu: None, couplings, node_slots, contact_slots, compliance, dimension: n }
    }

    /// E.
    pub(crate) fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// Sets ε.
    pub(crate) fn set_compliance(&mut self, equations: &Equations, epsilon: f64) {
        self.compliance.iter_mut().zip(&equations.mobility).for_each(|(e, mobility)| *e = epsilon * mobility);
    }

    /// Puts together and factorises the matrix: `block(k)` is the 6 × 6 part of a body, `coupling(i)` that of a pair, `nodes` and
    /// `contacts` the values of the patterns given; the columns of C that belong to turning are multiplied by `turn(k)` where
    /// positions are increments of a longer rotation.
    ///
    /// # Errors
    /// A matrix that is singular or not finite.
    pub(crate) fn factorise(
        &mut self,
        equations: &Equations,
        rows: &Rows,
        mut block: impl FnMut(usize) -> [f64; 36],
        mut coupling: impl FnMut(usize) -> Coupling,
        [nodes, contacts]: [&[f64]; 2],
        turn: impl Fn(usize, &[f64; 6]) -> [f64; 6],
    ) -> Result<(), FactorError> {
        let Self { matrix, slots, couplings, node_slots, contact_slots, compliance, .. } = self;
        let values = matrix.values_mut();
        values.fill(0.0);
        let others = node_slots.iter().zip(nodes).chain(contact_slots.iter().zip(contacts));
        others.for_each(|(&slot, value)| values[slot] += value);
        let mut slots = slots.iter();
        let mut add = |value: f64| {
            if let Some(&slot) = slots.next() {
                values[slot] += value;
            }
        };
        (0..equations.moving.len()).for_each(|k| block(k).into_iter().for_each(&mut add));
        for (index, pair) in couplings.iter().enumerate() {
            let part = coupling(index);
            for_each_entry(pair, |_, _, i, j| add(part[i][j]));
        }
        for (row, place) in equations.rows.iter().enumerate() {
            let columns = &equations.row_columns[place.entries.clone()];
            let mut entries = &rows.jacobian[place.entries.clone()];
            for &column in columns.iter().step_by(6).take_while(|column| **column < equations.columns.of_bodies()) {
                let Some((part, rest)) = entries.split_first_chunk::<6>() else { break };
                let turned = turn(column / 6, part);
                for k in 0..6 {
                    add(turned[k]);
                    add(-part[k]);
                }
                entries = rest;
            }
            for entry in entries {
                add(*entry);
                add(-entry);
            }
            add(compliance[row]);
        }
        if matrix.values().iter().any(|value| !value.is_finite()) {
            return Err(FactorError::Pivot { pivot: 0 });
        }
        if self.lu.is_none() {
            self.lu = Some(Lu::analyse(matrix, Threads::One)?);
        }
        match &mut self.lu {
            Some(lu) => lu.factorise(matrix),
            None => Ok(()),
        }
    }

    /// Replaces (r, s) by (z, μ).
    pub(crate) fn solve(&mut self, rhs: &mut [f64]) {
        if let Some(lu) = &mut self.lu {
            lu.solve_in_place(rhs);
        }
    }

    /// rhs −= the matrix with E = 0, times x.
    pub(crate) fn subtract_rigid(&self, x: &[f64], rhs: &mut [f64]) {
        self.matrix.mul_add(-1.0, x, rhs);
        let n = self.dimension;
        for (row, compliance) in self.compliance.iter().enumerate() {
            rhs[n + row] += compliance * x[n + row];
        }
    }
}

/// Calls `entry(i, j, k, l)` for all entries of a pair's 12 × 12 block: i, j in the matrix, k, l in the block.
pub(crate) fn for_each_entry(pair: &[Option<usize>; 2], mut entry: impl FnMut(usize, usize, usize, usize)) {
    for (side, first) in pair.iter().enumerate() {
        for (other, second) in pair.iter().enumerate() {
            let (Some(i), Some(j)) = (*first, *second) else { continue };
            (0..36).for_each(|e| entry(i + e / 6, j + e % 6, 6 * side + e / 6, 6 * other + e % 6));
        }
    }
}
