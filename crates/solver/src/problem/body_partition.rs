//! Which velocities belong together, for a problem that does not say: the vertices of the ordering graph.

use super::RowBlocks;
use signorini_linalg::CscMatrix;
use std::ops::Range;

/// Largest vertex made by merging: a rigid body has 6 velocities.
const LARGEST_BODY: usize = 6;

/// The vertices of the ordering graph: runs of velocities that H couples, merged with neighbours that touch the same
/// blocks of rows; long runs (finite elements) cut into pieces that touch the same blocks.
///
/// Orderings computed on bodies instead of single velocities are several times cheaper, and supernodes of the
/// factor come out whole.
pub(super) fn infer_bodies(inertia: &CscMatrix, rows: &RowBlocks) -> Vec<usize> {
    let touched = Touched::of(inertia.nrows(), rows);
    let runs = runs_that_touch(inertia, &touched);
    let mut start = vec![0];
    for run in runs.windows(2) {
        if run[1] - run[0] > LARGEST_BODY {
            for column in run[0] + 1..run[1] {
                let open = start[start.len() - 1];
                if !touched.is_same(column - 1..column + 1) || column - open >= LARGEST_BODY {
                    start.push(column);
                }
            }
        }
        start.push(run[1]);
    }
    start
}

/// Blocks of rows that each velocity is part of: one list for all, since a problem whose contacts come and go asks for them in every step.
struct Touched {
    blocks: Vec<usize>,
    /// Where the blocks of every velocity begin, and the end of the last.
    start: Vec<usize>,
}

impl Touched {
    fn of(velocities: usize, rows: &RowBlocks) -> Self {
        let mut start = vec![0; velocities + 1];
        for k in 0..rows.len() {
            rows.columns_of(k).iter().for_each(|column| start[column + 1] += 1);
        }
        for column in 0..velocities {
            start[column + 1] += start[column];
        }
        let mut blocks = vec![0; start[velocities]];
        let mut next = start.clone();
        for k in 0..rows.len() {
            for &column in rows.columns_of(k) {
                blocks[next[column]] = k;
                next[column] += 1;
            }
        }
        Self { blocks, start }
    }

    fn by(&self, velocity: usize) -> &[usize] {
        &self.blocks[self.start[velocity]..self.start[velocity + 1]]
    }

    /// Whether velocities touch the same blocks.
    fn is_same(&self, mut velocities: Range<usize>) -> bool {
        let Some(first) = velocities.next() else { return true };
        velocities.all(|velocity| self.by(velocity) == self.by(first))
    }
}

/// Runs of velocities that no entry of H couples to others; short neighbouring ones that touch the same blocks of rows
/// are merged into bodies.
pub(super) fn merged_runs(inertia: &CscMatrix, rows: &RowBlocks) -> Vec<usize> {
    runs_that_touch(inertia, &Touched::of(inertia.nrows(), rows))
}

fn runs_that_touch(inertia: &CscMatrix, touched: &Touched) -> Vec<usize> {
    let mut start = vec![0];
    for run in coupled_runs(inertia).windows(2) {
        let (first, end) = (run[0], run[1]);
        let open = start[start.len() - 1];
        let joins =
            first > 0 && end - open <= LARGEST_BODY && !touched.by(first).is_empty() && touched.is_same(first - 1..end);
        if !joins && first > open {
            start.push(first);
        }
    }
    if inertia.nrows() > 0 {
        start.push(inertia.nrows());
    }
    start
}

/// Boundaries that no entry of H reaches across.
fn coupled_runs(inertia: &CscMatrix) -> Vec<usize> {
    let n = inertia.nrows();
    let mut start = vec![0];
    let mut reach = 0;
    for column in 0..n {
        if column > reach {
            start.push(column);
        }
        let (rows, values) = inertia.col(column);
        let last = rows.iter().zip(values).filter(|(_, value)| **value != 0.0).map(|(row, _)| *row).max();
        reach = reach.max(last.unwrap_or(column)).max(column);
    }
    if n > 0 {
        start.push(n);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rigid_bodies_are_found_in_a_diagonal_matrix() {
        let mut rows = RowBlocks::new();
        let entries: Vec<(usize, f64)> = (0..12).map(|column| (column, 1.0)).collect();
        rows.push(&[&entries]); // bodies 0 and 1
        let second: Vec<(usize, f64)> = (6..12).map(|column| (column, 1.0)).collect();
        rows.push(&[&second]); // body 1 alone
        // Velocities 12 and 13 touch nothing.
        assert_eq!(infer_bodies(&CscMatrix::diagonal(&[1.0; 14]), &rows), [0, 6, 12, 13, 14]);
    }

    #[test]
    fn coupled_velocities_stay_together() {
        let entries = (0..4).map(|i| (i, i, 2.0)).chain([(0, 2, 1.0), (2, 0, 1.0)]);
        let matrix = CscMatrix::from_triplets(4, 4, entries).unwrap();
        assert_eq!(infer_bodies(&matrix, &RowBlocks::new()), [0, 3, 4]);
    }
}
