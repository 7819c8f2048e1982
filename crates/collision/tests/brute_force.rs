//! The detector against all pairs tested one by one.
#![allow(clippy::unwrap_used)]

mod scenes;

use glam::DVec3;
use proptest::prelude::*;
use scenes::{Random, Scene, everything, spheres};
use signorini_collision::{BroadPhase, Contact, Mobility, Shape};
use std::collections::BTreeMap;

/// The nearest contact of every pair, against the oracle. Feet beyond the first are judged by `containers.rs`.
fn compare(scene: &Scene, contacts: &[Contact]) {
    let named = |contact: &Contact| (contact.colliders, contact.feature);
    assert!(contacts.windows(2).all(|pair| named(&pair[0]) < named(&pair[1])), "not sorted, or one twice");
    let mut found: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for contact in contacts {
        let [a, b] = contact.colliders;
        assert_eq!(contact.bodies, [a, b].map(|index| scene.colliders[index as usize].body));
        // Pairs without a sphere are judged by `every_shape.rs`.
        if [a, b].iter().any(|&index| matches!(scene.colliders[index as usize].shape, Shape::Sphere { .. })) {
            let gap = found.entry((a, b)).or_insert(f64::INFINITY);
            *gap = gap.min(contact.gap);
        }
        assert!((contact.normal.length() - 1.0).abs() < 1e-12);
        let along = contact.points[1] - contact.points[0] - contact.normal * contact.gap;
        let scale = 1e-14 * (1.0 + contact.points[0].length());
        assert!(along.length() < scale, "points are {along} off the gap along the normal");
    }
    // A gap is a difference of places, each with the rounding of its distance from the origin.
    let farthest = scene.poses.iter().map(|pose| pose.position.length()).fold(1.0, f64::max);
    let rounding = 16.0 * f64::EPSILON * farthest;
    for (a, b, gap, limit) in scene.oracle() {
        match found.remove(&(a, b)) {
            Some(ours) => assert!((ours - gap).abs() < rounding, "gap of {a} and {b}: {ours}, expected {gap}"),
            None => assert!(gap > limit - rounding, "{a} and {b} missed: gap {gap}, limit {limit}"),
        }
        assert!(gap < limit + rounding || !found.contains_key(&(a, b)));
    }
    assert!(found.is_empty(), "pairs that must not touch: {found:?}");
}

fn bits(contacts: &[Contact]) -> Vec<u64> {
    let numbers = |c: &Contact| {
        let [p, q] = c.points.map(|point| point.to_array());
        [p, q, c.normal.to_array()].concat().into_iter().chain([c.gap]).map(f64::to_bits).collect::<Vec<u64>>()
    };
    contacts
        .iter()
        .flat_map(|c| [u64::from(c.colliders[0]), u64::from(c.colliders[1]), c.feature].into_iter().chain(numbers(c)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_pair_within_reach_is_found_and_no_other(seed: u64, count in 0usize..300) {
        let scene = everything(seed, count);
        let mut detector = scene.detector();
        for choice in [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::Tree] {
            detector.set_broad_phase(choice);
            compare(&scene, &scene.contacts_of(&mut detector));
        }
    }

    #[test]
    fn what_is_found_depends_on_the_poses_of_the_step_alone(seed: u64, count in 1usize..200, size in 1e-4..0.3f64) {
        let mut scene = everything(seed, count);
        let mut random = Random(seed);
        let mut detector = scene.detector();
        for step in 0..12 {
            scene.shake(&mut random, if step == 7 { 10.0 * size } else { size });
            scene.envelope = random.between(0.0, 0.05);
            let body = random.below(count);
            scene.reach[body] = random.between(0.0, 0.5);
            let contacts = scene.contacts_of(&mut detector);
            compare(&scene, &contacts);
            prop_assert_eq!(bits(&contacts), bits(&scene.contacts()));
        }
    }
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads_and_any_broad_phase() {
    let mut scene = spheres(&mut Random(5), 20_000, 1.0, [0.02, 0.05]);
    let mixed = everything(3, 4000);
    for (body, pose) in mixed.poses.iter().enumerate() {
        scene.poses.push(*pose);
        scene.mobility.push(mixed.mobility[body]);
        scene.reach.push(mixed.reach[body]);
    }
    scene.colliders.extend(mixed.colliders.iter().map(|collider| {
        let mut collider = collider.clone();
        collider.body += 20_000;
        collider
    }));
    let mut runs = Vec::new();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for choice in [BroadPhase::Auto, BroadPhase::Tree] {
            let mut detector = scene.detector();
            detector.set_broad_phase(choice);
            runs.push(bits(&pool.install(|| scene.contacts_of(&mut detector))));
        }
    }
    assert!(runs[0].len() > 100_000, "{} numbers", runs[0].len());
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn one_fast_body_does_not_make_the_others_meet_more() {
    let mut scene = spheres(&mut Random(8), 5000, 2.0, [0.05, 0.06]);
    let mut detector = scene.detector();
    scene.contacts_of(&mut detector);
    let before = detector.statistics();
    scene.reach[17] = 100.0;
    let contacts = scene.contacts_of(&mut detector);
    let after = detector.statistics();
    assert_eq!(contacts.iter().filter(|contact| contact.bodies.contains(&17)).count(), 4999);
    assert_eq!((after.in_grid, after.in_tree), (4999, 1));
    assert!(after.candidates <= before.candidates + 4999, "{} then {}", before.candidates, after.candidates);
}

#[test]
fn pairs_are_kept_while_bodies_move_little() {
    let mut random = Random(8);
    let mut scene = spheres(&mut random, 2000, 1.0, [0.05, 0.06]);
    let mut detector = scene.detector();
    for _ in 0..10 {
        scene.contacts_of(&mut detector);
        scene.shake(&mut random, 1e-5);
    }
    assert_eq!((detector.statistics().searches, detector.statistics().detections), (1, 10));
}

#[test]
fn bodies_at_no_place_touch_nothing_and_disturb_nobody() {
    let mut scene = everything(11, 100);
    let expected: Vec<Contact> = scene.contacts();
    for (body, strange) in [(3, DVec3::NAN), (4, DVec3::INFINITY), (5, DVec3::new(1e300, 0.0, 0.0))] {
        scene.poses[body].position = strange;
    }
    scene.reach[6] = f64::NAN;
    let strange = |contact: &Contact| contact.bodies.iter().any(|body| (3..=6).contains(body));
    let (ours, others): (Vec<Contact>, Vec<Contact>) = scene.contacts().into_iter().partition(strange);
    assert_eq!(others, expected.into_iter().filter(|contact| !strange(contact)).collect::<Vec<_>>());
    assert!(ours.iter().all(|contact| contact.bodies.contains(&5)), "only what is far away may be within a wall");
    scene.envelope = f64::NAN;
    assert!(scene.contacts().is_empty());
}

#[test]
fn a_reach_without_end_meets_everybody() {
    let mut scene = spheres(&mut Random(2), 50, 1.0, [0.01, 0.02]);
    scene.reach[0] = f64::INFINITY;
    assert_eq!(scene.contacts().iter().filter(|contact| contact.bodies[0] == 0).count(), 49);
}

#[test]
fn spheres_about_one_point_touch_once_each() {
    let mut scene = spheres(&mut Random(2), 40, 0.0, [0.01, 0.02]);
    scene.mobility[3] = Mobility::Fixed;
    let contacts = scene.contacts();
    assert_eq!(contacts.len(), 40 * 39 / 2);
    assert!(contacts.iter().all(|contact| contact.normal == DVec3::Z && contact.gap < 0.0));
}

#[test]
fn buffers_are_reused() {
    let scene = spheres(&mut Random(8), 3000, 1.0, [0.02, 0.3]);
    let mut detector = scene.detector();
    let mut contacts = Vec::new();
    let mut held = Vec::new();
    for _ in 0..6 {
        detector.forget();
        detector.detect(&scene.poses, &scene.reach, scene.envelope, &mut contacts);
        held.push(detector.memory_bytes());
    }
    assert!(held.windows(2).all(|pair| pair[0] == pair[1]), "{held:?}");
}
