//! Where the energy of steps goes: every entry of the books against its closed form, and the sum in every step.

mod support;

use signorini_mechanics::force::{Load, Spring};
use signorini_mechanics::joint::{Anchors, Distance, Law, Prismatic, Revolute, Rope, Spherical};
use signorini_mechanics::{
    Body, BodyId, Collider, Energy, Mat3, Material, Model, ModelBuilder, Pose, Promise, Quat, Settings, Shape,
    Simulation, Stepper, Vec3, Work,
};
use signorini_testkit::fitted_order;
use support::{hinge_about_y, isotropic};

const G: f64 = 9.81;
const HARD: [Stepper; 2] = [Stepper::DviPassive, Stepper::DviEuler];

/// The works of all steps, summed, and every one of them. In every step they add up to the change of energy.
fn run(model: ModelBuilder, stepper: Stepper, h: f64, steps: usize) -> (Work, Vec<Work>, Simulation) {
    let settings = Settings { step: h, stepper, ..Settings::default() };
    let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
    let mut sum = Work::default();
    let mut before = Energy::of(simulation.model(), simulation.state());
    let mut all = Vec::new();
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        let work = report.work.expect("books");
        let change = report.energy.total() - before.total();
        let size = report.energy.kinetic + report.energy.potential.abs() + before.kinetic + before.potential.abs();
        assert!((work.total() - change).abs() <= 1e-14 * size + 1e-15, "{stepper:?} {work:?} {change}");
        before = report.energy;
        sum.joints += work.joints;
        sum.contacts += work.contacts;
        sum.drives += work.drives;
        sum.damping += work.damping;
        sum.numerical += work.numerical;
        all.push(work);
    }
    (sum, all, simulation)
}

fn floor(friction: f64, restitution: f64) -> (ModelBuilder, signorini_mechanics::MaterialId) {
    let mut model = Model::builder();
    let material = model.material(Material { friction, restitution, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    (model, material)
}

#[test]
fn friction_takes_its_force_along_the_way_of_a_sliding_block() {
    for stepper in HARD {
        let (friction, speed, mass) = (0.3, 2.0, 3.0);
        let (mut model, material) = floor(friction, 0.0);
        let shape = Shape::Cuboid { half: Vec3::new(0.3, 0.3, 0.05) };
        let block = Body::new("block", mass, isotropic(0.1)).at(Vec3::Z * 0.05).moving(Vec3::X * speed, Vec3::ZERO);
        let block = model.body(block);
        model.collider(block, Collider::new(shape, material));
        let (work, _, simulation) = run(model, stepper, 0.005, 200);
        assert!(simulation.state().velocities[block.index()].length() < 1e-6, "it stands");
        // −μ m g s with the distance s = v²/(2μg).
        let way = speed * speed / (2.0 * friction * G);
        let expected = -friction * mass * G * way;
        assert!((work.contacts - expected).abs() < 1e-5 * expected.abs(), "{stepper:?} {work:?}, expected {expected}");
        assert_eq!((work.joints, work.drives, work.damping), (0.0, 0.0, 0.0));
        assert!(work.numerical.abs() < 1e-5 * expected.abs(), "{stepper:?} {work:?}");
    }
}

#[test]
fn an_impact_takes_what_its_restitution_says_wherever_in_a_step_it_is() {
    for (restitution, h) in [(0.5, 0.01), (1.0, 0.01), (0.8, 0.007), (0.3, 0.0131)] {
        let (mut model, material) = floor(0.4, restitution);
        let ball = model.body(Body::new("ball", 2.0, isotropic(0.01)).at(Vec3::Z * 0.6));
        model.collider(ball, Collider::new(Shape::Sphere { radius: 0.1 }, material));
        // 0.32 s to the floor: one bounce.
        let (work, all, _) = run(model, Stepper::DviPassive, h, (0.4 / h) as usize);
        // ½ m v² = m g · 0.5 m at the floor.
        let expected = -(1.0 - restitution * restitution) * 2.0 * G * 0.5;
        assert!((work.contacts - expected).abs() < 1e-5, "{restitution} {work:?}, expected {expected}");
        // Flight and rebound are followed exactly, step by step, to the accuracy of the solve.
        assert!(all.iter().all(|work| work.numerical.abs() < 1e-5), "{restitution} {work:?}");
    }
}

#[test]
fn a_falling_body_loses_nothing_but_to_implicit_euler() {
    let model = || {
        let mut model = Model::builder();
        model.body(Body::new("stone", 2.0, isotropic(0.1)).moving(Vec3::new(1.0, 0.0, 3.0), Vec3::ZERO));
        model
    };
    let (_, passive, _) = run(model(), Stepper::DviPassive, 0.01, 30);
    assert!(passive.iter().all(|work| work.numerical.abs() < 1e-12), "{passive:?}");
    let (_, euler, _) = run(model(), Stepper::DviEuler, 0.01, 30);
    // −½ m (g h)².
    let expected = -0.5 * 2.0 * (G * 0.01_f64).powi(2);
    assert!(euler.iter().all(|work| (work.numerical - expected).abs() < 1e-12), "{euler:?}");
}

/// A weight of 5 kg in a vertical guide.
fn in_guide(joint: impl Fn(Anchors) -> Prismatic, speed: f64) -> (ModelBuilder, [BodyId; 2]) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let weight = model.body(Body::new("weight", 5.0, isotropic(0.1)).moving(Vec3::Z * speed, Vec3::ZERO));
    let anchors = Anchors::from_world([ground, weight], [&Pose::IDENTITY; 2], Pose::IDENTITY);
    model.joint("guide", joint(anchors));
    (model, [ground, weight])
}

#[test]
fn a_drive_that_lifts_a_weight_does_its_weight_times_the_height() {
    for stepper in HARD {
        let (model, [_, weight]) = in_guide(|anchors| Prismatic::new(anchors).driven(Law::linear(0.0, 0.5)), 0.5);
        let (work, _, simulation) = run(model, stepper, 0.01, 100);
        let height = simulation.state().poses[weight.index()].position.z;
        assert!((height - 0.5).abs() < 1e-9, "{height}");
        let expected = 5.0 * G * 0.5;
        assert!((work.drives - expected).abs() < 1e-8, "{stepper:?} {work:?}");
        let others = [work.joints, work.contacts, work.damping, work.numerical];
        assert!(others.iter().all(|other| other.abs() < 1e-8), "{stepper:?} {work:?}");
    }
}

#[test]
fn a_load_does_its_force_along_the_way_and_the_rest_of_the_books_stays_empty() {
    for stepper in HARD {
        let (mut model, [_, weight]) = in_guide(Prismatic::new, 0.0);
        model.force("lift", Load::new(weight).force(Vec3::Z * 80.0, None));
        let (work, all, simulation) = run(model, stepper, 0.01, 50);
        let height = simulation.state().poses[weight.index()].position.z;
        assert!((work.drives - 80.0 * height).abs() < 1e-9, "{stepper:?} {work:?}");
        assert!(work.joints.abs() + work.contacts.abs() + work.damping.abs() < 1e-9, "{stepper:?} {work:?}");
        // The mean of forces that do not change is exact; implicit Euler loses ½ m (a h)² with a = 80/5 − g.
        let expected = if stepper == Stepper::DviEuler { -0.5 * 5.0 * (0.01 * (16.0 - G)).powi(2) } else { 0.0 };
        assert!(all.iter().all(|work| (work.numerical - expected).abs() < 1e-9), "{stepper:?} {expected}");
    }
}

/// Energy of m x″ = −k x − d x′ from rest at x = x₀ after t seconds \[J\].
fn oscillator([m, k, d, x0]: [f64; 4], t: f64) -> f64 {
    let (delta, omega0) = (0.5 * d / m, (k / m).sqrt());
    let omega = (omega0 * omega0 - delta * delta).sqrt();
    let (c, s, decay) = ((omega * t).cos(), (omega * t).sin(), x0 * (-delta * t).exp());
    let x = decay * (c + delta / omega * s);
    let v = -decay * omega0 * omega0 / omega * s;
    0.5 * m * v * v + 0.5 * k * x * x
}

#[test]
fn a_damper_takes_what_a_decaying_oscillator_loses() {
    let numbers = [5.0, 500.0, 8.0, 0.2];
    let [_, stiffness, damping, amplitude] = numbers;
    let lost = oscillator(numbers, 0.0) - oscillator(numbers, 1.0);
    let of = |stepper: Stepper, h: f64| {
        let (mut model, bodies) = in_guide(Prismatic::new, 0.0);
        model.gravity(Vec3::ZERO);
        // From a point 2 m below, stretched by the amplitude at first.
        let points = [Vec3::Z * -2.0, Vec3::ZERO];
        model.force("spring", Spring::new(bodies, points, stiffness, damping, 2.0 - amplitude));
        let (work, _, _) = run(model, stepper, h, (1.0 / h).round() as usize);
        assert!(work.drives == 0.0 && work.contacts == 0.0 && work.joints.abs() < 1e-9, "{work:?}");
        work
    };
    let passive = [0.02, 0.01, 0.005].map(|h| of(Stepper::DviPassive, h));
    let errors = passive.map(|work| (work.damping + lost).abs());
    assert!(errors[2] < 1e-3 * lost && fitted_order(&errors) > 1.8, "{errors:?} of {lost}");
    // The spring is treated by the middle of the step: the method itself takes nothing.
    assert!(passive.iter().all(|work| work.numerical.abs() < 1e-9), "{passive:?}");
    let errors = [0.002, 0.001, 0.0005].map(|h| (of(Stepper::DviEuler, h).damping + lost).abs());
    assert!(errors[2] < 0.02 * lost && (fitted_order(&errors) - 1.0).abs() < 0.15, "{errors:?} of {lost}");
}

#[test]
fn reactions_of_a_pendulum_do_no_work_and_the_method_only_takes() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(Vec3::new(0.8, 0.0, 0.0), Quat::from_rotation_y(-0.5));
    let bob = model.body(Body::new("bob", 2.0, isotropic(0.05)).posed(start));
    let anchors = Anchors::from_world([ground, bob], [&Pose::IDENTITY, &start], hinge_about_y(Vec3::ZERO));
    model.joint("pivot", Revolute::new(anchors));
    let (_, all, _) = run(model, Stepper::DviPassive, 0.01, 300);
    for work in &all {
        assert!(work.joints.abs() < 1e-8 && work.numerical < 1e-12, "{work:?}");
        assert_eq!((work.contacts, work.drives, work.damping), (0.0, 0.0, 0.0));
    }
}

#[test]
fn a_rope_takes_the_energy_of_what_it_catches() {
    for stepper in HARD {
        let mut model = Model::builder();
        model.gravity(Vec3::ZERO);
        let ground = model.body(Body::fixed("ground"));
        let body = Body::new("weight", 3.0, isotropic(0.1)).at(Vec3::X).moving(Vec3::new(2.0, 1.0, 0.0), Vec3::ZERO);
        let body = model.body(body);
        model.joint("rope", Rope::new([ground, body], [Vec3::ZERO; 2], 1.1));
        let (work, _, simulation) = run(model, stepper, 0.001, 100);
        // Where the rope is tight, the speed along it is gone and the speed across it is left.
        let left = 0.5 * 3.0 * simulation.state().velocities[body.index()].length_squared();
        let lost = 0.5 * 3.0 * 5.0 - left;
        // (1 + 2t)² + t² = 1.21: t from the quadratic, then the speed along the rope there.
        let t = (-4.0 + (16.0_f64 + 4.0 * 5.0 * 0.21).sqrt()) / 10.0;
        let at = Vec3::new(1.0 + 2.0 * t, t, 0.0);
        let along = at.normalize().dot(Vec3::new(2.0, 1.0, 0.0));
        let expected = -0.5 * 3.0 * along * along;
        assert!((work.joints - expected).abs() < 0.02 * expected.abs(), "{stepper:?} {work:?}, expected {expected}");
        assert!((lost + expected).abs() < 0.05 * expected.abs(), "{stepper:?} {lost}");
        assert!(work.contacts == 0.0 && work.drives == 0.0 && work.damping == 0.0);
    }
}

/// A light arm with a heavy load, and far away a body that flies fast and has nothing to do with it.
fn heavy_arm_and_a_bullet() -> ModelBuilder {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let arm = model.body(Body::new("arm", 8.0, Mat3::from_diagonal(Vec3::new(0.02, 0.67, 0.67))).at(Vec3::X * 0.5));
    let load = model.body(Body::new("load", 8e4, isotropic(3e3)).at(Vec3::new(1.0, 0.0, 1.0)));
    let pivot = Anchors::from_world([ground, arm], [&Pose::IDENTITY, &Pose::at(Vec3::X * 0.5)], Pose::IDENTITY);
    model.joint("pivot", Spherical::new(pivot));
    model.joint("hanger", Distance::new([arm, load], [Vec3::X * 0.5, Vec3::ZERO], 1.0));
    let bullet = Body::new("bullet", 1e5, isotropic(1e3)).at(Vec3::Y * 1e3).moving(Vec3::Y * 300.0, Vec3::ZERO);
    model.body(bullet);
    model
}

#[test]
fn energy_from_nowhere_is_named_by_the_joint_it_appears_at() {
    let settings = Settings { stepper: Stepper::DviEuler, ..Settings::default() };
    let model = heavy_arm_and_a_bullet().build().expect("valid");
    let mut simulation = Simulation::new(model, settings).expect("valid");
    let mut named = Vec::new();
    for _ in 0..2000 {
        let Ok(report) = simulation.step() else { break };
        named.extend(report.broken.into_iter().filter(|broken| broken.promise == Promise::Energy));
        if named.len() > 3 {
            break;
        }
    }
    assert!(!named.is_empty(), "energy has appeared");
    for broken in &named {
        assert!(["joint `pivot`", "joint `hanger`"].contains(&broken.who.as_str()), "{broken}");
        assert!(broken.to_string().contains("(it appears at joint `"), "{broken}");
    }
    // The default stepper has nothing to say.
    let mut simulation =
        Simulation::new(heavy_arm_and_a_bullet().build().expect("valid"), Settings::default()).expect("valid");
    for _ in 0..200 {
        let report = simulation.step().expect("a step");
        assert!(report.broken.is_empty(), "{:?}", report.broken);
    }
}
