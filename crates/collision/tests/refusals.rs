//! What a detector refuses, and the bounds it tells.
#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use signorini_collision::{Collider, Detector, Mobility, Pose, Shape};

fn refusal(change: impl Fn(&mut Collider)) -> String {
    let good = Collider::new(0, Shape::Sphere { radius: 1.0 });
    let mut bad = good.clone();
    change(&mut bad);
    let (index, error) = Detector::new(vec![good, bad], vec![Mobility::Moving], &[]).err().unwrap();
    assert_eq!(index, 1);
    error.to_string()
}

#[test]
fn what_cannot_be_used_is_named_with_its_value() {
    assert_eq!(refusal(|c| c.body = 3), "sphere: it is attached to body 3, but there are 1 bodies");
    assert_eq!(refusal(|c| c.margin = -0.5), "sphere: margin is -0.5, expected a finite length ≥ 0");
    assert!(refusal(|c| c.margin = f64::NAN).contains("margin is NaN"));
    assert!(refusal(|c| c.pose.position.y = f64::INFINITY).contains("is inf, expected a finite number"));
    assert!(refusal(|c| c.pose.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0)).contains("is 2, expected 1"));
}

#[test]
fn the_bounding_radius_of_a_body_holds_all_its_colliders() {
    let ball = Collider {
        pose: Pose::at(DVec3::new(3.0, 4.0, 0.0)),
        margin: 0.25,
        ..Collider::new(1, Shape::Sphere { radius: 1.0 })
    };
    let cuboid = Collider::new(1, Shape::Cuboid { half: DVec3::new(2.0, 3.0, 6.0) });
    let floor = Collider::new(2, Shape::HalfSpace { normal: DVec3::Z });
    let detector = Detector::new(vec![ball, cuboid, floor], vec![Mobility::Moving; 3], &[]).unwrap();
    assert_eq!([0, 1].map(|body| detector.bounding_radius(body)), [0.0, 7.0]);
    assert_eq!(detector.bounding_radius(2), f64::INFINITY);
}
