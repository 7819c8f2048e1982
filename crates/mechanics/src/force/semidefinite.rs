//! Whether a 6 × 6 matrix is symmetric and positive semi-definite.

use crate::ParameterError;

/// Rounding of entries, relative to the two diagonal entries they belong to.
const ROUNDING: f64 = 1e-9;

/// Checks that entries are finite, the matrix symmetric, and no direction negative.
///
/// Rows and columns are scaled by 1/√(diagonal), as entries have different units; then Cholesky with the largest pivot first:
///
/// ```text
/// A ← A − a aᵀ/pivot,  a the pivot's column       until the largest pivot left is rounding: then all of A must be
/// ```
pub(super) fn check_semidefinite(what: &'static str, matrix: &[[f64; 6]; 6]) -> Result<(), ParameterError> {
    if let Some(value) = matrix.iter().flatten().find(|value| !value.is_finite()) {
        return Err(ParameterError::number(what, *value, "finite numbers"));
    }
    let diagonal: [f64; 6] = std::array::from_fn(|k| matrix[k][k]);
    if let Some(value) = diagonal.iter().find(|value| **value < 0.0) {
        return Err(ParameterError::number(what, *value, "numbers ≥ 0 on the diagonal"));
    }
    // By their roots, as products may overflow.
    let roots = diagonal.map(f64::sqrt);
    let scaled = |i: usize, j: usize| match roots[i] > 0.0 && roots[j] > 0.0 {
        true => matrix[i][j] / roots[i] / roots[j],
        // Next to nothing on the diagonal there can be nothing at all.
        false if matrix[i][j] == 0.0 => 0.0,
        false => f64::INFINITY.copysign(matrix[i][j]),
    };
    let mut a: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| scaled(i, j)));
    for (row, column) in (0..6).flat_map(|row| (0..row).map(move |column| (row, column))) {
        let is_same = a[row][column] == a[column][row] || (a[row][column] - a[column][row]).abs() <= ROUNDING;
        if !is_same {
            let values = [matrix[row][column], matrix[column][row]];
            return Err(ParameterError::Asymmetric { what, row, column, values });
        }
    }
    let is_zero = |x: f64| x.abs() <= ROUNDING;
    for _ in 0..6 {
        let pivot = (1..6).fold(0, |best, k| if a[k][k] > a[best][best] { k } else { best });
        if is_zero(a[pivot][pivot]) {
            break;
        }
        let column: [f64; 6] = std::array::from_fn(|k| a[k][pivot]);
        for (i, row) in a.iter_mut().enumerate() {
            row.iter_mut().zip(&column).for_each(|(entry, x)| *entry -= column[i] * x / column[pivot]);
        }
    }
    // Beside pivots that are rounding, so is everything; several of them may add up.
    match a.iter().enumerate().all(|(k, row)| row[k] >= -ROUNDING && row.iter().all(|x| x.abs() <= 10.0 * ROUNDING)) {
        true => Ok(()),
        false => Err(ParameterError::Indefinite { what }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ λ_k q_k q_kᵀ with orthonormal q from a fixed sequence of plane rotations, rows and columns times `scale`.
    fn with_eigenvalues(eigenvalues: [f64; 6], scale: [f64; 6]) -> [[f64; 6]; 6] {
        let mut a = [[0.0; 6]; 6];
        (0..6).for_each(|k| a[k][k] = eigenvalues[k]);
        for (turn, (i, j)) in (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j))).enumerate() {
            let (s, c) = (0.3 + 0.7 * turn as f64).sin_cos();
            for row in &mut a {
                (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
            }
            for k in 0..6 {
                (a[i][k], a[j][k]) = (c * a[i][k] - s * a[j][k], s * a[i][k] + c * a[j][k]);
            }
        }
        std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] * scale[i] * scale[j]))
    }

    #[test]
    fn the_sign_of_the_least_eigenvalue_decides_whatever_the_units() {
        for scale in [[1.0; 6], [1e3, 1e3, 1e3, 1e-2, 1e-2, 1e-2], [1.0, 1e-6, 1e6, 3.0, 0.1, 1e4]] {
            for rest in [1.0, 1e-3, 0.0] {
                let least = |least: f64| with_eigenvalues([2.0, 1.0, 1.0, 0.5, rest, least], scale);
                assert_eq!(check_semidefinite("K", &least(0.1)), Ok(()), "{scale:?}");
                assert_eq!(check_semidefinite("K", &least(0.0)), Ok(()), "{scale:?}");
                let error = check_semidefinite("K", &least(-1e-3)).expect_err("indefinite");
                assert!(matches!(error, ParameterError::Indefinite { .. }), "{scale:?} {error}");
            }
        }
        assert_eq!(check_semidefinite("K", &[[0.0; 6]; 6]), Ok(()));
    }

    #[test]
    fn a_direction_without_stiffness_acts_on_no_other() {
        let mut matrix = [[0.0; 6]; 6];
        matrix[0][0] = 5.0;
        assert_eq!(check_semidefinite("K", &matrix), Ok(()));
        (matrix[0][3], matrix[3][0]) = (1.0, 1.0);
        assert_eq!(
            check_semidefinite("stiffness", &matrix).map_err(|error| error.to_string()),
            Err("stiffness is negative in some direction, expected a positive semi-definite matrix".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut matrix = [[0.0; 6]; 6];
        (0..6).for_each(|k| matrix[k][k] = 1.0);
        let message = |matrix: &[[f64; 6]; 6]| check_semidefinite("damping", matrix).map_err(|e| e.to_string());
        let mut bad = matrix;
        bad[4][1] = 0.5;
        let expected =
            "damping has 0.5 in row 4, column 1 and 0 in row 1, column 4 (from 0), expected a symmetric matrix";
        assert_eq!(message(&bad), Err(expected.to_owned()));
        bad[4][1] = f64::NAN;
        assert_eq!(message(&bad), Err("damping is NaN, expected finite numbers".to_owned()));
        let mut bad = matrix;
        bad[2][2] = -1.0;
        assert_eq!(message(&bad), Err("damping is -1, expected numbers ≥ 0 on the diagonal".to_owned()));
    }
}
