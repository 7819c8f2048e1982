//! Rows of every joint: roots, Jacobians, rates, behaviour far from the root.

mod support;

use signorini_mechanics::joint::{
    Anchors, ConstantVelocity, Curve, CurveError, Cylindrical, Distance, Fixed, Gear, Law, Parallel, Perpendicular,
    Planar, PointOnCurve, PointOnLine, PointOnPlane, Prismatic, Pulley, RackPinion, Revolute, Rope, RowKind, Screw,
    Spherical, Universal,
};
use signorini_mechanics::{Body, Joint, Mat3, Model, Pose, Quat, Vec3};
use std::f64::consts::PI;
use support::{Random, check_jacobian, moved, near, random_anchors, rows_of, two_bodies};

fn laws() -> [Law; 3] {
    [
        Law::Polynomial(vec![0.2, 1.3, -0.4]),
        Law::Sine { amplitude: 0.4, frequency: 0.7, phase: 0.3, offset: 0.9 },
        Law::Table { times: vec![0.0, 1.0, 3.0], values: vec![0.5, 2.0, 1.0] },
    ]
}

/// Every joint of two frames.
fn joints(anchors: Anchors) -> Vec<Box<dyn Joint>> {
    let mut joints: Vec<Box<dyn Joint>> = vec![
        Box::new(Spherical::new(anchors)),
        Box::new(Fixed::new(anchors)),
        Box::new(Revolute::new(anchors)),
        Box::new(Revolute::new(anchors).limited(-1.0, 2.0)),
        Box::new(Prismatic::new(anchors)),
        Box::new(Prismatic::new(anchors).limited(-0.5, 0.25)),
        Box::new(Cylindrical::new(anchors)),
        Box::new(PointOnLine::new(anchors)),
        Box::new(PointOnPlane::new(anchors)),
        Box::new(Universal::new(anchors)),
        Box::new(ConstantVelocity::new(anchors)),
        Box::new(Planar::new(anchors)),
        Box::new(Parallel::new(anchors)),
        Box::new(Perpendicular::new(anchors)),
        Box::new(Screw::new(anchors, 0.7)),
        Box::new(Screw::new(anchors, -0.3)),
    ];
    for law in laws() {
        joints.push(Box::new(Revolute::new(anchors).speed_driven(law.clone(), 0.2)));
        joints.push(Box::new(Prismatic::new(anchors).speed_driven(law.clone(), -0.1)));
        joints.push(Box::new(Revolute::new(anchors).driven(law.clone())));
        joints.push(Box::new(Prismatic::new(anchors).driven(law)));
    }
    joints
}

/// Every joint of two points.
fn spans(points: [Vec3; 2]) -> Vec<Box<dyn Joint>> {
    let bodies = two_bodies();
    let mut joints: Vec<Box<dyn Joint>> =
        vec![Box::new(Distance::new(bodies, points, 0.7)), Box::new(Rope::new(bodies, points, 1.1))];
    joints.extend(laws().map(|law| Box::new(Distance::new(bodies, points, 0.7).driven(law)) as Box<dyn Joint>));
    joints
}

/// Every joint of points and axes in the world, assembled in these poses, and curves.
fn in_world(random: &mut Random, poses: [&Pose; 2]) -> Vec<Box<dyn Joint>> {
    let bodies = two_bodies();
    let axes = [random.vector(), random.vector()];
    let rope = Pulley::new(bodies, [random.vector(), random.vector()], [random.vector(), random.vector()], 1.4);
    vec![
        Box::new(Gear::new(bodies, poses, axes, [17, 41])),
        Box::new(Gear::new(bodies, poses, axes, [41, 17]).internal()),
        Box::new(RackPinion::new(bodies, poses, axes[0], axes[1], 0.3)),
        Box::new(rope.clone()),
        Box::new(rope.clone().ratio(2.5)),
        Box::new(rope.slack()),
        Box::new(PointOnCurve::new(bodies, Curve::open(&knot(9)).expect("a curve"), random.vector())),
        Box::new(PointOnCurve::new(bodies, Curve::closed(&knot(10)).expect("a curve"), random.vector())),
    ]
}

/// Points of a curve that bends and twists all the way.
fn knot(count: usize) -> Vec<Vec3> {
    let angle = |k: usize| 2.0 * PI * k as f64 / count as f64;
    (0..count).map(|k| Vec3::new(1.5 * angle(k).cos(), angle(k).sin(), 0.4 * (2.0 * angle(k)).sin())).collect()
}

#[test]
fn every_jacobian_and_rate_is_the_derivative_of_its_row_in_any_pose() {
    let mut random = Random(1);
    for _ in 0..40 {
        let anchors = random_anchors(&mut random);
        let poses = [random.pose(), random.pose()];
        let start = [random.pose(), random.pose()];
        let others = spans([random.vector(), random.vector()]).into_iter();
        let others = others.chain(in_world(&mut random, start.each_ref()));
        for joint in joints(anchors).into_iter().chain(others) {
            check_jacobian(joint.as_ref(), [&poses[0], &poses[1]], 0.4);
        }
    }
}

#[test]
fn every_jacobian_is_the_derivative_of_its_row_near_the_undeformed_joint_where_series_take_over() {
    let mut random = Random(2);
    for amount in [0.0, 1e-8, 1e-4, 7e-4, 1.2e-3, 1e-2, 0.3] {
        for _ in 0..10 {
            let anchors = random_anchors(&mut random);
            let poses = near(&mut random, &anchors, amount);
            for joint in joints(anchors) {
                check_jacobian(joint.as_ref(), [&poses[0], &poses[1]], 0.4);
            }
        }
    }
}

#[test]
fn every_jacobian_of_gears_racks_and_wires_is_the_derivative_of_its_row_near_where_it_holds() {
    let mut random = Random(5);
    let points = knot(10);
    for amount in [0.0, 1e-8, 1e-4, 1e-2, 0.1] {
        for k in 0..10 {
            let start = [random.pose(), random.pose()];
            let velocity = random.velocity();
            let poses = moved(start.each_ref(), &velocity, amount);
            for joint in in_world(&mut random, start.each_ref()) {
                check_jacobian(joint.as_ref(), poses.each_ref(), 0.4);
            }
            // A point of B in a point of the curve.
            let bodies = two_bodies();
            let on_b = start[1].inverse() * (start[0] * points[k]);
            for curve in [Curve::open(&points), Curve::closed(&points)] {
                let joint = PointOnCurve::new(bodies, curve.expect("a curve"), on_b);
                let rows = rows_of(&joint, start.each_ref(), 0.0);
                assert!(rows.iter().all(|row| row.value.abs() < 1e-14), "{rows:?}");
                check_jacobian(&joint, poses.each_ref(), 0.4);
            }
        }
    }
}

#[test]
fn gears_racks_and_screws_mesh_again_a_tooth_a_turn_or_a_pitch_on() {
    let bodies = two_bodies();
    let start = [Pose::at(Vec3::X), Pose::new(Vec3::Y, Quat::from_rotation_x(0.3))];
    let gear = Gear::new(bodies, start.each_ref(), [Vec3::Z; 2], [17, 41]);
    let rack = RackPinion::new(bodies, start.each_ref(), Vec3::Z, Vec3::Y, 0.2);
    let turned = |pose: &Pose, angle: f64| Pose::new(pose.position, Quat::from_rotation_z(angle) * pose.rotation);
    for k in -60..60 {
        let tooth = 2.0 * PI * f64::from(k) / 17.0;
        for error in [-0.07, 0.0, 0.05] {
            // An error of the angle of A is 17/41 of it on B.
            let a = turned(&start[0], tooth + error);
            let value = rows_of(&gear, [&a, &start[1]], 0.0)[0].value;
            assert!((value - error * 17.0 / 41.0).abs() < 1e-13, "{k} {error} {value}");
            let whole = Pose::at(start[1].position + (2.0 * PI * 0.2 * f64::from(k) + error) * Vec3::Y);
            let value = rows_of(&rack, [&start[0], &whole], 0.0)[0].value;
            assert!((value - error).abs() < 1e-13, "{k} {error} {value}");
        }
    }
    let screw = Screw::new(Anchors { bodies, frames: [Pose::IDENTITY; 2] }, 0.05);
    for k in -60..60 {
        let (angle, error) = (0.7 * f64::from(k), 0.01);
        let nut = Pose::new((0.05 * angle / (2.0 * PI) + error) * Vec3::Z, Quat::from_rotation_z(angle));
        let value = rows_of(&screw, [&Pose::IDENTITY, &nut], 0.0)[4].value;
        assert!((value - error).abs() < 1e-13, "{k} {value}");
    }
}

#[test]
fn rows_stay_finite_where_a_joint_has_no_direction() {
    let bodies = two_bodies();
    let circle: Vec<Vec3> =
        (0..16).map(|k| PI / 8.0 * f64::from(k)).map(|a| Vec3::new(a.cos(), a.sin(), 0.0)).collect();
    let at_its_sheave = Pulley::new(bodies, [Vec3::ZERO; 2], [Vec3::ZERO, Vec3::X], 1.0);
    let in_the_centre = PointOnCurve::new(bodies, Curve::closed(&circle).expect("a curve"), Vec3::ZERO);
    // One row after the other turned over: no shortest way, no twist, no plane of the arms.
    let over = Pose::new(Vec3::ZERO, Quat::from_rotation_x(PI));
    let aligned = Pose::new(Vec3::ZERO, Quat::from_rotation_z(-0.5 * PI));
    let anchors = Anchors { bodies, frames: [Pose::IDENTITY; 2] };
    let cases: [(&dyn Joint, Pose); 5] = [
        (&at_its_sheave, Pose::IDENTITY),
        (&in_the_centre, Pose::IDENTITY),
        (&ConstantVelocity::new(anchors), over),
        (&Universal::new(anchors), aligned),
        (&Planar::new(anchors), over),
    ];
    for (joint, pose) in cases {
        for row in rows_of(joint, [&Pose::IDENTITY, &pose], 0.0) {
            assert!(row.value.is_finite() && row.jacobian.as_flattened().iter().all(|x| x.is_finite()));
            assert!(row.jacobian.as_flattened().iter().any(|x| *x != 0.0), "{}", joint.kind());
        }
    }
    // What is no number comes out as none, and nothing panics.
    let lost = Pose::at(Vec3::splat(f64::NAN));
    assert!(rows_of(&in_the_centre, [&Pose::IDENTITY, &lost], 0.0)[0].value.is_nan());
}

#[test]
fn every_bilateral_row_vanishes_where_the_frames_coincide() {
    let mut random = Random(3);
    for _ in 0..20 {
        let [a, b] = [random.pose(), random.pose()];
        let anchors = Anchors::from_world(two_bodies(), [&a, &b], random.pose());
        for joint in joints(anchors) {
            for row in rows_of(joint.as_ref(), [&a, &b], 0.0) {
                if row.kind == RowKind::Equal && row.rate == 0.0 {
                    assert!(row.value.abs() < 1e-14, "{} {}", joint.kind(), row.value);
                }
            }
        }
    }
}

#[test]
fn a_joint_leaves_its_own_motion_free_and_measures_it() {
    // B turned by α about z and moved by δ along z of the frame.
    let mut random = Random(4);
    for _ in 0..20 {
        let anchors = random_anchors(&mut random);
        let (a, angle, shift) = (random.pose(), 3.0 * random.number(), random.number());
        let free = |angle: f64, shift: f64| {
            let motion = Pose::new(shift * Vec3::Z, Quat::from_rotation_z(angle));
            a * anchors.frames[0] * motion * anchors.frames[1].inverse()
        };
        let largest = |joint: &dyn Joint, b: &Pose| {
            rows_of(joint, [&a, b], 0.0).iter().map(|row| row.value.abs()).fold(0.0, f64::max)
        };
        assert!(largest(&Revolute::new(anchors), &free(angle, 0.0)) < 1e-14);
        assert!(largest(&Prismatic::new(anchors), &free(0.0, shift)) < 1e-14);
        assert!(largest(&Cylindrical::new(anchors), &free(angle, shift)) < 1e-14);
        assert!(largest(&PointOnLine::new(anchors), &free(angle, shift)) < 1e-14);
        assert!((largest(&PointOnPlane::new(anchors), &free(angle, shift)) - shift.abs()).abs() < 1e-14);
        let driven = Revolute::new(anchors).driven(Law::constant(angle));
        assert!(largest(&driven, &free(angle, 0.0)) < 1e-14);
        let driven = Prismatic::new(anchors).driven(Law::constant(shift));
        assert!(largest(&driven, &free(0.0, shift)) < 1e-14);
    }
}

#[test]
fn no_rotation_but_the_undeformed_one_is_a_root_and_rows_stay_finite_everywhere() {
    let anchors = Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] };
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, 0.8), Vec3::new(-0.48, 0.6, 0.64)] {
        for angle in [1e-3, 1.0, 2.0, 3.0, PI - 1e-9, PI, -PI, PI + 1e-9, 5.0] {
            let b = Pose::new(Vec3::ZERO, Quat::from_axis_angle(axis, angle));
            let shortest = (angle.rem_euclid(2.0 * PI)).min((-angle).rem_euclid(2.0 * PI));
            for joint in joints(anchors) {
                for row in rows_of(joint.as_ref(), [&Pose::IDENTITY, &b], 0.0) {
                    assert!(row.value.is_finite() && row.jacobian.as_flattened().iter().all(|x| x.is_finite()));
                }
            }
            let norm = |joint: &dyn Joint| {
                let rows = rows_of(joint, [&Pose::IDENTITY, &b], 0.0);
                rows.iter().map(|row| row.value * row.value).sum::<f64>().sqrt()
            };
            // The rotation vector is as long as the rotation; a tilt is the angle of the axes.
            assert!((norm(&Fixed::new(anchors)) - shortest).abs() < 1e-12, "{axis} {angle}");
            let tilt = (b.rotation * Vec3::Z).angle_between(Vec3::Z);
            assert!((norm(&Revolute::new(anchors)) - tilt).abs() < 2e-6, "{axis} {angle} {tilt}");
        }
    }
}

#[test]
fn the_error_of_a_driven_hinge_does_not_count_whole_turns() {
    let anchors = Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] };
    let joint = Revolute::new(anchors).driven(Law::linear(0.1, 30.0));
    for k in 0..500 {
        let time = 0.013 * f64::from(k);
        let target = 0.1 + 30.0 * time;
        for error in [-3.0, -0.5, 0.0, 0.5, 3.0] {
            let b = Pose::new(Vec3::ZERO, Quat::from_rotation_z(target + error));
            let row = rows_of(&joint, [&Pose::IDENTITY, &b], time)[5];
            assert!((row.value - error).abs() < 1e-12 && row.rate == -30.0, "{time} {error} {}", row.value);
        }
    }
}

#[test]
fn limits_of_a_hinge_are_continuous_through_half_a_turn() {
    // 2.5 to 4.5 rad: π lies between.
    let anchors = Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] };
    let joint = Revolute::new(anchors).limited(2.5, 4.5);
    for k in 0..=100 {
        let angle = 2.0 + 0.03 * f64::from(k);
        let b = Pose::new(Vec3::ZERO, Quat::from_rotation_z(angle));
        let rows = rows_of(&joint, [&Pose::IDENTITY, &b], 0.0);
        assert!((rows[5].value - (angle - 2.5)).abs() < 1e-13 && (rows[6].value - (4.5 - angle)).abs() < 1e-13);
        assert!(rows[5].kind == RowKind::AtLeastZero && rows[6].kind == RowKind::AtLeastZero);
    }
}

#[test]
fn coincident_points_give_a_finite_row_with_the_same_direction_every_time() {
    for joint in spans([Vec3::ZERO; 2]) {
        let rows = rows_of(joint.as_ref(), [&Pose::IDENTITY, &Pose::at(Vec3::splat(1e-300))], 0.0);
        assert!(rows[0].value.is_finite());
        assert_eq!(rows[0].jacobian[1][..3].iter().map(|x| x.abs()).collect::<Vec<_>>(), [0.0, 0.0, 1.0]);
    }
}

#[test]
fn joints_that_cannot_be_used_are_refused_by_name() {
    let mut model = Model::builder();
    let bodies = [model.body(Body::fixed("wall")), model.body(Body::new("arm", 1.0, Mat3::IDENTITY))];
    let anchors = Anchors { bodies, frames: [Pose::IDENTITY; 2] };
    let crooked =
        Anchors { frames: [Pose::IDENTITY, Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0))], ..anchors };
    let lost = Anchors { frames: [Pose::at(Vec3::splat(f64::NAN)), Pose::IDENTITY], ..anchors };
    model.joint("a", Spherical::new(lost));
    model.joint("b", Fixed::new(crooked));
    model.joint("c", Revolute::new(anchors).limited(-4.0, 4.0));
    model.joint("d", Revolute::new(anchors).limited(1.0, -1.0));
    model.joint("e", Prismatic::new(anchors).driven(Law::constant(0.0)).limited(0.0, 1.0));
    model.joint("f", Prismatic::new(anchors).driven(Law::Polynomial(vec![])));
    model.joint("g", Distance::new(bodies, [Vec3::ZERO; 2], 0.0));
    model.joint("h", Rope::new(bodies, [Vec3::ZERO; 2], f64::INFINITY));
    model.joint("i", Spherical::new(anchors));
    model.joint("j", Screw::new(anchors, 0.0));
    let starts = [&Pose::IDENTITY; 2];
    model.joint("k", Gear::new(bodies, starts, [Vec3::Z; 2], [17, 0]));
    model.joint("l", Gear::new(bodies, starts, [Vec3::Z, Vec3::ZERO], [17, 41]));
    model.joint("m", RackPinion::new(bodies, starts, Vec3::Z, Vec3::X, -1.0));
    model.joint("n", RackPinion::new(bodies, starts, Vec3::Z, Vec3::splat(f64::NAN), 1.0));
    model.joint("o", Pulley::new(bodies, [Vec3::ZERO; 2], [Vec3::Z; 2], 0.0));
    model.joint("p", Pulley::new(bodies, [Vec3::ZERO; 2], [Vec3::Z; 2], 1.0).ratio(f64::NAN));
    model.joint("q", Revolute::new(anchors).speed_driven(Law::constant(1.0), f64::INFINITY));
    model.joint("r", Prismatic::new(anchors).speed_driven(Law::constant(f64::NAN), 0.0));
    model.joint("s", Revolute::new(anchors).speed_driven(Law::constant(1.0), 0.0).limited(0.0, 1.0));
    model.joint("t", Universal::new(crooked));
    let messages: Vec<String> = model.errors().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "spherical joint `a`: a coordinate is NaN, expected a finite number of metres",
            "fixed joint `b`: length of the rotation quaternion of a frame is 2, expected 1",
            "revolute joint `c`: distance of the limits is 8, expected less than 2π rad, as whole turns cannot be told from a pose",
            "revolute joint `d`: lower limit is 1, expected at most the upper limit",
            "prismatic joint `e`: the displacement is imposed and limited, expected one of both",
            "prismatic joint `f`: law of the displacement: coefficient is empty, expected at least one number",
            "distance joint `g`: length is 0, expected a finite number of metres > 0 (a spherical joint holds two points together)",
            "rope joint `h`: length is inf, expected a finite number of metres > 0 (a spherical joint holds two points together)",
            "screw joint `j`: pitch is 0, expected a finite number of metres a turn other than 0",
            "gear joint `k`: number of teeth is 0, expected a whole number ≥ 1",
            "gear joint `l`: an axis is 0, expected a finite vector other than 0",
            "rack-pinion joint `m`: radius is -1, expected a finite number of metres > 0",
            "rack-pinion joint `n`: the direction of the rack is NaN, expected a finite vector other than 0",
            "pulley joint `o`: length is 0, expected a finite number of metres > 0",
            "pulley joint `p`: ratio is NaN, expected a finite number > 0",
            "revolute joint `q`: offset of the imposed speed is inf, expected a finite number",
            "prismatic joint `r`: law of the displacement: coefficient 0 is NaN, expected a finite number",
            "revolute joint `s`: the angle is imposed and limited, expected one of both",
            "universal joint `t`: length of the rotation quaternion of a frame is 2, expected 1",
        ]
    );
}

#[test]
fn points_that_no_curve_goes_through_are_refused() {
    let [a, b, c] = [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0)];
    let said = |curve: Result<Curve, CurveError>| curve.expect_err("no curve").to_string();
    assert_eq!(said(Curve::open(&[a, b])), "2 points, expected at least 3 for an open curve");
    assert_eq!(said(Curve::closed(&[a, b, c])), "3 points, expected at least 4 for a closed curve");
    assert_eq!(said(Curve::open(&[a, b, b, c])), "points 1 and 2 coincide, expected a distance");
    assert_eq!(
        said(Curve::closed(&[a, b, c, Vec3::Y, a])),
        "points 4 and 0 coincide, expected a distance (a closed curve returns to its first point by itself)"
    );
    assert_eq!(
        said(Curve::open(&[a, b, Vec3::new(f64::NAN, 0.0, 0.0)])),
        "point 2 is [NaN, 0.0, 0.0], expected finite numbers of metres up to 1e100"
    );
    assert!(said(Curve::open(&[a, Vec3::splat(f64::MAX), c])).starts_with("point 1 is"));
    assert_eq!(
        said(Curve::open(&[a, b, a])),
        "the curve turns on the spot after point 1, expected points that bend it gently"
    );
}
