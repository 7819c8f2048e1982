//! Quadrature: points ξ and weights w with ∫ p dξ = Σ w p(ξ) for polynomials p up to a degree.
//!
//! | rule | points | exact to | used for |
//! |---|---|---|---|
//! | `centroid` | 1 | degree 1 | TET4 forces: strain is constant |
//! | `tetrahedron_4` | 4 | degree 2 | TET10 forces: BᵀDB of a straight-sided element has degree 2; 4 points × 6 strains = 24 = 30 − 6, the full rank. Five points cost more, have a negative weight (an indefinite tangent is possible) and would gain degree 3, which no straight-sided element has |
//! | `gauss_2` | 8 | degree 3 a direction | HEX8 forces: full rank, no hourglass modes |
//! | `tetrahedron_mass` | 125 | degree 7 | mass: N N det J of a curved TET10 has degree 7 |
//! | `gauss_3` | 27 | degree 5 a direction | mass of HEX8: N N det J has degree 4 a direction |

use super::shape::HEX8_CORNERS;
use crate::Vec3;

/// A point of the reference element and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Reference coordinates.
    pub(crate) xi: Vec3,
    /// Weight; all sum to the volume of the reference element (1/6 or 8).
    pub(crate) weight: f64,
}

/// One point in the middle of the tetrahedron.
pub(crate) fn centroid() -> [Point; 1] {
    [Point { xi: Vec3::splat(0.25), weight: 1.0 / 6.0 }]
}

/// The barycentric coordinate of the four points of degree 2 at their own corner: (5 + 3√5)/20.
pub(crate) fn tetrahedron_4_near() -> f64 {
    (5.0 + 3.0 * 5f64.sqrt()) / 20.0
}

/// Four points, one near each corner: barycentric coordinates a = (5 + 3√5)/20 and three times b = (5 − √5)/20.
pub(crate) fn tetrahedron_4() -> [Point; 4] {
    let a = tetrahedron_4_near();
    let b = (1.0 - a) / 3.0;
    let middle = Vec3::splat(b);
    let toward = a - b;
    [middle, middle + Vec3::X * toward, middle + Vec3::Y * toward, middle + Vec3::Z * toward]
        .map(|xi| Point { xi, weight: 1.0 / 24.0 })
}

/// Gauss' rule with two points a direction, in the order of the corners.
pub(crate) fn gauss_2() -> [Point; 8] {
    HEX8_CORNERS.map(|corner| Point { xi: corner / 3f64.sqrt(), weight: 1.0 })
}

/// Gauss' rule with three points a direction.
pub(crate) fn gauss_3() -> [Point; 27] {
    let line = [(-0.6f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0)];
    std::array::from_fn(|k| {
        let [(x, a), (y, b), (z, c)] = [line[k % 3], line[k / 3 % 3], line[k / 9]];
        Point { xi: Vec3::new(x, y, z), weight: a * b * c }
    })
}

/// Gauss' rule with five points a direction on the cube (u, v, w) ∈ [0, 1]³, collapsed to the tetrahedron by
/// ξ = u, η = (1 − u) v, ζ = (1 − u)(1 − v) w with the determinant (1 − u)² (1 − v): degree 9 − 2 = 7. All weights > 0.
pub(crate) fn tetrahedron_mass() -> [Point; 125] {
    let (root_7, root_70) = ((10.0 / 7.0f64).sqrt(), 70f64.sqrt());
    let (inner, outer) = ((5.0 - 2.0 * root_7).sqrt() / 3.0, (5.0 + 2.0 * root_7).sqrt() / 3.0);
    let (heavy, light) = ((322.0 + 13.0 * root_70) / 900.0, (322.0 - 13.0 * root_70) / 900.0);
    let line = [(-outer, light), (-inner, heavy), (0.0, 128.0 / 225.0), (inner, heavy), (outer, light)]
        .map(|(x, weight)| (0.5 * (1.0 + x), 0.5 * weight));
    std::array::from_fn(|k| {
        let [(u, a), (v, b), (w, c)] = [line[k % 5], line[k / 5 % 5], line[k / 25]];
        let xi = Vec3::new(u, (1.0 - u) * v, (1.0 - u) * (1.0 - v) * w);
        Point { xi, weight: a * b * c * (1.0 - u) * (1.0 - u) * (1.0 - v) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: i32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    fn sum(points: &[Point], powers: [i32; 3]) -> f64 {
        points.iter().map(|p| p.weight * p.xi.x.powi(powers[0]) * p.xi.y.powi(powers[1]) * p.xi.z.powi(powers[2])).sum()
    }

    #[test]
    fn rules_of_the_tetrahedron_are_exact_to_their_degree() {
        for (points, degree) in [(&centroid()[..], 1), (&tetrahedron_4(), 2), (&tetrahedron_mass(), 7)] {
            for a in 0..=degree {
                for b in 0..=degree - a {
                    for c in 0..=degree - a - b {
                        // ∫ ξᵃ ηᵇ ζᶜ = a! b! c! / (a + b + c + 3)!
                        let exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
                        let ours = sum(points, [a, b, c]);
                        assert!((ours - exact).abs() < 1e-15, "degree {degree}, {a} {b} {c}: {ours} {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn rules_of_the_hexahedron_are_exact_to_their_degree() {
        let line = |p: i32| if p % 2 == 0 { 2.0 / f64::from(p + 1) } else { 0.0 };
        for (points, degree) in [(&gauss_2()[..], 3), (&gauss_3(), 5)] {
            for k in 0..(degree + 1) * (degree + 1) * (degree + 1) {
                let powers = [k % (degree + 1), k / (degree + 1) % (degree + 1), k / (degree + 1) / (degree + 1)];
                let exact: f64 = powers.into_iter().map(line).product();
                assert!((sum(points, powers) - exact).abs() < 1e-14, "{powers:?}");
            }
        }
    }
}
