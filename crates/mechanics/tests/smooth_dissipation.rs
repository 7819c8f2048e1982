//! Numerical dissipation: what a stepper makes of an oscillator is the recurrence of its characteristic polynomial.
//!
//! For ẍ = −ω²x with Ω = ωh the implicit family reads, in (x, hv, h²â),
//!
//! ```text
//! x⁺ = x + hv + p₀ h²â + p₁ h²â⁺,   hv⁺ = hv + s₀ h²â + s₁ h²â⁺,
//! (1 − α_m) h²â⁺ + α_m h²â = −Ω²[(1 − α_f) x⁺ + α_f x]
//! ```
//!
//! The eigenvalues ζ of one step are the roots of the determinant of (x⁺ = ζx, …), a cubic; every sequence of positions satisfies
//! the linear recurrence with its coefficients.

use signorini_mechanics::force::Spring;
use signorini_mechanics::{Body, Mat3, Model, Settings, Simulation, Stepper, Vec3};

/// α_m, α_f, [p₀, p₁], [s₀, s₁] of a stepper, written down from the papers.
fn coefficients(stepper: &Stepper) -> (f64, f64, [f64; 2], [f64; 2]) {
    let newmark = |beta: f64, gamma: f64| ([0.5 - beta, beta], [1.0 - gamma, gamma]);
    match *stepper {
        Stepper::ImplicitEuler => (0.0, 0.0, [0.0, 1.0], [0.0, 1.0]),
        Stepper::Trapezoidal => {
            let (p, s) = newmark(0.25, 0.5);
            (0.0, 0.0, p, s)
        }
        Stepper::Hht { alpha } => {
            let (p, s) = newmark((1.0 - alpha).powi(2) / 4.0, (1.0 - 2.0 * alpha) / 2.0);
            (0.0, -alpha, p, s)
        }
        Stepper::GeneralisedAlpha { rho } => {
            let (m, f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
            let gamma = 0.5 - m + f;
            let (p, s) = newmark(0.25 * (1.0 - m + f).powi(2), gamma);
            (m, f, p, s)
        }
        _ => unreachable!("only these are swept"),
    }
}

/// The monic characteristic polynomial ζ³ + c₂ζ² + c₁ζ + c₀ of one step, as [c₀, c₁, c₂].
fn characteristic(stepper: &Stepper, omega: f64) -> [f64; 3] {
    let (am, af, p, s) = coefficients(stepper);
    let square = omega * omega;
    // Rows of ζB − A over (x, hv, h²â); the determinant at four points gives the cubic.
    let determinant = |z: f64| {
        let m = [
            [z - 1.0, -1.0, -p[0] - p[1] * z],
            [0.0, z - 1.0, -s[0] - s[1] * z],
            [square * ((1.0 - af) * z + af), 0.0, (1.0 - am) * z + am],
        ];
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let [d0, d1, dm, d2] = [0.0, 1.0, -1.0, 2.0].map(determinant);
    // d(z) = e₃z³ + e₂z² + e₁z + e₀.
    let even = 0.5 * (d1 + dm) - d0;
    let odd = 0.5 * (d1 - dm);
    let third = (d2 - d0 - 4.0 * even - 2.0 * odd) / 6.0;
    [d0 / third, (odd - third) / third, even / third]
}

/// The largest |ζ|, by Weierstrass' iteration on complex roots.
fn spectral_radius([c0, c1, c2]: [f64; 3]) -> f64 {
    type C = (f64, f64);
    let mul = |a: C, b: C| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let div = |a: C, b: C| {
        let n = b.0 * b.0 + b.1 * b.1;
        ((a.0 * b.0 + a.1 * b.1) / n, (a.1 * b.0 - a.0 * b.1) / n)
    };
    let value = |z: C| {
        let mut sum = (z.0 + c2, z.1);
        sum = mul(sum, z);
        sum.0 += c1;
        sum = mul(sum, z);
        (sum.0 + c0, sum.1)
    };
    let mut roots: [C; 3] = [(1.0, 0.1), (-0.4, 0.9), (-0.6, -0.8)];
    for _ in 0..2000 {
        for k in 0..3 {
            let mut product = (1.0, 0.0);
            (0..3)
                .filter(|&j| j != k)
                .for_each(|j| product = mul(product, (roots[k].0 - roots[j].0, roots[k].1 - roots[j].1)));
            let change = div(value(roots[k]), product);
            roots[k] = (roots[k].0 - change.0, roots[k].1 - change.1);
        }
    }
    roots.iter().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max)
}

/// Positions of an oscillator with ωh = `omega`.
fn positions(stepper: Stepper, omega: f64, steps: usize) -> Vec<f64> {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let mass =
        model.body(Body::new("mass", 1.0, Mat3::IDENTITY).at(Vec3::X).moving(Vec3::new(0.3, 0.0, 0.0), Vec3::ZERO));
    // h = 1 s, so that ω² = Ω².
    model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], omega * omega, 0.0, 0.0));
    let settings = Settings { step: 1.0, stepper, ..Settings::default() };
    let mut simulation = Simulation::new(model.build().expect("an oscillator"), settings).expect("an oscillator");
    let mut positions = vec![1.0];
    for _ in 0..steps {
        simulation.step().expect("an oscillator");
        positions.push(simulation.state().poses[1].position.x);
    }
    positions
}

fn swept() -> Vec<Stepper> {
    let hht = [0.0, -0.1, -0.2, -1.0 / 3.0].map(|alpha| Stepper::Hht { alpha });
    let alpha = [0.0, 0.3, 0.5, 0.8, 1.0].map(|rho| Stepper::GeneralisedAlpha { rho });
    [Stepper::ImplicitEuler, Stepper::Trapezoidal].into_iter().chain(hht).chain(alpha).collect()
}

#[test]
fn positions_follow_the_recurrence_of_the_characteristic_polynomial() {
    for stepper in swept() {
        for omega in [0.03, 0.3, 1.0, 3.0, 10.0, 100.0] {
            let [c0, c1, c2] = characteristic(&stepper, omega);
            let x = positions(stepper, omega, 12);
            let largest = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for n in 0..x.len() - 3 {
                let left = x[n + 3] + c2 * x[n + 2] + c1 * x[n + 1] + c0 * x[n];
                // Newton's tolerance is 1e-11 of a metre or so.
                assert!(left.abs() < 1e-9 * largest, "{stepper:?} at ωh = {omega}, step {n}: {left:e} of {largest}");
            }
        }
    }
}

#[test]
fn amplitudes_decay_by_the_spectral_radius() {
    for stepper in swept() {
        for omega in [0.3, 1.0, 3.0, 10.0] {
            let radius = spectral_radius(characteristic(&stepper, omega));
            let x = positions(stepper, omega, 80);
            let largest = |from: usize| x[from..from + 20].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Below this the rest is Newton's tolerance.
            if largest(60) < 1e-9 {
                assert!(radius < 0.8, "{stepper:?} at ωh = {omega}: radius {radius}, but nothing is left");
                continue;
            }
            let measured = (largest(60) / largest(20)).powf(1.0 / 40.0);
            // A window of 20 steps misses the crest of a slow oscillation by a per cent or so; double roots decay as n ρⁿ.
            assert!((measured - radius).abs() < 0.02, "{stepper:?} at ωh = {omega}: {measured} and {radius}");
        }
    }
}

#[test]
fn at_high_frequency_the_spectral_radius_is_that_of_the_parameter() {
    for rho in [0.0, 0.2, 0.5, 0.8, 0.95, 1.0] {
        let radius = spectral_radius(characteristic(&Stepper::GeneralisedAlpha { rho }, 1e5));
        // A triple root is known to the third root of rounding.
        assert!((radius - rho).abs() < 1e-3 + 2e-3 * f64::from(u8::from(rho == 0.0)), "{rho}: {radius}");
    }
    for alpha in [0.0_f64, -0.05, -0.1, -0.2, -1.0 / 3.0] {
        let radius = spectral_radius(characteristic(&Stepper::Hht { alpha }, 1e5));
        // Hilber, Hughes and Taylor: the root of the algorithmic acceleration is −α/(1 + α), the pair (1 + α)/(1 − α).
        let expected = ((1.0 + alpha) / (1.0 - alpha)).max(-alpha / (1.0 + alpha));
        assert!((radius - expected).abs() < 1e-3, "{alpha}: {radius} {expected}");
    }
}
