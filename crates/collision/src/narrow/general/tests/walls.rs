//! Thin closed walls: bodies that have gone partly through one are pushed back to the side of their centre.

use super::super::convex::{Convex, Placement, View};
use super::super::{Body, Part, mesh, mesh::MeshBuffers};
use super::*;
use crate::Mesh;
use std::sync::Arc;

/// A closed wall from z = −thickness to 0, from −1 to 1 in x and y, of cells × cells squares on both faces.
fn wall(thickness: f64, cells: usize) -> Shape {
    let place = |i: usize| 2.0 * i as f64 / cells as f64 - 1.0;
    let mut vertices = Vec::new();
    for z in [0.0, -thickness] {
        for iy in 0..=cells {
            for ix in 0..=cells {
                vertices.push(DVec3::new(place(ix), place(iy), z));
            }
        }
    }
    let row = cells as u32 + 1;
    let layer = row * row;
    let mut triangles = Vec::new();
    for iy in 0..cells as u32 {
        for ix in 0..cells as u32 {
            let [a, b, c, d] = [iy * row + ix, iy * row + ix + 1, (iy + 1) * row + ix + 1, (iy + 1) * row + ix];
            triangles.extend([[a, b, c], [a, c, d]]);
            triangles.extend([[a, c, b], [a, d, c]].map(|t| t.map(|corner| corner + layer)));
        }
    }
    // The four narrow sides, outwards.
    let last = cells as u32;
    for k in 0..last {
        for (p, q) in [
            (k, k + 1),
            (last + k * row, last + (k + 1) * row),
            (last * row + k + 1, last * row + k),
            ((k + 1) * row, k * row),
        ] {
            triangles.extend([[p, p + layer, q + layer], [p, q + layer, q]]);
        }
    }
    let mesh = Mesh::new(vertices, triangles).unwrap();
    assert!(mesh.topology().is_closed());
    Shape::TriangleMesh(Arc::new(mesh))
}

#[test]
fn no_wall_is_too_thin_to_push_back() {
    let prism: Vec<DVec3> = (0..12)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k % 6) / 6.0;
            DVec3::new(0.1 * angle.cos(), 0.1 * angle.sin(), if k < 6 { -0.09 } else { 0.09 })
        })
        .collect();
    let sign = |bit: usize| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let half = DVec3::new(0.08, 0.1, 0.12);
    let box_corners: Vec<DVec3> =
        (0..8).map(|i: usize| half * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect();
    let bodies = [
        (Shape::Cuboid { half }, box_corners, 0.08),
        (Shape::ConvexHull { points: prism.clone().into() }, prism, 0.1 * 0.75_f64.sqrt()),
    ];
    for thickness in [0.02, 0.005, 0.0005] {
        for cells in [1, 30] {
            let ground = wall(thickness, cells);
            for (shape, corners, inner) in &bodies {
                let prepared = [Prepared::new(&ground, 0.0).unwrap(), Prepared::new(shape, 0.0).unwrap()];
                let mut workspace = Workspace::default();
                let mut random = Random::new(31);
                let mut most = 0;
                for _ in 0..1000 {
                    let turn = random.rotation().normalize();
                    let lowest = corners.iter().map(|&corner| (turn * corner).z).fold(f64::INFINITY, f64::min);
                    let depth = random.between(1e-4, 0.45 * inner);
                    let place = random.point() * DVec3::new(0.7, 0.7, 0.0) + DVec3::Z * (-lowest - depth);
                    let pose = Pose::new(place, turn);
                    let found = detect_prepared(&mut workspace, &prepared, &Pose::IDENTITY, &pose, 1e-3);
                    let context = format!("{} in {thickness} m of {cells}: {found:?}", shape.kind());
                    for contact in &found {
                        assert!((contact.normal - DVec3::Z).length() < 1e-12, "{context}");
                        assert!(contact.points[0].z.abs() < 1e-12, "from the far face: {context}");
                    }
                    assert!((least_gap(&found) + depth).abs() < 1e-12, "{depth}: {context}");
                    for &corner in corners {
                        let corner = pose * corner;
                        let held = found.iter().any(|c| (c.points[1] - corner).length() < 1e-9);
                        assert!(corner.z > -1e-6 || held || found.len() >= 4, "{corner}: {context}");
                    }
                    most = most.max(found.len());
                }
                assert!(most <= 8, "{most}");
            }
        }
    }
}

#[test]
fn a_centre_inside_a_closed_wall_leaves_by_the_nearest_face() {
    let ground = wall(0.2, 10);
    for (z, up) in [(-0.03, 1.0), (-0.17, -1.0)] {
        for shape in
            [cuboid(0.1, 0.1, 0.1), Shape::Sphere { radius: 0.1 }, Shape::Cylinder { half_height: 0.1, radius: 0.1 }]
        {
            let pose = Pose::at(DVec3::new(0.11, 0.07, z));
            let found = detect(&ground, &Pose::IDENTITY, &shape, &pose, 1e-3);
            let context = format!("{} at {z}: {found:?}", shape.kind());
            assert!((least_gap(&found) + 0.13).abs() < 1e-9, "{context}");
            assert!(found.iter().all(|contact| contact.normal.z * up > 0.999), "{context}");
        }
    }
}

/// Contacts of a ball with a surface, as (depth, normal), with a place known to be free.
fn ball_with_history(surface: &Shape, centre: DVec3, free: Option<DVec3>) -> Vec<(f64, DVec3)> {
    let Body::Surface(surface) = Part::new(Pose::IDENTITY, surface, 0.0).unwrap().body else { return Vec::new() };
    let ball = Convex::new(&Shape::Sphere { radius: 0.01 }, 0.0).unwrap().unwrap();
    let (mut placement, mut buffers) = (Placement::default(), MeshBuffers::default());
    let view = View::moved(&ball, &Pose::at(centre), &mut placement);
    mesh::touch(&surface, &view, 1e-3, free, &mut buffers);
    buffers.found.iter().map(|met| (ball.sweep - met.touch.gap, met.touch.normal)).collect()
}

#[test]
fn a_ball_whose_centre_has_gone_through_is_pushed_back_to_where_it_came_from() {
    let sheet = {
        let vertices = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
        Shape::TriangleMesh(Arc::new(Mesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()))
    };
    let mut random = Random::new(9);
    for _ in 0..200 {
        let place = random.point() * DVec3::new(0.8, 0.8, 0.0);
        let free = Some(place + DVec3::new(0.01, 0.02, 0.05));
        for (surface, depth) in [(&sheet, 0.002), (&wall(0.02, 1), 0.014)] {
            let found = ball_with_history(surface, place - DVec3::Z * depth, free);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].0 - depth - 0.01).abs() < 1e-12 && found[0].1 == DVec3::Z, "{found:?}");
        }
        // Without: an open sheet leaves it alone.
        let found = ball_with_history(&sheet, place - DVec3::Z * 0.002, None);
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn margins_of_body_and_surface_come_off_the_gap() {
    for (shape, low) in [(cuboid(0.1, 0.1, 0.1), 0.1), (Shape::Cylinder { half_height: 0.1, radius: 0.1 }, 0.1)] {
        for gap in [1e-3, -1e-3, -0.04] {
            let pose = Pose::at(DVec3::new(0.13, 0.07, low + 0.03 + gap));
            let found = detect_swept((&wall(0.05, 10), 0.01), &Pose::IDENTITY, (&shape, 0.02), &pose, 0.01);
            assert_eq!(found.len(), 4, "{found:?}");
            for contact in &found {
                assert!((contact.gap - gap).abs() < 1e-15 && contact.normal == DVec3::Z, "{contact:?}");
            }
        }
    }
}

/// A closed vessel with walls and floor of this thickness: from −0.3 to 0.3 in x and y inside, its floor at z = 0, open above.
fn vessel(thickness: f64) -> Shape {
    let ring = |half: f64, z: f64| {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x * half, y * half, z))
    };
    let outer = 0.3 + thickness;
    let rings = [ring(outer, -thickness), ring(outer, 0.6), ring(0.3, 0.6), ring(0.3, 0.0)];
    let vertices = rings.into_iter().flatten().collect();
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    // Outside, rim and inside, from ring to ring.
    for low in [0, 4, 8] {
        for k in 0..4 {
            let [p, q] = [low + k, low + (k + 1) % 4];
            triangles.extend([[p, q, q + 4], [p, q + 4, p + 4]]);
        }
    }
    let mesh = Mesh::new(vertices, triangles).unwrap();
    assert!(mesh.topology().is_closed());
    Shape::TriangleMesh(Arc::new(mesh))
}

#[test]
fn every_wall_of_a_vessel_that_a_box_is_behind_pushes_it_back_inwards() {
    let half = DVec3::new(0.1, 0.08, 0.12);
    let sign = |bit: usize| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| half * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2)));
    let walls = [(DVec3::X, -0.3), (DVec3::NEG_X, -0.3), (DVec3::Y, -0.3), (DVec3::NEG_Y, -0.3), (DVec3::Z, 0.0)];
    for thickness in [0.02, 0.0005] {
        let prepared =
            [Prepared::new(&vessel(thickness), 0.0).unwrap(), Prepared::new(&Shape::Cuboid { half }, 0.0).unwrap()];
        let mut workspace = Workspace::default();
        let mut random = Random::new(13);
        let mut several = 0;
        for _ in 0..3000 {
            let turn = random.rotation().normalize();
            let turned = corners.map(|corner| turn * corner);
            let lowest = |n: DVec3| turned.iter().map(|&corner| n.dot(corner)).fold(f64::INFINITY, f64::min);
            // Into a corner of the vessel, near or behind two walls and the floor.
            let mut depth = || random.between(-0.02, 0.03);
            let place = DVec3::new(
                -0.3 - lowest(DVec3::X) - depth(),
                -0.3 - lowest(DVec3::Y) - depth(),
                -lowest(DVec3::Z) - depth(),
            );
            // Behind two walls, feet lie on the planes of the walls, beyond their edges: not checked to be on the surface.
            let (mut found, [a, b]) = (Vec::new(), &prepared);
            let pose = Pose::new(place, turn);
            contacts(&mut workspace, a, &Pose::IDENTITY, b, &pose, 1e-3, &mut |feature, points, normal, gap| {
                found.push(Contact { feature, points, normal, gap });
            });
            let mut pushed = 0;
            for (n, offset) in walls {
                let height = lowest(n) + n.dot(place) - offset;
                let along = found.iter().filter(|contact| (contact.normal - n).length() < 1e-12);
                let least = along.map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
                if height < 0.0 {
                    pushed += 1;
                    assert!((least - height).abs() < 1e-12, "{least} for {height} along {n}: {found:?}");
                } else {
                    assert!(least >= height - 1e-12, "{least} for {height} along {n}: {found:?}");
                }
            }
            several += usize::from(pushed > 1);
            let inwards = |contact: &Contact| walls.iter().any(|(n, _)| (contact.normal - *n).length() < 1e-12);
            assert!(found.iter().all(inwards), "{found:?}");
        }
        assert!(several > 500, "{several}");
    }
}
