//! A stepper with hard contacts is one file and one line of a list: here is one, Euler's method with explicit forces.
//!
//! ```text
//! M v⁺ = M v + h f(q, v, t) + Cᵀγ + Dᵀλ,   q⁺ = q ⊕ h v⁺
//! ```

use super::scheme::{FreeMotionError, HardScheme, StepStart};
use crate::diagnostics::motion;
use crate::dynamics::columns::Columns;
use crate::dynamics::free_motion::FreeMotion;
use crate::dynamics::inertia::mass_matrix;
use crate::force::Spring;
use crate::step::stepper::About;
use crate::{Body, Collider, Mat3, Material, Model, Settings, Shape, Simulation, State, StepMemory, Vec3};
use signorini_collision::Contact;
use signorini_solver::problem::Inertia;
use std::sync::Arc;

/// The line of the list: its name, what it is, its order.
fn about() -> About {
    About::hard::<ExplicitForces>("explicit-forces", "Euler's method with hard contacts and explicit forces", 1)
}

struct ExplicitForces;

impl HardScheme for ExplicitForces {
    const CARRIES_FLEXIBLE: bool = false;

    fn new(_: &Model, _: &Columns, _: bool) -> Self {
        Self
    }

    fn free_motion(&mut self, start: &StepStart<'_>, _: &[Contact], _: &[Vec3]) -> Result<FreeMotion, FreeMotionError> {
        let StepStart { model, columns, state, parameters, .. } = *start;
        let mut momentum = vec![0.0; columns.dimension()];
        let mut add = |body: usize, linear: Vec3, angular: Vec3| {
            let Some(at) = columns.of(body) else { return };
            let parts = linear.to_array().into_iter().chain(angular.to_array());
            momentum[at..at + 6].iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        };
        let h = parameters.step;
        for (i, body) in model.bodies().iter().enumerate() {
            let omega = state.angular_velocities[i];
            let spin = body.inertia * omega;
            add(i, body.mass * (state.velocities[i] + h * model.gravity()), spin - h * omega.cross(spin));
        }
        for (index, (_, force)) in model.forces().enumerate() {
            let bodies = force.bodies().map(|body| body.index());
            let motions = bodies.map(|body| motion(state, body));
            let memory = &state.memory[model.memory_layout().range(index)];
            for (body, wrench) in bodies.into_iter().zip(force.wrench([&motions[0], &motions[1]], state.time, memory)) {
                add(body, h * wrench.force, h * wrench.torque);
            }
        }
        let linear = momentum.into_iter().map(|p| -p).collect();
        Ok(FreeMotion { inertia: Arc::new(Inertia::BlockDiagonal(mass_matrix(model))), linear })
    }
}

fn simulated(model: Model, step: f64) -> Simulation {
    let (settings, state) = (Settings { step, ..Settings::default() }, State::start_of(&model));
    Simulation::by(about().begin, model, settings, state, StepMemory::default()).unwrap()
}

#[test]
fn a_mass_on_a_spring_follows_the_closed_form_of_explicit_forces() {
    // x⁺ − 2x + x⁻ = −(h²k/m) x about the place of balance: x_n = A cos(nθ) + B sin(nθ) with 2 − 2 cos θ = h²k/m.
    let (mass, stiffness, length, h) = (2.0, 50.0, 1.0, 0.05);
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Vec3::new(0.0, 0.0, -1.7);
    let body = model.body(Body::new("mass", mass, Mat3::IDENTITY).at(start));
    model.force("spring", Spring::new([ground, body], [Vec3::ZERO; 2], stiffness, 0.0, length));
    let model = model.build().unwrap();
    let rest = -length + mass * model.gravity().z / stiffness;
    let mut simulation = simulated(model, h);
    let cosine = 1.0 - 0.5 * h * h * stiffness / mass;
    let theta = cosine.acos();
    // x₀ is given, x₁ = x₀ − (h²k/m) x₀ as the mass starts from rest.
    let x0 = start.z - rest;
    let x1 = x0 * (1.0 - h * h * stiffness / mass);
    let b = (x1 - x0 * cosine) / theta.sin();
    for n in 1..=200 {
        assert!(simulation.step().unwrap().converged());
        let expected = rest + x0 * (f64::from(n) * theta).cos() + b * (f64::from(n) * theta).sin();
        let found = simulation.state().poses[body.index()].position.z;
        assert!((found - expected).abs() < 1e-11, "step {n}: {found} and {expected}");
    }
}

#[test]
fn its_contacts_are_hard_and_carry_the_weight() {
    let (radius, h) = (0.1, 0.01);
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.5, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    let ball = Shape::Sphere { radius };
    let body = model.body(Body::of_shape("ball", &ball, 1000.0).unwrap().at(Vec3::new(0.0, 0.0, 0.3)));
    model.collider(body, Collider::new(ball, stone));
    let model = model.build().unwrap();
    let weight = model.bodies()[body.index()].mass * model.gravity().length();
    let mut simulation = simulated(model, h);
    for _ in 0..100 {
        assert!(simulation.step().unwrap().converged());
    }
    let height = simulation.state().poses[body.index()].position.z;
    assert!((height - radius).abs() < 1e-6, "{height}");
    let force: Vec3 = simulation.contact_forces().map(|contact| contact.force).sum();
    assert!((force.z / weight - 1.0).abs() < 1e-4, "{force} carries {weight}");
}
