//! Mending a Delassus matrix with slightly negative eigenvalues (matrices printed with few digits).

use super::{ProblemError, Remark};
use signorini_linalg::{CscMatrix, Ldlt, SymbolicFactor, Threads, order_symmetric};

/// Eigenvalues above minus this share of the largest diagonal entry are rounding of a semi-definite matrix.
const ROUNDING: f64 = 1e-10;
/// Eigenvalues below minus this share of the largest diagonal entry are no accident of printing.
const LARGEST_MENDED: f64 = 1e-4;
/// The shift exceeds the negative eigenvalue by this factor, so that the result is safely semi-definite.
const MARGIN: f64 = 1.05;
/// Bisection stops at this relative width: the shift is then known to six digits.
const RELATIVE_WIDTH: f64 = 1e-6;

/// Returns `w` itself when it is semi-definite to rounding, else `w + shift I` with a remark.
///
/// The number of negative pivots of LDLᵀ is the number of negative eigenvalues (Sylvester), so bisection on
/// the shift finds the smallest eigenvalue with factorisations of one pattern.
pub(super) fn mend_delassus(
    name: &'static str,
    w: CscMatrix,
    remarks: &mut Vec<Remark>,
) -> Result<CscMatrix, ProblemError> {
    let scale = w.diagonal_entries().iter().fold(0.0f64, |largest, d| largest.max(d.abs()));
    if scale == 0.0 {
        return Ok(w);
    }
    let with_diagonal = with_full_diagonal(&w);
    let mut probe = Probe::new(name, &with_diagonal)?;
    if probe.is_definite(ROUNDING * scale) {
        return Ok(w);
    }
    let (mut too_small, mut enough) = (ROUNDING * scale, LARGEST_MENDED * scale);
    if !probe.is_definite(enough) {
        let eigenvalue = -probe.first_definite(enough);
        return Err(ProblemError::IndefiniteDelassus { matrix: name, eigenvalue, limit: -LARGEST_MENDED * scale });
    }
    while enough - too_small > RELATIVE_WIDTH * enough {
        // Geometric while the bracket spans decades, which it does at first.
        let middle = if enough > 4.0 * too_small { (enough * too_small).sqrt() } else { 0.5 * (enough + too_small) };
        if probe.is_definite(middle) { enough = middle } else { too_small = middle }
    }
    let shift = three_digits(MARGIN * enough);
    remarks.push(Remark::Shifted { matrix: name, eigenvalue: -enough, shift });
    Ok(shifted(&with_diagonal, shift))
}

/// Rounds to three significant digits, so that the mended matrix does not depend on the last digits of the bisection.
fn three_digits(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 2.0);
    (x / unit).round() * unit
}

fn with_full_diagonal(w: &CscMatrix) -> CscMatrix {
    let diagonal = (0..w.nrows()).map(|i| (i, i, 0.0));
    CscMatrix::from_triplets(w.nrows(), w.ncols(), w.triplets().chain(diagonal))
        .unwrap_or_else(|error| unreachable!("entries of a checked matrix and zeros in its own rows: {error}"))
}

fn shifted(w: &CscMatrix, shift: f64) -> CscMatrix {
    let mut out = w.clone();
    for i in 0..w.nrows() {
        if let Some(at) = w.position(i, i) {
            out.values_mut()[at] += shift;
        }
    }
    out
}

struct Probe {
    lower: CscMatrix,
    factor: Ldlt,
}

impl Probe {
    fn new(name: &'static str, w: &CscMatrix) -> Result<Self, ProblemError> {
        let lower = w.lower_triangle();
        let order = order_symmetric(w);
        let Ok(symbolic) = SymbolicFactor::analyse(&lower, &order) else {
            // The one failure an analysis has.
            return Err(ProblemError::Memory { matrix: name });
        };
        Ok(Self { lower, factor: Ldlt::new(symbolic.into(), Threads::One) })
    }

    /// Whether every eigenvalue of W + shift I is positive.
    fn is_definite(&mut self, shift: f64) -> bool {
        let moved = shifted(&self.lower, shift);
        self.factor.factorise(&moved).is_ok() && self.factor.pivots().all(|pivot| pivot > 0.0)
    }

    /// The first definite shift among 4, 16, 64 … times `from`, for the error message.
    fn first_definite(&mut self, from: f64) -> f64 {
        let mut shift = from;
        while shift.is_finite() && !self.is_definite(shift) {
            shift *= 4.0;
        }
        shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// diag(1, −e) rotated: eigenvalues are known exactly.
    fn rotated(e: f64) -> CscMatrix {
        let (c, s) = (0.6, 0.8);
        let entries = [
            (0, 0, c * c - e * s * s),
            (0, 1, c * s * (1.0 + e)),
            (1, 0, c * s * (1.0 + e)),
            (1, 1, s * s - e * c * c),
        ];
        CscMatrix::from_triplets(2, 2, entries).unwrap()
    }

    #[test]
    fn a_slightly_negative_eigenvalue_is_found_and_shifted_away() {
        let mut remarks = Vec::new();
        let mended = mend_delassus("W", rotated(1e-7), &mut remarks).unwrap();
        let Remark::Shifted { eigenvalue, shift, .. } = remarks[0] else { panic!("{remarks:?}") };
        assert!((eigenvalue / -1e-7 - 1.0).abs() < 1e-5, "{eigenvalue}");
        assert!((shift / 1.05e-7 - 1.0).abs() < 1e-5, "{shift}");
        assert!((mended.get(0, 0) - rotated(1e-7).get(0, 0) - shift).abs() < 1e-16);
    }

    #[test]
    fn semi_definite_is_left_alone_and_indefinite_is_refused() {
        let mut remarks = Vec::new();
        assert_eq!(mend_delassus("W", rotated(0.0), &mut remarks).unwrap(), rotated(0.0));
        assert!(remarks.is_empty());
        let error = mend_delassus("W", rotated(0.1), &mut remarks).unwrap_err().to_string();
        assert!(error.contains("not positive semi-definite"), "{error}");
    }
}
