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
use signorini_linalg::{Halves, Sides, SolveSpace, SparseFactor, Threads};
use std::ops::Range;

/// Up to so many rows the diagonal is exact.
const EXACT_ROWS: usize = 300;
/// Blocks that are exact where rows are more.
const SAMPLED_BLOCKS: usize = 16;
/// Tasks that the exact blocks are shared between.
const TASKS: usize = 16;

/// Room for the diagonal, kept for the next problem.
#[derive(Default)]
pub(super) struct SparseDiagonal {
    /// Blocks that are exact, and where their rows begin in `exact`.
    sample: Vec<usize>,
    start: Vec<usize>,
    exact: Vec<f64>,
    /// 1/H_cc.
    inverse: Vec<f64>,
    tasks: Vec<Task>,
}

/// Room for one block at a time.
#[derive(Default)]
struct Task {
    space: SolveSpace,
    sides: Sides,
    products: Vec<f64>,
}

impl SparseDiagonal {
    /// jH⁻¹jᵀ of every row, exact or estimated.
    pub(super) fn compute(&mut self, factor: &SparseFactor, problem: &ConeProblem, threads: Threads, out: &mut [f64]) {
        let Inertia::Sparse(inertia) = problem.inertia() else { return };
        let (rows, blocks) = (problem.rows(), problem.blocks());
        let all = rows.nrows() <= EXACT_ROWS || blocks <= SAMPLED_BLOCKS;
        self.sample_blocks(problem, if all { blocks } else { SAMPLED_BLOCKS });
        self.solve_sample(factor, problem, threads);
        let Self { sample, start, exact, inverse, .. } = self;
        if !all {
            inverse.clear();
            inverse.extend((0..inertia.nrows()).map(|row| 1.0 / inertia.get(row, row)));
            for k in 0..blocks {
                let block = rows.block(k);
                for (r, out) in out[rows.rows_of(k)].iter_mut().enumerate() {
                    *out = block.columns.iter().zip(block.row(r)).map(|(&c, j)| j * j * inverse[c]).sum();
                }
            }
            let estimated: f64 = sample.iter().map(|&k| out[rows.rows_of(k)].iter().sum::<f64>()).sum();
            let truth: f64 = exact.iter().sum();
            // Zero where the sample consists of empty rows.
            let scale = if estimated > 0.0 { truth / estimated } else { 1.0 };
            out.iter_mut().for_each(|out| *out *= scale);
        }
        for (&k, at) in sample.iter().zip(start.windows(2)) {
            out[rows.rows_of(k)].copy_from_slice(&exact[at[0]..at[1]]);
        }
    }

    /// The middle of each of `count` equal parts of the list of blocks.
    fn sample_blocks(&mut self, problem: &ConeProblem, count: usize) {
        let Self { sample, start, exact, .. } = self;
        sample.clear();
        sample.extend((0..count).map(|i| (2 * i + 1) * problem.blocks() / (2 * count)));
        start.clear();
        start.push(0);
        let mut end = 0;
        start.extend(sample.iter().map(|&k| {
            end += problem.rows().rows_of(k).len();
            end
        }));
        exact.resize(end, 0.0);
    }

    /// The exact diagonal of the sampled blocks. One thread has one room for all of them.
    fn solve_sample(&mut self, factor: &SparseFactor, problem: &ConeProblem, threads: Threads) {
        let Self { sample, start, exact, tasks, .. } = self;
        let count = if threads == Threads::Pool { TASKS.min(sample.len()) } else { 1 };
        if tasks.len() < count {
            tasks.resize_with(count, Task::default);
        }
        let first = |task: usize| task * sample.len() / count;
        let work = |range: Range<usize>, (tasks, mut exact): Part<'_>| {
            for (at, task) in range.zip(tasks) {
                for i in first(at)..first(at + 1) {
                    let (own, rest) = exact.split_at_mut(start[i + 1] - start[i]);
                    exact = rest;
                    task.solve(factor, problem, sample[i], own);
                }
            }
        };
        let split = |part, range: &Range<usize>, middle: usize| {
            split_part(part, middle - range.start, start[first(middle)] - start[first(range.start)])
        };
        Halves::new(1, threads).run(0..count, (&mut tasks[..count], &mut exact[..]), &split, &work, &|(), ()| ());
    }
}

/// Some tasks with what they find.
type Part<'a> = (&'a mut [Task], &'a mut [f64]);

fn split_part((tasks, exact): Part<'_>, task: usize, row: usize) -> (Part<'_>, Part<'_>) {
    let ((a, b), (c, d)) = (tasks.split_at_mut(task), exact.split_at_mut(row));
    ((a, c), (b, d))
}

impl Task {
    /// The diagonal of one block.
    fn solve(&mut self, factor: &SparseFactor, problem: &ConeProblem, k: usize, out: &mut [f64]) {
        let block = problem.rows().block(k);
        let Self { space, sides, products } = self;
        space.reset(factor.analysis(), block.columns.iter().copied(), block.rows.max(1));
        sides.clear();
        (0..block.rows).for_each(|r| sides.push(block.columns.iter().copied().zip(block.row(r).iter().copied())));
        factor.gram(sides, space, products);
        out.iter_mut().zip(products.iter().step_by(block.rows + 1)).for_each(|(out, energy)| *out = *energy);
    }
}
