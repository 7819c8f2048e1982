//! Contacts against closed forms and brute force. The oracles use neither the code under test nor its supports.

mod cards;
mod container_walls;
mod containers;
mod faces;
mod floor_of_triangles;
mod random_pairs;
mod round;
mod small_gaps;
mod surfaces;
mod terrain;
mod walls;

use super::{Prepared, Workspace, contacts};
use crate::random::Random;
use crate::{Pose, Shape};
use glam::DVec3;

#[derive(Clone, Copy, Debug)]
struct Contact {
    feature: u64,
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
}

fn detect(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, reach: f64) -> Vec<Contact> {
    detect_swept((a, 0.0), pose_a, (b, 0.0), pose_b, reach)
}

fn detect_swept(a: (&Shape, f64), pose_a: &Pose, b: (&Shape, f64), pose_b: &Pose, reach: f64) -> Vec<Contact> {
    let prepared = [a, b].map(|(shape, margin)| Prepared::new(shape, margin).unwrap());
    detect_prepared(&mut Workspace::default(), &prepared, pose_a, pose_b, reach)
}

fn detect_prepared(
    workspace: &mut Workspace,
    [a, b]: &[Prepared; 2],
    pose_a: &Pose,
    pose_b: &Pose,
    reach: f64,
) -> Vec<Contact> {
    let mut found = Vec::new();
    contacts(workspace, a, pose_a, b, pose_b, reach, &mut |feature, points, normal, gap| {
        found.push(Contact { feature, points, normal, gap });
    });
    for contact in &found {
        // What every contact promises.
        let [p, q] = contact.points;
        let size = 1.0 + p.length().max(q.length());
        assert!((contact.normal.length() - 1.0).abs() < 1e-13, "{contact:?}");
        assert!((q - p - contact.normal * contact.gap).length() < 1e-13 * size, "{contact:?}");
        assert!(contact.gap < reach);
        // On its own shape, so in its box; edges nearly parallel are met within a milliradian.
        for (prepared, pose, point) in [(a, pose_a, p), (b, pose_b, q)] {
            let (low, high) = prepared.aabb(pose);
            let slack = 1e-3 * (high - low).length().min(1e3);
            assert!((point - low).min_element() > -slack && (high - point).min_element() > -slack, "{contact:?}");
        }
    }
    let mut names: Vec<u64> = found.iter().map(|contact| contact.feature).collect();
    names.dedup();
    assert_eq!(names.len(), found.len(), "two contacts of one name: {found:?}");
    found
}

fn least_gap(found: &[Contact]) -> f64 {
    found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
}

/// Places of contacts on B, seen from a frame, sorted.
fn places(found: &[Contact], world: &Pose, unit: f64) -> Vec<[i64; 3]> {
    let inverse = world.inverse();
    let mut places: Vec<[i64; 3]> = found
        .iter()
        .map(|contact| (inverse * contact.points[1]).to_array().map(|x| (x / unit).round() as i64))
        .collect();
    places.sort_unstable();
    places
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Cuboid { half: DVec3::new(x, y, z) }
}

fn tetrahedron() -> Shape {
    let points = [
        DVec3::new(0.4, 0.1, -0.3),
        DVec3::new(-0.5, 0.3, -0.2),
        DVec3::new(0.1, -0.6, -0.1),
        DVec3::new(0.05, 0.1, 0.7),
    ];
    Shape::ConvexHull { points: points.into() }
}

/// A ball-like hull of 60 random points.
fn pebble() -> Shape {
    let mut random = Random::new(42);
    let points: Vec<DVec3> = (0..60).map(|_| random.direction() * DVec3::new(0.5, 0.4, 0.3)).collect();
    Shape::ConvexHull { points: points.into() }
}
