//! RATTLE with hard contacts: order 2 wherever nothing jumps. References are closed forms, or fine integrations by the classical
//! Runge-Kutta method of equations written here in their own coordinates.
//!
//! The time of an impact is known to O(h) only, as in every method that does not look for it: orders are those of phases between
//! impacts.

mod support;

use signorini_mechanics::force::Spring;
use signorini_mechanics::joint::{Anchors, Spherical};
use signorini_mechanics::{
    Body, BodyId, Collider, Mat3, Material, Model, ModelBuilder, Pose, Quat, Shape, Simulation, Stepper, Vec3,
};
use signorini_testkit::fitted_order;
use std::f64::consts::FRAC_PI_2;
use support::orders::{check_order, integrate, with};
use support::{run, run_to_first_order};

const G: f64 = 9.81;

fn built(model: ModelBuilder) -> Model {
    model.build().expect("valid")
}

/// q̇ = ½ q (0, ω), ω in body axes.
fn quaternion_rate(q: Quat, omega: Vec3) -> [f64; 4] {
    let rate = q * Quat::from_xyzw(omega.x, omega.y, omega.z, 0.0);
    rate.to_array().map(|x| 0.5 * x)
}

#[test]
fn a_spinning_body_on_a_spring_and_damper_is_followed_to_second_order() {
    let (mass, moments) = (2.0, Vec3::new(0.02, 0.05, 0.06));
    let (anchor, point) = (Vec3::new(0.1, -0.2, 1.0), Vec3::new(0.05, 0.1, 0.15));
    let (stiffness, damping, rest) = (60.0, 0.8, 0.6);
    let (v0, w0) = (Vec3::new(0.5, 0.2, -0.3), Vec3::new(3.0, 5.0, -2.0));
    let model = || {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let body = model.body(Body::new("body", mass, Mat3::from_diagonal(moments)).moving(v0, w0));
        model.force("spring", Spring::new([ground, body], [anchor, point], stiffness, damping, rest));
        (built(model), body)
    };
    let rates = |_: f64, y: &[f64; 13]| {
        let (x, q) = (Vec3::from_slice(&y[..3]), Quat::from_slice(&y[3..7]).normalize());
        let (v, omega) = (Vec3::from_slice(&y[7..10]), Vec3::from_slice(&y[10..]));
        let span = x + q * point - anchor;
        let n = span.normalize();
        let tension = stiffness * (span.length() - rest) + damping * n.dot(v + q * omega.cross(point));
        let force = -tension * n;
        let a = force / mass - G * Vec3::Z;
        let torque = point.cross(q.conjugate() * force) - omega.cross(moments * omega);
        let mut rates = [0.0; 13];
        rates[..3].copy_from_slice(&v.to_array());
        rates[3..7].copy_from_slice(&quaternion_rate(q, omega));
        rates[7..10].copy_from_slice(&a.to_array());
        rates[10..].copy_from_slice(&(torque / moments).to_array());
        rates
    };
    let mut start = [0.0; 13];
    start[6] = 1.0;
    start[7..10].copy_from_slice(&v0.to_array());
    start[10..].copy_from_slice(&w0.to_array());
    let end = integrate(rates, start, 1.0, 4000);
    let exact = (Vec3::from_slice(&end[..3]), Vec3::from_slice(&end[7..10]));
    check_order("spring", model, 1.0, 50, exact);
}

/// A body of three different moments on a ball joint at the origin.
fn pendulum() -> (Model, BodyId) {
    let (mass, moments) = (1.5, Vec3::new(0.02, 0.03, 0.04));
    let (centre, omega) = (Vec3::new(0.1, 0.05, -0.5), Vec3::new(1.0, 2.0, 4.0));
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let pose = Pose::new(centre, Quat::IDENTITY);
    let body = Body::new("body", mass, Mat3::from_diagonal(moments)).posed(pose).moving(omega.cross(centre), omega);
    let body = model.body(body);
    let anchors = Anchors::from_world([ground, body], [&Pose::IDENTITY, &pose], Pose::IDENTITY);
    model.joint("ball", Spherical::new(anchors));
    (built(model), body)
}

#[test]
fn a_pendulum_in_space_is_followed_to_second_order() {
    let (mass, moments, centre) = (1.5, Vec3::new(0.02, 0.03, 0.04), Vec3::new(0.1, 0.05, -0.5));
    // About the pivot: I + m(c² 1 − c cᵀ).
    let outer = Mat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
    let inertia = Mat3::from_diagonal(moments) + mass * (centre.length_squared() * Mat3::IDENTITY - outer);
    let inverse = inertia.inverse();
    let rates = |_: f64, y: &[f64; 7]| {
        let (q, omega) = (Quat::from_slice(&y[..4]).normalize(), Vec3::from_slice(&y[4..]));
        let weight = q.conjugate() * (-mass * G * Vec3::Z);
        let a = inverse * (centre.cross(weight) - omega.cross(inertia * omega));
        let rate = quaternion_rate(q, omega);
        [rate[0], rate[1], rate[2], rate[3], a.x, a.y, a.z]
    };
    let end = integrate(rates, [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 4.0], 1.0, 4000);
    let (q, omega) = (Quat::from_slice(&end[..4]).normalize(), Vec3::from_slice(&end[4..]));
    check_order("pendulum", pendulum, 1.0, 50, (q * centre, q * omega.cross(centre)));
}

#[test]
fn a_pendulum_keeps_its_joint_and_its_energy_for_ten_thousand_steps() {
    let (model, _) = pendulum();
    let mut simulation = Simulation::new(model, with(Stepper::DviRattle, 0.005)).expect("valid");
    let start = signorini_mechanics::Energy::of(simulation.model(), simulation.state());
    for step in 0..10_000 {
        let report = run(&mut simulation, 1);
        assert!(report.joint_violation < 1e-10, "{report:?}");
        let gain = (report.energy.total() - start.total()) / start.kinetic;
        // Putting velocities onto the joint takes 3e-9 of the energy per step, O(h⁴); nothing gives any.
        assert!((-4e-5..1e-12).contains(&gain), "step {step}: {gain:e}");
    }
}

/// A ball of 0.1 m that slides (or rolls, with friction) on a surface, turned so that it moves in the x-z plane.
fn ball_on(shape: Shape, turn: Quat, friction: f64, position: Vec3, velocity: Vec3, spin: Vec3) -> (Model, BodyId) {
    let mut model = Model::builder();
    let material = model.material(Material { friction, ..Material::new("material") });
    let ground = model.body(Body::fixed("ground"));
    model.collider(ground, Collider::new(shape, material).at(Pose::new(Vec3::ZERO, turn)));
    let ball = Shape::Sphere { radius: 0.1 };
    let body = Body::of_shape("ball", &ball, 500.0).expect("a ball").at(position).moving(velocity, spin);
    let body = model.body(body);
    model.collider(body, Collider::new(ball, material));
    (built(model), body)
}

/// Angle and its rate at a time of θ¨ = c sin θ.
fn swing(c: f64, theta: f64, rate: f64, time: f64) -> [f64; 2] {
    integrate(|_, y: &[f64; 2]| [y[1], c * y[0].sin()], [theta, rate], time, 4000)
}

#[test]
fn a_ball_sliding_over_a_big_ball_is_followed_to_second_order() {
    let (length, theta, rate) = (1.1, 0.2_f64, 0.4);
    let at = |theta: f64| length * Vec3::new(theta.sin(), 0.0, theta.cos());
    let along = |theta: f64, rate: f64| length * rate * Vec3::new(theta.cos(), 0.0, -theta.sin());
    let model = || {
        let big = Shape::Sphere { radius: 1.0 };
        ball_on(big, Quat::IDENTITY, 0.0, at(theta), along(theta, rate), Vec3::ZERO)
    };
    let [end, speed] = swing(G / length, theta, rate, 0.3);
    // It would leave at a normal force of zero: g cos θ = l θ˙².
    assert!(G * end.cos() > 1.2 * length * speed * speed);
    check_order("over a ball", model, 0.3, 20, (at(end), along(end, speed)));
}

#[test]
fn a_ball_that_rolls_and_spins_on_a_big_ball_is_followed_to_second_order() {
    // v = r ω × n, n the normal, and k = m r²/I = 5/2; tangential parts of
    //   (1 + k) v˙ = r ω × n˙ − k g,    r ω˙ = −k n × (v˙ + g).
    let (radius, length, k) = (0.1, 1.1, 2.5);
    let gravity = G * Vec3::Z;
    let rates = |_: f64, y: &[f64; 6]| {
        let (n, omega) = (Vec3::from_slice(y) / length, Vec3::from_slice(&y[3..]));
        let v = radius * omega.cross(n);
        let tangential = |a: Vec3| a - n * n.dot(a);
        let a = tangential(radius * omega.cross(v / length) - k * gravity) / (1.0 + k);
        let turn = -k / radius * n.cross(a + tangential(gravity));
        [v.x, v.y, v.z, turn.x, turn.y, turn.z]
    };
    let n = Vec3::new(0.2, 0.1, 1.0).normalize();
    let omega = Vec3::new(2.0, 3.0, 0.0) + 25.0 * n;
    let (start, speed) = (length * n, radius * omega.cross(n));
    let [x, y, z] = start.to_array();
    let end = integrate(rates, [x, y, z, omega.x, omega.y, omega.z], 0.3, 4000);
    let (place, turn) = (Vec3::from_slice(&end), Vec3::from_slice(&end[3..]));
    let model = || ball_on(Shape::Sphere { radius: 1.0 }, Quat::IDENTITY, 3.0, start, speed, omega);
    check_order("rolling and spinning", model, 0.3, 20, (place, radius * turn.cross(place / length)));
}

#[test]
fn a_ball_in_a_trough_is_followed_to_second_order_sliding_and_rolling() {
    let (length, theta, rate) = (0.9, 0.8_f64, 1.0);
    let at = |theta: f64| length * Vec3::new(theta.sin(), 0.0, -theta.cos());
    let along = |theta: f64, rate: f64| length * rate * Vec3::new(theta.cos(), 0.0, theta.sin());
    for (friction, factor, turns) in [(0.0, 1.0, 0.0), (2.0, 5.0 / 7.0, 1.0)] {
        let spin = turns * length * rate / 0.1 * Vec3::Y;
        let model = || {
            let trough = Shape::InsideCylinder { radius: 1.0, half_height: 1.0, thickness: 0.1 };
            ball_on(trough, Quat::from_rotation_x(FRAC_PI_2), friction, at(theta), along(theta, rate), spin)
        };
        let [end, speed] = swing(-factor * G / length, theta, rate, 1.0);
        check_order("in a trough", model, 1.0, 50, (at(end), along(end, speed)));
    }
}

/// A flat box on an incline of slope `tilt` along x, gravity turned instead of the incline.
fn box_on_incline(tilt: f64, friction: f64, velocity: Vec3) -> (Model, BodyId) {
    let mut model = Model::builder();
    model.gravity(G * Vec3::new(tilt.sin(), 0.0, -tilt.cos()));
    let material = model.material(Material { friction, ..Material::new("material") });
    let ground = model.body(Body::fixed("ground"));
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let shape = Shape::Cuboid { half: Vec3::new(0.2, 0.2, 0.02) };
    let body = Body::of_shape("box", &shape, 500.0).expect("a box").at(Vec3::new(0.0, 0.0, 0.02));
    let body = model.body(body.moving(velocity, Vec3::ZERO));
    model.collider(body, Collider::new(shape, material));
    (built(model), body)
}

#[test]
fn a_box_sliding_along_a_curve_on_an_incline_is_followed_to_second_order() {
    let (tilt, friction, start) = (0.5_f64, 0.4, Vec3::new(-1.0, 2.0, 0.0));
    let rates = |_: f64, y: &[f64; 4]| {
        let speed = y[2].hypot(y[3]);
        let slow = friction * G * tilt.cos() / speed;
        [y[2], y[3], G * tilt.sin() - slow * y[2], -slow * y[3]]
    };
    let end = integrate(rates, [0.0, 0.0, start.x, start.y], 0.5, 4000);
    let exact = (Vec3::new(end[0], end[1], 0.02), Vec3::new(end[2], end[3], 0.0));
    check_order("incline", || box_on_incline(tilt, friction, start), 0.5, 25, exact);
}

#[test]
fn a_box_on_a_gentle_incline_neither_creeps_nor_gains_energy() {
    // tan 0.4 = 0.42.
    let (model, body) = box_on_incline(0.4, 0.5, Vec3::ZERO);
    let mut simulation = Simulation::new(model, with(Stepper::DviRattle, 0.01)).expect("valid");
    run(&mut simulation, 100);
    let moved = (simulation.state().poses[body.index()].position - Vec3::new(0.0, 0.0, 0.02)).length();
    assert!(moved < 1e-9, "{moved}");
    // Thrown uphill it stops and stays.
    let (model, body) = box_on_incline(0.4, 0.5, Vec3::new(-1.0, 0.5, 0.0));
    let mut simulation = Simulation::new(model, with(Stepper::DviRattle, 0.01)).expect("valid");
    let mut energy = f64::INFINITY;
    for _ in 0..100 {
        let report = run(&mut simulation, 1);
        assert!(report.energy.total() <= energy + 1e-10, "{} {energy}", report.energy.total());
        energy = report.energy.total();
    }
    let rest = simulation.state().poses[body.index()].position;
    run(&mut simulation, 100);
    let moved = (simulation.state().poses[body.index()].position - rest).length();
    assert!(moved < 1e-9 && simulation.state().velocities[body.index()].length() < 1e-9, "{moved}");
}

/// A ball of 0.1 m on a massless arm of 1 m swings from −1 rad to a wall it meets at 0.3 rad.
fn pendulum_and_wall(h: f64, stepper: Stepper) -> (Simulation, BodyId) {
    let mut model = Model::builder();
    let material = model.material(Material::new("material"));
    let ground = model.body(Body::fixed("ground"));
    let wall = Pose::new(Vec3::new(0.3_f64.sin() + 0.1, 0.0, 0.0), Quat::IDENTITY);
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: -Vec3::X }, material).at(wall));
    let ball = Shape::Sphere { radius: 0.1 };
    let pose = Pose::new(Vec3::new((-1.0_f64).sin(), 0.0, -1.0_f64.cos()), Quat::IDENTITY);
    let body = model.body(Body::of_shape("ball", &ball, 500.0).expect("a ball").posed(pose));
    model.collider(body, Collider::new(ball, material));
    let anchors = Anchors::from_world([ground, body], [&Pose::IDENTITY, &pose], Pose::IDENTITY);
    model.joint("arm", Spherical::new(anchors));
    (Simulation::new(built(model), with(stepper, h)).expect("valid"), body)
}

#[test]
fn a_pendulum_that_hits_a_wall_is_of_second_order_before_and_after_the_impact() {
    // Physical pendulum: θ¨ = −g l sin θ / (l² + 0.4 r²).
    let c = -G / (1.0 + 0.4 * 0.01);
    let angle = |simulation: &Simulation, body: BodyId| {
        let (x, v) = (simulation.state().poses[body.index()].position, simulation.state().velocities[body.index()]);
        [x.x.atan2(-x.z), v.x * -x.z - v.z * -x.x]
    };
    let (mut before, mut after, mut euler) = (Vec::new(), Vec::new(), Vec::new());
    for steps in [25, 50, 100, 200] {
        for (stepper, is_euler) in [(Stepper::DviRattle, false), (Stepper::DviEuler, true)] {
            // The wall is met at 0.66 s.
            let (mut simulation, body) = pendulum_and_wall(0.5 / steps as f64, stepper);
            let run = if is_euler { run_to_first_order } else { run };
            run(&mut simulation, steps);
            let exact = swing(c, -1.0, 0.0, 0.5);
            let found = angle(&simulation, body);
            let error = (found[0] - exact[0]).abs() + (found[1] - exact[1]).abs();
            run(&mut simulation, steps / 2);
            // It has met the wall, which took its speed, and is on its way back: now the exact motion starts where it is.
            let start = angle(&simulation, body);
            assert!(start[0] < 0.3 && start[0] > 0.2 && start[1] < 0.0 && start[1] > -0.5, "{start:?}");
            run(&mut simulation, steps);
            let exact = swing(c, start[0], start[1], 0.5);
            let found = angle(&simulation, body);
            let later = (found[0] - exact[0]).abs() + (found[1] - exact[1]).abs();
            match is_euler {
                true => euler.push(later),
                false => {
                    before.push(error);
                    after.push(later);
                }
            }
        }
    }
    assert!((1.8..2.3).contains(&fitted_order(&before)), "{:.2} of {before:?}", fitted_order(&before));
    assert!((1.8..2.3).contains(&fitted_order(&after)), "{:.2} of {after:?}", fitted_order(&after));
    assert!(fitted_order(&euler) < 1.4, "{:.2} of {euler:?}", fitted_order(&euler));
}
