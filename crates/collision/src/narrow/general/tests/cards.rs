//! Thin cards: edges on faces and on edges.

use super::*;
use glam::DQuat;

fn card() -> Shape {
    cuboid(0.001, 0.03, 0.05)
}

#[test]
fn a_leaning_card_stands_on_two_points_of_its_lower_edge() {
    for floor in [cuboid(1.0, 1.0, 0.5), Shape::HalfSpace { normal: DVec3::Z }] {
        let level = if matches!(floor, Shape::Cuboid { .. }) { 0.5 } else { 0.0 };
        for lean in [0.05_f64, 0.3, 1.0] {
            let lowest = 0.05 * lean.cos() + 0.001 * lean.sin();
            let pose = Pose::new(DVec3::new(0.1, 0.2, level + lowest - 1e-9), DQuat::from_rotation_y(lean));
            let found = detect(&floor, &Pose::IDENTITY, &card(), &pose, 2e-5);
            assert_eq!(found.len(), 2, "lean {lean} on {}: {found:?}", floor.kind());
            for contact in &found {
                assert!((contact.gap + 1e-9).abs() < 1e-15, "{:e}", contact.gap);
                assert!((contact.normal - DVec3::Z).length() < 1e-14);
                assert!(((contact.points[1].y - 0.2).abs() - 0.03).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn crossing_edges_touch_at_one_point_and_nearly_parallel_ones_at_two() {
    // Two blocks on edge, the lower edge of one across the upper edge of the other.
    let block = cuboid(0.5, 0.02, 0.02);
    let on_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let half_diagonal = 0.02 * 2.0_f64.sqrt();
    for gap in [1e-6, 1e-9, -1e-9, -1e-6] {
        for (angle, count) in [(1.0, 1), (0.1, 1), (1e-4, 2), (1e-8, 2), (0.0, 2)] {
            let upper = Pose::new(DVec3::Z * (2.0 * half_diagonal + gap), DQuat::from_rotation_z(angle) * on_edge);
            let found = detect(&block, &Pose::new(DVec3::ZERO, on_edge), &block, &upper, 1e-5);
            assert!(found.iter().all(|contact| contact.normal.z > 0.7), "{found:?}");
            let edges: Vec<_> = found.iter().filter(|contact| contact.points[0].y.abs() < 1e-3).collect();
            assert!(edges.len() >= count, "angle {angle}, gap {gap:e}: {found:?}");
            if count == 1 {
                assert_eq!(found.len(), 1, "angle {angle}, gap {gap:e}: {found:?}");
                assert!((found[0].gap - gap).abs() < 1e-15, "{:e} for {gap:e}", found[0].gap);
                assert!(found[0].points[0].truncate().length() < 1e-9);
            }
        }
    }
}

#[test]
fn two_cards_leaning_against_each_other_touch_along_their_upper_edges() {
    let lean = 0.3_f64;
    // Upper inner corners at x = 0.
    let reach_x = 0.05 * lean.sin() + 0.001 * lean.cos();
    for overlap in [0.0, 1e-9, 1e-7] {
        let left = Pose::new(DVec3::new(-reach_x + 0.5 * overlap, 0.0, 0.0), DQuat::from_rotation_y(lean));
        let right = Pose::new(DVec3::new(reach_x - 0.5 * overlap, 0.0, 0.0), DQuat::from_rotation_y(-lean));
        let found = detect(&card(), &left, &card(), &right, 1e-5);
        let ends: Vec<f64> = found.iter().map(|contact| contact.points[0].y).collect();
        assert!(
            ends.iter().any(|y| (y - 0.03).abs() < 1e-9) && ends.iter().any(|y| (y + 0.03).abs() < 1e-9),
            "{found:?}"
        );
        assert!(
            found.iter().all(|contact| contact.normal.x > 0.9 && contact.gap <= 1e-12 && contact.gap > -2e-7),
            "{found:?}"
        );
    }
}
