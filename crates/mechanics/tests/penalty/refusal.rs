//! Contacts that nothing keeps apart, and numbers that cannot be used.

use super::*;
use signorini_mechanics::StepError;

#[test]
fn bodies_that_touch_without_penalty_stop_a_smooth_stepper_by_name() {
    for stepper in [ALPHA, Stepper::Rk4] {
        let (model, ball) = ball_on_floor(0.0, GRAVITY, RADIUS + 0.05, Vec3::ZERO);
        let settings = Settings { step: 1e-3, stepper, ..Settings::default() };
        let mut simulation = Simulation::new(model, settings).unwrap();
        let error = loop {
            match simulation.step() {
                Ok(_) => assert!(simulation.state().time < 1.0),
                Err(error) => break error,
            }
        };
        // √(2 · 0.05/g) = 0.10096 s.
        let StepError::Touching { bodies, time, .. } = &error else { panic!("{error}") };
        assert_eq!(bodies, &["floor".to_owned(), "ball".to_owned()]);
        assert!((time - 0.101).abs() < 1e-9, "{time}");
        for word in ["penalty", "dvi-", "exclude", stepper.name()] {
            assert!(error.to_string().contains(word), "{error}");
        }
        // The state is that before the step, and the step fails again in the same way.
        assert!((simulation.state().time - 0.1).abs() < 1e-12);
        assert!(simulation.state().poses[ball.index()].position.z > RADIUS);
        assert_eq!(simulation.step().unwrap_err(), error);
    }
}

#[test]
fn overlaps_of_the_start_and_excluded_pairs_are_no_contacts() {
    let (model, _) = ball_on_floor(0.0, 0.0, RADIUS - 0.01, Vec3::X);
    let settings = Settings { step: 1e-3, stepper: ALPHA, ..Settings::default() };
    run(&mut Simulation::new(model, settings.clone()).unwrap(), 10);
    // A ball that falls through a floor it is excluded from.
    let mut model = Model::builder();
    let material = model.material(Material::new("surface"));
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let ball = ball(&mut model, "ball", material, Vec3::new(0.0, 0.0, RADIUS), Vec3::ZERO);
    model.exclude(floor, ball);
    let mut simulation = Simulation::new(model.build().unwrap(), settings).unwrap();
    run(&mut simulation, 200);
    assert!(simulation.state().poses[ball.index()].position.z < 0.0);
}

#[test]
fn numbers_that_cannot_be_used_are_named() {
    let good = Penalty::linear(1e4, 1.0);
    for (penalty, name) in [
        (Penalty { stiffness: 0.0, ..good }, "penalty stiffness"),
        (Penalty { stiffness: f64::NAN, ..good }, "penalty stiffness"),
        (Penalty { damping: -1.0, ..good }, "penalty damping"),
        (Penalty { damping: f64::INFINITY, ..good }, "penalty damping"),
        (Penalty { stick_stiffness: Some(0.0), ..good }, "penalty stick-stiffness"),
        (Penalty { stick_damping: Some(f64::NAN), ..good }, "penalty stick-damping"),
    ] {
        let (model, _) = ball_on_floor(0.0, GRAVITY, 1.0, Vec3::ZERO);
        let error = Simulation::new(model, settings(ALPHA, 1e-3, penalty)).err().unwrap();
        assert!(matches!(error, StepError::Setting { name: found, .. } if found == name), "{error}");
    }
    let (model, _) = ball_on_floor(0.0, GRAVITY, 1.0, Vec3::ZERO);
    let error = Simulation::new(model, settings(Stepper::DviEuler, 1e-3, good)).err().unwrap();
    assert!(error.to_string().contains("smooth stepper"), "{error}");
}

#[test]
fn rolling_resistance_is_refused_rather_than_left_out() {
    let mut model = Model::builder();
    let material = model.material(Material { rolling: 0.01, ..Material::new("surface") });
    ball(&mut model, "ball", material, Vec3::Z, Vec3::ZERO);
    let settings = settings(ALPHA, 1e-3, Penalty::linear(1e4, 1.0));
    let error = Simulation::new(model.build().unwrap(), settings).err().unwrap();
    assert!(error.to_string().contains("rolling"), "{error}");
}
