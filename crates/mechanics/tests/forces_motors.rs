//! Motors and their controllers: closed forms of what they drive, balance of momentum, memory that survives a stop.

mod support;

use signorini_mechanics::force::{Drive, Load, Motor, Pid, SpeedControl};
use signorini_mechanics::joint::{Anchors, Law, Prismatic, Revolute};
use signorini_mechanics::{Body, Force, Mat3, Model, Momentum, Pose, Quat, Simulation, Vec3};
use std::f64::consts::{PI, TAU};
use support::{Random, generalised, isotropic, near, posed, random_anchors, run, settings, unit, velocity};

const H: f64 = 1e-5;
/// Moment of inertia of the wheel about its axis \[kg m²\].
const I: f64 = 0.1;

fn pid(gains: [f64; 3], target: Law, limit: Option<f64>) -> Drive {
    let [proportional, integral, derivative] = gains;
    Drive::Position(Pid { proportional, integral, derivative, target, limit })
}

fn speed([proportional, integral]: [f64; 2], target: Law) -> Drive {
    Drive::Speed(SpeedControl { proportional, integral, target, limit: None })
}

/// A wheel hinged to the ground about z, turned by `angle` at the start, driven by a motor and by a constant torque.
fn wheel(drive: Drive, angle: f64, torque: f64) -> Model {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let start = Pose::new(Vec3::ZERO, Quat::from_rotation_z(angle));
    let wheel = model.body(Body::new("wheel", 2.0, isotropic(I)).posed(start));
    let anchors = Anchors { bodies: [ground, wheel], frames: [Pose::IDENTITY; 2] };
    model.joint("hinge", Revolute::new(anchors));
    model.force("motor", Motor::torque(anchors, drive));
    model.force("load", Load::new(wheel).torque(Vec3::Z * torque, None));
    model.build().expect("a valid model")
}

fn simulated(model: Model, step: f64) -> Simulation {
    Simulation::new(model, settings(step)).expect("valid")
}

/// The angle of the wheel in (−π, π] and its speed.
fn turned(simulation: &Simulation) -> (f64, f64) {
    let state = simulation.state();
    let x = state.poses[1].rotation * Vec3::X;
    (x.y.atan2(x.x), state.angular_velocities[1].z)
}

fn drives() -> [Drive; 3] {
    let table = Law::Table { times: vec![0.0, 2.0], values: vec![0.4, -1.0] };
    [Drive::Law(table.clone()), pid([3.0, 2.0, 0.7], table.clone(), None), speed([0.8, 1.5], table)]
}

/// Random motors of both kinds with all drives, and where the bodies are.
fn motors(random: &mut Random) -> Vec<Motor> {
    let anchors = random_anchors(random);
    drives()
        .into_iter()
        .flat_map(|drive| [Motor::torque(anchors, drive.clone()), Motor::force(anchors, drive)])
        .collect()
}

#[test]
fn a_motor_acts_on_both_bodies_alike_and_turns_nothing_as_a_whole() {
    let mut random = Random(21);
    for _ in 0..50 {
        let motions = [random.motion(), random.motion()];
        for motor in motors(&mut random) {
            let wrenches = motor.wrench([&motions[0], &motions[1]], 0.3, &[0.2]);
            let force: Vec3 = wrenches.iter().map(|w| w.force).sum();
            let parts = wrenches.iter().zip(&motions);
            let moment: Vec3 = parts.map(|(w, m)| m.pose.position.cross(w.force) + m.pose.rotation * w.torque).sum();
            let scale = 1.0 + generalised(wrenches).iter().fold(0.0_f64, |most, f| most.max(f.abs()));
            assert!(force.length() < 1e-12 * scale && moment.length() < 1e-12 * scale, "{force} {moment}");
        }
    }
}

#[test]
fn a_motor_leaves_the_momentum_of_a_free_pair_alone() {
    for is_turning in [true, false] {
        for drive in drives() {
            let mut model = Model::builder();
            model.gravity(Vec3::ZERO);
            let a = model
                .body(Body::new("a", 2.0, isotropic(0.3)).at(Vec3::X).moving(Vec3::ZERO, Vec3::new(0.1, 0.4, -0.3)));
            let b = model.body(Body::new("b", 1.0, isotropic(0.1)).moving(Vec3::new(0.2, 0.1, -0.5), Vec3::X));
            let poses = [Pose::new(Vec3::X, Quat::IDENTITY), Pose::IDENTITY];
            let anchors = Anchors::from_world([a, b], poses.each_ref(), Pose::new(Vec3::Y, Quat::from_rotation_x(0.4)));
            let motor = if is_turning { Motor::torque } else { Motor::force };
            model.force("motor", motor(anchors, drive));
            let mut simulation = simulated(model.build().expect("valid"), 0.01);
            let before = Momentum::of(simulation.model(), simulation.state());
            let report = run(&mut simulation, 100);
            assert!(report.energy.kinetic > 0.01);
            let gained = [report.momentum.linear - before.linear, report.momentum.angular - before.angular];
            assert!(gained.iter().all(|part| part.length() < 1e-11), "{gained:?}");
        }
    }
}

#[test]
fn the_tangents_of_a_controller_are_those_of_its_torque_where_the_frames_nearly_agree() {
    let mut random = Random(22);
    for _ in 0..20 {
        for motor in motors(&mut random) {
            let anchors = random_anchors(&mut random);
            // The gradient of the coordinate is nearly constant; of the effort only its position part is in K.
            let poses = near(&mut random, &anchors, 1e-7);
            let still = pid([3.0, 2.0, 0.7], Law::constant(0.0), None);
            let mut motions = [random.motion(), random.motion()];
            (motions[0].pose, motions[1].pose) = (poses[0], poses[1]);
            for motor in [Motor::torque(anchors, still.clone()), Motor::force(anchors, still), motor] {
                let Some(tangent) = motor.tangent([&motions[0], &motions[1]], 0.3, &[0.2]) else { continue };
                for column in 0..12 {
                    let [ahead, behind] = [H, -H].map(|h| {
                        let mut at = motions;
                        let v = unit(column).map(|x| h * x);
                        for (side, motion) in at.iter_mut().enumerate() {
                            motion.velocity += Vec3::from_slice(&v[6 * side..6 * side + 3]);
                            motion.angular_velocity += Vec3::from_slice(&v[6 * side + 3..6 * side + 6]);
                        }
                        generalised(motor.wrench([&at[0], &at[1]], 0.3, &[0.2]))
                    });
                    for row in 0..12 {
                        let slope = (behind[row] - ahead[row]) / (2.0 * H);
                        assert!((slope - tangent.damping[row][column]).abs() < 1e-8, "{row} {column}");
                    }
                }
            }
            let still = pid([3.0, 0.0, 0.0], Law::constant(0.0), None);
            for motor in [Motor::torque(anchors, still.clone()), Motor::force(anchors, still)] {
                let tangent = motor.tangent([&motions[0], &motions[1]], 0.3, &[]).expect("implicit");
                for column in 0..12 {
                    let [ahead, behind] = [H, -H].map(|h| {
                        let at = posed(&motions, &unit(column), h);
                        generalised(motor.wrench([&at[0], &at[1]], 0.3, &[]))
                    });
                    for row in 0..12 {
                        let slope = (behind[row] - ahead[row]) / (2.0 * H);
                        assert!((slope - tangent.stiffness[row][column]).abs() < 1e-5, "{row} {column}: {slope}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_power_of_a_motor_is_its_torque_or_force_times_the_rate_of_its_angle_or_displacement() {
    let mut random = Random(23);
    for _ in 0..50 {
        let motions = [random.motion(), random.motion()];
        let anchors = random_anchors(&mut random);
        let v = velocity(&motions);
        // B's frame seen from A's.
        let relative = |h: f64| {
            let at = posed(&motions, &v, h);
            (at[0].pose * anchors.frames[0]).inverse() * (at[1].pose * anchors.frames[1])
        };
        let angle = |h: f64| 2.0 * relative(h).rotation.z.atan2(relative(h).rotation.w);
        let displacement = |h: f64| relative(h).position.z;
        let slope = |ahead: f64, behind: f64| (ahead - behind) / (2.0 * H);
        // The angle may jump by whole turns between the two.
        let turning = slope((angle(H) - angle(-H) + PI).rem_euclid(TAU) - PI, 0.0);
        let law = Drive::Law(Law::constant(1.7));
        let cases = [
            (Motor::torque(anchors, law.clone()), turning),
            (Motor::force(anchors, law), slope(displacement(H), displacement(-H))),
        ];
        for (motor, expected) in cases {
            let forces = generalised(motor.wrench([&motions[0], &motions[1]], 0.0, &[]));
            let power: f64 = forces.iter().zip(v).map(|(f, v)| f * v).sum();
            assert!((power - 1.7 * expected).abs() < 1e-7 * (1.0 + power.abs()), "{power} {expected}");
        }
    }
}

#[test]
fn a_torque_over_time_adds_up_to_angular_momentum() {
    // Constant: to the last digits, as the step takes it whole.
    let mut simulation = simulated(wheel(Drive::Law(Law::constant(0.3)), 0.0, 0.0), 0.01);
    run(&mut simulation, 100);
    assert!((turned(&simulation).1 - 0.3 / I).abs() < 1e-10);
    // A sine, ∫ sin(2πft) = (1 − cos(2πft))/(2πf): to first order in h, in fact half a step late.
    let law = Law::Sine { amplitude: 0.5, frequency: 0.7, phase: 0.0, offset: 0.0 };
    let error = |steps: usize| {
        let mut simulation = simulated(wheel(Drive::Law(law.clone()), 0.0, 0.0), 1.0 / steps as f64);
        run(&mut simulation, steps);
        turned(&simulation).1 - 0.5 / I * (1.0 - (TAU * 0.7).cos()) / (TAU * 0.7)
    };
    let (coarse, fine) = (error(100), error(200));
    assert!(fine.abs() < 0.5 * 0.5 / I / 200.0 && (coarse / fine - 2.0).abs() < 0.05, "{coarse} {fine}");
}

#[test]
fn a_force_pushes_a_slider_along_its_axis() {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ground = model.body(Body::fixed("ground"));
    let slider = model.body(Body::new("slider", 4.0, Mat3::IDENTITY));
    let frame = Pose::new(Vec3::Y, Quat::from_rotation_arc(Vec3::Z, Vec3::new(0.6, 0.0, 0.8)));
    let anchors = Anchors::from_world([ground, slider], [&Pose::IDENTITY; 2], frame);
    model.joint("guide", Prismatic::new(anchors));
    model.force("jack", Motor::force(anchors, Drive::Law(Law::linear(0.0, 3.0))));
    let mut simulation = simulated(model.build().expect("valid"), 0.001);
    run(&mut simulation, 1000);
    // v = ∫ 3t/m = 3/8, with the torque of the end of every step: half a step more.
    let expected = Vec3::new(0.6, 0.0, 0.8) * (3.0 / 8.0 * 1.001);
    assert!((simulation.state().velocities[1] - expected).length() < 1e-9);
}

#[test]
fn the_step_response_of_a_position_controller_is_that_of_a_damped_oscillator() {
    // I θ̈ = k_p (θ* − θ) − k_d θ̇
    let (kp, kd, target) = (4.0, 0.4, 0.8);
    let (omega, zeta) = ((kp / I).sqrt(), 0.5 * kd / (kp * I).sqrt());
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let exact = |t: f64| {
        let (sine, cosine) = (damped * t).sin_cos();
        target * (1.0 - (-zeta * omega * t).exp() * (cosine + zeta * omega / damped * sine))
    };
    let error = |h: f64| {
        let mut simulation = simulated(wheel(pid([kp, 0.0, kd], Law::constant(target), None), 0.0, 0.0), h);
        let steps = (1.0 / h).round() as usize;
        (0..steps).fold(0.0_f64, |worst, _| {
            run(&mut simulation, 1);
            worst.max((turned(&simulation).0 - exact(simulation.state().time)).abs())
        })
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!(fine < 5e-3 && (coarse / fine - 2.0).abs() < 0.1, "{coarse} {fine}");
}

#[test]
fn a_stiff_controller_is_stable_at_any_step() {
    // ωh = 100: an explicit spring would explode.
    let mut simulation = simulated(wheel(pid([1e7, 0.0, 1e3], Law::constant(0.5), None), 0.0, 0.0), 0.01);
    run(&mut simulation, 300);
    assert!((turned(&simulation).0 - 0.5).abs() < 1e-9, "{:?}", turned(&simulation));
}

#[test]
fn the_integral_takes_over_a_constant_load() {
    let (kp, load) = (4.0, -0.6);
    let mut without = simulated(wheel(pid([kp, 0.0, 0.6], Law::constant(0.5), None), 0.0, load), 0.01);
    run(&mut without, 2000);
    // θ* − θ = −load/k_p, for ever.
    assert!((turned(&without).0 - (0.5 + load / kp)).abs() < 1e-9, "{:?}", turned(&without));
    assert!(without.state().memory.is_empty());
    let mut with = simulated(wheel(pid([kp, 5.0, 0.6], Law::constant(0.5), None), 0.0, load), 0.01);
    run(&mut with, 2000);
    assert!((turned(&with).0 - 0.5).abs() < 1e-8, "{:?}", turned(&with));
    // k_i z holds the load.
    assert!((with.state().memory[0] + load / 5.0).abs() < 1e-8, "{:?}", with.state().memory);
}

#[test]
fn at_its_limit_a_motor_is_no_stronger_and_does_not_overshoot_for_having_waited() {
    let (gains, limit, target) = ([2.0, 1.0, 2.0], 0.1, 2.0);
    let h = 0.005;
    let mut simulation = simulated(wheel(pid(gains, Law::constant(target), Some(limit)), 0.0, 0.0), h);
    let (mut most, mut strongest, mut fastest, mut before) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0);
    for step in 0..3000 {
        run(&mut simulation, 1);
        let (angle, speed) = turned(&simulation);
        most = most.max(angle);
        fastest = fastest.max(speed.abs());
        strongest = strongest.max((speed - before).abs() * I / h);
        if step == 99 {
            // Far away it accelerates as the limit allows: ω = L t/I.
            assert!((speed - limit * 0.5 / I).abs() < 1e-9, "{speed}");
        }
        before = speed;
    }
    // The limit is judged where a step starts: it may be passed by what the torque changes within one, |Ṫ| ≤ k_p |ω| + k_i |e| + k_d L/I.
    let change = h * (gains[0] * fastest + gains[1] * target + gains[2] * limit / I);
    assert!(strongest <= limit + change, "{strongest} {change}");
    // The same by small explicit steps, with anti-windup and without it: there z keeps growing at the limit.
    let overshoot = |winds_up: bool| {
        let (mut x, mut v, mut z, mut most) = (0.0, 0.0, 0.0, 0.0_f64);
        let dt = 1e-4;
        for _ in 0..150_000 {
            let error = target - x;
            let wanted = gains[0] * error + gains[1] * z - gains[2] * v;
            let is_held = wanted.abs() > limit && wanted * error > 0.0;
            z += if is_held && !winds_up { 0.0 } else { dt * error };
            v += dt * wanted.clamp(-limit, limit) / I;
            x += dt * v;
            most = most.max(x);
        }
        most - target
    };
    let (kept, wound) = (overshoot(false), overshoot(true));
    assert!((most - target - kept).abs() < 0.01 * target, "{most} {kept}");
    assert!(kept < wound / 3.0, "{kept} {wound}");
    assert!((turned(&simulation).0 - target).abs() < 1e-3, "{:?}", turned(&simulation));
}

#[test]
fn errors_beyond_half_a_turn_are_undone_the_shorter_way() {
    let mut simulation = simulated(wheel(pid([4.0, 0.0, 1.3], Law::constant(3.0), None), -3.0, 0.0), 0.01);
    let mut way = 0.0;
    for _ in 0..500 {
        run(&mut simulation, 1);
        way += 0.01 * turned(&simulation).1;
    }
    assert!((way + (TAU - 6.0)).abs() < 1e-6, "{way}");
    assert!((turned(&simulation).0 - 3.0).abs() < 1e-6);
}

#[test]
fn a_target_that_keeps_turning_is_followed_round_and_round() {
    let mut simulation = simulated(wheel(pid([40.0, 0.0, 2.0], Law::linear(0.0, 5.0), None), 0.0, 0.0), 0.002);
    let mut way = 0.0;
    for _ in 0..2500 {
        run(&mut simulation, 1);
        way += 0.002 * turned(&simulation).1;
    }
    // Four turns; no steady error, as the derivative is that of the error.
    assert!((way - 25.0).abs() < 1e-6 && way > 3.9 * TAU, "{way}");
}

#[test]
fn a_speed_controller_approaches_its_target_exponentially_and_holds_it_under_load() {
    let (kp, target) = (0.5, 7.0);
    let error = |h: f64| {
        let mut simulation = simulated(wheel(speed([kp, 0.0], Law::constant(target)), 0.0, 0.0), h);
        run(&mut simulation, (0.2 / h).round() as usize);
        turned(&simulation).1 - target * (1.0 - (-kp * 0.2 / I).exp())
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!(fine.abs() < 0.02 && (coarse / fine - 2.0).abs() < 0.05, "{coarse} {fine}");
    let mut lagging = simulated(wheel(speed([kp, 0.0], Law::constant(target)), 0.0, -0.4), 0.01);
    run(&mut lagging, 1000);
    assert!((turned(&lagging).1 - (target - 0.4 / kp)).abs() < 1e-9);
    let mut exact = simulated(wheel(speed([kp, 1.0], Law::constant(target)), 0.0, -0.4), 0.01);
    run(&mut exact, 2000);
    assert!((turned(&exact).1 - target).abs() < 1e-9, "{:?}", turned(&exact));
}

#[test]
fn a_controlled_run_that_is_stopped_and_resumed_ends_in_the_same_bits() {
    let model = || wheel(pid([4.0, 5.0, 0.3], Law::linear(0.2, 0.5), Some(0.8)), 0.0, -0.2);
    let mut whole = simulated(model(), 0.01);
    run(&mut whole, 37);
    let (state, warm) = (whole.state().clone(), whole.warm_start().clone());
    assert!(state.memory[0] != 0.0 && state.is_finite());
    let forgetful = signorini_mechanics::State { memory: vec![0.0], ..state.clone() };
    assert_ne!(forgetful.hash(), state.hash());
    let mut resumed = Simulation::resumed(model(), settings(0.01), state.clone(), warm.clone()).expect("valid");
    run(&mut whole, 50);
    run(&mut resumed, 50);
    assert_eq!(whole.state().hash(), resumed.state().hash());
    // A state without the memory is of other forces.
    let cut = signorini_mechanics::State { memory: vec![], ..state };
    let error = Simulation::resumed(model(), settings(0.01), cut, warm).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("the state holds 0 numbers for forces to keep, expected 1"));
}

#[test]
fn motors_that_cannot_be_used_are_refused_by_name() {
    let [a, b] = support::two_bodies();
    let anchors = Anchors { bodies: [a, b], frames: [Pose::IDENTITY; 2] };
    let bad = |drive| Motor::torque(anchors, drive).check().map_err(|error| error.to_string());
    let target = || Law::constant(PI);
    let cases = [
        (pid([-1.0, 0.0, 0.0], target(), None), "proportional gain is -1, expected a finite number ≥ 0"),
        (pid([1.0, f64::NAN, 0.0], target(), None), "integral gain is NaN, expected a finite number ≥ 0"),
        (pid([1.0, 0.0, f64::INFINITY], target(), None), "derivative gain is inf, expected a finite number ≥ 0"),
        (pid([1.0, 0.0, 0.0], target(), Some(0.0)), "limit is 0, expected a finite number > 0, or none"),
        (speed([1.0, -2.0], target()), "integral gain is -2, expected a finite number ≥ 0"),
        (
            speed([1.0, 0.0], Law::Polynomial(vec![])),
            "law of the target speed: coefficient is empty, expected at least one number",
        ),
        (Drive::Law(Law::constant(f64::NAN)), "law of the torque: coefficient 0 is NaN, expected a finite number"),
    ];
    for (drive, message) in cases {
        assert_eq!(bad(drive), Err(message.to_owned()));
    }
    assert_eq!(bad(pid([1.0, 2.0, 3.0], target(), Some(5.0))), Ok(()));
}
