//! What `dvi-rattle` does beyond its order: stacks, impacts, friction that holds, soft contacts, forces with memory, going on after
//! a stop.

mod support;

use signorini_mechanics::force::{Motion, Tangent, Wrench};
use signorini_mechanics::joint::{Anchors, Law, Revolute, Rope, Spherical};
use signorini_mechanics::{
    Body, BodyId, Collider, Energy, Force, Mat3, Material, Model, ModelBuilder, Pose, Promise, Quat, Settings, Shape,
    Simulation, Softness, StepError, Stepper, Vec3,
};
use signorini_testkit::fitted_order;
use std::sync::atomic::AtomicBool;
use support::{hinge_about_y, run, run_but_for};

const G: f64 = 9.81;

fn settings(h: f64) -> Settings {
    Settings { stepper: Stepper::DviRattle, ..support::settings(h) }
}

fn simulation(model: ModelBuilder, h: f64) -> Simulation {
    Simulation::new(model.build().expect("valid"), settings(h)).expect("valid")
}

fn on_floor(material: Material) -> (ModelBuilder, signorini_mechanics::MaterialId) {
    let mut model = Model::builder();
    let material = model.material(material);
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    (model, material)
}

fn add(
    model: &mut ModelBuilder,
    name: &str,
    shape: Shape,
    material: signorini_mechanics::MaterialId,
    at: Vec3,
) -> BodyId {
    let body = model.body(Body::of_shape(name, &shape, 500.0).expect("a shape").at(at));
    model.collider(body, Collider::new(shape, material));
    body
}

fn position(simulation: &Simulation, body: BodyId) -> Vec3 {
    simulation.state().poses[body.index()].position
}

fn velocity(simulation: &Simulation, body: BodyId) -> Vec3 {
    simulation.state().velocities[body.index()]
}

fn stack(height: usize) -> (ModelBuilder, Vec<BodyId>) {
    let (mut model, material) = on_floor(Material { friction: 0.5, ..Material::new("material") });
    let shape = Shape::Cuboid { half: Vec3::splat(0.1) };
    let at = |k: usize| Vec3::new(0.0, 0.0, 0.1 + 0.2 * k as f64);
    let boxes = (0..height).map(|k| add(&mut model, &format!("box {k}"), shape.clone(), material, at(k))).collect();
    (model, boxes)
}

#[test]
fn a_stack_of_boxes_stands_and_presses_with_its_weight() {
    let (model, boxes) = stack(6);
    let mut simulation = simulation(model, 0.01);
    run(&mut simulation, 200);
    for (k, &body) in boxes.iter().enumerate() {
        let moved = position(&simulation, body) - Vec3::new(0.0, 0.0, 0.1 + 0.2 * k as f64);
        assert!(moved.length() < 1e-9 && velocity(&simulation, body).length() < 1e-9, "box {k}: {moved}");
    }
    let floor = simulation.contact_forces().filter(|contact| contact.bodies[0].index() == 0);
    let pressed: f64 = floor.map(|contact| contact.force.z).sum();
    let weight = 6.0 * 500.0 * 0.008 * G;
    assert!((pressed / weight - 1.0).abs() < 1e-9, "{pressed} {weight}");
}

#[test]
fn a_stack_solved_to_the_default_tolerance_stands_too() {
    let (model, boxes) = stack(6);
    let settings = Settings { stepper: Stepper::DviRattle, step: 0.01, ..Settings::default() };
    let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
    run(&mut simulation, 200);
    for (k, &body) in boxes.iter().enumerate() {
        let moved = position(&simulation, body) - Vec3::new(0.0, 0.0, 0.1 + 0.2 * k as f64);
        assert!(moved.length() < 1e-5, "box {k}: {moved}");
    }
}

#[test]
fn billiard_balls_keep_their_momentum_and_never_gain_energy() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let material = model.material(Material { restitution, friction: 0.3, ..Material::new("ivory") });
        let ball = Shape::Sphere { radius: 0.03 };
        let places =
            [Vec3::new(-0.5, 0.01, 0.0), Vec3::ZERO, Vec3::new(0.055, 0.031, 0.0), Vec3::new(0.055, -0.031, 0.0)];
        let bodies: Vec<BodyId> = places
            .iter()
            .enumerate()
            .map(|(k, at)| add(&mut model, &format!("ball {k}"), ball.clone(), material, *at))
            .collect();
        let model = model.build().expect("valid");
        let mut state = signorini_mechanics::State::start_of(&model);
        state.velocities[bodies[0].index()] = Vec3::new(2.0, 0.0, 0.0);
        let mut built = Simulation::resumed(model, settings(0.005), state, Default::default()).expect("valid");
        let start = signorini_mechanics::Momentum::of(built.model(), built.state());
        let energy = Energy::of(built.model(), built.state()).total();
        let mut before = energy;
        for _ in 0..100 {
            let report = run(&mut built, 1);
            assert!((report.momentum.linear - start.linear).length() < 1e-9 * start.linear.length());
            // Coulomb's friction with rebounds may only take energy here.
            assert!(report.energy.total() <= before * (1.0 + 1e-9), "{} {before}", report.energy.total());
            before = report.energy.total();
        }
        assert!(velocity(&built, bodies[2]).length() > 0.1, "the balls met");
        assert!(before < energy && (restitution < 1.0 || before > 0.5 * energy), "{before} of {energy}");
    }
}

#[test]
fn a_ball_rebounds_to_the_heights_of_the_closed_form_to_first_order() {
    // Let go at 1 m with ε = 0.8: the tops are ε², ε⁴ of that.
    let tops = |h: f64| {
        let (mut model, material) = on_floor(Material { restitution: 0.8, ..Material::new("rubber") });
        let ball = add(&mut model, "ball", Shape::Sphere { radius: 0.1 }, material, Vec3::new(0.0, 0.0, 1.1));
        let mut simulation = simulation(model, h);
        let (mut tops, mut last) = (Vec::new(), velocity(&simulation, ball).z);
        while tops.len() < 2 {
            run(&mut simulation, 1);
            let now = velocity(&simulation, ball).z;
            if last > 0.0 && now <= 0.0 {
                tops.push(position(&simulation, ball).z - 0.1);
            }
            last = now;
        }
        (tops[0] - 0.64).abs().max((tops[1] - 0.4096).abs())
    };
    // Impacts fall anywhere in a step: errors are bounded by a multiple of h, not in proportion to it.
    for h in [4e-3, 2e-3, 1e-3, 5e-4] {
        assert!(tops(h) < 8.0 * h, "{h}: {}", tops(h));
    }
}

#[test]
fn an_overlap_is_undone_without_leaving_any_speed() {
    let (mut model, material) = on_floor(Material::new("steel"));
    let ball = add(&mut model, "ball", Shape::Sphere { radius: 0.1 }, material, Vec3::new(0.0, 0.0, 0.08));
    let mut simulation = simulation(model, 0.01);
    for _ in 0..50 {
        run(&mut simulation, 1);
        assert!(velocity(&simulation, ball).length() < 1e-9, "{}", velocity(&simulation, ball));
    }
    assert!((position(&simulation, ball).z - 0.1).abs() < 1e-9, "{}", position(&simulation, ball));
}

#[test]
fn a_box_tipping_over_a_corner_that_sticks_is_followed_to_second_order() {
    // A long box that stands on one edge turns about it: θ¨ = m g l sin θ / I, the edge held by friction.
    let half = Vec3::new(0.1, 0.2, 0.3);
    let length = half.x.hypot(half.z);
    let per_mass = (half.x * half.x + half.z * half.z) / 3.0 + length * length;
    let integrate = |theta: f64, rate: f64, time: f64| {
        let f = |y: [f64; 2]| [y[1], G * length * y[0].sin() / per_mass];
        let (mut y, h) = ([theta, rate], time / 4000.0);
        for _ in 0..4000 {
            let add = |a: [f64; 2], k: [f64; 2], s: f64| [a[0] + s * k[0], a[1] + s * k[1]];
            let k1 = f(y);
            let k2 = f(add(y, k1, 0.5 * h));
            let k3 = f(add(y, k2, 0.5 * h));
            let k4 = f(add(y, k3, h));
            y = [0, 1].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        y
    };
    // θ is the lean of the line from the edge to the centre.
    let (theta, rate) = (0.1_f64, 0.8);
    let at = |theta: f64| length * Vec3::new(theta.sin(), 0.0, theta.cos());
    let own = (half.x / half.z).atan();
    let exact = integrate(theta, rate, 0.25);
    let mut errors = Vec::new();
    for steps in [10, 20, 40, 80] {
        let (mut model, material) = on_floor(Material { friction: 3.0, ..Material::new("rubber") });
        let shape = Shape::Cuboid { half };
        let pose = Pose::new(at(theta), Quat::from_rotation_y(theta + own));
        let speed = length * rate * Vec3::new(theta.cos(), 0.0, -theta.sin());
        let body = Body::of_shape("box", &shape, 500.0).expect("a box").posed(pose).moving(speed, rate * Vec3::Y);
        let body = model.body(body);
        model.collider(body, Collider::new(shape, material));
        let mut simulation = simulation(model, 0.25 / steps as f64);
        run(&mut simulation, steps);
        let error = (position(&simulation, body) - at(exact[0])).length()
            + (velocity(&simulation, body) - length * exact[1] * Vec3::new(exact[0].cos(), 0.0, -exact[0].sin()))
                .length();
        errors.push(error);
    }
    let order = fitted_order(&errors);
    assert!(order > 1.8, "order {order:.2} of {errors:?}");
}

#[test]
fn a_mass_on_a_soft_contact_is_followed_to_second_order() {
    // m z¨ = −m g − k z − d z˙ while it touches: a damped oscillation from rest at the surface.
    // Two such surfaces are in series.
    let softness = Some(Softness { stiffness: 2000.0, damping: 10.0 });
    let (stiffness, damping) = (1000.0, 5.0);
    let (mass, time) = (4.0 / 3.0 * std::f64::consts::PI * 0.5, 0.2);
    let (omega2, decay) = (stiffness / mass, 0.5 * damping / mass);
    let omega = (omega2 - decay * decay).sqrt();
    let sag = G / omega2;
    let exact = -sag + sag * (-decay * time).exp() * ((omega * time).cos() + decay / omega * (omega * time).sin());
    let mut errors = Vec::new();
    for steps in [20, 40, 80, 160] {
        let (mut model, material) = on_floor(Material { softness, friction: 0.5, ..Material::new("foam") });
        let ball = add(&mut model, "ball", Shape::Sphere { radius: 0.1 }, material, Vec3::new(0.0, 0.0, 0.1));
        let mut simulation = simulation(model, time / steps as f64);
        run(&mut simulation, steps);
        errors.push((position(&simulation, ball).z - 0.1 - exact).abs());
    }
    let order = fitted_order(&errors);
    assert!((1.8..2.3).contains(&order), "order {order:.2} of {errors:?}");
}

/// −c |v| v, and −k z with ż = v − z: explicit, with memory.
#[derive(Debug)]
struct Drag(BodyId);

impl Force for Drag {
    fn kind(&self) -> &'static str {
        "drag"
    }
    fn bodies(&self) -> [BodyId; 2] {
        [self.0; 2]
    }
    fn wrench(&self, motions: [&Motion; 2], _: f64, memory: &[f64]) -> [Wrench; 2] {
        let v = motions[0].velocity;
        [Wrench { force: -0.8 * v.length() * v - 3.0 * memory[0] * Vec3::X, torque: Vec3::ZERO }, Wrench::default()]
    }
    fn tangent(&self, _: [&Motion; 2], _: f64, _: &[f64]) -> Option<Tangent> {
        None
    }
    fn energy(&self, _: [&Motion; 2], _: f64, _: &[f64]) -> f64 {
        0.0
    }
    fn memory(&self) -> usize {
        1
    }
    fn memory_rate(&self, motions: [&Motion; 2], _: f64, memory: &[f64], rate: &mut [f64]) {
        rate[0] = motions[0].velocity.x - memory[0];
    }
}

#[test]
fn explicit_forces_of_velocity_and_memory_are_followed_to_second_order() {
    let (mut y, fine) = ([0.0, 3.0, 0.0], 20_000);
    let f = |y: [f64; 3]| [y[1], -0.8 * y[1].abs() * y[1] - 3.0 * y[2], y[1] - y[2]];
    let h = 1.0 / f64::from(fine);
    for _ in 0..fine {
        let k = f(y);
        let middle = f([0, 1, 2].map(|i| y[i] + 0.5 * h * k[i]));
        y = [0, 1, 2].map(|i| y[i] + h * middle[i]);
    }
    let mut errors = Vec::new();
    for steps in [20, 40, 80, 160] {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let body = model.body(Body::new("body", 1.0, Mat3::IDENTITY).moving(3.0 * Vec3::X, Vec3::ZERO));
        model.force("drag", Drag(body));
        let mut simulation = simulation(model, 1.0 / steps as f64);
        run(&mut simulation, steps);
        let found = [position(&simulation, body).x, velocity(&simulation, body).x, simulation.state().memory[0]];
        errors.push((0..3).map(|i| (found[i] - y[i]).abs()).fold(0.0, f64::max));
    }
    let order = fitted_order(&errors);
    assert!((1.8..2.3).contains(&order), "order {order:.2} of {errors:?}");
}

#[test]
fn a_driven_hinge_has_the_speed_of_its_law_at_the_end_of_a_step() {
    let law = Law::Sine { amplitude: 0.5, frequency: 1.0, phase: 0.0, offset: 0.0 };
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let pose = Pose::new(Vec3::new(0.3, 0.0, 0.0), Quat::IDENTITY);
    let arm = model.body(Body::new("arm", 1.0, Mat3::IDENTITY).posed(pose).moving(
        // ϕ˙(0) = 2π · 0.5 about y.
        Vec3::new(0.0, 0.0, -0.3 * std::f64::consts::PI),
        std::f64::consts::PI * Vec3::Y,
    ));
    let anchors = Anchors::from_world([ground, arm], [&Pose::IDENTITY, &pose], hinge_about_y(Vec3::ZERO));
    model.joint("hinge", Revolute::new(anchors).driven(law.clone()));
    let mut simulation = simulation(model, 0.01);
    for step in 1..=100 {
        let report = run(&mut simulation, 1);
        let speed = simulation.state().angular_velocities[arm.index()].y;
        let expected = law.rate(0.01 * f64::from(step));
        assert!((speed - expected).abs() < 1e-9, "{step}: {speed} {expected}");
        assert!(report.joint_violation < 1e-10 && report.joint_angle_violation < 1e-10, "{report:?}");
    }
}

#[test]
fn a_rope_that_tightens_takes_the_speed_along_it_and_holds() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let ball = model.body(Body::new("ball", 1.0, 0.01 * Mat3::IDENTITY).at(Vec3::new(0.6, 0.0, 0.0)));
    model.joint("rope", Rope::new([ground, ball], [Vec3::ZERO; 2], 1.0));
    let mut simulation = simulation(model, 0.005);
    let mut energy = f64::INFINITY;
    let mut was_taut = false;
    for _ in 0..400 {
        let report = run(&mut simulation, 1);
        let x = position(&simulation, ball);
        assert!(x.length() < 1.0 + 1e-9, "{}", x.length());
        if was_taut {
            // It swings: energy is that after the impact.
            assert!((report.energy.total() - energy).abs() < 2e-3 * G, "{} {energy}", report.energy.total());
        } else if x.length() > 1.0 - 1e-9 {
            was_taut = true;
            energy = report.energy.total();
            assert!(velocity(&simulation, ball).dot(x.normalize()).abs() < 1e-9);
        }
    }
    assert!(was_taut);
}

#[test]
fn a_very_stiff_spring_is_stable_at_any_step() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let ball = model.body(Body::new("ball", 1.0, 0.01 * Mat3::IDENTITY).at(Vec3::new(1.0, 0.0, 0.0)));
    let spring = signorini_mechanics::force::Spring::new([ground, ball], [Vec3::ZERO; 2], 1e8, 0.0, 1.0);
    model.force("spring", spring);
    // hω = 100.
    let mut simulation = simulation(model, 0.01);
    for _ in 0..1000 {
        // Steps of 16 periods do not resolve what the spring stores: energy that comes and goes with it is told, and the speed below
        // bounds it.
        run_but_for(&[Promise::Energy], &mut simulation, 1);
        let length = position(&simulation, ball).length();
        assert!((length - 1.0).abs() < 0.02 && velocity(&simulation, ball).length() < 6.0, "{length}");
    }
}

/// Balls and boxes that fall onto each other, one on a ball joint.
fn heap() -> ModelBuilder {
    let (mut model, material) = on_floor(Material { friction: 0.4, restitution: 0.3, ..Material::new("stone") });
    for k in 0..6_u32 {
        let at = Vec3::new(0.03 * f64::from(k % 3), 0.02 * f64::from(k % 2), 0.2 + 0.25 * f64::from(k));
        let shape =
            if k % 2 == 0 { Shape::Cuboid { half: Vec3::new(0.12, 0.1, 0.08) } } else { Shape::Sphere { radius: 0.1 } };
        add(&mut model, &format!("body {k}"), shape, material, at);
    }
    let ground = model.body(Body::fixed("hook"));
    let pose = Pose::new(Vec3::new(0.5, 0.0, 1.0), Quat::IDENTITY);
    let arm = model.body(Body::new("arm", 1.0, 0.1 * Mat3::IDENTITY).posed(pose));
    let pivot = Pose::new(Vec3::new(0.9, 0.0, 1.0), Quat::IDENTITY);
    model.joint("ball", Spherical::new(Anchors::from_world([ground, arm], [&Pose::IDENTITY, &pose], pivot)));
    model
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bits_and_a_heap_never_gains_energy_beyond_its_rebounds() {
    let settings = Settings { stepper: Stepper::DviRattle, step: 0.005, ..Settings::default() };
    let fresh = || Simulation::new(heap().build().expect("valid"), settings.clone()).expect("valid");
    let mut whole = fresh();
    let start = Energy::of(whole.model(), whole.state()).total();
    let mut energy = start;
    for _ in 0..200 {
        energy = whole.step().expect("a step").energy.total();
        assert!(energy < start * (1.0 + 1e-6));
    }
    assert!(energy < 0.8 * start, "{energy} {start}");
    let mut first = fresh();
    (0..90).for_each(|_| assert!(first.step().is_ok()));
    let (state, warm) = (first.state().clone(), first.warm_start().clone());
    let mut second = Simulation::resumed(heap().build().expect("valid"), settings.clone(), state, warm).expect("valid");
    (0..110).for_each(|_| assert!(second.step().is_ok()));
    assert_eq!(second.state().hash(), whole.state().hash());
}

#[test]
fn a_step_that_is_stopped_leaves_the_state_as_it_was() {
    let mut simulation = Simulation::new(heap().build().expect("valid"), settings(0.005)).expect("valid");
    run(&mut simulation, 60);
    let before = simulation.state().clone();
    let stop = AtomicBool::new(true);
    let answer = simulation.step_with(Some(&stop));
    assert!(matches!(answer, Err(StepError::Interrupted { .. })), "{answer:?}");
    assert_eq!(simulation.state(), &before);
    run(&mut simulation, 1);
}
