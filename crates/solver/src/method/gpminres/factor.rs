//! Factors of the free block of N as preconditioners.
//!
//! The matrix factorised has the size and pattern of N for every face, so that one analysis serves all and no memory is
//! asked for on the way: A = P(N + σ)P + κ + (I − P)S, with P the projection on the tangent space and S the softness of each
//! block. It acts on the tangent space as the system of MINRES does; σ, a small share of the diagonal, makes up for
//! redundant contacts.

use crate::SolveError;
use crate::change::Change;
use crate::cone::face::Face;
use crate::dual::{BlockMatrix, DualProblem, MAX_ROWS};
use signorini_linalg::{Cholesky, CscMatrix, FactorError, SymbolicFactor, Threads, ZeroFillCholesky, order_symmetric};

/// σ as a share of the mean diagonal of N over a block. Below, factors of piles break down; above, MINRES needs more
/// iterations for the stiffest part of redundant contacts.
const SHIFT: f64 = 1e-8;
/// Growth of σ when the factorisation breaks down nevertheless, and how often that is tried.
const SHIFT_GROWTH: f64 = 100.0;
const ATTEMPTS: u32 = 4;

pub(super) struct FactorOfFace {
    matrix: BlockMatrix,
    softness: Vec<f64>,
    /// The matrix that is factorised; its values are those of the last faces.
    lower: CscMatrix,
    /// Position in `lower` of the entries of the lower block triangle, block by block, `None` above the diagonal.
    positions: Vec<Option<usize>>,
    factor: Factor,
}

/// A factor, once there is a pattern.
enum Factor {
    Complete(Option<Box<Cholesky>>),
    Incomplete(Option<ZeroFillCholesky>),
}

impl FactorOfFace {
    pub(super) fn complete() -> Self {
        Self::new(Factor::Complete(None))
    }
    pub(super) fn incomplete() -> Self {
        Self::new(Factor::Incomplete(None))
    }
    fn new(factor: Factor) -> Self {
        let (matrix, softness, positions) = Default::default();
        Self { matrix, softness, lower: CscMatrix::zeros(0, 0), positions, factor }
    }

    /// Takes over N of a dual problem. Everything but the numbers of N depends on its pattern alone.
    pub(super) fn prepare(&mut self, dual: &mut DualProblem, change: Change) -> Result<(), SolveError> {
        let Self { matrix, softness, lower, positions, factor } = self;
        if change == Change::OffsetOnly {
            return Ok(());
        }
        dual.write_out(matrix)?;
        softness.clear();
        softness.extend_from_slice(dual.softness());
        let made = match factor {
            Factor::Complete(factor) => factor.is_some(),
            Factor::Incomplete(factor) => factor.is_some(),
        };
        if change == Change::SamePattern && made {
            return Ok(());
        }
        // Should an error end this, the next call begins here again.
        match factor {
            Factor::Complete(factor) => *factor = None,
            Factor::Incomplete(factor) => *factor = None,
        }
        *lower = matrix.to_csc()?.lower_triangle();
        positions.clear();
        for k in 0..matrix.len() {
            for (other, _) in matrix.row(k).filter(|(other, _)| *other <= k) {
                for row in matrix.rows_of(k) {
                    positions.extend(matrix.rows_of(other).map(|column| lower.position(row, column)));
                }
            }
        }
        match factor {
            Factor::Complete(factor) => {
                let symbolic =
                    SymbolicFactor::analyse(lower, &order_symmetric(lower)).map_err(|error| match error {
                        FactorError::Memory => SolveError::Memory,
                        _ => SolveError::Factorisation { pivot: None },
                    })?;
                // One thread: this factorisation rounds differently on several.
                *factor = Some(Box::new(Cholesky::new(symbolic.into(), Threads::One)));
            }
            Factor::Incomplete(factor) => *factor = Some(ZeroFillCholesky::new(lower)),
        }
        Ok(())
    }

    /// Makes the factor for the faces given.
    pub(super) fn update(&mut self, faces: &[Face]) {
        let mut shift = SHIFT;
        for _ in 0..ATTEMPTS {
            self.fill(faces, shift);
            match &mut self.factor {
                Factor::Complete(Some(factor)) => match factor.factorise(&self.lower) {
                    Ok(()) => return,
                    // The last attempt leaves no factor; MINRES then meets numbers that are not finite and stops at once.
                    Err(_) => shift *= SHIFT_GROWTH,
                },
                Factor::Incomplete(Some(factor)) => {
                    factor.factorise(&self.lower);
                    return;
                }
                Factor::Complete(None) | Factor::Incomplete(None) => unreachable!("{PREPARED}"),
            }
        }
    }

    fn fill(&mut self, faces: &[Face], shift: f64) {
        let Self { matrix, softness, lower, positions, .. } = self;
        let values = lower.values_mut();
        let mut positions = positions.iter();
        let mut block = [0.0; MAX_ROWS * MAX_ROWS];
        let mut column = [0.0; MAX_ROWS];
        for (k, face) in faces.iter().enumerate() {
            let d = matrix.rows_of(k).len();
            for (other, entries) in matrix.row(k).filter(|(other, _)| *other <= k) {
                let width = matrix.rows_of(other).len();
                let block = &mut block[..d * width];
                block.copy_from_slice(entries);
                if other == k {
                    (0..d).for_each(|i| block[i * d + i] += shift * softness[k]);
                }
                block.chunks_exact_mut(width).for_each(|line| faces[other].tangent(line));
                for j in 0..width {
                    (0..d).for_each(|i| column[i] = block[i * width + j]);
                    face.tangent(&mut column[..d]);
                    if other == k {
                        add_rest(face, j, softness[k], &mut column[..d]);
                    }
                    (0..d).for_each(|i| block[i * width + j] = column[i]);
                }
                for (value, position) in block.iter().zip(positions.by_ref()) {
                    if let Some(position) = position {
                        values[*position] = *value;
                    }
                }
            }
        }
    }

    /// Replaces `x`, a vector of the tangent space, by A⁻¹x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        match &mut self.factor {
            Factor::Complete(Some(factor)) => factor.solve_in_place(x),
            Factor::Incomplete(Some(factor)) => factor.solve_in_place(x),
            Factor::Complete(None) | Factor::Incomplete(None) => unreachable!("{PREPARED}"),
        }
    }
}

/// Why a factor is there when it is asked for.
const PREPARED: &str = "`prepare` makes the factor, and an engine is prepared for every pattern before it begins";

/// Adds column j of κ + (I − P)S.
fn add_rest(face: &Face, j: usize, softness: f64, column: &mut [f64]) {
    let mut unit = [0.0; MAX_ROWS];
    let unit = &mut unit[..column.len()];
    unit[j] = 1.0;
    column[j] += softness;
    face.tangent(unit);
    face.add_curvature(unit, column);
    column.iter_mut().zip(unit).for_each(|(out, u)| *out -= softness * *u);
}
