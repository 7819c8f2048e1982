//! Contacts of deformable surfaces against dense samples of the surface and formulas of the distance of the shape.

mod skins;

use glam::{DVec2, DVec3};
use signorini_collision::{Collider, Pose, Shape};
use skins::{Random, Skin, contacts};

/// Signed distance of a point in the frame of the shape, written independently of the library.
fn signed_distance(shape: &Shape, p: DVec3) -> f64 {
    match *shape {
        Shape::Sphere { radius } => p.length() - radius,
        Shape::Capsule { half_height, radius } => {
            (p - DVec3::Z * p.z.clamp(-half_height, half_height)).length() - radius
        }
        Shape::Cuboid { half } => {
            let q = p.abs() - half;
            q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
        }
        Shape::Cylinder { half_height, radius } => {
            let q = DVec2::new(p.truncate().length() - radius, p.z.abs() - half_height);
            q.max(DVec2::ZERO).length() + q.max_element().min(0.0)
        }
        Shape::Cone { half_height, radius } => {
            // Distance from the sides of a triangle, negative inside.
            let q = DVec2::new(p.truncate().length(), p.z);
            let corners =
                [DVec2::new(0.0, -half_height), DVec2::new(radius, -half_height), DVec2::new(0.0, half_height)];
            let away = |a: DVec2, b: DVec2| {
                let t = ((q - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                (q - a - (b - a) * t).length()
            };
            let distance = away(corners[0], corners[1]).min(away(corners[1], corners[2]));
            let slope = 2.0 * half_height / radius;
            let inside = q.y > -half_height && q.y < half_height - slope * q.x;
            if inside { -distance } else { distance }
        }
        _ => unreachable!(),
    }
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.4 },
        Shape::Cuboid { half: DVec3::new(0.3, 0.5, 0.4) },
        Shape::Capsule { half_height: 0.4, radius: 0.2 },
        Shape::Cylinder { half_height: 0.4, radius: 0.3 },
        Shape::Cone { half_height: 0.4, radius: 0.35 },
    ]
}

const SAMPLES: u32 = 40;

/// The least distance of samples of the skin from the shape.
fn sampled(shape: &Shape, pose: &Pose, skin: &Skin) -> f64 {
    let back = pose.inverse();
    let mut least = f64::INFINITY;
    for face in 0..skin.triangles.len() as u32 {
        let [a, b, c] = skin.corners(face);
        for i in 0..=SAMPLES {
            for j in 0..=SAMPLES - i {
                let (s, t) = (f64::from(i) / f64::from(SAMPLES), f64::from(j) / f64::from(SAMPLES));
                least = least.min(signed_distance(shape, back * (a + (b - a) * s + (c - a) * t)));
            }
        }
    }
    least
}

#[test]
fn the_least_gap_of_a_shape_beside_a_convex_skin_is_the_least_sampled_distance() {
    let mut random = Random(3);
    // A lumpy ball: every corner, edge and face may be the nearest.
    let skin = Skin::ball(2);
    let spacing = 0.9 / f64::from(SAMPLES);
    for shape in shapes() {
        for _ in 0..60 {
            let pose = Pose::new(random.direction() * random.between(1.3, 2.0), random.rotation());
            let expected = sampled(&shape, &pose, &skin);
            if expected < 1e-3 {
                continue;
            }
            let found = contacts(Collider::new(0, shape.clone()), pose, &skin, expected + 0.05);
            let least = found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
            // No sample is nearer than the least gap; the samples are off by what lies between them.
            assert!(least <= expected + 1e-12, "{}: {least}, sampled {expected}", shape.kind());
            assert!(least >= expected - spacing, "{}: {least}, sampled {expected}", shape.kind());
            for contact in &found {
                let off = signed_distance(&shape, pose.inverse() * contact.points[0]);
                assert!(off < 1e-12, "{}: the point of the shape is out of it by {off}", shape.kind());
                assert!(off > -1e-12 || contact.gap > least, "{}: the nearest point is in by {off}", shape.kind());
                let distance = signed_distance(&shape, pose.inverse() * contact.points[1]);
                assert!(distance <= contact.gap + 1e-12, "{}: {distance} from {contact:?}", shape.kind());
            }
        }
    }
}

#[test]
fn a_shape_that_overlaps_a_convex_skin_is_pushed_out_of_it() {
    let mut random = Random(4);
    let skin = Skin::ball(2);
    for shape in shapes() {
        let mut overlaps = 0;
        for _ in 0..60 {
            let towards = random.direction();
            let pose = Pose::new(towards * random.between(1.0, 1.5), random.rotation());
            let sampled = sampled(&shape, &pose, &skin);
            if !(-0.15..-1e-3).contains(&sampled) {
                continue;
            }
            overlaps += 1;
            let found = contacts(Collider::new(0, shape.clone()), pose, &skin, 0.0);
            assert!(!found.is_empty(), "{} at {pose:?}: sampled {sampled}", shape.kind());
            let deepest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
            assert!(deepest.gap < 0.0 && deepest.gap > -0.6, "{}: {deepest:?}", shape.kind());
            // Each pushes the shape away from the middle of the skin, to its own side.
            for contact in &found {
                assert!(contact.normal.dot(contact.points[1]) < 0.1, "{}: {contact:?}", shape.kind());
            }
            assert!(deepest.normal.dot(towards) < -0.3, "{}: {deepest:?}", shape.kind());
        }
        assert!(overlaps > 8, "{}: {overlaps}", shape.kind());
    }
}

#[test]
fn every_node_near_a_box_or_a_ball_is_found_with_its_signed_distance() {
    let mut random = Random(5);
    let skin = Skin::flat(8);
    for shape in [Shape::Cuboid { half: DVec3::new(0.2, 0.3, 0.1) }, Shape::Sphere { radius: 0.25 }] {
        for _ in 0..40 {
            let place = DVec3::new(random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(0.11, 0.3));
            let pose = Pose::new(place, glam::DQuat::from_rotation_z(random.between(-3.0, 3.0)));
            let found = contacts(Collider::new(0, shape.clone()), pose, &skin, 0.05);
            for &node in &skin.nodes {
                let distance = signed_distance(&shape, pose.inverse() * node);
                // Above the skin: every distance from below or beside counts.
                if distance > 0.0 && distance < 0.05 - 1e-9 {
                    let known = |contact: &&signorini_collision::Contact| {
                        (contact.points[1] - node).length() < 1e-12 && (contact.gap - distance).abs() < 1e-12
                    };
                    assert!(found.iter().find(known).is_some(), "{}: node {node}, {distance}", shape.kind());
                }
            }
        }
    }
}
