//! Bodies that spin: a heavy top, free rotation about the middle axis.

mod support;

use signorini_mechanics::joint::{Anchors, Spherical};
use signorini_mechanics::{Body, Energy, Mat3, Model, Momentum, Pose, Quat, Simulation, Vec3};
use signorini_testkit::fitted_order;
use support::{run, settings};

/// Angle of precession gained in `time`, and the tilt reached, of a top started in steady precession.
///
/// I₁Ω² cos θ − I₃ω₃Ω + mgl = 0, I₁ about the tip: the slow root.
fn top(h: f64, time: f64) -> [f64; 4] {
    let (mass, length, along, across, tilt, spin, g) = (0.5, 0.1, 8e-4, 5e-4, 0.5_f64, 150.0, 9.81);
    let about_tip = across + mass * length * length;
    let (a, b, c) = (about_tip * tilt.cos(), -along * spin, mass * g * length);
    let precession = 2.0 * c / (-b + (b * b - 4.0 * a * c).sqrt());
    let start = Quat::from_rotation_y(tilt);
    let axis = start * Vec3::Z;
    let omega = precession * (Vec3::Z - tilt.cos() * axis) + spin * axis;
    let pose = Pose::new(length * axis, start);

    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let inertia = Mat3::from_diagonal(Vec3::new(across, across, along));
    let body =
        Body::new("top", mass, inertia).posed(pose).moving(omega.cross(pose.position), start.conjugate() * omega);
    let body = model.body(body);
    let anchors = Anchors::from_world([ground, body], [&Pose::IDENTITY, &pose], Pose::IDENTITY);
    model.joint("tip", Spherical::new(anchors));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    let (mut turned, mut before) = (0.0, 0.0_f64);
    for _ in 0..(time / h).round() as usize {
        run(&mut simulation, 1);
        let axis = simulation.state().poses[body.index()].rotation * Vec3::Z;
        let angle = axis.y.atan2(axis.x);
        turned += (angle - before + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        before = angle;
    }
    let axis = simulation.state().poses[body.index()].rotation * Vec3::Z;
    [turned, precession * time, axis.z.acos(), tilt]
}

#[test]
fn a_top_precesses_at_the_rate_of_the_closed_form_to_first_order() {
    let (mut rates, mut tilts) = (Vec::new(), Vec::new());
    for h in [4e-4, 2e-4, 1e-4, 5e-5] {
        let [turned, expected, tilt, start] = top(h, 0.4);
        rates.push((turned / expected - 1.0).abs());
        tilts.push((tilt - start).abs());
    }
    let (order, tilt_order) = (fitted_order(&rates), fitted_order(&tilts));
    assert!((order - 1.0).abs() < 0.15 && rates[3] < 5e-3, "order {order:.2} of {rates:?}");
    assert!(tilt_order > 0.85, "order {tilt_order:.2} of {tilts:?}");
}

/// A body turning about nearly its middle axis, free of torque: largest growth of energy in a step relative to the energy, and how
/// far its angular momentum turns in ten seconds.
fn tumbling(h: f64) -> (f64, f64) {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.9));
    model.body(Body::new("racket", 1.0, inertia).moving(Vec3::ZERO, Vec3::new(0.01, 2.0, 0.02)));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    let momentum = Momentum::of(simulation.model(), simulation.state()).angular;
    let start = Energy::of(simulation.model(), simulation.state()).kinetic;
    let (mut before, mut growth, mut flipped) = (start, f64::NEG_INFINITY, false);
    let mut last = momentum;
    for _ in 0..(10.0 / h).round() as usize {
        let report = run(&mut simulation, 1);
        growth = growth.max((report.energy.kinetic - before) / start);
        before = report.energy.kinetic;
        last = report.momentum.angular;
        flipped |= simulation.state().angular_velocities[0].y < 0.0;
    }
    assert!(flipped, "the middle axis is unstable");
    (growth, last.angle_between(momentum))
}

#[test]
fn free_rotation_about_the_middle_axis_never_gains_energy_and_keeps_its_angular_momentum_in_the_limit() {
    let mut angles = Vec::new();
    for h in [0.02, 0.01, 0.005, 0.0025] {
        let (growth, angle) = tumbling(h);
        assert!(growth < 1e-13, "energy grew by {growth} at h = {h}");
        angles.push(angle);
    }
    let order = fitted_order(&angles);
    assert!(order > 0.85 && angles[3] < 0.02, "order {order:.2} of {angles:?}");
}

#[test]
fn no_spin_however_fast_gains_energy() {
    // Up to a hundred radians a step, about all axes and beside them; at √3 about the middle one Newton's matrix is singular.
    for moments in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.02, 0.03), Vec3::new(1e-3, 1.0, 1.0)] {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.003, 1.0, 0.003), Vec3::new(0.4, -0.7, 0.9)] {
            for turn in [0.1, 0.5, 1.0, 1.7, 3.0_f64.sqrt(), 3.0, 10.0, 100.0] {
                let h = 0.01;
                let mut model = Model::builder();
                model.gravity(Vec3::ZERO);
                let body = Body::new("racket", 1.0, Mat3::from_diagonal(moments));
                model.body(body.moving(Vec3::ZERO, axis * turn / h));
                let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
                let start = Energy::of(simulation.model(), simulation.state()).kinetic;
                let mut before = start;
                for _ in 0..30 {
                    let energy = run(&mut simulation, 1).energy.kinetic;
                    assert!(energy <= before * (1.0 + 1e-12), "{before} J to {energy} J: {moments} {axis} {turn}");
                    before = energy;
                }
            }
        }
    }
}
