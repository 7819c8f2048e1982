//! Pairs to be tested: for every collider A the sorted list of colliders B > A.

use crate::broad::Pairs;

/// Rows of a sparse pattern.
#[derive(Default)]
pub(super) struct Candidates {
    /// Where the row of A begins; one more entry than colliders.
    starts: Vec<usize>,
    partners: Vec<u32>,
}

impl Candidates {
    /// Sorts pairs (A < B, none twice) into rows.
    pub(super) fn fill<'a>(&mut self, colliders: usize, parts: impl Iterator<Item = &'a Pairs> + Clone) {
        self.starts.clear();
        self.starts.resize(colliders + 1, 0);
        for [a, _] in parts.clone().flatten() {
            self.starts[*a as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.partners.clear();
        self.partners.resize(sum, 0);
        // Rows are filled from their ends, so the ends become the starts.
        for [a, b] in parts.flatten() {
            let end = &mut self.starts[*a as usize];
            *end -= 1;
            self.partners[*end] = *b;
        }
        for row in self.starts.windows(2) {
            self.partners[row[0]..row[1]].sort_unstable();
        }
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
        self.starts.capacity() * size_of::<usize>() + self.partners.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_sorted_rows_whatever_their_order() {
        let parts: [Pairs; 2] = [vec![[2, 5], [0, 3], [0, 1]], vec![[2, 3], [0, 2]]];
        let mut candidates = Candidates::default();
        for order in [[0, 1], [1, 0]] {
            candidates.fill(6, order.iter().map(|&part| &parts[part]));
            let rows: Vec<&[u32]> = (0..6).map(|a| candidates.row(a)).collect();
            assert_eq!(rows, [&[1, 2, 3][..], &[], &[3, 5], &[], &[], &[]]);
        }
    }

    #[test]
    fn parts_cover_all_rows_once() {
        let mut candidates = Candidates::default();
        let pairs: Pairs = (0..50).flat_map(|a| (0..a % 7).map(move |k| [a, a + 1 + k])).collect();
        candidates.fill(60, std::iter::once(&pairs));
        for parts in [1, 3, 8] {
            let cuts: Vec<usize> = (0..=parts).map(|part| candidates.cut(part, parts)).collect();
            assert!(cuts.is_sorted() && cuts[0] == 0 && cuts[parts] == 60, "{cuts:?}");
        }
    }
}
