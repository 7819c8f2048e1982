//! Sticking and sliding on an incline: gravity is tilted, the floor is not.

use super::*;
use signorini_mechanics::Adaptive;

const STIFFNESS: f64 = 1e4;
const STICK: f64 = 5e3;
const MASS: f64 = 2.0;
const SIDE: f64 = 0.2;
const HALF_HEIGHT: f64 = 0.02;
const SLOPE: f64 = 0.3;

/// A flat block on four springs in equilibrium across the incline, at rest along it; both directions critically damped.
fn block(friction: f64, stepper: Stepper, adaptive: Option<Adaptive>) -> Simulation {
    let (cosine, sine) = (1.0 / 1.0_f64.hypot(SLOPE), SLOPE / 1.0_f64.hypot(SLOPE));
    let mut model = Model::builder();
    model.gravity(GRAVITY * Vec3::new(sine, 0.0, -cosine));
    let material = floor(&mut model, friction);
    let (a, c) = (SIDE * SIDE, HALF_HEIGHT * HALF_HEIGHT);
    let inertia = Mat3::from_diagonal(Vec3::new(a + c, a + c, 2.0 * a) * (MASS / 3.0));
    let overlap = MASS * GRAVITY * cosine / (4.0 * STIFFNESS);
    let block = model.body(Body::new("block", MASS, inertia).at(Vec3::new(0.0, 0.0, HALF_HEIGHT - overlap)));
    let shape = Shape::Cuboid { half: Vec3::new(SIDE, SIDE, HALF_HEIGHT) };
    model.collider(block, Collider::new(shape, material));
    let damping = |stiffness: f64| 0.5 * (4.0 * stiffness * MASS).sqrt();
    let penalty = Penalty {
        stick_stiffness: Some(STICK),
        stick_damping: Some(damping(STICK)),
        ..Penalty::linear(STIFFNESS, damping(STIFFNESS))
    };
    let settings = Settings { adaptive, ..settings(stepper, 1e-3, penalty) };
    Simulation::new(model.build().unwrap(), settings).unwrap()
}

/// How far the middle of the block's lower face is along the incline.
fn slid(simulation: &Simulation) -> f64 {
    (simulation.state().poses[1] * Vec3::new(0.0, 0.0, -HALF_HEIGHT)).x
}

#[test]
fn a_block_sticks_where_friction_suffices_displaced_elastically_and_without_creep() {
    let adaptive = Adaptive { tolerance: 1e-7, ..Adaptive::default() };
    for (stepper, adaptive) in
        [(ALPHA, None), (Stepper::ImplicitEuler, None), (Stepper::Rk4, None), (ALPHA, Some(adaptive))]
    {
        let mut simulation = block(0.5, stepper, adaptive);
        run(&mut simulation, 1000);
        let first = slid(&simulation);
        let report = run(&mut simulation, 1000);
        let second = slid(&simulation);
        let exact = MASS * GRAVITY * SLOPE / 1.0_f64.hypot(SLOPE) / (4.0 * STICK);
        assert_eq!(report.active, 4);
        // The block tilts by about 1e-4 rad under its weight: second order in that.
        assert!((second / exact - 1.0).abs() < 1e-3, "{}: {second} {exact}", stepper.name());
        assert!((second - first).abs() < 1e-10, "{}: creeps by {}", stepper.name(), second - first);
        let total: Vec3 = simulation.contact_forces().map(|contact| contact.force).sum();
        assert!((total + MASS * simulation.model().gravity()).length() < 1e-5, "{}: {total}", stepper.name());
    }
}

#[test]
fn a_block_slides_with_what_gravity_leaves_of_friction() {
    let friction = 0.2;
    let exact = GRAVITY * (SLOPE - friction) / 1.0_f64.hypot(SLOPE);
    for stepper in [ALPHA, Stepper::ImplicitEuler, Stepper::Rk4] {
        let mut simulation = block(friction, stepper, None);
        run(&mut simulation, 250);
        let before = simulation.state().velocities[1].x;
        run(&mut simulation, 250);
        let acceleration = (simulation.state().velocities[1].x - before) / 0.25;
        // Sliding, friction is μN whatever the springs; N is that of rest to the accuracy of Newton's method.
        assert!((acceleration / exact - 1.0).abs() < 1e-5, "{}: {acceleration} {exact}", stepper.name());
    }
}

#[test]
fn newton_converges_in_whole_steps_while_a_block_sticks_and_slides() {
    for friction in [0.2, 0.5] {
        let mut simulation = block(friction, ALPHA, None);
        for _ in 0..500 {
            let report = run(&mut simulation, 1);
            assert_eq!((report.substeps, report.rounds), (1, 0), "t = {}", report.time);
            assert!(report.iterations <= 12, "t = {}: {}", report.time, report.iterations);
        }
    }
}
