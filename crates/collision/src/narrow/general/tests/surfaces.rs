//! Meshes and height fields.

use super::*;
use crate::Mesh;
use glam::DQuat;
use std::sync::Arc;

/// A floor of n × n squares of side 1 about the origin, at z = 0, two triangles each.
fn floor(n: usize) -> Shape {
    let vertex =
        |ix: usize, iy: usize| DVec3::new(ix as f64, iy as f64, 0.0) - 0.5 * n as f64 * DVec3::new(1.0, 1.0, 0.0);
    let vertices = (0..=n).flat_map(|iy| (0..=n).map(move |ix| vertex(ix, iy))).collect();
    let mut triangles = Vec::new();
    for iy in 0..n as u32 {
        for ix in 0..n as u32 {
            let corner = iy * (n as u32 + 1) + ix;
            let above = corner + n as u32 + 1;
            triangles.extend([[corner, corner + 1, above + 1], [corner, above + 1, above]]);
        }
    }
    Shape::TriangleMesh(Arc::new(Mesh::new(vertices, triangles).unwrap()))
}

fn flat_field(n: usize) -> Shape {
    Shape::HeightField { heights: vec![0.0; (n + 1) * (n + 1)].into(), columns: n + 1, size: [n as f64, n as f64] }
}

/// The surface of a cuboid as triangles.
fn cuboid_mesh(half: DVec3) -> Shape {
    let sign = |bit: usize| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|i| half * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::TriangleMesh(Arc::new(Mesh::new(vertices, triangles).unwrap()))
}

#[test]
fn shapes_on_a_flat_floor_of_triangles_feel_a_flat_floor() {
    let mut random = Random::new(21);
    let shapes = [
        cuboid(0.4, 0.7, 0.2),
        Shape::Capsule { half_height: 0.6, radius: 0.2 },
        Shape::Cylinder { half_height: 0.3, radius: 0.6 },
        Shape::Sphere { radius: 0.3 },
        pebble(),
        tetrahedron(),
    ];
    let plane = Shape::HalfSpace { normal: DVec3::Z };
    for ground in [floor(6), flat_field(6)] {
        for shape in &shapes {
            for round in 0..60 {
                let turn =
                    if round % 2 == 0 { DQuat::from_rotation_z(random.between(-3.0, 3.0)) } else { random.rotation() };
                let place = random.point() * DVec3::new(1.5, 1.5, 0.0);
                // Lower the shape to the depth wanted, by what the exact plane says.
                let raised = Pose::new(place + DVec3::Z * 5.0, turn);
                let height = least_gap(&detect(&plane, &Pose::IDENTITY, shape, &raised, 10.0));
                let depth = [1e-9, 1e-6, 1e-3, -1e-4][round % 4];
                let pose = Pose::new(raised.position - DVec3::Z * (height + depth), turn);
                let found = detect(&ground, &Pose::IDENTITY, shape, &pose, 0.01);
                let expected = detect(&plane, &Pose::IDENTITY, shape, &pose, 0.01);
                let context = format!("{} on {}, depth {depth:e}: {found:?}", shape.kind(), ground.kind());
                assert!(!found.is_empty(), "{context}");
                assert!((least_gap(&found) + depth).abs() < 1e-12, "{context}");
                for contact in &found {
                    assert!(contact.normal.z > 1.0 - 1e-12, "{context}");
                }
                // As far out as the contacts of the plane, in each of their directions, but for the reduction to eight.
                let touching: Vec<DVec3> = expected
                    .iter()
                    .filter(|contact| contact.gap < 1e-10 - depth)
                    .map(|contact| contact.points[1])
                    .collect();
                let centre = touching.iter().sum::<DVec3>() / touching.len() as f64;
                for place in touching {
                    let out = place - centre;
                    let far = found.iter().map(|contact| out.dot(contact.points[1] - centre)).fold(0.0, f64::max);
                    assert!(far >= 0.8 * out.length_squared(), "nothing near {place} in {context}");
                }
            }
        }
    }
}

#[test]
fn a_mesh_of_a_cuboid_touches_like_the_cuboid() {
    let mut random = Random::new(22);
    let half = DVec3::new(0.5, 0.4, 0.3);
    let (mesh, solid) = (cuboid_mesh(half), Shape::Cuboid { half });
    for shape in [
        cuboid(0.2, 0.3, 0.1),
        Shape::Capsule { half_height: 0.3, radius: 0.1 },
        Shape::Sphere { radius: 0.2 },
        tetrahedron(),
    ] {
        let mut compared = 0;
        for _ in 0..400 {
            let (p, q) = (random.pose(0.7), random.pose(0.7));
            let expected = least_gap(&detect(&solid, &p, &shape, &q, 0.3));
            // Deep inside, a surface cannot tell the way out; shallow overlap and distance it must.
            if expected < -0.02 {
                continue;
            }
            let found = least_gap(&detect(&mesh, &p, &shape, &q, 0.3));
            let exchanged = least_gap(&detect(&shape, &q, &mesh, &p, 0.3));
            // Of several contacts of an overlap each has its own normal, and the deepest of them may be a little deeper than
            // the least overlap, which has one normal for all.
            let slack = if expected < 0.0 { 0.05 } else { 1e-3 };
            let least = expected - slack * expected.abs() - 1e-12;
            assert!(
                found == expected || (least..expected + 1e-3 * expected.abs() + 1e-12).contains(&found),
                "{}: {found} for {expected}",
                shape.kind()
            );
            assert!(found == exchanged || (found - exchanged).abs() < 1e-12);
            compared += usize::from(expected.is_finite());
        }
        assert!(compared > 100, "{compared}");
    }
}

#[test]
fn a_mesh_stands_on_planes_cuboids_and_meshes() {
    let mesh = cuboid_mesh(DVec3::new(0.5, 0.4, 0.3));
    let grounds = [
        (Shape::HalfSpace { normal: DVec3::Z }, 0.0),
        (cuboid(3.0, 3.0, 1.0), 1.0),
        (floor(4), 0.0),
        (cuboid_mesh(DVec3::new(3.0, 3.0, 1.0)), 1.0),
        (flat_field(4), 0.0),
    ];
    for (ground, level) in grounds {
        for gap in [1e-4, -1e-9, -1e-4] {
            let pose = Pose::new(DVec3::new(0.1, 0.2, level + 0.3 + gap), DQuat::from_rotation_z(0.2));
            for exchanged in [false, true] {
                let found = if exchanged {
                    detect(&mesh, &pose, &ground, &Pose::IDENTITY, 1e-3)
                } else {
                    detect(&ground, &Pose::IDENTITY, &mesh, &pose, 1e-3)
                };
                let context = format!("on {}, gap {gap:e}, exchanged {exchanged}: {found:?}", ground.kind());
                let up = if exchanged { -1.0 } else { 1.0 };
                assert!((4..=9).contains(&found.len()), "{context}");
                for contact in &found {
                    assert!((contact.gap - gap).abs() < 1e-14 && contact.normal.z * up > 1.0 - 1e-12, "{context}");
                }
                for corner in [DVec3::new(0.5, 0.4, -0.3), DVec3::new(-0.5, 0.4, -0.3), DVec3::new(0.5, -0.4, -0.3)] {
                    let place = pose * corner;
                    let near = |contact: &Contact| (contact.points[usize::from(!exchanged)] - place).length() < 1e-6;
                    assert!(found.iter().any(near), "no contact at {place}: {context}");
                }
            }
        }
    }
}

#[test]
fn a_body_below_a_height_field_is_pushed_up_and_one_behind_a_mesh_is_left_alone() {
    let pose = Pose::at(DVec3::new(0.2, 0.1, -0.5));
    let block = cuboid(0.1, 0.1, 0.1);
    let field = detect(&flat_field(4), &Pose::IDENTITY, &block, &pose, 0.01);
    assert!((least_gap(&field) + 0.6).abs() < 1e-12, "{field:?}");
    assert!(field.iter().all(|contact| contact.normal.z > 0.999));
    assert!(detect(&floor(4), &Pose::IDENTITY, &block, &pose, 0.01).is_empty());
}

#[test]
fn a_ridge_and_a_valley_push_along_the_normals_they_have() {
    // z = −|x| and z = |x| over three columns.
    let roof = |sign: f64| Shape::HeightField {
        heights: vec![sign, 0.0, sign, sign, 0.0, sign].into(),
        columns: 3,
        size: [2.0, 2.0],
    };
    let ball = Shape::Sphere { radius: 0.2 };
    let on_ridge = detect(&roof(-1.0), &Pose::IDENTITY, &ball, &Pose::at(DVec3::Z * 0.199), 1e-6);
    assert!(on_ridge.iter().all(|contact| (contact.normal - DVec3::Z).length() < 1e-12), "{on_ridge:?}");
    assert!((least_gap(&on_ridge) + 0.001).abs() < 1e-15);
    let in_valley = detect(&roof(1.0), &Pose::IDENTITY, &ball, &Pose::at(DVec3::Z * 0.28), 1e-6);
    assert_eq!(in_valley.len(), 2, "{in_valley:?}");
    for contact in in_valley {
        assert!((contact.normal.x.abs() - 0.5_f64.sqrt()).abs() < 1e-12);
        assert!((contact.gap - (0.28 * 0.5_f64.sqrt() - 0.2)).abs() < 1e-15);
    }
}

#[test]
fn contacts_of_compounds_are_those_of_their_parts() {
    let parts =
        vec![(Pose::at(DVec3::X), cuboid(0.2, 0.2, 0.2)), (Pose::at(DVec3::NEG_X), Shape::Sphere { radius: 0.2 })];
    let dumbbell = Shape::Compound { parts: parts.into() };
    let found =
        detect(&Shape::HalfSpace { normal: DVec3::Z }, &Pose::IDENTITY, &dumbbell, &Pose::at(DVec3::Z * 0.2), 1e-6);
    assert_eq!(found.len(), 5, "{found:?}");
    let prepared = Prepared::new(&dumbbell, 0.1).unwrap();
    let (low, high) = prepared.aabb(&Pose::at(DVec3::Y));
    assert!(
        (low - DVec3::new(-1.3, 0.7, -0.3)).length() < 1e-14 && (high - DVec3::new(1.3, 1.3, 0.3)).length() < 1e-14
    );
}

#[test]
fn a_mesh_in_a_container_touches_it_with_its_corners_like_the_solid() {
    let mut random = Random::new(24);
    let half = DVec3::new(0.5, 0.4, 0.3);
    let container = Shape::InsideCone { bottom_radius: 0.8, top_radius: 1.2, half_height: 2.0, thickness: 0.1 };
    for _ in 0..50 {
        let pose = random.pose(0.5);
        let mesh = detect(&container, &Pose::IDENTITY, &cuboid_mesh(half), &pose, 0.2);
        let solid = detect(&container, &Pose::IDENTITY, &Shape::Cuboid { half }, &pose, 0.2);
        assert_eq!(mesh.len(), solid.len());
        assert!(mesh.is_empty() || (least_gap(&mesh) - least_gap(&solid)).abs() < 1e-15);
    }
}
