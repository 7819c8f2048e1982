//! Smooth steppers from the command line: one word changes the stepper, and a stopped run goes on to the same bits.

use crate::support::Folder;
use serde_json::Value;

const HINGE: &str = r#"
signorini = 1
title = "A rod on a hinge"
[stepper]
method = "generalised-alpha"
rho = 0.9
step = 0.002
[run]
until = 0.4
[bodies.rod]
mass = 1.0
inertia = [0.001, 0.08, 0.08]
position = [0.5, 0.0, 0.0]
[joints.hinge]
type = "revolute"
bodies = ["world", "rod"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.bytes("hinge.toml", HINGE.as_bytes());
    folder
}

fn report(folder: &Folder, args: &[&str]) -> Value {
    folder.run(&[args, &["--json"]].concat()).exits(0).objects()[0].clone()
}

#[test]
fn every_stepper_runs_a_scene_by_its_name() {
    let folder = folder();
    let listed = folder.run(&["steppers", "--json"]).exits(0).objects();
    assert!(listed.len() >= 13, "{}", listed.len());
    // Angle of the rod after 0.4 s, by the energy: every stepper is within its order of it.
    for stepper in &listed {
        let name = stepper["name"].as_str().unwrap();
        let out = report(&folder, &["run", "hinge.toml", "--stepper", name, "--out", name]);
        let energy = out["energy"]["total"].as_f64().unwrap();
        let bound = if stepper["order"] == 1 { 0.3 } else { 2e-3 };
        assert!(energy.abs() < bound, "{name}: {energy} J");
        assert_eq!(out["steps"], 200, "{name}");
    }
}

#[test]
fn a_smooth_run_that_was_stopped_goes_on_to_the_same_bits() {
    let folder = folder();
    for options in
        [&[][..], &["--extrapolate"], &["--adaptive", "1e-7"], &["--stepper", "rk4"], &["--stepper", "dvi-rattle"]]
    {
        let whole = report(&folder, &[&["run", "hinge.toml", "--out", "whole", "--force"][..], options].concat());
        report(&folder, &[&["run", "hinge.toml", "--out", "part", "--force", "--steps", "77"][..], options].concat());
        let rest = report(&folder, &["resume", "part", "--steps", "200"]);
        assert_eq!(rest["state_hash"], whole["state_hash"], "{options:?}");
    }
}

#[test]
fn extrapolation_says_in_metres_what_it_removed() {
    let folder = folder();
    let out = report(&folder, &["run", "hinge.toml", "--extrapolate", "--out", "a"]);
    let [metres, radians] = [0, 1].map(|k| out["error_estimate"][k].as_f64().unwrap());
    assert!(metres > 1e-9 && metres < 1e-4 && radians > 1e-9 && radians < 1e-4, "{metres} {radians}");
    assert_eq!(out["substeps"]["taken"], 600);
    folder.run(&["run", "hinge.toml", "--extrapolate", "--out", "b"]).exits(0).shows("estimated and removed");
}

#[test]
fn parameters_out_of_range_and_unknown_names_say_what_is_allowed() {
    let folder = folder();
    let refuse = |stepper: &str| folder.run(&["run", "hinge.toml", "--stepper", stepper]).exits(2).stderr();
    assert!(refuse("hht,alpha=0.2").contains("alpha is 0.2, expected a number from -1/3 to 0"));
    assert!(refuse("generalized-alpha").contains("nearest: generalised-alpha"));
    assert!(refuse("rk4,rho=1").contains("`rk4` has no parameter `rho`; it has none"));
    let hard = folder.run(&["run", "hinge.toml", "--stepper", "dvi-euler", "--adaptive", "1e-6"]).exits(2).stderr();
    assert!(hard.contains("are for smooth steppers"), "{hard}");
    folder.bytes("bad.toml", HINGE.replace("rho = 0.9", "rho = 1.5").as_bytes());
    let bad = folder.run(&["run", "bad.toml"]).exits(2).stderr();
    assert!(bad.contains("bad.toml:6:") && bad.contains("is 1.5, expected a number from 0 to 1"), "{bad}");
}

#[test]
fn what_a_stepper_has_no_use_for_is_a_warning() {
    let folder = folder();
    folder.bytes("both.toml", HINGE.replace("rho = 0.9", "rho = 0.9\njoint-tolerance = 1e-9").as_bytes());
    let run = folder.run(&["run", "both.toml"]).exits(0);
    assert!(run.stderr().contains("`joint-tolerance` is of no use to `generalised-alpha`"), "{}", run.stderr());
}

#[test]
fn bodies_that_touch_stop_a_smooth_stepper_by_name() {
    let folder = folder();
    let fall = r#"
signorini = 1
[stepper]
step = 0.005
[bodies.floor]
fixed = true
shape = { type = "half-space", normal = [0, 0, 1] }
[bodies.ball]
density = 1000.0
shape = { type = "sphere", radius = 0.1 }
position = [0.0, 0.0, 0.15]
"#;
    folder.bytes("fall.toml", fall.as_bytes());
    let error = folder.run(&["run", "fall.toml", "--stepper", "rk4"]).exits(2).stderr();
    assert!(error.contains("`ball`") && error.contains("`floor`") && error.contains("penalty"), "{error}");
    folder.run(&["run", "fall.toml", "--force"]).exits(0);
}

#[test]
fn what_a_scene_says_of_other_steppers_counts_for_the_stepper_of_the_command_line() {
    let folder = folder();
    let bounce = r#"
signorini = 1
[stepper]
step = 0.001
penalty = { stiffness = 1e5, damping = 50.0 }
restitution-threshold = 0.1
[run]
until = 0.2
[bodies.floor]
fixed = true
shape = { type = "half-space", normal = [0, 0, 1] }
[bodies.ball]
density = 1000.0
shape = { type = "sphere", radius = 0.1 }
position = [0.0, 0.0, 0.11]
"#;
    folder.bytes("hard.toml", bounce.as_bytes());
    let smooth = bounce.replace("step = 0.001", "method = \"hht\"\nstep = 0.001");
    folder.bytes("smooth.toml", smooth.as_bytes());
    let own = folder.run(&["run", "hard.toml", "--out", "a"]).exits(0).stderr();
    assert!(own.contains("`penalty` is of no use to `dvi-passive`"), "{own}");
    let other = folder.run(&["run", "hard.toml", "--stepper", "hht", "--out", "b"]).exits(0).stderr();
    assert!(!other.contains("penalty") && other.contains("`restitution-threshold` is of no use to `hht`"), "{other}");
    let back = folder.run(&["run", "smooth.toml", "--stepper", "dvi-euler", "--out", "c"]).exits(0).stderr();
    assert!(back.contains("`penalty` is of no use to `dvi-euler`") && !back.contains("restitution"), "{back}");
    let law = bounce.replace("restitution-threshold = 0.1", "restitution-law = \"newton\"");
    folder.bytes("law.toml", law.as_bytes());
    assert!(!folder.run(&["run", "law.toml", "--out", "law"]).exits(0).stderr().contains("restitution-law"));
    let euler = folder.run(&["run", "law.toml", "--stepper", "dvi-euler", "--out", "law-euler"]).exits(0).stderr();
    assert!(euler.contains("`restitution-law` is of no use to `dvi-euler`: it is for `dvi-passive`"), "{euler}");
    let [a, b] = ["hard.toml", "smooth.toml"]
        .map(|scene| report(&folder, &["run", scene, "--stepper", "hht", "--out", scene.trim_end_matches(".toml")]));
    assert_eq!(a["state_hash"], b["state_hash"]);
    let idle = folder.run(&["run", "smooth.toml", "--solver", "apgd", "--max-iter", "3", "--out", "d"]).exits(0);
    let told = idle.stderr();
    assert!(told.contains("--solver is of no use to `hht`") && told.contains("--max-iter is of no use"), "{told}");
}
