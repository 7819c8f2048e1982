//! Cones: what a constraint force may be, and the geometry every method needs of them.
//!
//! A block of constraint rows has a force λ ∈ K and a relative velocity y ∈ K*, with λ·y = 0.
//!
//! | [`Cone`] | K (force) | K* (velocity) |
//! |---|---|---|
//! | `Free` | everything | {0} |
//! | `NonNegative` | λ ≥ 0 in each row | y ≥ 0 in each row |
//! | `Friction { mu }` | ‖λ_t‖ ≤ μ λ_n | μ‖y_t‖ ≤ y_n |

pub(crate) mod face;
pub mod friction;
pub mod second_order;

/// The set a block's force belongs to; rows of a friction block are in the order normal, tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cone {
    /// Bilateral rows (joints, motors): the force has any value, the velocity is prescribed.
    Free,
    /// Unilateral rows without friction: each row pushes, never pulls.
    NonNegative,
    /// Coulomb's cone ‖λ_t‖ ≤ μ λ_n, in a plane (2 rows) or in space (3 rows).
    Friction {
        /// Coefficient of friction, ≥ 0.
        mu: f64,
    },
}

impl Cone {
    /// Replaces `z` by the nearest point of K.
    pub fn project(&self, z: &mut [f64]) {
        match *self {
            Self::Free => {}
            Self::NonNegative => z.iter_mut().for_each(|z| *z = z.max(0.0)),
            Self::Friction { mu } => friction::project(mu, z),
        }
    }

    /// `out = (g − Π(g − ρy))/ρ`, in the units of `y`, without subtracting large impulses from each other.
    ///
    /// ```text
    /// Free              y
    /// NonNegative       min(g/ρ, y)
    /// Friction, z = g − ρy = (n, t):
    ///   z inside K      y
    ///   z in −K*        g/ρ
    ///   else            y + a (−μ, t/‖t‖)/ρ,   a = (‖t‖ − μ n)/(1 + μ²)
    /// ```
    pub fn natural_map(&self, g: &[f64], y: &[f64], rho: f64, out: &mut [f64]) {
        match *self {
            Self::Free => out.copy_from_slice(y),
            Self::NonNegative => {
                for ((out, g), y) in out.iter_mut().zip(g).zip(y) {
                    // `min` would drop a NaN.
                    *out = if g / rho > *y || y.is_nan() { *y } else { g / rho };
                }
            }
            Self::Friction { mu } => {
                for ((out, g), y) in out.iter_mut().zip(g).zip(y) {
                    *out = g - rho * y;
                }
                let (n, t) = (out[0], friction::tangent_norm(out));
                // The polar cone first, as in the projection: μ = 0.
                if mu * t <= -n {
                    out.iter_mut().zip(g).for_each(|(out, g)| *out = g / rho);
                } else if t <= mu * n {
                    out.copy_from_slice(y);
                } else {
                    let a = (t - mu * n) / ((1.0 + mu * mu) * rho);
                    out[0] = y[0] - mu * a;
                    // t ≠ 0 here: with t = 0 one of the tests above holds.
                    out[1..].iter_mut().zip(&y[1..]).for_each(|(out, y)| *out = y + a * (*out / t));
                }
            }
        }
    }

    /// The longest step α ≥ 0 with `z + α d` ∈ K, for z ∈ K; infinite when the ray never leaves.
    #[must_use]
    pub fn longest_step(&self, z: &[f64], d: &[f64]) -> f64 {
        match *self {
            Self::Free => f64::INFINITY,
            Self::NonNegative => {
                let each = z.iter().zip(d).map(|(z, d)| if *d < 0.0 { z / -d } else { f64::INFINITY });
                each.fold(f64::INFINITY, f64::min)
            }
            Self::Friction { mu } => {
                let self_dual = |z: &[f64]| {
                    let mut out = [0.0; second_order::MAX_DIM];
                    out[..z.len()].copy_from_slice(z);
                    out[0] *= mu;
                    out
                };
                let step = second_order::step_to_boundary(&self_dual(z)[..z.len()], &self_dual(d)[..d.len()]);
                // The apex, where μ = 0 hides it.
                if d[0] < 0.0 { step.min(z[0] / -d[0]) } else { step }
            }
        }
    }

    /// Distance of `y` from K*, in the units of `y`.
    #[must_use]
    pub fn dual_distance(&self, y: &[f64]) -> f64 {
        // Moreau: y = Π_{K*}(y) − Π_K(−y), so the distance to K* is the length of Π_K(−y).
        let squared: f64 = match *self {
            Self::Free => y.iter().map(|y| y * y).sum(),
            Self::NonNegative => y.iter().map(|y| y.min(0.0).powi(2)).sum(),
            Self::Friction { mu } => {
                let t = friction::tangent_norm(y);
                // y ∈ K* / −y inside K / between; K* first, as in the projection: μ = 0.
                if mu * t <= y[0] {
                    0.0
                } else if t <= -mu * y[0] {
                    y.iter().map(|y| y * y).sum()
                } else {
                    (mu * t - y[0]).powi(2) / (1.0 + mu * mu)
                }
            }
        };
        squared.sqrt()
    }

    /// Distance of `force` from K, in the units of `force`.
    #[must_use]
    pub fn distance(&self, force: &[f64]) -> f64 {
        match *self {
            Self::Free => 0.0,
            Self::NonNegative => force.iter().map(|f| f.min(0.0).powi(2)).sum::<f64>().sqrt(),
            Self::Friction { mu } => {
                let t = friction::tangent_norm(force);
                if mu * t <= -force[0] {
                    force.iter().map(|f| f * f).sum::<f64>().sqrt()
                } else if t <= mu * force[0] {
                    0.0
                } else {
                    (t - mu * force[0]) / (1.0 + mu * mu).sqrt()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cone() -> impl Strategy<Value = Cone> {
        prop_oneof![
            Just(Cone::Free),
            Just(Cone::NonNegative),
            Just(Cone::Friction { mu: 0.0 }),
            (0.01f64..5.0).prop_map(|mu| Cone::Friction { mu })
        ]
    }
    fn triple() -> impl Strategy<Value = [f64; 3]> {
        // Zeros too: frictionless contacts have no tangential part at all.
        let entry = || prop_oneof![4 => -3.0f64..3.0, 1 => Just(0.0)];
        [entry(), entry(), entry()]
    }
    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    proptest! {
        /// Π(z) is characterised by Π(z) ∈ K, z − Π(z) ∈ −K*, Π(z) ⟂ z − Π(z): this determines it uniquely.
        #[test]
        fn projection_is_the_moreau_decomposition(cone in cone(), z in triple()) {
            let mut p = z;
            cone.project(&mut p);
            let polar: [f64; 3] = std::array::from_fn(|i| p[i] - z[i]);
            prop_assert!(cone.distance(&p) < 1e-14);
            prop_assert!(cone.dual_distance(&polar) < 1e-13, "{polar:?}");
            prop_assert!(dot(&p, &polar).abs() < 1e-13);
            // The distance is the length of what projection removes.
            prop_assert!((cone.distance(&z) - dot(&polar, &polar).sqrt()).abs() < 1e-13);
            let mut again = p;
            cone.project(&mut again);
            prop_assert!((0..3).all(|i| (again[i] - p[i]).abs() < 1e-14));
        }

        #[test]
        fn natural_map_is_what_projection_gives(cone in cone(), g in triple(), y in triple(), rho in 0.1f64..10.0) {
            let mut z: [f64; 3] = std::array::from_fn(|i| g[i] - rho * y[i]);
            cone.project(&mut z);
            let mut found = [0.0; 3];
            cone.natural_map(&g, &y, rho, &mut found);
            for i in 0..3 {
                prop_assert!((found[i] - (g[i] - z[i]) / rho).abs() < 1e-13 * (1.0 + 1.0 / rho), "{found:?} {z:?}");
            }
        }

        #[test]
        fn projection_brings_points_closer_together(cone in cone(), a in triple(), b in triple()) {
            let (mut pa, mut pb) = (a, b);
            cone.project(&mut pa);
            cone.project(&mut pb);
            let (before, after): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|i| a[i] - b[i]), std::array::from_fn(|i| pa[i] - pb[i]));
            prop_assert!(dot(&after, &after) <= dot(&before, &before) * (1.0 + 1e-14));
        }

        #[test]
        fn dual_distance_is_zero_exactly_where_no_force_gains_energy(mu in 0.0f64..3.0, y in triple(), angle in 0.0f64..6.3) {
            let cone = Cone::Friction { mu };
            // A generator of K: unit normal force with full friction in some direction.
            let generator = [1.0, mu * angle.cos(), mu * angle.sin()];
            if cone.dual_distance(&y) == 0.0 {
                prop_assert!(dot(&generator, &y) >= -1e-13);
            }
            let t = (y[1] * y[1] + y[2] * y[2]).sqrt();
            prop_assert_eq!(cone.dual_distance(&y) > 0.0, mu * t > y[0]);
        }
    }
}
