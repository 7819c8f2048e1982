//! Cuboids and hulls face to face: exact places and gaps.

use super::*;
use glam::DQuat;

#[test]
fn a_brick_on_two_bricks_touches_each_at_the_four_corners_of_the_common_rectangle() {
    let mut random = Random::new(1);
    for scale in [1e-3, 0.1, 1.0, 100.0] {
        for gap in [0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3] {
            let (brick, gap) = (cuboid(0.5 * scale, 0.25 * scale, 0.2 * scale), gap * scale);
            let world = random.pose(10.0 * scale);
            // Half a brick to the right and flush at the sides.
            let upper = world * Pose::at(DVec3::new(0.5 * scale, 0.0, 0.4 * scale + gap));
            let found = detect(&brick, &world, &brick, &upper, 0.01 * scale);
            assert_eq!(found.len(), 4, "scale {scale}, gap {gap:e}: {found:?}");
            // Positions of 10 scales are rounded to 2e-15 scales.
            for contact in &found {
                assert!((contact.gap - gap).abs() < 1e-14 * scale, "{:e} for {gap:e}", contact.gap);
                assert!((contact.normal - world.rotation * DVec3::Z).length() < 1e-14);
            }
            let expected = [[0, -2500, 2000], [0, 2500, 2000], [5000, -2500, 2000], [5000, 2500, 2000]];
            let shift = Pose::at(DVec3::new(0.0, 0.0, gap));
            assert_eq!(places(&found, &(world * shift), 1e-4 * scale), expected);
        }
    }
}

#[test]
fn a_square_turned_by_45_degrees_on_a_square_touches_at_eight_corners() {
    let block = cuboid(0.5, 0.5, 0.5);
    let turned = Pose::new(DVec3::Z, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
    let found = detect(&block, &Pose::IDENTITY, &block, &turned, 1e-3);
    assert_eq!(found.len(), 8, "{found:?}");
    for contact in &found {
        let [x, y, _] = contact.points[0].abs().to_array();
        // Corners of the octagon |x|, |y| ≤ ½, |x| + |y| ≤ √½.
        assert!((x.max(y) - 0.5).abs() < 1e-15 && (x + y - 0.5_f64.sqrt()).abs() < 1e-15, "{contact:?}");
        assert!(contact.gap.abs() < 1e-15);
    }
}

#[test]
fn a_tilted_block_has_the_gaps_of_its_four_corners() {
    for angle in [1e-12, 1e-9, 1e-6, 1e-3, 0.02] {
        let (floor, block) = (cuboid(5.0, 5.0, 0.5), cuboid(0.5, 0.5, 0.5));
        let pose = Pose::new(DVec3::new(0.3, 0.2, 1.0), DQuat::from_rotation_y(angle));
        let found = detect(&floor, &Pose::IDENTITY, &block, &pose, 0.1);
        assert_eq!(found.len(), 4, "{angle}: {found:?}");
        for contact in found {
            let local = pose.inverse() * contact.points[1];
            let height = 1.0 - 0.5 * angle.cos() - local.x * angle.sin() - 0.5;
            assert!((contact.gap - height).abs() < 2e-15, "{angle}: {:e} for {height:e}", contact.gap);
        }
    }
}

#[test]
fn names_last_while_bricks_tremble_and_slide() {
    let brick = cuboid(0.1, 0.05, 0.03);
    let prepared = [&brick, &brick].map(|shape| Prepared::new(shape, 0.0).unwrap());
    let mut random = Random::new(2);
    let mut workspace = Workspace::default();
    let mut names = |offset: DVec3, turn: DVec3| {
        let pose = Pose::new(DVec3::new(0.1, 0.0, 0.06) + offset, DQuat::from_scaled_axis(turn));
        let found = detect_prepared(&mut workspace, &prepared, &Pose::IDENTITY, &pose, 1e-3);
        found.iter().map(|contact| contact.feature).collect::<Vec<_>>()
    };
    let at_rest = names(DVec3::ZERO, DVec3::ZERO);
    assert_eq!(at_rest.len(), 4);
    for size in [1e-17, 1e-15, 1e-13, 1e-11, 1e-10] {
        for _ in 0..200 {
            assert_eq!(names(random.point() * size, random.point() * size), at_rest, "trembling by {size:e}");
        }
    }
    // Off flush, the corners are those of sides that cross, and stay so while sliding.
    let slid = names(DVec3::new(0.01, 0.01, -1e-7), DVec3::ZERO);
    for k in 0..100 {
        let slide = DVec3::new(0.01 + 1e-4 * f64::from(k), 0.01 + 5e-5 * f64::from(k), -1e-7);
        assert_eq!(names(slide, random.point() * 1e-8), slid);
    }
}

#[test]
fn the_answer_does_not_depend_on_earlier_queries() {
    let mut random = Random::new(3);
    let shapes = [pebble(), Shape::Cylinder { half_height: 0.4, radius: 0.3 }];
    let prepared = shapes.each_ref().map(|shape| Prepared::new(shape, 0.0).unwrap());
    let mut workspace = Workspace::default();
    for _ in 0..500 {
        let (p, q) = (random.pose(0.4), random.pose(0.4));
        let used = detect_prepared(&mut workspace, &prepared, &p, &q, 0.05);
        let fresh = detect_prepared(&mut Workspace::default(), &prepared, &p, &q, 0.05);
        assert_eq!(format!("{used:?}"), format!("{fresh:?}"));
    }
}

#[test]
fn corners_and_edges_of_hulls_over_a_half_space_have_their_heights() {
    let mut random = Random::new(4);
    let plane = Shape::HalfSpace { normal: DVec3::new(0.6, 0.0, 0.8) };
    let Shape::ConvexHull { points } = tetrahedron() else { unreachable!() };
    for _ in 0..200 {
        let (world, pose) = (random.pose(3.0), random.pose(1.0));
        let found = detect(&plane, &world, &tetrahedron(), &(world * pose), 0.2);
        let mut heights: Vec<f64> = points.iter().map(|p| DVec3::new(0.6, 0.0, 0.8).dot(pose * *p)).collect();
        heights.retain(|height| *height < 0.2);
        heights.sort_by(f64::total_cmp);
        let mut gaps: Vec<f64> = found.iter().map(|contact| contact.gap).collect();
        gaps.sort_by(f64::total_cmp);
        assert_eq!(gaps.len(), heights.len());
        assert!(gaps.iter().zip(&heights).all(|(g, h)| (g - h).abs() < 1e-14), "{gaps:?} {heights:?}");
    }
}
