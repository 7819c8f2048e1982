//! Collisions: how long they take and what is left of the speed.

use super::*;

const SPEED: f64 = 1.3;
const GAP: f64 = 0.01;

/// Contact time and rebound speed of a ball that meets the floor without gravity, from its free flights before and after.
fn collision(stepper: Stepper, step: f64, penalty: Penalty) -> (f64, f64) {
    let (model, ball) = ball_on_floor(0.0, 0.0, RADIUS + GAP, Vec3::new(0.0, 0.0, -SPEED));
    let mut simulation = simulation(model, stepper, step, penalty);
    let met = GAP / SPEED;
    for _ in 0..1_000_000 {
        run(&mut simulation, 1);
        let (state, i) = (simulation.state(), ball.index());
        let (height, speed) = (state.poses[i].position.z - RADIUS, state.velocities[i].z);
        if speed > 0.0 && height > 0.1 * GAP {
            return (state.time - height / speed - met, speed);
        }
    }
    panic!("the ball did not come back");
}

#[test]
fn an_elastic_collision_with_a_linear_spring_takes_half_a_period() {
    let exact = std::f64::consts::PI * (1.0_f64 / 1e5).sqrt();
    for stepper in [Stepper::Rk4, Stepper::Leapfrog, Stepper::Heun, Stepper::Trapezoidal, ALPHA] {
        let (time, speed) = collision(stepper, exact / 400.0, Penalty::linear(1e5, 0.0));
        // Second order in h ω = π/400, and once as much again for entering between two steps.
        assert!((time / exact - 1.0).abs() < 1e-4, "{}: {time} {exact}", stepper.name());
        assert!((speed / SPEED - 1.0).abs() < 1e-4, "{}: {speed}", stepper.name());
    }
}

#[test]
fn an_elastic_hertz_collision_takes_as_long_as_quadrature_says() {
    let k = 1e6;
    // ½v² = ⅖ k δ^{5/2}/m at the deepest point; t = 2 ∫ dδ/√(v² − ⅘ k δ^{5/2}/m), with δ = δ_max (1 − s²).
    let deepest = (1.25 * SPEED * SPEED / k).powf(0.4);
    let shape = integral(|s| match s {
        0.0 => 2.0 / 2.5_f64.sqrt(),
        s => 2.0 * s / (1.0 - (1.0 - s * s).powf(2.5)).sqrt(),
    });
    assert!((2.0 * shape - 2.9432).abs() < 1e-4, "{shape}");
    let exact = 2.0 * shape * deepest / SPEED;
    for stepper in [Stepper::Rk4, ALPHA] {
        let (time, speed) = collision(stepper, exact / 400.0, Penalty::hertz(k, 0.0));
        assert!((time / exact - 1.0).abs() < 1e-4, "{}: {time} {exact}", stepper.name());
        assert!((speed / SPEED - 1.0).abs() < 1e-4, "{}: {speed}", stepper.name());
    }
}

/// Rebound over approach for ẍ = −max(0, force(x, ẋ)) from x = 0, ẋ = 1, by small steps of a midpoint rule.
fn restitution(force: impl Fn(f64, f64) -> f64, step: f64) -> f64 {
    let (mut x, mut v) = (0.0, SPEED);
    while v > 0.0 || (x > 0.0 && force(x, v) > 0.0) {
        let middle = (x + 0.5 * step * v, v - 0.5 * step * force(x, v).max(0.0));
        x += step * middle.1;
        v -= step * force(middle.0, middle.1).max(0.0);
    }
    -v / SPEED
}

#[test]
fn damping_takes_the_share_of_the_speed_that_the_law_says() {
    let (k, omega) = (1e5, 1e5_f64.sqrt());
    for zeta in [0.1, 0.4] {
        let damping = 2.0 * zeta * omega;
        let exact = restitution(|x, v| k * x + damping * v, 1e-7);
        // e = exp(−ζ φ/√(1−ζ²)): φ = π for springs that may pull; it ends earlier where kδ + dδ̇ = 0.
        let root = (1.0_f64 - zeta * zeta).sqrt();
        let phase = std::f64::consts::PI - (2.0 * zeta * root / (1.0 - 2.0 * zeta * zeta)).atan();
        assert!((exact - (-zeta * phase / root).exp()).abs() < 1e-5, "{exact}");
        for stepper in [Stepper::Rk4, ALPHA] {
            let h = 1e-5;
            let (_, speed) = collision(stepper, h, Penalty::linear(k, damping));
            // The damper sets in within one step, which may cost all or nothing of its first step's impulse d v h.
            assert!((speed / SPEED - exact).abs() < damping * h, "{}: {} {exact}", stepper.name(), speed / SPEED);
        }
    }
}

#[test]
fn damping_of_hunt_and_crossley_takes_the_share_that_the_law_says() {
    let (k, d) = (1e6, 0.4);
    let exact = restitution(|x: f64, v| k * x.max(0.0).powf(1.5) * (1.0 + d * v), 1e-7);
    assert!((0.5..0.9).contains(&exact), "{exact}");
    for stepper in [Stepper::Rk4, ALPHA] {
        let (_, speed) = collision(stepper, 1e-5, Penalty::hertz(k, d));
        assert!((speed / SPEED - exact).abs() < 1e-4, "{}: {} {exact}", stepper.name(), speed / SPEED);
    }
}

#[test]
fn energy_of_springs_is_part_of_the_report() {
    for penalty in [Penalty::linear(1e4, 0.0), Penalty::hertz(1e5, 0.0)] {
        let (model, _) = ball_on_floor(0.0, GRAVITY, 0.3, Vec3::ZERO);
        let mut simulation = simulation(model, Stepper::Leapfrog, 1e-4, penalty);
        let mut deepest = 0.0_f64;
        for _ in 0..10_000 {
            let report = run(&mut simulation, 1);
            deepest = deepest.max(report.penetration);
            let relative = report.energy.total() / (GRAVITY * 0.3) - 1.0;
            // Second order: (ω h)²/8 ≈ 1e-5 of the energy in the spring.
            assert!(relative.abs() < 3e-5, "t = {}: {relative}", report.time);
        }
        assert!(deepest > 0.01, "{deepest}");
    }
}

#[test]
fn two_balls_that_collide_keep_their_momentum() {
    for stepper in [ALPHA, Stepper::Rk4] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let material = model.material(Material { friction: 0.3, ..Material::new("surface") });
        ball(&mut model, "left", material, Vec3::new(-0.15, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0));
        ball(&mut model, "right", material, Vec3::new(0.15, 0.05, 0.02), Vec3::new(-0.5, 0.0, 0.1));
        let mut simulation = simulation(model.build().unwrap(), stepper, 1e-4, Penalty::hertz(1e6, 0.2));
        let before = signorini_mechanics::Momentum::of(simulation.model(), simulation.state());
        let mut touched = 0;
        for _ in 0..3000 {
            touched += run(&mut simulation, 1).active;
        }
        let after = signorini_mechanics::Momentum::of(simulation.model(), simulation.state());
        assert!(touched > 10, "{touched}");
        assert!((after.linear - before.linear).length() < 1e-9, "{}: {after:?} {before:?}", stepper.name());
        assert!((after.angular - before.angular).length() < 1e-6, "{}: {after:?} {before:?}", stepper.name());
        assert!(simulation.state().angular_velocities[0].length() > 0.1);
    }
}
