//! What has rested for a while sleeps: it stays to the bit, wakes when it is touched, and moves then as if it had never slept.

use signorini_mechanics::{Body, BodyId, Collider, Material, Model, ModelBuilder, Settings, Shape, Simulation, Vec3};

const HALF: f64 = 0.1;

fn floor(model: &mut ModelBuilder, friction: f64) -> signorini_mechanics::MaterialId {
    let stone = model.material(Material { friction, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
    stone
}

fn stack(
    model: &mut ModelBuilder,
    name: &str,
    at: Vec3,
    count: usize,
    stone: signorini_mechanics::MaterialId,
) -> Vec<BodyId> {
    let cube = Shape::Cuboid { half: Vec3::splat(HALF) };
    let mut bodies = Vec::new();
    for level in 0..count {
        let place = at + Vec3::Z * (HALF * (1.0 + 2.0 * level as f64));
        let body = model.body(Body::of_shape(format!("{name}-{level}"), &cube, 1000.0).expect("valid").at(place));
        model.collider(body, Collider::new(cube.clone(), stone));
        bodies.push(body);
    }
    bodies
}

/// A stack of three cubes, and a ball that flies to it from afar and meets it after it has fallen asleep.
fn struck(speed: f64, distance: f64, friction: f64) -> (Model, Vec<BodyId>, BodyId) {
    let mut model = Model::builder();
    let stone = floor(&mut model, friction);
    let cubes = stack(&mut model, "cube", Vec3::ZERO, 3, stone);
    let sphere = Shape::Sphere { radius: 0.05 };
    let time = distance / speed;
    // It flies so that it meets the cube in the middle at the height of its centre.
    let start = Vec3::new(-HALF - 0.05 - distance, 0.0, 3.0 * HALF);
    let up = 0.5 * 9.81 * time;
    let ball =
        Body::of_shape("ball", &sphere, 3000.0).expect("valid").at(start).moving(Vec3::new(speed, 0.0, up), Vec3::ZERO);
    let ball = model.body(ball);
    model.collider(ball, Collider::new(sphere, stone));
    (model.build().expect("valid"), cubes, ball)
}

fn settings(sleeping: bool) -> Settings {
    Settings { step: 0.005, sleeping, parallel: false, ..Settings::default() }
}

#[test]
fn what_has_rested_sleeps_and_stays_to_the_bit() {
    let mut model = Model::builder();
    let stone = floor(&mut model, 0.5);
    let cubes = stack(&mut model, "cube", Vec3::ZERO, 5, stone);
    let mut simulation = Simulation::new(model.build().unwrap(), settings(true)).unwrap();
    assert!(!simulation.sleeps(cubes[0]));
    let mut poses = Vec::new();
    for step in 0..400 {
        let report = simulation.step().unwrap();
        assert!(report.converged());
        if step == 200 {
            assert!(cubes.iter().all(|cube| simulation.sleeps(*cube)));
            poses = simulation.state().poses.clone();
        }
    }
    assert_eq!(simulation.state().poses, poses);
    assert!((simulation.state().time - 2.0).abs() < 1e-12);
    // Their contacts carry their weights all the same.
    let weight: f64 =
        simulation.contact_forces().filter(|force| force.bodies[0].index() == 0).map(|force| force.force.z).sum();
    let expected = 5.0 * 1000.0 * (2.0 * HALF).powi(3) * 9.81;
    assert!((weight / expected - 1.0).abs() < 1e-6, "{weight} N instead of {expected} N");
}

/// Slow balls come near before they touch, fast ones meet what sleeps within a step: both move it as if it had been awake.
#[test]
fn who_is_struck_wakes_and_moves_as_if_it_had_not_slept() {
    for (speed, distance) in [(2.0, 1.0), (10.0, 9.0), (60.0, 40.0)] {
        let ends = [true, false].map(|sleeping| {
            let (model, cubes, ball) = struck(speed, distance, 0.05);
            let mut simulation = Simulation::new(model, settings(sleeping)).unwrap();
            let mut slept = false;
            for _ in 0..((distance / speed + 0.1) / 0.005) as usize {
                assert!(simulation.step().unwrap().converged());
                slept |= simulation.sleeps(cubes[1]);
            }
            assert_eq!(slept, sleeping, "at {speed} m/s");
            assert!(!simulation.sleeps(cubes[1]) && !simulation.sleeps(ball));
            cubes.iter().chain([&ball]).map(|body| simulation.state().velocities[body.index()]).collect::<Vec<_>>()
        });
        assert!(ends[0][1].x > 0.01 * speed, "the cube was struck: {}", ends[0][1]);
        let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        assert!(apart < 1e-6 * speed, "at {speed} m/s velocities differ by {apart} m/s");
    }
}

#[test]
fn others_sleep_on() {
    let mut model = Model::builder();
    let stone = floor(&mut model, 0.5);
    let near = stack(&mut model, "near", Vec3::ZERO, 2, stone);
    let far = stack(&mut model, "far", Vec3::X * 2.0, 2, stone);
    let mut simulation = Simulation::new(model.build().unwrap(), settings(true)).unwrap();
    (0..200).for_each(|_| drop(simulation.step().unwrap()));
    assert!(near.iter().chain(&far).all(|body| simulation.sleeps(*body)));
    simulation.wake(near[0]);
    assert!(near.iter().all(|body| !simulation.sleeps(*body)), "those it fell asleep with wake, too");
    assert!(far.iter().all(|body| simulation.sleeps(*body)));
    let report = simulation.step().unwrap();
    // Those of sleepers are counted, too.
    assert!(report.converged() && report.contacts == 16, "{} contacts", report.contacts);
    // With the impulses they fell asleep with there is nothing to do.
    assert_eq!(report.iterations, 0);
    (0..200).for_each(|_| drop(simulation.step().unwrap()));
    assert!(near.iter().chain(&far).all(|body| simulation.sleeps(*body)));
}

#[test]
fn a_run_that_stopped_while_bodies_slept_goes_on_to_the_same_bits() {
    let mut whole = Simulation::new(struck(3.0, 3.0, 0.4).0, settings(true)).unwrap();
    let (mut state, mut memory) = (whole.state().clone(), whole.warm_start().clone());
    for step in 0..260 {
        whole.step().unwrap();
        if step == 150 {
            (state, memory) = (whole.state().clone(), whole.warm_start().clone());
            assert!(memory.rest.iter().any(|rest| rest.group > 0));
        }
    }
    let mut resumed = Simulation::resumed(struck(3.0, 3.0, 0.4).0, settings(true), state, memory).unwrap();
    (151..260).for_each(|_| drop(resumed.step().unwrap()));
    assert_eq!(resumed.state().hash(), whole.state().hash());
}

/// A cube that slides on a smooth floor never rests, however slowly.
#[test]
fn what_moves_does_not_fall_asleep() {
    let mut model = Model::builder();
    let stone = floor(&mut model, 0.0);
    let cubes = stack(&mut model, "slow", Vec3::ZERO, 1, stone);
    let cube = Shape::Cuboid { half: Vec3::splat(HALF) };
    let slow = Body::of_shape("sliding", &cube, 1000.0).unwrap().at(Vec3::new(1.0, 0.0, HALF));
    let slow = model.body(slow.moving(Vec3::X * 1e-6, Vec3::ZERO));
    model.collider(slow, Collider::new(cube, stone));
    let mut simulation = Simulation::new(model.build().unwrap(), settings(true)).unwrap();
    (0..400).for_each(|_| drop(simulation.step().unwrap()));
    assert!(simulation.sleeps(cubes[0]));
    assert!(!simulation.sleeps(slow));
    let moved = simulation.state().poses[2].position.x - 1.0;
    assert!((moved / 2e-6 - 1.0).abs() < 1e-3, "{moved} m");
}
