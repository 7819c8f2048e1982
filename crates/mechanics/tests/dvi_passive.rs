//! The default step: joints closed where bodies arrive, no energy from nowhere, rotations and impacts that keep what they must. What holds for the second-order step,
//! too, is asked of both.

mod support;

use signorini_mechanics::joint::{
    Anchors, Cylindrical, Distance, PointOnLine, Prismatic, Revolute, Rope, Spherical, Universal,
};
use signorini_mechanics::{
    Body, BodyId, Collider, Energy, Mat3, Material, Model, ModelBuilder, Pose, Quat, RestitutionLaw, Settings, Shape,
    Simulation, StepReport, Stepper, Vec3,
};
use signorini_solver::FrictionLaw;
use signorini_testkit::fitted_order;
use support::{Random, hinge_about_y, isotropic};

const G: f64 = 9.81;

/// The default and the second-order step.
const BOTH: [Stepper; 2] = [Stepper::DviPassive, Stepper::DviRattle];

fn simulation_by(stepper: Stepper, model: ModelBuilder, h: f64) -> Simulation {
    let settings = Settings { step: h, stepper, ..Settings::default() };
    Simulation::new(model.build().expect("valid"), settings).expect("valid")
}

fn simulation(model: ModelBuilder, h: f64) -> Simulation {
    simulation_by(Stepper::DviPassive, model, h)
}

/// Takes steps; the largest energy and the widest joint \[J, m, rad\].
fn watch(simulation: &mut Simulation, steps: usize) -> (f64, f64) {
    let (mut most, mut open) = (f64::NEG_INFINITY, 0.0_f64);
    for _ in 0..steps {
        let report = simulation.step().expect("a step");
        assert!(report.converged(), "t = {}: {:?}", report.time, report.broken);
        most = most.max(report.energy.total());
        open = open.max(report.joint_violation).max(report.joint_angle_violation);
    }
    (most, open)
}

/// An arm of 8 kg on a ball joint, and a load that hangs by a rod from its end.
fn arm(ratio: f64, is_folded: bool) -> ModelBuilder {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let arm = model.body(Body::new("arm", 8.0, Mat3::from_diagonal(Vec3::new(0.02, 0.67, 0.67))).at(Vec3::X * 0.5));
    let place = if is_folded { Vec3::new(1.0, 0.0, 1.0) } else { Vec3::new(1.0, 0.0, -1.0) };
    let load = model.body(Body::new("load", 8.0 * ratio, isotropic(0.3 * ratio)).at(place));
    let pivot = Anchors::from_world([ground, arm], [&Pose::IDENTITY, &Pose::at(Vec3::X * 0.5)], Pose::IDENTITY);
    model.joint("pivot", Spherical::new(pivot));
    model.joint("hanger", Distance::new([arm, load], [Vec3::X * 0.5, Vec3::ZERO], 1.0));
    model
}

#[test]
fn a_light_arm_carries_any_load_and_nothing_gains_energy() {
    let cases = [(1.0, false), (1e3, false), (1e4, false), (1e6, false), (10.0, true), (1e3, true)];
    for (stepper, (ratio, is_folded)) in BOTH.into_iter().flat_map(|stepper| cases.map(|case| (stepper, case))) {
        let mut simulation = simulation_by(stepper, arm(ratio, is_folded), 0.01);
        let start = Energy::of(simulation.model(), simulation.state()).total();
        let weight = 8.0 * (1.0 + ratio) * G;
        let (most, open) = watch(&mut simulation, 300);
        assert!(open < 1e-9, "{stepper:?} {ratio}: {open:e} m");
        assert!(most - start < 1e-9 * weight, "{stepper:?} {ratio}: {:e} J", most - start);
    }
}

#[test]
fn a_chain_of_a_hundred_links_swings_with_a_thousand_link_masses_at_its_end() {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let (links, length) = (100, 0.1);
    let inertia = Mat3::from_diagonal(Vec3::new(1e-5, 1e-3, 1e-3));
    let (mut before, mut at) = (ground, Pose::IDENTITY);
    for k in 0..links {
        let pose = Pose::at(Vec3::X * (length * (f64::from(k) + 0.5)));
        let mass = if k == links - 1 { 1000.0 } else { 1.0 };
        let link = model.body(Body::new(format!("link-{k}"), mass, mass * inertia).posed(pose));
        let joint = Pose::at(Vec3::X * (length * f64::from(k)));
        model.joint(format!("joint-{k}"), Spherical::new(Anchors::from_world([before, link], [&at, &pose], joint)));
        (before, at) = (link, pose);
    }
    let mut simulation = simulation(model, 0.01);
    let start = Energy::of(simulation.model(), simulation.state()).total();
    let (most, open) = watch(&mut simulation, 100);
    let range = 1100.0 * G * length * f64::from(links);
    assert!(open < 1e-9 && most - start < 1e-6 * range, "{open:e} m, {:e} J", most - start);
}

/// A body hung from the origin by a hinge, and its start energy.
fn pendulum(h: f64) -> (Simulation, BodyId) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(Vec3::new(0.8 * 1.0_f64.sin(), 0.0, -0.8 * 1.0_f64.cos()), Quat::from_rotation_y(-1.0));
    let bob = model.body(Body::new("bob", 2.0, isotropic(0.05)).posed(start));
    let anchors = Anchors::from_world([ground, bob], [&Pose::IDENTITY, &start], hinge_about_y(Vec3::ZERO));
    model.joint("pivot", Revolute::new(anchors));
    (simulation(model, h), bob)
}

#[test]
fn a_pendulum_is_followed_to_second_order_and_loses_nearly_nothing() {
    // The same angle by the classical Runge-Kutta method on φ'' = −m g l sin φ/(I + m l²) with tiny steps.
    let stiffness = 2.0 * G * 0.8 / (0.05 + 2.0 * 0.64);
    let (mut phi, mut rate, h) = (1.0_f64, 0.0_f64, 1e-5);
    for _ in 0..100_000 {
        let f = |phi: f64| -stiffness * phi.sin();
        let (k1, l1) = (rate, f(phi));
        let (k2, l2) = (rate + 0.5 * h * l1, f(phi + 0.5 * h * k1));
        let (k3, l3) = (rate + 0.5 * h * l2, f(phi + 0.5 * h * k2));
        let (k4, l4) = (rate + h * l3, f(phi + h * k3));
        phi += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        rate += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    let errors = [0.02, 0.01, 0.005, 0.0025].map(|h| {
        let (mut simulation, bob) = pendulum(h);
        watch(&mut simulation, (1.0 / h).round() as usize);
        let at = simulation.state().poses[bob.index()].position;
        (at.x.atan2(-at.z) - phi).abs()
    });
    let order = fitted_order(&errors);
    assert!((order - 2.0).abs() < 0.1, "order {order:.2} of {errors:?}");
    let (mut simulation, _) = pendulum(0.01);
    let start = Energy::of(simulation.model(), simulation.state()).total();
    let (most, _) = watch(&mut simulation, 300);
    let end = Energy::of(simulation.model(), simulation.state()).total();
    assert!(most <= start + 1e-9 && start - end < 1e-3 * 2.0 * G * 0.8, "{} J", start - end);
}

/// A tree of bodies with random joints, masses up to `ratio` kg, and sometimes a loop.
fn mechanism(seed: u64, ratio: f64) -> ModelBuilder {
    let mut random = Random(seed);
    let mut model = Model::builder();
    model.gravity(G * random.vector().normalize());
    let ground = model.body(Body::fixed("ground"));
    let count = 2 + (random.number().abs() * 5.0) as usize;
    let mut bodies: Vec<(BodyId, Pose)> = vec![(ground, Pose::IDENTITY)];
    for k in 0..count {
        let parent = (random.number().abs() * bodies.len() as f64) as usize % bodies.len();
        let (before, from) = bodies[parent];
        let pose = Pose::new(from.position + 0.7 * random.vector().normalize(), random.pose().rotation);
        let mass = ratio.powf(random.number().abs());
        let inertia = mass * Mat3::from_diagonal(Vec3::new(0.003, 0.02, 0.021));
        let body = model.body(Body::new(format!("b{k}"), mass, inertia).posed(pose));
        let middle = Pose::new(0.5 * (from.position + pose.position) + 0.1 * random.vector(), random.pose().rotation);
        let anchors = Anchors::from_world([before, body], [&from, &pose], middle);
        let name = format!("j{k}");
        let span = (pose.position - from.position).length();
        let ends = [Vec3::ZERO; 2];
        match (random.number().abs() * 8.0) as usize {
            0 => model.joint(name, Spherical::new(anchors)),
            1 => model.joint(name, Revolute::new(anchors)),
            2 => model.joint(name, Universal::new(anchors)),
            3 => model.joint(name, Distance::new([before, body], ends, span)),
            4 => model.joint(name, Prismatic::new(anchors)),
            5 => model.joint(name, Cylindrical::new(anchors)),
            6 => model.joint(name, Rope::new([before, body], ends, 1.02 * span)),
            _ => model.joint(name, PointOnLine::new(anchors)),
        };
        bodies.push((body, pose));
    }
    if random.number() > 0.0 {
        let (last, first) = (bodies[count], bodies[0]);
        let span = (last.1.position - first.1.position).length();
        if span > 0.1 {
            model.joint("loop", Distance::new([first.0, last.0], [Vec3::ZERO; 2], span));
        }
    }
    model
}

/// Twenty links of 31 g on ball joints, level, with 10 kg at the end; links that are no neighbours touch each other.
fn touching_chain() -> ModelBuilder {
    let mut model = Model::builder();
    let material = model.material(Material::new("steel"));
    let (mut before, mut from) = (model.body(Body::fixed("ground")), Pose::IDENTITY);
    let along = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    for k in 0..21 {
        let is_weight = k == 20;
        let shape =
            if is_weight { Shape::Sphere { radius: 0.06 } } else { Shape::Capsule { radius: 0.01, half_height: 0.04 } };
        let x = 0.1 * f64::from(k) + if is_weight { 0.06 } else { 0.05 };
        let pose = Pose::new(Vec3::X * x, along);
        let density = if is_weight { 11_000.0 } else { 1000.0 };
        let body = Body::of_shape(format!("link {k}"), &shape, density).expect("a link").posed(pose);
        let body = model.body(body);
        model.collider(body, Collider::new(shape, material));
        let joint = Pose::at(Vec3::X * (0.1 * f64::from(k)));
        model.joint(format!("joint {k}"), Spherical::new(Anchors::from_world([before, body], [&from, &pose], joint)));
        model.exclude(before, body);
        (before, from) = (body, pose);
    }
    model
}

#[test]
fn a_chain_whose_links_touch_whips_round_in_steps_that_are_far_too_long() {
    for (stepper, h) in BOTH.into_iter().flat_map(|stepper| [0.02, 0.1].map(|h| (stepper, h))) {
        let mut simulation = simulation_by(stepper, touching_chain(), h);
        let start = Energy::of(simulation.model(), simulation.state()).total();
        let (mut peak, mut parts) = (0.0_f64, 0);
        for _ in 0..(2.0 / h) as usize {
            let report = simulation.step().expect("a step");
            assert!(report.converged(), "{stepper:?} {h}: {:?}", report.broken);
            peak = peak.max(report.energy.kinetic);
            parts = parts.max(report.substeps);
            assert!(report.joint_violation < 1e-8, "{stepper:?} {h}: {:e} m", report.joint_violation);
            // Contacts of the second-order step waver by what its order explains.
            let rise = report.energy.total() - start;
            assert!(rise < 1e-3 * peak, "{stepper:?} {h}: {rise:e} J of {peak} J");
        }
        assert!(peak > 50.0 && parts > 1, "{stepper:?} {h}: {peak} J, {parts} parts");
    }
}

#[test]
fn random_mechanisms_gain_nothing_and_stay_together() {
    for (stepper, seed) in BOTH.into_iter().flat_map(|stepper| (0..60).map(move |seed| (stepper, seed))) {
        let ratio = 10.0_f64.powf(4.0 * (seed as f64) / 60.0);
        let mut simulation = simulation_by(stepper, mechanism(seed + 1, ratio), 0.01);
        let start = Energy::of(simulation.model(), simulation.state());
        let mut peak = 0.0_f64;
        for _ in 0..100 {
            let report = simulation.step().expect("a step");
            assert!(report.converged(), "{seed}: {:?}", report.broken);
            peak = peak.max(report.energy.kinetic);
            assert!(report.joint_violation < 1e-8, "{seed}: {:e} m", report.joint_violation);
            let rise = report.energy.total() - start.total();
            assert!(rise < 1e-6 * peak + 1e-9 * start.potential.abs(), "{seed}: {rise:e} J of {peak} J");
        }
    }
}

#[test]
fn a_tumbling_body_keeps_angular_momentum_and_energy() {
    let bodies = [Vec3::new(0.1, 0.2, 0.25), Vec3::new(0.2, 0.2, 0.35), Vec3::new(0.3, 0.3, 0.01)];
    for (stepper, inertia) in BOTH.into_iter().flat_map(|stepper| bodies.map(|inertia| (stepper, inertia))) {
        let mut model = Model::builder();
        let omega = 30.0 * Vec3::new(0.02, 1.0, 0.01);
        let body = Body::new("body", 1.0, Mat3::from_diagonal(inertia)).moving(Vec3::new(1.0, 2.0, 9.0), omega);
        let body = model.body(body);
        let mut simulation = simulation_by(stepper, model, 0.01);
        let spin = |simulation: &Simulation| {
            let state = simulation.state();
            state.poses[body.index()].rotation * (inertia * state.angular_velocities[body.index()])
        };
        let (momentum, start) = (spin(&simulation), Energy::of(simulation.model(), simulation.state()).total());
        let last = (0..6000).map(|_| simulation.step().expect("a step")).last().expect("steps");
        let drift = (spin(&simulation) - momentum).length() / momentum.length();
        assert!(drift < 1e-12, "{stepper:?} {inertia}: {drift:e}");
        // It flies by its parabola, too.
        assert!((last.energy.total() - start).abs() < 1e-9 * start, "{inertia}: {} J", last.energy.total() - start);
    }
}

/// A floor with this friction and restitution.
fn on_floor(friction: f64, restitution: f64) -> (ModelBuilder, signorini_mechanics::MaterialId) {
    let mut model = Model::builder();
    let material = model.material(Material { friction, restitution, ..Material::new("material") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    (model, material)
}

#[test]
fn a_ball_bounces_to_the_same_height_a_hundred_times() {
    let (mut model, material) = on_floor(0.5, 1.0);
    let ball = model.body(Body::new("ball", 1.0, isotropic(0.004)).at(Vec3::Z * 1.1));
    model.collider(ball, Collider::new(Shape::Sphere { radius: 0.1 }, material));
    let mut simulation = simulation(model, 0.01);
    let (mut heights, mut before) = (Vec::new(), [f64::INFINITY; 2]);
    while heights.len() < 100 {
        let report: StepReport = simulation.step().expect("a step");
        // The impulse of a bounce is as accurate as the solve.
        assert!((report.energy.total() - 1.1 * G).abs() < 1e-5, "{}", report.energy.total());
        let z = simulation.state().poses[ball.index()].position.z;
        if before[1] > before[0] && before[1] >= z {
            heights.push(before[1]);
        }
        before = [before[1], z];
    }
    // A step may pass the highest point by half of it: ⅛ g h².
    assert!(heights.iter().all(|z| (z - 1.1).abs() < 2e-4), "{heights:?}");
}

#[test]
fn a_rod_that_strikes_with_friction_and_restitution_gains_no_energy() {
    // Kane's paradox: Newton's law of restitution with friction that reverses the slip gains energy, of which dvi-euler has some here.
    let gain = |stepper: Stepper, rebound: RestitutionLaw, (angle, speed): (f64, f64), law: FrictionLaw| {
        let (mut model, material) = on_floor(1.0, 1.0);
        model.gravity(Vec3::ZERO);
        let tip = 0.5 * angle.sin() + 0.05;
        let pose = Pose::new(Vec3::Z * (tip + 0.004), Quat::from_rotation_y(angle));
        let inertia = Mat3::from_diagonal(Vec3::new(0.001, 0.084, 0.084));
        let rod =
            model.body(Body::new("rod", 1.0, inertia).posed(pose).moving(Vec3::new(speed, 0.0, -2.0), Vec3::ZERO));
        let shape = Shape::Capsule { radius: 0.05, half_height: 0.5 };
        let along = Pose::new(Vec3::ZERO, Quat::from_rotation_y(std::f64::consts::FRAC_PI_2));
        model.collider(rod, Collider::new(shape, material).at(along));
        let settings =
            Settings { step: 0.005, stepper, friction: law, restitution_law: rebound, ..Settings::default() };
        let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
        let start = Energy::of(simulation.model(), simulation.state()).kinetic;
        let most = (0..20).map(|_| simulation.step().expect("a step").energy.kinetic).fold(0.0, f64::max);
        most / start - 1.0
    };
    let mut by_newton = [0.0_f64; 2];
    for law in [FrictionLaw::Exact, FrictionLaw::Relaxed] {
        for k in 0..12 {
            for speed in [-1.0, 0.3, 0.8, 1.5] {
                let start = (0.1 + 0.12 * f64::from(k), speed);
                let of = |stepper: Stepper, rebound: RestitutionLaw| gain(stepper, rebound, start, law);
                let passive = of(Stepper::DviPassive, RestitutionLaw::default());
                assert!(passive < 1e-9, "{law:?} {start:?}: {passive:e}");
                by_newton[0] = by_newton[0].max(of(Stepper::DviEuler, RestitutionLaw::default()));
                by_newton[1] = by_newton[1].max(of(Stepper::DviPassive, RestitutionLaw::Newton));
            }
        }
    }
    assert!(by_newton.iter().all(|gain| *gain > 0.01), "the paradox is not there: {by_newton:?}");
}

#[test]
fn boxes_that_drop_with_friction_and_restitution_gain_no_energy() {
    for seed in 0..40 {
        let mut random = Random(seed + 11);
        let restitution = [0.0, 0.5, 0.9, 1.0][seed as usize % 4];
        let (mut model, material) = on_floor(0.2 + random.number().abs(), restitution);
        let shape = Shape::Cuboid { half: Vec3::new(0.25, 0.08, 0.05) };
        let pose = Pose::new(Vec3::Z * 0.8, random.pose().rotation);
        let body = Body::of_shape("box", &shape, 500.0).expect("a box").posed(pose);
        let body = model.body(body.moving(Vec3::new(random.number(), random.number(), -1.5), 8.0 * random.vector()));
        model.collider(body, Collider::new(shape, material));
        let mut simulation = simulation(model, 0.005);
        let start = Energy::of(simulation.model(), simulation.state()).total();
        let mut peak = 0.0_f64;
        for _ in 0..160 {
            let report = simulation.step().expect("a step");
            peak = peak.max(report.energy.kinetic);
            let rise = report.energy.total() - start;
            assert!(rise < 1e-9 * peak, "{seed}: {rise:e} J of {peak} J: {report:?}");
        }
    }
}

#[test]
fn a_thousand_random_impacts_with_friction_and_restitution_gain_no_energy() {
    let (mut struck, mut rebounded) = (0, 0);
    for seed in 0..1000 {
        let mut random = Random(1000 + seed);
        let (mut model, material) = on_floor(1.5 * random.number().abs(), random.number().abs().min(0.2) * 5.0);
        if seed % 3 == 0 {
            model.gravity(Vec3::ZERO);
        }
        let shape = match seed % 4 {
            0 => Shape::Capsule { radius: 0.05, half_height: 0.3 },
            1 => Shape::Cuboid { half: Vec3::new(0.25, 0.08, 0.05) },
            2 => Shape::Cuboid { half: Vec3::new(0.1, 0.1, 0.1) },
            _ => Shape::Sphere { radius: 0.15 },
        };
        let along = random.pose().rotation;
        // The second body of those that have one starts above the floor, too.
        let height = if seed % 5 == 0 { 0.65 } else { 0.4 };
        let pose = Pose::new(Vec3::Z * height, along);
        let speed = Vec3::new(2.0 * random.number(), 2.0 * random.number(), -2.0 - 2.0 * random.number().abs());
        let body = Body::of_shape("body", &shape, 500.0).expect("a body").posed(pose);
        let body = model.body(body.moving(speed, 10.0 * random.vector()));
        model.collider(body, Collider::new(shape, material));
        if seed % 5 == 0 {
            // A second body on a ball joint strikes with it.
            let end = Pose::new(pose.position + along * (Vec3::X * 0.5), along);
            let other = Shape::Sphere { radius: 0.1 };
            let second = Body::of_shape("second", &other, 500.0).expect("a body").posed(end).moving(speed, Vec3::ZERO);
            let second = model.body(second);
            model.collider(second, Collider::new(other, material));
            let middle = Pose::at(0.5 * (pose.position + end.position));
            model.joint("joint", Spherical::new(Anchors::from_world([body, second], [&pose, &end], middle)));
        }
        let mut simulation = simulation(model, 0.005);
        let start = Energy::of(simulation.model(), simulation.state());
        let (mut peak, mut work) = (start.kinetic, 0.0);
        let mut is_struck = false;
        for _ in 0..40 {
            let report = simulation.step().expect("a step");
            peak = peak.max(report.energy.kinetic);
            work += report.work.expect("books").contacts;
            is_struck |= report.active > 0;
            let rise = report.energy.total() - start.total();
            assert!(rise < 1e-9 * peak, "{seed}: {rise:e} J of {peak} J: {report:?}");
        }
        struck += u32::from(is_struck);
        rebounded += u32::from(work < -1e-3 * start.kinetic);
    }
    assert!(struck > 900 && rebounded > 500, "{struck} struck, {rebounded} lost energy by that");
}
