//! Frequencies against beam theory, and how fast they converge.

use crate::cantilever::{DENSITY, LENGTH, YOUNG, area, inertia_y, model, undamped};
use signorini_mechanics::analysis::modes;
use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{Body, Model, Pose, Quat, State, Vec3};
use signorini_testkit::fitted_order;
use std::f64::consts::{PI, TAU};

/// ω of a wave number β L, with the rotary inertia of sections by Rayleigh's quotient: ω² = β⁴ EI/(ρA) / (1 + r² ∫φ'²/∫φ²).
fn frequency(beta: f64, slope: f64) -> f64 {
    let rotary = inertia_y() / area() * slope / (LENGTH * LENGTH);
    beta.powi(2) / (LENGTH * LENGTH) * (YOUNG * inertia_y() / (DENSITY * area())).sqrt() / (1.0 + rotary).sqrt()
}

/// The lowest angular frequencies of motions along z.
fn upright(model: &Model, node: impl Fn(&[signorini_mechanics::analysis::BodyShape]) -> Vec3) -> Vec<f64> {
    let found = modes(model, &State::start_of(model)).expect("an answer");
    let along_z = found.modes.iter().filter(|mode| {
        let most = node(&mode.shape);
        most.z > 10.0 * (most.x + most.y)
    });
    along_z.map(|mode| mode.frequency * TAU).collect()
}

/// The largest displacement of any node, component by component.
fn largest(shape: &[signorini_mechanics::analysis::BodyShape]) -> Vec3 {
    shape.iter().flat_map(|body| body.displacement).fold(Vec3::ZERO, |most, x| most.max(x.abs()))
}

#[test]
fn the_first_three_frequencies_of_a_cantilever_converge_to_those_of_beam_theory_with_order_two() {
    // cos βL cosh βL = −1, and σ = (sinh − sin)/(cosh + cos): ∫φ'² L/∫φ² = σβ(2 + σβ).
    let waves = [1.875_104_068_711_961, 4.694_091_132_974_175, 7.854_757_438_237_613];
    let exact = waves.map(|b: f64| {
        let sigma = (b.sinh() - b.sin()) / (b.cosh() + b.cos());
        frequency(b, sigma * b * (2.0 + sigma * b))
    });
    let found: Vec<Vec<f64>> =
        [4, 8, 16, 32].iter().map(|&n| upright(&model(&undamped(n), |_, _| ()), largest)).collect();
    for (k, exact) in exact.iter().enumerate() {
        let errors: Vec<f64> = found.iter().map(|all| (all[k] / exact - 1.0).abs()).collect();
        let order = fitted_order(&errors[1..]);
        println!("mode {}: errors {errors:?} with 4, 8, 16, 32 elements, order {order:.2}", k + 1);
        assert!((order - 2.0).abs() < 0.15, "{k}: {order} {errors:?}");
        assert!(errors[3] < 3e-3, "{k}: {errors:?}");
    }
}

/// A lumped mass is the trapezoidal rule, whose error is that of the ends: none where a beam is pinned, so the order is 4 there.
/// With more elements a half wave, rounding of the stiffness would show.
#[test]
fn a_pinned_beam_converges_with_order_four() {
    let exact = [2.0, 3.0].map(|n| frequency(n * PI, (n * PI).powi(2)));
    let errors: Vec<[f64; 2]> = [12, 24]
        .iter()
        .map(|&n| {
            let model = model(&undamped(n).clamped([false; 2]), |model, nodes| {
                let ground = model.body(Body::fixed("ground"));
                let axis = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
                for (name, node, x) in [("left", nodes[0], 0.0), ("right", nodes[n], LENGTH)] {
                    let at = Pose::new(Vec3::X * x, axis);
                    let axes = Pose::new(Vec3::X * x, Quat::IDENTITY);
                    let anchors = Anchors::from_world([ground, node], [&Pose::IDENTITY, &axes], at);
                    model.joint(name, Revolute::new(anchors));
                }
            });
            let found = upright(&model, largest);
            [0, 1].map(|k| (found[k + 1] / exact[k] - 1.0).abs())
        })
        .collect();
    for k in 0..2 {
        let order = fitted_order(&errors.iter().map(|error| error[k]).collect::<Vec<_>>());
        println!("pinned mode {}: {errors:?}, order {order:.2}", k + 2);
        assert!((order - 4.0).abs() < 0.3, "{k}: {order} {errors:?}");
    }
}
