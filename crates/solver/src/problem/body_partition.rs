//! Which velocities belong together, for a problem that does not say: the vertices of the ordering graph.

use super::RowBlocks;
use signorini_linalg::CscMatrix;

/// Largest vertex made by merging: a rigid body has 6 velocities.
const LARGEST_BODY: usize = 6;

/// Splits the velocities into runs of neighbours that touch the same constraint blocks.
///
/// Orderings computed on these runs instead of single velocities are several times cheaper, and supernodes of
/// the factor come out whole.
pub(super) fn infer_bodies(inertia: &CscMatrix, rows: &RowBlocks) -> Vec<usize> {
    let n = inertia.nrows();
    let mut touched: Vec<Vec<usize>> = vec![Vec::new(); n];
    for k in 0..rows.len() {
        for &column in rows.block(k).columns {
            touched[column].push(k);
        }
    }
    let mut start = vec![0];
    for column in 1..n {
        let first = start[start.len() - 1];
        let coupled = !touched[column].is_empty() || inertia.get(column, column - 1) != 0.0;
        let together = coupled && touched[column] == touched[column - 1] && column - first < LARGEST_BODY;
        if !together {
            start.push(column);
        }
    }
    if n > 0 {
        start.push(n);
    }
    start
}
