//! Scenes of the gallery against closed forms.

use signorini_mechanics::{Simulation, State};
use signorini_scene::{Overrides, load};

/// A scene run to a time; its state there and the index of a body.
fn run(name: &str, set: &[(&str, &str)], body: &str, until: f64) -> (State, usize) {
    let set = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let scene = load(name, &Overrides { set, ..Overrides::default() }).unwrap_or_else(|errors| panic!("{errors}"));
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

#[test]
fn dry_friction_takes_the_same_from_every_half_swing() {
    let scene = load("coulomb-oscillator", &Overrides::default()).expect("the scene");
    let block = scene.model.body_named("block").expect("the block").index();
    let mut simulation = Simulation::new(scene.model, scene.settings).expect("a simulation");
    let mut turns = Vec::new();
    let (mut before, mut way) = (0.05, -1.0);
    for _ in 0..1000 {
        assert!(simulation.step().expect("a step").converged());
        let x = simulation.state().poses[block].position.x;
        if way * (x - before) < 0.0 && simulation.state().velocities[block].x.abs() > 1e-9 {
            turns.push(before);
            way = -way;
        }
        before = x;
    }
    // 2 μ m g/k a half swing. Implicit steps damp as well: by about π · hω/2 = 5 % of the amplitude here.
    let loss = 2.0 * 0.3 * 9.81 / 1000.0;
    assert!(turns.len() >= 6, "{turns:?}");
    assert!((turns[0] + (0.05 - loss)).abs() < 0.06 * 0.05, "{turns:?}");
    // It stops where friction holds the spring.
    assert!(before.abs() <= 0.5 * loss + 1e-6 && simulation.state().velocities[block].length() < 1e-6, "{before}");
}

/// A scene given as text, run to a time.
fn run_text(text: &str, until: f64) -> (Simulation, Vec<String>) {
    let scene = signorini_scene::parse(text, "a.toml", None, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let warnings = scene.warnings.clone();
    let mut simulation = Simulation::new(scene.model, scene.settings).expect("a simulation");
    while simulation.state().time < until - 1e-9 {
        let report = simulation.step().expect("a step");
        assert!(report.converged(), "{report:?}");
    }
    (simulation, warnings)
}

#[test]
fn a_file_of_transmissions_turns_and_shifts_as_its_numbers_say() {
    // A motor of 3 rad/s, a gear of 20 : 30 teeth, a rack of 10 cm on the wheel, a nut of 2 cm a turn keyed to a bent shaft.
    let ball = "shape = { type = \"sphere\", radius = 0.01 }\nmass = 1\n";
    let text = format!(
        "signorini = 1\ngravity = [0, 0, 0]\n[solver]\ntolerance = 1e-10\n[stepper]\njoint-tolerance = 1e-9\n\
         [bodies.motor]\n{ball}[bodies.wheel]\n{ball}position = [1, 0, 0]\n[bodies.rack]\n{ball}position = [1, 1, 0]\n\
         [bodies.shaft]\n{ball}position = [1, 0, 1]\n[bodies.nut]\n{ball}position = [1, 0, 2]\n\
         [joints.drive]\ntype = \"revolute\"\nbodies = [\"world\", \"motor\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nspeed = 3\n\
         [joints.bearing]\ntype = \"revolute\"\nbodies = [\"world\", \"wheel\"]\npoint = [1, 0, 0]\naxis = [0, 0, 1]\n\
         [joints.mesh]\ntype = \"gear\"\nbodies = [\"motor\", \"wheel\"]\naxis = [0, 0, 1]\nteeth = [20, 30]\n\
         [joints.guide]\ntype = \"prismatic\"\nbodies = [\"world\", \"rack\"]\npoint = [1, 1, 0]\naxis = [1, 0, 0]\n\
         [joints.rack]\ntype = \"rack-pinion\"\nbodies = [\"wheel\", \"rack\"]\naxis = [0, 0, 1]\ndirection = [-1, 0, 0]\nradius = 0.1\n\
         [joints.bent]\ntype = \"revolute\"\nbodies = [\"world\", \"shaft\"]\npoint = [1, 0, 1]\naxis = [1, 0, 1]\n\
         [joints.homokinetic]\ntype = \"constant-velocity\"\nbodies = [\"wheel\", \"shaft\"]\npoint = [1, 0, 1]\n\
         axes = [[0, 0, 1], [1, 0, 1]]\n\
         [joints.thread]\ntype = \"screw\"\nbodies = [\"world\", \"nut\"]\npoint = [1, 0, 2]\naxis = [0, 0, 1]\npitch = 0.02\n\
         [joints.key]\ntype = \"prismatic\"\nbodies = [\"wheel\", \"nut\"]\npoint = [1, 0, 2]\naxis = [0, 0, 1]\n"
    );
    let (simulation, warnings) = run_text(&text, 4.0);
    assert!(warnings.iter().all(|warning| !warning.contains("misses")), "{warnings:?}");
    let state = simulation.state();
    let at = |name: &str| simulation.model().body_named(name).expect("the body").index();
    // −2/3 of 12 rad: 1.27 turns backwards.
    let turned = -8.0_f64;
    let x = state.poses[at("wheel")].rotation * glam::DVec3::X;
    assert!((x - glam::DVec3::new(turned.cos(), turned.sin(), 0.0)).length() < 1e-7, "{x}");
    assert!((state.poses[at("rack")].position.x - 1.8).abs() < 1e-7, "{}", state.poses[at("rack")].position);
    let nut = state.poses[at("nut")].position;
    assert!((nut.z - 2.0 - 0.02 * turned / std::f64::consts::TAU).abs() < 1e-7, "{nut}");
    // The shaft turns by as much about its own axis.
    let across = state.poses[at("shaft")].rotation * glam::DVec3::Y;
    let exact = glam::DQuat::from_axis_angle(glam::DVec3::new(1.0, 0.0, 1.0).normalize(), turned) * glam::DVec3::Y;
    assert!((across - exact).length() < 1e-7, "{across} {exact}");
}

#[test]
fn a_file_of_guides_holds_its_points() {
    let ball = "shape = { type = \"sphere\", radius = 0.01 }\nmass = 1\n";
    let text = format!(
        "signorini = 1\n[solver]\ntolerance = 1e-10\n[stepper]\nstep = 0.001\n\
         [bodies.bead]\n{ball}[bodies.heavy]\nshape = {{ type = \"sphere\", radius = 0.01 }}\nmass = 3\nposition = [5, 0, 0]\n\
         [bodies.light]\n{ball}position = [6, 0, 0]\n\
         [joints.wire]\ntype = \"point-on-curve\"\nbodies = [\"world\", \"bead\"]\npoint = [0, 0, 0]\n\
         curve = [[-1, 0, 1], [0, 0, 0], [1, 0, -1], [2, 0, -2]]\n\
         [joints.rope]\ntype = \"pulley\"\nbodies = [\"heavy\", \"light\"]\npoints = [[5, 0, 0], [6, 0, 0]]\n\
         sheaves = [[5, 0, 2], [6, 0, 2]]\n"
    );
    let (simulation, warnings) = run_text(&text, 0.5);
    assert!(warnings.is_empty(), "{warnings:?}");
    let state = simulation.state();
    let at = |name: &str| simulation.model().body_named(name).expect("the body").index();
    // Down a slope of 45°, and g (3 − 1)/(3 + 1).
    let v = state.velocities[at("bead")];
    assert!((v - 0.5 * 9.81 * 0.5 * glam::DVec3::new(1.0, 0.0, -1.0)).length() < 1e-7, "{v}");
    let speeds = [at("heavy"), at("light")].map(|body| state.velocities[body].z);
    assert!((speeds[0] + 0.25 * 9.81).abs() < 1e-7 && (speeds[1] - 0.25 * 9.81).abs() < 1e-7, "{speeds:?}");
}
