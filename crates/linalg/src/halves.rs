//! Work on many items, divided into halves that threads may take.
//!
//! The tree of halves depends on the number of items and on the grain alone, never on the number of threads; sums are added
//! along that tree. So any number of threads gives the same bits.

use crate::Threads;
use std::ops::Range;

/// Work on `0..count` items, cut into ranges of at most `grain` items.
#[derive(Clone, Copy)]
pub struct Halves {
    /// Most items one call of the work sees.
    grain: usize,
    /// Whether halves may go to other threads.
    fork: bool,
}

impl Halves {
    /// Ranges of `grain` items, shared between threads where these are allowed.
    #[must_use]
    pub fn new(grain: usize, threads: Threads) -> Self {
        Self { grain, fork: threads == Threads::Pool }
    }

    /// `work(range, state)` for every range; `split(state, middle)` divides the state of a range at an item, `join` adds what
    /// two neighbouring ranges came to.
    pub fn run<T: Send, R: Send>(
        self,
        range: Range<usize>,
        state: T,
        split: &(impl Fn(T, &Range<usize>, usize) -> (T, T) + Sync),
        work: &(impl Fn(Range<usize>, T) -> R + Sync),
        join: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        if range.len() <= self.grain.max(1) {
            return work(range, state);
        }
        let middle = range.start + range.len() / 2;
        let (left, right) = split(state, &range, middle);
        let (first, second) = (range.start..middle, middle..range.end);
        let (a, b) = if self.fork {
            rayon::join(|| self.run(first, left, split, work, join), || self.run(second, right, split, work, join))
        } else {
            (self.run(first, left, split, work, join), self.run(second, right, split, work, join))
        };
        join(a, b)
    }

    /// `work(item, its part of values)` for items whose parts of `values` begin at `start` (one more entry at the end).
    pub fn parts<V: Send>(self, start: &[usize], values: &mut [V], work: &(impl Fn(usize, &mut [V]) + Sync)) {
        let count = start.len().saturating_sub(1);
        self.run(
            0..count,
            values,
            &|values, range, middle| values.split_at_mut(start[middle] - start[range.start]),
            &|range, mut values| {
                for item in range {
                    let (own, rest) = values.split_at_mut(start[item + 1] - start[item]);
                    work(item, own);
                    values = rest;
                }
            },
            &|(), ()| (),
        );
    }

    /// `work(range)` for ranges of at most `grain` items of `0..count`.
    pub fn for_ranges(self, count: usize, work: &(impl Fn(Range<usize>) + Sync)) {
        self.total(count, work, &|(), ()| ());
    }

    /// What ranges of at most `grain` items of `0..count` come to, added up along the tree.
    pub fn total<R: Send>(
        self,
        count: usize,
        work: &(impl Fn(Range<usize>) -> R + Sync),
        join: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        self.run(0..count, (), &|(), _, _| ((), ()), &|range, ()| work(range), join)
    }

    /// Makes `to` a copy of `from`, in the memory it has.
    pub fn copy<V: Copy + Default + Send + Sync>(self, from: &[V], to: &mut Vec<V>) {
        to.resize(from.len(), V::default());
        self.run(
            0..from.len(),
            &mut to[..],
            &|to, range, middle| to.split_at_mut(middle - range.start),
            &|range, to| to.copy_from_slice(&from[range]),
            &|(), ()| (),
        );
    }

    /// Where parts of these sizes begin when they lie one after the other, and where the last one ends.
    pub fn starts(self, count: usize, start: &mut Vec<usize>, size: &(impl Fn(usize) -> usize + Sync)) {
        start.clear();
        start.resize(count + 1, 0);
        self.each(&mut start[1..], &|item, own| *own = size(item));
        let mut end = 0;
        for own in &mut start[1..] {
            end += *own;
            *own = end;
        }
    }

    /// `work(item, its value)` for one value per item.
    pub fn each<V: Send>(self, values: &mut [V], work: &(impl Fn(usize, &mut V) + Sync)) {
        self.run(
            0..values.len(),
            values,
            &|values, range, middle| values.split_at_mut(middle - range.start),
            &|range, values| range.zip(values).for_each(|(item, value)| work(item, value)),
            &|(), ()| (),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_seen_once_and_sums_do_not_depend_on_threads() {
        let values: Vec<f64> = (0..1000).map(|i| 1.0 / (1.0 + f64::from(i))).collect();
        let sum = |threads| {
            let work = |range: Range<usize>, values: &[f64]| values[..range.len()].iter().sum::<f64>();
            let split = |values, range: &Range<usize>, middle: usize| <[f64]>::split_at(values, middle - range.start);
            Halves::new(7, threads).run(0..1000, &values[..], &split, &work, &|a, b| a + b)
        };
        assert_eq!(sum(Threads::One).to_bits(), sum(Threads::Pool).to_bits());
        assert!((sum(Threads::One) - 7.485_470_860_550_345).abs() < 1e-12);
        let start: Vec<usize> = (0..=100).map(|i| i * (i + 1) / 2).collect();
        let mut seen = vec![0_u32; 5050];
        Halves::new(3, Threads::Pool).parts(&start, &mut seen, &|item, part| {
            assert_eq!(part.len(), item + 1);
            part.iter_mut().for_each(|seen| *seen += 1);
        });
        assert!(seen.iter().all(|seen| *seen == 1));
    }

    #[test]
    fn starts_totals_and_copies_are_those_of_a_loop() {
        for (count, threads) in [(0, Threads::One), (1, Threads::Pool), (1000, Threads::One), (1000, Threads::Pool)] {
            let halves = Halves::new(7, threads);
            let mut start = vec![9; 3];
            halves.starts(count, &mut start, &|item| item % 3);
            let expected: Vec<usize> = (0..=count).map(|end| (0..end).map(|item| item % 3).sum()).collect();
            assert_eq!(start, expected);
            assert_eq!(halves.total(count, &|range| range.sum::<usize>(), &|a, b| a + b), (0..count).sum());
            let mut copy = vec![1_usize; 5];
            halves.copy(&start, &mut copy);
            assert_eq!(copy, start);
        }
    }
}
