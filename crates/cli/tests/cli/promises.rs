//! Promises: a step that breaks one is named, counted and changes the exit code.

use crate::support::Folder;
use serde_json::Value;
use signorini_scene::run::RunFolder;

/// A light link carries a ball of a thousand times its mass: steps of 10 ms are too long for its quick swings.
const HEAVY_BALL: &str = r#"
signorini = 1
[bodies.link]
shape = { type = "cuboid", size = [0.8, 0.1, 0.1], collides-with = [] }
mass = 5
position = [0.4, 0, 0]
[bodies.ball]
shape = { type = "sphere", radius = 0.25, collides-with = [] }
mass = 6000
position = [0.8, 0, -0.9]
[joints.pivot]
type = "spherical"
bodies = ["world", "link"]
point = [0, 0, 0]
[joints.hanger]
type = "distance"
bodies = ["link", "ball"]
points = [[0.8, 0, 0], [0.8, 0, -0.9]]
[stepper]
method = "dvi-euler"
step = 0.01
[run]
steps = 200
"#;

/// A motor drives a ram into a fixed anvil.
const PRESS: &str = r#"
signorini = 1
[bodies.anvil]
fixed = true
shape = { type = "cuboid", size = [1, 1, 0.2] }
position = [0, 0, -0.1]
[bodies.ram]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2] }
density = 1000
position = [0, 0, 0.11]
[joints.guide]
type = "prismatic"
bodies = ["world", "ram"]
point = [0, 0, 0.11]
axis = [0, 0, -1]
motion = { speed = 0.5 }
[stepper]
step = 0.01
[run]
steps = 40
"#;

/// A bob 2 m below the hook of a rope of 1.5 m.
const SHORT_ROPE: &str = r#"
signorini = 1
[bodies.bob]
shape = { type = "sphere", radius = 0.1 }
mass = 3
position = [0, 0, -2]
[joints.tether]
type = "rope"
bodies = ["world", "bob"]
points = [[0, 0, 0], [0, 0, -2]]
length = 1.5
[stepper]
step = 0.01
[run]
steps = 1
"#;

/// Two bars of 1 m each from hooks that are 6 m apart to one rod.
const CONTRADICTION: &str = r#"
signorini = 1
[bodies.rod]
shape = { type = "cuboid", size = [1, 0.1, 0.1], collides-with = [] }
density = 1000
[joints.left]
type = "distance"
bodies = ["world", "rod"]
points = [[-3, 0, 0], [0, 0, 0]]
length = 1
[joints.right]
type = "distance"
bodies = ["world", "rod"]
points = [[3, 0, 0], [0, 0, 0]]
length = 1
[stepper]
step = 0.01
[run]
steps = 20
"#;

/// The report of a run that must end with exit code 1.
fn broken_run(args: &[&str], scene: &str) -> (Folder, Value) {
    let folder = Folder::new();
    folder.bytes("scene.toml", scene.as_bytes());
    let report = folder.run(&[&["run"], args, &["--json", "--out", "run"]].concat()).exits(1).objects()[0].clone();
    assert!(report["steps_missed"].as_u64() > Some(0), "{report}");
    (folder, report)
}

/// What a report says about one broken promise.
fn entry<'a>(report: &'a Value, promise: &str) -> &'a Value {
    let entries = report["broken"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["promise"] == promise);
    found.unwrap_or_else(|| panic!("no `{promise}` in {entries:?}"))
}

fn who<'a>(report: &'a Value, promise: &str) -> &'a str {
    entry(report, promise)["worst"]["who"].as_str().unwrap()
}

#[test]
fn a_chain_that_flies_apart_is_not_a_success() {
    let args = ["pendulum-chain", "--stepper", "dvi-euler", "--dt", "0.1", "--steps", "60"];
    let (folder, report) = broken_run(&args, "");
    assert!(who(&report, "joints").starts_with("joint `"), "{report}");
    let worst = &entry(&report, "joints")["worst"];
    assert!(worst["value"].as_f64() > worst["bound"].as_f64() && worst["unit"] == "m", "{report}");
    // Energy is named by where it appears: at a joint that was opened and closed.
    assert!(who(&report, "energy").starts_with("joint `"), "{report}");
    // The table for people, run.json and steps.csv say the same.
    let run = folder.run(&[&["run"], &args[..], &["--out", "again"]].concat()).exits(1);
    run.shows("broke a promise").shows("broken: joints").shows("broken: energy").shows("is open by");
    let folder = RunFolder::open(&folder.path().join("run")).unwrap();
    let summary = folder.manifest().summary.clone().unwrap();
    assert_eq!(serde_json::to_value(&summary.broken).unwrap(), report["broken"]);
    let rows = folder.steps().unwrap();
    let count = rows.iter().filter(|row| !row.converged()).count() as u64;
    assert_eq!((count, Some(60 - count)), (summary.steps_missed(), report["solver"]["steps_converged"].as_u64()));
}

#[test]
fn a_rope_that_is_too_short_says_by_how_much() {
    let (_, report) = broken_run(&["scene.toml"], SHORT_ROPE);
    assert_eq!(who(&report, "joints"), "joint `tether`");
    // One step at the recovery speed, ½ √(g r) = 0.5 m/s, shortens 0.5 m by 5 mm.
    let left = report["joint_violation_max"].as_f64().unwrap();
    assert!((0.49..0.5).contains(&left), "{left}");
}

#[test]
fn joints_that_contradict_each_other_are_named() {
    let (_, report) = broken_run(&["scene.toml"], CONTRADICTION);
    assert!(["joint `left`", "joint `right`"].contains(&who(&report, "joints")), "{report}");
    let culprits = entry(&report, "joints")["worst"]["culprits"].as_array().unwrap();
    let names: Vec<&str> = culprits.iter().filter_map(|culprit| culprit["name"].as_str()).collect();
    assert!(names.contains(&"left") && names.contains(&"right"), "{report}");
    // Five steps without an answer are enough.
    assert_eq!((&entry(&report, "joints")["steps"], &report["status"]), (&Value::from(5), &Value::from("stopped")));
}

#[test]
fn a_run_goes_on_without_answers_if_told_to() {
    let (folder, report) = broken_run(&["scene.toml", "--keep-going"], CONTRADICTION);
    assert_eq!((&entry(&report, "joints")["steps"], &report["status"]), (&Value::from(20), &Value::from("finished")));
    // A run that was stopped goes on to the same bits.
    folder.run(&["run", "scene.toml", "--out", "stopped"]).exits(1).says("the last 5 steps have no answer");
    let resumed = folder.run(&["resume", "stopped", "--keep-going", "--json"]).exits(1).objects()[0].clone();
    assert_eq!((&resumed["state_hash"], &resumed["steps"]), (&report["state_hash"], &Value::from(20)));
    let scene = CONTRADICTION.replace("steps = 20", "steps = 20\nstop-after = 3");
    folder.bytes("three.toml", scene.as_bytes());
    let report = folder.run(&["run", "three.toml", "--json"]).exits(1).objects()[0].clone();
    assert_eq!((&report["steps"], &report["status"]), (&Value::from(3), &Value::from("stopped")));
    folder.run(&["check", "three.toml"]).exits(0).shows("stops after 3 in a row").shows("at most 10000 a step");
}

#[test]
fn a_body_that_is_driven_into_another_breaks_the_bound_of_overlaps() {
    let (_, report) = broken_run(&["scene.toml", "--keep-going"], PRESS);
    assert_eq!(who(&report, "overlap"), "bodies `anvil` and `ram`");
    let worst = &entry(&report, "overlap")["worst"];
    // The gap of 10 mm is closed after 20 ms; the ram then goes on at 0.5 m/s for 0.38 s.
    assert!((worst["value"].as_f64().unwrap() - 0.19).abs() < 0.02, "{report}");
    assert_eq!(entry(&report, "overlap")["worst"]["unit"], "m");
}

#[test]
fn energy_from_nowhere_is_told_and_a_shorter_step_has_none() {
    let (folder, report) = broken_run(&["scene.toml"], HEAVY_BALL);
    // The joints of a light arm put it in, not the heavy ball that moves by it.
    assert!(["joint `pivot`", "joint `hanger`"].contains(&who(&report, "energy")), "{report}");
    let worst = &entry(&report, "energy")["worst"];
    assert!(worst["value"].as_f64() > worst["bound"].as_f64() && worst["unit"] == "J", "{report}");
    let short = ["run", "scene.toml", "--dt", "0.0002", "--steps", "2000", "--json", "--out", "short"];
    let report = folder.run(&short).exits(0).objects()[0].clone();
    assert_eq!(report["broken"], Value::Array(vec![]), "{report}");
}

#[test]
fn a_resumed_run_has_the_same_verdicts() {
    let (folder, whole) = broken_run(&["scene.toml"], HEAVY_BALL);
    folder.run(&["run", "scene.toml", "--steps", "90", "--out", "half", "--quiet"]);
    let resumed = folder.run(&["resume", "half", "--steps", "200", "--json"]).exits(1).objects()[0].clone();
    assert_eq!((&resumed["broken"], &resumed["state_hash"]), (&whole["broken"], &whole["state_hash"]));
}
