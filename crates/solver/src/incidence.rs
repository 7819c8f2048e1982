//! Which blocks of rows act on which body: Jᵀ by bodies.
//!
//! Jᵀg by blocks adds into velocities that other blocks add into as well. By bodies, each body adds up what its own blocks do to
//! it, in the order of the blocks: bodies can be shared between threads, and the sums are those of one thread to the bit.
//!
//! The lists are a counting sort by body. Blocks are cut into chunks, which do not change the lists. Each chunk counts its
//! parts by body, so that it knows where the parts of earlier chunks end; then each chunk writes its own.

use crate::problem::{ConeProblem, RIGID};
use signorini_linalg::Halves;
use signorini_linalg::Threads;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// For every body the parts of blocks that act on it, in the order of the blocks.
#[derive(Default)]
pub(crate) struct Incidence {
    /// First part of every body, and their number at the end.
    start: Vec<usize>,
    parts: Vec<Part>,
    /// Parts of each body in each chunk, then where the next one goes: body by body.
    counts: Vec<AtomicU32>,
}

/// Neighbouring columns of a block that belong to one body: the block, and where they begin in its columns. Written once by one
/// thread, read when all are written.
#[derive(Default)]
struct Part(AtomicU64);

impl Part {
    fn set(&self, block: usize, at: usize) {
        self.0.store(((block as u64) << 32) | at as u64, Ordering::Relaxed);
    }
    fn get(&self) -> (usize, usize) {
        let both = self.0.load(Ordering::Relaxed);
        ((both >> 32) as usize, (both & u64::from(u32::MAX)) as usize)
    }
}

/// Blocks of a chunk, at least; and chunks at most.
const CHUNK: usize = 4096;
const MOST_CHUNKS: usize = 32;
/// Bodies one task works on.
const BODIES: usize = 1024;

impl Incidence {
    /// Becomes that of a problem; `body_of` is the body of every velocity.
    pub(crate) fn update(&mut self, problem: &ConeProblem, body_of: &[u32], threads: Threads) {
        let Self { start, parts, counts } = self;
        let (blocks, bodies) = (problem.rows().len(), problem.bodies());
        // The lists are the same however many chunks there are: as many as threads can use.
        let most = match threads {
            Threads::Pool => MOST_CHUNKS.min(2 * rayon::current_num_threads() - 1),
            Threads::One => 1,
        };
        let chunks = (blocks / CHUNK).clamp(1, most);
        let blocks_of = |chunk: usize| chunk * blocks / chunks..(chunk + 1) * blocks / chunks;
        let (by_chunk, by_body) = (Halves::new(1, threads), Halves::new(BODIES, threads));
        counts.resize_with(chunks * bodies, AtomicU32::default);
        by_body.each(counts, &|_, count| *count.get_mut() = 0);
        let place = |chunk: usize, body: usize| &counts[body * chunks + chunk];
        by_chunk.for_ranges(chunks, &|range: Range<usize>| {
            for chunk in range {
                each_part(problem, body_of, blocks_of(chunk), |body, _, _| {
                    let count = place(chunk, body);
                    count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                });
            }
        });
        by_body.starts(bodies, start, &|body| {
            (0..chunks).map(|chunk| place(chunk, body).load(Ordering::Relaxed) as usize).sum()
        });
        by_body.for_ranges(bodies, &|range: Range<usize>| {
            for body in range {
                let mut next = start[body] as u32;
                for chunk in 0..chunks {
                    next += place(chunk, body).swap(next, Ordering::Relaxed);
                }
            }
        });
        parts.resize_with(start[bodies], Part::default);
        let parts = &*parts;
        by_chunk.for_ranges(chunks, &|range: Range<usize>| {
            for chunk in range {
                each_part(problem, body_of, blocks_of(chunk), |body, block, at| {
                    let next = place(chunk, body);
                    let to = next.load(Ordering::Relaxed);
                    next.store(to + 1, Ordering::Relaxed);
                    parts[to as usize].set(block, at);
                });
            }
        });
    }

    /// Adds Jᵀg of one body to `sum` and Σ|J||g| to `size`, both of the body's velocities only.
    #[inline]
    pub(crate) fn add(&self, problem: &ConeProblem, body: usize, g: &[f64], sum: &mut [f64], size: &mut [f64]) {
        let (rows, body_start) = (problem.rows(), problem.body_start());
        for part in &self.parts[self.start[body]..self.start[body + 1]] {
            let (k, at) = part.get();
            let g = &g[rows.rows_of(k)];
            // An open contact has no force.
            if g.iter().all(|g| *g == 0.0) {
                continue;
            }
            let block = rows.block(k);
            let count = count_of_part(block.columns, at, body_start[body + 1]);
            let first = block.columns[at] - body_start[body];
            let lines = block.values.chunks_exact(block.columns.len()).map(|line| &line[at..at + count]);
            if let (RIGID, Some(sum), Some(size)) =
                (count, sum[first..].first_chunk_mut::<RIGID>(), size[first..].first_chunk_mut::<RIGID>())
            {
                let lines = lines.filter_map(|line| line.first_chunk::<RIGID>()).zip(g);
                // Nor has a tangent of a contact without friction.
                for (line, g) in lines.filter(|(_, g)| **g != 0.0) {
                    for i in 0..RIGID {
                        let part = line[i] * g;
                        sum[i] += part;
                        size[i] += part.abs();
                    }
                }
                continue;
            }
            let (sum, size) = (&mut sum[first..first + count], &mut size[first..first + count]);
            for (line, g) in lines.zip(g) {
                for ((value, sum), size) in line.iter().zip(&mut *sum).zip(&mut *size) {
                    let part = value * g;
                    *sum += part;
                    *size += part.abs();
                }
            }
        }
    }
}

/// How many columns from `at` on are neighbours and below `end`, where their body ends.
#[inline]
fn count_of_part(columns: &[usize], at: usize, end: usize) -> usize {
    let first = columns[at];
    // Columns ascend: six of them that end five further on are neighbours.
    if first + RIGID == end && columns.get(at + RIGID - 1) == Some(&(end - 1)) {
        return RIGID;
    }
    columns[at..].iter().zip(first..end).take_while(|(column, expected)| **column == *expected).count()
}

/// `found(body, block, where its columns begin)` for every part of some blocks, in their order.
fn each_part(problem: &ConeProblem, body_of: &[u32], blocks: Range<usize>, mut found: impl FnMut(usize, usize, usize)) {
    let (body_start, order) = (problem.body_start(), problem.order());
    for k in blocks {
        if let Some((first, second)) = order.and_then(|order| order.plain(k)) {
            found(first, k, 0);
            if let Some(second) = second {
                found(second, k, RIGID);
            }
            continue;
        }
        let columns = problem.rows().block(k).columns;
        let mut at = 0;
        while at < columns.len() {
            let body = body_of[columns[at]] as usize;
            found(body, k, at);
            at += count_of_part(columns, at, body_start[body + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::body_of_velocities;
    use crate::family::{Chain, Net, RandomProblem, SpherePacking};

    /// Jᵀg body by body against J by blocks, and the same bits for any number of threads; the packing has several chunks.
    #[test]
    fn bodies_add_up_what_blocks_do_to_them() {
        let mut problems = vec![
            SpherePacking { bodies: 3000, ..Default::default() }.problem().unwrap(),
            Net::default().problem().unwrap(),
            Chain::default().problem().unwrap(),
        ];
        problems.extend((0..10).map(|seed| {
            RandomProblem { bodies: 5, blocks: 9, seed, ..Default::default() }.generate().unwrap().problem
        }));
        assert!(problems[0].rows().len() >= 2 * CHUNK, "{} blocks", problems[0].rows().len());
        let mut incidence = Incidence::default();
        for problem in &problems {
            let g: Vec<f64> = (0..problem.row_count()).map(|i| (1.3 * i as f64).cos()).collect();
            let (mut expected, mut body_of) = (vec![0.0; problem.velocities()], Vec::new());
            problem.rows().mul_transpose_add(1.0, &g, &mut expected);
            body_of_velocities(problem.body_start(), &mut body_of);
            let mut sums = [Threads::One, Threads::Pool].map(|threads| {
                incidence.update(problem, &body_of, threads);
                let (mut sum, mut size) = (vec![0.0; expected.len()], vec![0.0; expected.len()]);
                for (body, at) in problem.body_start().windows(2).enumerate() {
                    incidence.add(problem, body, &g, &mut sum[at[0]..at[1]], &mut size[at[0]..at[1]]);
                }
                assert!(sum.iter().zip(&size).all(|(sum, size)| sum.abs() <= size * (1.0 + 1e-12)));
                sum
            });
            let largest = expected.iter().fold(1.0_f64, |m, p| m.max(p.abs()));
            let apart = sums[0].iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart <= 1e-13 * largest, "{apart:e}");
            assert!(std::mem::take(&mut sums[0]) == sums[1], "threads change bits");
        }
    }
}
