//! What smooth steppers say about themselves where something is wrong, and what they go on from.

use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{
    Adaptive, Body, Mat3, Model, Newton, Pose, Quat, Settings, Simulation, StepError, Stepper, Vec3,
};

fn named(name: &str) -> Stepper {
    Stepper::named(name).expect("a stepper")
}

/// A pendulum of 1 m about y that starts level, upwards at 3 rad/s.
fn pendulum(gravity: f64) -> Model {
    let mut model = Model::builder();
    model.gravity(Vec3::Z * -gravity);
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(Vec3::X, Quat::IDENTITY);
    let mut arm = Body::new("arm", 1.0, Mat3::IDENTITY * 0.1).posed(start);
    (arm.velocity, arm.angular_velocity) = (Vec3::Z * 3.0, Vec3::Y * -3.0);
    let arm = model.body(arm);
    let hinge = Pose::new(Vec3::ZERO, Quat::from_rotation_arc(Vec3::Z, Vec3::Y));
    model.joint("hinge", Revolute::new(Anchors::from_world([ground, arm], [&Pose::IDENTITY, &start], hinge)));
    model.build().expect("a model")
}

fn settings(stepper: &str, step: f64) -> Settings {
    Settings { step, stepper: named(stepper), ..Settings::default() }
}

#[test]
fn a_matrix_that_is_singular_is_told_with_the_step_that_was_tried() {
    let mut simulation = Simulation::new(pendulum(9.81), settings("implicit-euler", 1e200)).expect("a simulation");
    match simulation.step() {
        Err(StepError::Newton { tried, reason, .. }) => {
            assert!(reason.contains("singular") && tried > 1e195, "{reason} {tried}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_tolerance_of_newton_is_kept_and_a_looser_one_saves_iterations() {
    let iterations = |tolerance: f64| {
        let settings = Settings { newton: Newton { tolerance, ..Newton::default() }, ..settings("hht", 0.01) };
        let mut simulation = Simulation::new(pendulum(9.81), settings).expect("a simulation");
        (0..100).map(|_| simulation.step().expect("a step").iterations).sum::<u32>()
    };
    let [tight, usual, loose] = [1e-13, 1e-11, 1e-6].map(iterations);
    assert!(tight > usual && 5 * loose < 4 * usual, "{tight} {usual} {loose}");
}

#[test]
fn sub_steps_that_must_be_longer_than_they_may_are_refused() {
    for (min_step, max_step) in [(0.2, None), (0.01, Some(0.005))] {
        let adaptive = Adaptive { min_step: Some(min_step), max_step, ..Adaptive::default() };
        let settings = Settings { adaptive: Some(adaptive), ..settings("hht", 0.1) };
        let found = Simulation::new(pendulum(9.81), settings).map(|_| ()).map_err(|error| error.to_string());
        let expected = format!("adaptive min-step is {min_step}, expected at most the max-step and the step");
        assert_eq!(found, Err(expected));
    }
}

#[test]
fn a_linearised_step_that_is_not_accurate_says_so_without_gravity_too() {
    for stepper in ["implicit-euler-linearised", "trapezoidal-linearised"] {
        let mut simulation = Simulation::new(pendulum(0.0), settings(stepper, 0.3)).expect("a simulation");
        let reports: Vec<_> = (0..5).map(|_| simulation.step().expect("a step")).collect();
        // Joints that gape by millimetres and more.
        let gapes = reports.iter().filter(|report| report.joint_violation > 1e-2);
        assert!(gapes.clone().count() > 0 && gapes.clone().all(|report| !report.converged()), "{stepper}: {reports:?}");
        let mut short = Simulation::new(pendulum(0.0), settings(stepper, 1e-3)).expect("a simulation");
        assert!((0..5).all(|_| short.step().expect("a step").converged()), "{stepper}");
    }
}

#[test]
fn what_another_stepper_kept_moves_nothing() {
    let extrapolated = |stepper: &str, extrapolate: bool| Settings { extrapolate, ..settings(stepper, 0.02) };
    let cases = [("hht", true), ("hht", false), ("rk4", true), ("generalised-alpha", false)];
    for (before, is_extrapolated) in cases {
        let mut simulation =
            Simulation::new(pendulum(9.81), extrapolated(before, is_extrapolated)).expect("a simulation");
        (0..50).for_each(|_| _ = simulation.step().expect("a step"));
        let (state, warm) = (simulation.state(), simulation.warm_start());
        for (after, extrapolate) in [("hht", false), ("rk4", false), ("rk4", true), ("trapezoidal", true)] {
            let settings = extrapolated(after, extrapolate);
            let resumed =
                Simulation::resumed(pendulum(9.81), settings, state.clone(), warm.clone()).expect("a simulation");
            // Joints are closed again, no more.
            let moved = (resumed.state().poses[1].position - state.poses[1].position).length();
            let closed = simulation.joint_violation()[0].0;
            assert!(moved < 1e-12 + 2.0 * closed, "{before} {after} {extrapolate}: {moved} {closed}");
        }
    }
}

#[test]
fn a_state_that_was_changed_counts_and_not_what_the_stepper_kept() {
    let mut simulation = Simulation::new(pendulum(9.81), settings("hht", 0.01)).expect("a simulation");
    (0..20).for_each(|_| _ = simulation.step().expect("a step"));
    let mut state = simulation.state().clone();
    state.velocities[1] *= 2.0;
    state.angular_velocities[1] *= 2.0;
    let warm = simulation.warm_start().clone();
    let mut changed =
        Simulation::resumed(pendulum(9.81), settings("hht", 0.01), state.clone(), warm).expect("a simulation");
    changed.step().expect("a step");
    let spin = changed.state().angular_velocities[1].length() / state.angular_velocities[1].length();
    assert!((spin - 1.0).abs() < 0.1, "{spin}");
}

#[test]
fn explicit_steps_that_lead_too_far_off_the_joints_are_taken_in_halves() {
    for stepper in ["heun", "rk4", "leapfrog"] {
        let mut simulation = Simulation::new(pendulum(9.81), settings(stepper, 1.0)).expect("a simulation");
        let reports: Vec<_> = (0..3).map(|_| simulation.step().expect("a step")).collect();
        assert!(reports.iter().any(|report| report.substeps > 1 && report.rounds > 0), "{stepper}: {reports:?}");
        assert!(reports.iter().all(|report| report.joint_violation < 1e-9), "{stepper}: {reports:?}");
    }
}

#[test]
fn a_light_body_that_holds_a_heavy_one_is_no_contradiction() {
    // Two hinged bars from level: the upper is lighter by five, then six orders of magnitude.
    for ratio in [1e5, 1e6] {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let (mut before, mut at) = (ground, Pose::IDENTITY);
        for (k, mass) in [1.0, ratio].into_iter().enumerate() {
            let start = Pose::new(Vec3::X * (0.5 + k as f64), Quat::IDENTITY);
            let bar = model.body(Body::new(format!("bar {k}"), mass, Mat3::IDENTITY * (0.1 * mass)).posed(start));
            let hinge = Pose::new(Vec3::X * k as f64, Quat::from_rotation_arc(Vec3::Z, Vec3::Y));
            model.joint(format!("hinge {k}"), Revolute::new(Anchors::from_world([before, bar], [&at, &start], hinge)));
            (before, at) = (bar, start);
        }
        let mut simulation =
            Simulation::new(model.build().expect("a model"), settings("rk4", 1e-3)).expect("a simulation");
        let last = (0..200).map(|_| simulation.step().unwrap_or_else(|error| panic!("{ratio}: {error}"))).last();
        let gain = last.map_or(f64::NAN, |report| report.energy.total());
        assert!(gain.abs() < 1e-6 * ratio * 9.81, "{ratio}: {gain}");
    }
}
