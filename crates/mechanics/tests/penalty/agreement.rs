//! Penalty contacts tend to hard ones as they get stiffer.

use super::*;
use signorini_testkit::fitted_order;

/// Height at a time after the first bounce of a ball dropped from 0.4 m.
fn height_after_bounce(settings: Settings) -> f64 {
    let (model, ball) = ball_on_floor(0.0, GRAVITY, RADIUS + 0.4, Vec3::ZERO);
    let mut simulation = Simulation::new(model, settings.clone()).unwrap();
    let steps = (0.4 / settings.step).round() as usize;
    run(&mut simulation, steps);
    simulation.state().poses[ball.index()].position.z - RADIUS
}

/// The same by hand: hits at t₁ = √(2H/g), rises again with √(2gH).
fn exact_height() -> f64 {
    let (hit, speed) = ((0.8 / GRAVITY).sqrt(), (0.8 * GRAVITY).sqrt());
    let after = 0.4 - hit;
    speed * after - 0.5 * GRAVITY * after * after
}

#[test]
fn an_elastic_bounce_is_late_by_the_contact_time_and_so_tends_to_the_hard_one() {
    for stepper in [ALPHA, Stepper::Rk4] {
        let stiffnesses = [1e5, 2e5, 4e5, 8e5];
        let errors =
            stiffnesses.map(|k| height_after_bounce(settings(stepper, 2e-5, Penalty::linear(k, 0.0))) - exact_height());
        // Late by π√(m/k) at the speed it has then, but as deep in the floor as it would have risen: error ∝ k^{-1/2}.
        let order = fitted_order(&errors.map(f64::abs));
        assert!((order - 0.5).abs() < 0.05, "{}: order {order:.3} from {errors:?}", stepper.name());
    }
    // Hard contact, restitution 1: the bounce waits for the end of a step (2 v h), and a step of first order loses g h t.
    for step in [2e-3, 1e-3, 5e-4] {
        let error = height_after_bounce(Settings { step, ..Settings::default() }) - exact_height();
        assert!(error.abs() < (2.0 * (0.8 * GRAVITY).sqrt() + GRAVITY * 0.4) * step, "{step}: {error}");
    }
}

/// Speed of a ball that slid first, once it rolls.
fn rolling_speed(settings: Settings, overlap: f64) -> f64 {
    let (model, ball) = ball_on_floor(0.4, GRAVITY, RADIUS - overlap, Vec3::X);
    let mut simulation = Simulation::new(model, settings.clone()).unwrap();
    let steps = (0.3 / settings.step).round() as usize;
    run(&mut simulation, steps);
    simulation.state().velocities[ball.index()].x
}

#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths_as_with_hard_contact() {
    let exact = 5.0 / 7.0;
    for stepper in [ALPHA, Stepper::Rk4] {
        let errors = [1e4, 2e4, 4e4, 8e4].map(|k: f64| {
            let penalty = Penalty::linear(k, 0.6 * k.sqrt());
            (rolling_speed(settings(stepper, 2e-4, penalty), GRAVITY / k) - exact).abs()
        });
        // Momentum about the point of contact: v = v₀/(1 + I/(m a²)) with a = R − mg/2k.
        let lever = 1.0 - 0.5 * GRAVITY / 8e4 / RADIUS;
        let shorter = 1.0 / (1.0 + 0.4 / (lever * lever));
        assert!((errors[3] - (exact - shorter)).abs() < 1e-6, "{}: {errors:?} {shorter}", stepper.name());
        let order = fitted_order(&errors);
        assert!((order - 1.0).abs() < 0.05, "{}: order {order:.3} from {errors:?}", stepper.name());
    }
    let hard = rolling_speed(Settings { step: 1e-3, ..Settings::default() }, 0.0);
    assert!((hard - exact).abs() < 1e-3, "{hard}");
}
