//! Deformable surfaces against each other and themselves.

mod skins;

use glam::DVec3;
use signorini_collision::{Contact, Groups, Pose};
use skins::{Model, Skin, off_triangle};

fn nodes(skins: &[Skin]) -> Vec<DVec3> {
    skins.iter().flat_map(|skin| skin.nodes.iter().copied()).collect()
}

fn meet(skins: &[Skin], envelope: f64) -> Vec<Contact> {
    let nodes = nodes(skins);
    let mut model = Model::new(Vec::new(), skins, |_| {});
    let found = model.detect(&[], &nodes, envelope);
    assert!(found.is_sorted_by_key(|contact| (contact.colliders, contact.feature)));
    for contact in &found {
        assert_eq!((contact.colliders, contact.bodies), ([0, 1], [0, 1]));
        for side in 0..2 {
            let corners = model.surfaces.triangle(contact.faces[side]).map(|node| nodes[node as usize]);
            assert!(off_triangle(contact.points[side], corners) < 1e-12, "{contact:?}");
        }
        let along = contact.normal.dot(contact.points[1] - contact.points[0]);
        assert!((along - contact.gap).abs() < 1e-12, "{contact:?}");
    }
    found
}

#[test]
fn blocks_stacked_apart_or_overlapping_have_flat_contacts_of_one_gap() {
    let lower = Skin::cuboid(DVec3::new(0.5, 0.5, 0.2), 4);
    // The same mesh above, a coarser and a smaller one, flush, shifted and with rims over nodes.
    for (half, cells, shift) in [(0.5, 4, 0.0), (0.5, 3, 0.0), (0.3, 2, 0.05), (0.25, 2, 0.0), (0.25, 3, 0.125)] {
        for gap in [0.001, 0.0, -0.001] {
            let place = DVec3::new(shift, 0.5 * shift, 0.4 + gap);
            let upper = Skin::cuboid(DVec3::new(half, half, 0.2), cells).moved(Pose::at(place));
            let found = meet(&[lower.clone(), upper], 0.01);
            let corners = ((cells + 1) * (cells + 1)) as usize;
            assert!(found.len() >= corners, "{} contacts of {corners} nodes", found.len());
            for contact in &found {
                assert!((contact.normal - DVec3::Z).length() < 1e-9, "{half} {cells} {gap}: {contact:?}");
                assert!((contact.gap - gap).abs() < 1e-14, "{half} {cells} {gap}: {contact:?}");
            }
        }
    }
}

#[test]
fn two_ridges_that_cross_touch_at_one_point() {
    let p = |x: f64, y: f64| DVec3::new(x, y, -x.abs());
    let lower = Skin {
        nodes: vec![p(-1.0, -1.0), p(0.0, -1.0), p(1.0, -1.0), p(-1.0, 1.0), p(0.0, 1.0), p(1.0, 1.0)],
        triangles: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
    };
    for gap in [0.02, -0.02] {
        // Upside down, and turned by a quarter.
        let turn = glam::DQuat::from_rotation_z(1.2) * glam::DQuat::from_rotation_x(std::f64::consts::PI);
        let upper = lower.moved(Pose::new(DVec3::new(0.1, 0.2, gap), turn));
        let found = meet(&[lower.clone(), upper], 0.03);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].gap - gap).abs() < 1e-14 && (found[0].normal - DVec3::Z).length() < 1e-14);
    }
}

#[test]
fn the_upper_side_of_a_thin_plate_does_not_touch_what_is_below() {
    let block = Skin::cuboid(DVec3::new(0.5, 0.5, 0.2), 3);
    let plate = Skin::cuboid(DVec3::new(0.3, 0.3, 0.005), 3).moved(Pose::at(DVec3::new(0.03, 0.01, 0.204)));
    let found = meet(&[block, plate], 0.02);
    assert!(found.iter().filter(|contact| contact.gap < 0.0).count() >= 16);
    // Nodes of the side walls may touch, those of the upper side at 0.209 do not.
    for contact in &found {
        assert!((contact.normal - DVec3::Z).length() < 1e-9 && contact.points[1].z < 0.208, "{contact:?}");
        assert!((contact.gap - (contact.points[1].z - contact.points[0].z)).abs() < 1e-14, "{contact:?}");
    }
}

/// A strip bent to a U that opens to +x, legs `apart` from each other, its outside within.
fn folded(cells: u32, apart: f64) -> Skin {
    let flat = Skin::flat(cells);
    let bend = |node: &DVec3| {
        let s = node.x + 0.5;
        let third = 1.0 / 3.0;
        let (x, z) = if s < third {
            (third - s, 0.0)
        } else if s < 2.0 * third {
            let angle = (s / third - 1.0) * std::f64::consts::PI;
            (-0.5 * apart * angle.sin(), 0.5 * apart * (1.0 - angle.cos()))
        } else {
            (s - 2.0 * third, apart)
        };
        DVec3::new(x, -node.y, z)
    };
    Skin { nodes: flat.nodes.iter().map(bend).collect(), triangles: flat.triangles }
}

#[test]
fn the_legs_of_a_folded_strip_touch_and_a_flat_one_does_not_touch_itself() {
    let itself = |skin: &Skin, envelope: f64| {
        let mut model = Model::new(Vec::new(), std::slice::from_ref(skin), |surface| surface.touches_itself = true);
        model.detect(&[], &skin.nodes, envelope)
    };
    let skin = folded(24, 0.06);
    let found = itself(&skin, 0.065);
    let legs: Vec<_> = found.iter().filter(|contact| contact.points.iter().all(|point| point.x > 0.05)).collect();
    assert!(legs.len() > 25 * 5, "{}", legs.len());
    for contact in legs {
        assert_eq!((contact.colliders, contact.bodies), ([0; 2], [0; 2]));
        assert!((contact.gap - 0.06).abs() < 1e-12 && contact.normal.z.abs() > 1.0 - 1e-9, "{contact:?}");
    }
    assert!(itself(&Skin::flat(12), 0.05).is_empty());
    // Through the thickness of a plate, the surface does not touch itself.
    assert!(itself(&Skin::cuboid(DVec3::new(0.5, 0.5, 0.01), 6), 0.05).is_empty());
}

#[test]
fn groups_bodies_and_excluded_pairs_keep_surfaces_apart() {
    use signorini_collision::{DeformableSurface, Detector, SurfaceDetector};
    let skins = [Skin::flat(2), Skin::flat(2).moved(Pose::new(DVec3::Z * 0.01, glam::DQuat::from_rotation_x(3.0)))];
    let nodes = nodes(&skins);
    let count = skins[0].nodes.len() as u32;
    let first = DeformableSurface::new(0, 0, skins[0].triangles.clone());
    let shifted = skins[1].triangles.iter().map(|corners| corners.map(|corner| corner + count)).collect();
    let second = DeformableSurface::new(1, 1, shifted);
    let rigid = Detector::new(Vec::new(), Vec::new(), &[]).unwrap();
    let count = |first: &DeformableSurface, second: &DeformableSurface, excluded: &[(u32, u32)]| {
        let mut found = Vec::new();
        let mut detector = SurfaceDetector::new(vec![first.clone(), second.clone()], nodes.len(), excluded).unwrap();
        detector.detect(&rigid, &[], &nodes, &vec![0.0; nodes.len()], 0.1, &mut found);
        found.len()
    };
    assert!(count(&first, &second, &[]) > 0);
    assert_eq!(count(&first, &second, &[(1, 0)]), 0);
    assert_eq!(count(&first, &DeformableSurface { body: 0, ..second.clone() }, &[]), 0);
    let alone = Groups { member: 2, with: 2 };
    assert_eq!(
        count(
            &DeformableSurface { groups: Groups { member: 1, with: 1 }, ..first },
            &DeformableSurface { groups: alone, ..second },
            &[]
        ),
        0
    );
}
