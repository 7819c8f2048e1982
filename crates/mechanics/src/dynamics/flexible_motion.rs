//! H and c of models with flexible bodies: one sparse matrix whose pattern stays the same.
//!
//! ```text
//! H = M + h R + h² K        bodies first: 6 × 6 blocks, full blocks where a force couples two; then nodes: 3 × 3 blocks where
//! c = −[M v + h (f + R v)]  they share an element
//! ```
//!
//! Newton's method of implicit Euler has f, K and R at nodes d ahead of the start, and c = −[M v + h (f + R v + K d)].
//!
//! Tangents of elements are the positive ones, so H stays positive definite whatever the step.

use crate::dynamics::columns::Columns;
use crate::flexible::assembly::{Ask, Assembly, Sums, neighbours};
use crate::flexible::element::Tangent;
use crate::flexible::field::{Failure, Field};
use crate::{Model, State, Vec3};
use signorini_linalg::{CscMatrix, SparseAnalysis};
use signorini_solver::problem::{BlockDiagonal, SparseInertia};
use std::sync::Arc;

/// What is kept from step to step.
pub(crate) struct FlexibleMotion {
    /// H.
    matrix: CscMatrix,
    /// How far ahead of the start of the step elements are linearised \[m\]: room, filled by each assembly.
    ahead: Vec<Vec3>,
    /// Of H's pattern, once it was factorised.
    analysis: Option<Arc<SparseAnalysis>>,
    /// M and α M, as values of that pattern.
    mass: Vec<f64>,
    mass_damping: Vec<f64>,
    assembly: Assembly,
    force: Vec<Vec3>,
    resistance: Vec<Vec3>,
}

impl FlexibleMotion {
    /// `None` for a model of rigid bodies.
    pub(crate) fn new(model: &Model, columns: &Columns, parallel: bool) -> Option<Self> {
        let field = model.field();
        if field.is_empty() {
            return None;
        }
        let matrix = pattern(model, columns);
        let assembly = Assembly::new(field, &matrix, |node| columns.of_node(node), parallel);
        let (force, resistance) = (vec![Vec3::ZERO; field.nodes()], vec![Vec3::ZERO; field.nodes()]);
        let [mass, mass_damping] = mass_values(field, &matrix, |node| columns.of_node(node));
        Some(Self { ahead: Vec::new(), matrix, analysis: None, mass, mass_damping, assembly, force, resistance })
    }

    /// H of a step, from that of the bodies: their blocks and what couples them; appends momenta M v + h (f + R v) of nodes to
    /// `linear`. Forces are those at `time`; elements are linearised where nodes are in `guess`, which is empty for where the step
    /// starts.
    pub(crate) fn assemble(
        &mut self,
        (model, columns): (&Model, &Columns),
        state: &State,
        guess: &[Vec3],
        (h, time): (f64, f64),
        (blocks, coupling): (&BlockDiagonal, &[(usize, usize, f64)]),
        linear: &mut Vec<f64>,
    ) -> Result<SparseInertia, Failure> {
        let Self { matrix, ahead, analysis, mass, mass_damping, assembly, force, resistance } = self;
        let field = model.field();
        let both = mass.iter().zip(&*mass_damping);
        matrix.values_mut().iter_mut().zip(both).for_each(|(value, (mass, damping))| *value = mass + h * damping);
        loads(model, &state.nodes, time, force);
        resistance.fill(Vec3::ZERO);
        let (places, ahead) = if guess.is_empty() {
            (state.nodes.as_slice(), None)
        } else {
            ahead.clear();
            ahead.extend(guess.iter().zip(&state.nodes).map(|(guess, start)| *guess - *start));
            (guess, Some(ahead.as_slice()))
        };
        let ask = Ask { tangent: Tangent::Positive, scales: [h * h, h], ahead };
        let sums = Sums { force, resistance, values: matrix.values_mut() };
        assembly.run(field, places, &state.node_velocities, ask, sums)?;
        // Momenta, in the place of forces: M v + h (f + R v). α M v is part of both f and R v.
        for (force, resistance) in force.iter_mut().zip(&*resistance) {
            *force = h * (*force + *resistance);
        }
        field.add_mass_times(&state.node_velocities, 1.0, force);
        columns.gather_nodes(force, linear);
        for block in 0..blocks.len() {
            let values = blocks.block(block);
            (0..36).for_each(|e| add(matrix, 6 * block + e / 6, 6 * block + e % 6, values[e]));
        }
        coupling.iter().for_each(|&(row, column, value)| add(matrix, row, column, value));
        Ok(match analysis {
            Some(analysis) => SparseInertia::with(matrix.clone(), analysis),
            None => SparseInertia::new(matrix.clone()),
        })
    }

    /// Keeps the analysis of the first H that was factorised.
    pub(crate) fn keep_analysis(&mut self, inertia: &SparseInertia) {
        if self.analysis.is_none() {
            self.analysis = inertia.analysis().cloned();
        }
    }
}

/// Forces on nodes that no element makes \[N\]: gravity and loads.
pub(crate) fn loads(model: &Model, nodes: &[Vec3], time: f64, force: &mut [Vec3]) {
    let field = model.field();
    for (force, mass) in force.iter_mut().zip(&field.mass) {
        *force = *mass * model.gravity();
    }
    for (_, load) in model.flexible_loads() {
        load.add_to(field, nodes, time, force);
    }
}

fn add(matrix: &mut CscMatrix, row: usize, column: usize, value: f64) {
    let Some(at) = matrix.position(row, column) else {
        unreachable!(
            "`pattern` has a full block for every body and every pair a force couples, so also ({row}, {column})"
        )
    };
    matrix.values_mut()[at] += value;
}

/// Appends the columns of all nodes that have some, in compressed form.
pub(crate) fn push_node_columns(
    field: &Field,
    column: impl Fn(usize) -> Option<usize>,
    col_ptr: &mut Vec<usize>,
    rows: &mut Vec<usize>,
) {
    for list in neighbours(field, &column) {
        // Nodes that are fixed have none.
        for _ in 0..if list.is_empty() { 0 } else { 3 } {
            let places = list.iter().filter_map(|&node| column(node as usize));
            rows.extend(places.flat_map(|first| first..first + 3));
            col_ptr.push(rows.len());
        }
    }
}

/// M and α M of nodes, as values of a pattern.
pub(crate) fn mass_values(
    field: &Field,
    pattern: &CscMatrix,
    column: impl Fn(usize) -> Option<usize>,
) -> [Vec<f64>; 2] {
    let mut both = [vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]];
    let mut put = |row: usize, column: usize, value: f64, alpha: f64| {
        if let Some(at) = pattern.position(row, column) {
            both[0][at] += value;
            both[1][at] += alpha * value;
        }
    };
    for (node, &mass) in field.mass_diagonal.iter().enumerate() {
        let Some(at) = column(node) else { continue };
        (0..3).for_each(|k| put(at + k, at + k, mass, field.mass_damping[node]));
    }
    for &(a, b, mass) in &field.mass_pairs {
        let (a, b) = (a as usize, b as usize);
        let (Some(i), Some(j)) = (column(a), column(b)) else { continue };
        for k in 0..3 {
            put(i + k, j + k, mass, field.mass_damping[a]);
            put(j + k, i + k, mass, field.mass_damping[a]);
        }
    }
    both
}

/// The pattern of H, all values 0.
fn pattern(model: &Model, columns: &Columns) -> CscMatrix {
    let mut partners: Vec<Vec<usize>> = (0..columns.of_bodies() / 6).map(|k| vec![6 * k]).collect();
    for (_, force) in model.forces() {
        if let [Some(a), Some(b)] = force.bodies().map(|body| columns.of(body.index())) {
            partners[a / 6].push(b);
            partners[b / 6].push(a);
        }
    }
    let (mut col_ptr, mut rows) = (vec![0], Vec::new());
    for mut list in partners {
        list.sort_unstable();
        list.dedup();
        for _ in 0..6 {
            rows.extend(list.iter().flat_map(|&first| first..first + 6));
            col_ptr.push(rows.len());
        }
    }
    push_node_columns(model.field(), |node| columns.of_node(node), &mut col_ptr, &mut rows);
    let (n, values) = (columns.dimension(), vec![0.0; rows.len()]);
    match CscMatrix::from_compressed_columns(n, n, &col_ptr, &rows, &values) {
        Ok(pattern) => pattern,
        Err(error) => unreachable!("every column of {n} is closed once, rows are columns of bodies and nodes: {error}"),
    }
}
