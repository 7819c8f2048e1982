//! Joints that guide without passing on: planes, parallel and perpendicular axes, curves; against closed forms and other joints.

mod support;

use signorini_mechanics::joint::{
    Anchors, Curve, Parallel, Perpendicular, Planar, PointOnCurve, PointOnLine, Revolute, Row,
};
use signorini_mechanics::{Body, BodyId, Energy, Mat3, Model, Pose, Quat, Simulation, Vec3};
use signorini_testkit::fitted_order;
use std::f64::consts::TAU;
use support::{Random, isotropic, rows_of, run, settings, two_bodies};

const G: f64 = 9.81;
const RADIUS: f64 = 0.8;

#[test]
fn a_body_in_a_tilted_plane_slides_down_it_spins_on_and_never_leaves_it() {
    let normal = Vec3::new(0.6, 0.0, 0.8);
    let frame = Pose::new(Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_arc(Vec3::Z, normal));
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(frame.position + 0.1 * normal, frame.rotation);
    // In body axes, whose z is the normal.
    let spin = 4.0 * Vec3::Z;
    let inertia = Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25));
    let plate = model.body(Body::new("plate", 2.0, inertia).posed(start).moving(Vec3::Y, spin));
    model.joint("plane", Planar::new(Anchors::from_world([ground, plate], [&Pose::IDENTITY, &start], frame)));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    for step in 1..=200 {
        let report = run(&mut simulation, 1);
        let state = simulation.state();
        let pose = &state.poses[plate.index()];
        assert!(((pose.position - frame.position).dot(normal) - 0.1).abs() < 1e-10);
        assert!((pose.rotation * Vec3::Z - normal).length() < 1e-9, "{step}");
        assert!(report.joint_violation < 1e-10 && report.joint_angle_violation < 1e-9);
        // g less its part along the normal.
        let down = -G * (Vec3::Z - 0.8 * normal);
        let expected = Vec3::Y + down * (0.01 * f64::from(step));
        assert!((state.velocities[plate.index()] - expected).length() < 1e-8, "{step}");
        assert!((state.angular_velocities[plate.index()].z - 4.0).abs() < 1e-8, "{step}");
    }
}

#[test]
fn axes_put_together_wrongly_close_in_one_step_and_leave_the_rest_free() {
    for angle in [0.0, 0.2, 1.4, 3.0] {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), angle);
        let rod = |name: &str| Body::new(name, 1.0, isotropic(0.1)).posed(Pose::new(Vec3::X, turn));
        let bodies = [model.body(rod("kept parallel")), model.body(rod("kept across"))];
        let anchors = |body| Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] };
        model.joint("parallel", Parallel::new(anchors(bodies[0])));
        model.joint("across", Perpendicular::new(anchors(bodies[1])));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
        run(&mut simulation, 1);
        let state = simulation.state();
        let [z, x] =
            [(bodies[0], Vec3::Z), (bodies[1], Vec3::X)].map(|(body, e)| state.poses[body.index()].rotation * e);
        assert!((z - Vec3::Z).length() < 1e-10 && x.z.abs() < 1e-10, "{angle}: {z} {x}");
        // Nothing holds them up.
        assert!(bodies.iter().all(|body| (state.velocities[body.index()].z + G * 0.01).abs() < 1e-12));
    }
}

/// What does not change when two rows are turned among themselves: Σ Ψ², Σ Ψ C and Σ C ⊗ C.
fn invariants(rows: &[Row]) -> Vec<f64> {
    let entries: Vec<Vec<f64>> = rows.iter().map(|row| row.jacobian.as_flattened().to_vec()).collect();
    let mut found = vec![rows.iter().map(|row| row.value * row.value).sum()];
    for i in 0..12 {
        found.push(rows.iter().zip(&entries).map(|(row, entry)| row.value * entry[i]).sum());
        found.extend((0..12).map(|j| entries.iter().map(|entry| entry[i] * entry[j]).sum::<f64>()));
    }
    found
}

#[test]
fn a_curve_through_points_of_a_line_is_the_line_also_beyond_its_ends() {
    let mut random = Random(21);
    for _ in 0..50 {
        let frames = [random.pose(), Pose::at(random.vector())];
        let bodies = two_bodies();
        let line = PointOnLine::new(Anchors { bodies, frames });
        let points = [-0.3, -0.1, 0.2, 0.25].map(|z| frames[0] * (z * Vec3::Z));
        let curve = PointOnCurve::new(bodies, Curve::open(&points).expect("a curve"), frames[1].position);
        let poses = [random.pose(), random.pose()];
        let [on_curve, on_line] = [rows_of(&curve, poses.each_ref(), 0.0), rows_of(&line, poses.each_ref(), 0.0)];
        let scale = invariants(&on_line).iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (found, exact) in invariants(&on_curve).iter().zip(invariants(&on_line)) {
            assert!((found - exact).abs() < 1e-11 * scale, "{found} {exact}");
        }
    }
}

fn circle(count: usize) -> Vec<Vec3> {
    let turn = |k: usize| TAU * k as f64 / count as f64;
    (0..count).map(|k| RADIUS * Vec3::new(turn(k).cos(), 0.0, turn(k).sin())).collect()
}

/// A bead that starts level with the centre of an upright circle.
fn bead(model: Model, h: f64, time: f64) -> Vec3 {
    let mut simulation = Simulation::new(model, settings(h)).expect("valid");
    run(&mut simulation, (time / h).round() as usize);
    simulation.state().poses[1].position
}

fn bead_model(start: Vec3) -> (signorini_mechanics::ModelBuilder, [BodyId; 2]) {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    // Without moment of inertia to speak of: on a hinge it is the same point mass.
    let body = model.body(Body::new("bead", 1.5, isotropic(1e-9)).at(start));
    (model, [ground, body])
}

#[test]
fn a_bead_on_a_circle_moves_as_on_a_hinge() {
    let start = RADIUS * Vec3::X;
    let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
        let (mut model, bodies) = bead_model(start);
        let curve = Curve::closed(&circle(48)).expect("a curve");
        model.joint("wire", PointOnCurve::new(bodies, curve, Vec3::ZERO));
        let on_curve = bead(model.build().expect("valid"), h, 1.0);
        let (mut model, bodies) = bead_model(start);
        let frame = support::hinge_about_y(Vec3::ZERO);
        let anchors = Anchors::from_world(bodies, [&Pose::IDENTITY, &Pose::at(start)], frame);
        model.joint("arm", Revolute::new(anchors));
        (on_curve - bead(model.build().expect("valid"), h, 1.0)).length()
    });
    let order = fitted_order(&errors);
    assert!(order > 0.85 && errors[3] < 5e-3, "order {order:.2} of {errors:?}");
}

#[test]
fn every_point_on_a_hinge_is_on_the_circle_of_the_spline_to_its_fourth_order() {
    let bodies = two_bodies();
    let worst = [12, 24, 48].map(|count| {
        let joint = PointOnCurve::new(bodies, Curve::closed(&circle(count)).expect("a curve"), RADIUS * Vec3::X);
        let violation = |k: i32| {
            let pose = Pose::new(Vec3::ZERO, Quat::from_rotation_y(0.01 * f64::from(k)));
            let rows = rows_of(&joint, [&Pose::IDENTITY, &pose], 0.0);
            // Turning the hinge does not leave the curve: C_B has nothing about y.
            let leaving = rows.iter().map(|row| row.jacobian[1][4].abs()).fold(0.0, f64::max);
            assert!(leaving < RADIUS * (TAU / count as f64).powi(3), "{leaving}");
            rows.iter().map(|row| row.value.abs()).fold(0.0, f64::max)
        };
        (0..630).map(violation).fold(0.0, f64::max)
    });
    let order = fitted_order(&worst);
    assert!((order - 4.0).abs() < 0.2 && worst[2] < 1e-6, "order {order:.2} of {worst:?}");
}

#[test]
fn a_bead_on_a_parabola_has_the_speed_of_its_fall() {
    // z = x², released at x = 1: v² = 2 g (1 − z), whatever the wire, to the first order of the step; and it stays on the wire.
    let points: Vec<Vec3> = (-12..=12).map(|k| f64::from(k) / 10.0).map(|x| Vec3::new(x, 0.0, x * x)).collect();
    let errors = [0.008, 0.004, 0.002, 0.001].map(|h| {
        let (mut model, bodies) = bead_model(Vec3::new(1.0, 0.0, 1.0));
        let curve = Curve::open(&points).expect("a curve");
        model.joint("wire", PointOnCurve::new(bodies, curve, Vec3::ZERO));
        let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
        let before = Energy::of(simulation.model(), simulation.state()).total();
        // Through the bottom and up the other side.
        let mut worst = 0.0_f64;
        for _ in 0..(0.8 / h).round() as usize {
            let report = run(&mut simulation, 1);
            let (state, z) = (simulation.state(), simulation.state().poses[1].position.z);
            let v = state.velocities[1].length_squared();
            worst = worst.max((v - 2.0 * G * (1.0 - z)).abs() / (2.0 * G));
            let drift = (report.energy.total() - before).abs() / (1.5 * G);
            assert!((drift - (v - 2.0 * G * (1.0 - z)).abs() / (2.0 * G)).abs() < 1e-6, "{drift}");
            let x = state.poses[1].position.x;
            assert!((z - x * x).abs() < 1e-4 + 30.0 * h * h, "{x} {z}");
        }
        assert!(simulation.state().poses[1].position.x < -0.5);
        worst
    });
    let order = fitted_order(&errors);
    assert!((order - 1.0).abs() < 0.15 && errors[3] < 0.01, "order {order:.2} of {errors:?}");
}

#[test]
fn a_bead_runs_off_an_open_wire_along_its_tangent() {
    let points = [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.1), Vec3::new(1.0, 0.0, 0.0)];
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let body = model.body(Body::new("bead", 1.0, isotropic(0.1)).moving(Vec3::new(2.0, 0.0, 0.5), Vec3::ZERO));
    model.joint("wire", PointOnCurve::new([ground, body], Curve::open(&points).expect("a curve"), Vec3::ZERO));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.005)).expect("valid");
    run(&mut simulation, 400);
    let (position, v) = (simulation.state().poses[1].position, simulation.state().velocities[1]);
    assert!(position.x > 2.0, "{position}");
    let tangent = (position - points[2]).normalize();
    assert!((v.normalize() - tangent).length() < 1e-9, "{v} {tangent}");
    run(&mut simulation, 10);
    assert!((simulation.state().velocities[1] - v).length() < 1e-10);
}
