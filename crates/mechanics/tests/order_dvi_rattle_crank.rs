//! A slider-crank by `dvi-rattle`, against its one equation of motion.

mod support;

use signorini_mechanics::joint::{Anchors, Prismatic, Revolute};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, Simulation, Stepper, Vec3};
use std::f64::consts::FRAC_PI_2;
use support::orders::{check_order, integrate, with};
use support::{hinge_about_y, run};

const G: f64 = 9.81;

/// Crank a, rod b and a slider along x, under gravity, in the x-z plane: masses 1, 2, 3 kg, thin rods.
const CRANK: (f64, f64, [f64; 3]) = (0.3, 0.8, [1.0, 2.0, 3.0]);

/// Rod's angle φ with a sin θ = b sin φ, and its derivatives by θ.
fn rod(theta: f64) -> [f64; 3] {
    let (a, b, _) = CRANK;
    let phi = (a * theta.sin() / b).asin();
    let first = a * theta.cos() / (b * phi.cos());
    let second = (-a * theta.sin() + b * phi.sin() * first * first) / (b * phi.cos());
    [phi, first, second]
}

/// Slider's place and its derivative by θ.
fn slider(theta: f64) -> [f64; 2] {
    let (a, b, _) = CRANK;
    let [phi, first, _] = rod(theta);
    [a * theta.cos() + b * phi.cos(), -a * theta.sin() - b * phi.sin() * first]
}

/// x and z of the rod's centre, first and second derivatives by θ.
fn rod_centre(theta: f64) -> [[f64; 2]; 3] {
    let (a, b, _) = CRANK;
    let [phi, first, second] = rod(theta);
    let (s, c) = (phi.sin(), phi.cos());
    [
        [a * theta.cos() + 0.5 * b * c, a * theta.sin() - 0.5 * b * s],
        [-a * theta.sin() - 0.5 * b * s * first, a * theta.cos() - 0.5 * b * c * first],
        [
            -a * theta.cos() - 0.5 * b * (c * first * first + s * second),
            -a * theta.sin() - 0.5 * b * (-s * first * first + c * second),
        ],
    ]
}

fn slider_crank(theta: f64, speed: f64) -> (Model, BodyId) {
    let (a, b, masses) = CRANK;
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let thin = |mass: f64, length: f64| {
        let i = mass * length * length / 12.0;
        Mat3::from_diagonal(Vec3::new(1e-3 * i, i, i))
    };
    // Turns by θ from x towards z are turns by −θ about y.
    let turn = |angle: f64| Quat::from_rotation_y(-angle);
    let [phi, rate, _] = rod(theta);
    let poses = [
        Pose::new(0.5 * a * Vec3::new(theta.cos(), 0.0, theta.sin()), turn(theta)),
        Pose::new(Vec3::new(rod_centre(theta)[0][0], 0.0, rod_centre(theta)[0][1]), turn(-phi)),
        Pose::new(Vec3::new(slider(theta)[0], 0.0, 0.0), Quat::IDENTITY),
    ];
    let along = rod_centre(theta)[1];
    let bodies = [
        Body::new("crank", masses[0], thin(masses[0], a))
            .posed(poses[0])
            .moving(0.5 * a * speed * Vec3::new(-theta.sin(), 0.0, theta.cos()), -speed * Vec3::Y),
        Body::new("rod", masses[1], thin(masses[1], b))
            .posed(poses[1])
            .moving(speed * Vec3::new(along[0], 0.0, along[1]), rate * speed * Vec3::Y),
        Body::new("slider", masses[2], Mat3::from_diagonal(Vec3::splat(0.01)))
            .posed(poses[2])
            .moving(speed * slider(theta)[1] * Vec3::X, Vec3::ZERO),
    ];
    let [crank, connecting, block] = bodies.map(|body| model.body(body));
    let start = Pose::IDENTITY;
    let pin = a * Vec3::new(theta.cos(), 0.0, theta.sin());
    let hinge = |pair, poses, at| Revolute::new(Anchors::from_world(pair, poses, hinge_about_y(at)));
    model.joint("main", hinge([ground, crank], [&start, &poses[0]], Vec3::ZERO));
    model.joint("pin", hinge([crank, connecting], [&poses[0], &poses[1]], pin));
    model.joint("wrist", hinge([connecting, block], [&poses[1], &poses[2]], poses[2].position));
    let guide = Pose::new(poses[2].position, Quat::from_rotation_y(FRAC_PI_2));
    model.joint("guide", Prismatic::new(Anchors::from_world([ground, block], [&start, &poses[2]], guide)));
    (model.build().expect("valid"), block)
}

#[test]
fn a_slider_crank_is_followed_to_second_order_and_stays_closed() {
    let (a, b, [m1, m2, m3]) = CRANK;
    let (theta, speed) = (0.6, 3.0);
    // J θ¨ + ½ J' θ˙² + V' = 0.
    let rates = |_: f64, y: &[f64; 2]| {
        let [_, p1, p2] = rod(y[0]);
        let [_, c1, c2] = rod_centre(y[0]);
        let [_, s1] = slider(y[0]);
        let [phi, ..] = rod(y[0]);
        let s2 = -a * y[0].cos() - b * (phi.cos() * p1 * p1 + phi.sin() * p2);
        let rod_inertia = m2 * b * b / 12.0;
        let j = m1 * a * a / 3.0 + m2 * (c1[0] * c1[0] + c1[1] * c1[1]) + rod_inertia * p1 * p1 + m3 * s1 * s1;
        let half_slope = m2 * (c1[0] * c2[0] + c1[1] * c2[1]) + rod_inertia * p1 * p2 + m3 * s1 * s2;
        let weight = G * (m1 * 0.5 * a * y[0].cos() + m2 * c1[1]);
        [y[1], -(half_slope * y[1] * y[1] + weight) / j]
    };
    let end = integrate(rates, [theta, speed], 1.0, 4000);
    let [place, slope] = slider(end[0]);
    let exact = (place * Vec3::X, slope * end[1] * Vec3::X);
    check_order("slider-crank", || slider_crank(theta, speed), 1.0, 100, exact);
    let (model, _) = slider_crank(theta, speed);
    let mut simulation = Simulation::new(model, with(Stepper::DviRattle, 0.005)).expect("valid");
    for _ in 0..200 {
        let report = run(&mut simulation, 1);
        assert!(report.joint_violation < 1e-10 && report.joint_angle_violation < 1e-10, "{report:?}");
    }
}
