//! The help texts, as they are committed. `UPDATE_SNAPSHOTS=1 cargo test` rewrites them.

use crate::support::Folder;
use std::fs;
use std::path::Path;

#[test]
fn help_is_as_committed() {
    let folder = Folder::new();
    let problems = ["solve", "compare", "check", "reproduce", "solvers", "examples", "doctor"];
    let simulation =
        ["", "run", "resume", "export", "view", "render", "plot", "equilibrium", "modes", "inverse", "gallery"];
    for command in simulation.into_iter().chain(problems) {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|arg| !arg.is_empty()).collect();
        let found = folder.run(&args).exits(0).stdout();
        let name = if command.is_empty() { "signorini" } else { command };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/help").join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
    }
}

#[test]
fn without_arguments_the_program_explains_itself() {
    Folder::new().run(&[]).exits(2).says("Usage: signorini <COMMAND>");
}

#[test]
fn lists_are_tables_or_json() {
    let folder = Folder::new();
    folder.run(&["solvers"]).exits(0).shows("interior-point").shows("semismooth-newton");
    folder.run(&["examples"]).exits(0).shows("example:incline");
    let names: Vec<_> = folder.run(&["solvers", "--json"]).objects().iter().map(|o| o["name"].clone()).collect();
    assert_eq!(names, signorini_solver::Method::all().iter().map(signorini_solver::Method::name).collect::<Vec<_>>());
    let examples = folder.run(&["examples", "--json"]).objects();
    assert_eq!(examples[0]["name"], "example:incline");
}

#[test]
fn the_doctor_reports_the_version_and_tests_the_solvers() {
    let folder = Folder::new();
    folder.run(&["doctor"]).exits(0).shows(env!("CARGO_PKG_VERSION")).shows("self-test");
    let report = &folder.run(&["doctor", "--json"]).exits(0).objects()[0];
    assert_eq!(report["self_test"], "passed");
    assert!(report["available_parallelism"].as_u64() > Some(0), "{report}");
}
