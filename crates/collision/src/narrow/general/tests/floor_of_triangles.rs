//! A flat floor of many triangles is a plane; ridges and valleys push along the normals they have.

use super::*;
use crate::Mesh;
use glam::DQuat;
use std::sync::Arc;

/// A floor of n × n cells of this side about the origin, turned, and the corners moved within the plane at random.
fn floor(n: usize, side: f64, turn: DQuat, jitter: f64) -> Shape {
    let mut random = Random::new(5);
    let mut vertices = Vec::new();
    for iy in 0..=n {
        for ix in 0..=n {
            let inner = ix > 0 && iy > 0 && ix < n && iy < n;
            let shift = if inner { random.point() * DVec3::new(jitter, jitter, 0.0) } else { DVec3::ZERO };
            let place = DVec3::new(ix as f64, iy as f64, 0.0) - 0.5 * n as f64 * DVec3::new(1.0, 1.0, 0.0);
            vertices.push(turn * ((place + shift) * side));
        }
    }
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

#[test]
fn a_box_on_ten_thousand_flat_triangles_has_four_contacts_of_one_normal_and_gap() {
    let block = cuboid(0.2, 0.15, 0.1);
    let mut random = Random::new(6);
    for jitter in [0.0, 0.3] {
        let ground = Prepared::new(&floor(71, 0.1, DQuat::IDENTITY, jitter), 0.0).unwrap();
        let prepared = [ground, Prepared::new(&block, 0.0).unwrap()];
        let mut workspace = Workspace::default();
        for round in 0..2000 {
            // Straight over the seams, exactly on them and turned.
            let along = f64::from(round) * 1e-3;
            let (place, turn) = match round % 3 {
                0 => (DVec3::new(along, 0.0, 0.0), DQuat::IDENTITY),
                1 => (DVec3::new(0.1 * f64::from(round % 20), 0.05, 0.0), DQuat::IDENTITY),
                _ => (random.point() * DVec3::new(2.0, 2.0, 0.0), DQuat::from_rotation_z(random.between(-3.0, 3.0))),
            };
            let gap = [0.0, 1e-9, -1e-9, 1e-4, -1e-4][round as usize % 5];
            let pose = Pose::new(place + DVec3::Z * (0.1 + gap), turn);
            let found = detect_prepared(&mut workspace, &prepared, &Pose::IDENTITY, &pose, 1e-3);
            assert_eq!(found.len(), 4, "round {round}: {found:?}");
            for contact in &found {
                assert!((contact.normal - DVec3::Z).length() <= 1e-15, "{contact:?}");
                assert!((contact.gap - gap).abs() < 1e-16 + 1e-15 * 0.1, "{contact:?}");
                assert!((contact.gap - found[0].gap).abs() < 1e-16, "{found:?}");
            }
        }
    }
}

#[test]
fn a_tilted_frame_does_not_bend_the_floor() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), 0.4);
    let ground = Prepared::new(&floor(40, 0.1, turn, 0.3), 0.0).unwrap();
    let prepared = [ground, Prepared::new(&cuboid(0.2, 0.15, 0.1), 0.0).unwrap()];
    let mut workspace = Workspace::default();
    let (up, mut random) = (turn * DVec3::Z, Random::new(7));
    for _ in 0..500 {
        let spin = DQuat::from_rotation_z(random.between(-3.0, 3.0));
        let place = turn * (random.point() * DVec3::new(1.5, 1.5, 0.0) + DVec3::Z * 0.0999);
        let pose = Pose::new(place, (turn * spin).normalize());
        let found = detect_prepared(&mut workspace, &prepared, &Pose::IDENTITY, &pose, 1e-3);
        assert_eq!(found.len(), 4, "{found:?}");
        for contact in &found {
            assert!((contact.normal - up).length() < 1e-13 && (contact.gap + 1e-4).abs() < 1e-14, "{contact:?}");
        }
    }
}

/// z = sign |x| over two wide strips.
fn roof(sign: f64) -> Shape {
    let vertices =
        [-4.0, 0.0, 4.0].into_iter().flat_map(|x: f64| [-4.0, 4.0].map(|y| DVec3::new(x, y, sign * x.abs()))).collect();
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
    Shape::TriangleMesh(Arc::new(Mesh::new(vertices, triangles).unwrap()))
}

#[test]
fn a_face_on_a_ridge_is_pushed_along_its_own_normal() {
    let block = cuboid(0.1, 0.15, 0.1);
    for gap in [5e-4, -5e-4, -5e-3] {
        for spin in [0.0, 0.3] {
            let pose = Pose::new(DVec3::new(0.01, 0.2, 0.1 + gap), DQuat::from_rotation_z(spin));
            let found = detect(&roof(-1.0), &Pose::IDENTITY, &block, &pose, 1e-3);
            assert!((2..=4).contains(&found.len()), "{found:?}");
            for contact in &found {
                assert!((contact.normal - DVec3::Z).length() < 1e-12, "{contact:?}");
                assert!((contact.gap - gap).abs() < 1e-12, "{contact:?}");
            }
            // Both ends of the common length.
            let along = |contact: &Contact| contact.points[1].y;
            let low = found.iter().map(along).fold(f64::INFINITY, f64::min);
            let high = found.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            assert!(high - low > 0.2, "{found:?}");
        }
    }
}

#[test]
fn a_corner_beside_a_ridge_is_pushed_by_the_near_face() {
    // A corner down, 5 mm below the right face, 0.2 m from the ridge.
    let half = 0.1;
    let turn =
        DQuat::from_rotation_arc(DVec3::new(-1.0, -1.0, -1.0).normalize(), DVec3::new(-1.0, 0.0, -1.0).normalize());
    let lowest = turn * DVec3::splat(-half);
    let normal = DVec3::new(1.0, 0.0, 1.0).normalize();
    let pose = Pose::new(DVec3::new(0.2, 0.1, -0.2) - normal * 5e-3 - lowest, turn);
    let found = detect(&roof(-1.0), &Pose::IDENTITY, &cuboid(half, half, half), &pose, 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].normal - normal).length() < 1e-12 && (found[0].gap + 5e-3).abs() < 1e-12, "{found:?}");
}

#[test]
fn an_edge_in_a_valley_is_bound_by_both_faces() {
    // A box turned by 45° about y sits in the valley with its lower edge.
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    let half = 0.1;
    let down = half * 2.0_f64.sqrt();
    for gap in [5e-4, -5e-4, -5e-3] {
        let rise = gap * 2.0_f64.sqrt();
        let pose = Pose::new(DVec3::new(0.0, 0.1, down + rise), turn);
        let found = detect(&roof(1.0), &Pose::IDENTITY, &cuboid(half, half, half), &pose, 1e-3);
        for side in [-1.0, 1.0] {
            let normal = DVec3::new(side, 0.0, 1.0).normalize();
            let of_side: Vec<&Contact> = found.iter().filter(|c| (c.normal - normal).length() < 1e-12).collect();
            assert_eq!(of_side.len(), 4, "gap {gap}: {found:?}");
            assert!(of_side.iter().all(|contact| (contact.gap - gap).abs() < 1e-12), "gap {gap}: {found:?}");
        }
        assert_eq!(found.len(), 8, "gap {gap}: {found:?}");
    }
}
