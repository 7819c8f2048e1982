//! `signorini reproduce` on the fastest experiment.

use crate::support::Folder;
use serde_json::Value;
use std::fs;

const FAST: [&str; 4] = ["reproduce", "ip-5", "--quick", "--out"];

fn fast<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FAST.iter().copied().chain(["out"]).chain(more.iter().copied()).collect()
}

#[test]
fn without_ids_there_is_the_list_and_how_to_go_on() {
    let folder = Folder::new();
    folder.run(&["reproduce"]).exits(0).shows("IP-1").shows("signorini reproduce quick");
    let list = folder.run(&["reproduce", "--list", "--json"]).exits(0).objects();
    assert!(list.iter().all(|own| own["seconds_quick"].as_f64() > Some(0.0)), "{list:?}");
    assert!(!folder.path().join("reproduce-results").exists(), "a list makes no folder");
}

#[test]
fn a_mistyped_id_is_answered_with_the_nearest() {
    let folder = Folder::new();
    folder.run(&["reproduce", "IP-55"]).exits(2).says("there is no experiment `IP-55`; nearest: IP-5");
    folder.run(&["reproduce", "quick", "--full"]).exits(2).says("contradict");
}

#[test]
fn an_experiment_leaves_a_report_tables_figures_and_an_outcome() {
    let folder = Folder::new();
    let run = folder.run(&fast(&[]));
    let page = folder.read("out/report.html");
    assert!(page.contains("IP-5") && page.contains("<svg") && page.contains("prefers-color-scheme"), "{page}");
    assert!(!page.contains("<script") && !page.contains("src="), "the page needs nothing else");
    let results = folder.read("out/results.csv");
    assert!(results.starts_with("id,quantity,published,ours,ratio,verdict,command,note\nIP-5,"), "{results}");
    assert!(folder.read("out/IP-5/stacks.csv").starts_with("masses,spheres"));
    assert!(folder.read("out/IP-5/iterations.svg").starts_with("<svg"));
    let outcome: Value = serde_json::from_str(&folder.read("out/outcomes/IP-5.json")).unwrap();
    assert_eq!((&outcome["effort"], &outcome["version"]), (&"quick".into(), &env!("CARGO_PKG_VERSION").into()));
    let short = results.contains(",short,");
    run.exits(i32::from(short)).shows("verdict").says("1 experiment to run, quick, about");
}

#[test]
fn what_is_done_is_not_done_again_unless_asked_or_unreadable() {
    let folder = Folder::new();
    let code = folder.run(&fast(&["--quiet"])).code().unwrap();
    let first = folder.read("out/outcomes/IP-5.json");
    folder.run(&fast(&[])).exits(code).says("0 experiments to run").shows("verdict");
    assert_eq!(folder.read("out/outcomes/IP-5.json"), first);
    folder.run(&fast(&["--fresh"])).exits(code).says("1 experiment to run");
    assert_ne!(folder.read("out/outcomes/IP-5.json"), first, "the time it took is part of it");
    folder.bytes("out/outcomes/IP-5.json", b"{ half");
    folder.run(&fast(&[])).exits(code).says("1 experiment to run");
    let older = first.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"0.0.0\"");
    folder.bytes("out/outcomes/IP-5.json", older.as_bytes());
    folder.run(&fast(&[])).exits(code).says("1 experiment to run");
}

#[test]
fn with_json_there_is_one_object_a_row_and_nothing_else() {
    let folder = Folder::new();
    let rows = folder.run(&fast(&["--json"])).objects();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["id"] == "IP-5" && row["verdict"].is_string()), "{rows:?}");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_before_anything_runs() {
    let folder = Folder::new();
    fs::write(folder.path().join("out"), b"a file").unwrap();
    folder.run(&fast(&[])).exits(2).says("cannot make the folder");
}

#[cfg(unix)]
#[test]
fn an_interruption_keeps_what_is_finished_and_the_same_command_goes_on() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let mut child = folder
        .command(&["reproduce", "IP-1", "--out", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The folder is made first: from then on Ctrl-C is awaited.
    while !folder.path().join("out/outcomes").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path().join("out/outcomes/IP-1.json").exists());
    assert!(folder.read("out/report.html").contains("Not run yet"));
}
