//! The power with which one quantity goes with another.

/// The power p of y ≈ c xᵖ: the slope of ln y over ln x by least squares. Not a number if a value is not positive.
pub(crate) fn power(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let logs = || points.iter().map(|[x, y]| (x.ln(), y.ln()));
    let (mean_x, mean_y) = (logs().map(|(x, _)| x).sum::<f64>() / count, logs().map(|(_, y)| y).sum::<f64>() / count);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in logs() {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;

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
