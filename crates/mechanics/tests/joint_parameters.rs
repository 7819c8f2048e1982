//! The numbers that joints tell others: enough to compute from outside by how much a joint is open.

mod support;

use signorini_mechanics::joint::{
    Anchors, Distance, Gear, Joint, JointParameter, Law, Prismatic, Pulley, RackPinion, Revolute, Rope, Row, RowKind,
    Screw,
};
use signorini_mechanics::{Pose, Quat, Vec3};
use support::two_bodies;

fn poses() -> [Pose; 2] {
    let turned = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(-1.1);
    [Pose::new(Vec3::new(0.3, -0.2, 1.0), turned), Pose::new(Vec3::new(2.0, 0.5, -0.7), turned.conjugate())]
}

fn named(joint: &dyn Joint, name: &str) -> Option<JointParameter> {
    joint.parameters().into_iter().find(|(found, _)| *found == name).map(|(_, value)| value)
}

fn number(joint: &dyn Joint, name: &str) -> f64 {
    match named(joint, name) {
        Some(JointParameter::Number(value)) => value,
        other => panic!("{name} of a {} is {other:?}", joint.kind()),
    }
}

/// The points of a joint in the world, by what it says of itself.
fn points(joint: &dyn Joint, poses: &[Pose; 2]) -> [Vec3; 2] {
    let place = joint.place();
    [0, 1].map(|side| poses[side].position + poses[side].rotation * place.points[side])
}

fn row(joint: &dyn Joint, poses: &[Pose; 2]) -> Row {
    let mut rows = [Row::ZERO];
    joint.evaluate(poses.each_ref(), 0.0, &mut rows);
    rows[0]
}

#[test]
fn lengths_and_points_give_the_gap_of_rods_ropes_and_pulleys() {
    let (poses, on_bodies) = (poses(), [Vec3::new(0.1, 0.0, 0.2), Vec3::new(0.0, -0.3, 0.1)]);
    let rod = Distance::new(two_bodies(), on_bodies, 1.5);
    let rope = Rope::new(two_bodies(), on_bodies, 1.7);
    for (joint, sign) in [(&rod as &dyn Joint, 1.0), (&rope, -1.0)] {
        let [a, b] = points(joint, &poses);
        let gap = sign * ((b - a).length() - number(joint, "length"));
        assert!((gap - row(joint, &poses).value).abs() < 1e-14, "{}", joint.kind());
    }
    let sheaves = [Vec3::new(0.0, 0.0, 3.0), Vec3::new(1.0, 0.2, 3.5)];
    let taut = Pulley::new(two_bodies(), on_bodies, sheaves, 6.0).ratio(2.5);
    for pulley in [taut.clone(), taut.slack()] {
        let [a, b] = points(&pulley, &poses);
        let Some(JointParameter::Vectors([over_a, over_b])) = named(&pulley, "sheaves") else {
            panic!("{:?}", pulley.parameters())
        };
        let parts = [(a - Vec3::from(over_a)).length(), (b - Vec3::from(over_b)).length()];
        let excess = parts[0] + number(&pulley, "ratio") * parts[1] - number(&pulley, "length");
        let row = row(&pulley, &poses);
        let is_slack = row.kind == RowKind::AtLeastZero;
        assert_eq!(named(&pulley, "slack"), Some(JointParameter::Flag(is_slack)));
        assert!((excess - if is_slack { -row.value } else { row.value }).abs() < 1e-14);
    }
}

#[test]
fn an_imposed_length_is_no_number() {
    let rod = Distance::new(two_bodies(), [Vec3::ZERO; 2], 1.5).driven(Law::linear(1.0, 0.1));
    assert_eq!(rod.parameters(), []);
}

#[test]
fn limits_teeth_radius_and_pitch_are_told_as_they_were_given() {
    let anchors = Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] };
    let range = Some(JointParameter::Pair([-0.25, 0.75]));
    assert_eq!(named(&Revolute::new(anchors).limited(-0.25, 0.75), "limits"), range);
    assert_eq!(named(&Prismatic::new(anchors).limited(-0.25, 0.75), "limits"), range);
    assert_eq!(Revolute::new(anchors).parameters(), []);
    assert_eq!(number(&Screw::new(anchors, -0.002), "pitch"), -0.002);
    let (poses, axis) = (poses(), Vec3::new(0.0, 2.0, 0.0));
    let gear = Gear::new(two_bodies(), poses.each_ref(), [axis, Vec3::Z], [12, 30]).internal();
    assert_eq!(named(&gear, "teeth"), Some(JointParameter::Pair([12.0, 30.0])));
    assert_eq!(named(&gear, "internal"), Some(JointParameter::Flag(true)));
    let rack = RackPinion::new(two_bodies(), poses.each_ref(), axis, Vec3::X, 0.04);
    assert_eq!(number(&rack, "radius"), 0.04);
    for (joint, name) in [(&gear as &dyn Joint, "axes"), (&rack, "pinion_axis")] {
        let axis = match named(joint, name) {
            Some(JointParameter::Vectors([axis, _]) | JointParameter::Vector(axis)) => Vec3::from(axis),
            other => panic!("{name}: {other:?}"),
        };
        assert!((axis - Vec3::Y).length() < 1e-15, "{name}: {axis}");
    }
}
