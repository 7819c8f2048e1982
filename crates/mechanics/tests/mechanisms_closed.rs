//! Joints that hold at the end of every step: no drift, no loss of energy.

mod support;

use signorini_mechanics::joint::{Anchors, Revolute, Rope, Spherical};
use signorini_mechanics::{
    Body, Collider, Energy, Mat3, Material, Model, Pose, Quat, Settings, Shape, Simulation, Vec3,
};
use signorini_testkit::fitted_order;
use support::{four_bar, run, settings};

fn closed(step: f64) -> Settings {
    Settings { joint_tolerance: Some(1e-10), ..settings(step) }
}

#[test]
fn a_four_bar_loop_that_moves_stays_closed_to_a_nanometre() {
    let energies = [0.01, 0.005, 0.0025].map(|h| {
        let mut simulation = four_bar(closed(h), 0.0);
        let before = Energy::of(simulation.model(), simulation.state()).total();
        let (mut worst, mut fastest, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..(4.0 / h).round() as usize {
            let report = run(&mut simulation, 1);
            worst = worst.max(report.joint_violation).max(report.joint_angle_violation);
            fastest = fastest.max(simulation.state().angular_velocities[1].length());
            energy = energy.max((report.energy.total() - before).abs());
        }
        assert!(worst < 1e-9 && fastest > 2.0, "h = {h}: {worst} at {fastest} rad/s");
        energy
    });
    // Velocities belong to the middle of a step: the energy they show is off by O(h), to and fro.
    let order = fitted_order(&energies);
    assert!((order - 1.0).abs() < 0.15, "order {order:.2} of {energies:?}");
}

#[test]
fn a_pendulum_swings_as_high_after_forty_swings_as_at_first() {
    let (h, length, angle) = (0.01, 0.8, 1.0_f64);
    let amplitudes = [Some(1e-10), None].map(|joint_tolerance| {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let start = Pose::new(length * Vec3::new(angle.sin(), 0.0, -angle.cos()), Quat::from_rotation_y(-angle));
        let bob = model.body(Body::new("bob", 2.0, Mat3::from_diagonal(Vec3::splat(0.05))).posed(start));
        let hinge = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
        let anchors = Anchors::from_world([ground, bob], [&Pose::IDENTITY, &start], Pose::new(Vec3::ZERO, hinge));
        model.joint("pivot", Revolute::new(anchors));
        let settings = Settings { joint_tolerance, ..settings(h) };
        let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
        run(&mut simulation, 7500);
        let swing = (0..250).map(|_| {
            run(&mut simulation, 1);
            simulation.state().poses[bob.index()].position.x
        });
        swing.fold(0.0, f64::max) / (length * angle.sin())
    });
    // Turning points fall between steps: (hω)²/8 = 1.5e-4 of the amplitude, ω² = g/l. First-order rows lose more than ten times that.
    let [kept, lost] = amplitudes.map(|amplitude| (amplitude - 1.0).abs());
    assert!(kept < 1.5e-4 && lost > 10.0 * kept, "{amplitudes:?}");
}

#[test]
fn a_rope_that_swings_is_never_longer_than_its_length() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Vec3::new(0.5, 0.0, 0.2);
    let mass =
        model.body(Body::new("mass", 2.0, Mat3::IDENTITY).at(start).moving(Vec3::new(0.0, 1.0, 0.0), Vec3::ZERO));
    model.joint("rope", Rope::new([ground, mass], [Vec3::ZERO; 2], 1.0));
    let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.01)).expect("valid");
    let mut taut = 0;
    for _ in 0..500 {
        run(&mut simulation, 1);
        let length = simulation.state().poses[mass.index()].position.length();
        assert!(length < 1.0 + 1e-9, "{length}");
        taut += u32::from(length > 1.0 - 1e-9);
    }
    assert!(taut > 100, "{taut}");
}

#[test]
fn a_chain_of_balls_joints_keeps_its_centre_of_mass_in_free_flight() {
    // Closing acts by impulses between the bodies: linear momentum is kept to rounding, and joints hold.
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let links: Vec<_> = (0..5)
        .map(|k| {
            let body = Body::new(format!("link {k}"), 1.0 + f64::from(k), Mat3::from_diagonal(Vec3::splat(0.02)));
            let spin = Vec3::new(0.3 * f64::from(k), 2.0, -1.0);
            model.body(body.at(0.3 * f64::from(k) * Vec3::X).moving(Vec3::new(0.0, f64::from(k % 2), 0.5), spin))
        })
        .collect();
    for k in 1..5 {
        let poses = [k - 1, k].map(|i| Pose::at(0.3 * i as f64 * Vec3::X));
        let joint = Pose::at((0.3 * k as f64 - 0.15) * Vec3::X);
        let anchors = Anchors::from_world([links[k - 1], links[k]], [&poses[0], &poses[1]], joint);
        model.joint(format!("joint {k}"), Spherical::new(anchors));
    }
    let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.005)).expect("valid");
    let before = signorini_mechanics::Momentum::of(simulation.model(), simulation.state());
    for _ in 0..400 {
        let report = run(&mut simulation, 1);
        assert!(report.joint_violation < 1e-9, "step {}: {}", report.step, report.joint_violation);
        assert!((report.momentum.linear - before.linear).length() < 1e-12);
    }
}

#[test]
fn a_pendulum_that_hits_a_floor_keeps_its_joint_closed_and_stays_above_the_floor() {
    let mut model = Model::builder();
    let smooth = model.material(Material { friction: 0.3, ..Material::new("smooth") });
    let ground = model.body(Body::fixed("ground"));
    model.collider(ground, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, smooth));
    let (pivot, start) = (Vec3::new(0.0, 0.0, 0.5), Vec3::new(0.8, 0.0, 0.5));
    let ball = Shape::Sphere { radius: 0.1 };
    let bob = model.body(Body::of_shape("bob", &ball, 500.0).expect("a ball").at(start));
    model.collider(bob, Collider::new(ball, smooth));
    model.joint(
        "arm",
        Spherical::new(Anchors::from_world([ground, bob], [&Pose::IDENTITY, &Pose::at(start)], Pose::at(pivot))),
    );
    let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.005)).expect("valid");
    let mut touched = false;
    for _ in 0..400 {
        let report = run(&mut simulation, 1);
        touched |= report.active > 0;
        assert!(report.joint_violation < 1e-9, "step {}: {}", report.step, report.joint_violation);
        // Gaps of contacts are held to first order, as without the setting.
        assert!(report.penetration < 1e-3, "{}", report.penetration);
    }
    assert!(touched && simulation.state().velocities[bob.index()].length() < 1e-6);
}
