//! Containers whose walls are thicker than they are wide or high, judged by the distance from the polygon of their section.
#![allow(clippy::unwrap_used)]

mod scenes;

use glam::{DVec2, DVec3};
use scenes::Random;
use signorini_collision::{Collider, Detector, Mobility, Pose, Shape};
use std::f64::consts::TAU;

/// Distance of a point from a polygon whose corners are counter-clockwise; none within it.
fn distance(corners: &[DVec2], x: DVec2) -> Option<f64> {
    let sides = || (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
    if sides().all(|(a, b)| (b - a).perp_dot(x - a) >= 0.0) {
        return None;
    }
    let from_side = |(a, b): (DVec2, DVec2)| {
        let share = ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        x.distance(a + (b - a) * share)
    };
    Some(sides().map(from_side).fold(f64::INFINITY, f64::min))
}

#[test]
fn the_gap_of_a_ball_from_a_thick_wall_is_its_distance_from_the_section() {
    let mut random = Random(19);
    let mut judged = 0;
    for _ in 0..3000 {
        let [bottom, top] = [0, 1].map(|_| random.between(0.05, 1.0));
        let half_height = random.between(0.02, 1.0);
        let thickness = random.between(0.5, 20.0);
        let shape = Shape::InsideCone { bottom_radius: bottom, top_radius: top, half_height, thickness };
        shape.check().unwrap();
        // Across the wall it is as thick as asked, so along the radius by 1/cos of its lean more.
        let lean = ((top - bottom) / (2.0 * half_height)).atan();
        let across = thickness / lean.cos();
        let section = [
            DVec2::new(bottom, -half_height),
            DVec2::new(bottom + across, -half_height),
            DVec2::new(top + across, half_height),
            DVec2::new(top, half_height),
        ];
        let place = DVec2::new(random.between(0.0, 3.0 * across), random.between(-3.0, 3.0) * half_height);
        let Some(expected) = distance(&section, place) else { continue };
        let (sin, cos) = random.between(0.0, TAU).sin_cos();
        let centre = DVec3::new(place.x * cos, place.x * sin, place.y);
        let radius = 0.01;
        let colliders = vec![Collider::new(0, shape), Collider::new(1, Shape::Sphere { radius })];
        let mut detector = Detector::new(colliders, vec![Mobility::Fixed, Mobility::Moving], &[]).unwrap();
        let mut contacts = Vec::new();
        detector.detect(&[Pose::IDENTITY, Pose::at(centre)], &[0.0; 2], 1e4, &mut contacts);
        let gap = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        judged += 1;
        let wrong = (gap + radius - expected).abs();
        assert!(wrong < 1e-10 * (1.0 + across), "{place} {section:?}: {gap} + {radius} instead of {expected}");
    }
    assert!(judged > 1500, "{judged}");
}
