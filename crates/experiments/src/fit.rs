//! Straight lines and powers through measurements.

/// Slope of the straight line with least squares through points; 0 if all are at one place, not a number if one is none.
pub(crate) fn slope(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let along: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let product: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    if along == 0.0 { 0.0 } else { product / along }
}

/// The power p of y ≈ c xᵖ: the slope of ln y over ln x. Not a number if a value is not positive.
pub(crate) fn power(points: &[[f64; 2]]) -> f64 {
    slope(&points.iter().map(|point| point.map(f64::ln)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_lines_are_found() {
        let line: Vec<[f64; 2]> = (0..5).map(|k| [f64::from(k), 3.0 - 2.0 * f64::from(k)]).collect();
        assert!((slope(&line) + 2.0).abs() < 1e-12);
        assert_eq!(slope(&[[1.0, 2.0]]), 0.0);
    }

    #[test]
    fn powers_are_read_off_points_and_off_nothing_else() {
        let cubes: Vec<[f64; 2]> = [0.1, 0.3, 0.5, 2.0].iter().map(|x: &f64| [*x, 7.0 * x.powi(3)]).collect();
        assert!((power(&cubes) - 3.0).abs() < 1e-12);
        let constant = [[1.0, 4.0], [2.0, 4.0], [4.0, 4.0]];
        assert!(power(&constant).abs() < 1e-12);
        assert!(power(&[[1.0, 0.0], [2.0, 1.0]]).is_infinite() || power(&[[1.0, 0.0], [2.0, 1.0]]).is_nan());
        assert!(power(&[[1.0, -1.0], [2.0, 1.0]]).is_nan());
    }
}
