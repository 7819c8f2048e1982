//! Dot products.

/// Σ xᵢyᵢ of lists of the same length.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four running sums: the order is fixed, and the compiler can use vector instructions.
    let mut sums = [0.0; 4];
    let (x4, y4) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    for (x, y) in x4.0.iter().zip(y4.0) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f64 = x4.1.iter().zip(y4.1).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
