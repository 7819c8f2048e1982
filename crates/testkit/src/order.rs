//! Order of convergence from a sequence of errors.

/// Slope of log₂(error) over successive halvings of the step, by least squares.
///
/// ```
/// let errors = [1.0, 0.25, 0.0625];
/// assert!((signorini_testkit::fitted_order(&errors) - 2.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn fitted_order(errors: &[f64]) -> f64 {
    let n = errors.len() as f64;
    let mean_x = (n - 1.0) / 2.0;
    let mean_y = errors.iter().map(|e| e.log2()).sum::<f64>() / n;
    let (mut numerator, mut denominator) = (0.0, 0.0);
    for (k, error) in errors.iter().enumerate() {
        let x = k as f64 - mean_x;
        numerator += x * (error.log2() - mean_y);
        denominator += x * x;
    }
    -numerator / denominator
}
