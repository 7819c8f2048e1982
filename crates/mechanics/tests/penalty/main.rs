//! Contacts by penalty: smooth steppers meet contacts, limits and ropes as springs.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod agreement;
mod friction;
mod impact;
mod limits;
mod refusal;
mod rest;
mod resume;

use signorini_mechanics::{
    Body, BodyId, Collider, Mat3, Material, Model, ModelBuilder, Penalty, Settings, Shape, Simulation, StepReport,
    Stepper, Vec3,
};

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;
/// ρ∞ = 0.8.
const ALPHA: Stepper = Stepper::GeneralisedAlpha { rho: 0.8 };

/// A floor z ≤ 0 with a friction coefficient.
fn floor(model: &mut ModelBuilder, friction: f64) -> signorini_mechanics::MaterialId {
    let material = model.material(Material { friction, restitution: 1.0, ..Material::new("surface") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    material
}

/// A ball of 1 kg and radius [`RADIUS`].
fn ball(model: &mut ModelBuilder, name: &str, material: signorini_mechanics::MaterialId, at: Vec3, v: Vec3) -> BodyId {
    let body = Body::new(name, 1.0, Mat3::from_diagonal(Vec3::splat(0.4 * RADIUS * RADIUS)));
    let ball = model.body(body.at(at).moving(v, Vec3::ZERO));
    model.collider(ball, Collider::new(Shape::Sphere { radius: RADIUS }, material));
    ball
}

/// One ball above a floor.
fn ball_on_floor(friction: f64, gravity: f64, height: f64, velocity: Vec3) -> (Model, BodyId) {
    let mut model = Model::builder();
    model.gravity(Vec3::new(0.0, 0.0, -gravity));
    let material = floor(&mut model, friction);
    let ball = ball(&mut model, "ball", material, Vec3::new(0.0, 0.0, height), velocity);
    (model.build().unwrap(), ball)
}

fn settings(stepper: Stepper, step: f64, penalty: Penalty) -> Settings {
    Settings { step, stepper, penalty: Some(penalty), ..Settings::default() }
}

fn simulation(model: Model, stepper: Stepper, step: f64, penalty: Penalty) -> Simulation {
    Simulation::new(model, settings(stepper, step, penalty)).unwrap()
}

/// Takes steps that all have to converge; returns the last report.
fn run(simulation: &mut Simulation, steps: usize) -> StepReport {
    let mut last = None;
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "t = {}: {:?}", report.time, report.broken);
        last = Some(report);
    }
    last.unwrap()
}

/// ∫₀¹ f by Simpson's rule.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let h = 1.0 / n as f64;
    let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    (0..=n).map(|i| weight(i) * f(i as f64 * h)).sum::<f64>() * h / 3.0
}
