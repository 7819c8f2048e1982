//! The same bits for any number of threads, on every rerun, and after a stop in between.

use signorini_mechanics::{Body, Collider, Material, Model, Pose, Quat, Settings, Shape, Simulation, Stepper, Vec3};
use signorini_solver::{FrictionLaw, Method};

/// Balls and boxes of several sizes falling onto each other between four walls.
fn mixture(count: usize) -> Model {
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.4, restitution: 0.1, ..Material::new("wood") });
    let planes = [
        (Vec3::Z, Vec3::ZERO),
        (Vec3::X, -0.4 * Vec3::X),
        (-Vec3::X, 0.4 * Vec3::X),
        (Vec3::Y, -0.4 * Vec3::Y),
        (-Vec3::Y, 0.4 * Vec3::Y),
    ];
    for (k, (normal, at)) in planes.into_iter().enumerate() {
        let wall = model.body(Body::fixed(format!("wall-{k}")).at(at));
        model.collider(wall, Collider::new(Shape::HalfSpace { normal }, material));
    }
    for k in 0..count {
        let t = k as f64;
        let at = Vec3::new(0.3 * (1.3 * t).sin(), 0.3 * (2.1 * t).cos(), 0.2 + 0.06 * t);
        let shape = match k % 3 {
            0 => Shape::Sphere { radius: 0.05 + 0.02 * (0.7 * t).sin().abs() },
            1 => Shape::Cuboid { half: Vec3::new(0.06, 0.04, 0.05) },
            _ => Shape::Capsule { half_height: 0.05, radius: 0.03 },
        };
        let turn = Quat::from_rotation_x(0.3 * t) * Quat::from_rotation_y(0.2 * t);
        let body = Body::of_shape(format!("body-{k}"), &shape, 800.0).expect("a volume").posed(Pose::new(at, turn));
        let body = model.body(body);
        model.collider(body, Collider::new(shape, material));
    }
    model.build().expect("a sound model")
}

fn hash_after(steps: u32, settings: &Settings, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let mut simulation = Simulation::new(mixture(60), settings.clone()).expect("sound settings");
        for _ in 0..steps {
            simulation.step().expect("a step");
        }
        simulation.state().hash()
    })
}

#[test]
fn the_number_of_threads_does_not_change_a_bit_of_a_step_in_two_stages() {
    let settings = Settings { stepper: Stepper::DviRattle, step: 0.01, ..Settings::default() };
    let hashes = [1, 2, 5].map(|threads| hash_after(50, &settings, threads));
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let named = |name| Method::named(name).expect("a method");
    for (method, friction) in
        [("auto", FrictionLaw::Relaxed), ("apgd", FrictionLaw::Relaxed), ("auto", FrictionLaw::Exact)]
    {
        let settings = Settings { method: named(method), friction, step: 0.01, ..Settings::default() };
        let hashes = [1, 2, 5, 1].map(|threads| hash_after(60, &settings, threads));
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{method}, {friction:?}: {hashes:x?}");
        let alone = Settings { parallel: false, ..settings };
        assert_eq!(hash_after(60, &alone, 2), hashes[0], "{method}, {friction:?} without threads");
    }
}

#[test]
fn a_run_that_is_stopped_and_resumed_ends_in_the_same_bits() {
    let settings = Settings { step: 0.01, ..Settings::default() };
    let mut whole = Simulation::new(mixture(30), settings.clone()).expect("sound settings");
    for _ in 0..40 {
        whole.step().expect("a step");
    }
    let (state, warm) = (whole.state().clone(), whole.warm_start().clone());
    let mut resumed = Simulation::resumed(mixture(30), settings, state, warm).expect("sound settings");
    for _ in 0..40 {
        let (a, b) = (whole.step().expect("a step"), resumed.step().expect("a step"));
        assert_eq!(whole.state().hash(), resumed.state().hash(), "step {}", a.step);
        assert_eq!((a.iterations, a.contacts), (b.iterations, b.contacts));
    }
}
