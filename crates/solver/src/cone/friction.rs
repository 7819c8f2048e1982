//! Coulomb's cone K_μ = {‖t‖ ≤ μ n} and its dual, in two or three dimensions.

/// Length of the tangential part of `z = (n, t…)`.
#[must_use]
pub fn tangent_norm(z: &[f64]) -> f64 {
    match z {
        [_, t] => t.abs(),
        // Impulses and speeds stay far from overflow; `hypot` would cost more than the rest of a projection.
        [_, t1, t2] => (t1 * t1 + t2 * t2).sqrt(),
        _ => z.iter().skip(1).map(|t| t * t).sum::<f64>().sqrt(),
    }
}

/// Projects `z = (n, t…)` onto K_μ (THEORY §6).
///
/// ```text
/// inside  ‖t‖ ≤ μ n   → z
/// polar   μ‖t‖ ≤ −n   → 0
/// else                → n' = (n + μ‖t‖)/(1 + μ²),  t' = μ n' t/‖t‖
/// ```
pub fn project(mu: f64, z: &mut [f64]) {
    let (n, t) = (z[0], tangent_norm(z));
    // The polar cone first: with μ = 0 and t = 0 the test for the inside, t ≤ μn, holds for n < 0, too.
    if mu * t <= -n {
        z.fill(0.0);
        return;
    }
    if t <= mu * n {
        return;
    }
    let n_on_cone = (n + mu * t) / (1.0 + mu * mu);
    let shrink = mu * n_on_cone / t; // t ≠ 0 here: with t = 0 one of the tests above holds
    z[0] = n_on_cone;
    z[1..].iter_mut().for_each(|t| *t *= shrink);
}
