//! One-sided joint rows as springs.

use super::*;
use signorini_mechanics::joint::{Anchors, Prismatic, Revolute, Rope};
use signorini_mechanics::{Pose, Quat, StepError};

#[test]
fn a_rope_stretches_by_the_weight_over_the_stiffness() {
    for (stepper, penalty, exact) in [
        (ALPHA, Penalty::linear(2e3, 40.0), GRAVITY / 2e3),
        (Stepper::Rk4, Penalty::linear(2e3, 40.0), GRAVITY / 2e3),
        (ALPHA, Penalty::hertz(3e5, 10.0), (GRAVITY / 3e5).powf(2.0 / 3.0)),
    ] {
        let mut model = Model::builder();
        let ceiling = model.body(Body::fixed("ceiling"));
        let bob = model.body(Body::new("bob", 1.0, Mat3::IDENTITY).at(Vec3::new(0.0, 0.0, -0.45)));
        model.joint("rope", Rope::new([ceiling, bob], [Vec3::ZERO; 2], 0.5));
        let mut simulation = simulation(model.build().unwrap(), stepper, 1e-3, penalty);
        run(&mut simulation, 2000);
        let stretch = -simulation.state().poses[bob.index()].position.z - 0.5;
        assert!((stretch - exact).abs() < 1e-8, "{}: {stretch} {exact}", stepper.name());
        let force = simulation.joint_forces(0).unwrap();
        assert!((force[0] - GRAVITY).abs() < 1e-5, "{force:?}");
    }
}

/// An arm of 1 kg at 0.5 m from a hinge, with a ball of radius 0.1 m as its shape.
fn arm(limits: (f64, f64)) -> Model {
    let mut model = Model::builder();
    let material = model.material(Material::new("surface"));
    let frame = model.body(Body::fixed("frame"));
    let arm = ball(&mut model, "arm", material, Vec3::new(0.5, 0.0, 0.0), Vec3::ZERO);
    // The hinge's axis is along −y: positive angles turn the arm down.
    let hinge = Pose::new(Vec3::ZERO, Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let poses = [&Pose::IDENTITY, &Pose::at(Vec3::new(0.5, 0.0, 0.0))];
    let anchors = Anchors::from_world([frame, arm], poses, hinge);
    model.joint("hinge", Revolute::new(anchors).limited(limits.0, limits.1));
    model.build().unwrap()
}

#[test]
fn the_limit_of_a_hinge_gives_way_by_its_torque_over_stiffness_times_radius_squared() {
    let k = 1e5;
    for stepper in [ALPHA, Stepper::ImplicitEuler] {
        let mut simulation = simulation(arm((-0.2, 0.2)), stepper, 1e-3, Penalty::linear(k, 300.0));
        run(&mut simulation, 3000);
        let height = simulation.state().poses[1].position.z / 0.5;
        let angle = height.asin().abs();
        let beyond = angle - 0.2;
        let exact = GRAVITY * 0.5 * angle.cos() / (k * RADIUS * RADIUS);
        assert!(height < 0.0 && (beyond - exact).abs() < 1e-7, "{}: {beyond} {exact}", stepper.name());
        let forces = simulation.joint_forces(0).unwrap();
        assert_eq!(forces.len(), 7);
        let torque = forces[5].max(forces[6]);
        assert!((torque - GRAVITY * 0.5 * angle.cos()).abs() < 1e-4, "{forces:?}");
    }
}

#[test]
fn a_slider_that_meets_its_limit_comes_back_after_half_a_period() {
    let k = 1e4;
    for stepper in [ALPHA, Stepper::Leapfrog] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let frame = model.body(Body::fixed("frame"));
        let carriage = model.body(Body::new("carriage", 1.0, Mat3::IDENTITY).moving(Vec3::Z, Vec3::ZERO));
        let anchors = Anchors::from_world([frame, carriage], [&Pose::IDENTITY; 2], Pose::IDENTITY);
        model.joint("rail", Prismatic::new(anchors).limited(-1.0, 0.05));
        let mut simulation = simulation(model.build().unwrap(), stepper, 1e-4, Penalty::linear(k, 0.0));
        run(&mut simulation, 1500);
        let state = simulation.state();
        let (position, speed) = (state.poses[1].position.z, state.velocities[1].z);
        let left = state.time - (0.05 - position) / -speed;
        let exact = 0.05 + std::f64::consts::PI / k.sqrt();
        assert!((speed + 1.0).abs() < 1e-4 && (left - exact).abs() < 1e-5, "{}: {speed} {left}", stepper.name());
    }
}

#[test]
fn without_penalty_limits_are_refused() {
    let settings = Settings { stepper: ALPHA, ..Settings::default() };
    let error = Simulation::new(arm((-0.2, 0.2)), settings).err().unwrap();
    assert!(matches!(&error, StepError::OneSided { .. }) && error.to_string().contains("penalty"), "{error}");
}
