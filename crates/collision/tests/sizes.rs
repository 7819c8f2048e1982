//! Bodies of a micrometre on bodies of a kilometre.
#![allow(clippy::unwrap_used)]

mod scenes;

use glam::{DQuat, DVec3};
use scenes::Random;
use signorini_collision::{Collider, Contact, Detector, Mesh, Mobility, Pose, Shape};
use std::sync::Arc;

const SMALL: f64 = 1e-6;
const LARGE: f64 = 1e3;
/// Coordinates of half a kilometre have rounding errors of 6e-14 m; a few of them, from turning into the frames of shapes
/// and back, are allowed.
const ROUNDING: f64 = 2e-12;

fn contacts(ground: &Shape, at: Pose, body: Shape, place: Pose) -> Vec<Contact> {
    let colliders = vec![Collider::new(0, ground.clone()), Collider::new(1, body)];
    let mut detector = Detector::new(colliders, vec![Mobility::Fixed, Mobility::Moving], &[]).unwrap();
    let mut contacts = Vec::new();
    detector.detect(&[at, place], &[0.0; 2], 0.1 * SMALL, &mut contacts);
    contacts
}

/// Grounds whose upper side is the plane z = 0, a kilometre wide at least.
fn grounds() -> Vec<(&'static str, Pose, Shape)> {
    let half = 0.5 * LARGE;
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x * half, y * half, z * half);
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let top: Vec<DVec3> = corners.iter().map(|&[x, y]| corner(x, y, 0.0)).collect();
    let sheet = Mesh::new(top.clone(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let bottom = corners.iter().map(|&[x, y]| corner(x, y, -2.0));
    let mut sides = vec![[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]];
    for k in 0..4 {
        let next = (k + 1) % 4;
        sides.extend([[k, k + 4, next + 4], [k, next + 4, next]]);
    }
    let solid = Mesh::new(top.into_iter().chain(bottom).collect(), sides).unwrap();
    assert!(solid.defects().is_empty());
    let heights = vec![0.0; 9].into();
    vec![
        ("box", Pose::at(DVec3::NEG_Z * half), Shape::Cuboid { half: DVec3::splat(half) }),
        ("half-space", Pose::IDENTITY, Shape::HalfSpace { normal: DVec3::Z }),
        ("sheet", Pose::IDENTITY, Shape::TriangleMesh(Arc::new(sheet))),
        ("closed mesh", Pose::IDENTITY, Shape::TriangleMesh(Arc::new(solid))),
        ("height field", Pose::IDENTITY, Shape::HeightField { heights, columns: 3, size: [LARGE; 2] }),
        ("cylinder", Pose::at(DVec3::NEG_Z * half), Shape::Cylinder { half_height: half, radius: LARGE }),
    ]
}

/// Places on the ground: in the middle, on a diagonal between triangles, and anywhere.
fn places() -> Vec<DVec3> {
    let mut random = Random(7);
    let anywhere = (0..20).map(|_| DVec3::new(random.between(-499.0, 499.0), random.between(-499.0, 499.0), 0.0));
    [DVec3::ZERO, DVec3::new(123.456, 123.456, 0.0)].into_iter().chain(anywhere).collect()
}

#[test]
fn a_ball_of_a_micrometre_rests_on_a_kilometre() {
    let turn = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), 1.1);
    for world in [Pose::IDENTITY, Pose::new(DVec3::new(40.0, -70.0, 90.0), turn)] {
        for (name, pose, ground) in grounds() {
            for place in places() {
                for gap in [-0.01 * SMALL, 0.0, 0.01 * SMALL] {
                    let centre = place + DVec3::Z * (SMALL + gap);
                    let found =
                        contacts(&ground, world * pose, Shape::Sphere { radius: SMALL }, world * Pose::at(centre));
                    assert_eq!(found.len(), 1, "{name} at {place}: {found:?}");
                    let contact = found[0];
                    let wrong = (contact.gap - gap).abs();
                    assert!(wrong < ROUNDING, "{name} at {place}: gap {} instead of {gap}", contact.gap);
                    let up = world.rotation * DVec3::Z;
                    assert!((contact.normal - up).length() < 1e-5, "{name} at {place}: {}", contact.normal);
                }
            }
        }
    }
}

#[test]
fn a_cube_of_two_micrometres_rests_on_a_kilometre() {
    for (name, pose, ground) in grounds() {
        for place in places() {
            let centre = place + DVec3::Z * (0.99 * SMALL);
            let cube = Shape::Cuboid { half: DVec3::splat(SMALL) };
            let found = contacts(&ground, pose, cube, Pose::at(centre));
            assert!(found.len() >= 4, "{name} at {place}: {found:?}");
            for contact in found {
                assert!((contact.gap + 0.01 * SMALL).abs() < ROUNDING, "{name} at {place}: {contact:?}");
                assert!((contact.normal - DVec3::Z).length() < 1e-6, "{name} at {place}: {contact:?}");
            }
        }
    }
}
