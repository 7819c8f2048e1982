//! Large rotations and buckling against closed forms.

use crate::cantilever::{LENGTH, YOUNG, inertia_y, loaded, model, rest, undamped};
use signorini_mechanics::analysis::{EquilibriumSettings, Stability, static_equilibrium};
use signorini_mechanics::force::Load;
use signorini_mechanics::joint::{Anchors, Planar};
use signorini_mechanics::{Body, Pose, Quat, State, Vec3};
use signorini_testkit::fitted_order;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn stiffness() -> f64 {
    YOUNG * inertia_y()
}

/// The nodes of a cantilever bent by an end moment through `angle`, in load steps.
fn rolled(elements: usize, angle: f64) -> State {
    let mut state = None;
    let steps = (angle / 0.6).ceil() as usize;
    for step in 1..=steps {
        // Turns x to z: about −y.
        let moment = stiffness() / LENGTH * angle * step as f64 / steps as f64;
        let model = model(&undamped(elements), |model, nodes| {
            model.force("tip", Load::new(nodes[elements]).torque(Vec3::Y * -moment, None));
            // The moment of a fixed axis has no potential but in a plane.
            let (ground, tip) = (model.body(Body::fixed("ground")), Pose::new(Vec3::X * LENGTH, Quat::IDENTITY));
            let plane = Pose::new(Vec3::ZERO, Quat::from_rotation_arc(Vec3::Z, Vec3::Y));
            let anchors = Anchors::from_world([ground, nodes[elements]], [&Pose::IDENTITY, &tip], plane);
            model.joint("plane", Planar::new(anchors));
        });
        let from = state.unwrap_or_else(|| State::start_of(&model));
        state = Some(rest(&model, &from));
    }
    state.expect("an answer")
}

#[test]
fn an_end_moment_rolls_a_cantilever_into_a_circle_and_nodes_converge_to_it_with_order_two() {
    for (name, angle) in [("quarter", FRAC_PI_2), ("half", PI), ("full", TAU)] {
        let radius = LENGTH / angle;
        let on_circle = |phi: f64| Vec3::new(radius * phi.sin(), 0.0, radius * (1.0 - phi.cos()));
        let mut worst_of = Vec::new();
        for elements in [4, 8, 16] {
            let state = rolled(elements, angle);
            let distance =
                |k: usize| (state.poses[k].position - on_circle(angle * k as f64 / elements as f64)).length() / LENGTH;
            let worst = (0..=elements).map(distance).fold(0.0, f64::max);
            let tip = state.poses[elements].rotation * Vec3::X;
            let slope = (tip - Vec3::new(angle.cos(), 0.0, angle.sin())).length();
            println!(
                "{name}, {elements} elements: tip {:.1e}, worst node {worst:.1e} of the length",
                distance(elements)
            );
            assert!(slope < 1e-6, "{name} {elements}: the tip is turned wrongly by {slope}");
            assert!(elements < 16 || distance(elements) < 0.01, "{name} {elements}: {}", distance(elements));
            worst_of.push(worst);
        }
        let order = fitted_order(&worst_of);
        println!("{name}: order {order:.2}");
        assert!((order - 2.0).abs() < 0.15, "{name}: {order} {worst_of:?}");
    }
}

/// ∫ f from 0 to `end` by Simpson's rule.
fn integral(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 4000;
    let h = end / f64::from(n);
    let weight = |k: i32| {
        if k == 0 || k == n {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    (0..=n).map(|k| weight(k) * f(h * f64::from(k))).sum::<f64>() * h / 3.0
}

/// The tip of the elastica under a transverse force of fixed direction, a = P L²/EI: x/L and deflection/L.
///
/// ```text
/// k² = (1 + sin φ)/2, sin ϑ = 1/(k√2):  √a = K(k) − F(k, ϑ)
/// x = √(2 sin φ/a),  w = 1 − 2/√a (E(k) − E(k, ϑ))
/// ```
fn elastica(a: f64) -> [f64; 2] {
    let parts = |phi: f64| {
        let square = 0.5 * (1.0 + phi.sin());
        (square, (0.5 / square).sqrt().asin())
    };
    let first = |phi: f64| {
        let (square, theta) = parts(phi);
        let f = |t: f64| (1.0 - square * t.sin().powi(2)).sqrt().recip();
        integral(FRAC_PI_2, f) - integral(theta, f)
    };
    let (mut low, mut high) = (1e-9, FRAC_PI_2 - 1e-9);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if first(middle) < a.sqrt() { low = middle } else { high = middle }
    }
    let (square, theta) = parts(low);
    let f = |t: f64| (1.0 - square * t.sin().powi(2)).sqrt();
    let second = integral(FRAC_PI_2, f) - integral(theta, f);
    [(2.0 * low.sin() / a).sqrt(), 1.0 - 2.0 / a.sqrt() * second]
}

#[test]
fn a_large_tip_force_bends_a_cantilever_to_the_elastica() {
    // Mattiasson's table for a = 10: w = 0.81061, 1 − x = 0.55500.
    let [x, w] = elastica(10.0);
    assert!((w - 0.81061).abs() < 5e-6 && (1.0 - x - 0.55500).abs() < 5e-6, "{x} {w}");
    let mut errors = Vec::new();
    for elements in [4, 8, 16] {
        let mut state = None;
        let mut worst = 0.0_f64;
        for a in [1.0, 3.0, 6.0, 10.0] {
            let model = loaded(&undamped(elements), Vec3::Z * (a * stiffness() / (LENGTH * LENGTH)));
            let from = state.unwrap_or_else(|| State::start_of(&model));
            let found = rest(&model, &from);
            let tip = found.poses[elements].position / LENGTH;
            let [x, w] = elastica(a);
            let error = (tip.x - x).hypot(tip.z - w);
            println!("{elements} elements, P L²/EI = {a}: tip off by {error:.1e} of the length");
            worst = worst.max(error);
            state = Some(found);
        }
        errors.push(worst);
    }
    assert!(errors[1] < 0.01, "{errors:?}");
    let order = fitted_order(&errors);
    println!("order {order:.2}");
    assert!((order - 2.0).abs() < 0.3, "{order} {errors:?}");
}

#[test]
fn a_column_loses_its_stiffness_at_eulers_load() {
    let euler = PI * PI * stiffness() / (4.0 * LENGTH * LENGTH);
    let settings = EquilibriumSettings { leave_unstable: false, ..EquilibriumSettings::default() };
    let softest = |elements: usize, share: f64| {
        let model = loaded(&undamped(elements), Vec3::X * (-share * euler));
        let found = static_equilibrium(&model, &State::start_of(&model), &settings).expect("an answer");
        assert_eq!(found.stability == Stability::Unstable, found.softest.expect("an answer") < 0.0);
        found.softest.expect("an answer")
    };
    let errors: Vec<f64> = [4, 8, 16]
        .iter()
        .map(|&elements| {
            // Nearly a straight line through the load where it is zero.
            let (below, above) = (softest(elements, 0.97), softest(elements, 1.03));
            assert!(below > 0.0 && above < 0.0, "{below} {above}");
            let found = 0.97 + 0.06 * below / (below - above);
            println!("{elements} elements: buckles at {found:.6} of Euler's load");
            (found - 1.0).abs()
        })
        .collect();
    assert!(errors[2] < 2e-3 && errors[2] < errors[0], "{errors:?}");
}
