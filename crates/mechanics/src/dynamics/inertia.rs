//! The matrix H of a step: one 6 × 6 block per body that moves, and what couples two bodies.

use crate::{Body, Model, Vec3};
use signorini_linalg::{CscMatrix, MatrixError};
use signorini_solver::problem::{BlockDiagonal, Inertia};

/// An entry of H that is not finite, by the velocity it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotFiniteAt(pub(crate) usize);

/// M of all bodies that move.
pub(crate) fn mass_matrix(model: &Model) -> BlockDiagonal {
    let mut blocks = BlockDiagonal::new();
    for body in model.bodies().iter().filter(|body| !body.is_fixed) {
        let mut block = [0.0; 36];
        for k in 0..3 {
            block[7 * k] = body.mass;
            for l in 0..3 {
                block[6 * (3 + k) + 3 + l] = body.inertia.col(l)[k];
            }
        }
        blocks.push(6, &block);
    }
    blocks
}

/// M v of one body, from its six velocities.
pub(crate) fn momentum_of(body: &Body, v: &[f64]) -> [f64; 6] {
    let (p, l) = (body.mass * Vec3::from_slice(v), body.inertia * Vec3::from_slice(&v[3..]));
    [p.x, p.y, p.z, l.x, l.y, l.z]
}

/// H from its blocks and the entries that couple two bodies.
pub(crate) fn inertia(blocks: BlockDiagonal, coupling: Vec<(usize, usize, f64)>) -> Result<Inertia, NotFiniteAt> {
    if coupling.is_empty() {
        Ok(Inertia::BlockDiagonal(blocks))
    } else {
        sparse(&blocks, coupling).map(Inertia::sparse)
    }
}

/// The blocks and what couples them as one sparse matrix.
fn sparse(blocks: &BlockDiagonal, coupling: Vec<(usize, usize, f64)>) -> Result<CscMatrix, NotFiniteAt> {
    let n = blocks.dimension();
    let entries = (0..blocks.len()).flat_map(|body| {
        let block = blocks.block(body);
        (0..36).map(move |e| (6 * body + e / 6, 6 * body + e % 6, block[e])).filter(|(_, _, value)| *value != 0.0)
    });
    match CscMatrix::from_triplets(n, n, entries.chain(coupling)) {
        Ok(matrix) => Ok(matrix),
        // A force whose tangent overflows at this state, or has none.
        Err(MatrixError::NotFinite { row, .. }) => Err(NotFiniteAt(row)),
        Err(error) => unreachable!("rows and columns are velocities of bodies that move, all below {n}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_not_finite_is_named_by_its_velocity() {
        let mut blocks = BlockDiagonal::new();
        let mut unit = [0.0; 36];
        (0..6).for_each(|k| unit[7 * k] = 1.0);
        (0..2).for_each(|_| blocks.push(6, &unit));
        assert_eq!(inertia(blocks.clone(), vec![(7, 1, f64::NAN)]), Err(NotFiniteAt(7)));
        assert!(matches!(inertia(blocks.clone(), vec![(7, 1, 0.5), (1, 7, 0.5)]), Ok(Inertia::Sparse(_))));
        assert!(matches!(inertia(blocks, Vec::new()), Ok(Inertia::BlockDiagonal(_))));
    }
}
