//! Ctrl-C and readers that go away.
//!
//! A pipe holds some 64 kB: a program whose results nobody reads waits in the middle of a long list, however fast
//! it is. That makes these tests independent of speed.
#![cfg(unix)]

use crate::support::{Folder, falling};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 600;

fn long_list() -> Folder {
    let folder = Folder::new();
    folder.problem("set/0000.hdf5", falling(2));
    for copy in 1..FILES {
        let set = folder.path().join("set");
        fs::copy(set.join("0000.hdf5"), set.join(format!("{copy:04}.hdf5"))).unwrap();
    }
    folder
}

/// Starts a run over the list and reads its first result.
fn started(folder: &Folder) -> (Child, BufReader<ChildStdout>, String) {
    let mut command = folder.command(&["solve", "set", "--json", "--history", "h.csv"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    (child, stdout, first)
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    // The handler runs in a thread of its own.
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn the_first_ctrl_c_keeps_the_results_so_far() {
    let folder = long_list();
    let (mut child, mut stdout, first) = started(&folder);
    interrupt(&child);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let lines: Vec<&str> = first.lines().chain(rest.lines()).collect();
    assert!(lines.len() < FILES, "{} results", lines.len());
    for line in &lines {
        let object: Value = serde_json::from_str(line).unwrap();
        assert!(object["file"].is_string(), "{object}");
    }
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert!(messages.contains(&format!("of {FILES} files were not solved")), "{messages}");
    let history = folder.read("h.csv");
    assert!(history.ends_with('\n') && history.lines().all(|line| line.split(',').count() == 11));
}

#[test]
fn a_comparison_keeps_its_results_too() {
    let folder = long_list();
    let solvers = "interior-point,semismooth-newton";
    let mut command =
        folder.command(&["compare", "set", "--json", "--solvers", solvers, "--csv", "c.csv", "--html", "r.html"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdout.read_line(&mut text).unwrap();
    interrupt(&child);
    stdout.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let objects = text.lines().count();
    assert!(objects < 2 * FILES, "{objects}");
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert!(messages.contains(&format!("of {} runs were not made", 2 * FILES)), "{messages}");
    let table = folder.read("c.csv");
    assert!(table.ends_with('\n') && table.lines().count() == objects + 1, "{objects} {}", table.lines().count());
    let report = folder.read("r.html");
    assert!(report.ends_with("</html>\n") && report.contains("not made"));
}

#[test]
fn the_second_ctrl_c_ends_the_program_at_once() {
    let folder = long_list();
    let (mut child, _unread, _) = started(&folder);
    interrupt(&child);
    interrupt(&child);
    let deadline = Instant::now() + Duration::from_secs(10);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "still running");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_closed_pipe_is_no_error_and_ends_the_work() {
    let folder = long_list();
    let (mut child, stdout, first) = started(&folder);
    drop(stdout);
    assert!(serde_json::from_str::<Value>(&first).is_ok());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!(messages, "");
}

/// A full disk is no reader who has seen enough.
#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_exit_code_2() {
    let folder = Folder::new();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = folder.command(&["solve", "example:incline"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error: cannot write the results"));
}

#[test]
fn tables_and_help_survive_a_closed_pipe() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(1));
    for args in [&["solve", "a.hdf5"][..], &["solvers"], &["doctor"]] {
        let mut child = folder.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{args:?}");
    }
}
