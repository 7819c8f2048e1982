//! What the book and the warnings of meshes promise: on which side surfaces hold bodies that are inside out or have a hole, and
//! what is below a height field.
#![allow(clippy::unwrap_used)]

use glam::DVec3;
use signorini_collision::{Collider, Contact, Detector, Mesh, Mobility, Pose, Shape};
use std::sync::Arc;

/// A box of half-side 1, from outside or from inside, without some of its triangles.
fn box_mesh(inwards: bool, left_out: &[usize]) -> Mesh {
    let sign = |bit: usize| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|i| DVec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let kept = triangles.into_iter().enumerate().filter(|(at, _)| !left_out.contains(at));
    let turned = kept.map(|(_, [a, b, c])| if inwards { [a, c, b] } else { [a, b, c] });
    Mesh::new(vertices, turned.collect()).unwrap()
}

fn contacts(mesh: Mesh, centre: DVec3, radius: f64) -> Vec<Contact> {
    contacts_of(Shape::TriangleMesh(Arc::new(mesh)), centre, radius)
}

fn contacts_of(shape: Shape, centre: DVec3, radius: f64) -> Vec<Contact> {
    let colliders = vec![Collider::new(0, shape), Collider::new(1, Shape::Sphere { radius })];
    let mut detector = Detector::new(colliders, vec![Mobility::Fixed, Mobility::Moving], &[]).unwrap();
    let mut contacts = Vec::new();
    detector.detect(&[Pose::IDENTITY, Pose::at(centre)], &[0.0; 2], 0.01, &mut contacts);
    contacts
}

#[test]
fn a_box_that_is_inside_out_holds_what_is_within_and_lets_in_what_is_outside() {
    let mesh = box_mesh(true, &[]);
    assert_eq!(mesh.defects().inside_out.len(), 1);
    let within = contacts(mesh.clone(), DVec3::new(0.3, 0.1, 0.85), 0.2);
    assert_eq!(within.len(), 1, "{within:?}");
    assert!((within[0].gap + 0.05).abs() < 1e-12 && (within[0].normal + DVec3::Z).length() < 1e-12, "{within:?}");
    // Outside, crossing the wall with the centre still outside.
    let outside = contacts(mesh, DVec3::new(0.3, 0.1, 1.1), 0.2);
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn a_box_with_a_hole_holds_what_is_outside_and_not_what_is_within() {
    let mesh = box_mesh(false, &[0]);
    assert_eq!(mesh.defects().holes.len(), 1);
    let outside = contacts(mesh.clone(), DVec3::new(0.3, 0.1, 1.15), 0.2);
    assert_eq!(outside.len(), 1, "{outside:?}");
    assert!((outside[0].gap + 0.05).abs() < 1e-12 && (outside[0].normal - DVec3::Z).length() < 1e-12, "{outside:?}");
    let within = contacts(mesh, DVec3::new(0.3, 0.1, 0.9), 0.2);
    assert!(within.is_empty(), "{within:?}");
    // Of the closed box the same ball is pushed out.
    let solid = contacts(box_mesh(false, &[]), DVec3::new(0.3, 0.1, 0.9), 0.2);
    assert!((solid[0].gap + 0.3).abs() < 1e-12, "{solid:?}");
}

#[test]
fn a_height_field_is_solid_however_deep_below_and_nothing_outside_its_rim() {
    // The plane z = 0 over the square from −2 to 2.
    let field = || Shape::HeightField { heights: vec![0.0; 25].into(), columns: 5, size: [4.0; 2] };
    for depth in [0.1, 1.0, 1000.0] {
        let found = contacts_of(field(), DVec3::new(0.3, 0.4, -depth), 0.2);
        let deepest = found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        assert!((deepest + depth + 0.2).abs() < 1e-9, "{depth}: {found:?}");
        assert!(found.iter().all(|contact| contact.normal.z > 0.999_999), "{depth}: {found:?}");
    }
    for outside in [DVec3::new(2.3, 0.4, 0.0), DVec3::new(2.3, 0.4, -1.0), DVec3::new(0.3, -5.0, -1000.0)] {
        assert!(contacts_of(field(), outside, 0.2).is_empty(), "{outside}");
    }
}
