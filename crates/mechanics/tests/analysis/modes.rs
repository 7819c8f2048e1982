//! How models vibrate.

use super::support::isotropic;
use super::{G, bar, grounded, hinge, pendulum, slider};
use signorini_mechanics::analysis::{AnalysisError, EquilibriumSettings, ModeKind, Modes, modes, static_equilibrium};
use signorini_mechanics::force::{Bushing, Load, RotationalSpring, Spring};
use signorini_mechanics::joint::{Anchors, Revolute, Spherical};
use signorini_mechanics::{Body, Mat3, Model, Pose, State, Vec3};
use std::f64::consts::{PI, TAU};

fn about_start(model: &Model) -> Modes {
    modes(model, &State::start_of(model)).unwrap()
}

#[test]
fn a_pendulum_swings_at_the_root_of_its_moment_over_its_inertia_whatever_is_doubled() {
    for hinges in [1, 2, 3] {
        let (model, arm) = pendulum(2.0, 0.8, 0.0, hinges);
        let found = about_start(&model);
        assert!(found.is_steady && found.is_stable());
        let [mode] = &found.modes[..] else { panic!("{found:?}") };
        let omega = (1.5 * G / 0.8_f64).sqrt();
        assert!((mode.frequency * TAU - omega).abs() < 1e-8, "{} {omega}", mode.frequency * TAU);
        assert!(mode.damping_ratio.abs() < 1e-12 && mode.kind == ModeKind::Oscillating);
        // It turns about y, and its middle moves across by half a length a radian.
        let shape = mode.shape[arm.index()];
        assert!((shape.rotation[0] - Vec3::Y).length() < 1e-9, "{shape:?}");
        assert!((shape.displacement[0] - Vec3::new(-0.4, 0.0, 0.0)).length() < 1e-9, "{shape:?}");
    }
}

#[test]
fn an_inverted_pendulum_has_one_growing_and_one_decaying_motion() {
    let (model, _) = pendulum(2.0, 0.8, PI, 1);
    let found = about_start(&model);
    let rate = (1.5 * G / 0.8_f64).sqrt();
    let [decaying, growing] = &found.modes[..] else { panic!("{found:?}") };
    for (mode, sign) in [(decaying, -1.0), (growing, 1.0)] {
        assert_eq!((mode.kind, mode.is_unstable), (ModeKind::Aperiodic, sign > 0.0));
        assert!((mode.eigenvalue[0] - sign * rate).abs() < 1e-8 && mode.eigenvalue[1] == 0.0, "{mode:?}");
    }
    assert!(found.is_steady && !found.is_stable());
}

#[test]
fn a_double_pendulum_has_the_two_frequencies_of_its_matrices() {
    let (m, l) = ([2.0, 3.0], [0.7, 1.1]);
    let (mut model, ground) = grounded();
    let corners = [Vec3::ZERO, Vec3::new(0.0, 0.0, -l[0]), Vec3::new(0.0, 0.0, -l[0] - l[1])];
    let (first, pose_1) = bar(&mut model, "first", m[0], [corners[0], corners[1]]);
    let (second, pose_2) = bar(&mut model, "second", m[1], [corners[1], corners[2]]);
    model.joint("top", Revolute::new(hinge([ground, first], [&Pose::IDENTITY, &pose_1], corners[0])));
    model.joint("middle", Revolute::new(hinge([first, second], [&pose_1, &pose_2], corners[1])));
    let found = about_start(&model.build().unwrap());
    // M = [[a, b], [b, c]], K = diag(d, e): (ac − b²)ω⁴ − (ae + cd)ω² + de = 0.
    let (a, b, c) = ((m[0] / 3.0 + m[1]) * l[0] * l[0], 0.5 * m[1] * l[0] * l[1], m[1] * l[1] * l[1] / 3.0);
    let (d, e) = ((0.5 * m[0] + m[1]) * G * l[0], 0.5 * m[1] * G * l[1]);
    let (p, q, r) = (a * c - b * b, a * e + c * d, d * e);
    let root = (q * q - 4.0 * p * r).sqrt();
    let expected = [(q - root) / (2.0 * p), (q + root) / (2.0 * p)].map(f64::sqrt);
    for (mode, omega) in found.modes.iter().zip(expected) {
        assert!((mode.frequency * TAU - omega).abs() < 1e-8 * omega, "{} {omega}", mode.frequency * TAU);
    }
    assert_eq!(found.modes.len(), 2);
}

#[test]
fn a_chain_of_masses_and_springs_has_the_frequencies_of_a_sampled_string() {
    let (count, mass, stiffness) = (7, 0.4, 300.0);
    let (mut model, ground) = grounded();
    model.gravity(Vec3::ZERO);
    let at = |k: usize| Vec3::new(k as f64, 0.0, 0.0);
    let masses: Vec<_> =
        (1..=count).map(|k| slider(&mut model, ground, &format!("mass {k}"), mass, at(k), Vec3::X)).collect();
    for k in 0..=count {
        let (from, start) = if k == 0 { (ground, Vec3::ZERO) } else { (masses[k - 1], Vec3::ZERO) };
        let (to, end) = if k == count { (ground, at(count + 1)) } else { (masses[k], Vec3::ZERO) };
        model.force(format!("spring {k}"), Spring::new([from, to], [start, end], stiffness, 0.0, 1.0));
    }
    let found = about_start(&model.build().unwrap());
    assert_eq!(found.modes.len(), count);
    for (k, mode) in found.modes.iter().enumerate() {
        let phase = (k + 1) as f64 * PI / (2 * (count + 1)) as f64;
        let omega = 2.0 * (stiffness / mass).sqrt() * phase.sin();
        assert!((mode.frequency * TAU - omega).abs() < 1e-8 * omega, "mode {k}: {} {omega}", mode.frequency * TAU);
        // The shape is a sine over the places.
        let amplitude = |j: usize| (2.0 * phase * (j + 1) as f64).sin();
        let most = (0..count).map(|j| amplitude(j).abs()).fold(0.0, f64::max);
        for (j, body) in masses.iter().enumerate() {
            let found = mode.shape[body.index()].displacement[0].x.abs();
            assert!((found - amplitude(j).abs() / most).abs() < 1e-7, "mode {k} mass {j}: {found}");
        }
    }
}

#[test]
fn a_damped_oscillator_has_the_roots_of_its_polynomial() {
    let (m, k) = (2.0, 50.0_f64);
    for c in [0.0, 1.5, 19.0, 60.0] {
        let (mut model, ground) = grounded();
        model.gravity(Vec3::ZERO);
        let mass = slider(&mut model, ground, "mass", m, Vec3::X, Vec3::X);
        model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], k, c, 1.0));
        let found = about_start(&model.build().unwrap());
        let (half, inside) = (c / (2.0 * m), k / m - (c / (2.0 * m)).powi(2));
        if inside > 0.0 {
            let [mode] = &found.modes[..] else { panic!("{found:?}") };
            let expected = [-half, inside.sqrt()];
            assert!((0..2).all(|i| (mode.eigenvalue[i] - expected[i]).abs() < 1e-7), "{mode:?} {expected:?}");
            assert!((mode.natural_frequency * TAU - (k / m).sqrt()).abs() < 1e-7);
            assert!((mode.damping_ratio - c / (2.0 * (k * m).sqrt())).abs() < 1e-8, "{mode:?}");
        } else {
            let expected = [-half + (-inside).sqrt(), -half - (-inside).sqrt()];
            let real: Vec<f64> = found.modes.iter().map(|mode| mode.eigenvalue[0]).collect();
            assert!(real.len() == 2 && (0..2).all(|i| (real[i] - expected[i]).abs() < 1e-6), "{real:?} {expected:?}");
        }
        assert!(found.is_stable());
    }
}

/// A top on its point: I s² − i I₃Ω s − m g l = 0 for the complex tilt, with I about the point.
#[test]
fn a_spinning_top_has_its_precession_and_nutation_and_falls_when_it_is_slow() {
    let (m, l, about_axis, across) = (0.5, 0.2, 2e-3, 1.5e-3);
    let inertia = across + m * l * l;
    let limit = (4.0 * m * G * l * inertia).sqrt() / about_axis;
    for (spin, is_stable) in [(1.3 * limit, true), (4.0 * limit, true), (0.8 * limit, false), (0.0, false)] {
        let (mut model, ground) = grounded();
        let pose = Pose::new(Vec3::new(0.0, 0.0, l), signorini_mechanics::Quat::from_rotation_z(0.7));
        let body = Body::new("top", m, Mat3::from_diagonal(Vec3::new(across, across, about_axis)));
        let top = model.body(body.posed(pose).moving(Vec3::ZERO, Vec3::new(0.0, 0.0, spin)));
        let point = Anchors::from_world([ground, top], [&Pose::IDENTITY, &pose], Pose::IDENTITY);
        model.joint("point", Spherical::new(point));
        let found = about_start(&model.build().unwrap());
        assert_eq!((found.is_stable(), found.is_steady, found.freedoms), (is_stable, true, 3), "{spin}");
        assert_eq!(found.modes[0].kind, ModeKind::Rigid, "it may spin");
        let (half, inside) = (0.5 * about_axis * spin / inertia, m * G * l / inertia);
        if is_stable {
            let root = (half * half - inside).sqrt();
            for (mode, omega) in found.modes[1..].iter().zip([half - root, half + root]) {
                assert!((mode.frequency * TAU - omega).abs() < 1e-7 * omega, "{} {omega}", mode.frequency * TAU);
            }
            assert_eq!(found.modes.len(), 3);
        } else if spin > 0.0 {
            // s = iΩ' ± √(m g l/I − Ω'²): one growing and one decaying spiral.
            let growth = (inside - half * half).sqrt();
            for (mode, sign) in found.modes[1..].iter().zip([-1.0, 1.0]) {
                assert!((mode.eigenvalue[0] - sign * growth).abs() < 1e-7 * growth, "{mode:?} {growth}");
                assert!((mode.eigenvalue[1] - half).abs() < 1e-7 * half, "{mode:?} {half}");
            }
        }
    }
}

/// Ziegler's column: two links with masses 2m and m at their ends, springs k in the hinges, a force P that follows the last link. It
/// flutters from P l/k = 7/2 − √2 on; a dead load would buckle it far earlier.
#[test]
fn a_column_under_a_following_force_flutters_at_zieglers_load() {
    let critical = 3.5 - 2.0_f64.sqrt();
    for (load, is_stable) in [(0.0, true), (0.99 * critical, true), (1.01 * critical, false)] {
        let (mut model, ground) = grounded();
        model.gravity(Vec3::ZERO);
        let poses = [1.0, 2.0].map(|z| Pose::new(Vec3::new(0.0, 0.0, z), signorini_mechanics::Quat::IDENTITY));
        let [first, second] = [("first", 2.0, 0), ("second", 1.0, 1)]
            .map(|(name, mass, k)| model.body(Body::new(name, mass, isotropic(1e-7)).posed(poses[k])));
        let joints = [
            ("lower", hinge([ground, first], [&Pose::IDENTITY, &poses[0]], Vec3::ZERO)),
            ("upper", hinge([first, second], [&poses[0], &poses[1]], Vec3::new(0.0, 0.0, 1.0))),
        ];
        for (name, anchors) in joints {
            model.joint(name, Revolute::new(anchors));
            model.force(name, RotationalSpring::new(anchors, 1.0, 0.0, 0.0));
        }
        model.force("push", Load::new(second).force(Vec3::new(0.0, 0.0, -load), None).following());
        let found = about_start(&model.build().unwrap());
        assert_eq!(found.is_stable(), is_stable, "{load}: {:?}", found.modes);
        assert!(found.modes.iter().all(|mode| mode.kind == ModeKind::Oscillating));
    }
}

#[test]
fn a_free_body_has_six_rigid_modes_and_a_spinning_one_wobbles() {
    let (mut model, _) = grounded();
    model.gravity(Vec3::ZERO);
    model.body(Body::new("stone", 2.0, Mat3::from_diagonal(Vec3::new(0.3, 0.3, 0.4))));
    let model = model.build().unwrap();
    let found = about_start(&model);
    assert_eq!((found.modes.len(), found.freedoms), (6, 6));
    assert!(found.modes.iter().all(|mode| mode.kind == ModeKind::Rigid));
    let mut state = State::start_of(&model);
    state.angular_velocities[1] = Vec3::new(0.0, 0.0, 5.0);
    let found = modes(&model, &state).unwrap();
    // Seen from the world a wobbling disc wobbles at I₃Ω/I.
    let omega = 0.4 / 0.3 * 5.0;
    let [.., wobble] = &found.modes[..] else { panic!() };
    assert!(found.modes.len() == 7 && (wobble.frequency * TAU - omega).abs() < 1e-9, "{found:?}");
    // About an axis across, its coefficients change all the time.
    state.angular_velocities[1] = Vec3::new(5.0, 0.0, 0.0);
    assert!(!modes(&model, &state).unwrap().is_steady);
}

/// A balanced wheel under its weight meets no stiffness; what differences of its reactions leave must not pass for any.
#[test]
fn a_balanced_wheel_is_free_to_turn() {
    let (mut model, ground) = grounded();
    let pose = Pose::new(Vec3::new(0.3, 0.1, 0.7), signorini_mechanics::Quat::from_rotation_y(0.4));
    let wheel = model.body(Body::new("wheel", 5.0, isotropic(0.01)).posed(pose));
    model.joint("axle", Revolute::new(hinge([ground, wheel], [&Pose::IDENTITY, &pose], pose.position)));
    let model = model.build().unwrap();
    let found = about_start(&model);
    assert!(matches!(&found.modes[..], [mode] if mode.kind == ModeKind::Rigid && !mode.is_unstable), "{found:?}");
    let settings = signorini_mechanics::analysis::EquilibriumSettings::default();
    let rest = signorini_mechanics::analysis::static_equilibrium(&model, &State::start_of(&model), &settings).unwrap();
    assert_eq!(rest.stability, signorini_mechanics::analysis::Stability::Neutral);
}

#[test]
fn a_state_that_accelerates_is_said_not_to_be_steady() {
    let (model, _) = pendulum(2.0, 0.8, 0.5, 1);
    assert!(!about_start(&model).is_steady);
}

#[test]
fn a_model_too_large_for_dense_matrices_is_refused() {
    let (mut model, _) = grounded();
    (0..201).for_each(|k| _ = model.body(Body::new(format!("body {k}"), 1.0, isotropic(1.0))));
    let model = model.build().unwrap();
    let found = modes(&model, &State::start_of(&model)).unwrap_err();
    assert_eq!(found, AnalysisError::TooLarge { what: "velocities", found: 1206, allowed: 1200 });
    let (mut model, _) = grounded();
    (0..101).for_each(|k| _ = model.body(Body::new(format!("body {k}"), 1.0, isotropic(1.0))));
    let model = model.build().unwrap();
    let found = modes(&model, &State::start_of(&model)).unwrap_err();
    assert_eq!(found, AnalysisError::TooLarge { what: "degrees of freedom", found: 606, allowed: 600 });
}

/// There the sum of forces is zero up to rounding: accelerations are compared with forces one by one.
#[test]
fn rest_on_springs_is_steady_and_any_push_off_it_is_not() {
    for (stiffness, damping) in [(1e3, 0.0), (1e3, 5.0), (123.4, 0.7), (1e6, 30.0)] {
        let (mut model, ground) = grounded();
        let mass = slider(&mut model, ground, "mass", 1.7, Vec3::new(0.0, 0.0, -1.0), Vec3::Z);
        model.force("spring", Spring::new([ground, mass], [Vec3::ZERO; 2], stiffness, damping, 1.0));
        let on_spring = (model.build().unwrap(), mass);
        let (mut model, ground) = grounded();
        let at = Pose::new(Vec3::new(0.3, 0.1, 0.2), Default::default());
        let block = model.body(Body::new("block", 1.7, isotropic(1.7)).posed(at));
        let corner = Pose::new(Vec3::new(0.4, 0.0, 0.15), Default::default());
        let six = |k: f64| std::array::from_fn(|i| std::array::from_fn(|j| if i == j { k } else { 0.0 }));
        let anchors = Anchors::from_world([ground, block], [&Pose::IDENTITY, &at], corner);
        model.force("bushing", Bushing::new(anchors, six(stiffness), six(damping)));
        for (model, body) in [on_spring, (model.build().unwrap(), block)] {
            let start = State::start_of(&model);
            assert!(!modes(&model, &start).unwrap().is_steady);
            let found = static_equilibrium(&model, &start, &EquilibriumSettings::default()).unwrap();
            assert!(modes(&model, &found.state).unwrap().is_steady, "{stiffness} {damping}");
            // A push that changes the spring's force by a thousandth of the weight.
            let mut pushed = found.state;
            pushed.poses[body.index()].position.z += 1e-3 * 1.7 * G / stiffness;
            assert!(!modes(&model, &pushed).unwrap().is_steady, "{stiffness} {damping}");
        }
    }
}
