//! Contacts of deformable surfaces whose points, normals and gaps are known by formula.

mod skins;

use glam::{DQuat, DVec3};
use signorini_collision::{Collider, Contact, Mesh, Pose, Shape};
use skins::{Model, Random, Skin, contacts};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::Arc;

fn collider(shape: Shape) -> Collider {
    Collider::new(0, shape)
}

fn sphere(radius: f64) -> Collider {
    collider(Shape::Sphere { radius })
}

fn least(contacts: &[Contact]) -> f64 {
    contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_ball_on_a_flat_skin_has_one_contact_with_the_flat_normal_over_faces_seams_and_nodes() {
    let skin = Skin::flat(4);
    // Inside a face, on a diagonal, on a side, on a node.
    for (x, y) in [(0.05, 0.1), (0.1, 0.1), (0.25, 0.1), (0.25, -0.25)] {
        let found = contacts(sphere(0.4), Pose::at(DVec3::new(x, y, 0.39)), &skin, 0.01);
        let near: Vec<_> = found.iter().filter(|contact| contact.gap < -0.0099).collect();
        assert_eq!(near.len(), 1, "{found:?}");
        assert!((near[0].gap + 0.01).abs() < 1e-15 && (near[0].normal + DVec3::Z).length() < 1e-12, "{near:?}");
        assert!((near[0].points[1] - DVec3::new(x, y, 0.0)).length() < 1e-12);
    }
}

#[test]
fn a_ball_rolling_over_a_flat_skin_meets_no_other_normal() {
    let mut random = Random(7);
    let skin = Skin::flat(6);
    for _ in 0..300 {
        let place = DVec3::new(random.between(-0.49, 0.49), random.between(-0.49, 0.49), 0.3 + 1e-9);
        let found = contacts(sphere(0.3), Pose::at(place), &skin, 1e-8);
        assert!((least(&found) - 1e-9).abs() < 1e-15, "{found:?}");
        assert!(found.iter().all(|contact| (contact.normal + DVec3::Z).length() < 3e-4), "{found:?}");
    }
}

/// A roof of two squares over the ridge x = 0 with the slope 1.
fn roof() -> Skin {
    let p = |x: f64, y: f64| DVec3::new(x, y, -x.abs());
    let nodes = vec![p(-1.0, -1.0), p(0.0, -1.0), p(1.0, -1.0), p(-1.0, 1.0), p(0.0, 1.0), p(1.0, 1.0)];
    Skin { nodes, triangles: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]] }
}

#[test]
fn a_ball_over_a_ridge_touches_the_edge_and_beside_it_the_face() {
    let tilt = DVec3::new(0.3, 0.0, 1.0).normalize();
    let found = contacts(sphere(0.2), Pose::at(tilt * 0.25 + DVec3::Y * 0.1), &roof(), 0.08);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap - 0.05).abs() < 1e-15 && (found[0].normal + tilt).length() < 1e-14);
    let slope = DVec3::new(1.0, 0.0, 1.0).normalize();
    let foot = DVec3::new(0.4, 0.3, -0.4);
    let found = contacts(sphere(0.2), Pose::at(foot + slope * 0.19), &roof(), 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.01).abs() < 1e-15 && (found[0].normal + slope).length() < 1e-14);
}

#[test]
fn a_ball_in_a_valley_touches_both_walls_and_not_the_edge() {
    let mut valley = roof();
    valley.nodes.iter_mut().for_each(|node| node.z = -node.z);
    // Distance from both walls: z / √2.
    let found = contacts(sphere(0.2), Pose::at(DVec3::new(0.0, 0.1, 0.3)), &valley, 0.05);
    assert_eq!(found.len(), 2, "{found:?}");
    for contact in &found {
        assert!((contact.gap - (0.3 * 0.5_f64.sqrt() - 0.2)).abs() < 1e-15);
        assert!((contact.normal.x.abs() - 0.5_f64.sqrt()).abs() < 1e-15);
    }
}

#[test]
fn a_ball_over_the_tip_of_a_pyramid_touches_its_node() {
    let nodes = vec![DVec3::ZERO, DVec3::new(1.0, 0.0, -1.0), DVec3::new(0.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, -1.0)];
    let skin = Skin { nodes, triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]] };
    let towards = DVec3::new(0.1, -0.1, 1.0).normalize();
    let found = contacts(sphere(0.5), Pose::at(towards * 0.49), &skin, 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.01).abs() < 1e-15 && (found[0].normal + towards).length() < 1e-14);
    assert_eq!(found[0].points[1], DVec3::ZERO);
}

#[test]
fn the_corner_of_a_box_pressed_into_a_face_is_one_contact() {
    // On its tip: the corner is √3 half below the centre.
    let half = 0.05;
    let turn = DQuat::from_rotation_arc(DVec3::splat(-1.0).normalize(), -DVec3::Z);
    let centre = DVec3::new(0.05, 0.02, 3.0_f64.sqrt() * half - 0.004);
    let found =
        contacts(collider(Shape::Cuboid { half: DVec3::splat(half) }), Pose::new(centre, turn), &Skin::flat(2), 0.001);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.004).abs() < 1e-15 && (found[0].normal + DVec3::Z).length() < 1e-15);
    assert!((found[0].points[1] - DVec3::new(0.05, 0.02, 0.0)).length() < 1e-14);
}

#[test]
fn the_edge_of_a_box_lying_across_seams_touches_along_its_length() {
    // Standing on one edge along y: its lower edge is at √2 half below the centre.
    let half = DVec3::new(0.1, 0.3, 0.1);
    let pose = Pose::new(DVec3::new(0.03, 0.0, 0.1 * 2.0_f64.sqrt() - 0.002), DQuat::from_rotation_y(FRAC_PI_4));
    let found = contacts(collider(Shape::Cuboid { half }), pose, &Skin::flat(4), 0.001);
    // Two corners over faces, and the sides y = const and the diagonals it crosses.
    assert!(found.len() >= 2 + 3, "{}", found.len());
    for contact in &found {
        assert!((contact.gap + 0.002).abs() < 1e-14 && (contact.normal + DVec3::Z).length() < 1e-9, "{contact:?}");
        assert!((contact.points[1].x - 0.03).abs() < 1e-12);
    }
}

#[test]
fn a_cylinder_and_a_capsule_lying_on_a_skin_touch_along_a_line() {
    for (shape, ends) in
        [(Shape::Cylinder { half_height: 0.2, radius: 0.1 }, 2), (Shape::Capsule { half_height: 0.2, radius: 0.1 }, 2)]
    {
        let pose = Pose::new(DVec3::new(0.0, 0.03, 0.099), DQuat::from_rotation_y(FRAC_PI_2));
        let found = contacts(collider(shape), pose, &Skin::flat(5), 1e-6);
        let on_line: Vec<_> = found.iter().filter(|contact| (contact.points[1].y - 0.03).abs() < 1e-6).collect();
        assert!(on_line.len() >= ends + 2, "{found:?}");
        for contact in on_line {
            assert!((contact.gap + 0.001).abs() < 1e-12, "{contact:?}");
            assert!((contact.normal + DVec3::Z).length() < 1e-7, "{contact:?}");
        }
    }
}

#[test]
fn a_cone_standing_on_its_tip_and_a_cylinder_on_its_cap() {
    let tip = Pose::new(DVec3::new(0.04, 0.01, 0.199), DQuat::from_rotation_x(std::f64::consts::PI));
    let found = contacts(collider(Shape::Cone { half_height: 0.2, radius: 0.1 }), tip, &Skin::flat(2), 1e-4);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.001).abs() < 1e-14 && (found[0].normal + DVec3::Z).length() < 1e-14);
    let cap = Pose::at(DVec3::new(0.01, 0.02, 0.199));
    let found = contacts(collider(Shape::Cylinder { half_height: 0.2, radius: 0.3 }), cap, &Skin::flat(4), 1e-4);
    assert!(found.len() >= 8, "{}", found.len());
    for contact in &found {
        assert!((contact.gap + 0.001).abs() < 1e-12 && (contact.normal + DVec3::Z).length() < 1e-7, "{contact:?}");
    }
}

#[test]
fn behind_a_face_a_ball_is_pushed_out_and_far_behind_it_touches_nothing() {
    // Edges of the triangles are at most √2/2 long: solid to a depth of 0.35.
    let skin = Skin::flat(2);
    let found = contacts(sphere(0.01), Pose::at(DVec3::new(0.1, 0.2, -0.2)), &skin, 0.01);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 0.21).abs() < 1e-15 && (found[0].normal + DVec3::Z).length() < 1e-15);
    assert!(contacts(sphere(0.01), Pose::at(DVec3::new(0.1, 0.2, -0.4)), &skin, 0.01).is_empty());
}

#[test]
fn what_has_entered_a_thin_plate_leaves_by_the_nearer_side() {
    let plate = Skin::cuboid(DVec3::new(0.5, 0.5, 0.02), 3);
    for (z, out) in [(0.019, 1.0), (0.005, 1.0), (-0.012, -1.0)] {
        let found = contacts(sphere(0.05), Pose::at(DVec3::new(0.06, 0.03, z)), &plate, 0.001);
        assert!(!found.is_empty());
        for contact in &found {
            assert!((contact.normal - DVec3::Z * -out).length() < 1e-12, "z = {z}: {contact:?}");
            assert!((contact.gap - (out * z - 0.02 - 0.05)).abs() < 1e-14, "z = {z}: {contact:?}");
        }
    }
}

#[test]
fn a_node_that_enters_a_box_beside_its_wall_leaves_through_the_floor() {
    // The node (0.25, 0.25) is 1 mm inside the wall x = 0.251 and 2 mm above the floor of the box.
    let pose = Pose::at(DVec3::new(0.151, 0.151, 0.098));
    let found = contacts(collider(Shape::Cuboid { half: DVec3::splat(0.1) }), pose, &Skin::flat(4), 0.0);
    assert!(!found.is_empty());
    for contact in &found {
        assert!((contact.gap + 0.002).abs() < 1e-14 && (contact.normal + DVec3::Z).length() < 1e-12, "{contact:?}");
    }
}

#[test]
fn a_block_on_a_floor_touches_with_its_lower_nodes_alone() {
    let block = Skin::cuboid(DVec3::new(0.5, 0.5, 0.05), 4).moved(Pose::at(DVec3::Z * 0.049));
    let floors = [
        Shape::HalfSpace { normal: DVec3::Z },
        Shape::HeightField { heights: vec![0.0; 9].into(), columns: 3, size: [4.0, 4.0] },
    ];
    for floor in floors {
        // The envelope is larger than the block is thick.
        let found = contacts(collider(floor.clone()), Pose::IDENTITY, &block, 0.2);
        let deep: Vec<_> = found.iter().filter(|contact| contact.gap < 0.0).collect();
        assert!(deep.len() >= 25, "{}: {}", floor.kind(), deep.len());
        for contact in deep {
            assert!(
                (contact.gap + 0.001).abs() < 1e-14 && (contact.normal - DVec3::Z).length() < 1e-12,
                "{}: {contact:?}",
                floor.kind()
            );
        }
        assert!(found.iter().all(|contact| contact.points[1].z < 0.09), "{}: the upper side", floor.kind());
    }
    let found = contacts(collider(Shape::HalfSpace { normal: DVec3::Z }), Pose::IDENTITY, &block, 0.01);
    assert_eq!(found.len(), 25);
}

#[test]
fn margins_of_both_sides_are_taken_off_the_gap_and_the_point_stays_on_the_triangle() {
    let skin = Skin::flat(2);
    let ball = Collider { margin: 0.02, ..sphere(0.1) };
    let pose = Pose::at(DVec3::new(0.1, 0.05, 0.2));
    let mut model = Model::new(vec![ball], std::slice::from_ref(&skin), |surface| surface.margin = 0.03);
    let found = model.detect(&[pose], &skin.nodes, 0.06);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap - 0.05).abs() < 1e-15);
    assert!((found[0].points[1] - DVec3::new(0.1, 0.05, 0.0)).length() < 1e-15);
    assert!((found[0].points[0] - DVec3::new(0.1, 0.05, 0.08)).length() < 1e-15);
}

#[test]
fn a_block_inside_a_container_touches_its_wall_with_its_outer_nodes() {
    // The corners of a square of half side a are √2 a from the axis.
    let block = Skin::cuboid(DVec3::new(0.2, 0.2, 0.1), 2);
    let wall = collider(Shape::InsideCylinder { radius: 0.28, half_height: 1.0, thickness: 0.03 });
    let found = contacts(wall, Pose::IDENTITY, &block, 0.0);
    assert_eq!(found.len(), 12, "four corners at three heights");
    for contact in &found {
        assert!((contact.gap - (0.28 - 0.2 * 2.0_f64.sqrt())).abs() < 1e-14);
        let radial = contact.points[1].truncate().normalize().extend(0.0);
        assert!((contact.normal + radial).length() < 1e-14);
    }
}

#[test]
fn a_mesh_a_hull_and_a_compound_of_one_box_touch_a_skin_where_the_box_does() {
    let half = DVec3::new(0.1, 0.15, 0.05);
    let shell = Skin::cuboid(half, 1);
    let mesh = Mesh::new(shell.nodes.clone(), shell.triangles).unwrap();
    let shapes = [
        Shape::Cuboid { half },
        Shape::ConvexHull { points: shell.nodes.into() },
        Shape::TriangleMesh(Arc::new(mesh)),
        Shape::Compound { parts: vec![(Pose::at(DVec3::ZERO), Shape::Cuboid { half })].into() },
    ];
    let pose = Pose::new(DVec3::new(0.02, 0.03, 0.08), DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(0.2));
    let skin = Skin::flat(3);
    let expected = least(&contacts(collider(shapes[0].clone()), pose, &skin, 0.01));
    assert!(expected < -0.001, "the box is in the skin by {expected}");
    for shape in shapes {
        let kind = shape.kind();
        let found = contacts(collider(shape), pose, &skin, 0.01);
        let deepest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!((deepest.gap - expected).abs() < 1e-14, "{kind}: {deepest:?}");
        assert!((deepest.normal + DVec3::Z).length() < 1e-12, "{kind}: {deepest:?}");
    }
}

#[test]
fn below_the_ridge_of_a_height_field_a_node_leaves_by_the_nearer_slope_however_deep() {
    // A roof along y with the slope 1; the ridge is at x = 0, z = 1.
    let heights: Vec<f64> = (0..3).flat_map(|_| [0.0, 1.0, 0.0]).collect();
    let field = Shape::HeightField { heights: heights.into(), columns: 3, size: [2.0, 2.0] };
    let tip = DVec3::new(0.1, 0.3, 0.2);
    // A tetrahedron on its tip.
    let up = |x: f64, y: f64| tip + DVec3::new(x, y, 3.0);
    let nodes = vec![tip, up(1.0, 0.0), up(-0.5, 0.9), up(-0.5, -0.9)];
    let skin = Skin { nodes, triangles: vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]] };
    let found = contacts(collider(field), Pose::IDENTITY, &skin, 0.0);
    let of_tip: Vec<_> = found.iter().filter(|contact| contact.points[1] == tip).collect();
    assert_eq!(of_tip.len(), 1, "{found:?}");
    // Below the slope z = 1 − x by (1 − 0.1 − 0.2)/√2.
    assert!((of_tip[0].gap + 0.7 * 0.5_f64.sqrt()).abs() < 1e-14, "{of_tip:?}");
    assert!((of_tip[0].normal - DVec3::new(1.0, 0.0, 1.0).normalize()).length() < 1e-14);
}

#[test]
fn surfaces_that_cannot_be_used_are_refused_by_name() {
    use signorini_collision::{DeformableSurface, SurfaceDetector};
    let refused = |surface: DeformableSurface| {
        let good = DeformableSurface::new(0, 0, vec![[0, 1, 2]]);
        let Err((index, error)) = SurfaceDetector::new(vec![good, surface], 4, &[]) else { panic!("accepted") };
        (index, error.to_string())
    };
    let (index, message) = refused(DeformableSurface::new(1, 1, vec![[0, 1, 2], [1, 2, 4]]));
    assert_eq!((index, message.contains("triangle 1 of 2 uses node 4")), (1, true), "{message}");
    let (_, message) = refused(DeformableSurface::new(1, 1, vec![[0, 1, 1]]));
    assert!(message.contains("has a node twice"), "{message}");
    for margin in [-0.1, f64::NAN, f64::INFINITY] {
        let (_, message) = refused(DeformableSurface { margin, ..DeformableSurface::new(1, 1, vec![[0, 1, 2]]) });
        assert!(message.contains("margin"), "{message}");
    }
}
