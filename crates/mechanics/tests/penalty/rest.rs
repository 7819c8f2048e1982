//! Bodies at rest on springs.

use super::*;
use signorini_mechanics::{Pose, Quat};

/// Overlap of a ball that came to rest; the contact carries its weight.
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
fn boxes_thrown_onto_each_other_come_to_rest_on_springs() {
    for (stepper, penalty, step) in [
        (ALPHA, Penalty::linear(2e4, 150.0), 1e-3),
        (ALPHA, Penalty::hertz(5e5, 20.0), 1e-3),
        (Stepper::ImplicitEuler, Penalty::linear(1e6, 1e3), 2e-3),
        (Stepper::Rk4, Penalty::linear(2e4, 150.0), 5e-4),
    ] {
        let mut model = Model::builder();
        let material = floor(&mut model, 0.6);
        for k in 0..4 {
            let half = Vec3::new(0.1, 0.12, 0.05);
            let shape = Shape::Cuboid { half };
            let body = Body::of_shape(format!("box {k}"), &shape, 200.0).unwrap();
            let x = f64::from(k);
            let pose = Pose::new(Vec3::new(0.02 * x, 0.01 * x, 0.12 + 0.2 * x), Quat::from_rotation_x(0.3 * x - 0.4));
            let body = model.body(body.posed(pose).moving(Vec3::ZERO, Vec3::new(0.3, x, 1.0)));
            model.collider(body, Collider::new(shape, material));
        }
        let mut simulation = simulation(model.build().unwrap(), stepper, step, penalty);
        let (mut iterations, mut substeps, mut rejected) = (0, 0, 0);
        let steps = (3.0 / step) as usize;
        for _ in 0..steps {
            let report = run(&mut simulation, 1);
            iterations += report.iterations;
            substeps += report.substeps;
            rejected += report.rounds;
        }
        let speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        let weight = -GRAVITY * simulation.model().bodies()[1..].iter().map(|body| body.mass).sum::<f64>();
        let on_floor = simulation.contact_forces().filter(|contact| contact.bodies[0].index() == 0);
        let carried: f64 = on_floor.map(|contact| -contact.force.z).sum();
        assert!(speed < 1e-8, "{} {penalty:?}: {speed}", stepper.name());
        assert!((carried / weight - 1.0).abs() < 1e-8, "{} {penalty:?}: {carried} {weight}", stepper.name());
        // Newton's method ends in most steps as they are, and sub-steps help in the others.
        assert!(20 * rejected < steps as u32 && substeps < 2 * steps as u32, "{rejected} {substeps}");
        assert!(iterations < 6 * steps as u32, "{iterations}");
    }
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

#[test]
fn the_energy_of_the_start_counts_the_springs_of_contacts_as_reports_do() {
    let (stiffness, overlap) = (1e4, 2e-3);
    for stepper in [ALPHA, Stepper::Rk4] {
        let (model, _) = ball_on_floor(0.0, GRAVITY, RADIUS - overlap, Vec3::new(0.0, 0.0, 0.3));
        let mut simulation = simulation(model, stepper, 1e-4, Penalty::linear(stiffness, 0.0));
        let start = simulation.energy();
        let closed_form = GRAVITY * (RADIUS - overlap) + 0.5 * stiffness * overlap * overlap;
        assert!((start.potential - closed_form).abs() < 1e-12, "{}: {start:?}", stepper.name());
        assert!((start.kinetic - 0.5 * 0.3 * 0.3).abs() < 1e-15, "{}: {start:?}", stepper.name());
        assert_eq!(simulation.step().unwrap().energy, simulation.energy());
    }
}
