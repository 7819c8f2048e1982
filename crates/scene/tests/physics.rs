//! Scenes of the gallery against closed forms.

use signorini_mechanics::{Simulation, State};
use signorini_scene::{Overrides, load};

/// A scene run to a time; its state there and the index of a body.
fn run(name: &str, set: &[(&str, &str)], body: &str, until: f64) -> (State, usize) {
    let set = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let scene = load(name, &Overrides { set, seed: None }).unwrap_or_else(|errors| panic!("{errors}"));
    let index = scene.model.body_named(body).expect("the body").index();
    let mut simulation = Simulation::new(scene.model, scene.settings).expect("a simulation");
    while simulation.state().time < until - 1e-9 {
        let report = simulation.step().expect("a step");
        assert!(report.converged(), "{name}: {report:?}");
    }
    (simulation.state().clone(), index)
}

#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed() {
    let (state, ball) = run("rolling-sphere", &[], "ball", 1.0);
    // Sliding ends inside a step: its speed is met to what friction changes in a step, μ g h.
    assert!((state.velocities[ball].x - 5.0 * 5.0 / 7.0).abs() < 0.2 * 9.81 * 0.005, "{}", state.velocities[ball]);
}

#[test]
fn a_box_stops_where_its_energy_is_used_up() {
    let (state, block) = run("box-slide", &[], "box", 1.0);
    // v²/(2μg), less than half a step's way off: implicit steps use the speed of their end.
    let distance = 4.0 / (2.0 * 0.4 * 9.81);
    assert!(
        (state.poses[block].position.x - distance).abs() <= 0.5 * 2.0 * 0.005 + 1e-6,
        "{}",
        state.poses[block].position
    );
    assert!(state.velocities[block].length() < 1e-6);
}

#[test]
fn a_block_on_a_slope_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let (state, block) = run("incline", &[("angle", "16")], "block", 0.5);
    assert!(state.velocities[block].length() < 1e-6, "{}", state.velocities[block]);
    let (state, block) = run("incline", &[("angle", "30")], "block", 0.5);
    let angle = 30_f64.to_radians();
    let speed = 0.5 * 9.81 * (angle.sin() - 0.3 * angle.cos());
    assert!((state.velocities[block].length() / speed - 1.0).abs() < 1e-3, "{}", state.velocities[block]);
}

#[test]
fn the_pulse_runs_through_the_cradle() {
    // The striker arrives after a quarter of its swing, somewhat later for large angles, and stops.
    let (state, striker) = run("newtons-cradle", &[], "striker", 0.30);
    let speed = (2.0 * 9.81 * 0.3 * (1.0 - 30_f64.to_radians().cos())).sqrt();
    assert!(state.velocities[striker].length() < 0.02 * speed, "{}", state.velocities[striker]);
    let (state, last) = run("newtons-cradle", &[], "ball-0004", 0.30);
    // Shortly after, the last has climbed little.
    assert!(state.velocities[last].length() > 0.9 * speed, "{} of {speed}", state.velocities[last]);
}

#[test]
fn towers_stand() {
    for (name, set, top) in [
        ("card-tower", &[("storeys", "3")][..], "card-0012"),
        ("plank-tower", &[("layers", "6")][..], "plank-0024"),
        ("brick-wall", &[("columns", "4"), ("rows", "5")][..], "brick-0018"),
    ] {
        let (start, body) = run(name, set, top, 0.0);
        let (end, _) = run(name, set, top, 0.1);
        let moved = (end.poses[body].position - start.poses[body].position).length();
        assert!(moved < 1e-3, "{name}: {moved}");
    }
}

#[test]
fn gears_turn_each_other() {
    let turned = |body: &str| {
        let (state, index) = run("gear-train", &[], body, 0.5);
        let (start, _) = run("gear-train", &[], body, 0.0);
        let turn = state.poses[index].rotation * start.poses[index].rotation.conjugate();
        2.0 * turn.z.atan2(turn.w)
    };
    // 1.5 rad each, in turn to and fro; teeth have less than 0.1 rad of play.
    assert!((turned("driver") - 1.5).abs() < 1e-6);
    assert!((turned("idler") + 1.5).abs() < 0.1 && (turned("driven") - 1.5).abs() < 0.2);
}
