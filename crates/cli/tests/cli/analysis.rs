//! Analyses of scenes: equilibrium, modes, inverse.

use crate::support::{Folder, SMALL_SCENE};
use std::f64::consts::TAU;

/// A bar of 1 m and 2 kg on a hinge about y in the origin, at an angle of degrees from straight up; `%` is what else the joint has.
const PENDULUM: &str = r#"signorini = 1

[parameters]
lean = 30

[run]
until = 0.5

[stepper]
step = 0.01

[bodies.arm]
mass = 2
shape = { type = "cuboid", size = [0.1, 0.1, 1] }
position = ["=0.5*sin(radians(lean))", 0, "=0.5*cos(radians(lean))"]
rotation = { axis = [0, 1, 0], angle-degrees = "=lean" }

[joints.hinge]
type = "revolute"
bodies = ["world", "arm"]
point = [0, 0, 0]
axis = [0, 1, 0]
%
"#;

/// About the hinge: m (a² + b²)/12 + m (l/2)².
const INERTIA: f64 = 2.0 * (0.01 + 1.0) / 12.0 + 2.0 * 0.25;
const WEIGHT: f64 = 2.0 * 9.81;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.bytes("free.toml", PENDULUM.replace('%', "").as_bytes());
    folder.bytes("driven.toml", PENDULUM.replace('%', "motion = { polynomial = [0.2, 3.0, 0.5] }").as_bytes());
    folder.bytes("limited.toml", PENDULUM.replace('%', "limits-degrees = [-90, 90]").as_bytes());
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    folder
}

#[test]
fn an_equilibrium_is_shown_with_reactions_and_stability() {
    let folder = folder();
    let run = folder.run(&["equilibrium", "free.toml"]).exits(0);
    run.shows("arm").shows("0 0 -0.5").shows("0 0 19.62").shows("free.toml: stable (softest motion 0.609759 Hz");
    let run = folder.run(&["equilibrium", "free.toml", "--json"]).exits(0);
    assert_eq!(run.stderr(), "");
    let [object] = &run.objects()[..] else { panic!("one object") };
    assert_eq!((&object["status"], &object["stability"]), (&"found".into(), &"stable".into()), "{object}");
    let arm = object["bodies"].as_array().unwrap().iter().find(|body| body["name"] == "arm").unwrap();
    assert!((arm["position"][2].as_f64().unwrap() + 0.5).abs() < 1e-9, "{object}");
    assert!((object["joints"][0]["force"][2].as_f64().unwrap() - WEIGHT).abs() < 1e-7, "{object}");
    assert!(object["residual"].as_f64() < Some(1e-7), "{object}");
    assert_eq!(folder.run(&["equilibrium", "free.toml", "--quiet"]).exits(0).stdout(), "");
}

#[test]
fn an_unstable_equilibrium_is_left_or_is_exit_code_1() {
    let folder = folder();
    let run = folder.run(&["equilibrium", "free.toml", "--set", "lean=0"]).exits(0);
    run.shows("1 unstable equilibrium left").shows("0 0 -0.5");
    let run = folder.run(&["equilibrium", "free.toml", "--set", "lean=0", "--keep-unstable"]).exits(1);
    run.shows("free.toml: unstable").shows("0 0 0.5");
}

#[test]
fn modes_are_those_of_the_start_or_of_the_equilibrium() {
    let folder = folder();
    let run = folder.run(&["modes", "free.toml", "--at-equilibrium", "--json"]).exits(0);
    let object = &run.objects()[0];
    let frequency = object["modes"][0]["frequency"].as_f64().unwrap();
    assert!((frequency * TAU - (WEIGHT * 0.5 / INERTIA).sqrt()).abs() < 1e-7, "{object}");
    assert_eq!((&object["status"], &object["steady"]), (&"stable".into(), &true.into()));
    assert_eq!(object["modes"][0]["shape"][0]["body"], "arm");
    let run = folder.run(&["modes", "free.toml", "--at-equilibrium", "--shapes"]).exits(0);
    run.shows("oscillating").shows("moves most").shows("mode 1, ").shows("none grows");
    // Upright it falls; leaning it is no equilibrium.
    let run = folder.run(&["modes", "free.toml", "--set", "lean=0"]).exits(1);
    run.shows("aperiodic").shows("unstable").shows("2 modes of 1 degree of freedom, 1 grows");
    folder.run(&["modes", "free.toml"]).exits(1).says("--at-equilibrium");
}

#[test]
fn drives_are_told_in_tables_json_and_csv() {
    let folder = folder();
    let run = folder.run(&["inverse", "driven.toml", "--csv", "all.csv"]).exits(0);
    run.shows("hinge").shows("N m").shows("51 times over 0.5 s, by kinematics, all of them in all.csv");
    // T = I α̈ − m g l/2 sin: the angle counts from straight up.
    let torque = |t: f64| INERTIA - WEIGHT * 0.5 * (30_f64.to_radians() + 0.2 + 3.0 * t + 0.5 * t * t).sin();
    let text = folder.read("all.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(header[..5], ["time_s", "hinge_position_rad", "hinge_speed_rad_s", "hinge_force_Nm", "hinge_power_W"]);
    assert_eq!((header.len(), text.lines().count()), (11, 52));
    for line in text.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert!((numbers[3] - torque(numbers[0])).abs() < 1e-8, "{line}");
    }
    let run = folder.run(&["inverse", "driven.toml", "--until", "0.2", "--dt", "0.05", "--json"]).exits(0);
    let object = &run.objects()[0];
    assert_eq!((object["times"].as_array().map(Vec::len), &object["status"]), (Some(5), &"kinematic".into()));
    let found = object["drives"][0]["force"][4].as_f64().unwrap();
    assert!((found - torque(0.2)).abs() < 1e-8, "{object}");
}

#[test]
fn what_has_no_answer_is_exit_code_2_with_a_hint() {
    let folder = folder();
    for (args, says) in [
        (vec!["equilibrium", "small.toml"], "has nothing to hold it"),
        (vec!["equilibrium", "limited.toml"], "joint `hinge` is at its limit"),
        (vec!["inverse", "free.toml"], "no joint imposes a motion"),
        (vec!["modes", "missing.toml"], "missing.toml"),
    ] {
        let run = folder.run(&args).exits(2).says("error: ").says(says);
        assert!(run.stderr().contains("hint: ") || args[1] == "missing.toml", "{}", run.stderr());
        let run = folder.run(&[&args[..], &["--json"]].concat()).exits(2);
        assert_eq!(run.objects()[0]["status"], "error");
    }
    folder.run(&["inverse", "driven.toml", "--dt", "0"]).exits(2).says("expected a number of seconds > 0");
    folder.run(&["equilibrium", "free.toml", "--tol", "nan"]).exits(2).says("expected a number > 0");
    folder.run(&["inverse", "driven.toml", "--csv", "no/such/folder.csv"]).exits(2).says("cannot write");
    // With a second, free arm: refused, or simulated and said so.
    let arm = "[bodies.lash]\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [1, 0, 1]\n\
               [joints.free]\ntype = \"spherical\"\nbodies = [\"arm\", \"lash\"]\npoint = [1, 0, 1.2]\ncollide = false\n";
    let scene = PENDULUM.replace('%', &format!("motion = {{ polynomial = [0, 1] }}\n{arm}"));
    folder.bytes("half.toml", scene.as_bytes());
    let run = folder.run(&["inverse", "half.toml", "--kinematic"]).exits(2);
    run.says("degrees of freedom that are not imposed: 3; body `lash` can still move").says("hint: ");
    let run = folder.run(&["inverse", "half.toml", "--until", "0.1"]).exits(0).shows("by simulation");
    run.says("3 degrees of freedom are not imposed: what is free is simulated");
}

/// A mass of 1 kg on a vertical guide; `%` is what else the scene has.
const MASS: &str = r#"signorini = 1

[bodies.mass]
mass = 1
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.5]

[joints.guide]
type = "prismatic"
bodies = ["world", "mass"]
point = [0, 0, 0.5]
axis = [0, 0, 1]
%
"#;

const SPRING: &str = r#"
[forces.spring]
type = "spring"
bodies = ["world", "mass"]
points = [[0, 0, 1.5], [0, 0, 0.5]]
stiffness = 1e3
damping = 4
"#;

const FLOOR: &str = r#"
[bodies.floor]
fixed = true
shape = { type = "half-space" }
position = [0, 0, 0.395]
"#;

#[test]
fn an_equilibrium_inside_another_body_is_exit_code_1_and_names_both() {
    let folder = Folder::new();
    // It sags by 9.81 mm, and has 5 mm.
    folder.bytes("floor.toml", MASS.replace('%', &[SPRING, FLOOR].concat()).as_bytes());
    let overlap = 9.81e-3 - 5e-3;
    for command in [&["equilibrium", "floor.toml"][..], &["modes", "floor.toml", "--at-equilibrium"]] {
        let run = folder.run(command).exits(1).says("`mass` and `floor` overlap by 0.00481 m at the equilibrium");
        run.says("which they do not at the start: contacts do not count in this analysis");
        let run = folder.run(&[command, &["--json", "--quiet"]].concat()).exits(1);
        let objects = run.objects();
        let [contact] = &objects[0]["contacts_left_out"].as_array().unwrap()[..] else { panic!("one contact") };
        assert_eq!((&contact["bodies"][0], &contact["bodies"][1]), (&"mass".into(), &"floor".into()), "{contact}");
        assert!((contact["overlap"].as_f64().unwrap() - overlap).abs() < 1e-9, "{contact}");
        assert_eq!((&contact["new_overlap"], contact["overlap_at_start"].is_null()), (&true.into(), true), "{contact}");
    }
    // At the start they are apart.
    let run = folder.run(&["modes", "floor.toml", "--json"]).exits(0);
    assert_eq!(run.objects()[0]["contacts_left_out"], serde_json::json!([]));
}

#[test]
fn gallery_scenes_that_work_by_contact_are_no_success_of_an_analysis() {
    let folder = Folder::new();
    let run = folder.run(&["equilibrium", "cam-follower"]).exits(1);
    run.says("`cam` and `follower` overlap by").says("contacts do not count");
    let run = folder.run(&["inverse", "geneva-drive", "--json"]).exits(1);
    let run = run.says("`").says("which they do not at the start");
    assert!(!run.objects()[0]["contacts_left_out"].as_array().unwrap().is_empty());
}

#[test]
fn modes_at_an_equilibrium_are_about_rest_and_say_nothing_else() {
    let folder = Folder::new();
    folder.bytes("damped.toml", MASS.replace('%', SPRING).as_bytes());
    folder.bytes("free.toml", MASS.replace('%', &SPRING.replace("damping = 4", "")).as_bytes());
    let bushing = "[forces.mount]\ntype = \"bushing\"\nbodies = [\"world\", \"mass\"]\npoint = [0, 0, 0.5]\n\
                   stiffness = [1e4, 1e4, 2e4, 50, 50, 50]\ndamping = [3, 3, 4, 0, 0, 0]\n";
    let guide = MASS.find("[joints").unwrap();
    folder.bytes("mounted.toml", [&MASS[..guide], bushing].concat().as_bytes());
    for scene in ["damped.toml", "free.toml", "mounted.toml"] {
        let run = folder.run(&["modes", scene, "--at-equilibrium", "--json"]).exits(0);
        assert_eq!((run.stderr().as_str(), &run.objects()[0]["steady"]), ("", &true.into()), "{scene}");
        folder.run(&["modes", scene]).exits(0).says("the start is no equilibrium");
    }
}

#[test]
fn integrals_of_controllers_are_held_and_named() {
    let folder = Folder::new();
    let drive = "[forces.lift]\ntype = \"motor\"\nkind = \"force\"\npoint = [0, 0, 0.5]\nbodies = [\"world\", \"mass\"]\naxis = [0, 0, 1]\n\
                 pid = { proportional = 500, integral = 100, derivative = 10, target = 0 }\n";
    folder.bytes("lift.toml", MASS.replace('%', drive).as_bytes());
    // The error that the proportional part needs: 9.81/500 m.
    let run = folder.run(&["equilibrium", "lift.toml"]).exits(0).shows("0 0 0.48038");
    run.says("`lift` keeps its integral of the start, 0");
}

#[test]
fn a_brake_shows_its_power_and_a_constant_force_peaks_at_the_start() {
    let folder = Folder::new();
    let scene = MASS.replace("axis = [0, 0, 1]", "axis = [0, 0, 1]\nmotion = { speed = -2 }").replace('%', "");
    folder.bytes("brake.toml", scene.as_bytes());
    // The drive holds the weight while it sinks: 9.81 N against 2 m/s.
    let run = folder.run(&["inverse", "brake.toml", "--until", "0.1"]).exits(0).shows("largest ±W");
    let text = run.stdout();
    let cells: Vec<&str> = text.lines().find(|line| line.starts_with("guide")).unwrap().split_whitespace().collect();
    assert_eq!(cells, ["guide", "N", "9.81", "9.81", "9.81", "0", "-19.62", "-1.962"]);
}

#[test]
fn one_iteration_and_no_forces_are_told_in_words() {
    let folder = Folder::new();
    let scene = MASS.replace("signorini = 1", "signorini = 1\ngravity = [0, 0, 0]").replace('%', SPRING);
    folder.bytes("idle.toml", scene.as_bytes());
    folder.run(&["equilibrium", "idle.toml"]).exits(0).shows("1 iteration, no forces act");
}
