//! Shapes of every kind together, against each pair alone.
#![allow(clippy::unwrap_used)]

mod scenes;

use glam::DVec3;
use scenes::{Random, Scene, add_fixed};
use signorini_collision::{BroadPhase, Collider, Contact, Detector, Mesh, Mobility, Pose, Shape};
use std::sync::Arc;

fn shape(random: &mut Random) -> Shape {
    let mut length = || random.between(0.05, 0.2);
    let (half_height, radius, other) = (length(), length(), length());
    match random.below(8) {
        0 | 1 => Shape::Sphere { radius },
        2 => Shape::Cuboid { half: DVec3::new(half_height, radius, other) },
        3 => Shape::Capsule { half_height, radius },
        4 => Shape::Cylinder { half_height, radius },
        5 => Shape::Cone { half_height, radius },
        6 => Shape::ConvexHull { points: (0..12).map(|_| random.vector(radius)).collect() },
        _ => {
            let parts = [
                (Pose::at(DVec3::X * radius), Shape::Sphere { radius }),
                (Pose::new(random.vector(radius), random.rotation()), Shape::Cuboid { half: DVec3::splat(other) }),
            ];
            Shape::Compound { parts: parts.into() }
        }
    }
}

/// Bodies of all shapes over a height field within walls, beside a mesh.
fn scene(seed: u64, count: usize) -> Scene {
    let mut random = Random(seed);
    let mut scene = scenes::spheres(&mut random, count, 0.6, [0.1, 0.11]);
    scene.envelope = 0.02;
    for collider in &mut scene.colliders {
        collider.shape = shape(&mut random);
        collider.margin = if random.unit() < 0.3 { 0.01 } else { 0.0 };
    }
    let heights = (0..12).map(|_| random.between(-0.1, 0.1)).collect();
    let field = Shape::HeightField { heights, columns: 4, size: [1.5, 1.5] };
    add_fixed(&mut scene, field, Pose::at(DVec3::new(0.0, 0.0, -0.5)));
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|corner| corner * 0.7).to_vec();
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = Shape::TriangleMesh(Arc::new(Mesh { vertices: corners, triangles }));
    add_fixed(&mut scene, mesh, Pose::new(random.vector(0.3), random.rotation()));
    add_fixed(&mut scene, Shape::HalfSpace { normal: DVec3::Z }, Pose::at(DVec3::new(0.0, 0.0, -0.6)));
    let cone = Shape::InsideCone { bottom_radius: 0.5, top_radius: 0.8, half_height: 0.6, thickness: 0.1 };
    add_fixed(&mut scene, cone, Pose::IDENTITY);
    *scene.mobility.last_mut().unwrap() = Mobility::Moving;
    scene
}

/// Contacts of every pair, found by a detector of its own.
fn pair_by_pair(scene: &Scene) -> Vec<Contact> {
    let mut all = Vec::new();
    for a in 0..scene.colliders.len() {
        for b in a + 1..scene.colliders.len() {
            let bodies = [a, b].map(|index| scene.colliders[index].body as usize);
            let colliders =
                [a, b].into_iter().zip(0..).map(|(index, body)| Collider { body, ..scene.colliders[index].clone() });
            let mobility = bodies.map(|body| scene.mobility[body]).to_vec();
            let mut detector = Detector::new(colliders.collect(), mobility, &[]).unwrap();
            let mut contacts = Vec::new();
            let (poses, reach) = (bodies.map(|body| scene.poses[body]), bodies.map(|body| scene.reach[body]));
            detector.detect(&poses, &reach, scene.envelope, &mut contacts);
            let named = |contact: Contact| Contact {
                colliders: [a as u32, b as u32],
                bodies: bodies.map(|body| body as u32),
                ..contact
            };
            all.extend(contacts.into_iter().map(named));
        }
    }
    all
}

#[test]
fn many_together_touch_as_each_pair_does_alone() {
    for seed in 0..6 {
        let mut scene = scene(seed, 60);
        let mut random = Random(seed);
        let mut detector = scene.detector();
        for choice in [BroadPhase::Auto, BroadPhase::Tree, BroadPhase::Grid] {
            detector.set_broad_phase(choice);
            for _ in 0..3 {
                scene.shake(&mut random, 0.003);
                let contacts = scene.contacts_of(&mut detector);
                assert!(!contacts.is_empty());
                assert_eq!(contacts, pair_by_pair(&scene), "seed {seed}, {choice:?}");
            }
        }
    }
}
