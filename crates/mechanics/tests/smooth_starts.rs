//! Where smooth motions start, and what stops them: consistent states, redundant and contradicting joints, failures that name things.

#[path = "../../experiments/src/time_steppers/motions/andrews.rs"]
#[allow(dead_code, reason = "only a part is needed here")]
mod andrews;
#[path = "../../experiments/src/time_steppers/motions/four_bar.rs"]
#[allow(dead_code, reason = "only a part is needed here")]
mod four_bar;
#[path = "../../experiments/src/time_steppers/motions/heavy_top.rs"]
#[allow(dead_code, reason = "only a part is needed here")]
mod heavy_top;

use signorini_mechanics::force::Spring;
use signorini_mechanics::joint::{Anchors, Distance, Law, Revolute, Rope, Spherical};
use signorini_mechanics::{
    Adaptive, Body, BodyId, Mat3, Model, ModelBuilder, Newton, Pose, Projection, Quat, Settings, Simulation, StepError,
    Stepper, Vec3,
};

const ALPHA: Stepper = Stepper::GeneralisedAlpha { rho: 0.8 };

fn settings(stepper: Stepper, step: f64) -> Settings {
    Settings { step, stepper, ..Settings::default() }
}

/// A rod of 1 m and 1 kg along x with its hinge to the ground about y at the origin, started `off` its place and with a velocity.
fn rod(off: Vec3, velocity: Vec3) -> (ModelBuilder, BodyId, BodyId) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let place = Vec3::new(0.5, 0.0, 0.0);
    let inertia = Mat3::from_diagonal(Vec3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0));
    let rod = model.body(Body::new("rod", 1.0, inertia).at(place + off).moving(velocity, Vec3::ZERO));
    (model, ground, rod)
}

/// On the rod the hinge sits half a metre from its centre, wherever the rod starts.
fn hinge(bodies: [BodyId; 2]) -> Revolute {
    let frame = Quat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    Revolute::new(Anchors {
        bodies,
        frames: [Pose::new(Vec3::ZERO, frame), Pose::new(Vec3::new(-0.5, 0.0, 0.0), frame)],
    })
}

#[test]
fn a_mechanism_that_is_not_assembled_is_moved_as_little_as_possible() {
    let off = Vec3::new(0.03, -0.02, 0.05);
    let (mut model, ground, body) = rod(off, Vec3::ZERO);
    model.joint("hinge", hinge([ground, body]));
    let simulation = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-3)).unwrap();
    let state = simulation.state();
    let [(metres, _), (radians, _)] = simulation.joint_violation();
    assert!(metres < 1e-12 && radians < 1e-12, "{metres} {radians}");
    // The lever from the hinge is half a metre again, and the rod leans towards where it was.
    let arm = state.poses[1].position;
    assert!((arm.length() - 0.5).abs() < 1e-12 && arm.y.abs() < 1e-12, "{arm}");
    assert!(arm.z > 0.0 && arm.z < 0.05, "{arm}");
}

#[test]
fn velocities_at_the_start_are_those_joints_allow_with_the_least_change_of_momentum() {
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0));
    model.joint("hinge", hinge([ground, body]));
    let simulation = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-3)).unwrap();
    let state = simulation.state();
    // A rod at rest in its turning, hit by the hinge: angular momentum about the hinge m v l/2 is kept, I_O = 1/3.
    let speed = 1.0 * 0.5 / (1.0 / 3.0);
    assert!(
        (state.angular_velocities[1] - Vec3::new(0.0, -speed, 0.0)).length() < 1e-12,
        "{}",
        state.angular_velocities[1]
    );
    assert!((state.velocities[1] - Vec3::new(0.0, 0.0, 0.5 * speed)).length() < 1e-12);
}

#[test]
fn accelerations_at_the_start_are_those_published_for_the_squeezer() {
    // One tiny explicit step: the angular acceleration is the change of speed.
    let h = 1e-9;
    let mut simulation = Simulation::new(andrews::model(), settings(Stepper::Euler, h)).unwrap();
    simulation.step().unwrap();
    let rates = andrews::rates(simulation.state()).map(|rate| rate / h);
    let expected = [14222.4439199541, -10666.8329399656, 0.0, 0.0, 0.0, 0.0, 0.0];
    for (found, expected) in rates.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{rates:?}");
    }
}

/// A rod hung from several joints at the same place.
fn hung(joints: usize) -> Simulation {
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::ZERO);
    for k in 0..joints {
        model.joint(format!("hinge-{k}"), hinge([ground, body]));
    }
    let mut simulation =
        Simulation::new(model.build().expect("a rod on hinges"), settings(ALPHA, 1e-3)).expect("a rod on hinges");
    for _ in 0..300 {
        simulation.step().expect("a rod on hinges");
    }
    simulation
}

#[test]
fn redundant_joints_share_their_force_equally_and_change_no_motion() {
    let (one, three) = (hung(1), hung(3));
    let positions = [&one, &three].map(|simulation| simulation.state().poses[1].position);
    assert!((positions[0] - positions[1]).length() < 1e-10, "{positions:?}");
    let whole = one.joint_forces(0).unwrap();
    // The least norm: a third each.
    for joint in 0..3 {
        let part = three.joint_forces(joint).unwrap();
        for (part, whole) in part.iter().zip(&whole) {
            assert!((3.0 * part - whole).abs() < 1e-4 * (1.0 + whole.abs()), "{part} {whole}");
        }
    }
}

#[test]
fn contradicting_joints_are_named() {
    // Two bars of different length to the same point: no position has both.
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::ZERO);
    model.joint("ball", Spherical::new(Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] }));
    model.joint("bar", Distance::new([ground, body], [Vec3::ZERO, Vec3::ZERO], 0.7));
    let error = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-3)).err().unwrap();
    let message = error.to_string();
    assert!(matches!(error, StepError::Contradiction { of: "positions", .. }), "{message}");
    assert!(message.contains("`rod`") && (message.contains("`ball`") || message.contains("`bar`")), "{message}");
    // Two motors of different speed on one hinge.
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::ZERO);
    model.joint("slow", hinge([ground, body]).driven(Law::linear(0.0, 1.0)));
    model.joint("fast", hinge([ground, body]).driven(Law::linear(0.0, 2.0)));
    let error = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-3)).err().unwrap();
    assert!(matches!(error, StepError::Contradiction { of: "speeds", .. }), "{error}");
}

#[test]
fn motors_that_part_ways_later_stop_the_run_there() {
    let table = |speed: f64| Law::Table { times: vec![0.0, 0.5, 1.5], values: vec![0.0, 0.5, 0.5 + speed] };
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::ZERO);
    model.joint("slow", hinge([ground, body]).driven(table(1.0)));
    model.joint("fast", hinge([ground, body]).driven(table(2.0)));
    let mut simulation = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-2)).unwrap();
    let error = (0..100).find_map(|_| simulation.step().err()).expect("the motors contradict each other after 0.5 s");
    let message = error.to_string();
    let StepError::Newton { time, reason, ref joint, .. } = error else { panic!("{message}") };
    assert!((time - 0.5).abs() < 0.011 && reason == "joints contradict each other", "{message}");
    assert!(joint == "slow" || joint == "fast", "{message}");
    // The state is that of the last good step.
    assert!((simulation.state().time - 0.5).abs() < 0.011);
}

#[test]
fn a_failure_of_newtons_method_says_where_when_and_with_which_step() {
    let newton = Newton { max_iterations: 1, tolerance: 1e-15 };
    let settings = Settings { newton, ..settings(ALPHA, 1e-2) };
    let mut simulation = Simulation::new(heavy_top::model(), settings).unwrap();
    let before = simulation.state().clone();
    let error = simulation.step().unwrap_err();
    let message = error.to_string();
    let StepError::Newton { step: 1, time, tried, ref body, ref joint, .. } = error else { panic!("{message}") };
    // Some of the shortest sub-steps may have succeeded.
    assert!(time < 1e-2 && tried < 1e-2 && body == "top" && joint == "ball", "{message}");
    assert!(message.contains("the limit of iterations is reached") && message.contains("body `top`"), "{message}");
    assert_eq!(simulation.state(), &before);
}

#[test]
fn parameters_out_of_range_are_refused_with_what_is_allowed() {
    let message =
        |stepper| Simulation::new(heavy_top::model(), settings(stepper, 1e-2)).err().map(|error| error.to_string());
    let alpha = message(Stepper::Hht { alpha: 0.1 });
    assert_eq!(alpha.as_deref(), Some("alpha is 0.1, expected a number from -1/3 to 0"));
    let rho = message(Stepper::GeneralisedAlpha { rho: f64::NAN });
    assert_eq!(rho.as_deref(), Some("rho is NaN, expected a number from 0 to 1"));
    let gamma = message(Stepper::Newmark { beta: 0.25, gamma: 0.4 }).unwrap();
    assert!(gamma.starts_with("gamma is 0.4, expected a number from 0.5 to 1"), "{gamma}");
    let beta = message(Stepper::Newmark { beta: 0.2, gamma: 0.5 }).unwrap();
    assert!(beta.starts_with("beta is 0.2, expected a number from (gamma + 0.5)²/4 to 1"), "{beta}");
    let adaptive =
        Settings { adaptive: Some(Adaptive { tolerance: -1.0, ..Adaptive::default() }), ..settings(ALPHA, 1e-2) };
    let error = Simulation::new(heavy_top::model(), adaptive).err().unwrap();
    assert_eq!(error.to_string(), "adaptive tolerance is -1, expected a finite number > 0");
    let hard = Settings { projection: Some(Projection::Both), ..settings(Stepper::DviEuler, 1e-2) };
    assert!(matches!(Simulation::new(heavy_top::model(), hard), Err(StepError::SmoothOnly { .. })));
}

#[test]
fn a_rope_is_not_held_by_a_smooth_stepper_and_says_so() {
    let (mut model, ground, body) = rod(Vec3::ZERO, Vec3::ZERO);
    model.joint("leash", Rope::new([ground, body], [Vec3::ZERO; 2], 1.0));
    let error = Simulation::new(model.build().unwrap(), settings(ALPHA, 1e-2)).err().unwrap();
    assert!(error.to_string().contains("joint `leash` is one-sided"), "{error}");
}

#[test]
fn a_run_taken_up_again_goes_on_to_the_same_bits() {
    let steppers = [ALPHA, Stepper::Hht { alpha: -0.1 }, Stepper::Rk4, Stepper::TrapezoidalLinearised];
    for stepper in steppers {
        for (adaptive, extrapolate) in
            [(None, false), (Some(Adaptive { tolerance: 1e-7, ..Adaptive::default() }), false), (None, true)]
        {
            let settings = Settings { adaptive, extrapolate, ..settings(stepper, 2e-3) };
            if stepper == Stepper::TrapezoidalLinearised && adaptive.is_some() {
                // Its joint forces oscillate.
                let refused = Simulation::new(four_bar::model(), settings);
                assert!(matches!(refused, Err(StepError::Undamped { .. })));
                continue;
            }
            let run = |steps: usize| {
                let mut simulation = Simulation::new(four_bar::model(), settings.clone()).unwrap();
                (0..steps).for_each(|_| assert!(simulation.step().is_ok()));
                simulation
            };
            let (whole, part) = (run(100), run(37));
            let mut rest = Simulation::resumed(
                four_bar::model(),
                settings.clone(),
                part.state().clone(),
                part.warm_start().clone(),
            )
            .unwrap();
            (37..100).for_each(|_| assert!(rest.step().is_ok()));
            assert_eq!(rest.state().hash(), whole.state().hash(), "{stepper:?} {adaptive:?} {extrapolate}");
        }
    }
}

#[test]
fn sub_steps_keep_the_error_asked_for_and_shorten_where_it_is_hard() {
    // A stiff stop: the spring between two masses is stiff, so that the motion has fast phases.
    let model = || {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let ground = model.body(Body::fixed("ground"));
        let mass = model
            .body(Body::new("mass", 1.0, Mat3::IDENTITY).at(Vec3::X).moving(Vec3::new(-1.0, 0.1, 0.0), Vec3::ZERO));
        model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], 4.0, 0.0, 0.5));
        model.build().unwrap()
    };
    let run = |stepper: Stepper, adaptive: Option<Adaptive>, step: f64, steps: usize| {
        let settings = Settings { adaptive, ..settings(stepper, step) };
        let mut simulation = Simulation::new(model(), settings).unwrap();
        let reports: Vec<_> = (0..steps).map(|_| simulation.step().unwrap()).collect();
        let substeps: u32 = reports.iter().map(|report| report.substeps).sum();
        let shortest = reports.iter().map(|report| report.shortest_step).fold(f64::INFINITY, f64::min);
        (simulation.state().poses[1].position, substeps, shortest)
    };
    let (exact, ..) = run(Stepper::Rk4, None, 1e-4, 20_000);
    for stepper in [ALPHA, Stepper::Heun, Stepper::Rk4, Stepper::Leapfrog] {
        let errors = [1e-4, 1e-5, 1e-6, 1e-7].map(|tolerance| {
            let adaptive = Adaptive { tolerance, ..Adaptive::default() };
            let (found, substeps, shortest) = run(stepper, Some(adaptive), 0.5, 4);
            assert!(substeps > 4 && shortest < 0.5, "{stepper:?}");
            (found - exact).length()
        });
        // Tolerances a thousand times smaller: errors fall with them (the error a step is bounded, not the sum).
        assert!(errors[3] < 0.05 * errors[0] && errors[3] < 1e-3, "{stepper:?} {errors:?}");
    }
}

#[test]
fn extrapolation_removes_the_error_it_reports() {
    let (end, steps) = (0.8, 100);
    let exact = heavy_top::exact(end);
    let exact = Vec3::from_slice(&exact[0]);
    let settings = Settings { extrapolate: true, ..settings(ALPHA, end / f64::from(steps)) };
    let mut simulation = Simulation::new(heavy_top::model(), settings.clone()).unwrap();
    let mut reported = None;
    for _ in 0..steps {
        reported = simulation.step().unwrap().error_estimate;
    }
    let error = (simulation.state().poses[1].position - exact).length();
    let half = Settings { extrapolate: false, step: 0.5 * settings.step, ..settings };
    let mut plain = Simulation::new(heavy_top::model(), half).unwrap();
    (0..2 * steps).for_each(|_| assert!(plain.step().is_ok()));
    let plain = (plain.state().poses[1].position - exact).length();
    let [metres, _] = reported.unwrap();
    assert!((metres - plain).abs() < 0.1 * plain, "reported {metres}, the finer run is off by {plain}");
    assert!(error < 0.02 * plain, "{error} {plain}");
}

#[test]
fn joints_drift_without_projection_and_do_not_with_it() {
    let violation = |projection: Projection| {
        let settings = Settings { projection: Some(projection), ..settings(Stepper::Heun, 5e-3) };
        let mut simulation = Simulation::new(heavy_top::model(), settings).unwrap();
        (0..1000).map(|_| simulation.step().unwrap().joint_violation).fold(0.0, f64::max)
    };
    let [none, positions, both] = [Projection::None, Projection::Positions, Projection::Both].map(violation);
    assert!(none > 1e-5, "{none}");
    assert!(positions < 1e-12 && both < 1e-12, "{positions} {both}");
}
