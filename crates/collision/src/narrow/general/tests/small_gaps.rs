//! Gaps near zero at all scales: the state in which bodies rest.

use super::*;

fn shapes(scale: f64) -> Vec<Shape> {
    let grown = |shape: Shape| match shape {
        Shape::ConvexHull { points } => {
            Shape::ConvexHull { points: points.iter().map(|p| *p * scale).collect::<Vec<_>>().into() }
        }
        other => other,
    };
    vec![
        cuboid(0.4 * scale, 0.3 * scale, 0.2 * scale),
        cuboid(0.5 * scale, 0.3 * scale, 0.01 * scale),
        grown(tetrahedron()),
        grown(pebble()),
        Shape::Capsule { half_height: 0.4 * scale, radius: 0.15 * scale },
        Shape::Cylinder { half_height: 0.4 * scale, radius: 0.25 * scale },
        Shape::Cone { half_height: 0.4 * scale, radius: 0.3 * scale },
    ]
}

/// Two shapes apart by d along the normal n of their closest points are, after B moved by (gap − d) n, apart by gap: s(n)
/// bounds the distance from below, the same two points from above. For a small overlap s(n) is a lower bound still, but a
/// shorter way out may exist (two corners pass each other): the gap is between s(n) and zero.
#[test]
fn a_pair_moved_to_a_gap_has_that_gap_at_every_scale() {
    let mut random = Random::new(51);
    let mut worst = std::collections::BTreeMap::new();
    for scale in [1e-3, 1.0, 100.0] {
        let shapes = shapes(scale);
        for (i, a) in shapes.iter().enumerate() {
            for b in &shapes[i..] {
                for _ in 0..40 {
                    let p = random.pose(scale);
                    let q = Pose::new(p.position + random.direction() * scale, random.rotation());
                    let found = detect(a, &p, b, &q, 2.0 * scale);
                    let Some(first) = found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)) else { continue };
                    if first.gap < 0.01 * scale {
                        continue;
                    }
                    for gap in [1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6].map(|gap| gap * scale) {
                        let moved = Pose::new(q.position + first.normal * (gap - first.gap), q.rotation);
                        let found = least_gap(&detect(a, &p, b, &moved, 0.1 * scale));
                        let error = if gap < 0.0 { (gap - found).max(found) } else { (found - gap).abs() } / scale;
                        let key = format!("{} {}", a.kind(), b.kind());
                        let entry = worst.entry(key).or_insert((0.0_f64, 0.0));
                        if error > entry.0 {
                            *entry = (error, gap / scale);
                        }
                    }
                }
            }
        }
    }
    for (pair, (error, gap)) in worst {
        // Faces and edges are exact. Where a corner meets a corner or an edge, the normal of a face nearby is used while
        // the gap is below 1e-5 of the size and it loses less than 1e-6.
        let allowed = 1.1e-6;
        assert!(error < allowed, "{pair}: {error:e} of the size at a gap of {gap:e}");
    }
}

/// A resting body trembles by rounding and by the solver's tolerance: contacts keep their number, names and, to the size
/// of the trembling, their gaps.
#[test]
fn contacts_of_resting_shapes_do_not_flicker() {
    use glam::DQuat;
    let turn = |angle: f64| DQuat::from_rotation_y(angle);
    let table = cuboid(1.0, 1.0, 0.5);
    let lean = 0.3_f64;
    let resting: [(Shape, Pose); 6] = [
        (cuboid(0.1, 0.05, 0.03), Pose::at(DVec3::new(0.2, 0.1, 0.53))),
        // Flush with the edge of the table.
        (cuboid(0.1, 0.05, 0.03), Pose::at(DVec3::new(0.9, 0.1, 0.53))),
        (Shape::Cylinder { half_height: 0.1, radius: 0.05 }, Pose::at(DVec3::new(0.1, 0.2, 0.6))),
        (
            Shape::Cylinder { half_height: 0.1, radius: 0.05 },
            Pose::new(DVec3::Z * 0.55, turn(std::f64::consts::FRAC_PI_2)),
        ),
        (
            Shape::Capsule { half_height: 0.1, radius: 0.05 },
            Pose::new(DVec3::Z * 0.55, turn(std::f64::consts::FRAC_PI_2)),
        ),
        // A card on its edge.
        (cuboid(0.001, 0.03, 0.05), Pose::new(DVec3::Z * (0.5 + 0.05 * lean.cos() + 0.001 * lean.sin()), turn(lean))),
    ];
    let mut random = Random::new(52);
    for (shape, pose) in resting {
        let prepared = [&table, &shape].map(|shape| Prepared::new(shape, 0.0).unwrap());
        let mut workspace = Workspace::default();
        let mut at = |offset: DVec3, twist: DVec3| {
            let pose = Pose::new(pose.position + offset, DQuat::from_scaled_axis(twist) * pose.rotation);
            detect_prepared(&mut workspace, &prepared, &Pose::IDENTITY, &pose, 1e-5)
        };
        let still = at(DVec3::ZERO, DVec3::ZERO);
        for size in [1e-16, 1e-14, 1e-12, 1e-10] {
            for _ in 0..100 {
                let found = at(random.point() * size, random.point() * size);
                let names = |contacts: &[Contact]| contacts.iter().map(|contact| contact.feature).collect::<Vec<_>>();
                assert_eq!(names(&found), names(&still), "{} trembling by {size:e}: {found:?}", shape.kind());
                for (contact, before) in found.iter().zip(&still) {
                    assert!((contact.gap - before.gap).abs() < 3.0 * size + 1e-15);
                    assert!((contact.normal - before.normal).length() < 1e-12);
                }
            }
        }
    }
}

/// Two leaning cards meet corner to corner, seen from the side: any normal between those of their faces would do, and the
/// one chosen must stay the same whether the cards are apart or overlap by the solver's tolerance.
#[test]
fn the_normal_between_two_leaning_cards_does_not_jump() {
    use glam::DQuat;
    let card = cuboid(0.001, 0.03, 0.05);
    let lean = 0.3_f64;
    let reach_x = 0.05 * lean.sin() + 0.001 * lean.cos();
    let mut random = Random::new(53);
    let mut first: Option<Vec<Contact>> = None;
    for k in 0..400 {
        let size = 10_f64.powi(-9 - k % 6);
        let tremble = |random: &mut Random| (random.point() * size, DQuat::from_scaled_axis(random.point() * size));
        let ((offset_a, turn_a), (offset_b, turn_b)) = (tremble(&mut random), tremble(&mut random));
        let left = Pose::new(DVec3::X * -reach_x + offset_a, turn_a * DQuat::from_rotation_y(lean));
        let right = Pose::new(DVec3::X * reach_x + offset_b, turn_b * DQuat::from_rotation_y(-lean));
        let found = detect(&card, &left, &card, &right, 1e-5);
        assert!(found.len() >= 2, "{found:?}");
        let reference = first.get_or_insert_with(|| found.clone());
        for contact in &found {
            let jump = (contact.normal - reference[0].normal).length();
            assert!(jump < 1e-6, "the normal jumps by {jump} at a gap of {:e}", contact.gap);
        }
        let ends: Vec<f64> = found.iter().map(|contact| contact.points[0].y).collect();
        let width = ends.iter().copied().fold(0.0, f64::max) - ends.iter().copied().fold(0.0, f64::min);
        assert!(width > 0.0599, "contacts at {ends:?} only");
    }
}
