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
    if t <= mu * n {
        return;
    }
    if mu * t <= -n {
        z.fill(0.0);
        return;
    }
    let n_on_cone = (n + mu * t) / (1.0 + mu * mu);
    let shrink = mu * n_on_cone / t; // t ≠ 0 here: with t = 0 one of the tests above holds
    z[0] = n_on_cone;
    z[1..].iter_mut().for_each(|t| *t *= shrink);
}

/// Derivative of [`project`] at `z`, row-major, `out` being zero.
///
/// Between the cone and its polar, with t̂ = t/‖t‖ and n' = (n + μ‖t‖)/(1 + μ²):
///
/// ```text
/// dn' = (dn + μ t̂·dt)/(1 + μ²),   dt' = μ t̂ dn' + (μ n'/‖t‖)(dt − t̂ t̂·dt)
/// ```
pub(crate) fn projection_derivative(mu: f64, z: &[f64], out: &mut [f64]) {
    let d = z.len();
    let (n, t) = (z[0], tangent_norm(z));
    if t <= mu * n {
        (0..d).for_each(|i| out[i * d + i] = 1.0);
        return;
    }
    if mu * t <= -n {
        return;
    }
    let scale = 1.0 / (1.0 + mu * mu);
    let across = mu * (n + mu * t) * scale / t;
    out[0] = scale;
    for i in 1..d {
        let unit = z[i] / t;
        out[i] = scale * mu * unit;
        out[i * d] = out[i];
        for j in 1..d {
            let along = unit * (z[j] / t);
            out[i * d + j] = scale * mu * mu * along + across * (f64::from(u8::from(i == j)) - along);
        }
    }
}
