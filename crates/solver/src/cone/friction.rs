//! Coulomb's cone K_μ = {‖t‖ ≤ μ n} and its dual, in two or three dimensions.

/// Length of the tangential part of `z = (n, t…)`.
#[must_use]
#[inline]
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
#[inline(always)]
pub fn project(mu: f64, z: &mut [f64]) {
    let (n, t) = (z[0], tangent_norm(z));
    // All cases are computed and one is selected: which one is hard to foresee, and a wrong guess costs the processor more
    // than a division. The polar cone goes first: with μ = 0 and t = 0 the test for the inside, t ≤ μn, holds for n < 0, too.
    // Where t = 0, one of the two is taken.
    let n_on_cone = (n + mu * t) / (1.0 + mu * mu);
    let sliding = mu * n_on_cone / t;
    let (inside, polar) = (t <= mu * n, mu * t <= -n);
    let shrink = if inside { 1.0 } else { sliding };
    let shrink = if polar { 0.0 } else { shrink };
    let normal = if inside { n } else { n_on_cone };
    z[0] = if polar { 0.0 } else { normal };
    // + 0 makes a zero of a negative number times zero the usual one.
    z[1..].iter_mut().for_each(|t| *t = *t * shrink + 0.0);
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
    if mu * t <= -n {
        return;
    }
    if t <= mu * n {
        (0..d).for_each(|i| out[i * d + i] = 1.0);
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
