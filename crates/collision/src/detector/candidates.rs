//! Pairs to be tested: for every collider A the sorted list of colliders B > A.

use crate::broad::Pairs;
use rayon::prelude::*;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};

/// Rows of a sparse pattern.
#[derive(Default)]
pub(super) struct Candidates {
    /// Where the row of A begins; one more entry than colliders.
    starts: Vec<usize>,
    partners: Vec<u32>,
    /// Room for sorting: where the next partner of every collider goes, and the partners in any order.
    ends: Vec<AtomicUsize>,
    unsorted: Vec<AtomicU32>,
}

impl Candidates {
    /// Sorts pairs (A < B, none twice) into rows.
    pub(super) fn fill(&mut self, colliders: usize, parts: &[&Pairs], parallel: bool) {
        let Self { starts, partners, ends, unsorted } = self;
        let each_part = |work: &(dyn Fn(&[u32; 2]) + Sync)| match parallel {
            true => parts.par_iter().for_each(|part| part.iter().for_each(work)),
            false => parts.iter().for_each(|part| part.iter().for_each(work)),
        };
        ends.resize_with(colliders, AtomicUsize::default);
        ends.iter_mut().for_each(|end| *end.get_mut() = 0);
        each_part(&|[a, _]| _ = ends[*a as usize].fetch_add(1, Relaxed));
        let mut sum = 0;
        starts.clear();
        starts.push(0);
        for end in &mut *ends {
            sum += *end.get_mut();
            *end.get_mut() = sum;
            starts.push(sum);
        }
        // Rows are filled from their ends, in any order, and then sorted.
        unsorted.resize_with(sum, AtomicU32::default);
        each_part(&|[a, b]| {
            let at = ends[*a as usize].fetch_sub(1, Relaxed) - 1;
            unsorted[at].store(*b, Relaxed);
        });
        partners.resize(sum, 0);
        sort_rows(starts, unsorted, partners, parallel);
    }

    /// The colliders B > A that A may touch.
    #[inline]
    pub(super) fn row(&self, a: usize) -> &[u32] {
        &self.partners[self.starts[a]..self.starts[a + 1]]
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn count(&self) -> usize {
        self.partners.len()
    }

    /// The first row of part `part` when the pairs are cut into `parts` nearly equal parts.
    pub(super) fn cut(&self, part: usize, parts: usize) -> usize {
        if part == parts {
            return self.rows();
        }
        let pairs = crate::broad::cut(self.count(), part, parts);
        self.starts.partition_point(|start| *start < pairs).min(self.rows())
    }

    pub(super) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.ends.capacity()) * size_of::<usize>()
            + (self.partners.capacity() + self.unsorted.capacity()) * size_of::<u32>()
    }
}

/// Rows one task sorts.
const ROWS: usize = 1024;

/// Copies rows and sorts each; `partners` are those of the rows that begin at `starts`, which has the end of the last one.
fn sort_rows(starts: &[usize], unsorted: &[AtomicU32], partners: &mut [u32], parallel: bool) {
    let rows = starts.len() - 1;
    if parallel && rows > ROWS {
        let middle = rows / 2;
        let (left, right) = partners.split_at_mut(starts[middle] - starts[0]);
        rayon::join(
            || sort_rows(&starts[..=middle], unsorted, left, parallel),
            || sort_rows(&starts[middle..], unsorted, right, parallel),
        );
        return;
    }
    for row in starts.windows(2) {
        let own = &mut partners[row[0] - starts[0]..row[1] - starts[0]];
        own.iter_mut().zip(&unsorted[row[0]..row[1]]).for_each(|(to, from)| *to = from.load(Relaxed));
        own.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_sorted_rows_whatever_their_order() {
        let parts: [Pairs; 2] = [vec![[2, 5], [0, 3], [0, 1]], vec![[2, 3], [0, 2]]];
        let mut candidates = Candidates::default();
        for (order, parallel) in [([0, 1], false), ([1, 0], true)] {
            candidates.fill(6, &order.map(|part: usize| &parts[part]), parallel);
            let rows: Vec<&[u32]> = (0..6).map(|a| candidates.row(a)).collect();
            assert_eq!(rows, [&[1, 2, 3][..], &[], &[3, 5], &[], &[], &[]]);
        }
    }

    #[test]
    fn parts_cover_all_rows_once() {
        let mut candidates = Candidates::default();
        let pairs: Pairs = (0..50).flat_map(|a| (0..a % 7).map(move |k| [a, a + 1 + k])).collect();
        candidates.fill(60, &[&pairs], false);
        for parts in [1, 3, 8] {
            let cuts: Vec<usize> = (0..=parts).map(|part| candidates.cut(part, parts)).collect();
            assert!(cuts.is_sorted() && cuts[0] == 0 && cuts[parts] == 60, "{cuts:?}");
        }
    }
}
