//! Which velocities belong together, for a problem that does not say: the vertices of the ordering graph.

use super::RowBlocks;
use signorini_linalg::CscMatrix;

/// Largest vertex made by merging: a rigid body has 6 velocities.
const LARGEST_BODY: usize = 6;

/// The vertices of the ordering graph: runs of velocities that H couples, merged with neighbours that touch the same
/// blocks of rows; long runs (finite elements) cut into pieces that touch the same blocks.
///
/// Orderings computed on bodies instead of single velocities are several times cheaper, and supernodes of the
/// factor come out whole.
pub(super) fn infer_bodies(inertia: &CscMatrix, rows: &RowBlocks) -> Vec<usize> {
    let touched = touched_blocks(inertia.nrows(), rows);
    let runs = merged_runs(inertia, rows);
    let mut start = vec![0];
    for run in runs.windows(2) {
        if run[1] - run[0] > LARGEST_BODY {
            for column in run[0] + 1..run[1] {
                let open = start[start.len() - 1];
                if touched[column] != touched[column - 1] || column - open >= LARGEST_BODY {
                    start.push(column);
                }
            }
        }
        start.push(run[1]);
    }
    start
}

/// Blocks of rows that each velocity is part of.
fn touched_blocks(n: usize, rows: &RowBlocks) -> Vec<Vec<usize>> {
    let mut touched: Vec<Vec<usize>> = vec![Vec::new(); n];
    for k in 0..rows.len() {
        for &column in rows.columns_of(k) {
            touched[column].push(k);
        }
    }
    touched
}

/// Runs of velocities that no entry of H couples to others; short neighbouring ones that touch the same blocks of rows
/// are merged into bodies.
pub(super) fn merged_runs(inertia: &CscMatrix, rows: &RowBlocks) -> Vec<usize> {
    let touched = touched_blocks(inertia.nrows(), rows);
    let mut start = vec![0];
    for run in coupled_runs(inertia).windows(2) {
        let (first, end) = (run[0], run[1]);
        let open = start[start.len() - 1];
        let joins = first > 0 && end - open <= LARGEST_BODY && same(&touched[first - 1..end]);
        if !joins && first > open {
            start.push(first);
        }
    }
    if inertia.nrows() > 0 {
        start.push(inertia.nrows());
    }
    start
}

/// Whether all velocities touch the same, non-empty set of blocks.
fn same(touched: &[Vec<usize>]) -> bool {
    !touched[0].is_empty() && touched.windows(2).all(|pair| pair[0] == pair[1])
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
