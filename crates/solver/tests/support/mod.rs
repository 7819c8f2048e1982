//! The dense matrices of a problem, read from its public parts, for the oracles of `signorini-testkit`.

use signorini_solver::ConeProblem;
use signorini_solver::problem::Compliance;

/// H, J and the diagonal of E.
pub(crate) struct DenseParts {
    pub(crate) h: Vec<Vec<f64>>,
    pub(crate) j: Vec<Vec<f64>>,
    pub(crate) e: Vec<f64>,
}

impl DenseParts {
    pub(crate) fn new(problem: &ConeProblem) -> Self {
        let n = problem.velocities();
        let mut h = vec![vec![0.0; n]; n];
        problem.inertia().triplets().into_iter().for_each(|(row, column, value)| h[row][column] += value);
        let mut j = vec![vec![0.0; n]; problem.row_count()];
        for k in 0..problem.blocks() {
            let block = problem.rows().block(k);
            for (r, row) in problem.rows().rows_of(k).enumerate() {
                block.columns.iter().zip(block.row(r)).for_each(|(&column, value)| j[row][column] = *value);
            }
        }
        let e = match problem.compliance() {
            Compliance::Diagonal(e) => e.clone(),
            _ => vec![0.0; problem.row_count()],
        };
        Self { h, j, e }
    }
}
