//! Bodies at rest on springs.

use super::*;

/// Overlap of a ball that came to rest, and the last report.
fn rest(stepper: Stepper, penalty: Penalty, soft: Option<signorini_mechanics::Softness>) -> f64 {
    let mut model = Model::builder();
    model.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let mut material = Material::new("surface");
    material.softness = soft;
    let material = model.material(material);
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let ball = ball(&mut model, "ball", material, Vec3::new(0.0, 0.0, RADIUS), Vec3::ZERO);
    let mut simulation = simulation(model.build().unwrap(), stepper, 1e-3, penalty);
    let report = run(&mut simulation, 1500);
    assert_eq!((report.contacts, report.active), (1, 1));
    let force = simulation.contact_forces().next().unwrap();
    assert!((force.force - Vec3::Z * GRAVITY).length() < 1e-6 * GRAVITY, "{force:?}");
    assert!((report.penetration - (RADIUS - simulation.state().poses[ball.index()].position.z)).abs() < 1e-15);
    report.penetration
}

#[test]
fn a_ball_sinks_into_a_linear_spring_by_its_weight_over_the_stiffness() {
    for stepper in [ALPHA, Stepper::ImplicitEuler, Stepper::Hht { alpha: -0.1 }, Stepper::Rk4, Stepper::Heun] {
        let overlap = rest(stepper, Penalty::linear(1e4, 100.0), None);
        assert!((overlap - GRAVITY / 1e4).abs() < 1e-8 * RADIUS, "{}: {overlap}", stepper.name());
    }
}

#[test]
fn a_ball_sinks_into_a_hertz_contact_by_the_two_thirds_power() {
    for stepper in [ALPHA, Stepper::Rk4] {
        let overlap = rest(stepper, Penalty::hertz(3e5, 10.0), None);
        assert!((overlap - (GRAVITY / 3e5).powf(2.0 / 3.0)).abs() < 1e-8 * RADIUS, "{}: {overlap}", stepper.name());
    }
}

#[test]
fn a_material_of_its_own_softness_replaces_the_law() {
    // Two equal springs in series.
    let soft = signorini_mechanics::Softness { stiffness: 1e4, damping: 100.0 };
    let overlap = rest(ALPHA, Penalty::hertz(3e5, 10.0), Some(soft));
    assert!((overlap - GRAVITY / 5e3).abs() < 1e-8 * RADIUS, "{overlap}");
}

#[test]
fn a_stack_of_balls_rests_and_every_contact_carries_what_is_above() {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.5);
    for k in 0..4 {
        let height = RADIUS * (1.0 + 2.0 * f64::from(k)) + 1e-3 * f64::from(k + 1);
        ball(&mut model, &format!("ball {k}"), material, Vec3::new(0.0, 0.0, height), Vec3::ZERO);
    }
    let mut simulation = simulation(model.build().unwrap(), ALPHA, 1e-3, Penalty::linear(1e5, 600.0));
    let report = run(&mut simulation, 3000);
    let forces: Vec<f64> = simulation.contact_forces().map(|contact| contact.force.z).collect();
    assert_eq!((report.active, forces.len()), (4, 4));
    for (k, force) in forces.iter().enumerate() {
        assert!((force - (4 - k) as f64 * GRAVITY).abs() < 1e-6 * GRAVITY, "{k}: {force}");
    }
}
