//! The diagonal of N = J H⁻¹ Jᵀ for a sparse H.
//!
//! jH⁻¹jᵀ = ‖L⁻¹Pjᵀ‖² for a row j of J: a forward solve along the path from the nodes of the row to the root of the elimination
//! tree. That is exact and done for every row where rows are few. Where they are many (finite elements on a floor) it would
//! cost more than the factor, and the diagonal is needed as a scale only: of the step ρ of the natural map, of the blocks
//! against each other, of regularisation. So [`SAMPLED_BLOCKS`] blocks spread evenly over the list are exact, and the others
//! are the estimate s Σ_c j_c²/H_cc with one s for all, which makes estimate and truth of the sample add up to the same:
//!
//! ```text
//! s = Σ_sample jH⁻¹jᵀ / Σ_sample Σ_c j_c²/H_cc
//! ```

use crate::problem::{ConeProblem, Inertia};
use rayon::prelude::*;
use signorini_linalg::{Reach, SolveSpace, SparseFactor};
use std::sync::Arc;

/// Up to so many rows the diagonal is exact.
const EXACT_ROWS: usize = 300;
/// Blocks that are exact where rows are more.
const SAMPLED_BLOCKS: usize = 16;

/// jH⁻¹jᵀ of every row, exact or estimated.
pub(super) fn energies(factor: &SparseFactor, problem: &ConeProblem, out: &mut [f64]) {
    let (rows, blocks) = (problem.rows(), problem.blocks());
    let all = rows.nrows() <= EXACT_ROWS || blocks <= SAMPLED_BLOCKS;
    let count = if all { blocks } else { SAMPLED_BLOCKS };
    // The middle of each of `count` equal parts of the list.
    let sample: Vec<usize> = (0..count).map(|i| (2 * i + 1) * blocks / (2 * count)).collect();
    let exact: Vec<Vec<f64>> = sample.par_iter().map(|&k| of_block(factor, problem, k)).collect();
    let Inertia::Sparse(inertia) = problem.inertia() else { return };
    if !all {
        let inverse: Vec<f64> = inertia.diagonal_entries().iter().map(|h| 1.0 / h).collect();
        for k in 0..blocks {
            let block = rows.block(k);
            for (r, out) in out[rows.rows_of(k)].iter_mut().enumerate() {
                *out = block.columns.iter().zip(block.row(r)).map(|(&c, j)| j * j * inverse[c]).sum();
            }
        }
        let estimated: f64 = sample.iter().map(|&k| out[rows.rows_of(k)].iter().sum::<f64>()).sum();
        let truth: f64 = exact.iter().flatten().sum();
        // Zero where the sample consists of empty rows.
        let scale = if estimated > 0.0 { truth / estimated } else { 1.0 };
        out.iter_mut().for_each(|out| *out *= scale);
    }
    for (&k, exact) in sample.iter().zip(&exact) {
        out[rows.rows_of(k)].copy_from_slice(exact);
    }
}

fn of_block(factor: &SparseFactor, problem: &ConeProblem, k: usize) -> Vec<f64> {
    let block = problem.rows().block(k);
    let reach = Reach::of(factor.analysis(), block.columns.iter().copied());
    let mut space = SolveSpace::new(Arc::new(reach), block.rows.max(1));
    let sides: Vec<Vec<(usize, f64)>> =
        (0..block.rows).map(|r| block.columns.iter().copied().zip(block.row(r).iter().copied()).collect()).collect();
    factor.gram(&sides, &mut space).into_iter().step_by(block.rows + 1).collect()
}
