//! What mending a matrix does to the answer.
//!
//! Convex methods need a symmetric, semi-definite N. Where a file has another matrix, its symmetric part is used, and negative
//! eigenvalues are shifted away. Two things keep that honest:
//!
//! ```text
//! free motion   c is replaced by H_used H_given⁻¹ c, so that H⁻¹c and the free relative velocity are those of the file
//! the answer    Δu = (N_given − N_used) g: the relative velocities that impulses g cause in the file, less those they were solved with
//! ```
//!
//! An entry of 1e-8 of the largest one may decide about N where H is as badly conditioned: the size of the skew part says nothing, the
//! size of Δu everything.

use super::{ConeProblem, Inertia, ProblemError};
use crate::settings::Tolerance;
use signorini_linalg::{CscMatrix, FactorError, Lu, Threads};

/// How far relative velocities are moved by mending a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedByRepair {
    /// Largest |Δu| of a row \[m/s\].
    pub velocity: f64,
    /// ‖Δu‖ relative to the free relative velocity.
    pub relative: f64,
}

impl MovedByRepair {
    /// Whether an answer of this tolerance is still that of the problem as given.
    #[must_use]
    pub fn is_within(&self, tolerance: Tolerance) -> bool {
        match tolerance {
            Tolerance::Velocity(limit) => self.velocity <= limit,
            Tolerance::Relative(limit) => self.relative <= limit,
        }
    }
}

impl ConeProblem {
    /// Remembers H as given and makes the free motion H⁻¹c that of it.
    pub(super) fn keep_free_motion_of(&mut self, given: &CscMatrix, used: &CscMatrix) -> Result<(), ProblemError> {
        let mut free = self.linear.clone();
        factorised(given)?.solve_in_place(&mut free);
        if free.iter().any(|v| !v.is_finite()) {
            return Err(ProblemError::Singular { matrix: "M" });
        }
        let mut linear = vec![0.0; free.len()];
        used.mul(&free, &mut linear);
        self.linear_as_given = Some(std::mem::replace(&mut self.linear, linear));
        self.as_given = Some(given.clone());
        Ok(())
    }

    /// How far mending the matrix moves the relative velocities that these impulses cause; `None` for a problem that was not mended.
    ///
    /// # Errors
    /// A matrix as given that is singular or does not fit into memory.
    pub fn moved_by_repair(&self, impulse: &[f64]) -> Result<Option<MovedByRepair>, ProblemError> {
        let Some(given) = &self.as_given else { return Ok(None) };
        let mut moved = vec![0.0; self.row_count()];
        let mut free = vec![0.0; self.row_count()];
        match self.defect() {
            Some(defect) => defect.mul(impulse, &mut moved),
            None => {
                let used = match &self.inertia {
                    Inertia::Sparse(matrix) => (**matrix).clone(),
                    Inertia::BlockDiagonal(_) => {
                        let n = self.velocities();
                        CscMatrix::from_triplets(n, n, self.inertia.triplets())
                            .unwrap_or_else(|error| unreachable!("entries of a checked mass matrix: {error}"))
                    }
                };
                let mut response = vec![0.0; self.velocities()];
                self.rows.mul_transpose_add(1.0, impulse, &mut response);
                let mut of_used = response.clone();
                factorised(given)?.solve_in_place(&mut response);
                let mut factor = factorised(&used)?;
                factor.solve_in_place(&mut of_used);
                response.iter_mut().zip(&of_used).for_each(|(given, used)| *given -= used);
                self.rows.mul(&response, &mut moved);
                let mut motion: Vec<f64> = self.linear.iter().map(|c| -c).collect();
                factor.solve_in_place(&mut motion);
                self.rows.mul(&motion, &mut free);
            }
        }
        free.iter_mut().zip(&self.offset).for_each(|(u, b)| *u -= b);
        let norm = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>().sqrt();
        let velocity = moved.iter().fold(0.0_f64, |most, x| if x.is_nan() { f64::NAN } else { most.max(x.abs()) });
        let relative = if velocity == 0.0 { 0.0 } else { norm(&moved) / norm(&free) };
        Ok(Some(MovedByRepair { velocity, relative }))
    }
}

fn factorised(matrix: &CscMatrix) -> Result<Lu, ProblemError> {
    let named = |error: FactorError| match error {
        FactorError::Memory => ProblemError::Memory { matrix: "M" },
        _ => ProblemError::Singular { matrix: "M" },
    };
    let mut factor = Lu::analyse(matrix, Threads::One).map_err(named)?;
    factor.factorise(matrix).map_err(named)?;
    Ok(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::fclib::{FclibProblem, GlobalProblem};
    use crate::problem::from_fclib;

    /// Two velocities that a skew mass matrix [a s; −s a] couples, and a contact on the first.
    fn skew(a: f64, s: f64) -> ConeProblem {
        let entries = [(0, 0, a), (0, 1, s), (1, 0, -s), (1, 1, a), (2, 2, 1.0), (3, 3, 1.0)];
        let global = GlobalProblem {
            dimension: 3,
            m: CscMatrix::from_triplets(4, 4, entries).unwrap(),
            h: CscMatrix::from_triplets(4, 3, [(0, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0)]).unwrap(),
            g: None,
            f: vec![-a, s, 0.0, 0.0],
            w: vec![0.0; 3],
            b: None,
            mu: vec![0.0],
            mu_r: None,
        };
        from_fclib(&FclibProblem::Global(global)).unwrap()
    }

    #[test]
    fn the_free_motion_is_that_of_the_matrix_as_given() {
        let (a, s) = (4e-8, 7.7e-8);
        let problem = skew(a, s);
        // [a s; −s a]⁻¹ (−a, s) = (−1, 0): used is a·1, so c = −used·(−1, 0).
        assert!((problem.linear()[0] - a).abs() < 1e-6 * a && problem.linear()[1].abs() < 1e-6 * a);
        assert_eq!(problem.linear_as_given(), [a, -s, 0.0, 0.0]);
    }

    #[test]
    fn a_skew_part_that_is_small_beside_the_largest_entry_may_move_the_answer_by_far() {
        let (a, s) = (4e-8, 7.7e-8);
        // N = a/(a² + s²) as given and 1/a as used: an impulse a is 1 m/s there and a²/(a² + s²) here.
        let moved = skew(a, s).moved_by_repair(&[a, 0.0, 0.0]).unwrap().expect("mended");
        let expected = 1.0 - a * a / (a * a + s * s);
        assert!((moved.velocity - expected).abs() < 1e-6, "{moved:?}");
        // The free relative velocity is 1 m/s.
        assert!((moved.relative - expected).abs() < 1e-6 && !moved.is_within(Tolerance::Relative(0.1)), "{moved:?}");
        assert!(moved.is_within(Tolerance::Velocity(0.8)) && !moved.is_within(Tolerance::Velocity(0.7)));
    }

    #[test]
    fn a_skew_part_that_decides_nothing_moves_nothing() {
        let moved = skew(1.0, 1e-8).moved_by_repair(&[1.0, 0.0, 0.0]).unwrap().expect("mended");
        assert!(moved.velocity < 1e-15, "{moved:?}");
        assert_eq!(skew(1.0, 0.0).moved_by_repair(&[1.0, 0.0, 0.0]).unwrap(), None);
    }

    #[test]
    fn a_shift_moves_by_itself_times_the_impulse() {
        // Eigenvalues 1.00001 and −1e-5, shifted by about 1.05e-5.
        let w = CscMatrix::from_triplets(2, 2, [(0, 0, 0.5), (0, 1, 0.50001), (1, 0, 0.50001), (1, 1, 0.5)]).unwrap();
        let problem = ConeProblem::condensed(w, vec![-1.0, -1.0], &[(Cone::NonNegative, 1); 2]).unwrap();
        let moved = problem.moved_by_repair(&[2.0, 0.0]).unwrap().expect("mended");
        assert!((moved.velocity - 2.1e-5).abs() < 1e-7, "{moved:?}");
        assert!(!moved.is_within(Tolerance::Relative(1e-8)) && moved.is_within(Tolerance::Relative(1e-4)));
    }
}
