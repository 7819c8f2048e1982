//! Cones: what a constraint force may be, and the geometry every method needs of them.
//!
//! A block of constraint rows has a force λ ∈ K and a relative velocity y ∈ K*, with λ·y = 0.
//!
//! | [`Cone`] | K (force) | K* (velocity) |
//! |---|---|---|
//! | `Free` | everything | {0} |
//! | `NonNegative` | λ ≥ 0 in each row | y ≥ 0 in each row |
//! | `Friction { mu }` | ‖λ_t‖ ≤ μ λ_n | μ‖y_t‖ ≤ y_n |
//! | `Rolling { mu, mu_r }` | ‖λ_t‖ ≤ μ λ_n, ‖λ_r‖ ≤ μ_r λ_n | μ‖y_t‖ + μ_r‖y_r‖ ≤ y_n |

pub(crate) mod face;
pub mod friction;
pub mod rolling;
pub mod second_order;

/// Most rows a block with friction has (normal, two tangents, two axes of rolling).
pub(crate) const MAX_ROWS: usize = 5;

/// Friction below this is lost in the rounding of the normal force.
pub(crate) const NO_FRICTION: f64 = 1e-16;

/// The set a block's force belongs to; rows of a friction block are in the order normal, tangents, rolling.
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
    /// Friction with resistance to rolling and spinning, 5 rows: force and moment with ‖λ_t‖ ≤ μ λ_n, ‖λ_r‖ ≤ μ_r λ_n.
    Rolling {
        /// Coefficient of friction, ≥ 0.
        mu: f64,
        /// Coefficient of rolling friction, ≥ 0: a length, the largest lever arm of the normal force.
        mu_r: f64,
    },
}

impl Cone {
    /// Replaces `z` by the nearest point of K.
    #[inline(always)]
    pub fn project(&self, z: &mut [f64]) {
        match *self {
            Self::Free => {}
            Self::NonNegative => z.iter_mut().for_each(|z| *z = z.max(0.0)),
            Self::Friction { mu } => friction::project(mu, z),
            Self::Rolling { mu, mu_r } => rolling::project(mu, mu_r, z),
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
    /// Rolling           likewise
    /// ```
    #[inline]
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
            Self::Rolling { mu, mu_r } => rolling::natural_map(mu, mu_r, g, y, rho, out),
        }
    }

    /// Whether the cone has room for friction or rolling resistance: whether [`Cone::dilation`] can differ from zero.
    #[must_use]
    pub fn has_friction(&self) -> bool {
        match *self {
            Self::Free | Self::NonNegative => false,
            Self::Friction { mu } => mu > 0.0,
            Self::Rolling { mu, mu_r } => mu > 0.0 || mu_r > 0.0,
        }
    }

    /// De Saxcé's term s(u) = μ‖u_t‖ (+ μ_r‖u_r‖ with rolling). With it on the normal row, y = u + s e_n, the conditions y ∈ K*, g ∈ K, g·y = 0 are
    /// Coulomb's law: u_n ≥ 0 ⟂ g_n ≥ 0, and friction against the slip. Without it sliding opens a gap at the speed s.
    #[must_use]
    pub fn dilation(&self, u: &[f64]) -> f64 {
        match *self {
            Self::Free | Self::NonNegative => 0.0,
            Self::Friction { mu } => mu * friction::tangent_norm(u),
            Self::Rolling { mu, mu_r } => mu * rolling::length(&u[1..3]) + mu_r * rolling::length(&u[3..5]),
        }
    }

    /// Gradient of [`Cone::dilation`]; zero where that has a kink.
    pub(crate) fn dilation_gradient(&self, u: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut part = |range: std::ops::Range<usize>, mu: f64| {
            let slip = u[range.clone()].iter().map(|u| u * u).sum::<f64>().sqrt();
            if slip > 0.0 {
                out[range.clone()].iter_mut().zip(&u[range]).for_each(|(out, u)| *out = mu * u / slip);
            }
        };
        match *self {
            Self::Free | Self::NonNegative => {}
            Self::Friction { mu } => part(1..u.len(), mu),
            Self::Rolling { mu, mu_r } => {
                part(1..3, mu);
                part(3..5, mu_r);
            }
        }
    }

    /// An element of the generalised derivative of Π at `z`, row-major: the identity inside K, zero in the polar cone.
    pub(crate) fn projection_derivative(&self, z: &[f64], out: &mut [f64]) {
        let d = z.len();
        out.fill(0.0);
        match *self {
            Self::Free => (0..d).for_each(|i| out[i * d + i] = 1.0),
            Self::NonNegative => (0..d).for_each(|i| out[i * d + i] = f64::from(u8::from(z[i] > 0.0))),
            Self::Friction { mu } => friction::projection_derivative(mu, z, out),
            Self::Rolling { mu, mu_r } => rolling::projection_derivative(mu, mu_r, z, out),
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
            // Whichever of the two friction cones is left first.
            Self::Rolling { mu, mu_r } => {
                let part = |x: &[f64], first: usize| [x[0], x[first], x[first + 1]];
                let step = |first: usize, mu: f64| Self::Friction { mu }.longest_step(&part(z, first), &part(d, first));
                step(1, mu).min(step(3, mu_r))
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
            Self::Rolling { mu, mu_r } => {
                let opposite: [f64; MAX_ROWS] = std::array::from_fn(|i| -y[i]);
                rolling::squared_length_of_projection(mu, mu_r, &opposite)
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
            Self::Rolling { mu, mu_r } => rolling::distance(mu, mu_r, force),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coefficient() -> impl Strategy<Value = f64> {
        prop_oneof![1 => Just(0.0), 3 => 0.01f64..5.0]
    }
    /// A cone and the number of its rows.
    fn cone() -> impl Strategy<Value = (Cone, usize)> {
        prop_oneof![
            Just((Cone::Free, 3)),
            Just((Cone::NonNegative, 3)),
            (coefficient(), 2usize..4).prop_map(|(mu, rows)| (Cone::Friction { mu }, rows)),
            (coefficient(), coefficient()).prop_map(|(mu, mu_r)| (Cone::Rolling { mu, mu_r }, 5)),
        ]
    }
    fn cone_and_points() -> impl Strategy<Value = (Cone, Vec<f64>, Vec<f64>)> {
        cone().prop_flat_map(|(cone, rows)| {
            let point = || prop::collection::vec(-3.0f64..3.0, rows);
            (Just(cone), point(), point())
        })
    }
    fn triple() -> impl Strategy<Value = [f64; 3]> {
        // Zeros too: frictionless contacts have no tangential part at all.
        let entry = || prop_oneof![4 => -3.0f64..3.0, 1 => Just(0.0)];
        [entry(), entry(), entry()]
    }
    fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a - b).collect()
    }
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    proptest! {
        /// Π(z) is characterised by Π(z) ∈ K, z − Π(z) ∈ −K*, Π(z) ⟂ z − Π(z): this determines it uniquely.
        #[test]
        fn projection_is_the_moreau_decomposition((cone, z, _) in cone_and_points()) {
            let mut p = z.clone();
            cone.project(&mut p);
            let polar = minus(&p, &z);
            prop_assert!(cone.distance(&p) < 1e-14);
            prop_assert!(cone.dual_distance(&polar) < 1e-13, "{polar:?}");
            prop_assert!(dot(&p, &polar).abs() < 1e-13);
            // The distance is the length of what projection removes.
            prop_assert!((cone.distance(&z) - dot(&polar, &polar).sqrt()).abs() < 1e-13);
            let mut again = p.clone();
            cone.project(&mut again);
            prop_assert!(minus(&again, &p).iter().all(|x| x.abs() < 1e-14));
            // The distance from the dual is the length of the projection of the opposite point.
            let opposite: Vec<f64> = z.iter().map(|z| -z).collect();
            prop_assert!((cone.dual_distance(&opposite) - dot(&p, &p).sqrt()).abs() < 1e-13);
        }

        #[test]
        fn the_derivative_of_the_projection_is_that_of_small_differences((cone, z, d) in cone_and_points()) {
            let (rows, h) = (z.len(), 1e-6);
            let moved = |h: f64| -> Vec<f64> {
                let mut moved: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z + h * d).collect();
                cone.project(&mut moved);
                moved
            };
            let (ahead, back) = (moved(h), moved(-h));
            let one_sided = minus(&moved(h), &moved(0.0)).iter().zip(minus(&moved(0.0), &moved(-h)))
                .map(|(a, b)| (a - b).abs() / h).fold(0.0, f64::max);
            // At a kink of Π the two one-sided derivatives differ.
            prop_assume!(one_sided < 1e-3);
            let mut p = vec![0.0; rows * rows];
            cone.projection_derivative(&z, &mut p);
            for i in 0..rows {
                let expected = (ahead[i] - back[i]) / (2.0 * h);
                let found = dot(&p[i * rows..(i + 1) * rows], &d);
                prop_assert!((found - expected).abs() < 1e-6 * (1.0 + 1.0 / dot(&z, &z)), "{found} {expected} {p:?}");
            }
            let mut slope = vec![0.0; rows];
            cone.dilation_gradient(&z, &mut slope);
            let at = |h: f64| cone.dilation(&z.iter().zip(&d).map(|(z, d)| z + h * d).collect::<Vec<_>>());
            let expected = (at(h) - at(-h)) / (2.0 * h);
            prop_assume!(z[1..].iter().all(|z| z.abs() > 1e-3));
            prop_assert!((dot(&slope, &d) - expected).abs() < 1e-6);
        }

        #[test]
        fn natural_map_is_what_projection_gives((cone, g, y) in cone_and_points(), rho in 0.1f64..10.0) {
            let mut z: Vec<f64> = g.iter().zip(&y).map(|(g, y)| g - rho * y).collect();
            cone.project(&mut z);
            let mut found = vec![0.0; g.len()];
            cone.natural_map(&g, &y, rho, &mut found);
            for i in 0..g.len() {
                prop_assert!((found[i] - (g[i] - z[i]) / rho).abs() < 1e-13 * (1.0 + 1.0 / rho), "{found:?} {z:?}");
            }
        }

        #[test]
        fn projection_brings_points_closer_together((cone, a, b) in cone_and_points()) {
            let (mut pa, mut pb) = (a.clone(), b.clone());
            cone.project(&mut pa);
            cone.project(&mut pb);
            let (before, after) = (minus(&a, &b), minus(&pa, &pb));
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

        #[test]
        fn no_rolling_force_gains_energy_where_the_dual_distance_is_zero(
            mu in coefficient(), mu_r in coefficient(), y in prop::collection::vec(-3.0f64..3.0, 5),
            angles in [0.0f64..6.3, 0.0f64..6.3],
        ) {
            let cone = Cone::Rolling { mu, mu_r };
            let [a, b] = angles;
            let generator = [1.0, mu * a.cos(), mu * a.sin(), mu_r * b.cos(), mu_r * b.sin()];
            if cone.dual_distance(&y) == 0.0 {
                prop_assert!(dot(&generator, &y) >= -1e-13);
            }
            let (t, r) = (y[1].hypot(y[2]), y[3].hypot(y[4]));
            let excess = mu * t + mu_r * r - y[0];
            prop_assert!(excess.abs() < 1e-13 || (cone.dual_distance(&y) > 0.0) == (excess > 0.0));
        }
    }

    /// Where a part of the impulse is inside its cone, the natural map is the velocity itself, to the last digit.
    #[test]
    fn large_impulses_do_not_hide_small_velocities() {
        let (g, y) = ([1e12, 1e11, 2e11, 0.0, 1e10], [0.1, 0.2, 0.3, 0.4, 0.5]);
        let mut out = [0.0; 5];
        Cone::Rolling { mu: 0.5, mu_r: 0.1 }.natural_map(&g, &y, 1.0, &mut out);
        assert_eq!(out, y);
        // Sliding far off the friction cone, rolling held.
        Cone::Rolling { mu: 0.1, mu_r: 0.1 }.natural_map(&g, &y, 1.0, &mut out);
        assert_eq!(out[3..], y[3..]);
        assert!(out[1] > 1e10);
    }
}
