//! Simulating scenes: results, messages, exit codes.

use crate::support::{Folder, SMALL_SCENE};
use serde_json::Value;
use signorini_scene::run::RunFolder;
use signorini_solver::fclib;
use std::fs;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    folder
}

fn object(folder: &Folder, args: &[&str]) -> Value {
    let run = folder.run(&[args, &["--json"]].concat()).exits(0);
    assert_eq!(run.stderr(), "");
    let objects = run.objects();
    assert_eq!(objects.len(), 1);
    objects[0].clone()
}

#[test]
fn a_run_reports_the_fields_scripts_depend_on() {
    let folder = folder();
    let report = object(&folder, &["run", "small.toml"]);
    for (field, expected) in [("scene", "small"), ("out", "small-run"), ("status", "finished")] {
        assert_eq!(report[field], expected, "{report}");
    }
    assert_eq!((report["steps"].as_u64(), report["bodies"].as_u64()), (Some(30), Some(10)), "{report}");
    assert!((report["time_end"].as_f64().unwrap() - 0.3).abs() < 1e-12);
    let numbers = ["/wall_seconds", "/wall_seconds_per_step", "/contacts/mean", "/contacts/max", "/penetration_max"];
    let more = ["/solver/iterations_mean", "/solver/iterations_max", "/solver/residual_worst", "/joint_violation_max"];
    let energy = ["/energy/kinetic", "/energy/potential", "/energy/total", "/energy/start", "/solver/steps_converged"];
    for field in numbers.iter().chain(&more).chain(&energy) {
        assert!(report.pointer(field).is_some_and(Value::is_number), "{field}: {report}");
    }
    assert_eq!(report["solver"]["name"], "auto");
    assert_eq!(report["solver"]["steps_converged"], 30);
    assert_eq!(report["state_hash"].as_str().unwrap().len(), 16);
    // The folder says the same.
    let run = RunFolder::open(&folder.path().join("small-run")).unwrap();
    let summary = run.manifest().summary.clone().unwrap();
    assert_eq!(report["state_hash"], summary.state_hash.as_str());
    assert_eq!(run.last_step().unwrap(), 30);
    // Energy is counted from before the first step, as the folder says it was.
    let before = run.manifest().energy_at_start.unwrap().total();
    assert_eq!(report["energy"]["start"], before);
    assert_ne!(before, run.steps().unwrap()[0].total(), "the first step has changed it");
    assert_eq!(run.manifest().scene.text, SMALL_SCENE);
}

#[test]
fn people_get_a_table() {
    let folder = folder();
    let run = folder.run(&["run", "small.toml", "--out", "a/b"]).exits(0);
    let run = run.shows("small.toml: 10 bodies, 1 joint, 30 steps of 0.01 s (dvi-passive)").shows("30 converged");
    run.shows("penetration").shows("joint violation").shows(" J at the start, ").shows("collision").shows("a/b");
    assert_eq!(folder.run(&["run", "small.toml", "--quiet"]).exits(0).stdout(), "");
}

#[test]
fn the_same_bits_again_and_for_any_number_of_threads() {
    let folder = folder();
    let hash = |out: &str, threads: &str| {
        object(&folder, &["run", "small.toml", "--out", out, "--threads", threads])["state_hash"].clone()
    };
    let first = hash("a", "1");
    assert_eq!(first, hash("b", "1"));
    assert_eq!(first, hash("c", "2"));
    let trajectory = |out: &str| fs::read(folder.path().join(out).join("trajectory.bin")).unwrap();
    assert!(trajectory("a") == trajectory("b") && trajectory("a") == trajectory("c"));
    // Another seed places the balls elsewhere.
    assert_ne!(first, object(&folder, &["run", "small.toml", "--out", "d", "--seed", "7"])["state_hash"]);
}

#[test]
fn options_take_the_place_of_the_scene() {
    let folder = folder();
    let args = ["run", "small.toml", "--dt", "0.005", "--until", "0.1", "--solver", "apgd", "--friction", "exact"];
    let more = ["--tol", "1e-5m/s", "--max-iter", "5000", "--set", "layers=3", "--set", "radius = 0.07"];
    let report = object(&folder, &[&args[..], &more].concat());
    assert_eq!((report["steps"].as_u64(), report["bodies"].as_u64()), (Some(20), Some(14)), "{report}");
    assert_eq!((&report["solver"]["name"], &report["friction"]), (&"apgd".into(), &"exact".into()));
    assert_eq!(report["tolerance"]["velocity"], 1e-5);
    let run = RunFolder::open(&folder.path().join("small-run")).unwrap();
    let settings = &run.manifest().settings;
    assert_eq!((settings.step, settings.max_iterations), (0.005, Some(5000)));
    assert_eq!(object(&folder, &["run", "small.toml", "--out", "s", "--steps", "3"])["steps"], 3);
    assert_eq!(object(&folder, &["run", "small.toml", "--out", "z", "--steps", "0"])["steps"], 0);
}

#[test]
fn a_step_that_misses_its_tolerance_is_exit_code_1() {
    let folder = folder();
    let args = ["run", "small.toml", "--solver", "jacobi", "--max-iter", "1", "--tol", "1e-12"];
    let run = folder.run(&args).exits(1);
    run.shows("broke a promise").shows("broken: residual").shows("the residual of the solve is");
    let report = folder.run(&[&args[..], &["--json", "--force"]].concat()).exits(1).objects()[0].clone();
    assert!(report["steps_missed"].as_u64() > Some(0) && report["status"] == "finished", "{report}");
}

#[test]
fn everything_wrong_with_arguments_and_scenes_is_exit_code_2() {
    let folder = folder();
    folder.run(&["run", "missing.toml"]).exits(2).says("missing.toml");
    folder.run(&["run", "small.toml", "--stepper", "htt"]).exits(2).says("nearest: hht");
    folder.run(&["run", "small.toml", "--dt", "-1"]).exits(2).says("expected a number of seconds > 0");
    folder.run(&["run", "small.toml", "--set", "layers"]).exits(2).says("expected NAME=VALUE");
    folder.run(&["run", "small.toml", "--dump-problem", "0.1"]).exits(2).says("expected t= and");
    folder.run(&["run", "small.toml", "--set", "layer=3"]).exits(2).says("layers");
    folder.run(&["run", "small.toml", "--until", "1e300"]).exits(2).says("expected at most 1000000000");
    folder.run(&["run", "small.toml", "--dt", "100"]).exits(2).says("no step would be taken").says("hint: ");
    assert!(!folder.path().join("small-run").exists());
    let run = folder.run(&["run", "small.toml", "--out", "small.toml/a"]).exits(2).says("cannot write small.toml/a");
    assert!(!run.stderr().contains("resume"), "{}", run.stderr());
    folder.bytes("bad.toml", SMALL_SCENE.replace("density = 1000", "density = -1").as_bytes());
    let run = folder.run(&["run", "bad.toml"]).exits(2).says("bad.toml:");
    assert_eq!(run.stderr().matches("error: ").count(), 2, "{}", run.stderr());
    let report = folder.run(&["run", "bad.toml", "--json"]).exits(2).objects()[0].clone();
    assert_eq!(report["status"], "error");
    assert!(report["errors"][0]["line"].as_u64() > Some(1), "{report}");
}

#[test]
fn a_run_is_not_overwritten_without_force() {
    let folder = folder();
    folder.run(&["run", "small.toml", "--steps", "2"]).exits(0);
    let run = folder.run(&["run", "small.toml", "--steps", "3"]).exits(2);
    run.says("error: small-run holds a run already").says("hint: ");
    assert_eq!(object(&folder, &["run", "small.toml", "--steps", "3", "--force"])["steps"], 3);
}

#[test]
fn problems_contacts_forces_and_vtk_are_written_when_asked() {
    let folder = folder();
    folder.run(&["run", "small.toml", "--steps", "1", "--out", "plain"]).exits(0);
    assert!(!folder.path().join("plain/forces.csv").exists());
    let wanted = ["--contacts", "--forces", "--vtk", "--dump-problem", "t=0.25", "--dump-problem", "t=0"];
    let args = [&["run", "small.toml"], &wanted[..]].concat();
    let report = object(&folder, &args);
    assert_eq!(report["problems"].as_array().map(Vec::len), Some(2), "{report}");
    let stored = fclib::read(&folder.path().join("small-run/problem-26.hdf5")).unwrap();
    assert!(stored.problem.contacts() > 0 && stored.problem.bilaterals() == Some(5));
    folder.run(&["solve", "small-run/problem-26.hdf5"]).exits(0);
    let run = folder.path().join("small-run");
    assert!(run.join("vtk/surfaces.pvd").exists() && run.join("contacts.csv").exists());
    // One joint in 31 frames, and the header.
    assert_eq!(folder.read("small-run/forces.csv").lines().count(), 1 + 31);

    let export = folder.run(&["export", "small-run", "--vtk", "v", "--csv", "all.csv"]).exits(0);
    export.shows("31 frames to v: bodies.pvd, surfaces.pvd, contacts.pvd");
    assert_eq!(folder.read("all.csv").lines().count(), 1 + 31 * 10);
    let same = |name: &str| {
        fs::read(run.join("vtk").join(name)).unwrap() == fs::read(folder.path().join("v").join(name)).unwrap()
    };
    assert!(same("contacts.pvd") && same("contacts_000030.vtu") && same("surfaces_000030.vtu"));
    folder.run(&["export", "small-run"]).exits(2).says("--vtk <DIR>");
    folder.run(&["export", "nothing", "--csv", "x.csv"]).exits(2).says("nothing is no run folder");
    assert!(!folder.path().join("x.csv").exists());
    folder.run(&["export", "small.toml", "--csv", "x.csv"]).exits(2).says("small.toml is no run folder");
    let lost = folder.run(&["export", "small-run", "--csv", "no/x.csv"]).exits(2);
    assert_eq!(lost.stderr().matches("No such file").count(), 1, "{}", lost.stderr());
    let late = folder.run(&["run", "small.toml", "--force", "--steps", "3", "--dump-problem", "t=9"]).exits(0);
    late.says("no step starts at 9 s or after");
}

#[test]
fn the_gallery_lists_and_shows_scenes_that_can_be_run() {
    let folder = Folder::new();
    folder.run(&["gallery"]).exits(0).shows("balls-in-box");
    let names = folder.run(&["gallery", "--json"]).exits(0).objects();
    assert!(names.iter().all(|entry| entry["name"].is_string() && entry["title"].is_string()));
    let text = folder.run(&["gallery", "show", "single-ball"]).exits(0).stdout();
    folder.bytes("mine.toml", text.as_bytes());
    let mine = object(&folder, &["run", "mine.toml", "--steps", "20"]);
    let theirs = object(&folder, &["run", "single-ball", "--steps", "20"]);
    assert_eq!(mine["state_hash"], theirs["state_hash"]);
    assert_eq!(folder.run(&["gallery", "single-ball"]).exits(0).stdout(), text);
    folder.run(&["gallery", "show", "single-bal"]).exits(2).says("nearest: single-b");
}

#[test]
fn check_reads_scenes_beside_stored_solutions() {
    let folder = folder();
    let run = folder.run(&["check", "small.toml", "single-ball"]).exits(0);
    run.shows("hinge (revolute)").shows("10 (9 moving)").shows("small.toml: ok").shows("single-ball: ok");
    let report = folder.run(&["check", "small.toml", "--json"]).exits(0).objects()[0].clone();
    assert_eq!((&report["status"], &report["bodies"]), (&"ok".into(), &10.into()), "{report}");
    assert_eq!(report["parameters"]["layers"], 2.0);
    folder.bytes("bad.toml", SMALL_SCENE.replace("friction = 0.3", "friction = -1\nstickiness = 2").as_bytes());
    let run =
        folder.run(&["check", "bad.toml", "small.toml"]).exits(2).shows("small.toml: ok").shows("bad.toml: 2 errors");
    assert!(run.stderr().contains("bad.toml:17:") && run.stderr().contains("bad.toml:18:"), "{}", run.stderr());
}

#[test]
fn energy_that_only_the_method_can_have_made_is_worth_a_word() {
    let folder = Folder::new();
    let text = |iterations: u32| {
        format!(
            "signorini = 1\ngravity = [0, 0, 0]\n[[flexible]]\nname = \"rod\"\nmesh = {{ box = [1, 0.1, 0.1], divisions = [4, 1, 1], element = \"hex8\" }}\n\
             young = 2e11\ndensity = 7800\nangular-velocity = [0, 0, 10]\ncontact = false\n\
             [stepper]\nstep = 0.002\nflexible-iterations = {iterations}\n[run]\nuntil = 0.02\n"
        )
    };
    for (iterations, warns) in [(1, true), (6, false)] {
        folder.bytes("rod.toml", text(iterations).as_bytes());
        let run = folder.run(&["run", "rod.toml", "--out", "out", "--force"]);
        assert_eq!(run.stderr().contains("`flexible-iterations`"), warns, "{}", run.stderr());
    }
}

#[test]
fn flexible_bodies_are_counted_and_their_energy_is_balanced() {
    let folder = Folder::new();
    let run = folder.run(&["run", "elastic-cantilever", "--steps", "3", "--out", "a"]).exits(0);
    run.shows("elastic-cantilever: 1 flexible body (")
        .shows("+ elastic")
        .shows("energy balance")
        .shows("the method itself");
    folder.run(&["export", "a", "--vtk", "x"]).exits(0).shows("flexible.pvd");
    let report = object(&folder, &["run", "elastic-cantilever", "--steps", "3", "--out", "b"]);
    let counts = RunFolder::open(&folder.path().join("b")).unwrap().manifest().flexible[0].clone();
    assert_eq!(report["flexible"]["nodes"], counts.nodes);
    assert_eq!((&report["flexible"]["bodies"], &report["flexible"]["elements"]), (&1.into(), &counts.elements.into()));
    assert!(report.pointer("/energy/elastic").is_some_and(Value::is_number), "{report}");
    assert!(report["energy"]["work"]["numerical"].is_number(), "{report}");
    // Rigid bodies alone have nothing elastic.
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    let run = folder.run(&["run", "small.toml"]).exits(0);
    assert!(!run.stdout().contains("elastic"), "{}", run.stdout());
    let report = object(&folder, &["run", "small.toml", "--out", "c"]);
    let energy = |path: &str| report.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let parts = ["joints", "contacts", "drives", "damping", "numerical"];
    let sum: f64 = parts.iter().map(|part| energy(&format!("/energy/work/{part}"))).sum();
    let change = energy("/energy/total") - energy("/energy/start");
    assert!((sum - change).abs() < 1e-9 * energy("/energy/start").abs().max(1.0), "{report}");
}
