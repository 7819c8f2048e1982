//! `[forces.NAME]`: what is read does what it says; what is wrong is told with its place.

use signorini_mechanics::force::Motion;
use signorini_mechanics::{Simulation, Vec3};
use signorini_scene::{Overrides, Scene, SceneErrors, parse};

/// A wheel of 0.1 kg m² on a hinge about z and a slider of 4 kg along x, without gravity; more lines follow from line 24 on.
fn with(lines: &str) -> String {
    let head = r#"signorini = 1
gravity = [0, 0, 0]
[stepper]
step = 0.01
[bodies.wheel]
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [1, 0, 0]
[bodies.slider]
mass = 4
inertia = [1, 1, 1]
position = [0, 2, 0]
[joints.hinge]
type = "revolute"
bodies = ["world", "wheel"]
point = [1, 0, 0]
axis = [0, 0, 1]
[joints.guide]
type = "prismatic"
bodies = ["world", "slider"]
point = [0, 2, 0]
axis = [1, 0, 0]
"#;
    format!("{head}\n{lines}\n")
}

fn read(lines: &str) -> Scene {
    parse(&with(lines), "a.toml", None, &Overrides::default()).expect("a scene")
}

fn simulated(lines: &str, steps: usize) -> Simulation {
    let scene = read(lines);
    let mut simulation = Simulation::new(scene.model, scene.settings).expect("a simulation");
    for _ in 0..steps {
        assert!(simulation.step().expect("a step").converged());
    }
    simulation
}

/// Where a body is.
fn index(simulation: &Simulation, name: &str) -> usize {
    simulation.model().body_named(name).expect("the body").index()
}

fn assert_only(lines: &str, line: usize, column: usize, message: &str) {
    let SceneErrors(found) = parse(&with(lines), "a.toml", None, &Overrides::default()).expect_err("errors");
    assert_eq!(found.len(), 1, "{lines}\n{found:#?}");
    let said = format!("{} | {}", found[0].message, found[0].hint.as_deref().unwrap_or_default());
    assert!(said.contains(message), "{lines}\nsaid: {said}\nexpected: {message}");
    assert_eq!((found[0].line, found[0].column), (line, column), "{lines}\n{said}");
}

const MOTOR: &str = "[forces.m]\ntype = \"motor\"\nbodies = [\"world\", \"wheel\"]\naxis = [0, 0, 1]\n";
const JACK: &str =
    "[forces.m]\ntype = \"motor\"\nkind = \"force\"\nbodies = [\"world\", \"slider\"]\naxis = [1, 0, 0]\n";
const BUSHING: &str = "[forces.b]\ntype = \"bushing\"\nbodies = [\"world\", \"wheel\"]\npoint = [1, 0, 0]\n";

#[test]
fn a_motor_turns_with_its_law_or_is_controlled() {
    let spin = |lines: &str, steps: usize| {
        let simulation = simulated(&format!("{MOTOR}{lines}"), steps);
        simulation.state().angular_velocities[index(&simulation, "wheel")].z
    };
    assert!((spin("law = 0.3", 100) - 3.0).abs() < 1e-6);
    // ∫ 0.4 t dt/I: the torque of the middle of every step gives it exactly.
    assert!((spin("law = { speed = 0.4 }", 100) - 2.0).abs() < 1e-9);
    let control = "speed-control = { proportional = 0.5, integral = 1, target = 7 }";
    assert!((spin(control, 2000) - 7.0).abs() < 1e-4);
    let limited = "kind = \"torque\"\nspeed-control = { proportional = 5, target = 700, limit = 0.2 }";
    assert!((spin(limited, 100) - 2.0).abs() < 1e-6);
    let pid = "pid = { proportional = 4, integral = 5, derivative = 0.8, target = 0.5 }";
    let simulation = simulated(&format!("{MOTOR}{pid}"), 2000);
    let x = simulation.state().poses[index(&simulation, "wheel")].rotation * Vec3::X;
    assert!((x.y.atan2(x.x) - 0.5).abs() < 1e-4);
    assert_eq!(simulation.state().memory.len(), 1);
}

#[test]
fn a_force_motor_pushes_along_its_axis_and_is_controlled_from_where_it_starts() {
    let simulation = simulated(&format!("{JACK}point = [0, 2, 0]\nlaw = 8"), 100);
    assert!((simulation.state().velocities[index(&simulation, "slider")].x - 2.0).abs() < 1e-6);
    let pid = "pid = { proportional = 100, derivative = 40, target = { polynomial = [0.3] } }";
    let simulation = simulated(&format!("{JACK}point = [0.7, 2, 0]\n{pid}"), 1000);
    assert!((simulation.state().poses[index(&simulation, "slider")].position.x - 0.3).abs() < 1e-4);
}

#[test]
fn a_bushing_is_given_by_diagonals_or_by_matrices() {
    let wrench = |lines: &str| {
        let scene = read(&format!("{BUSHING}{lines}"));
        let (_, bushing) = scene.model.forces().next().expect("a force");
        // The wheel moved by 0.01 m along x and turned by 0.1 rad about z, at rest.
        let [a, b] = bushing.bodies().map(|body| scene.model.bodies()[body.index()].start);
        let moved = signorini_mechanics::Pose::new(
            b.position + 0.01 * Vec3::X,
            signorini_mechanics::Quat::from_rotation_z(0.1),
        );
        let [a, b] = [a, moved].map(|pose| Motion { pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO });
        let [_, on_wheel] = bushing.wrench([&a, &b], 0.0, &[]);
        (on_wheel.force, on_wheel.torque)
    };
    let diagonal = "stiffness = [100, 200, 300, 4, 5, 6]\ndamping = [1, 1, 1, 1, 1, 1]";
    let (force, torque) = wrench(diagonal);
    assert!((force - Vec3::new(-1.0, 0.0, 0.0)).length() < 1e-12, "{force}");
    assert!((torque - Vec3::new(0.0, 0.0, -0.6)).length() < 1e-12, "{torque}");
    let rows = "stiffness = [[100, 0, 0, 0, 0, 5], [0, 200, 0, 0, 0, 0], [0, 0, 300, 0, 0, 0], [0, 0, 0, 4, 0, 0], \
                [0, 0, 0, 0, 5, 0], [5, 0, 0, 0, 0, 6]]\npreload = [0, 2, 0, 0, 0, 0]";
    let (force, torque) = wrench(rows);
    assert!((force - Vec3::new(-1.5, -2.0, 0.0)).length() < 1e-12, "{force}");
    assert!((torque - Vec3::new(0.0, 0.0, -0.65)).length() < 1e-12, "{torque}");
    // Turned by a quarter about z: the frame's x is the world's y.
    let turned = format!("{diagonal}\nrotation = {{ euler-degrees = [0, 0, 90] }}");
    assert!((wrench(&turned).0 - Vec3::new(-2.0, 0.0, 0.0)).length() < 1e-12);
}

#[test]
fn a_torsion_spring_is_a_rotational_spring() {
    let described = |kind: &str| {
        let fields =
            "bodies = [\"world\", \"wheel\"]\naxis = [0, 0, 1]\nstiffness = 3\ndamping = 1\nangle = 0.2\npreload = 0.4";
        let scene = read(&format!("[forces.t]\ntype = \"{kind}\"\n{fields}"));
        format!("{:?}", scene.model.forces().next())
    };
    assert_eq!(described("torsion-spring"), described("rotational-spring"));
    // It rests where 3 (α − 0.2) + 0.4 = 0.
    let lines = "[forces.t]\ntype = \"torsion-spring\"\nbodies = [\"world\", \"wheel\"]\naxis = [0, 0, 1]\nstiffness = 3\n\
                 damping = 1\nangle = 0.2\npreload = 0.4";
    let simulation = simulated(lines, 1500);
    let x = simulation.state().poses[index(&simulation, "wheel")].rotation * Vec3::X;
    assert!((x.y.atan2(x.x) - (0.2 - 0.4 / 3.0)).abs() < 1e-4);
}

#[test]
fn wrong_motors_are_told_with_their_place() {
    let motor = |lines: &str| format!("{MOTOR}{lines}");
    let drives = "expected one of `law`, `pid` and `speed-control`";
    assert_only(&motor(""), 24, 9, drives);
    assert_only(&motor("law = 1\npid = { proportional = 1, target = 0 }"), 24, 9, drives);
    assert_only(&motor("law = \"strong\""), 28, 7, "expected a number");
    assert_only(&motor("law = { }"), 28, 7, "expected one of `speed`, `polynomial`, `sine` and `table`");
    assert_only(&motor("law = inf"), 28, 7, "is inf, expected a number between");
    assert_only(&motor("pid = 3"), 28, 7, "expected a table");
    assert_only(&motor("pid = { target = 1 }"), 28, 7, "`proportional` is missing");
    assert_only(&motor("pid = { proportional = 1 }"), 28, 7, "`target` is missing");
    assert_only(&motor("pid = { proportional = -1, target = 0 }"), 28, 24, "is -1, expected a number from 0");
    assert_only(&motor("pid = { proportional = 1, target = 0, integral = nan }"), 28, 50, "is NaN, expected");
    assert_only(&motor("pid = { proportional = 1, target = 0, limit = 0 }"), 28, 47, "is 0, expected a number > 0");
    assert_only(&motor("pid = { proportional = 1, target = 0, integal = 1 }"), 28, 39, "did you mean `integral`?");
    assert_only(
        &motor("speed-control = { proportional = 1, target = 0, derivative = 1 }"),
        28,
        49,
        "unknown field `derivative`",
    );
    assert_only(&motor("law = 1\npoint = [0, 0, 0]"), 29, 1, "unknown field `point`");
    assert_only(&motor("law = 1\nkind = \"torqe\""), 29, 8, "did you mean `torque`?");
    assert_only(&format!("{JACK}law = 1"), 24, 9, "`point` is missing");
    let same = "[forces.m]\ntype = \"motor\"\nbodies = [\"wheel\", \"wheel\"]\naxis = [0, 0, 1]\nlaw = 1";
    assert_only(same, 24, 9, "names one body twice");
    assert_only("[forces.m]\ntype = \"moter\"", 25, 8, "did you mean `motor`?");
}

#[test]
fn wrong_bushings_are_told_with_their_place() {
    let bushing = |lines: &str| format!("{BUSHING}{lines}");
    assert_only(&bushing(""), 24, 9, "`stiffness` is missing");
    assert_only(&bushing("stiffness = 100"), 28, 13, "expected six numbers (a diagonal) or six rows");
    assert_only(&bushing("stiffness = [1, 2, 3]"), 28, 13, "has 3 entries, expected six numbers");
    assert_only(&bushing("stiffness = [1, 2, 3, 4, 5, -6]"), 28, 29, "is -6, expected a number from 0");
    assert_only(
        &bushing("stiffness = [1, 2, 3, 4, 5, 6]\ndamping = [1, 1, 1, 1, 1, \"x\"]"),
        29,
        27,
        "expected a number",
    );
    assert_only(
        &bushing("stiffness = [1, 2, 3, 4, 5, 6]\npreload = [1]"),
        29,
        11,
        "has 1 entries, expected six numbers",
    );
    let rows = |first: &str, last: &str| {
        let zero = "[0, 0, 0, 0, 0, 0]";
        bushing(&format!("stiffness = [{first}, {zero}, {zero}, {zero}, {zero}, {last}]"))
    };
    assert_only(&rows("[1, 0, 0]", "[0, 0, 0, 0, 0, 1]"), 28, 14, "has 3 entries, expected a row of six numbers");
    assert_only(
        &rows("[1, 0, 0, 0, 0, 0.5]", "[0, 0, 0, 0, 0, 1]"),
        24,
        9,
        "stiffness has 0 in row 5, column 0 and 0.5 in row 0, column 5 (from 0), expected a symmetric matrix",
    );
    assert_only(
        &rows("[1, 0, 0, 0, 0, 2]", "[2, 0, 0, 0, 0, 1]"),
        24,
        9,
        "stiffness is negative in some direction, expected a positive semi-definite matrix",
    );
}
