//! Pages of runs: what is printed, exit codes, damaged folders.

use crate::support::{Folder, SMALL_SCENE};
use std::fs;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    folder.run(&["run", "small.toml", "--contacts"]).exits(0);
    folder
}

#[test]
fn a_run_becomes_a_page() {
    let folder = folder();
    folder.run(&["view", "small-run"]).exits(0).shows("small-run/view.html: 31 frames, ");
    let page = folder.read("small-run/view.html");
    assert!(page.contains("<title>small - Signorini</title>") && !page.contains("@@SIGNORINI"));
    let args = ["view", "small-run", "--out", "a.html", "--every", "10", "--json"];
    let report = folder.run(&args).exits(0).objects()[0].clone();
    assert_eq!((report["page"].as_str(), report["frames"].as_u64()), (Some("a.html"), Some(4)), "{report}");
    assert_eq!(report["bytes"], fs::metadata(folder.path().join("a.html")).unwrap().len());
    assert!(report["notes"][0].as_str().unwrap().starts_with("every 10th of 31 frames"), "{report}");
    folder.run(&["view", "small-run", "--frames", "2"]).exits(0).shows("2 of 31 frames");
    let quiet = folder.run(&["view", "small-run", "--quiet", "--frames", "2"]).exits(0);
    assert_eq!((quiet.stdout(), quiet.stderr()), (String::new(), String::new()));
}

#[test]
fn a_run_is_shown_when_it_ends() {
    let folder = Folder::new();
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    let mut command = folder.command(&["run", "small.toml", "--view"]);
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && messages.contains("open small-run/view.html in a browser"), "{messages}");
    let run = folder.path().join("small-run");
    assert!(run.join("view.html").exists() && run.join("contacts.csv").exists() && run.join("forces.csv").exists());
    let args = ["run", "small.toml", "--view", "--json", "--force"];
    let report = folder.run(&args).exits(0).objects()[0].clone();
    assert_eq!(report["page"], "small-run/view.html");
}

#[test]
fn damage_is_told_and_what_is_whole_is_shown() {
    let folder = folder();
    let trajectory = folder.path().join("small-run/trajectory.bin");
    let bytes = fs::read(&trajectory).unwrap();
    fs::write(&trajectory, &bytes[..bytes.len() / 2]).unwrap();
    let run = folder.run(&["view", "small-run"]).exits(1).shows("15 frames");
    run.says("it has 15 of 31 frames; shown up to step 14, the last good one");
    let report = folder.run(&["view", "small-run", "--json"]).exits(1).objects()[0].clone();
    assert_eq!(report["damaged"], true);
    fs::write(&trajectory, &bytes[..50]).unwrap();
    folder.run(&["view", "small-run"]).exits(2).says("trajectory.bin: there is nothing to show").says("hint: ");
    let manifest = folder.read("small-run/run.json");
    folder.bytes("small-run/run.json", manifest.replacen("\"format\": 3", "\"format\": 9", 1).as_bytes());
    folder.run(&["view", "small-run"]).exits(2).says("format 9, expected 3").says("hint: a newer program");
    folder.bytes("small-run/run.json", &manifest.as_bytes()[..manifest.len() / 2]);
    folder.run(&["view", "small-run", "--json"]).exits(2).says("run.json is damaged");
}

#[test]
fn what_is_no_run_is_refused_with_what_to_do() {
    let folder = folder();
    folder.run(&["view", "pendulum"]).exits(2).says("hint: pendulum is a scene: `signorini run pendulum --view`");
    folder.run(&["view", "small.toml"]).exits(2).says("`signorini run small.toml --view`");
    folder.run(&["view", "small"]).exits(2).says("`signorini view small-run`");
    folder.run(&["view", "small-run", "--out", "none/a.html"]).exits(2).says("cannot write none/a.html");
    folder.run(&["view", "small-run", "--frames", "1"]).exits(2);
    folder.run(&["view", "small-run", "--max-size", "-1"]).exits(2).says("expected a number of megabytes > 0");
    folder.run(&["view", "small-run", "--max-size", "0.001"]).exits(2).says("expected at most 1000").says("--max-size");
    assert!(!folder.path().join("small-run/view.html").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_that_cannot_be_started_is_told() {
    let folder = folder();
    let mut command = folder.command(&["view", "small-run", "--open"]);
    let output = command.env("PATH", folder.path()).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{messages}");
    assert!(messages.contains("cannot start the browser with xdg-open"), "{messages}");
    assert!(messages.contains("open small-run/view.html in a browser yourself"), "{messages}");
}

#[test]
fn results_of_the_run_and_what_is_no_ordinary_file_are_left_alone() {
    let folder = folder();
    let manifest = folder.read("small-run/run.json");
    for command in ["view", "render"] {
        folder.run(&[command, "small-run", "--out", "small-run/run.json"]).exits(2).says("is a result of the run");
    }
    assert_eq!(folder.read("small-run/run.json"), manifest);
    fs::create_dir(folder.path().join("d.html")).unwrap();
    folder.run(&["view", "small-run", "--out", "d.html"]).exits(2).says("it is no ordinary file");
    #[cfg(unix)]
    {
        folder.bytes("real.html", b"old");
        std::os::unix::fs::symlink("real.html", folder.path().join("link.html")).unwrap();
        folder.run(&["view", "small-run", "--out", "link.html"]).exits(0);
        assert!(fs::symlink_metadata(folder.path().join("link.html")).unwrap().is_symlink());
        assert!(folder.read("real.html").contains("<title>small - Signorini</title>"));
    }
}

#[test]
fn pictures_and_plots_of_damaged_runs_say_so_and_change_the_exit_code() {
    let folder = folder();
    let contacts = fs::read(folder.path().join("small-run/contacts.csv")).unwrap();
    folder.bytes("small-run/contacts.csv", &contacts[..contacts.len() - 30]);
    let small = ["render", "small-run", "--size", "64x64", "--contacts"];
    folder.run(&small).exits(1).says("contacts.csv was cut short; contacts end with step");
    let trajectory = fs::read(folder.path().join("small-run/trajectory.bin")).unwrap();
    folder.bytes("small-run/trajectory.bin", &trajectory[..trajectory.len() / 2]);
    let last_good = "shown up to step 14, the last good one";
    let drawn = folder.run(&["render", "small-run", "--size", "64x64", "--json"]).exits(1);
    assert_eq!(drawn.objects()[0]["damaged"], true);
    folder
        .run(&["render", "small-run", "--size", "64x64", "--at", "0.29"])
        .exits(2)
        .says(last_good)
        .says("there is no frame");
    folder.run(&["plot", "small-run"]).exits(1).says(last_good);
}
