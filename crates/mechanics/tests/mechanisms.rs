//! Whole simulations of pendulums, springs, drives, ropes and loops, each with an oracle of its own.

mod support;

use signorini_mechanics::force::{Load, RotationalSpring, Spring};
use signorini_mechanics::joint::{Anchors, Distance, Fixed, Law, Prismatic, Revolute, Rope, Spherical};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, Simulation, Vec3};
use signorini_testkit::fitted_order;
use support::{four_bar, hinge_about_y, run, settings};

const G: f64 = 9.81;

fn isotropic(moment: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(moment))
}

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
                simulation.step().expect("step");
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

/// x⁺ of m ẍ = −k x − d ẋ by the linearly implicit Euler step: (m + hd + h²k) v⁺ = m v − h k x, x⁺ = x + h v⁺.
fn oscillator(m: f64, k: f64, d: f64, h: f64, steps: usize, mut x: f64, mut v: f64) -> (f64, f64) {
    for _ in 0..steps {
        v = (m * v - h * k * x) / (m + h * d + h * h * k);
        x += h * v;
    }
    (x, v)
}

#[test]
fn a_mass_on_a_spring_follows_the_recursion_of_the_step_however_stiff_the_spring() {
    let (rest, h, steps) = (1.0, 0.01, 150);
    for (stiffness, damping) in [(10.0, 0.0), (10.0, 5.0), (1e8, 0.0), (1e8, 1e4), (0.0, 3.0)] {
        // Pulled and pushed; both ends of a spring of zero and of some rest length.
        for (x, v) in [(0.2, 0.0), (-0.3, 1.5)] {
            let mut model = Model::builder();
            model.gravity(Vec3::ZERO);
            let ground = model.body(Body::fixed("ground"));
            let mass = model
                .body(Body::new("mass", MASS, isotropic(0.1)).at((rest + x) * Vec3::X).moving(v * Vec3::X, Vec3::ZERO));
            model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], stiffness, damping, rest));
            let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
            run(&mut simulation, steps);
            let (exact_x, exact_v) = oscillator(MASS, stiffness, damping, h, steps, x, v);
            let (found_x, found_v) = (
                simulation.state().poses[mass.index()].position.x - rest,
                simulation.state().velocities[mass.index()].x,
            );
            assert!((found_x - exact_x).abs() < 1e-11 && (found_v - exact_v).abs() < 1e-10, "{found_x} {exact_x}");
        }
    }
}

#[test]
fn a_hinge_with_a_rotational_spring_follows_the_recursion_of_the_step() {
    let (moment, stiffness, damping, h, steps) = (0.3, 40.0, 0.2, 0.01, 120);
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(Vec3::ZERO, Quat::from_rotation_z(0.4));
    let wheel = model.body(Body::new("wheel", 1.0, isotropic(moment)).posed(start));
    let anchors = Anchors { bodies: [ground, wheel], frames: [Pose::IDENTITY; 2] };
    model.joint("axle", Revolute::new(anchors));
    model.force("spring", RotationalSpring::new(anchors, stiffness, damping, 0.1));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    run(&mut simulation, steps);
    let (exact, _) = oscillator(moment, stiffness, damping, h, steps, 0.3, 0.0);
    let x = simulation.state().poses[wheel.index()].rotation * Vec3::X;
    assert!((x.y.atan2(x.x) - 0.1 - exact).abs() < 1e-10);
}

#[test]
fn two_masses_on_a_spring_keep_their_momentum_and_their_centre() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let bodies = [
        model.body(Body::new("a", 1.0, isotropic(0.1)).moving(Vec3::new(0.3, 0.0, 0.1), Vec3::new(0.2, 1.0, 0.0))),
        model.body(Body::new("b", 3.0, isotropic(0.2)).at(Vec3::new(1.0, 0.5, 0.0))),
    ];
    let points = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.0, -0.1, 0.3)];
    model.force("spring", Spring::new(bodies, points, 500.0, 2.0, 0.4));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    let before = signorini_mechanics::Momentum::of(simulation.model(), simulation.state());
    let report = run(&mut simulation, 300);
    // Linear momentum to rounding; angular momentum to O(h), as levers are those of the start of a step.
    assert!((report.momentum.linear - before.linear).length() < 1e-12);
    let state = simulation.state();
    let centre = (state.poses[0].position + 3.0 * state.poses[1].position) / 4.0;
    let expected = (3.0 * Vec3::new(1.0, 0.5, 0.0) + 3.0 * Vec3::new(0.3, 0.0, 0.1)) / 4.0;
    assert!((centre - expected).length() < 1e-11);
}

#[test]
fn a_load_accelerates_a_body_as_newton_says() {
    // F = 2 t e_x: the implicit step takes it at the end of the step, v = Σ h F(t_k)/m.
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let body = model.body(Body::new("body", 4.0, isotropic(0.5)));
    model.force("push", Load::new(body).force(Vec3::X, Some(Law::linear(0.0, 2.0))).torque(Vec3::Z, None));
    let h = 0.01;
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    run(&mut simulation, 100);
    let exact: f64 = (1..=100).map(|k| h * 2.0 * h * f64::from(k) / 4.0).sum();
    assert!((simulation.state().velocities[0] - exact * Vec3::X).length() < 1e-12);
    assert!((simulation.state().angular_velocities[0] - 2.0 * Vec3::Z).length() < 1e-12);
}

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
        for _ in 0..500 {
            simulation.step().expect("step");
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
        simulation.step().expect("step");
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
        simulation.step().expect("step");
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
        simulation.step().expect("step");
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
            simulation.step().expect("step");
            let arm = simulation.state().poses[bob.index()].rotation * -Vec3::Z;
            largest = largest.max((-arm.x).atan2(-arm.z));
        }
        assert!(largest < limit + 1e-9, "{largest}");
        assert_eq!(largest > limit - 1e-9, is_stopped, "{largest}");
    }
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
