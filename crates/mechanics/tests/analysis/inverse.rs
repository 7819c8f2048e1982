//! What drives must deliver.

use super::{G, bar, grounded, hinge, slider};
use signorini_mechanics::analysis::{AnalysisError, FreeMotion, InverseSettings, inverse_dynamics};
use signorini_mechanics::force::{RotationalSpring, Spring};
use signorini_mechanics::joint::{Anchors, Distance, Law, Prismatic, Revolute};
use signorini_mechanics::{Energy, Model, Pose, State, Vec3};
use std::f64::consts::TAU;

fn settings(until: f64, step: f64) -> InverseSettings {
    InverseSettings { until, step, free: FreeMotion::Refuse }
}

/// A bar driven about its end, with more hinges in the same place.
fn driven_pendulum(law: Law, more: usize) -> Model {
    let (mut model, ground) = grounded();
    let (arm, pose) = bar(&mut model, "arm", 2.0, [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.8)]);
    let anchors = hinge([ground, arm], [&Pose::IDENTITY, &pose], Vec3::ZERO);
    model.joint("motor", Revolute::new(anchors).driven(law));
    (0..more).for_each(|k| _ = model.joint(format!("more {k}"), Revolute::new(anchors)));
    model.build().unwrap()
}

#[test]
fn a_pendulum_driven_by_a_sine_needs_inertia_times_acceleration_plus_its_weight() {
    let (amplitude, frequency) = (1.2, 0.7);
    let law = Law::Sine { amplitude, frequency, phase: 0.3, offset: 0.1 };
    let (m, l) = (2.0, 0.8);
    for more in [0, 1] {
        let model = driven_pendulum(law.clone(), more);
        let found = inverse_dynamics(&model, &State::start_of(&model), &settings(2.0, 0.01)).unwrap();
        assert_eq!((found.times.len(), found.free), (201, 0));
        let drive = &found.drives[0];
        assert!(drive.is_angle && drive.name == "motor");
        for (k, &t) in found.times.iter().enumerate() {
            let phase = TAU * frequency * t + 0.3;
            let angle = 0.1 + amplitude * phase.sin();
            let acceleration = -amplitude * (TAU * frequency).powi(2) * phase.sin();
            let expected = m * l * l / 3.0 * acceleration + m * G * 0.5 * l * angle.sin();
            assert!((drive.force[k] - expected).abs() < 1e-9 * 12.0, "t {t}: {} {expected}", drive.force[k]);
            assert!((drive.position[k] - angle).abs() < 1e-14);
            // What the hinges carry together: centripetal force, tangential force and weight.
            let rate = amplitude * TAU * frequency * phase.cos();
            let centre = 0.5 * l * Vec3::new(-angle.sin(), 0.0, -angle.cos());
            let along = centre.normalize();
            let across = Vec3::new(-angle.cos(), 0.0, angle.sin());
            let inertial = m * (0.5 * l) * (acceleration * across - rate * rate * along);
            let carried: Vec3 = found.reactions[k].iter().map(|reaction| reaction.force).sum();
            assert!((carried - inertial - Vec3::new(0.0, 0.0, m * G)).length() < 1e-7, "t {t}: {carried}");
        }
    }
}

/// A slider-crank at constant speed: T = dE/dθ, with the energy E(θ) by trigonometry.
#[test]
fn a_slider_crank_needs_the_change_of_its_energy() {
    let (r, l, omega) = (0.3, 0.9, 7.0);
    let masses = [1.5, 2.0, 4.0];
    let start = 0.4_f64;
    let pin = |angle: f64| r * Vec3::new(angle.cos(), 0.0, angle.sin());
    let piston = |angle: f64| Vec3::new(r * angle.cos() + (l * l - (r * angle.sin()).powi(2)).sqrt(), 0.0, 0.0);
    let (mut model, ground) = grounded();
    let (crank, crank_pose) = bar(&mut model, "crank", masses[0], [Vec3::ZERO, pin(start)]);
    let (rod, rod_pose) = bar(&mut model, "rod", masses[1], [pin(start), piston(start)]);
    let block = slider(&mut model, ground, "piston", masses[2], piston(start), Vec3::X);
    let block_pose = Pose::new(piston(start), Default::default());
    // Turning about −y raises the crank's angle.
    let frame = Pose::new(Vec3::ZERO, signorini_mechanics::Quat::from_rotation_arc(Vec3::Z, -Vec3::Y));
    let motor = Anchors::from_world([ground, crank], [&Pose::IDENTITY, &crank_pose], frame);
    model.joint("motor", Revolute::new(motor).driven(Law::linear(0.0, omega)));
    model.joint("crank pin", Revolute::new(hinge([crank, rod], [&crank_pose, &rod_pose], pin(start))));
    model.joint("piston pin", Revolute::new(hinge([rod, block], [&rod_pose, &block_pose], piston(start))));
    let model = model.build().unwrap();
    let found = inverse_dynamics(&model, &State::start_of(&model), &settings(1.0, 0.01)).unwrap();

    let energy = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let root = (l * l - r * r * s * s).sqrt();
        // Rates per unit of dθ/dt = ω.
        let pin_rate = omega * r * Vec3::new(-s, 0.0, c);
        let piston_rate = omega * Vec3::new(-r * s - r * r * s * c / root, 0.0, 0.0);
        let turn = omega * r * c / root;
        let middle = 0.5 * (pin_rate + piston_rate);
        let kinetic = 0.5 * masses[0] * r * r / 3.0 * omega * omega
            + 0.5 * masses[1] * (middle.length_squared() + l * l / 12.0 * turn * turn)
            + 0.5 * masses[2] * piston_rate.length_squared();
        kinetic + G * 0.5 * (masses[0] + masses[1]) * r * s
    };
    let h = 2e-3;
    let slope =
        |a: f64| (energy(a - 2.0 * h) - 8.0 * energy(a - h) + 8.0 * energy(a + h) - energy(a + 2.0 * h)) / (12.0 * h);
    let largest = (0..100).map(|k| slope(0.06 * f64::from(k)).abs()).fold(0.0, f64::max);
    for (k, &t) in found.times.iter().enumerate() {
        let expected = slope(start + omega * t);
        let torque = found.drives[0].force[k];
        assert!((torque - expected).abs() < 1e-9 * largest, "t {t}: {torque} {expected}");
        let place = found.states[k].poses[block.index()].position;
        assert!((place - piston(start + omega * t)).length() < 1e-12, "{place}");
    }
}

#[test]
fn sliders_and_rods_are_driven_too() {
    // A mass lifted as 0.2 t²: m (g + 0.4), by a slider and by a rod.
    let lift = |offset: f64, sign: f64| Law::Polynomial(vec![offset, 0.0, sign * 0.2]);
    let (mut model, ground) = grounded();
    let pose = Pose::IDENTITY;
    let mass = model.body(signorini_mechanics::Body::new("mass", 3.0, super::support::isotropic(1.0)));
    let anchors = Anchors::from_world([ground, mass], [&Pose::IDENTITY, &pose], pose);
    model.joint("jack", Prismatic::new(anchors).driven(lift(0.0, 1.0)));
    let model = model.build().unwrap();
    let found = inverse_dynamics(&model, &State::start_of(&model), &settings(0.5, 0.05)).unwrap();
    assert!(!found.drives[0].is_angle);
    assert!(found.drives[0].force.iter().all(|force| (force - 3.0 * (G + 0.4)).abs() < 1e-8), "{:?}", found.drives);
    let last = found.times.len() - 1;
    assert!((found.drives[0].power(last) - 3.0 * (G + 0.4) * 0.4 * found.times[last]).abs() < 1e-7);

    let (mut model, ground) = grounded();
    let mass = slider(&mut model, ground, "mass", 3.0, Vec3::ZERO, Vec3::Z);
    let rope = Distance::new([ground, mass], [Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO], 2.0).driven(lift(2.0, -1.0));
    model.joint("hoist", rope);
    let model = model.build().unwrap();
    let found = inverse_dynamics(&model, &State::start_of(&model), &settings(0.5, 0.05)).unwrap();
    // It pulls: a negative force along a length that shrinks.
    assert!(found.drives[0].force.iter().all(|force| (force + 3.0 * (G + 0.4)).abs() < 1e-8), "{:?}", found.drives);
}

/// A driven arm that carries a free one, which stays below half a turn: there the torque of its spring would jump, and Simpson's rule
/// with it.
fn half_driven() -> Model {
    let (mut model, ground) = grounded();
    let corners = [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, -1.2)];
    let (first, pose_1) = bar(&mut model, "arm", 1.0, [corners[0], corners[1]]);
    let (second, pose_2) = bar(&mut model, "lash", 0.5, [corners[1], corners[2]]);
    let anchors = hinge([ground, first], [&Pose::IDENTITY, &pose_1], corners[0]);
    let law = Law::Sine { amplitude: 0.3, frequency: 1.1, phase: 0.0, offset: 0.0 };
    model.joint("motor", Revolute::new(anchors).driven(law));
    let middle = hinge([first, second], [&pose_1, &pose_2], corners[1]);
    model.joint("middle", Revolute::new(middle));
    model.force("elastic", RotationalSpring::new(middle, 2.0, 0.0, 0.0));
    model.force("tether", Spring::new([ground, second], [Vec3::new(0.0, 0.0, -2.0), Vec3::ZERO], 5.0, 0.0, 1.0));
    model.build().unwrap()
}

#[test]
fn what_is_not_driven_is_refused_by_name_or_simulated() {
    let model = half_driven();
    let start = State::start_of(&model);
    let refused = inverse_dynamics(&model, &start, &settings(1.0, 0.01)).unwrap_err();
    assert_eq!(refused, AnalysisError::Free { freedoms: 1, body: "lash".into() });

    let simulate = InverseSettings { until: 1.0, step: 0.002, free: FreeMotion::Simulate };
    let found = inverse_dynamics(&model, &start, &simulate).unwrap();
    assert_eq!(found.free, 1);
    // The work of the drive, by Simpson's rule, is what energy gains.
    let drive = &found.drives[0];
    let last = found.times.len() - 1;
    let weight = |k: usize| if k == 0 || k == last { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
    let work: f64 = (0..=last).map(|k| weight(k) * drive.power(k) * 0.002 / 3.0).sum();
    let gained = Energy::of(&model, &found.states[last]).total() - Energy::of(&model, &found.states[0]).total();
    let most = (0..=last).map(|k| Energy::of(&model, &found.states[k]).kinetic).fold(0.0, f64::max);
    assert!((work - gained).abs() < 2e-6 * most, "work {work}, energy {gained}, of {most}");
    assert!(most > 0.3, "{most}");
}

#[test]
fn models_without_drives_contradictions_and_bad_settings_are_refused() {
    let (model, _) = super::pendulum(1.0, 1.0, 0.2, 1);
    let start = State::start_of(&model);
    assert_eq!(inverse_dynamics(&model, &start, &settings(1.0, 0.1)).unwrap_err(), AnalysisError::NoDrive);
    let model = driven_pendulum(Law::linear(0.0, 1.0), 0);
    let start = State::start_of(&model);
    for (until, step) in [(1.0, 0.0), (1.0, f64::NAN), (0.0, 0.1), (f64::INFINITY, 0.1), (-1.0, 0.1), (1.0, 1e-12)] {
        let found = inverse_dynamics(&model, &start, &settings(until, step));
        assert!(matches!(found, Err(AnalysisError::Setting { .. })), "{until} {step}: {found:?}");
    }
    // Two motors in one place that disagree.
    let (mut model, ground) = grounded();
    let (arm, pose) = bar(&mut model, "arm", 2.0, [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.8)]);
    let anchors = hinge([ground, arm], [&Pose::IDENTITY, &pose], Vec3::ZERO);
    model.joint("one", Revolute::new(anchors).driven(Law::linear(0.0, 1.0)));
    model.joint("other", Revolute::new(anchors).driven(Law::linear(0.0, 1.1)));
    let model = model.build().unwrap();
    let found = inverse_dynamics(&model, &State::start_of(&model), &settings(1.0, 0.1));
    assert!(matches!(found, Err(AnalysisError::Contradiction { .. })), "{found:?}");
}
