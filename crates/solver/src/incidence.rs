//! Which blocks of rows act on which body: Jᵀ by bodies.
//!
//! Jᵀg by blocks adds into velocities that other blocks add into as well. By bodies, each body adds up what its own blocks do to
//! it, in the order of the blocks: bodies can be shared between threads, and the sums are those of one thread to the bit.

use crate::problem::ConeProblem;

/// For every body the parts of blocks that act on it, in the order of the blocks.
#[derive(Default)]
pub(crate) struct Incidence {
    /// First entry of every body, and their number at the end.
    start: Vec<usize>,
    entries: Vec<Entry>,
}

/// Neighbouring columns of a block that belong to one body.
#[derive(Clone, Copy)]
struct Entry {
    block: u32,
    /// Where they begin in the columns of the block.
    at: u32,
    /// The first of them, counted from the first velocity of the body.
    first: u32,
    count: u32,
}

impl Incidence {
    /// Becomes that of a problem; `body_of` is the body of every velocity.
    pub(crate) fn update(&mut self, problem: &ConeProblem, body_of: &[u32]) {
        let Self { start, entries } = self;
        start.clear();
        start.resize(problem.bodies() + 2, 0);
        each_part(problem, body_of, |body, _| start[body + 2] += 1);
        for body in 0..problem.bodies() {
            start[body + 2] += start[body + 1];
        }
        let total = start[problem.bodies() + 1];
        entries.clear();
        entries.resize(total, Entry { block: 0, at: 0, first: 0, count: 0 });
        // Counted two places ahead: after this pass entry b is where body b begins.
        each_part(problem, body_of, |body, entry| {
            entries[start[body + 1]] = entry;
            start[body + 1] += 1;
        });
        start.truncate(problem.bodies() + 1);
    }

    /// Adds Jᵀg of one body to `sum` and Σ|J||g| to `size`, both of the body's velocities only.
    #[inline]
    pub(crate) fn add(&self, problem: &ConeProblem, body: usize, g: &[f64], sum: &mut [f64], size: &mut [f64]) {
        let rows = problem.rows();
        for entry in &self.entries[self.start[body]..self.start[body + 1]] {
            let k = entry.block as usize;
            let g = &g[rows.rows_of(k)];
            // An open contact has no force.
            if g.iter().all(|g| *g == 0.0) {
                continue;
            }
            let block = rows.block(k);
            let (at, first, count) = (entry.at as usize, entry.first as usize, entry.count as usize);
            let (sum, size) = (&mut sum[first..first + count], &mut size[first..first + count]);
            for (line, g) in block.values.chunks_exact(block.columns.len()).zip(g) {
                for ((value, sum), size) in line[at..at + count].iter().zip(&mut *sum).zip(&mut *size) {
                    let part = value * g;
                    *sum += part;
                    *size += part.abs();
                }
            }
        }
    }
}

/// `found(body, part)` for every part of every block, in the order of the blocks.
fn each_part(problem: &ConeProblem, body_of: &[u32], mut found: impl FnMut(usize, Entry)) {
    let body_start = problem.body_start();
    for k in 0..problem.rows().len() {
        let columns = problem.rows().block(k).columns;
        let mut at = 0;
        while at < columns.len() {
            let body = body_of[columns[at]] as usize;
            let end = body_start[body + 1];
            let run = columns[at..].iter().zip(columns[at]..end).take_while(|(column, expected)| **column == *expected);
            let count = run.count();
            let first = (columns[at] - body_start[body]) as u32;
            found(body, Entry { block: k as u32, at: at as u32, first, count: count as u32 });
            at += count;
        }
    }
}
