//! All pairs of convex shapes at random poses.

use super::*;
use parry3d_f64::math::{Pose as ParryPose, Rotation};
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.3 },
        cuboid(0.4, 0.3, 0.2),
        cuboid(0.5, 0.3, 0.01),
        Shape::Capsule { half_height: 0.4, radius: 0.15 },
        Shape::Cylinder { half_height: 0.4, radius: 0.25 },
        Shape::Cone { half_height: 0.4, radius: 0.3 },
        tetrahedron(),
        pebble(),
    ]
}

/// Farthest point along n, from the definition of the shape: the oracle's own.
fn support(shape: &Shape, n: DVec3) -> DVec3 {
    let flat = DVec3::new(n.x, n.y, 0.0).normalize_or_zero();
    match shape {
        Shape::Sphere { radius } => n * *radius,
        Shape::Cuboid { half } => n.signum() * *half,
        Shape::Capsule { half_height, radius } => DVec3::Z * (half_height * n.z.signum()) + n * *radius,
        Shape::Cylinder { half_height, radius } => flat * *radius + DVec3::Z * (half_height * n.z.signum()),
        Shape::Cone { half_height, radius } => {
            let (tip, rim) = (DVec3::Z * *half_height, flat * *radius - DVec3::Z * *half_height);
            if n.dot(tip) > n.dot(rim) { tip } else { rim }
        }
        Shape::ConvexHull { points } => points.iter().copied().max_by(|p, q| n.dot(*p).total_cmp(&n.dot(*q))).unwrap(),
        other => unreachable!("{}", other.kind()),
    }
}

/// s(n) = min_B n·x − max_A n·x, a lower bound of the signed distance for every n.
fn bound(a: &Shape, p: &Pose, b: &Shape, q: &Pose, n: DVec3) -> f64 {
    let far = |shape: &Shape, pose: &Pose, n: DVec3| *pose * support(shape, pose.rotation.conjugate() * n);
    n.dot(far(b, q, -n) - far(a, p, n))
}

/// Largest s(n): many directions, the best ones improved by random steps of shrinking size.
fn signed_distance(a: &Shape, p: &Pose, b: &Shape, q: &Pose, random: &mut Random) -> f64 {
    let s = |n: DVec3| bound(a, p, b, q, n);
    let mut starts: Vec<DVec3> = (0..1000).map(|_| random.direction()).collect();
    starts.push((q.position - p.position).try_normalize().unwrap_or(DVec3::X));
    starts.sort_by(|m, n| s(*n).total_cmp(&s(*m)));
    let mut best = f64::NEG_INFINITY;
    for &start in starts.iter().take(8) {
        let (mut n, mut value, mut step) = (start, s(start), 0.1);
        while step > 1e-9 {
            let mut improved = false;
            for _ in 0..12 {
                let trial = (n + random.point() * step).normalize();
                if s(trial) > value {
                    (n, value, improved) = (trial, s(trial), true);
                }
            }
            if !improved {
                step *= 0.6;
            }
        }
        best = best.max(value);
    }
    best
}

/// How far outside a shape a point is at most, by its definition; negative inside. Zero on the surface.
fn outside(shape: &Shape, p: DVec3) -> f64 {
    let rho = p.truncate().length();
    match shape {
        Shape::Sphere { radius } => p.length() - radius,
        Shape::Cuboid { half } => (p.abs() - *half).max_element(),
        Shape::Capsule { half_height, radius } => {
            (p - DVec3::Z * p.z.clamp(-half_height, *half_height)).length() - radius
        }
        Shape::Cylinder { half_height, radius } => (rho - radius).max(p.z.abs() - half_height),
        Shape::Cone { half_height: h, radius: r } => {
            let side = (rho - r * (h - p.z) / (2.0 * h)) / (r / (2.0 * h)).hypot(1.0);
            side.max(-h - p.z)
        }
        Shape::ConvexHull { .. } => {
            let mut random = Random::new(9);
            (0..400).map(|_| random.direction()).map(|n| n.dot(p) - n.dot(support(shape, n))).fold(f64::MIN, f64::max)
        }
        other => unreachable!("{}", other.kind()),
    }
}

/// The same shape of parry, whose axis is y.
fn parry(shape: &Shape, pose: &Pose) -> (SharedShape, ParryPose) {
    let turn = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let y_axis = ParryPose { translation: pose.position, rotation: Rotation::from(pose.rotation * turn) };
    let as_is = ParryPose { translation: pose.position, rotation: Rotation::from(pose.rotation) };
    match shape {
        Shape::Sphere { radius } => (SharedShape::ball(*radius), as_is),
        Shape::Cuboid { half } => (SharedShape::cuboid(half.x, half.y, half.z), as_is),
        Shape::Capsule { half_height, radius } => (SharedShape::capsule_y(*half_height, *radius), y_axis),
        Shape::Cylinder { half_height, radius } => (SharedShape::cylinder(*half_height, *radius), y_axis),
        Shape::Cone { half_height, radius } => (SharedShape::cone(*half_height, *radius), y_axis),
        Shape::ConvexHull { points } => (SharedShape::convex_hull(points).unwrap(), as_is),
        other => unreachable!("{}", other.kind()),
    }
}

fn is_round(shape: &Shape) -> bool {
    matches!(shape, Shape::Cylinder { .. } | Shape::Cone { .. })
}

fn pairs(mut each: impl FnMut(&Shape, &Shape, &mut Random)) {
    let shapes = shapes();
    let mut random = Random::new(77);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            each(a, b, &mut random);
        }
    }
}

fn deepest(found: &[Contact]) -> Option<&Contact> {
    found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap))
}

#[test]
fn the_gap_of_separate_shapes_is_proven_by_its_normal_and_agrees_with_parry() {
    let mut worst = std::collections::BTreeMap::new();
    pairs(|a, b, random| {
        for _ in 0..150 {
            let (p, q) = (random.pose(0.6), random.pose(0.6));
            let ((shape_a, pose_a), (shape_b, pose_b)) = (parry(a, &p), parry(b, &q));
            let distance = query::distance(&pose_a, shape_a.as_ref(), &pose_b, shape_b.as_ref()).unwrap().distance;
            if distance <= 1e-3 {
                continue;
            }
            let found = detect(a, &p, b, &q, 3.0);
            let first = deepest(&found).unwrap();
            // s(n) bounds the distance from below, the points, which are on the shapes, from above.
            let s = bound(a, &p, b, &q, first.normal);
            let entry = worst.entry(format!("{} {}", a.kind(), b.kind())).or_insert([0.0_f64; 3]);
            let round = is_round(a) || is_round(b);
            let errors = [(s - first.gap).abs(), first.gap - distance, distance - first.gap];
            *entry = [entry[0].max(errors[0]), entry[1].max(errors[1]), entry[2].max(errors[2])];
            // The direction between two points is rounded by ε size/distance, and so is n·x of a point at the size 1.
            let rounding = 1e-15 * (1.0 + 1.0 / distance);
            assert!(errors[0] < if round { 1e-10 } else { rounding }, "{} {}: {errors:?}", a.kind(), b.kind());
        }
    });
    for (pair, [_, above, below]) in worst {
        // Never farther than parry's points, which are on the shapes too. Closer by no more than what parry leaves:
        // for capsules, which it treats as smooth, 1e-4.
        assert!(above < 1e-9 && below < 1e-4, "{pair}: above {above:e}, below {below:e}");
    }
}

#[test]
fn no_direction_parts_overlapping_shapes_sooner() {
    let mut worst = std::collections::BTreeMap::new();
    pairs(|a, b, random| {
        for _ in 0..8 {
            let (p, q) = (random.pose(0.4), random.pose(0.4));
            let climbed = signed_distance(a, &p, b, &q, random);
            if climbed > 0.0 {
                continue;
            }
            let found = detect(a, &p, b, &q, 3.0);
            let first = deepest(&found).unwrap();
            let entry = worst.entry(format!("{} {}", a.kind(), b.kind())).or_insert((0.0_f64, 0.0_f64));
            // Missed: a better direction exists. Wrong: the gap is not s(n) of its own normal.
            let (missed, wrong) = (climbed - first.gap, (bound(a, &p, b, &q, first.normal) - first.gap).abs());
            *entry = (entry.0.max(missed), entry.1.max(wrong));
        }
    });
    for (pair, (missed, wrong)) in worst {
        assert!(missed < 1e-9 && wrong < 1e-9, "{pair}: missed {missed:e}, wrong {wrong:e}");
    }
}

#[test]
fn exchanging_the_shapes_reverses_the_normal_and_a_common_motion_changes_nothing() {
    pairs(|a, b, random| {
        for _ in 0..100 {
            let (p, q, motion) = (random.pose(0.4), random.pose(0.4), random.pose(2.0));
            // Deep overlap of round shapes is found by expanding polytopes.
            let tolerance = if is_round(a) || is_round(b) { 1e-7 } else { 1e-12 };
            let found = detect(a, &p, b, &q, 0.5);
            let swapped = detect(b, &q, a, &p, 0.5);
            let moved = detect(a, &(motion * p), b, &(motion * q), 0.5);
            assert_eq!(found.is_empty(), swapped.is_empty());
            if found.is_empty() {
                continue;
            }
            let gap = least_gap(&found);
            for other in [&swapped, &moved] {
                let difference = (least_gap(other) - gap).abs();
                assert!(difference < tolerance, "{} {}: gap {gap} differs by {difference:e}", a.kind(), b.kind());
            }
        }
    });
}

#[test]
fn the_closest_contact_lies_on_both_surfaces() {
    pairs(|a, b, random| {
        for _ in 0..100 {
            let (p, q) = (random.pose(0.5), random.pose(0.5));
            let found = detect(a, &p, b, &q, 0.3);
            let Some(first) = deepest(&found) else { continue };
            let on_a = outside(a, p.inverse() * first.points[0]);
            let on_b = outside(b, q.inverse() * first.points[1]);
            let (kinds, tolerance) = (format!("{} {}", a.kind(), b.kind()), 1e-7);
            assert!(on_a < tolerance && on_b < tolerance, "{kinds}: {on_a:e} and {on_b:e} outside, {first:?}");
            // Not inside either; the hull's oracle samples normals, and sees only what is outside.
            let below = |shape: &Shape, depth: f64| !matches!(shape, Shape::ConvexHull { .. }) && depth < -tolerance;
            assert!(!below(a, on_a) && !below(b, on_b), "{kinds}: {on_a:e} and {on_b:e} inside, {first:?}");
        }
    });
}

#[test]
fn a_shape_moved_by_minus_its_gap_along_the_normal_just_touches() {
    pairs(|a, b, random| {
        for _ in 0..100 {
            let (p, q) = (random.pose(0.4), random.pose(0.4));
            let found = detect(a, &p, b, &q, 0.3);
            let Some(first) = deepest(&found) else { continue };
            let touching = Pose::new(q.position - first.normal * first.gap, q.rotation);
            let gap = least_gap(&detect(a, &p, b, &touching, 0.3));
            // Near touching, a stable normal is preferred that may lose 1e-6 of the smaller size, here 0.5 m.
            let tolerance = 6e-7;
            assert!(gap.abs() < tolerance, "{} {}: {gap:e} after {}", a.kind(), b.kind(), first.gap);
        }
    });
}

#[test]
fn no_finite_pose_panics() {
    let mut shapes = shapes();
    shapes.push(Shape::HalfSpace { normal: DVec3::Z });
    shapes.push(Shape::InsideCylinder { radius: 1.0, half_height: 0.5, thickness: 0.1 });
    shapes.push(Shape::InsideCone { bottom_radius: 0.0, top_radius: 1.0, half_height: 0.5, thickness: 0.1 });
    shapes.push(Shape::HeightField {
        heights: vec![0.0, 0.1, 0.2, 0.3, 0.1, 0.0].into(),
        columns: 3,
        size: [1.0, 1.0],
    });
    shapes.push(Shape::Compound { parts: vec![(Pose::IDENTITY, tetrahedron()), (Pose::at(DVec3::X), CUBE)].into() });
    const CUBE: Shape = Shape::Cuboid { half: DVec3::splat(0.2) };
    let prepared: Vec<Prepared> = shapes.iter().map(|shape| Prepared::new(shape, 0.0).unwrap()).collect();
    let mut workspace = Workspace::default();
    let mut random = Random::new(13);
    let mut count = 0_usize;
    for round in 0..120 {
        for a in &prepared {
            for b in &prepared {
                let (mut p, mut q) = (random.pose(0.5), random.pose(0.5));
                match round % 8 {
                    0 => q.position = p.position,
                    1 => q = p,
                    2 => (p, q) = (Pose::IDENTITY, Pose::IDENTITY),
                    3 => q.position = p.position + DVec3::splat(1e-300),
                    4 => (p.position, q.position) = (p.position * 1e12, p.position * 1e12 + q.position),
                    5 => q.position *= 1e200,
                    _ => {}
                }
                contacts(&mut workspace, a, &p, b, &q, 0.1, &mut |_, points, normal, gap| {
                    assert!(points[0].is_finite() && points[1].is_finite() && normal.is_finite() && gap.is_finite());
                    count += 1;
                });
            }
        }
    }
    assert!(count > 10_000);
}

#[test]
fn no_size_that_is_a_number_panics() {
    let mut random = Random::new(14);
    let mut workspace = Workspace::default();
    let sizes = [1e-300, 1e-150, 1e-30, 1e-9, 1.0, 1e9, 1e30, 1e150, 1e300];
    let of_size = |size: f64, kind: u64| match kind % 6 {
        0 => Shape::Sphere { radius: size },
        1 => cuboid(size, size, 0.1 * size),
        2 => Shape::Capsule { half_height: size, radius: size },
        3 => Shape::Cylinder { half_height: size, radius: size },
        4 => Shape::Cone { half_height: size, radius: size },
        _ => Shape::ConvexHull {
            points: [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * size).as_slice().into(),
        },
    };
    for &first in &sizes {
        for &second in &sizes {
            for _ in 0..40 {
                let shapes = [of_size(first, random.bits()), of_size(second, random.bits())];
                // A size whose square is no number may be refused; nothing may panic.
                let [Ok(a), Ok(b)] = shapes.each_ref().map(|shape| Prepared::new(shape, 0.0)) else { continue };
                let (p, q) = (random.pose(first.min(second)), random.pose(first.min(second)));
                contacts(&mut workspace, &a, &p, &b, &q, 0.1 * first, &mut |_, _, _, _| {});
                let _ = shapes.each_ref().map(Shape::mass_properties);
            }
        }
    }
}
