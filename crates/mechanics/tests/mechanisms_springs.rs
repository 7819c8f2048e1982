//! Whole simulations of springs and loads, against the recursion of the step and balances of momentum.

mod support;

use signorini_mechanics::force::{Load, RotationalSpring, Spring};
use signorini_mechanics::joint::{Anchors, Law, Revolute};
use signorini_mechanics::{Body, Model, Pose, Quat, Simulation, Vec3};
use support::{isotropic, run, settings};

const MASS: f64 = 2.0;

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
