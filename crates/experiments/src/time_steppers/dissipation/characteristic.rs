//! How much a step of the implicit family shrinks a linear oscillator: the closed form.
//!
//! ẍ = −ω²x, with lengths of time in steps (X = x, V = h v, Â = h²â, Ω = ωh). The family is
//!
//! ```text
//! (1 − α_m) Â⁺ + α_m Â = −Ω² [(1 − α_f) X⁺ + α_f X]
//! X⁺ = X + V + p₀ Â + p₁ Â⁺,     V⁺ = V + s₀ Â + s₁ Â⁺
//! ```
//!
//! For (X, V, Â)⁺ = z (X, V, Â): V (z − 1) = (s₀ + s₁ z) Â and X (z − 1) = V + (p₀ + p₁ z) Â, so that
//! X (z − 1)² = [p₁ z² + (p₀ − p₁ + s₁) z + s₀ − p₀] Â, and what multiplies X must vanish:
//!
//! ```text
//! (z − 1)² [(1 − α_m) z + α_m] + Ω² [(1 − α_f) z + α_f] [p₁ z² + (p₀ − p₁ + s₁) z + s₀ − p₀] = 0
//! ```
//!
//! The largest |z| is the factor by which the motion shrinks a step.

use signorini_mechanics::Stepper;

/// α_m, α_f, [p₀, p₁], [s₀, s₁], written down once more: nothing is shared with the steppers.
struct Family(f64, f64, [f64; 2], [f64; 2]);

fn newmark(alpha_m: f64, alpha_f: f64, beta: f64, gamma: f64) -> Family {
    Family(alpha_m, alpha_f, [0.5 - beta, beta], [1.0 - gamma, gamma])
}

fn family(stepper: &Stepper) -> Option<Family> {
    Some(match *stepper {
        Stepper::ImplicitEuler => Family(0.0, 0.0, [0.0, 1.0], [0.0, 1.0]),
        Stepper::Trapezoidal => newmark(0.0, 0.0, 0.25, 0.5),
        Stepper::Newmark { beta, gamma } => newmark(0.0, 0.0, beta, gamma),
        Stepper::Hht { alpha } => newmark(0.0, -alpha, (1.0 - alpha).powi(2) / 4.0, 0.5 - alpha),
        Stepper::GeneralisedAlpha { rho } => {
            let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
            // γ = (3 − ρ)/(2(1 + ρ)) and β = 1/(1 + ρ)², the forms of Chung and Hulbert in ρ alone.
            newmark(alpha_m, alpha_f, (rho + 1.0).powi(-2), (3.0 - rho) / (2.0 * (rho + 1.0)))
        }
        _ => return None,
    })
}

/// The largest |z| for Ω = ωh; `None` for steppers that are not of the family.
pub(super) fn spectral_radius(stepper: &Stepper, omega_h: f64) -> Option<f64> {
    let Family(alpha_m, alpha_f, [p0, p1], [s0, s1]) = family(stepper)?;
    // Coefficients from z³ down; the first product is (z² − 2z + 1)[(1 − α_m) z + α_m].
    let inertia = [1.0 - alpha_m, 3.0 * alpha_m - 2.0, 1.0 - 3.0 * alpha_m, alpha_m];
    let [a, b, c] = [p1, p0 - p1 + s1, s0 - p0];
    let [f, g] = [1.0 - alpha_f, alpha_f];
    let stiffness = [f * a, f * b + g * a, f * c + g * b, g * c];
    let square = omega_h * omega_h;
    let sum: [f64; 4] = std::array::from_fn(|k| inertia[k] + square * stiffness[k]);
    Some(largest_root(&sum))
}

/// The largest |z| of a polynomial with real coefficients, highest power first, degree at most three.
pub(super) fn largest_root(coefficients: &[f64]) -> f64 {
    let scale = coefficients.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    let first = coefficients.iter().position(|c| c.abs() > 1e-14 * scale).unwrap_or(0);
    match coefficients[first..] {
        [a, b, c, d] => {
            let [b, c, d] = [b / a, c / a, d / a];
            // One real root by Newton's method and bisection, the pair from what is left.
            let real = real_root(b, c, d);
            let (p, q) = (b + real, c + real * (b + real));
            real.abs().max(largest_of_pair(p, q))
        }
        [a, b, c] => largest_of_pair(b / a, c / a),
        [a, b] => (b / a).abs(),
        _ => 0.0,
    }
}

/// The largest |z| of z² + pz + q.
fn largest_of_pair(p: f64, q: f64) -> f64 {
    let discriminant = 0.25 * p * p - q;
    if discriminant < 0.0 { q.max(0.0).sqrt() } else { 0.5 * p.abs() + discriminant.sqrt() }
}

/// A real root of z³ + bz² + cz + d by bisection: the sign differs at both ends of Cauchy's bound.
fn real_root(b: f64, c: f64, d: f64) -> f64 {
    let value = |z: f64| ((z + b) * z + c) * z + d;
    let bound = 1.0 + b.abs().max(c.abs()).max(d.abs());
    let (mut low, mut high) = (-bound, bound);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if value(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_known_polynomials() {
        // (z − 2)(z² + 9), (z + 3)(z − 1)(z − 2), 5(z − 4), (z − 1)(z + 2).
        let known = [
            (vec![1.0, -2.0, 9.0, -18.0], 3.0),
            (vec![1.0, 0.0, -7.0, 6.0], 3.0),
            (vec![5.0, -20.0], 4.0),
            (vec![1.0, 1.0, -2.0], 2.0),
        ];
        for (coefficients, largest) in known {
            assert!((largest_root(&coefficients) - largest).abs() < 1e-9, "{coefficients:?}");
        }
    }

    #[test]
    fn the_limits_are_the_known_ones() {
        let radius = |stepper, omega_h| spectral_radius(&stepper, omega_h).unwrap();
        for rho in [0.0, 0.3, 0.5, 0.8, 1.0] {
            let stepper = Stepper::GeneralisedAlpha { rho };
            assert!((radius(stepper, 1e7) - rho).abs() < 1e-3, "{rho} {}", radius(stepper, 1e7));
            assert!((radius(stepper, 1e-3) - 1.0).abs() < 1e-6);
        }
        // Implicit Euler: (z − 1)² + Ω²z² = 0, |z| = 1/√(1 + Ω²). Trapezoidal: 1.
        for omega_h in [0.1, 1.0, 30.0] {
            assert!((radius(Stepper::ImplicitEuler, omega_h) - (1.0 + omega_h * omega_h).powf(-0.5)).abs() < 1e-9);
            assert!((radius(Stepper::Trapezoidal, omega_h) - 1.0).abs() < 1e-6);
        }
        // HHT at infinity: (1 + α)/(1 − α) for α from −1/3 to 0.
        for alpha in [0.0, -0.1, -0.2, -1.0 / 3.0] {
            let limit = (1.0 + alpha) / (1.0 - alpha);
            assert!((radius(Stepper::Hht { alpha }, 1e7) - limit).abs() < 1e-3, "{alpha}");
        }
    }
}
