//! A run goes on only with the model it was started with: every number of it counts.

use crate::support::{Folder, copy, start_with};
use serde_json::Value;
use signorini_scene::run::{Run, RunError, RunOptions};
use signorini_scene::{Overrides, parse};
use std::fs;
use std::path::Path;

/// Every kind of part whose numbers a model has, each number once.
const TEXT: &str = r#"
signorini = 1
title = "Parts"

[run]
until = 1

[stepper]
step = 0.01

[materials.stone]
friction = 0.31

[materials.ice]
friction = 0.02

[[pairs]]
materials = ["stone", "ice"]
friction = 0.043

[bodies.floor]
fixed = true
shape = { type = "half-space" }
material = "stone"

[bodies.arm]
shape = { type = "cuboid", size = [0.4, 0.05, 0.05] }
density = 1001
position = [0, 0, 1]
material = "ice"

[bodies.ball]
shape = { type = "sphere", radius = 0.1 }
density = 1002
position = [2, 0, 1]
material = "ice"

[bodies.nut]
shape = { type = "sphere", radius = 0.11 }
density = 1003
position = [4, 0, 1]
material = "ice"

[joints.hinge]
type = "revolute"
bodies = ["floor", "arm"]
point = [-0.21, 0, 1]
axis = [0, 1, 0]
limits = [-1.1, 1.2]

[joints.rope]
type = "rope"
bodies = ["floor", "ball"]
points = [[2, 0, 2], [2, 0, 1]]
length = 1.3

[joints.thread]
type = "screw"
bodies = ["floor", "nut"]
point = [4, 0, 1]
axis = [0, 0, 1]
pitch = 0.014

[forces.spring]
type = "spring"
bodies = ["arm", "ball"]
points = [[0.15, 0, 1], [2, 0, 1]]
stiffness = 16
damping = 0.17
length = 1.8

[forces.motor]
type = "motor"
bodies = ["floor", "arm"]
axis = [0, 1, 0]
law = { sine = { amplitude = 0.019, frequency = 2.1 } }

[forces.load]
type = "load"
body = "nut"
force = [0, 0, 22]

[[exclude]]
bodies = ["arm", "ball"]

[[flexible]]
name = "bar"
mesh = { box = [0.4, 0.1, 0.1], divisions = [4, 1, 1], element = "hex8" }
position = [6, 0, 1]
young = 2.3e6
poisson = 0.24
density = 1025
contact = false
"#;

/// Resumes a run after one change of its scene's text.
fn resumed_with(started: &Path, changed: &Path, [from, to]: [&str; 2]) -> Result<Run, RunError> {
    copy(started, changed);
    let path = changed.join("run.json");
    let mut run: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let text = run["scene"]["text"].as_str().unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    run["scene"]["text"] = text.replace(from, to).into();
    fs::write(&path, run.to_string()).unwrap();
    Run::resume(changed, None, None)
}

#[test]
fn a_run_with_any_number_of_its_model_changed_is_refused() {
    let folder = Folder::new();
    let started = folder.join("started");
    let scene = parse(TEXT, "parts.toml", None, &Overrides::default()).unwrap();
    drop(start_with(&started, scene, &RunOptions { steps: Some(0), ..RunOptions::default() }));
    let changes = [
        ["friction = 0.31", "friction = 0.3100000000000001"],
        ["friction = 0.043", "friction = 0.044"],
        ["density = 1001", "density = 1000"],
        ["point = [-0.21, 0, 1]", "point = [-0.22, 0, 1]"],
        ["limits = [-1.1, 1.2]", "limits = [-1.1, 1.3]"],
        ["length = 1.3", "length = 1.3000000000000003"],
        ["[[2, 0, 2], [2, 0, 1]]", "[[2, 0, 2], [2, 0, 1.01]]"],
        ["pitch = 0.014", "pitch = -0.014"],
        ["stiffness = 16", "stiffness = 17"],
        ["damping = 0.17", "damping = 0.18"],
        ["length = 1.8", "length = 1.9"],
        ["points = [[0.15, 0, 1], [2, 0, 1]]", "points = [[0.16, 0, 1], [2, 0, 1]]"],
        ["amplitude = 0.019", "amplitude = 0.018"],
        ["frequency = 2.1", "frequency = 2.2"],
        ["force = [0, 0, 22]", "force = [0, 0, 23]"],
        ["[[exclude]]\nbodies = [\"arm\", \"ball\"]", "[[exclude]]\nbodies = [\"arm\", \"nut\"]"],
        ["poisson = 0.24", "poisson = 0.25"],
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let outcome = resumed_with(&started, &folder.join(&format!("changed-{k}")), change);
        assert!(matches!(outcome, Err(RunError::Changed { .. })), "{change:?}: {:?}", outcome.err());
    }
}

#[test]
fn a_run_whose_scene_gives_the_same_model_goes_on() {
    let folder = Folder::new();
    let started = folder.join("started");
    let scene = parse(TEXT, "parts.toml", None, &Overrides::default()).unwrap();
    drop(start_with(&started, scene, &RunOptions { steps: Some(0), ..RunOptions::default() }));
    let same = [["title = \"Parts\"", "title = \"Other words\""], ["length = 1.3", "length = 13e-1 # as before"]];
    for (k, change) in same.into_iter().enumerate() {
        resumed_with(&started, &folder.join(&format!("same-{k}")), change).unwrap();
    }
}
