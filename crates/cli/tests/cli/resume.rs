//! Runs that are killed, interrupted, or run out of disk.
#![cfg(unix)]

use crate::support::{Folder, SMALL_SCENE};
use serde_json::Value;
use signorini_scene::run::{RunFolder, RunStatus};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far more steps than a test waits for.
const MANY: &str = "100000000";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.bytes("small.toml", SMALL_SCENE.as_bytes());
    folder
}

/// Starts a run that does not end and waits until it has taken some steps.
fn started(folder: &Folder, more: &[&str]) -> Child {
    let args = [&["run", "small.toml", "--out", "a", "--steps", MANY], more].concat();
    let mut command = folder.command(&args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_steps(&folder.path().join("a"), 40);
    child
}

fn wait_for_steps(run: &Path, steps: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(run.join("steps.csv")).unwrap_or_default().lines().count() <= steps {
        assert!(Instant::now() < deadline, "no steps were taken");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs as many steps without interruption and compares all bits.
fn assert_same_as_uninterrupted(folder: &Folder, resumed: &Value) {
    let steps = resumed["steps"].to_string();
    let whole = folder.run(&["run", "small.toml", "--out", "whole", "--steps", &steps, "--json"]).exits(0);
    assert_eq!(whole.objects()[0]["state_hash"], resumed["state_hash"]);
    let trajectory = |run: &str| fs::read(folder.path().join(run).join("trajectory.bin")).unwrap();
    assert!(trajectory("whole") == trajectory("a"));
}

#[test]
fn a_run_killed_at_once_is_readable_and_resumes_to_the_same_bits() {
    let folder = folder();
    let mut child = started(&folder, &["--checkpoint-every", "16"]);
    // SIGKILL: no handler, no clean-up.
    child.kill().unwrap();
    child.wait().unwrap();
    let run = RunFolder::open(&folder.path().join("a")).unwrap();
    assert_eq!(run.manifest().status, RunStatus::Running);
    let last = run.last_step().unwrap();
    assert!(last >= 40 && run.frames().unwrap().len() > last);
    assert!(run.checkpoint().unwrap().state.step >= 32);
    folder.run(&["export", "a", "--csv", "a.csv"]).exits(0);

    let steps = (last + 10).to_string();
    let resumed = folder.run(&["resume", "a", "--steps", &steps, "--json"]).exits(0).objects()[0].clone();
    assert_eq!(resumed["steps"], last + 10);
    assert_same_as_uninterrupted(&folder, &resumed);
}

#[test]
fn ctrl_c_is_exit_code_130_with_all_results_kept() {
    stopped_by("-INT");
}

#[test]
fn a_batch_system_that_asks_the_run_to_end_gets_the_same_as_ctrl_c() {
    stopped_by("-TERM");
}

fn stopped_by(signal: &str) {
    let folder = folder();
    let child = started(&folder, &["--json"]);
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "interrupted");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("`signorini resume a` takes the others"), "{messages}");
    let run = RunFolder::open(&folder.path().join("a")).unwrap();
    let last = run.last_step().unwrap();
    assert_eq!((run.manifest().status, Some(last)), (RunStatus::Interrupted, report["steps"].as_u64()));
    // Nothing is lost: the checkpoint is of the last step.
    assert_eq!(run.checkpoint().unwrap().state.step, last);
    let until = format!("{}", 0.01 * (last + 5) as f64);
    let resumed = folder.run(&["resume", "a", "--until", &until, "--json"]).exits(0).objects()[0].clone();
    assert_eq!(resumed["steps"], last + 5);
    assert_same_as_uninterrupted(&folder, &resumed);
}

#[test]
fn a_finished_run_has_nothing_left_and_a_run_in_use_is_left_alone() {
    let folder = folder();
    folder.run(&["run", "small.toml", "--out", "done", "--steps", "3"]).exits(0);
    folder.run(&["resume", "done"]).exits(0).says("all 3 steps were taken before").shows("3 converged");
    folder.run(&["resume", "small.toml"]).exits(2).says("error: ");
    folder.run(&["resume", "nothing"]).exits(2).says("nothing is no run folder");
    let mut child = started(&folder, &[]);
    folder.run(&["resume", "a"]).exits(2).says("another process writes to this run");
    folder.run(&["run", "small.toml", "--out", "a", "--force"]).exits(2).says("another process writes to this run");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The limit on the size of files stands for a full disk: the write that crosses it fails half-way.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_run_and_keeps_what_was_written() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_signorini");
    // Without the signal the limit is an error like any other. 64 blocks of 1 kB: some sixty frames of ten bodies.
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec '{program}' run small.toml --out a --steps {MANY} --checkpoint-every 16"
    );
    let output =
        Command::new("bash").args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{messages}");
    assert!(messages.contains("error: cannot write a/trajectory.bin: "), "{messages}");
    assert!(messages.contains("hint: what was written before stays readable"), "{messages}");
    let run = RunFolder::open(&folder.path().join("a")).unwrap();
    assert_eq!(run.manifest().status, RunStatus::Failed);
    let last = run.last_step().unwrap();
    assert!(last > 16 && run.frames().unwrap().len() == last + 1, "{last}");
    // With room again it goes on.
    let steps = (last + 5).to_string();
    let resumed = folder.run(&["resume", "a", "--steps", &steps, "--json"]).exits(0).objects()[0].clone();
    assert_same_as_uninterrupted(&folder, &resumed);
}
