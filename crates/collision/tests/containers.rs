//! Spheres against simple solids, judged by points sampled on the surfaces.
#![allow(clippy::unwrap_used)]

mod scenes;

use glam::DVec3;
use proptest::prelude::*;
use scenes::{Random, gap};
use signorini_collision::{Collider, Contact, Detector, Mobility, Pose, Shape};
use std::f64::consts::{PI, TAU};

/// All contacts of a sphere at a place with a shape at a pose, the shape first.
fn contacts(shape: Shape, pose: Pose, centre: DVec3, margin: f64, radius: f64) -> Vec<Contact> {
    let solid = Collider { margin, ..Collider::new(0, shape) };
    let ball = Collider::new(1, Shape::Sphere { radius });
    let mut detector = Detector::new(vec![solid, ball], vec![Mobility::Moving; 2], &[]).unwrap();
    let mut contacts = Vec::new();
    detector.detect(&[pose, Pose::at(centre)], &[0.0; 2], 10.0, &mut contacts);
    contacts
}

fn nearest(contacts: &[Contact]) -> Contact {
    *contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap()
}

/// Points of the inner surface of a cone in a grid of so many, about this far apart at most.
fn cone_surface(radii: [f64; 2], half_height: f64, rows: usize, columns: usize) -> (Vec<DVec3>, f64) {
    let point = |row: usize, column: usize| {
        let share = row as f64 / rows as f64;
        let radius = radii[0] + (radii[1] - radii[0]) * share;
        let (sin, cos) = (TAU * column as f64 / columns as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, half_height * (2.0 * share - 1.0))
    };
    let points = (0..=rows).flat_map(|row| (0..columns).map(move |column| point(row, column))).collect();
    let slant = (2.0 * half_height).hypot(radii[1] - radii[0]) / rows as f64;
    (points, slant.hypot(PI * radii[0].max(radii[1]) * 2.0 / columns as f64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The distance to the nearest sample is no less than d, and by no more than half of their spacing larger.
    #[test]
    fn within_a_cone_and_beyond_its_rims_the_gap_is_the_distance_to_the_surface(
        seed: u64, bottom in 0.2..2.0f64, top in 0.2..2.0f64, half_height in 0.3..1.5f64, margin in 0.0..0.1f64,
    ) {
        let mut random = Random(seed);
        let pose = Pose::new(random.vector(1.0), random.rotation());
        let z = random.between(-1.5, 1.5) * half_height;
        let inner = bottom + (top - bottom) * (z.clamp(-half_height, half_height) / half_height + 1.0) / 2.0;
        let (sin, cos) = random.between(0.0, TAU).sin_cos();
        let across = random.between(0.0, inner);
        let local = DVec3::new(across * cos, across * sin, z);
        let shape = Shape::InsideCone { bottom_radius: bottom, top_radius: top, half_height, thickness: 0.1 };
        let found = nearest(&contacts(shape, pose, pose * local, margin, 0.1));
        let (surface, spacing) = cone_surface([bottom, top], half_height, 200, 400);
        let sampled = surface.iter().map(|point| point.distance(local)).fold(f64::INFINITY, f64::min);
        let distance = found.gap + margin + 0.1;
        prop_assert!(distance <= sampled + 1e-12, "{distance} > {sampled}");
        // |p − s| ≤ √(d² + (spacing/2)²) for the sample s next to the foot.
        prop_assert!(sampled <= distance.hypot(spacing / 2.0) + spacing * spacing, "{distance} << {sampled}");
        let [on_wall, on_ball] = found.points;
        let wall_local = pose.inverse() * (on_wall - found.normal * margin);
        let off = surface.iter().map(|point| point.distance(wall_local)).fold(f64::INFINITY, f64::min);
        prop_assert!(off <= spacing, "the point of the wall is {off} off the wall");
        prop_assert!((on_ball.distance(pose * local) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn no_contact_with_a_container_cuts_off_some_of_its_inside(seed: u64) {
        // Either all of the wall is on the ball's side of the plane through the contact, or the contact is on a rim.
        let mut random = Random(seed);
        let shape = Shape::InsideCone { bottom_radius: 0.5, top_radius: 1.0, half_height: 1.0, thickness: 0.1 };
        let local = DVec3::new(random.between(-0.2, 0.2), random.between(-0.2, 0.2), random.between(-0.9, 0.9));
        let found = contacts(shape, Pose::IDENTITY, local, 0.0, 0.4);
        prop_assert_eq!(found.len(), 3);
        let (surface, spacing) = cone_surface([0.5, 1.0], 1.0, 50, 200);
        for contact in &found {
            let [wall, normal] = [contact.points[0], contact.normal];
            prop_assert!(contact.gap >= found[0].gap - 1e-12);
            let least = surface.iter().map(|point| (*point - wall).dot(normal)).fold(f64::INFINITY, f64::min);
            let on_rim = (wall.z.abs() - 1.0).abs() < 1e-12
                && surface.iter().any(|point| point.distance(wall) < spacing);
            prop_assert!(least > -1e-12 || on_rim, "{contact:?} cuts {least} of the inside off");
        }
        let sum: DVec3 = found.iter().map(|contact| contact.normal.with_z(0.0)).sum();
        prop_assert!(sum.length() < 1.0, "they do not hold each other: {}", sum);
    }

    #[test]
    fn solids_moved_and_turned_have_the_gaps_of_plain_formulas(seed: u64, margin in 0.0..0.2f64) {
        let mut random = Random(seed);
        let shapes = [
            Shape::Cuboid { half: DVec3::new(0.5, 1.0, 0.2) },
            Shape::Capsule { half_height: 0.6, radius: 0.3 },
            Shape::HalfSpace { normal: DVec3::new(0.48, 0.6, 0.64) },
            Shape::InsideCylinder { radius: 1.0, half_height: 0.7, thickness: 0.1 },
        ];
        for shape in shapes {
            let pose = Pose::new(random.vector(2.0), random.rotation());
            let centre = pose * random.vector(1.5);
            let solid = Collider { margin, ..Collider::new(0, shape.clone()) };
            let ball = Collider::new(1, Shape::Sphere { radius: 0.25 });
            let expected = gap(&solid, &pose, &ball, &Pose::at(centre)).unwrap();
            let found = nearest(&contacts(shape.clone(), pose, centre, margin, 0.25));
            prop_assert!((found.gap - expected).abs() < 1e-14, "{shape:?}: {} for {expected}", found.gap);
            // ∂gap/∂centre is the normal: by central differences, away from edges of the distance.
            let step = 1e-6;
            let slope = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
                let at = |side: f64| {
                    let moved = Pose::at(centre + axis * (side * step));
                    gap(&solid, &pose, &ball, &moved).unwrap()
                };
                (at(1.0) - at(-1.0)) / (2.0 * step)
            }));
            let smooth = (slope.length() - 1.0).abs() < 1e-4;
            prop_assert!(!smooth || (slope - found.normal).length() < 1e-3, "{shape:?}: {slope} {}", found.normal);
        }
    }
}

#[test]
fn a_sphere_deep_in_the_wall_leaves_it_by_the_side_its_centre_is_on() {
    let shape = || Shape::InsideCylinder { radius: 1.0, half_height: 0.5, thickness: 0.5 };
    let inner = contacts(shape(), Pose::IDENTITY, DVec3::new(0.0, 1.125, 0.3), 0.0, 0.125);
    assert_eq!((inner[0].gap, inner[0].normal), (-0.25, -DVec3::Y));
    assert_eq!(inner[0].points, [DVec3::new(0.0, 1.0, 0.3), DVec3::new(0.0, 1.25, 0.3)]);
    let outer = contacts(shape(), Pose::IDENTITY, DVec3::new(0.0, 1.375, 0.3), 0.0, 0.125);
    assert_eq!((outer.len(), outer[0].gap, outer[0].normal), (1, -0.25, DVec3::Y));
    assert_eq!(outer[0].points, [DVec3::new(0.0, 1.5, 0.3), DVec3::new(0.0, 1.25, 0.3)]);
}

#[test]
fn a_sphere_outside_a_container_meets_its_outer_side_and_its_ring() {
    let shape = || Shape::InsideCylinder { radius: 1.0, half_height: 0.5, thickness: 0.25 };
    let beside = contacts(shape(), Pose::IDENTITY, DVec3::new(0.0, 1.5, 0.3), 0.0, 0.125);
    assert_eq!((beside.len(), beside[0].gap, beside[0].normal), (1, 0.125, DVec3::Y));
    let above = contacts(shape(), Pose::IDENTITY, DVec3::new(0.0, 1.125, 0.75), 0.0, 0.125);
    assert_eq!((above.len(), above[0].gap, above[0].normal), (1, 0.125, DVec3::Z));
}

#[test]
fn a_ball_on_the_floor_under_the_wall_of_a_funnel_feels_its_outer_side_only() {
    // The scene in which a ball was thrown through the wall: a funnel over a floor, 0.3 m above it.
    let shape = || Shape::InsideCone { bottom_radius: 0.1, top_radius: 0.6, half_height: 0.4, thickness: 0.06 };
    let slope: f64 = 0.5 / 0.8;
    for k in 0..100 {
        let centre = DVec3::new(-1.5 + 0.03 * f64::from(k), 0.0, -0.65);
        let found = contacts(shape(), Pose::IDENTITY, centre, 0.0, 0.05);
        assert!(found.iter().all(|contact| contact.gap > 0.15), "{found:?}");
        // Below the outer side.
        let beside = DVec3::new(-0.6, 0.0, -0.2 + 0.002 * f64::from(k));
        let found = contacts(shape(), Pose::IDENTITY, beside, 0.0, 0.05);
        let outer = (0.6 - (0.35 + slope * beside.z)) / slope.hypot(1.0) - 0.06 - 0.05;
        assert!(found.len() == 1 && (found[0].gap - outer).abs() < 1e-14, "{found:?} for {outer}");
        assert!(found[0].normal.x < 0.0 && found[0].normal.z < 0.0);
    }
}

#[test]
fn beyond_an_open_end_a_sphere_feels_the_rim_only() {
    let shape = Shape::InsideCylinder { radius: 1.0, half_height: 0.5, thickness: 0.1 };
    let found = contacts(shape, Pose::IDENTITY, DVec3::new(0.7, 0.0, 0.9), 0.0, 0.125);
    assert!((found[0].gap - 0.375).abs() < 1e-15);
    assert!((found[0].normal - DVec3::new(-0.6, 0.0, 0.8)).length() < 1e-15);
    assert!((found[0].points[0] - DVec3::new(1.0, 0.0, 0.5)).length() < 1e-15);
}

#[test]
fn a_ball_on_a_hole_rests_on_three_points_of_the_rim() {
    let shape = Shape::InsideCylinder { radius: 0.6, half_height: 0.5, thickness: 0.1 };
    let found = contacts(shape, Pose::IDENTITY, DVec3::new(0.0, 0.0, 1.3), 0.0, 1.0);
    assert!(found.len() == 3 && found.iter().all(|contact| contact.gap.abs() < 1e-15), "{found:?}");
    let sum: DVec3 = found.iter().map(|contact| contact.normal).sum();
    assert!((sum - DVec3::new(0.0, 0.0, 2.4)).length() < 1e-14);
    assert_eq!([0, 1, 2], [0, 1, 2].map(|index: usize| found[index].feature));
}

#[test]
fn the_order_of_the_colliders_turns_the_normal_and_nothing_else() {
    let cuboid = Collider::new(0, Shape::Cuboid { half: DVec3::ONE });
    let ball = Collider::new(1, Shape::Sphere { radius: 0.5 });
    let poses = [Pose::IDENTITY, Pose::at(DVec3::new(0.2, 0.1, 1.75))];
    let [there, back] = [[cuboid.clone(), ball.clone()], [ball, cuboid]].map(|colliders| {
        let mut detector = Detector::new(colliders.to_vec(), vec![Mobility::Moving; 2], &[]).unwrap();
        let mut contacts = Vec::new();
        detector.detect(&poses, &[0.0; 2], 1.0, &mut contacts);
        contacts[0]
    });
    assert_eq!((there.gap, there.normal), (0.25, DVec3::Z));
    assert_eq!((back.gap, back.normal, back.bodies), (0.25, -DVec3::Z, [1, 0]));
    assert_eq!(there.points, [back.points[1], back.points[0]]);
}
