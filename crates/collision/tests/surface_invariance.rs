//! What contacts of deformable surfaces do not depend on, and how their names last.

mod skins;

use glam::{DQuat, DVec3};
use signorini_collision::{Collider, Contact, Mesh, NO_FACE, Pose, Shape};
use skins::{Model, Random, Skin};
use std::sync::Arc;

/// One of every kind of shape, about half a metre large.
fn shapes() -> Vec<Shape> {
    let shell = Skin::cuboid(DVec3::new(0.3, 0.2, 0.25), 2);
    vec![
        Shape::Sphere { radius: 0.3 },
        Shape::Cuboid { half: DVec3::new(0.3, 0.2, 0.25) },
        Shape::Capsule { half_height: 0.3, radius: 0.15 },
        Shape::Cylinder { half_height: 0.3, radius: 0.2 },
        Shape::Cone { half_height: 0.3, radius: 0.25 },
        Shape::ConvexHull { points: shell.nodes.clone().into() },
        Shape::HalfSpace { normal: DVec3::Z },
        Shape::TriangleMesh(Arc::new(Mesh::new(shell.nodes, shell.triangles).expect("a usable mesh"))),
        Shape::HeightField {
            heights: vec![0.0, 0.1, 0.05, -0.1, 0.0, 0.1, 0.2, 0.1, 0.0].into(),
            columns: 3,
            size: [1.0, 1.0],
        },
        Shape::InsideCylinder { radius: 0.6, half_height: 1.0, thickness: 0.1 },
        Shape::InsideCone { bottom_radius: 0.4, top_radius: 0.8, half_height: 1.0, thickness: 0.1 },
        Shape::Compound {
            parts: vec![
                (Pose::at(DVec3::X * 0.2), Shape::Sphere { radius: 0.2 }),
                (Pose::at(DVec3::X * -0.2), Shape::Cuboid { half: DVec3::splat(0.15) }),
            ]
            .into(),
        },
    ]
}

fn colliders() -> Vec<Collider> {
    (0..).zip(shapes()).map(|(body, shape)| Collider::new(body, shape)).collect()
}

/// All shapes around two soft balls.
fn scene(random: &mut Random) -> (Vec<Pose>, Vec<Skin>) {
    let poses =
        (0..shapes().len()).map(|_| Pose::new(random.direction() * random.between(0.4, 0.8), random.rotation()));
    let poses = poses.collect();
    let mut small = Skin::ball(3);
    small.nodes.iter_mut().for_each(|node| *node = *node * 0.4 + random.point(0.02));
    let other = small.moved(Pose::new(DVec3::new(0.3, 0.5, 0.35), random.rotation()));
    (poses, vec![small, other])
}

fn nodes(skins: &[Skin]) -> Vec<DVec3> {
    skins.iter().flat_map(|skin| skin.nodes.iter().copied()).collect()
}

/// Only those of surfaces: rigid ones are others' business.
fn of_surfaces(mut contacts: Vec<Contact>) -> Vec<Contact> {
    contacts.retain(|contact| contact.faces != [NO_FACE; 2]);
    contacts
}

#[test]
fn every_shape_is_met_and_contacts_move_with_the_scene() {
    let mut random = Random(11);
    let mut met = vec![0; shapes().len() + 1];
    for _ in 0..10 {
        let (poses, skins) = scene(&mut random);
        let mut model = Model::new(colliders(), &skins, |_| {});
        let before = of_surfaces(model.detect(&poses, &nodes(&skins), 0.02));
        before.iter().for_each(|contact| met[contact.colliders[0] as usize] += 1);
        let motion = Pose::new(random.point(1.0), random.rotation());
        let moved: Vec<Skin> = skins.iter().map(|skin| skin.moved(motion)).collect();
        let poses: Vec<Pose> = poses.iter().map(|pose| motion * *pose).collect();
        let after = of_surfaces(model.detect(&poses, &nodes(&moved), 0.02));
        let only = |these: &[Contact], those: &[Contact]| -> Vec<Contact> {
            let name = |contact: &Contact| (contact.colliders, contact.feature);
            let unknown = |contact: &&Contact| !those.iter().any(|other| name(other) == name(contact));
            these.iter().filter(unknown).copied().collect()
        };
        let lost = [only(&before, &after), only(&after, &before)];
        assert!(lost.iter().all(Vec::is_empty), "{lost:#?}");
        for (a, b) in before.iter().zip(&after) {
            assert_eq!((a.colliders, a.feature, a.faces), (b.colliders, b.feature, b.faces));
            assert!((a.gap - b.gap).abs() < 1e-9, "{a:?}\n{b:?}");
            assert!((motion.rotation * a.normal - b.normal).length() < 1e-6, "{a:?}\n{b:?}");
            assert!((motion * a.points[1] - b.points[1]).length() < 1e-6, "{a:?}\n{b:?}");
        }
    }
    assert!(met.iter().all(|count| *count > 10), "{met:?}");
}

#[test]
fn a_mirrored_scene_has_mirrored_contacts() {
    let mut random = Random(12);
    let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let skin = Skin::ball(2);
    let turned = Skin {
        nodes: skin.nodes.iter().map(|&node| mirror(node)).collect(),
        triangles: skin.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect(),
    };
    // Shapes that are their own mirror images.
    for shape in shapes().into_iter().take(5) {
        for _ in 0..30 {
            let pose = Pose::new(random.direction() * random.between(0.9, 1.4), random.rotation());
            let DQuat { x, y, z, w } = pose.rotation;
            let reflected = Pose::new(mirror(pose.position), DQuat::from_xyzw(x, -y, -z, w));
            let gaps = |skin: &Skin, pose: Pose| {
                let found = skins::contacts(Collider::new(0, shape.clone()), pose, skin, 0.05);
                let mut gaps: Vec<f64> = found.iter().map(|contact| contact.gap).collect();
                gaps.sort_by(f64::total_cmp);
                gaps
            };
            let (one, other) = (gaps(&skin, pose), gaps(&turned, reflected));
            assert_eq!(one.len(), other.len(), "{}: {one:?} {other:?}", shape.kind());
            assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-9), "{}", shape.kind());
        }
    }
}

#[test]
fn names_last_while_things_move_a_little() {
    let mut random = Random(13);
    let (mut kept, mut all) = (0, 0);
    for _ in 0..10 {
        let (mut poses, mut skins) = scene(&mut random);
        let mut model = Model::new(colliders(), &skins, |_| {});
        let before = of_surfaces(model.detect(&poses, &nodes(&skins), 0.02));
        poses.iter_mut().for_each(|pose| pose.position += random.point(1e-6));
        skins.iter_mut().for_each(|skin| skin.nodes.iter_mut().for_each(|node| *node += random.point(1e-6)));
        let after = of_surfaces(model.detect(&poses, &nodes(&skins), 0.02));
        for contact in &before {
            let same =
                after.iter().find(|other| (other.colliders, other.feature) == (contact.colliders, contact.feature));
            all += 1;
            if let Some(same) = same {
                kept += 1;
                assert!((same.gap - contact.gap).abs() < 1e-4, "{contact:?}\n{same:?}");
            }
        }
    }
    assert!(kept * 1000 >= all * 995, "{kept} of {all} names");
}

#[test]
fn contacts_are_the_same_bits_for_any_threads_and_history() {
    let mut random = Random(14);
    let (poses, skins) = scene(&mut random);
    // Enough triangles for several parts.
    let fine = [Skin::ball(20), Skin::ball(18).moved(Pose::at(DVec3::X * 1.9))];
    for (poses, skins) in [(&poses, &skins[..]), (&poses, &fine[..])] {
        let nodes = nodes(skins);
        let fresh = |parallel: bool, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut model = Model::new(colliders(), skins, |surface| surface.touches_itself = true);
            model.surfaces.set_parallel(parallel);
            pool.install(|| model.detect(poses, &nodes, 0.02))
        };
        let expected = fresh(false, 1);
        assert!(expected.len() > 100);
        assert_eq!(expected, fresh(true, 1));
        assert_eq!(expected, fresh(true, 3));
        let mut used = Model::new(colliders(), skins, |surface| surface.touches_itself = true);
        let elsewhere: Vec<DVec3> = nodes.iter().map(|node| *node * 1.3 + DVec3::splat(0.1)).collect();
        used.detect(poses, &elsewhere, 0.1);
        assert_eq!(expected, used.detect(poses, &nodes, 0.02));
    }
}

#[test]
fn nodes_that_are_no_numbers_touch_nothing_and_the_others_go_on() {
    let mut random = Random(15);
    let (poses, skins) = scene(&mut random);
    let mut model = Model::new(colliders(), &skins, |surface| surface.touches_itself = true);
    let clean = nodes(&skins);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut nodes = clean.clone();
        nodes.iter_mut().step_by(5).for_each(|node| node.y = bad);
        let found = of_surfaces(model.detect(&poses, &nodes, 0.02));
        assert!(!found.is_empty());
        for contact in &found {
            assert!(contact.gap.is_finite() && contact.normal.is_finite(), "{contact:?}");
            assert!(contact.points.iter().all(|point| point.is_finite()));
        }
        let all_bad = vec![DVec3::splat(bad); nodes.len()];
        assert!(of_surfaces(model.detect(&poses, &all_bad, 0.02)).is_empty());
    }
    // Without extent, all nodes in one place.
    let found = of_surfaces(model.detect(&poses, &vec![DVec3::ZERO; clean.len()], 0.02));
    assert!(found.iter().all(|contact| contact.gap.is_finite() && contact.normal.is_finite()));
}

#[test]
fn far_reaches_find_more_and_give_the_gaps_of_now() {
    let skin = Skin::flat(2);
    let mut model =
        Model::new(vec![Collider::new(0, Shape::Sphere { radius: 0.1 })], std::slice::from_ref(&skin), |_| {});
    let pose = [Pose::at(DVec3::new(0.1, 0.05, 0.15))];
    for (rigid_reach, node_reach, expected) in [(0.0, 0.0, 0), (0.06, 0.0, 1), (0.0, 0.06, 1), (0.03, 0.03, 1)] {
        let mut found = Vec::new();
        model.rigid.detect(&pose, &[rigid_reach], 0.0, &mut found);
        let reach = vec![node_reach; skin.nodes.len()];
        model.surfaces.detect(&model.rigid, &[rigid_reach], &skin.nodes, &reach, 0.0, &mut found);
        assert_eq!(found.len(), expected);
        assert!(found.iter().all(|contact| (contact.gap - 0.05).abs() < 1e-15));
    }
}
