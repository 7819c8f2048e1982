//! Where models rest.

use super::support::isotropic;
use super::{G, bar, bisect, grounded, hinge, pendulum, slider};
use signorini_mechanics::analysis::{
    AnalysisError, Equilibrium, EquilibriumSettings, Stability, modes, static_equilibrium,
};
use signorini_mechanics::force::{Load, RotationalSpring, Spring};
use signorini_mechanics::joint::{Anchors, Law, Prismatic, Revolute, Rope};
use signorini_mechanics::{Body, BodyId, Model, Pose, Quat, State, Vec3};

fn rest(model: &Model) -> Equilibrium {
    let found = static_equilibrium(model, &State::start_of(model), &EquilibriumSettings::default()).unwrap();
    assert!(found.residual <= 1e-9 * found.force_scale, "{} N of {}", found.residual, found.force_scale);
    found
}

fn error(model: &Model) -> AnalysisError {
    static_equilibrium(model, &State::start_of(model), &EquilibriumSettings::default()).unwrap_err()
}

/// Angle of a bar's x from straight down.
fn angle(found: &Equilibrium, body: BodyId) -> f64 {
    let x = found.state.poses[body.index()].rotation * Vec3::X;
    x.x.atan2(-x.z)
}

#[test]
fn a_mass_on_a_spring_hangs_at_its_weight_over_the_stiffness() {
    let (mut model, ground) = grounded();
    // Nothing but the spring holds it: it may still spin about the vertical, which is neutral.
    let mass = model.body(Body::new("mass", 3.0, isotropic(0.2)).at(Vec3::new(0.4, 0.2, -0.6)));
    model.force("spring", Spring::new([ground, mass], [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.1)], 250.0, 0.0, 0.8));
    let model = model.build().unwrap();
    let found = rest(&model);
    let depth = 0.8 + 3.0 * G / 250.0 + 0.1;
    let place = found.state.poses[mass.index()].position;
    assert!((place - Vec3::new(0.0, 0.0, -depth)).length() < 1e-9, "{place} {depth}");
    assert_eq!((found.stability, found.freedoms), (Stability::Neutral, 6));
}

#[test]
fn two_links_with_a_load_hang_as_statics_says() {
    let (m, l, pull) = ([2.0, 3.0], [0.7, 1.1], 14.0);
    let (mut model, ground) = grounded();
    // From a start on the other side, with the second link upwards.
    let corners = [Vec3::ZERO, Vec3::new(-l[0], 0.0, 0.0), Vec3::new(-l[0], 0.0, l[1])];
    let (first, pose_1) = bar(&mut model, "first", m[0], [corners[0], corners[1]]);
    let (second, pose_2) = bar(&mut model, "second", m[1], [corners[1], corners[2]]);
    model.joint("top", Revolute::new(hinge([ground, first], [&Pose::IDENTITY, &pose_1], corners[0])));
    model.joint("middle", Revolute::new(hinge([first, second], [&pose_1, &pose_2], corners[1])));
    let end = Vec3::new(0.5 * l[1], 0.0, 0.0);
    model.force("pull", Load::new(second).force(Vec3::new(pull, 0.0, 0.0), None).at(end));
    let model = model.build().unwrap();
    let found = rest(&model);
    // Moments about the upper end of each link.
    let expected = [pull / (G * (0.5 * m[0] + m[1])), pull / (G * 0.5 * m[1])].map(f64::atan);
    for (body, expected) in [first, second].into_iter().zip(expected) {
        assert!((angle(&found, body) - expected).abs() < 1e-9, "{} {expected}", angle(&found, body));
    }
    assert_eq!((found.stability, found.freedoms), (Stability::Stable, 2));
    // The top hinge carries all weight and the load, on its second body.
    let force = found.reactions[0].force;
    assert!((force - Vec3::new(-pull, 0.0, (m[0] + m[1]) * G)).length() < 1e-7, "{force}");
}

/// A chain of equal links between two supports: tan θ of link i is the vertical force in its middle over the horizontal one H,
/// which closes the span.
#[test]
fn a_chain_turned_upside_down_falls_into_its_catenary() {
    let (links, length, weight, span) = (9, 0.25, 1.5 * G, 1.6);
    let slope = |i: usize, h: f64| (i as f64 + 0.5 - 0.5 * links as f64) * weight / h;
    let width = |h: f64| (0..links).map(|i| length * slope(i, h).atan().cos()).sum::<f64>();
    let horizontal = bisect(1e-3, 1e4, |h| width(h) - span);
    let mut hanging = vec![Vec3::ZERO];
    for i in 0..links {
        let angle = slope(i, horizontal).atan();
        hanging.push(hanging[i] + length * Vec3::new(angle.cos(), 0.0, angle.sin()));
    }
    // It starts as the arch, which is in balance as well.
    let (mut model, ground) = grounded();
    let arch: Vec<Vec3> = hanging.iter().map(|p| Vec3::new(p.x, 0.0, -p.z)).collect();
    let (mut before, mut pose_before) = (ground, Pose::IDENTITY);
    let mut bodies = Vec::new();
    for i in 0..links {
        let (link, pose) = bar(&mut model, &format!("link {i}"), 1.5, [arch[i], arch[i + 1]]);
        model.joint(format!("pin {i}"), Revolute::new(hinge([before, link], [&pose_before, &pose], arch[i])));
        bodies.push(link);
        (before, pose_before) = (link, pose);
    }
    let last = hinge([before, ground], [&pose_before, &Pose::IDENTITY], arch[links]);
    model.joint("end", Revolute::new(last));
    let model = model.build().unwrap();
    let found = rest(&model);
    assert!(found.left_behind >= 1, "the arch is unstable");
    assert_eq!((found.stability, found.freedoms), (Stability::Stable, links - 2));
    for (i, body) in bodies.iter().enumerate() {
        let middle = 0.5 * (hanging[i] + hanging[i + 1]);
        let place = found.state.poses[body.index()].position;
        assert!((place - middle).length() < 1e-8, "link {i}: {place} {middle}");
    }
    // The support pulls the first link to the left.
    let reaction = found.reactions[0].force;
    let expected = Vec3::new(-horizontal, 0.0, 0.5 * links as f64 * weight);
    assert!((reaction - expected).length() < 1e-7 * expected.length(), "{reaction} {expected}");
    // Without being told to leave, it stays on the arch and says what that is.
    let settings = EquilibriumSettings { leave_unstable: false, ..EquilibriumSettings::default() };
    let arch = static_equilibrium(&model, &State::start_of(&model), &settings).unwrap();
    assert_eq!(arch.stability, Stability::Unstable);
}

/// Two springs from (±b, 0, 0) to a mass on a vertical guide.
fn truss(mass: f64, height: f64, gravity: f64) -> (Model, BodyId) {
    let (mut model, ground) = grounded();
    model.gravity(Vec3::new(0.0, 0.0, -gravity));
    let apex = slider(&mut model, ground, "apex", mass, Vec3::new(0.0, 0.0, height), Vec3::Z);
    for (name, x) in [("left", -1.0), ("right", 1.0)] {
        let points = [Vec3::new(x, 0.0, 0.0), Vec3::ZERO];
        model.force(name, Spring::new([ground, apex], points, 1000.0, 0.0, 1.1));
    }
    (model.build().unwrap(), apex)
}

/// Upward force of both springs on the apex at a height.
fn lift(z: f64) -> f64 {
    let l = 1.0_f64.hypot(z);
    -2.0 * 1000.0 * (1.0 - 1.1 / l) * z
}

#[test]
fn a_truss_carries_a_light_load_and_snaps_through_under_a_heavy_one() {
    let high = (1.1_f64 * 1.1 - 1.0).sqrt();
    // The height of the largest lift, where the slope of it is zero: l³ = l₀ b².
    let crest = (1.1_f64.powf(2.0 / 3.0) - 1.0).sqrt();
    let most = lift(crest) / G;
    let (model, apex) = truss(0.9 * most, high, G);
    let found = rest(&model);
    let expected = bisect(crest, high, |z| lift(z) - 0.9 * most * G);
    let z = found.state.poses[apex.index()].position.z;
    assert!((z - expected).abs() < 1e-9 && found.stability == Stability::Stable, "{z} {expected}");

    let (model, apex) = truss(1.1 * most, high, G);
    let found = rest(&model);
    let expected = bisect(-3.0, -high, |z| lift(z) - 1.1 * most * G);
    let z = found.state.poses[apex.index()].position.z;
    assert!((z - expected).abs() < 1e-9 && found.stability == Stability::Stable, "{z} {expected}");
}

#[test]
fn a_flat_truss_without_load_leaves_its_unstable_place() {
    let (model, apex) = truss(5.0, 0.0, 0.0);
    let found = rest(&model);
    let z = found.state.poses[apex.index()].position.z;
    assert!((z.abs() - (1.1_f64 * 1.1 - 1.0).sqrt()).abs() < 1e-9, "{z}");
    assert_eq!((found.stability, found.left_behind), (Stability::Stable, 1));
}

#[test]
fn an_inverted_pendulum_falls_and_one_at_right_angles_comes_to_hang() {
    for start in [std::f64::consts::PI, 0.5 * std::f64::consts::PI, 3.0, -2.0, 1e-3] {
        let (model, arm) = pendulum(2.0, 0.8, start, 1);
        let found = rest(&model);
        assert!(angle(&found, arm).abs() < 1e-9, "{start}: {}", angle(&found, arm));
        // ω² = m g l/2 / (m l²/3).
        let softest = found.softest.unwrap();
        assert!((softest - 1.5 * G / 0.8).abs() < 1e-7, "{softest}");
    }
}

#[test]
fn redundant_hinges_share_the_load_and_change_nothing() {
    let (model, arm) = pendulum(2.0, 0.8, 1.0, 2);
    let found = rest(&model);
    assert!(angle(&found, arm).abs() < 1e-9);
    let both = found.reactions[0].force + found.reactions[1].force;
    assert!((both - Vec3::new(0.0, 0.0, 2.0 * G)).length() < 1e-7, "{both}");
}

/// A four-bar linkage with a torsion spring in its first hinge, against the least potential over the crank's angle.
#[test]
fn a_four_bar_with_a_torsion_spring_rests_where_its_potential_is_least() {
    let (crank, coupler, rocker, base) = (0.5, 1.2, 0.9, 1.4);
    let (masses, stiffness, relaxed) = ([1.0, 2.0, 1.5], 15.0, 1.9);
    let corners = |angle: f64| {
        let first = crank * Vec3::new(angle.cos(), 0.0, angle.sin());
        let end = Vec3::new(base, 0.0, 0.0);
        // The upper point of two circles.
        let d = (end - first).length();
        let along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
        let (ex, up) = ((end - first) / d, (coupler * coupler - along * along).sqrt());
        let second = first + along * ex + up * Vec3::new(-ex.z, 0.0, ex.x);
        [Vec3::ZERO, first, second, end]
    };
    let potential = |angle: f64| {
        let c = corners(angle);
        let weight: f64 = (0..3).map(|k| masses[k] * G * 0.5 * (c[k].z + c[k + 1].z)).sum();
        weight + 0.5 * stiffness * (angle - relaxed).powi(2)
    };
    let slope = |angle: f64| (potential(angle + 1e-4) - potential(angle - 1e-4)) / 2e-4;
    let start = 1.9;
    let c = corners(start);
    let (mut model, ground) = grounded();
    let mut bars = vec![(ground, Pose::IDENTITY)];
    bars.extend((0..3).map(|k| bar(&mut model, &format!("bar {k}"), masses[k], [c[k], c[k + 1]])));
    bars.push((ground, Pose::IDENTITY));
    let anchors: Vec<Anchors> =
        (0..4).map(|k| hinge([bars[k].0, bars[k + 1].0], [&bars[k].1, &bars[k + 1].1], c[k])).collect();
    anchors.iter().enumerate().for_each(|(k, at)| _ = model.joint(format!("pin {k}"), Revolute::new(*at)));
    // At the start the angle about y is 0; turning about y by α lowers the crank's angle by α.
    model.force("torsion", RotationalSpring::new(anchors[0], stiffness, 0.0, start - relaxed));
    let model = model.build().unwrap();
    let found = rest(&model);
    let x = found.state.poses[bars[1].0.index()].rotation * Vec3::X;
    let angle = x.z.atan2(x.x);
    let expected = bisect(angle - 0.05, angle + 0.05, slope);
    // The slope is known to 1e-8 of the potential.
    assert!((angle - expected).abs() < 1e-7, "{angle} {expected}");
    assert!((angle - start).abs() > 0.05, "it has moved: {angle}");
    assert_eq!((found.stability, found.freedoms), (Stability::Stable, 1));
    let frequency = modes(&model, &found.state).unwrap().modes[0].frequency;
    assert!((frequency * std::f64::consts::TAU - found.softest.unwrap().sqrt()).abs() < 1e-6);
}

#[test]
fn a_driven_joint_is_held_where_its_motion_is_at_the_time() {
    let (mut model, ground) = grounded();
    let (arm, pose) = bar(&mut model, "arm", 2.0, [Vec3::ZERO, Vec3::new(0.0, 0.0, -1.0)]);
    let anchors = hinge([ground, arm], [&Pose::IDENTITY, &pose], Vec3::ZERO);
    // Fast and accelerated: neither counts for statics.
    model.joint("motor", Revolute::new(anchors).driven(Law::Polynomial(vec![0.3, 5.0, 40.0])));
    let model = model.build().unwrap();
    let found = rest(&model);
    assert_eq!((found.freedoms, found.softest), (0, None));
    let torque = found.reactions[0].rows[5];
    assert!((torque - 2.0 * G * 0.5 * 0.3_f64.sin()).abs() < 1e-8, "{torque}");
}

#[test]
fn what_nothing_holds_is_named() {
    let (mut model, _) = grounded();
    let stone = model.body(Body::new("stone", 1.0, isotropic(1.0)));
    model.force("wind", Load::new(stone).force(Vec3::X, None));
    let found = error(&model.build().unwrap());
    assert_eq!(found.to_string(), "body `stone` has nothing to hold it");
    assert!(found.hint().unwrap().contains("contacts"));

    let (mut model, ground) = grounded();
    let held = slider(&mut model, ground, "held", 1.0, Vec3::ZERO, Vec3::X);
    let [a, b] = ["a", "b"].map(|name| model.body(Body::new(name, 1.0, isotropic(1.0))));
    model.force("spring", Spring::new([a, b], [Vec3::ZERO, Vec3::X], 1.0, 0.0, 1.0));
    _ = held;
    let message = error(&model.build().unwrap()).to_string();
    assert_eq!(message, "body `a` has nothing to hold it, nor have the 1 bodies connected with it");

    // A sledge on a slope: joined to the ground, and yet it slides for ever.
    let (mut model, ground) = grounded();
    slider(&mut model, ground, "fixture", 1.0, Vec3::ZERO, Vec3::X);
    slider(&mut model, ground, "sledge", 1.0, Vec3::ZERO, Vec3::new(0.8, 0.0, 0.6));
    assert_eq!(error(&model.build().unwrap()).to_string(), "body `sledge` has nothing to hold it");
}

#[test]
fn limits_that_would_be_passed_and_bad_settings_are_refused() {
    let (mut model, ground) = grounded();
    let pose = Pose::new(Vec3::ZERO, Quat::IDENTITY);
    let mass = model.body(Body::new("mass", 1.0, isotropic(1.0)));
    model.joint("guide", Prismatic::new(Anchors::from_world([ground, mass], [&Pose::IDENTITY, &pose], pose)));
    model.force("spring", Spring::new([ground, mass], [Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO], 10.0, 0.0, 1.0));
    model.joint("rope", Rope::new([ground, mass], [Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO], 1.5));
    let model = model.build().unwrap();
    assert!(matches!(error(&model), AnalysisError::OneSided { joint, .. } if joint == "rope"));
    let start = State::start_of(&model);
    for (tolerance, max_iterations) in [(0.0, 9), (f64::NAN, 9), (-1.0, 9), (1e-6, 0)] {
        let settings = EquilibriumSettings { tolerance, max_iterations, ..EquilibriumSettings::default() };
        let found = static_equilibrium(&model, &start, &settings);
        assert!(matches!(found, Err(AnalysisError::Setting { .. })), "{found:?}");
    }
    let mut short = start.clone();
    short.poses.pop();
    let found = static_equilibrium(&model, &short, &EquilibriumSettings::default());
    assert!(matches!(found, Err(AnalysisError::State { what: "poses", .. })), "{found:?}");
    let mut broken = start;
    broken.poses[1].position.x = f64::NAN;
    let found = static_equilibrium(&model, &broken, &EquilibriumSettings::default());
    assert!(matches!(found, Err(AnalysisError::NotFinite { .. })), "{found:?}");
}
