//! The factor by which a sequence shrinks, read off the sequence: the linear recurrence it obeys.
//!
//! A sum of p geometric sequences obeys x_{n+p} = c₁ x_{n+p−1} + … + c_p x_n, and its factors are the roots of
//! z^p − c₁ z^{p−1} − … − c_p. The least p that fits is taken.

use super::characteristic::largest_root;

/// A recurrence fits when it leaves less than this of the sequence.
const FITS: f64 = 1e-9;

/// The largest factor of a sequence of at most three; `None` if it obeys no such recurrence.
pub(super) fn largest_factor(sequence: &[f64]) -> Option<f64> {
    let mut best: Option<(f64, f64)> = None;
    for terms in 1..=3 {
        let Some((coefficients, left)) = fit(sequence, terms) else { continue };
        let mut polynomial = vec![1.0];
        polynomial.extend(coefficients.iter().map(|c| -c));
        let factor = largest_root(&polynomial);
        if left < FITS {
            return Some(factor);
        }
        if best.is_none_or(|(least, _)| left < least) {
            best = Some((left, factor));
        }
    }
    best.filter(|(left, _)| *left < 1e-3).map(|(_, factor)| factor)
}

/// Least squares by modified Gram-Schmidt; every equation relative to its largest term, as sequences shrink. Also what is left,
/// the largest, relative.
fn fit(sequence: &[f64], terms: usize) -> Option<(Vec<f64>, f64)> {
    let rows: Vec<Vec<f64>> = sequence
        .windows(terms + 1)
        .filter_map(|window| {
            let scale = window.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            (scale > 0.0).then(|| window.iter().rev().map(|x| x / scale).collect())
        })
        .collect();
    if rows.len() < terms {
        return None;
    }
    // Column 0 is the right-hand side.
    let mut columns: Vec<Vec<f64>> = (0..=terms).map(|k| rows.iter().map(|row| row[k]).collect()).collect();
    let mut upper = vec![vec![0.0; terms + 1]; terms + 1];
    for k in 1..=terms {
        let norm = columns[k].iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < 1e-13 {
            return None;
        }
        columns[k].iter_mut().for_each(|x| *x /= norm);
        upper[k][k] = norm;
        for j in (0..=terms).filter(|&j| j == 0 || j > k) {
            let dot: f64 = columns[k].iter().zip(&columns[j]).map(|(a, b)| a * b).sum();
            upper[k][j] = dot;
            let unit = columns[k].clone();
            columns[j].iter_mut().zip(unit).for_each(|(x, u)| *x -= dot * u);
        }
    }
    let left = columns[0].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut coefficients = vec![0.0; terms];
    for k in (1..=terms).rev() {
        let known: f64 = (k + 1..=terms).map(|j| upper[k][j] * coefficients[j - 1]).sum();
        coefficients[k - 1] = (upper[k][0] - known) / upper[k][k];
    }
    Some((coefficients, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_of_known_sequences() {
        let of = |f: &dyn Fn(i32) -> f64| largest_factor(&(0..10).map(f).collect::<Vec<_>>()).unwrap();
        assert!((of(&|n| 0.3_f64.powi(n)) - 0.3).abs() < 1e-12);
        assert!((of(&|n| 0.9_f64.powi(n) * (0.7 * f64::from(n)).cos()) - 0.9).abs() < 1e-12);
        let three = |n| 0.9_f64.powi(n) * (0.7 * f64::from(n)).cos() + 0.2 * (-0.95_f64).powi(n);
        assert!((of(&three) - 0.95).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_such_sequence_has_no_factor() {
        let squares: Vec<f64> = (0..12).map(|n: i32| f64::from(n * n * n * n % 7)).collect();
        assert_eq!(largest_factor(&squares), None);
    }
}
