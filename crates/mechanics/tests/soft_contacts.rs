//! Soft contacts of the default step: springs give back what they take, dampers bring to rest.

mod support;

use signorini_mechanics::{
    Body, BodyId, Collider, Energy, Material, Model, Pose, Settings, Shape, Simulation, Softness, Vec3,
};
use support::{Random, isotropic};

const G: f64 = 9.81;

/// A ball of 1 kg and 0.1 m, this high above a soft floor.
fn ball(height: f64, softness: Softness, h: f64) -> (Simulation, BodyId) {
    let mut model = Model::builder();
    let material = model.material(Material { softness: Some(softness), ..Material::new("foam") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let ball = model.body(Body::new("ball", 1.0, isotropic(0.004)).at(Vec3::Z * (0.1 + height)));
    model.collider(ball, Collider::new(Shape::Sphere { radius: 0.1 }, material));
    let settings = Settings { step: h, ..Settings::default() };
    (Simulation::new(model.build().expect("valid"), settings).expect("valid"), ball)
}

/// Energy with what springs of contacts store \[J\], from positions alone.
fn energy(simulation: &Simulation, ball: BodyId, stiffness: f64) -> f64 {
    let gap = simulation.state().poses[ball.index()].position.z - 0.1;
    Energy::of(simulation.model(), simulation.state()).total() + 0.5 * stiffness * gap.min(0.0).powi(2)
}

#[test]
fn a_ball_comes_back_to_its_height_from_a_spring_without_damping() {
    // Two springs in series.
    let softness = Softness { stiffness: 2e4, damping: 0.0 };
    for (h, most_loss) in [(0.001, 0.02), (0.0005, 0.02), (0.01, 1.0)] {
        let (mut simulation, ball) = ball(0.1, softness, h);
        let start = energy(&simulation, ball, 1e4);
        let (mut heights, mut before) = (Vec::new(), [f64::INFINITY; 2]);
        let mut steps = 0;
        while heights.len() < 10 && steps < 20_000 {
            steps += 1;
            simulation.step().expect("a step");
            let now = energy(&simulation, ball, 1e4);
            assert!(now - start < 1e-3, "h = {h}: {} J at t = {}", now - start, simulation.state().time);
            let z = simulation.state().poses[ball.index()].position.z - 0.1;
            if before[1] > before[0] && before[1] >= z {
                heights.push(before[1]);
            }
            before = [before[1], z];
        }
        assert_eq!(heights.len(), 10, "h = {h}: {heights:?}");
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = heights.iter().copied().fold(0.0, f64::max);
        assert!(lowest > 0.1 * (1.0 - most_loss) && highest < 0.1 + 1e-4, "h = {h}: {heights:?}");
    }
}

#[test]
fn the_time_on_a_spring_is_half_a_period() {
    // Without gravity a ball of 1 kg is on a spring of 1e4 N/m for π/100 s, and leaves as fast as it came.
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let material =
        model.material(Material { softness: Some(Softness { stiffness: 2e4, damping: 0.0 }), ..Material::new("foam") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    let body = Body::new("ball", 1.0, isotropic(0.004)).at(Vec3::Z * 0.2).moving(Vec3::Z * -2.0, Vec3::ZERO);
    let body = model.body(body);
    model.collider(body, Collider::new(Shape::Sphere { radius: 0.1 }, material));
    let settings = Settings { step: 0.001, ..Settings::default() };
    let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
    (0..200).for_each(|_| drop(simulation.step().expect("a step")));
    let (z, v) = (simulation.state().poses[body.index()].position.z, simulation.state().velocities[body.index()].z);
    assert!((v - 2.0).abs() < 1e-5, "{v}");
    // 0.05 s down, π/100 s on the spring, the rest up; (hω)²/24 of the time on the spring is the error of the middle rule.
    let expected = 0.1 + 2.0 * (0.2 - 0.05 - std::f64::consts::PI / 100.0);
    assert!((z - expected).abs() < 1e-3, "{z}, expected {expected}");
}

#[test]
fn a_damped_contact_comes_to_rest_where_its_spring_carries_the_weight() {
    for (stiffness, damping, h) in [(2e4, 100.0, 0.001), (2e4, 100.0, 0.01), (2e8, 100.0, 0.01), (2e6, 2e5, 0.01)] {
        let (mut simulation, ball) = ball(0.05, Softness { stiffness, damping }, h);
        let mut last = None;
        for _ in 0..(3.0 / h) as usize {
            last = Some(simulation.step().expect("a step"));
        }
        let report = last.expect("steps");
        let depth = 0.1 - simulation.state().poses[ball.index()].position.z;
        assert!(report.energy.kinetic < 1e-8, "{stiffness} {damping} {h}: {} J", report.energy.kinetic);
        assert!((depth - G / (0.5 * stiffness)).abs() < 1e-3 * depth + 1e-7, "{stiffness} {damping} {h}: {depth}");
    }
}

#[test]
fn boxes_on_springs_gain_nothing() {
    for seed in 0..20 {
        let mut random = Random(seed + 5);
        let mut model = Model::builder();
        let (stiffness, damping) = (2e4, if seed % 2 == 0 { 0.0 } else { 20.0 });
        let softness = Some(Softness { stiffness, damping });
        let material = model.material(Material { softness, friction: 0.4, ..Material::new("foam") });
        let floor = model.body(Body::fixed("floor"));
        model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
        let shape = Shape::Cuboid { half: Vec3::new(0.25, 0.08, 0.05) };
        let pose = Pose::new(Vec3::Z * 0.5, random.pose().rotation);
        let body = Body::of_shape("box", &shape, 500.0).expect("a box").posed(pose);
        let body = model.body(body.moving(Vec3::new(random.number(), random.number(), -1.0), 4.0 * random.vector()));
        model.collider(body, Collider::new(shape, material));
        let settings = Settings { step: 0.002, ..Settings::default() };
        let mut simulation = Simulation::new(model.build().expect("valid"), settings).expect("valid");
        let start = Energy::of(simulation.model(), simulation.state()).total();
        let mut peak = 0.0_f64;
        for _ in 0..400 {
            let report = simulation.step().expect("a step");
            peak = peak.max(report.energy.kinetic);
            // Without what the springs store: what they have given back is at most what they took.
            let rise = report.energy.total() - start;
            assert!(rise < 1e-3 * peak, "{seed}: {rise:e} J of {peak} J at t = {}", report.time);
        }
    }
}
