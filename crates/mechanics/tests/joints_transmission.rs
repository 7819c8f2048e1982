//! Joints that pass on turning and pulling, against closed forms: cardan and homokinetic joints, screws, gears, racks, pulleys.

mod support;

use signorini_mechanics::force::Load;
use signorini_mechanics::joint::{
    Anchors, ConstantVelocity, Gear, Law, Prismatic, Pulley, RackPinion, Revolute, Screw, Universal,
};
use signorini_mechanics::{Body, BodyId, Model, ModelBuilder, Pose, Quat, Settings, Simulation, Vec3};
use std::f64::consts::{PI, TAU};
use support::{Random, isotropic, rows_of, run, settings, two_bodies};

const G: f64 = 9.81;

/// The angle that differs from another by whole turns and is nearest to 0.
fn without_turns(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

/// The angle of a body about an axis, from a direction across it that was `mark` at the start.
fn angle_about(simulation: &Simulation, body: BodyId, axis: Vec3, mark: Vec3) -> f64 {
    let turned = simulation.state().poses[body.index()].rotation * mark;
    turned.dot(axis.cross(mark)).atan2(turned.dot(mark))
}

fn hinge_frame(point: Vec3, axis: Vec3) -> Pose {
    Pose::new(point, Quat::from_rotation_arc(Vec3::Z, axis))
}

/// A wheel hinged to the ground in its centre.
fn wheel(model: &mut ModelBuilder, ground: BodyId, name: &str, frame: Pose, moment: f64, law: Option<Law>) -> BodyId {
    let start = Pose::at(frame.position);
    let body = model.body(Body::new(name, 1.0, isotropic(moment)).posed(start));
    let hinge = Revolute::new(Anchors::from_world([ground, body], [&Pose::IDENTITY, &start], frame));
    model.joint(format!("hinge of {name}"), law.into_iter().fold(hinge, |hinge, law| hinge.driven(law)));
    body
}

/// Steps at whose end joints hold to ten digits.
fn closed(step: f64) -> Settings {
    Settings { joint_tolerance: Some(1e-11), ..settings(step) }
}

fn without_gravity() -> (ModelBuilder, BodyId) {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    (model, ground)
}

#[test]
fn a_bent_cardan_joint_turns_its_output_at_the_closed_form_of_angle_and_speed() {
    // Input about z with its arm along x, output about z tilted by β in the x-z plane: tan χ = tan φ/cos β,
    // ω₂ = ω₁ cos β/(1 − sin²β cos²φ), from the last row at the pose alone.
    let joint = Universal::new(Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] });
    for beta in [0.0, 0.3, 0.7, 1.2] {
        let tilted = Quat::from_rotation_y(beta);
        for k in 0..50 {
            let phi = 0.13 * f64::from(k);
            let chi = phi.sin().atan2(beta.cos() * phi.cos());
            let poses = [Quat::from_rotation_z(phi), tilted * Quat::from_rotation_z(chi)]
                .map(|turn| Pose::new(Vec3::ZERO, turn));
            let rows = rows_of(&joint, poses.each_ref(), 0.0);
            assert!(rows.iter().all(|row| row.value.abs() < 1e-14), "{beta} {phi}");
            // Both bodies turn about their own z: 0 = C_A ω₁ + C_B ω₂.
            let [a, b] = rows[3].jacobian.map(|part| part[5]);
            let exact = beta.cos() / (1.0 - (beta.sin() * phi.cos()).powi(2));
            assert!((-a / b - exact).abs() < 1e-13 * exact, "{beta} {phi}: {} {exact}", -a / b);
        }
    }
}

#[test]
fn a_cardan_shaft_that_runs_follows_its_closed_form_over_many_turns() {
    let (beta, speed) = (0.6_f64, 7.0);
    let (mut model, ground) = without_gravity();
    let input = wheel(&mut model, ground, "input", Pose::IDENTITY, 0.1, Some(Law::linear(0.0, speed)));
    let axis = Vec3::new(beta.sin(), 0.0, beta.cos());
    let output = wheel(&mut model, ground, "output", hinge_frame(Vec3::ZERO, axis), 0.1, None);
    // Bodies start unturned: the frames on them are those of the shafts.
    let frames = [Pose::IDENTITY, Pose::new(Vec3::ZERO, Quat::from_rotation_y(beta))];
    model.joint("cross", Universal::new(Anchors { bodies: [input, output], frames }));
    let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.005)).expect("valid");
    for _ in 0..800 {
        run(&mut simulation, 1);
        let phi = speed * simulation.state().time;
        let chi = phi.sin().atan2(beta.cos() * phi.cos());
        let found = angle_about(&simulation, output, axis, Vec3::Y);
        assert!(without_turns(found - chi).abs() < 1e-9, "{phi}: {found} {chi}");
    }
}

/// A driven shaft, an inclined one and a third parallel to the first; the second cross leans by an angle against the first.
fn double_cardan(phase: f64) -> (f64, f64) {
    let (beta, speed) = (0.5_f64, 5.0);
    let (mut model, ground) = without_gravity();
    let axis = Vec3::new(beta.sin(), 0.0, beta.cos());
    let input = wheel(&mut model, ground, "input", Pose::IDENTITY, 0.1, Some(Law::linear(0.0, speed)));
    let middle = wheel(&mut model, ground, "middle", hinge_frame(0.5 * axis, axis), 0.1, None);
    let output = wheel(&mut model, ground, "output", hinge_frame(axis, Vec3::Z), 0.1, None);
    let tilted = Quat::from_rotation_y(beta);
    let starts = [Pose::at(0.5 * axis), Pose::at(axis)];
    // Arms along x of the input and y of the middle, then y of the middle, turned by the phase, and x of the output.
    let first = Anchors {
        bodies: [input, middle],
        frames: [Pose::IDENTITY, starts[0].inverse() * Pose::new(Vec3::ZERO, tilted)],
    };
    let on_middle = Quat::from_axis_angle(axis, phase) * tilted * Quat::from_rotation_z(0.5 * PI);
    let arm = on_middle * Vec3::X;
    // The output's arm is across the middle's and its own shaft.
    let across = Vec3::Z.cross(arm).normalize();
    let second = Anchors {
        bodies: [middle, output],
        frames: [
            starts[0].inverse() * Pose::new(axis, on_middle),
            starts[1].inverse() * Pose::new(axis, Quat::from_rotation_arc(Vec3::Y, across)),
        ],
    };
    model.joint("first", Universal::new(first)).joint("second", Universal::new(second));
    let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.005)).expect("valid");
    let mut worst = 0.0_f64;
    for _ in 0..600 {
        run(&mut simulation, 1);
        let angle = |body| angle_about(&simulation, body, Vec3::Z, Vec3::X);
        worst = worst.max(without_turns(angle(output) - angle(input)).abs());
    }
    (worst, simulation.joint_violation()[1].0)
}

#[test]
fn two_cardan_joints_in_phase_turn_evenly_and_out_of_phase_do_not() {
    let (worst, violation) = double_cardan(0.0);
    assert!(worst < 1e-9 && violation < 1e-9, "{worst} {violation}");
    let (worst, _) = double_cardan(0.5 * PI);
    assert!(worst > 0.1, "{worst}");
}

#[test]
fn one_homokinetic_joint_turns_evenly_at_any_bend() {
    for beta in [0.0_f64, 0.4, 1.1, 1.5] {
        let (mut model, ground) = without_gravity();
        let axis = Vec3::new(beta.sin(), 0.0, beta.cos());
        let input = wheel(&mut model, ground, "input", Pose::IDENTITY, 0.1, Some(Law::linear(0.0, 5.0)));
        let output = wheel(&mut model, ground, "output", hinge_frame(Vec3::ZERO, axis), 0.1, None);
        let frames = [Pose::IDENTITY, Pose::new(Vec3::ZERO, Quat::from_rotation_y(beta))];
        model.joint("joint", ConstantVelocity::new(Anchors { bodies: [input, output], frames }));
        let mut simulation = Simulation::new(model.build().expect("valid"), closed(0.005)).expect("valid");
        for _ in 0..400 {
            run(&mut simulation, 1);
            let [a, b] =
                [(input, Vec3::Z), (output, axis)].map(|(body, axis)| angle_about(&simulation, body, axis, Vec3::Y));
            assert!(without_turns(b - a).abs() < 1e-9, "{beta}: {a} {b}");
            let speeds = [input, output].map(|body| simulation.state().angular_velocities[body.index()].length());
            // The speed is met within the step's linearisation.
            assert!((speeds[1] / speeds[0] - 1.0).abs() < 1e-3, "{beta}: {speeds:?}");
        }
    }
}

#[test]
fn the_homokinetic_row_is_the_difference_of_the_angles_whatever_the_bend() {
    let joint = ConstantVelocity::new(Anchors { bodies: two_bodies(), frames: [Pose::IDENTITY; 2] });
    let mut random = Random(11);
    for _ in 0..200 {
        let (phi, chi, bend) = (3.0 * random.number(), 3.0 * random.number(), 1.5 * random.number());
        let across = Vec3::new(random.number(), random.number(), 0.0).normalize();
        let bent = Quat::from_axis_angle(across, bend);
        let poses =
            [Quat::from_rotation_z(phi), bent * Quat::from_rotation_z(chi)].map(|turn| Pose::new(Vec3::ZERO, turn));
        let row = rows_of(&joint, poses.each_ref(), 0.0)[3];
        assert!(without_turns(row.value - (chi - phi)).abs() < 1e-12, "{phi} {chi} {bend}");
        // Each about its own axis: equal and opposite, so that the torque is passed on whole.
        assert!((row.jacobian[0][5] + 1.0).abs() < 1e-12 && (row.jacobian[1][5] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_nut_under_a_torque_moves_by_its_pitch_a_turn_over_many_turns() {
    // α̈ (I + m (p/2π)²) = τ; steps of constant acceleration are exact in speed, s = Σ h v.
    let (pitch, mass, moment, torque, h) = (-0.03, 2.0, 1e-3, 0.01, 0.01);
    let (mut model, ground) = without_gravity();
    let nut = model.body(Body::new("nut", mass, isotropic(moment)).at(Vec3::Z));
    let anchors = Anchors::from_world([ground, nut], [&Pose::IDENTITY, &Pose::at(Vec3::Z)], Pose::IDENTITY);
    model.joint("thread", Screw::new(anchors, pitch));
    model.force("torque", Load::new(nut).torque(torque * Vec3::Z, None));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    let lead = pitch / TAU;
    let acceleration = torque / (moment + mass * lead * lead);
    for step in 1..=500 {
        run(&mut simulation, 1);
        let n = f64::from(step);
        let omega = simulation.state().angular_velocities[nut.index()].z;
        assert!((omega - acceleration * h * n).abs() < 1e-8, "{omega}");
        let angle = acceleration * h * h * 0.5 * n * (n + 1.0);
        let s = simulation.state().poses[nut.index()].position.z - 1.0;
        assert!((s - lead * angle).abs() < 1e-8, "{step}: {s} {}", lead * angle);
        assert!(without_turns(angle_about(&simulation, nut, Vec3::Z, Vec3::X) - angle).abs() < 1e-6);
    }
    let turns = (simulation.state().poses[nut.index()].position.z - 1.0) / pitch;
    assert!(turns > 10.0, "{turns}");
}

/// Two wheels on parallel axes; the first is driven or carries a torque.
fn gears(
    teeth: [u32; 2],
    internal: bool,
    moments: [f64; 2],
    law: Option<Law>,
    torque: f64,
) -> (Simulation, [BodyId; 2]) {
    let (mut model, ground) = without_gravity();
    let a = wheel(&mut model, ground, "a", Pose::IDENTITY, moments[0], law);
    let b = wheel(&mut model, ground, "b", Pose::at(Vec3::X), moments[1], None);
    let starts = [Pose::IDENTITY, Pose::at(Vec3::X)];
    let gear = Gear::new([a, b], starts.each_ref(), [Vec3::Z; 2], teeth);
    model.joint("mesh", if internal { gear.internal() } else { gear });
    if torque != 0.0 {
        model.force("torque", Load::new(a).torque(torque * Vec3::Z, None));
    }
    (Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid"), [a, b])
}

#[test]
fn gears_hold_the_ratio_of_their_teeth_over_ten_turns_in_the_sense_of_their_mesh() {
    for (internal, sense) in [(false, -1.0), (true, 1.0)] {
        let speed = TAU;
        let (mut simulation, [_, b]) = gears([17, 41], internal, [0.1, 0.2], Some(Law::linear(0.0, speed)), 0.0);
        // Turns of B are counted here, not in the joint.
        let (mut turned, mut before) = (0.0, 0.0);
        for step in 1..=1000 {
            run(&mut simulation, 1);
            let now = angle_about(&simulation, b, Vec3::Z, Vec3::X);
            turned += without_turns(now - before);
            before = now;
            let exact = sense * 17.0 / 41.0 * speed * 0.01 * f64::from(step);
            assert!((turned - exact).abs() < 1e-9, "{step}: {turned} {exact}");
        }
        assert!((turned.abs() - 10.0 * TAU * 17.0 / 41.0).abs() < 1e-9, "{turned}");
    }
}

#[test]
fn gears_under_a_torque_accelerate_with_the_reflected_inertia_and_pass_on_the_torque() {
    // α̈_A (I_A + I_B (n_A/n_B)²) = τ, and B is turned by what A lacks, (τ − I_A α̈_A) n_B/n_A.
    let ([i_a, i_b], torque) = ([0.02, 0.3], 1.5);
    for (internal, sense) in [(false, -1.0), (true, 1.0)] {
        let (mut simulation, [a, b]) = gears([17, 41], internal, [i_a, i_b], None, torque);
        run(&mut simulation, 300);
        let ratio = 17.0 / 41.0;
        let acceleration = torque / (i_a + i_b * ratio * ratio);
        let speeds = [a, b].map(|body| simulation.state().angular_velocities[body.index()].z);
        let exact = acceleration * 3.0;
        assert!((speeds[0] / exact - 1.0).abs() < 1e-9, "{speeds:?} {exact}");
        assert!((speeds[1] / (sense * ratio * exact) - 1.0).abs() < 1e-9, "{speeds:?}");
        let passed = simulation.joint_forces(2).expect("steps were taken")[0];
        assert!((passed.abs() - i_b * ratio * acceleration).abs() < 1e-8, "{passed}");
        let power =
            torque * speeds[0] - (i_a * speeds[0] * acceleration + i_b * speeds[1] * sense * ratio * acceleration);
        assert!(power.abs() < 1e-7 * torque * speeds[0], "{power}");
    }
}

#[test]
fn bevel_gears_turn_about_axes_at_right_angles() {
    let (mut model, ground) = without_gravity();
    let a = wheel(&mut model, ground, "a", Pose::IDENTITY, 0.1, Some(Law::linear(0.0, 3.0)));
    let b = wheel(&mut model, ground, "b", hinge_frame(Vec3::X, Vec3::X), 0.1, None);
    let starts = [Pose::IDENTITY, Pose::at(Vec3::X)];
    model.joint("mesh", Gear::new([a, b], starts.each_ref(), [Vec3::Z, Vec3::X], [20, 31]));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    run(&mut simulation, 500);
    let found = angle_about(&simulation, b, Vec3::X, Vec3::Y);
    assert!(without_turns(found + 20.0 / 31.0 * 15.0).abs() < 1e-9, "{found}");
}

#[test]
fn a_rack_moves_by_the_arc_of_its_pinion_and_weighs_on_it() {
    // α̈ (I + m r²) = τ, s = r α over many turns.
    let (radius, mass, moment, torque, h) = (0.04, 1.5, 2e-3, 0.02, 0.01);
    let (mut model, ground) = without_gravity();
    let pinion = wheel(&mut model, ground, "pinion", Pose::IDENTITY, moment, None);
    let start = Pose::at(Vec3::new(0.3, -radius, 0.0));
    let rack = model.body(Body::new("rack", mass, isotropic(0.01)).posed(start));
    let guide = Anchors::from_world([ground, rack], [&Pose::IDENTITY, &start], hinge_frame(start.position, Vec3::X));
    model.joint("guide", Prismatic::new(guide));
    // The foot of a wheel that turns about +z moves along +x.
    model.joint("mesh", RackPinion::new([pinion, rack], [&Pose::IDENTITY, &start], Vec3::Z, Vec3::X, radius));
    model.force("torque", Load::new(pinion).torque(torque * Vec3::Z, None));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(h)).expect("valid");
    let acceleration = torque / (moment + mass * radius * radius);
    for step in 1..=600 {
        run(&mut simulation, 1);
        let n = f64::from(step);
        let angle = acceleration * h * h * 0.5 * n * (n + 1.0);
        let s = simulation.state().poses[rack.index()].position.x - 0.3;
        assert!((s - radius * angle).abs() < 1e-8, "{step}: {s} {}", radius * angle);
        assert!(without_turns(angle_about(&simulation, pinion, Vec3::Z, Vec3::X) - angle).abs() < 1e-7, "{step}");
    }
    assert!(simulation.state().poses[rack.index()].position.x > 0.3 + 5.0 * TAU * radius);
}

/// Two weights on a rope over two sheaves.
fn atwood(masses: [f64; 2], ratio: f64, slack: bool, speed_of_b: f64) -> (Simulation, [BodyId; 2]) {
    let mut model = Model::builder();
    let starts = [Vec3::new(-1.0, 0.0, -3.0), Vec3::new(1.0, 0.0, -3.0)];
    let a = model.body(Body::new("a", masses[0], isotropic(0.1)).at(starts[0]));
    let b =
        model.body(Body::new("b", masses[1], isotropic(0.1)).at(starts[1]).moving(speed_of_b * Vec3::Z, Vec3::ZERO));
    let sheaves = starts.map(|start| start.with_z(0.0));
    let rope = Pulley::new([a, b], [Vec3::ZERO; 2], sheaves, 3.0 + 3.0 * ratio).ratio(ratio);
    model.joint("rope", if slack { rope.slack() } else { rope });
    (Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid"), [a, b])
}

#[test]
fn an_atwood_machine_accelerates_by_the_difference_of_its_weights() {
    for slack in [false, true] {
        let (mut simulation, [a, b]) = atwood([3.0, 2.0], 1.0, slack, 0.0);
        run(&mut simulation, 50);
        let acceleration = G * (3.0 - 2.0) / (3.0 + 2.0);
        let [down, up] = [a, b].map(|body| simulation.state().velocities[body.index()].z / 0.5);
        assert!((down + acceleration).abs() < 1e-9 && (up - acceleration).abs() < 1e-9, "{down} {up}");
        let tension = simulation.joint_forces(0).expect("steps were taken")[0].abs();
        assert!((tension - 2.0 * 3.0 * 2.0 * G / 5.0).abs() < 1e-8, "{tension}");
    }
}

#[test]
fn a_tackle_of_two_parts_halves_the_way_and_doubles_the_force() {
    // a_B (m_B + 4 m_A) = (2 m_A − m_B) g upwards, a_A = −2 a_B.
    let (mut simulation, [a, b]) = atwood([3.0, 4.0], 2.0, false, 0.0);
    run(&mut simulation, 50);
    let up = G * (2.0 * 3.0 - 4.0) / (4.0 + 4.0 * 3.0);
    let [v_a, v_b] = [a, b].map(|body| simulation.state().velocities[body.index()].z / 0.5);
    assert!((v_b - up).abs() < 1e-9 && (v_a + 2.0 * up).abs() < 1e-9, "{v_a} {v_b} {up}");
    let (mut balanced, [a, b]) = atwood([3.0, 6.0], 2.0, false, 0.0);
    run(&mut balanced, 50);
    assert!([a, b].iter().all(|body| balanced.state().velocities[body.index()].length() < 1e-10));
}

#[test]
fn a_rope_with_slack_lets_a_weight_fly_and_a_taut_one_does_not() {
    // B is thrown upwards: with slack both fly freely, taut they share the momentum at once.
    let (mut simulation, [a, b]) = atwood([2.0, 2.0], 1.0, true, 3.0);
    run(&mut simulation, 20);
    let [v_a, v_b] = [a, b].map(|body| simulation.state().velocities[body.index()].z);
    assert!((v_a + 0.2 * G).abs() < 1e-9 && (v_b - 3.0 + 0.2 * G).abs() < 1e-9, "{v_a} {v_b}");
    let (mut simulation, [a, b]) = atwood([2.0, 2.0], 1.0, false, 3.0);
    run(&mut simulation, 20);
    let [v_a, v_b] = [a, b].map(|body| simulation.state().velocities[body.index()].z);
    assert!((v_a + 1.5).abs() < 1e-9 && (v_b - 1.5).abs() < 1e-9, "{v_a} {v_b}");
}

#[test]
fn an_imposed_speed_leads_to_its_integral_and_starts_at_its_offset() {
    let (mut model, ground) = without_gravity();
    let wheel = model.body(Body::new("wheel", 1.0, isotropic(0.1)));
    let block = model.body(Body::new("block", 1.0, isotropic(0.1)));
    let anchors = |body| Anchors { bodies: [ground, body], frames: [Pose::IDENTITY; 2] };
    let sine = Law::Sine { amplitude: 9.0, frequency: 0.5, phase: 0.3, offset: 4.0 };
    let table = Law::Table { times: vec![0.0, 1.0, 2.0], values: vec![0.0, 2.0, -1.0] };
    model.joint("motor", Revolute::new(anchors(wheel)).speed_driven(sine, 0.4));
    model.joint("piston", Prismatic::new(anchors(block)).speed_driven(table, -0.2));
    let mut simulation = Simulation::new(model.build().expect("valid"), settings(0.01)).expect("valid");
    run(&mut simulation, 150);
    let at = |t: f64| 0.4 + 4.0 * t - 9.0 / PI * ((PI * t + 0.3).cos() - 0.3_f64.cos());
    let found = angle_about(&simulation, wheel, Vec3::Z, Vec3::X);
    assert!(without_turns(found - at(1.5)).abs() < 1e-9, "{found} {}", at(1.5));
    // Areas under the lines: 1, then 2·½ − ½·3·½².
    let z = simulation.state().poses[block.index()].position.z;
    assert!((z - (-0.2 + 1.0 + 1.0 - 0.375)).abs() < 1e-9, "{z}");
    // A step ends with the mean speed over it.
    let v = simulation.state().velocities[block.index()].z;
    assert!((v - (2.0 - 3.0 * 0.495)).abs() < 1e-9, "{v}");
}
