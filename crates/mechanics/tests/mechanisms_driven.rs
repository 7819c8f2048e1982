//! Whole simulations of motors, ropes and limits, each with an oracle of its own.

mod support;

use signorini_mechanics::joint::{Anchors, Law, Prismatic, Revolute, Rope};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, Settings, Simulation, Vec3};
use support::{hinge_about_y, isotropic, run, run_to_first_order, settings};

const G: f64 = 9.81;
const MASS: f64 = 2.0;
const LENGTH: f64 = 0.8;
const MOMENT: f64 = 0.05;

fn driven_wheel(law: Law, centre: Vec3, h: f64) -> (Simulation, BodyId) {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let wheel = model.body(Body::new("wheel", 1.5, Mat3::from_diagonal(Vec3::new(0.2, 0.3, 0.4))).at(centre));
    let anchors = Anchors::from_world([ground, wheel], [&Pose::IDENTITY, &Pose::at(centre)], Pose::IDENTITY);
    model.joint("motor", Revolute::new(anchors).driven(law));
    (Simulation::new(model.build().expect("valid"), settings(h)).expect("valid"), wheel)
}

#[test]
fn a_driven_hinge_reaches_its_angle_in_every_step_over_many_turns() {
    for centre in [Vec3::ZERO, Vec3::new(0.3, 0.1, 0.0)] {
        let law = Law::linear(0.0, 30.0);
        let (mut simulation, wheel) = driven_wheel(law.clone(), centre, 0.01);
        // 0.3 rad per step take the centre of mass off its circle by ½ 0.3² of its radius, which is told.
        let is_open = centre != Vec3::ZERO;
        let run = if is_open { run_to_first_order } else { run };
        for _ in 0..500 {
            assert_eq!(run(&mut simulation, 1).converged(), !is_open);
            let expected = Quat::from_rotation_z(law.value(simulation.state().time));
            let found = simulation.state().poses[wheel.index()].rotation;
            let apart = found.xyz().distance(expected.xyz() * found.dot(expected).signum());
            assert!(apart < 1e-10, "t = {}: {apart}", simulation.state().time);
        }
    }
}

#[test]
fn the_torque_of_a_motor_is_inertia_times_acceleration() {
    let (h, acceleration) = (0.01, 2.5);
    let (mut simulation, _) = driven_wheel(Law::Polynomial(vec![0.0, 0.0, 0.5 * acceleration]), Vec3::ZERO, h);
    for step in 0..200 {
        run(&mut simulation, 1);
        let torque = simulation.joint_forces(0).expect("a step was taken")[5];
        // From rest the first step gains half: its mean speed is ½ α h.
        let expected = 0.4 * acceleration * if step == 0 { 0.5 } else { 1.0 };
        assert!((torque - expected).abs() < 1e-9, "step {step}: {torque}");
    }
}

#[test]
fn a_driven_slider_follows_its_sine_and_its_force_is_mass_times_acceleration() {
    let law = Law::Sine { amplitude: 0.2, frequency: 1.5, phase: 0.0, offset: 0.0 };
    let h = 0.005;
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let block = model.body(Body::new("block", MASS, isotropic(0.1)));
    let anchors = Anchors { bodies: [ground, block], frames: [Pose::IDENTITY; 2] };
    model.joint("piston", Prismatic::new(anchors).driven(law.clone()));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    for step in 0..400_u32 {
        run(&mut simulation, 1);
        let t = simulation.state().time;
        assert!((simulation.state().poses[block.index()].position.z - law.value(t)).abs() < 1e-10);
        if step > 0 {
            let second = (law.value(t) - 2.0 * law.value(t - h) + law.value(t - 2.0 * h)) / (h * h);
            let force = simulation.joint_forces(0).expect("a step was taken")[5];
            assert!((force - MASS * (G + second)).abs() < 1e-6, "{force} {second}");
        }
    }
}

#[test]
fn a_rope_catches_a_falling_mass_at_its_length() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let mass = model.body(Body::new("mass", MASS, isotropic(0.1)).at(-0.3 * Vec3::Z));
    model.joint("rope", Rope::new([ground, mass], [Vec3::ZERO; 2], 1.0));
    let h = 0.01;
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    for _ in 0..100 {
        let before = simulation.state().clone();
        run(&mut simulation, 1);
        let (z, v) = (simulation.state().poses[mass.index()].position.z, simulation.state().velocities[mass.index()].z);
        assert!(-z <= 1.0 + 1e-9, "length {}", -z);
        // Slack, it falls freely.
        if -z < 1.0 - 1e-6 {
            assert!((v - before.velocities[mass.index()].z + G * h).abs() < 1e-9);
        }
    }
    let state = simulation.state();
    assert!((state.poses[mass.index()].position + Vec3::Z).length() < 1e-9);
    assert!(state.velocities[mass.index()].length() < 1e-9);
    assert!((simulation.joint_forces(0).expect("a step was taken")[0] - MASS * G).abs() < 1e-6);
}

#[test]
fn a_limited_hinge_stops_a_pendulum_at_its_limit() {
    // Released at 1 rad on one side, stopped at ½ rad on the other; it comes to rest below the pivot or on the limit, never beyond.
    for (limit, is_stopped) in [(0.5, true), (2.5, false)] {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let start = Pose::new(LENGTH * Vec3::new(1.0_f64.sin(), 0.0, -(1.0_f64.cos())), Quat::from_rotation_y(-1.0));
        let bob = model.body(Body::new("bob", MASS, isotropic(MOMENT)).posed(start));
        let anchors = Anchors::from_world([ground, bob], [&Pose::IDENTITY, &start], hinge_about_y(Vec3::ZERO));
        // The angle counts from the start: below the pivot it is 1.
        model.joint("pivot", Revolute::new(anchors).limited(-0.1, 1.0 + limit));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.005)).expect("valid");
        let mut largest = 0.0_f64;
        for _ in 0..300 {
            run(&mut simulation, 1);
            let arm = simulation.state().poses[bob.index()].rotation * -Vec3::Z;
            largest = largest.max((-arm.x).atan2(-arm.z));
        }
        assert!(largest < limit + 1e-9, "{largest}");
        assert_eq!(largest > limit - 1e-9, is_stopped, "{largest}");
    }
}

#[test]
fn limits_hold_on_the_far_side_of_a_hinge_where_its_angle_jumps() {
    // Allowed from 2.5 to 4 rad, so through half a turn. The centre is at −y of the body, above the pivot at half a turn: it falls to
    // the side it starts on and lies on the limit there.
    for (side, limit) in [(-1.0, 2.5), (1.0, 4.0)] {
        let mut model = Model::builder();
        model.gravity(Vec3::new(0.0, -G, 0.0));
        let ground = model.body(Body::fixed("ground"));
        let angle = std::f64::consts::PI + 0.05 * side;
        let turn = Quat::from_rotation_z(angle);
        let start = Pose::new(turn * (-LENGTH * Vec3::Y), turn);
        let bob = model.body(Body::new("bob", MASS, isotropic(MOMENT)).posed(start));
        let frames = [Pose::IDENTITY, Pose::at(LENGTH * Vec3::Y)];
        model.joint("pivot", Revolute::new(Anchors { bodies: [ground, bob], frames }).limited(2.5, 4.0));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.005)).expect("valid");
        for _ in 0..600 {
            run(&mut simulation, 1);
            let x = simulation.state().poses[bob.index()].rotation * Vec3::X;
            let found = x.y.atan2(x.x).rem_euclid(std::f64::consts::TAU);
            assert!(found > 2.5 - 1e-9 && found < 4.0 + 1e-9, "{found}");
        }
        let x = simulation.state().poses[bob.index()].rotation * Vec3::X;
        let found = x.y.atan2(x.x).rem_euclid(std::f64::consts::TAU);
        assert!((found - limit).abs() < 1e-9, "{found}, expected to lie on {limit}");
    }
}

#[test]
fn a_slider_rests_on_its_limit_and_the_limit_carries_its_weight() {
    let h = 0.01;
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let block = model.body(Body::new("block", MASS, isotropic(0.1)));
    let anchors = Anchors { bodies: [ground, block], frames: [Pose::IDENTITY; 2] };
    model.joint("guide", Prismatic::new(anchors).limited(-0.5, 0.25));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    for _ in 0..100 {
        run(&mut simulation, 1);
        assert!(simulation.state().poses[block.index()].position.z > -0.5 - 1e-10);
    }
    assert!((simulation.state().poses[block.index()].position + 0.5 * Vec3::Z).length() < 1e-10);
    let forces = simulation.joint_forces(0).expect("steps were taken");
    assert!((forces[5] - MASS * G).abs() < 1e-7 && forces[6].abs() < 1e-7, "{forces:?}");
}

#[test]
fn joints_that_contradict_each_other_are_reported_and_do_not_break_the_step() {
    for joint_tolerance in [None, Some(1e-9)] {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let body = model.body(Body::new("body", 1.0, isotropic(0.1)));
        let anchors = Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] };
        model.joint("one", Revolute::new(anchors).driven(Law::linear(0.0, 1.0)));
        model.joint("other", Revolute::new(anchors).driven(Law::linear(0.0, -1.0)));
        let settings = Settings { joint_tolerance, ..settings(0.01) };
        let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
        for step in 1..=20 {
            let report = simulation.step().expect("an answer that says what it misses");
            let time = 0.01 * f64::from(step);
            assert!(!report.converged() && simulation.state().is_finite());
            // Halfway between both, as far as either: what is violated is said.
            assert!(report.joint_angle_violation > 0.5 * time, "{} {:?}", report.joint_angle_violation, report.status);
        }
    }
}
