//! Flexible scenes of the gallery against balances and closed forms.

use signorini_mechanics::{Simulation, StepReport, Vec3};
use signorini_scene::{Overrides, load};

const G: f64 = 9.81;

fn simulation(name: &str, set: &[(&str, &str)]) -> Simulation {
    let set = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let scene = load(name, &Overrides { set, ..Overrides::default() }).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    Simulation::new(scene.model, scene.settings).expect("as the test has it")
}

/// Steps to a time; `watch` sees every step.
fn run(simulation: &mut Simulation, until: f64, mut watch: impl FnMut(&Simulation, &StepReport)) {
    while simulation.state().time < until - 1e-9 {
        let report = simulation.step().expect("as the test has it");
        assert!(report.converged(), "{report:?}");
        watch(simulation, &report);
    }
}

/// Sum of contact forces of the last step on a body, rigid or flexible, by contacts with another or with any.
fn contact_force(simulation: &Simulation, on: usize, from: Option<usize>) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for contact in simulation.contact_forces() {
        let [a, b] = contact.bodies.map(|body| body.index());
        let is_from = |other: usize| from.is_none_or(|from| from == other);
        if b == on && is_from(a) {
            sum += contact.force;
        } else if a == on && is_from(b) {
            sum -= contact.force;
        }
    }
    sum
}

/// The number contacts give a flexible body.
fn flexible(simulation: &Simulation, name: &str) -> usize {
    simulation.model().bodies().len() + simulation.model().flexible_named(name).expect("as the test has it").index()
}

fn rigid(simulation: &Simulation, name: &str) -> usize {
    simulation.model().body_named(name).expect("as the test has it").index()
}

/// Mean of node positions or velocities weighted by mass.
fn mean(simulation: &Simulation, of: &[Vec3]) -> Vec3 {
    let masses = simulation.model().node_masses();
    let sum = masses.iter().zip(of).map(|(mass, of)| *mass * *of).fold(Vec3::ZERO, |a, b| a + b);
    sum / masses.iter().sum::<f64>()
}

#[test]
fn the_tip_of_the_cantilever_is_where_beam_theory_has_it() {
    let mut simulation = simulation("elastic-cantilever", &[("poisson", "0")]);
    run(&mut simulation, 1.0, |_, _| {});
    // Bending by force and weight, and shear with 5/6 of the area.
    let (length, side, young, density, force) = (1.0_f64, 0.1_f64, 1e8, 1000.0, 20.0);
    let (area, inertia, shear) = (side * side, side.powi(4) / 12.0, young / 2.0);
    let weight = density * G * area;
    let bending = force * length.powi(3) / (3.0 * young * inertia) + weight * length.powi(4) / (8.0 * young * inertia);
    let shearing = (force * length + weight * length * length / 2.0) / (5.0 / 6.0 * shear * area);
    let body = &simulation.model().flexible()[0];
    let tip = body.nodes().iter().zip(&simulation.state().nodes).filter(|(start, _)| start.x > length - 1e-9);
    let sunk: Vec<f64> = tip.map(|(start, now)| start.z - now.z).collect();
    let sunk = sunk.iter().sum::<f64>() / sunk.len() as f64;
    assert!((sunk / (bending + shearing) - 1.0).abs() < 0.01, "{sunk} {}", bending + shearing);
}

#[test]
fn supports_and_punch_of_the_bent_beam_carry_its_weight_and_both_sides_the_same() {
    let mut simulation = simulation("three-point-bending", &[("width", "4")]);
    let beam = flexible(&simulation, "beam");
    run(&mut simulation, 1.5, |simulation, report| {
        assert!(report.penetration < 0.1 * 0.025, "{} m at {} s", report.penetration, report.time);
        let [left, right] =
            ["left", "right"].map(|name| contact_force(simulation, beam, Some(rigid(simulation, name))));
        assert!((left.z - right.z).abs() <= 0.01 * left.z.max(right.z), "{left} {right}");
    });
    let punch = rigid(&simulation, "punch");
    assert!((simulation.state().poses[punch].position.z - (0.15 + 0.025 - 0.3)).abs() < 1e-6);
    let weight = simulation.model().node_masses().iter().sum::<f64>() * G;
    let (down, all) = (contact_force(&simulation, beam, Some(punch)), contact_force(&simulation, beam, None));
    // Far more than the weight is needed to bend it that far: the balance is one of large forces.
    assert!(-down.z > weight, "{down} {weight}");
    assert!((all.z - weight).abs() < 0.02 * weight, "{all} {weight}");
}

#[test]
fn the_fallen_block_rests_with_its_weight_on_the_balls_and_never_gains_energy() {
    let mut simulation = simulation("falling-elastic-block", &[]);
    let start = signorini_mechanics::Energy::of(simulation.model(), simulation.state()).total();
    let mut before = start;
    run(&mut simulation, 2.0, |_, report| {
        let now = report.energy.total();
        assert!(now <= before + 1e-6 * start.abs(), "{before} {now} at {}", report.time);
        before = now;
    });
    let block = flexible(&simulation, "block");
    let weight = 500.0 * 0.3_f64.powi(3) * G;
    let force = contact_force(&simulation, block, Some(rigid(&simulation, "balls")));
    assert!((force.z - weight).abs() < 0.01 * weight, "{force} {weight}");
    assert!(force.truncate().length() < 0.01 * weight, "{force}");
}

#[test]
fn the_net_stops_the_ball_and_bears_it() {
    let mut simulation = simulation("net-catches-ball", &[]);
    let ball = rigid(&simulation, "ball");
    let mut lowest = f64::INFINITY;
    run(&mut simulation, 3.0, |simulation, _| lowest = lowest.min(simulation.state().poses[ball].position.z));
    let state = simulation.state();
    assert!(state.velocities[ball].length() < 0.05, "{}", state.velocities[ball]);
    // Between the plane of the net and the ground, and near the middle.
    assert!(lowest > 0.3 && state.poses[ball].position.z < 2.3, "{lowest} {}", state.poses[ball].position);
    assert!(state.poses[ball].position.truncate().length() < 0.2);
    let force = contact_force(&simulation, ball, None);
    assert!((force.z - 10.0 * G).abs() < 0.05 * 10.0 * G, "{force}");
}

#[test]
fn the_ring_rolls_down_as_a_ring_that_does_not_slide() {
    let mut simulation = simulation("rolling-ring", &[]);
    let start = mean(&simulation, &simulation.state().nodes);
    run(&mut simulation, 1.5, |_, _| {});
    let (a, b, tilt): (f64, f64, f64) = (0.25, 0.3, 10f64.to_radians());
    let along = Vec3::new(tilt.cos(), 0.0, -tilt.sin());
    let expected = G * tilt.sin() / (1.0 + (a * a + b * b) / (2.0 * b * b)) * 1.5;
    let speed = mean(&simulation, &simulation.state().node_velocities).dot(along);
    assert!(speed < 1.01 * expected && speed > 0.9 * expected, "{speed} {expected}");
    let way = (mean(&simulation, &simulation.state().nodes) - start).dot(along);
    assert!((way / (0.5 * expected * 1.5) - 1.0).abs() < 0.1, "{way}");
}

#[test]
fn the_gripper_lifts_the_box_without_slip() {
    let mut simulation = simulation("gripper", &[]);
    let [hand, cube] = ["hand", "box"].map(|name| rigid(&simulation, name));
    let height = |simulation: &Simulation| {
        let poses = &simulation.state().poses;
        poses[cube].position.z - poses[hand].position.z
    };
    run(&mut simulation, 0.4, |_, report| assert!(report.penetration < 1e-4, "{report:?}"));
    let gripped = height(&simulation);
    run(&mut simulation, 1.2, |_, _| {});
    let lifted = height(&simulation);
    run(&mut simulation, 1.5, |_, _| {});
    // Weight shears each pad by m g h/(2 G A): what the box sinks. Beyond that nothing slips while it is held.
    let shear = 0.5 * G / 2.0 * 0.02 / (3e5 / 2.6 * 0.06 * 0.06);
    assert!(gripped - lifted < 3.0 * shear + 1e-4, "{} {shear}", gripped - lifted);
    assert!((height(&simulation) - lifted).abs() < 1e-4, "{} {lifted}", height(&simulation));
    assert!((simulation.state().poses[cube].position.z - 0.25).abs() < 2e-3);
    let force = contact_force(&simulation, cube, None);
    assert!((force.z - 0.5 * G).abs() < 0.02 * 0.5 * G, "{force}");
}
