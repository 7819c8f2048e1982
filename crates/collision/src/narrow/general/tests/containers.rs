//! The inside of cylinders and cones.

use super::*;

/// Points of the surface of a shape, from its definition: corners, or many of a rim.
fn outermost(shape: &Shape) -> Vec<DVec3> {
    let rim = |radius: f64, z: f64| {
        (0..100_000).map(move |k| {
            let angle = std::f64::consts::TAU * f64::from(k) / 100_000.0;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    match shape {
        Shape::Cuboid { half } => (0..8)
            .map(|i| {
                *half
                    * DVec3::new(
                        f64::from(i & 1) * 2.0 - 1.0,
                        f64::from(i >> 1 & 1) * 2.0 - 1.0,
                        f64::from(i >> 2) * 2.0 - 1.0,
                    )
            })
            .collect(),
        Shape::Cylinder { half_height, radius } => {
            rim(*radius, *half_height).chain(rim(*radius, -half_height)).collect()
        }
        Shape::Cone { half_height, radius } => rim(*radius, -half_height).chain([DVec3::Z * *half_height]).collect(),
        Shape::Capsule { half_height, .. } => vec![DVec3::Z * *half_height, DVec3::Z * -half_height],
        other => unreachable!("{}", other.kind()),
    }
}

#[test]
fn the_least_gap_in_a_container_is_that_of_the_outermost_point() {
    let mut random = Random::new(31);
    let shapes = [
        cuboid(0.2, 0.3, 0.1),
        Shape::Cylinder { half_height: 0.2, radius: 0.15 },
        Shape::Cone { half_height: 0.2, radius: 0.15 },
        Shape::Capsule { half_height: 0.2, radius: 0.1 },
    ];
    for (bottom, top) in [(1.0, 1.0), (0.5, 1.5), (1.2, 0.8)] {
        let container = if bottom == top {
            Shape::InsideCylinder { radius: top, half_height: 2.0, thickness: 0.1 }
        } else {
            Shape::InsideCone { bottom_radius: bottom, top_radius: top, half_height: 2.0, thickness: 0.1 }
        };
        for shape in &shapes {
            let sweep = if let Shape::Capsule { radius, .. } = shape { *radius } else { 0.0 };
            for _ in 0..15 {
                let (world, local) = (random.pose(2.0), random.pose(0.7));
                let found = detect(&container, &world, shape, &(world * local), 10.0);
                // Distance from the line ρ = R(z) of the meridian plane.
                let slope: f64 = (top - bottom) / 4.0;
                let wall = |p: DVec3| (0.5 * (bottom + top) + slope * p.z - p.truncate().length()) / slope.hypot(1.0);
                let expected = outermost(shape).iter().map(|p| wall(local * *p)).fold(f64::INFINITY, f64::min) - sweep;
                let error = least_gap(&found) - expected;
                // 10⁵ points of a rim of 0.15 m miss its extreme by at most r (π/10⁵)² = 2e-10.
                assert!(error < 1e-14 && error > -2e-10, "{}: {error:e}", shape.kind());
                for contact in &found {
                    let p = world.inverse() * contact.points[0];
                    assert!((wall(p)).abs() < 1e-14, "the point of the wall is off it by {:e}", wall(p));
                }
            }
        }
    }
}

#[test]
fn a_cylinder_standing_at_the_wall_touches_with_both_rims_and_a_coaxial_one_all_around() {
    let container = Shape::InsideCylinder { radius: 1.0, half_height: 1.0, thickness: 0.1 };
    let cylinder = Shape::Cylinder { half_height: 0.4, radius: 0.3 };
    let at_wall = detect(&container, &Pose::IDENTITY, &cylinder, &Pose::at(DVec3::X * 0.7), 1e-3);
    assert_eq!(at_wall.len(), 2, "{at_wall:?}");
    assert!(at_wall.iter().all(|contact| contact.gap.abs() < 1e-15 && (contact.normal + DVec3::X).length() < 1e-7));
    let plug = Shape::Cylinder { half_height: 0.4, radius: 1.0 };
    let coaxial = detect(&container, &Pose::IDENTITY, &plug, &Pose::IDENTITY, 1e-3);
    assert_eq!(coaxial.len(), 8, "{coaxial:?}");
    assert!(coaxial.iter().all(|contact| contact.gap.abs() < 1e-15));
}

#[test]
fn beyond_the_open_ends_there_is_no_wall() {
    let container = Shape::InsideCylinder { radius: 1.0, half_height: 1.0, thickness: 0.1 };
    let above = Pose::at(DVec3::new(2.0, 0.0, 1.2));
    assert!(detect(&container, &Pose::IDENTITY, &cuboid(0.1, 0.1, 0.1), &above, 0.5).is_empty());
}
