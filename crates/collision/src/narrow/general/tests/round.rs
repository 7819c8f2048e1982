//! Capsules, cylinders and cones lying and standing.

use super::*;
use glam::DQuat;
use std::f64::consts::FRAC_PI_2;

const CAPSULE: Shape = Shape::Capsule { half_height: 0.5, radius: 0.1 };
const CYLINDER: Shape = Shape::Cylinder { half_height: 0.5, radius: 0.1 };
const CONE: Shape = Shape::Cone { half_height: 0.5, radius: 0.1 };

fn ground() -> [Shape; 2] {
    [cuboid(5.0, 5.0, 1.0), Shape::HalfSpace { normal: DVec3::Z }]
}

/// Height of the ground's surface.
fn surface(ground: &Shape) -> f64 {
    if matches!(ground, Shape::Cuboid { .. }) { 1.0 } else { 0.0 }
}

#[test]
fn lying_capsules_cylinders_and_cones_have_two_contacts_at_their_ends() {
    for floor in ground() {
        for gap in [0.0, 1e-9, -1e-9, -1e-3, 1e-3] {
            let lying = DQuat::from_rotation_y(FRAC_PI_2);
            for shape in [CAPSULE, CYLINDER] {
                let pose = Pose::new(DVec3::new(0.2, 0.3, surface(&floor) + 0.1 + gap), lying);
                let found = detect(&floor, &Pose::IDENTITY, &shape, &pose, 0.01);
                assert_eq!(found.len(), 2, "{} on {}: {found:?}", shape.kind(), floor.kind());
                for contact in &found {
                    assert!((contact.gap - gap).abs() < 1e-15, "{:e} for {gap:e}", contact.gap);
                    assert!(((contact.points[1].x - 0.2).abs() - 0.5).abs() < 1e-15);
                }
            }
            // The side of the cone makes the angle atan(r / 2h) with its axis.
            let lean = (0.1_f64 / 1.0).atan();
            let along = DQuat::from_rotation_y(FRAC_PI_2 + lean);
            // Depth of the side line below the centre: half of the base radius across the leaning axis.
            let lift = 0.05 * lean.cos();
            let pose = Pose::new(DVec3::new(0.0, 0.0, surface(&floor) + lift + gap), along);
            let found = detect(&floor, &Pose::IDENTITY, &CONE, &pose, 0.01);
            assert_eq!(found.len(), 2, "cone on {}: {found:?}", floor.kind());
            assert!(found.iter().all(|contact| (contact.gap - gap).abs() < 1e-15), "{gap:e}: {found:?}");
        }
    }
}

#[test]
fn standing_cylinders_and_cones_have_four_contacts_on_the_rim_and_the_deepest_when_tilted() {
    for floor in ground() {
        for shape in [CYLINDER, CONE] {
            for gap in [0.0, -1e-9, 1e-9, 1e-3, -1e-3] {
                let pose = Pose::new(DVec3::new(0.2, 0.3, surface(&floor) + 0.5 + gap), DQuat::from_rotation_z(0.3));
                let found = detect(&floor, &Pose::IDENTITY, &shape, &pose, 0.01);
                assert_eq!(found.len(), 4, "{} on {}: {found:?}", shape.kind(), floor.kind());
                for contact in found {
                    assert!((contact.gap - gap).abs() < 1e-15);
                    let place = contact.points[1] - DVec3::new(0.2, 0.3, contact.points[1].z);
                    assert!((place.length() - 0.1).abs() < 1e-15);
                }
            }
            for tilt in [1e-6_f64, 1e-3, 0.1, 0.4] {
                let pose = Pose::new(
                    DVec3::Z * (surface(&floor) + 0.5),
                    DQuat::from_rotation_x(tilt) * DQuat::from_rotation_z(0.7),
                );
                let found = detect(&floor, &Pose::IDENTITY, &shape, &pose, 1.0);
                let deepest = 0.5 - 0.5 * tilt.cos() - 0.1 * tilt.sin();
                assert!((least_gap(&found) - deepest).abs() < 1e-12, "{tilt}: {:e}", least_gap(&found) - deepest);
                assert!(found.len() >= 4);
            }
        }
    }
}

#[test]
fn parallel_and_nearly_parallel_capsules_have_contacts_at_both_ends_of_the_common_length() {
    let mut random = Random::new(5);
    for angle in [0.0, 1e-12, 1e-9, 1e-6, 1e-4] {
        for gap in [0.0, -1e-9, 1e-4, -1e-3] {
            let world = random.pose(1.0);
            let local = Pose::new(DVec3::new(0.2 + gap, 0.0, 0.3), DQuat::from_rotation_x(angle));
            let found = detect(&CAPSULE, &world, &CAPSULE, &(world * local), 0.01);
            // Common length: from −0.2 to 0.5.
            let along: Vec<f64> = found.iter().map(|contact| (world.inverse() * contact.points[0]).z).collect();
            let low = along.iter().copied().fold(f64::INFINITY, f64::min);
            let high = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((low + 0.2).abs() < 1e-3 && (high - 0.5).abs() < 1e-3, "{angle:e}, {gap:e}: {along:?}");
            // An end at a sideways offset e ≤ 0.7 angle is farther by e²/(2·0.2).
            for contact in &found {
                let farther = contact.gap - gap;
                assert!((-1e-15..1.3 * angle * angle + 1e-15).contains(&farther), "{angle:e}: {farther:e}");
            }
        }
    }
}

#[test]
fn crossed_capsules_have_one_contact_at_the_crossing() {
    let pose = Pose::new(DVec3::new(0.19, 0.1, -0.2), DQuat::from_rotation_x(1.0));
    let found = detect(&CAPSULE, &Pose::IDENTITY, &CAPSULE, &pose, 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.01).abs() < 1e-15 && (found[0].normal - DVec3::X).length() < 1e-14);
}

#[test]
fn cylinders_side_by_side_and_on_top_of_each_other_have_exact_gaps() {
    for gap in [0.0, 1e-9, -1e-9, -1e-4, 1e-4] {
        let beside = Pose::at(DVec3::new(0.2 + gap, 0.0, 0.3));
        let found = detect(&CYLINDER, &Pose::IDENTITY, &CYLINDER, &beside, 0.01);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|contact| (contact.gap - gap).abs() < 1e-15));
        let above = Pose::new(DVec3::new(0.05, 0.0, 1.0 + gap), DQuat::from_rotation_z(0.4));
        let found = detect(&CYLINDER, &Pose::IDENTITY, &CYLINDER, &above, 0.01);
        assert!((3..=8).contains(&found.len()), "{found:?}");
        assert!(found.iter().all(|contact| (contact.gap - gap).abs() < 1e-15));
    }
}

#[test]
fn a_cylinder_over_the_edge_of_a_table_touches_where_the_rim_crosses_the_edge() {
    let table = cuboid(1.0, 1.0, 0.5);
    let pose = Pose::at(DVec3::new(1.0, 0.0, 1.0));
    let found = detect(&table, &Pose::IDENTITY, &CYLINDER, &pose, 0.01);
    for y in [-0.1, 0.1] {
        let place = DVec3::new(1.0, y, 0.5);
        assert!(found.iter().any(|contact| (contact.points[1] - place).length() < 1e-12), "{found:?}");
    }
    assert!(found.iter().all(|contact| contact.points[1].x < 1.0 + 1e-9));
}

#[test]
fn margins_grow_shapes_by_a_sphere() {
    let mut random = Random::new(8);
    let block = cuboid(0.3, 0.2, 0.1);
    for _ in 0..300 {
        let (p, q) = (random.pose(0.5), random.pose(0.5));
        let bare = least_gap(&detect(&block, &p, &block, &q, 1.0));
        let swept = least_gap(&detect_swept((&block, 0.02), &p, (&block, 0.03), &q, 1.0));
        assert!((bare - 0.05 - swept).abs() < 1e-14, "{bare} {swept}");
    }
}
