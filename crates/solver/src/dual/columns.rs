//! Work on velocities and momenta: the bodies cut into chunks that do not depend on the number of threads.

use super::jacobian::split_all;
use signorini_linalg::Threads;
use std::ops::Range;

/// Velocities of a chunk, about: eight vectors of them fit in a core's own cache.
const CHUNK: usize = 2048;
/// Fewer velocities are not worth a second thread.
const THREADS_FROM: usize = 16384;

/// Where chunks begin, and the number of velocities. A chunk has whole bodies.
#[derive(Default)]
pub(super) struct Columns {
    bounds: Vec<usize>,
}

impl Columns {
    /// Becomes the chunks of other bodies, in the memory it has.
    pub(super) fn update(&mut self, body_start: &[usize]) {
        let bounds = &mut self.bounds;
        bounds.clear();
        bounds.push(0);
        let mut last = 0;
        for &start in body_start {
            if start >= last + CHUNK {
                bounds.push(start);
                last = start;
            }
        }
        let end = body_start.last().copied().unwrap_or(0);
        if last < end {
            bounds.push(end);
        }
    }

    /// `work(columns, these columns of each vector, sums)` for every chunk. Returns the sums, added in a fixed order.
    pub(super) fn each<const C: usize, const S: usize>(
        &self,
        vectors: [&mut [f64]; C],
        threads: Threads,
        work: &(impl Fn(Range<usize>, [&mut [f64]; C], &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        self.each_of(([], vectors), threads, &|columns, ([], vectors), sums| work(columns, vectors, sums))
    }

    /// The same with two lists of vectors.
    pub(super) fn each_of<const A: usize, const C: usize, const S: usize>(
        &self,
        vectors: ([&mut [f64]; A], [&mut [f64]; C]),
        threads: Threads,
        work: &(impl Fn(Range<usize>, ([&mut [f64]; A], [&mut [f64]; C]), &mut [f64; S]) + Sync),
    ) -> [f64; S] {
        let large = self.bounds.last().is_some_and(|end| *end >= THREADS_FROM);
        halves(&self.bounds, vectors, large && threads == Threads::Pool, work)
    }
}

/// Halves the chunks until one is left. Sums are added in the order of the halves, whoever computed them.
fn halves<const A: usize, const C: usize, const S: usize>(
    bounds: &[usize],
    (a, c): ([&mut [f64]; A], [&mut [f64]; C]),
    fork: bool,
    work: &(impl Fn(Range<usize>, ([&mut [f64]; A], [&mut [f64]; C]), &mut [f64; S]) + Sync),
) -> [f64; S] {
    let mut sums = [0.0; S];
    match *bounds {
        [] | [_] => {}
        [first, end] => work(first..end, (a, c), &mut sums),
        _ => {
            let middle = bounds.len() / 2;
            let at = bounds[middle] - bounds[0];
            let ((a, other_a), (c, other_c)) = (split_all(a, at), split_all(c, at));
            let (left, right) = (&bounds[..=middle], &bounds[middle..]);
            let (x, y) = match fork {
                true => {
                    rayon::join(|| halves(left, (a, c), fork, work), || halves(right, (other_a, other_c), fork, work))
                }
                false => (halves(left, (a, c), fork, work), halves(right, (other_a, other_c), fork, work)),
            };
            (0..S).for_each(|i| sums[i] = x[i] + y[i]);
        }
    }
    sums
}

/// Σ term(i), i < n, in four running sums: the order is fixed, and the compiler can use vector instructions.
#[inline]
pub(crate) fn lanes<const S: usize>(n: usize, mut term: impl FnMut(usize) -> [f64; S]) -> [f64; S] {
    let mut sums = [[0.0; 4]; S];
    for i in 0..n / 4 {
        for lane in 0..4 {
            let terms = term(4 * i + lane);
            (0..S).for_each(|s| sums[s][lane] += terms[s]);
        }
    }
    for i in n / 4 * 4..n {
        let terms = term(i);
        (0..S).for_each(|s| sums[s][i % 4] += terms[s]);
    }
    sums.map(|[a, b, c, d]| (a + b) + (c + d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_whole_bodies_and_every_column_once() {
        for bodies in [0, 1, 341, 342, 5000] {
            let start: Vec<usize> = (0..=bodies).map(|i| 6 * i).collect();
            let mut columns = Columns::default();
            columns.update(&start);
            let mut seen = vec![0.0; 6 * bodies];
            let [count] = columns.each([&mut seen], Threads::Pool, &|range, [seen], [count]: &mut [f64; 1]| {
                assert!(range.start % 6 == 0 && range.len() == seen.len());
                seen.iter_mut().for_each(|x| *x += 1.0);
                *count += seen.len() as f64;
            });
            assert!(seen.iter().all(|x| *x == 1.0) && count as usize == 6 * bodies, "{bodies} bodies");
        }
    }

    #[test]
    fn lanes_add_every_term() {
        for n in 0..20 {
            assert_eq!(lanes(n, |i| [1.0, i as f64]), [n as f64, (n * n.saturating_sub(1) / 2) as f64]);
        }
    }
}
