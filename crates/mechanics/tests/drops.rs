//! Bodies dropped onto hills of triangles and into a closed mesh, judged from outside: no point of theirs is deeper behind the surface, and no two of them overlap by more, than
//! 0.1 mm or 0.1 % of their size, in any step. The judge shares no code with contact detection.

use signorini_mechanics::{Body, Collider, Material, Mesh, Model, Pose, Settings, Shape, Simulation, Vec3};
use signorini_testkit::outside::{Ground, Place, Random, Solid, overlap};
use std::sync::Arc;

/// Overlaps up to this are right, whatever the size of a body \[m\] ...
const RIGHT: f64 = 1e-4;
/// ... and up to this share of its size.
const RIGHT_SHARE: f64 = 1e-3;

fn shape(solid: &Solid) -> Shape {
    match solid.clone() {
        Solid::Ball(radius) => Shape::Sphere { radius },
        Solid::Box(half) => Shape::Cuboid { half },
        Solid::Capsule(half_height, radius) => Shape::Capsule { half_height, radius },
        Solid::Cylinder(half_height, radius) => Shape::Cylinder { half_height, radius },
        Solid::Hull(points) => Shape::ConvexHull { points: points.into() },
    }
}

/// A solid of some kind whose centre of mass is the origin.
fn solid(kind: usize, random: &mut Random) -> Solid {
    let [x, y, z] = std::array::from_fn(|_| random.between(0.03, 0.06));
    match kind {
        0 => Solid::Box(Vec3::new(x, y, z)),
        1 => Solid::Capsule(x, 0.6 * y),
        2 => Solid::Cylinder(x, y),
        3 => Solid::Ball(x),
        _ => {
            // With every point its opposite.
            let half: Vec<Vec3> = (0..5).map(|_| random.point() * Vec3::new(x, y, z) * 1.2).collect();
            Solid::Hull(half.iter().copied().chain(half.iter().map(|point| -*point)).collect())
        }
    }
}

/// The largest overlap of a run over what is right, and what it was.
fn worst(ground: &Ground, wall: Shape, places: &[Vec3], kinds: &[usize], seed: u64, steps: usize) -> (f64, String) {
    let mut random = Random::new(seed);
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.4, ..Material::new("stone") });
    let fixed = model.body(Body::fixed("ground"));
    model.collider(fixed, Collider::new(wall, material));
    let mut solids = Vec::new();
    for (k, at) in places.iter().enumerate() {
        let solid = solid(kinds[k % kinds.len()], &mut random);
        let body = Body::of_shape(format!("body-{k}"), &shape(&solid), 1000.0).expect("a shape");
        let body = model.body(body.posed(Pose::new(*at, random.rotation())));
        model.collider(body, Collider::new(shape(&solid), material));
        solids.push(solid);
    }
    let settings = Settings { step: 0.005, ..Settings::default() };
    let mut simulation = Simulation::new(model.build().expect("a model"), settings).expect("a simulation");
    let points: Vec<Vec<Vec3>> = solids.iter().map(|solid| solid.points(6)).collect();
    let mut worst = (0.0, String::new());
    for step in 1..=steps {
        simulation.step().expect("a step");
        let poses = &simulation.state().poses[1..];
        let places: Vec<Place> =
            poses.iter().map(|pose| Place { position: pose.position, rotation: pose.rotation }).collect();
        let right = |size: f64| RIGHT.max(RIGHT_SHARE * size);
        for (k, own) in places.iter().enumerate() {
            let depth = points[k].iter().map(|point| ground.depth(own.of(*point))).fold(0.0, f64::max);
            if depth / right(solids[k].size()) > worst.0 {
                worst = (depth / right(solids[k].size()), format!("step {step}: {k}, {:?}, by {depth} m", solids[k]));
            }
            for (j, other) in places[..k].iter().enumerate() {
                let depth = overlap(&solids[j], other, &solids[k], own, 1e-7);
                let right = right(solids[j].size().min(solids[k].size()));
                if depth / right > worst.0 {
                    worst = (depth / right, format!("step {step}: {j} and {k} by {depth} m"));
                }
            }
        }
    }
    worst
}

fn hills(seed: u64) -> Ground {
    let mut random = Random::new(seed);
    let (cells, cell) = (24, 0.2);
    let phases: [f64; 3] = std::array::from_fn(|_| random.between(0.0, 6.3));
    let place = |i: usize| (i as f64 - 0.5 * cells as f64) * cell;
    let height = |i: usize| {
        let (x, y) = (place(i % (cells + 1)), place(i / (cells + 1)));
        0.10 * (2.1 * x + phases[0]).sin() * (1.7 * y + phases[1]).cos() + 0.05 * (4.3 * x + 2.0 * y + phases[2]).sin()
    };
    Ground::Hills { cell, cells, heights: (0..(cells + 1) * (cells + 1)).map(height).collect() }
}

#[test]
fn bodies_on_hills_of_triangles_stay_outside_of_them() {
    let places: Vec<Vec3> =
        (0..36).map(|k| Vec3::new(0.5 * ((k % 6) as f64 - 2.5), 0.5 * ((k / 6) as f64 - 2.5), 0.6)).collect();
    let mut failures = Vec::new();
    for kind in 0..5 {
        for seed in 1..=2 {
            let ground = hills(seed);
            let (vertices, triangles) = ground.triangles();
            let wall = Shape::TriangleMesh(Arc::new(Mesh::new(vertices, triangles).expect("a mesh")));
            let (over, what) = worst(&ground, wall, &places, &[kind], seed, 160);
            println!("kind {kind}, seed {seed}: {over:.2} of what is right, {what}");
            if over > 1.0 {
                failures.push(what);
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
