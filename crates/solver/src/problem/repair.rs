//! The free motion of a matrix as it was given, where another one is solved with.
//!
//! c is replaced by H_used H_given⁻¹ c, so that H⁻¹c and the free relative velocity are those of the file.

use super::{ConeProblem, ProblemError};
use signorini_linalg::{CscMatrix, FactorError, Lu, Threads};

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
}

/// The factor of a matrix as it was given.
pub(crate) fn factorised(matrix: &CscMatrix) -> Result<Lu, ProblemError> {
    let named = |error: FactorError| match error {
        FactorError::Memory => ProblemError::Memory { matrix: "M" },
        _ => ProblemError::Singular { matrix: "M" },
    };
    let mut factor = Lu::analyse(matrix, Threads::One).map_err(named)?;
    factor.factorise(matrix).map_err(named)?;
    Ok(factor)
}
