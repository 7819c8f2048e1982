//! Whole simulations of pendulums, welds and loops, each with an oracle of its own.

mod support;

use signorini_mechanics::joint::{Anchors, Distance, Fixed, Revolute, Spherical};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, Simulation, Vec3};
use signorini_testkit::fitted_order;
use support::{four_bar, hinge_about_y, isotropic, run, settings};

const G: f64 = 9.81;

const MASS: f64 = 2.0;
const LENGTH: f64 = 0.8;
const MOMENT: f64 = 0.05;

#[derive(Clone, Copy, PartialEq)]
enum Hang {
    Spherical,
    Revolute,
    DoubledRevolute,
    Rod,
}

/// A body hung from the origin at an angle from below, at rest.
fn pendulum(hang: Hang, moment: f64, angle: f64, h: f64) -> (Simulation, BodyId) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(
        LENGTH * Vec3::new(angle.sin(), 0.0, -angle.cos()),
        // Turned with the arm: its −z points away from the pivot.
        Quat::from_rotation_y(-angle),
    );
    let bob = model.body(Body::new("bob", MASS, isotropic(moment)).posed(start));
    let anchors = Anchors::from_world([ground, bob], [&Pose::IDENTITY, &start], hinge_about_y(Vec3::ZERO));
    match hang {
        Hang::Spherical => model.joint("pivot", Spherical::new(anchors)),
        Hang::Revolute => model.joint("pivot", Revolute::new(anchors)),
        Hang::DoubledRevolute => model.joint("pivot", Revolute::new(anchors)).joint("again", Revolute::new(anchors)),
        Hang::Rod => model.joint("pivot", Distance::new([ground, bob], [Vec3::ZERO; 2], LENGTH)),
    };
    (Simulation::new(model.build().expect("valid"), settings(h)).expect("valid"), bob)
}

#[test]
fn the_period_of_a_pendulum_is_the_closed_form() {
    // T = 2π √((I + ml²)/(mgl)) (1 + θ²/16 + 11θ⁴/3072), from the times at which it passes below the pivot.
    let amplitude = 0.3_f64;
    let exact = std::f64::consts::TAU
        * ((MOMENT + MASS * LENGTH * LENGTH) / (MASS * G * LENGTH)).sqrt()
        * (1.0 + amplitude.powi(2) / 16.0 + 11.0 * amplitude.powi(4) / 3072.0);
    for hang in [Hang::Spherical, Hang::Revolute] {
        let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
            let (mut simulation, bob) = pendulum(hang, MOMENT, amplitude, h);
            let mut crossings = Vec::new();
            let mut before = simulation.state().poses[bob.index()].position.x;
            while crossings.len() < 5 {
                run(&mut simulation, 1);
                let x = simulation.state().poses[bob.index()].position.x;
                if x * before < 0.0 {
                    crossings.push(simulation.state().time - h * x / (x - before));
                }
                before = x;
            }
            (0.5 * (crossings[4] - crossings[0]) - exact).abs() / exact
        });
        let order = fitted_order(&errors);
        assert!(order > 0.85 && errors[3] < 2e-3, "order {order:.2} of {errors:?}");
    }
}

#[test]
fn the_energy_error_of_a_pendulum_is_of_first_order() {
    for hang in [Hang::Spherical, Hang::Revolute, Hang::Rod] {
        let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
            let (mut simulation, _) = pendulum(hang, MOMENT, 1.0, h);
            let before = signorini_mechanics::Energy::of(simulation.model(), simulation.state()).total();
            let report = run(&mut simulation, (1.0 / h).round() as usize);
            (report.energy.total() - before).abs() / (MASS * G * LENGTH)
        });
        let order = fitted_order(&errors);
        assert!((order - 1.0).abs() < 0.15 && errors[3] < 0.01, "order {order:.2} of {errors:?}");
    }
}

#[test]
fn a_ball_joint_swings_in_its_plane_as_a_hinge_does_and_a_doubled_hinge_as_a_single_one() {
    let places = [Hang::Revolute, Hang::Spherical, Hang::DoubledRevolute].map(|hang| {
        let (mut simulation, bob) = pendulum(hang, MOMENT, 1.0, 0.005);
        run(&mut simulation, 400);
        simulation.state().poses[bob.index()]
    });
    for place in &places[1..] {
        let apart = (place.position - places[0].position).length();
        assert!(apart < 1e-9, "{apart}");
    }
}

#[test]
fn a_rod_and_a_ball_joint_hold_the_same_pendulum() {
    // A body without inertia on a ball joint is the point mass on a rod; the two linearisations differ by O(h).
    let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
        let [a, b] = [Hang::Spherical, Hang::Rod].map(|hang| {
            let (mut simulation, bob) = pendulum(hang, 1e-9, 1.0, h);
            run(&mut simulation, (1.0 / h).round() as usize);
            simulation.state().poses[bob.index()].position
        });
        (a - b).length()
    });
    let order = fitted_order(&errors);
    assert!(order > 0.85 && errors[3] < 5e-3, "order {order:.2} of {errors:?}");
}

#[test]
fn two_welded_boxes_move_as_one_body() {
    // Thrown with a spin; the composite has the inertia of both, shifted to the common centre (Steiner).
    let (velocity, omega) = (Vec3::new(1.0, 0.0, 3.0), Vec3::new(1.0, 2.0, 0.5));
    let arm = Vec3::new(0.4, 0.1, 0.0);
    let (mass, inertia) = (2.0, Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25)));
    let welded = |h: f64| {
        let mut model = Model::builder();
        let ends = [arm, -arm].map(|r| Body::new(if r == arm { "a" } else { "b" }, mass, inertia).at(r));
        let [a, b] = ends.map(|body| {
            let r = body.start.position;
            model.body(body.moving(velocity + omega.cross(r), omega))
        });
        let anchors = Anchors::from_world([a, b], [&Pose::at(arm), &Pose::at(-arm)], Pose::IDENTITY);
        model.joint("weld", Fixed::new(anchors));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
        let report = run(&mut simulation, (0.5 / h).round() as usize);
        assert!(report.joint_violation < 10.0 * h * h, "{}", report.joint_violation);
        (simulation.state().poses[0], simulation.state().poses[1])
    };
    let single = |h: f64| {
        let mut model = Model::builder();
        let outer = Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        let steiner = 2.0 * mass * (isotropic(arm.length_squared()) - outer);
        model.body(Body::new("both", 2.0 * mass, inertia * 2.0 + steiner).moving(velocity, omega));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
        run(&mut simulation, (0.5 / h).round() as usize);
        simulation.state().poses[0]
    };
    let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
        let ((a, b), body) = (welded(h), single(h));
        (a.position - body * arm).length().max((b.position - body * -arm).length())
    });
    let order = fitted_order(&errors);
    assert!(order > 0.85 && errors[3] < 2e-3, "order {order:.2} of {errors:?}");
}

#[test]
fn a_four_bar_loop_that_moves_stays_closed_to_second_order_without_drift() {
    // Rows are linearised over a step: what is left after it is its curvature, about ½ (hω)² l, however long it runs. The loop is
    // closed by hinges in space: three rows are redundant.
    let errors = [0.008, 0.004, 0.002].map(|h| {
        let mut simulation = four_bar(settings(h), 0.0);
        let steps = (2.0 / h).round() as usize;
        let start = simulation.state().poses[1].position;
        let mut travelled = 0.0_f64;
        let mut worst = |simulation: &mut Simulation| {
            let violations = (0..steps).map(|_| {
                let report = run(simulation, 1);
                travelled = travelled.max((simulation.state().poses[1].position - start).length());
                report.joint_violation
            });
            violations.fold(0.0, f64::max)
        };
        let (early, late) = (worst(&mut simulation), worst(&mut simulation));
        assert!(late < 1.5 * early && travelled > 0.3, "{early} {late} {travelled}");
        early
    });
    let order = fitted_order(&errors);
    assert!((order - 2.0).abs() < 0.2, "order {order:.2} of {errors:?}");
}

#[test]
fn a_four_bar_loop_that_comes_to_rest_is_closed_to_a_nanometre() {
    let mut simulation = four_bar(settings(0.01), 5.0);
    let before = signorini_mechanics::Energy::of(simulation.model(), simulation.state()).total();
    let report = run(&mut simulation, 2000);
    assert!(report.energy.total() < before - 1.0 && report.energy.kinetic < 1e-9, "{:?}", report.energy);
    assert!(report.joint_violation < 1e-9 && report.joint_angle_violation < 1e-9, "{}", report.joint_violation);
}

#[test]
fn a_weld_put_together_wrongly_by_any_rotation_closes_in_one_step() {
    for axis in [Vec3::X, Vec3::new(0.6, 0.0, 0.8), Vec3::new(-0.48, 0.6, 0.64)] {
        for angle in [0.1, 1.5, 3.0, std::f64::consts::PI] {
            let mut model = Model::builder();
            model.gravity(Vec3::ZERO);
            let ground = model.body(Body::fixed("ground"));
            let start = Pose::new(Vec3::new(0.3, -0.2, 0.5), Quat::from_axis_angle(axis, angle));
            let body = model.body(Body::new("body", 1.0, Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25))).posed(start));
            model.joint("weld", Fixed::new(Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] }));
            let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
            let report = run(&mut simulation, 1);
            let (length, turn) = (report.joint_violation, report.joint_angle_violation);
            assert!(length < 1e-12 && turn < 1e-12, "{axis} {angle}: {length} {turn}");
        }
    }
}

#[test]
fn a_hinge_put_together_wrongly_by_any_tilt_closes() {
    for tilt in [0.1, 1.5, 3.0, std::f64::consts::PI] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let ground = model.body(Body::fixed("ground"));
        let start = Pose::new(Vec3::ZERO, Quat::from_rotation_z(0.4) * Quat::from_rotation_x(tilt));
        let body = model.body(Body::new("body", 1.0, isotropic(0.1)).posed(start));
        model.joint("hinge", Revolute::new(Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] }));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
        let report = run(&mut simulation, 3);
        assert!(report.joint_angle_violation < 1e-10, "{tilt}: {}", report.joint_angle_violation);
        assert!((simulation.state().poses[body.index()].rotation * Vec3::Z).z > 0.9);
    }
}
