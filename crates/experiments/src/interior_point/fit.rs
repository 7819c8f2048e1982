//! Straight lines through measurements.

/// Slope of the straight line with least squares through points; 0 for fewer than two places.
pub(super) fn slope(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let along: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let product: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    if along > 0.0 { product / along } else { 0.0 }
}

/// Exponent p of y ~ xᵖ through points with positive coordinates.
pub(super) fn exponent(points: &[[f64; 2]]) -> f64 {
    slope(&points.iter().map(|point| point.map(f64::ln)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_lines_and_exponents_of_powers_are_found() {
        let line: Vec<[f64; 2]> = (0..5).map(|k| [f64::from(k), 3.0 - 2.0 * f64::from(k)]).collect();
        assert!((slope(&line) + 2.0).abs() < 1e-12);
        let power: Vec<[f64; 2]> = [1.0, 2.0, 5.0].iter().map(|x: &f64| [*x, 4.0 * x.powf(1.5)]).collect();
        assert!((exponent(&power) - 1.5).abs() < 1e-12);
        assert_eq!(slope(&[[1.0, 2.0]]), 0.0);
    }
}
