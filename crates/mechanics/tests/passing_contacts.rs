//! Bodies that pass, slide over seams, turn fast and fly fast: contacts that do not exist stop nobody, and those that do let nobody through.

use signorini_mechanics::{
    Body, BodyId, Collider, Material, Model, ModelBuilder, Pose, Quat, Settings, Shape, Simulation, Vec3,
};

/// What slides, with the height of its centre over what it stands on.
fn sliders() -> [(&'static str, Shape, f64); 5] {
    let corners = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]].map(|[x, y]| Vec3::new(x, y, -0.1));
    [
        ("ball", Shape::Sphere { radius: 0.1 }, 0.1),
        ("box", Shape::Cuboid { half: Vec3::splat(0.1) }, 0.1),
        ("cylinder", Shape::Cylinder { half_height: 0.1, radius: 0.1 }, 0.1),
        ("cone", Shape::Cone { half_height: 0.1, radius: 0.1 }, 0.1),
        ("pyramid", Shape::ConvexHull { points: corners.into_iter().chain([0.1 * Vec3::Z]).collect() }, 0.1),
    ]
}

fn simulation(model: ModelBuilder, step: f64) -> Simulation {
    let settings = Settings { step, ..Settings::default() };
    Simulation::new(model.build().expect("a sound model"), settings).expect("sound settings")
}

/// A body of a shape; its collider is centred where its mass is.
fn add(
    model: &mut ModelBuilder,
    shape: &Shape,
    pose: Pose,
    (v, omega): (Vec3, Vec3),
    material: signorini_mechanics::MaterialId,
) -> BodyId {
    let properties = shape.mass_properties().expect("a volume");
    let offset = Pose { position: -properties.centre, rotation: Quat::IDENTITY };
    let place = Pose { position: pose * properties.centre, rotation: pose.rotation };
    let body = Body::of_shape("mover", shape, 1000.0).expect("a volume").posed(place).moving(v, omega);
    let body = model.body(body);
    model.collider(body, Collider { pose: offset, ..Collider::new(shape.clone(), material) });
    body
}

#[test]
fn nothing_is_felt_of_the_seams_of_flush_boxes_in_any_frame() {
    for (name, shape, height) in sliders() {
        for (turn, speed) in [(Quat::IDENTITY, 1.0), (Quat::IDENTITY, 5.0), (Quat::from_rotation_x(0.7), 2.0)] {
            let mut model = Model::builder();
            model.gravity(turn * (-9.81 * Vec3::Z));
            let ice = model.material(Material { friction: 0.0, ..Material::new("ice") });
            let floor = model.body(Body::fixed("floor"));
            for (x, half) in [(-1.0, 1.0), (1.0, 1.0), (12.0, 10.0)] {
                let pose = Pose::new(turn * Vec3::new(x, 0.0, -0.1), turn);
                let slab = Shape::Cuboid { half: Vec3::new(half, 2.0, 0.1) };
                model.collider(floor, Collider { pose, ..Collider::new(slab, ice) });
            }
            let start = turn * (speed * Vec3::X);
            let pose = Pose::new(turn * Vec3::new(-0.5, 0.0, height), turn);
            let body = add(&mut model, &shape, pose, (start, Vec3::ZERO), ice);
            let mut simulation = simulation(model, 0.01);
            for _ in 0..150 {
                assert!(simulation.step().expect("a step").converged());
            }
            let change = (simulation.state().velocities[body.index()] - start).length();
            assert!(change < 1e-6, "{name} at {speed} m/s: {change:e} m/s");
        }
    }
}

#[test]
fn a_real_step_in_the_floor_stops_a_box() {
    let mut model = Model::builder();
    let ice = model.material(Material { friction: 0.0, ..Material::new("ice") });
    let floor = model.body(Body::fixed("floor"));
    for (x, top) in [(-1.0, 0.0), (1.0, 0.02)] {
        let slab = Shape::Cuboid { half: Vec3::new(1.0, 1.0, 0.1) };
        model.collider(floor, Collider { pose: Pose::at(Vec3::new(x, 0.0, top - 0.1)), ..Collider::new(slab, ice) });
    }
    let shape = Shape::Cuboid { half: Vec3::splat(0.1) };
    let body = add(&mut model, &shape, Pose::at(Vec3::new(-0.5, 0.0, 0.1)), (0.3 * Vec3::X, Vec3::ZERO), ice);
    let mut simulation = simulation(model, 0.01);
    for _ in 0..200 {
        let report = simulation.step().expect("a step");
        assert!(report.converged() && report.penetration < 1e-4, "{report:?}");
    }
    assert!(simulation.state().poses[body.index()].position.x < 0.0, "it is on the step");
}

#[test]
fn bodies_that_pass_each_other_keep_their_velocities() {
    for miss in [0.101, 0.11, 0.12, 0.15, 0.19] {
        for speed in [1.0, 10.0, 20.0] {
            let mut model = Model::builder();
            model.gravity(Vec3::ZERO);
            let steel = model.material(Material::new("steel"));
            let ball = Shape::Sphere { radius: 0.05 };
            let still = model.body(Body::fixed("still"));
            model.collider(still, Collider::new(ball.clone(), steel));
            let start = speed * Vec3::X;
            let body = add(&mut model, &ball, Pose::at(Vec3::new(-1.03, miss, 0.0)), (start, Vec3::ZERO), steel);
            let mut simulation = simulation(model, 0.01);
            for _ in 0..(2.0 / (0.01 * speed)) as usize {
                simulation.step().expect("a step");
            }
            assert_eq!(simulation.state().velocities[body.index()], start, "{miss} m at {speed} m/s");
        }
    }
}

#[test]
fn nothing_flies_through_a_wall_of_a_tenth_of_its_size_at_ten_sizes_a_step() {
    let shapes = [
        Shape::Sphere { radius: 0.05 },
        Shape::Cuboid { half: Vec3::splat(0.05) },
        Shape::Cylinder { half_height: 0.05, radius: 0.05 },
        Shape::Capsule { half_height: 0.025, radius: 0.05 },
    ];
    for (k, shape) in shapes.iter().enumerate() {
        for slant in 0..12 {
            let mut model = Model::builder();
            model.gravity(Vec3::ZERO);
            let steel = model.material(Material::new("steel"));
            let wall = model.body(Body::fixed("wall"));
            model.collider(wall, Collider::new(Shape::Cuboid { half: Vec3::new(0.005, 20.0, 20.0) }, steel));
            let slope = 0.08 * f64::from(slant);
            let velocity = 100.0 * Vec3::new(slope.cos(), slope.sin(), 0.0);
            let turned = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.1 * f64::from(slant)));
            let pose = Pose::new(Vec3::new(-1.53 - 0.07 * f64::from(slant), 0.01, 0.02), turned);
            let body = add(&mut model, shape, pose, (velocity, Vec3::new(5.0, 9.0, 3.0)), steel);
            let mut simulation = simulation(model, 0.01);
            for _ in 0..6 {
                let report = simulation.step().expect("a step");
                assert!(report.penetration < 1e-3, "{k} {slant}: {:e} m", report.penetration);
            }
            let x = simulation.state().poses[body.index()].position.x;
            assert!(x < 0.0, "{k} {slant}: it is at {x} m");
        }
    }
}

#[test]
fn bodies_that_turn_fast_end_outside_of_the_floor() {
    // 30 and 50 rad/s: 0.3 and 0.5 rad a step.
    for (name, shape, _) in sliders().into_iter().skip(1) {
        for seed in 0..6 {
            let mut model = Model::builder();
            let steel = model.material(Material::new("steel"));
            let floor = model.body(Body::fixed("floor"));
            model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, steel));
            let angle = 0.7 * f64::from(seed);
            let axis = Vec3::new(angle.sin(), angle.cos(), 0.5 - 0.2 * f64::from(seed)).normalize();
            let omega = if seed % 2 == 0 { 30.0 } else { 50.0 } * axis;
            let pose = Pose::new(0.3 * Vec3::Z, Quat::from_scaled_axis(1.1 * angle * Vec3::new(0.6, 0.0, 0.8)));
            add(&mut model, &shape, pose, (Vec3::ZERO, omega), steel);
            let mut simulation = simulation(model, 0.01);
            for _ in 0..60 {
                let report = simulation.step().expect("a step");
                // A quarter of a percent of the size; most stay below a tenth.
                assert!(report.penetration < 5e-4, "{name} {seed}: {:e} m", report.penetration);
            }
        }
    }
}
