//! Friction with resistance to rolling: K = {‖T‖ ≤ μ n, ‖R‖ ≤ μ_r n} on z = (n, T, R), T and R in the plane of contact.
//!
//! The nearest point of K keeps the directions of T and R; its height n' ≥ 0 minimises
//!
//! ```text
//! ½(n' − n)² + ½(‖T‖ − μ n')₊² + ½(‖R‖ − μ_r n')₊²
//! ```
//!
//! which is quadratic on each of the pieces told apart by which of the two terms count.

/// Where the nearest point of K lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    /// The point is in K.
    Inside,
    /// The nearest point is zero.
    Apex,
    /// On the boundary, at this height; what is cut off ‖T‖ and ‖R‖ (one of them may be zero).
    Boundary { height: f64, cut_t: f64, cut_r: f64 },
}

impl Foot {
    /// For n, ‖T‖, ‖R‖:
    ///
    /// ```text
    /// T only   cut_t = (‖T‖ − μ n)/(1 + μ²),   height = n + μ cut_t      if ‖R‖ ≤ μ_r height; R only likewise
    /// both     height = (n + μ‖T‖ + μ_r‖R‖)/(1 + μ² + μ_r²)
    /// ```
    pub(crate) fn new(mu: f64, mu_r: f64, n: f64, t: f64, r: f64) -> Self {
        // The polar cone first: without friction the test for the inside holds for n < 0, too.
        if mu * t + mu_r * r <= -n {
            return Self::Apex;
        }
        if t <= mu * n && r <= mu_r * n {
            return Self::Inside;
        }
        if t > mu * n {
            let cut_t = (t - mu * n) / (1.0 + mu * mu);
            let height = n + mu * cut_t;
            if r <= mu_r * height {
                return Self::Boundary { height, cut_t, cut_r: 0.0 };
            }
        }
        if r > mu_r * n {
            let cut_r = (r - mu_r * n) / (1.0 + mu_r * mu_r);
            let height = n + mu_r * cut_r;
            if t <= mu * height {
                return Self::Boundary { height, cut_t: 0.0, cut_r };
            }
        }
        let sum = 1.0 + mu * mu + mu_r * mu_r;
        let across = mu_r * t - mu * r;
        Self::Boundary {
            height: (n + mu * t + mu_r * r) / sum,
            cut_t: (t - mu * n + mu_r * across) / sum,
            cut_r: (r - mu_r * n - mu * across) / sum,
        }
    }

    fn of(mu: f64, mu_r: f64, z: &[f64]) -> (Self, f64, f64) {
        let (t, r) = (length(&z[1..3]), length(&z[3..5]));
        (Self::new(mu, mu_r, z[0], t, r), t, r)
    }
}

/// Length of a vector of the plane.
pub(crate) fn length(x: &[f64]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

/// Replaces `z` by the nearest point of K.
pub fn project(mu: f64, mu_r: f64, z: &mut [f64]) {
    match Foot::of(mu, mu_r, z) {
        (Foot::Inside, ..) => {}
        (Foot::Apex, ..) => z.fill(0.0),
        (Foot::Boundary { height, cut_t, cut_r }, t, r) => {
            z[0] = height;
            // What is cut is longer than what is left of it, so t, r ≠ 0.
            if cut_t > 0.0 {
                z[1..3].iter_mut().for_each(|x| *x *= mu * height / t);
            }
            if cut_r > 0.0 {
                z[3..5].iter_mut().for_each(|x| *x *= mu_r * height / r);
            }
        }
    }
}

/// `out = (g − Π(z))/ρ` with z = g − ρy, that is `y + (z − Π(z))/ρ`: impulses cancel nowhere.
pub(super) fn natural_map(mu: f64, mu_r: f64, g: &[f64], y: &[f64], rho: f64, out: &mut [f64]) {
    for ((out, g), y) in out.iter_mut().zip(g).zip(y) {
        *out = g - rho * y;
    }
    match Foot::of(mu, mu_r, out) {
        (Foot::Inside, ..) => out.copy_from_slice(y),
        (Foot::Apex, ..) => out.iter_mut().zip(g).for_each(|(out, g)| *out = g / rho),
        (Foot::Boundary { cut_t, cut_r, .. }, t, r) => {
            out[0] = y[0] - (mu * cut_t + mu_r * cut_r) / rho;
            let rest = |out: &mut [f64], y: &[f64], cut: f64, length: f64| {
                // A part that is not cut may have no length. Comparing this way lets NaN through.
                let share = if cut == 0.0 { 0.0 } else { cut / (rho * length) };
                out.iter_mut().zip(y).for_each(|(out, y)| *out = y + share * *out);
            };
            rest(&mut out[1..3], &y[1..3], cut_t, t);
            rest(&mut out[3..5], &y[3..5], cut_r, r);
        }
    }
}

/// Derivative of [`project`] at `z`, row-major, `out` being zero.
///
/// On the boundary, A being the parts x_i ∈ {T, R} that are cut, x̂ their directions and S = 1 + Σ_A μ_i²:
///
/// ```text
/// dn' = (dn + Σ_A μ_i x̂_i·dx_i)/S,   dx_i' = μ_i x̂_i dn' + (μ_i n'/‖x_i‖)(dx_i − x̂_i x̂_i·dx_i),   others dx_i' = dx_i
/// ```
pub(super) fn projection_derivative(mu: f64, mu_r: f64, z: &[f64], out: &mut [f64]) {
    let (foot, t, r) = Foot::of(mu, mu_r, z);
    match foot {
        Foot::Inside => (0..5).for_each(|i| out[i * 5 + i] = 1.0),
        Foot::Apex => {}
        Foot::Boundary { height, cut_t, cut_r } => {
            let mut slope = [1.0, 0.0, 0.0, 0.0, 0.0];
            let mut sum = 1.0;
            for (first, mu, length, cut) in [(1, mu, t, cut_t), (3, mu_r, r, cut_r)] {
                if cut == 0.0 {
                    (first..first + 2).for_each(|i| out[i * 5 + i] = 1.0);
                    continue;
                }
                sum += mu * mu;
                for i in first..first + 2 {
                    slope[i] = mu * z[i] / length;
                    for j in first..first + 2 {
                        let across = f64::from(u8::from(i == j)) - z[i] * z[j] / (length * length);
                        out[i * 5 + j] = mu * height / length * across;
                    }
                }
            }
            // (dn', μ_i x̂_i dn') = slope · (slope·dz)/S.
            for i in 0..5 {
                for j in 0..5 {
                    out[i * 5 + j] += slope[i] * slope[j] / sum;
                }
            }
        }
    }
}

/// Distance of `z` from K.
pub(super) fn distance(mu: f64, mu_r: f64, z: &[f64]) -> f64 {
    match Foot::of(mu, mu_r, z).0 {
        Foot::Inside => 0.0,
        Foot::Apex => z.iter().map(|z| z * z).sum::<f64>().sqrt(),
        Foot::Boundary { cut_t, cut_r, .. } => {
            ((mu * cut_t + mu_r * cut_r).powi(2) + cut_t * cut_t + cut_r * cut_r).sqrt()
        }
    }
}

/// Length of the nearest point of K, squared.
pub(super) fn squared_length_of_projection(mu: f64, mu_r: f64, z: &[f64]) -> f64 {
    let (foot, t, r) = Foot::of(mu, mu_r, z);
    match foot {
        Foot::Inside => z.iter().map(|z| z * z).sum(),
        Foot::Apex => 0.0,
        Foot::Boundary { height, cut_t, cut_r } => {
            let left = |cut: f64, length: f64, limit: f64| if cut == 0.0 { length } else { limit };
            height.powi(2) + left(cut_t, t, mu * height).powi(2) + left(cut_r, r, mu_r * height).powi(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Coefficients with and without either kind of friction.
    fn coefficient() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), 1e-3f64..5.0]
    }

    proptest! {
        /// Neither a little more nor a little less height is nearer: the least of a convex function.
        #[test]
        fn the_height_is_the_best_one(
            mu in coefficient(), mu_r in coefficient(), n in -3.0f64..3.0, t in 0.0f64..3.0, r in 0.0f64..3.0,
        ) {
            let cost = |h: f64| (h - n).powi(2) + (t - mu * h).max(0.0).powi(2) + (r - mu_r * h).max(0.0).powi(2);
            let height = match Foot::new(mu, mu_r, n, t, r) {
                Foot::Inside => n,
                Foot::Apex => 0.0,
                Foot::Boundary { height, cut_t, cut_r } => {
                    prop_assert!((cut_t - (t - mu * height).max(0.0)).abs() < 1e-13);
                    prop_assert!((cut_r - (r - mu_r * height).max(0.0)).abs() < 1e-13);
                    height
                }
            };
            prop_assert!(height >= 0.0);
            for step in [1e-3, 1e-5] {
                prop_assert!(cost(height) <= cost(height + step));
                prop_assert!(height < step || cost(height) <= cost(height - step));
            }
        }
    }
}
