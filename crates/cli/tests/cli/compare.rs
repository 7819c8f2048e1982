//! Comparing solvers: table, CSV, JSON, report, exit codes.

use crate::support::{Folder, falling, on_a_rail};
use serde_json::Value;
use std::collections::BTreeSet;

const TWO: [&str; 2] = ["--solvers", "interior-point,semismooth-newton"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.problem("set/fall-1.hdf5", falling(3)).problem("set/<rail> & co.hdf5", on_a_rail());
    folder
}

#[test]
fn a_table_shows_every_run_and_the_matrix_ends_it() {
    let run = folder().run(&[&["compare", "set"][..], &TWO].concat()).exits(0);
    let run = run.shows("fall-1.hdf5").shows("interior-point").shows("semismooth-newton").shows("reference");
    let run = run.shows("4 runs: 4 reached 1e-6").shows("solved, worst residual").shows("1/1");
    assert_eq!(run.stderr(), "");
    let only = folder().run(&[&["compare", "set", "--matrix"][..], &TWO].concat()).exits(0).stdout();
    assert!(only.starts_with("solved, worst residual") && !only.contains("reference"), "{only}");
    let quiet = folder().run(&[&["compare", "set", "-q"][..], &TWO].concat()).exits(0);
    assert_eq!((quiet.stdout(), quiet.stderr()), (String::new(), String::new()));
}

#[test]
fn json_has_one_object_a_run_with_the_fields_of_solve() {
    let run = folder().run(&[&["compare", "set", "--json", "--tol", "1e-9"][..], &TWO].concat()).exits(0);
    let objects = run.objects();
    assert_eq!(objects.len(), 4);
    for object in &objects {
        assert_eq!((&object["status"], &object["met"]), (&Value::from("converged"), &Value::from(true)), "{object}");
        assert!(object["residual"]["natural_map_relative"].as_f64() <= Some(1e-9), "{object}");
        assert_eq!(object["tolerance"]["relative"], 1e-9);
        for field in
            ["iterations", "wall_seconds", "seconds_to_tolerance", "iterations_to_tolerance", "contacts", "objective"]
        {
            assert!(object[field].is_number(), "{field}: {object}");
        }
        assert!(object["seconds_to_tolerance"].as_f64() <= object["wall_seconds"].as_f64(), "{object}");
        assert_eq!(object["differs"], false);
    }
    let references = objects.iter().filter(|object| object["reference"] == true);
    let files: BTreeSet<String> = references.map(|object| object["file"].to_string()).collect();
    assert_eq!(files.len(), 2, "one reference a file");
}

#[test]
fn the_csv_has_one_row_a_run_and_all_digits() {
    let folder = folder();
    let run = folder.run(&[&["compare", "set", "--csv", "runs.csv", "--json"][..], &TWO].concat()).exits(0);
    let text = folder.read("runs.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|field| *field == name).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4);
    let lines = run.stdout();
    for ((row, object), line) in rows.iter().zip(run.objects()).zip(lines.lines()) {
        assert_eq!(row.len(), header.len());
        assert_eq!(object["file"], row[at("file")]);
        assert_eq!(object["solver"], row[at("solver")]);
        // Digit by digit what JSON says, which has them all.
        for field in ["natural_map_relative", "objective", "wall_seconds", "difference_relative"] {
            let digits = row[at(field)];
            assert!(
                digits.parse::<f64>().is_ok() && line.contains(&format!("\"{field}\":{digits}")),
                "{field} {digits} {line}"
            );
        }
    }
}

#[test]
fn the_report_needs_nothing_else_and_escapes_what_it_shows() {
    let folder = folder();
    folder.run(&[&["compare", "set", "--html", "r.html"][..], &TWO].concat()).exits(0);
    let page = folder.read("r.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for fetched in ["http", "<script", "<link", "@import", "url(", " src="] {
        assert!(!without_namespace.contains(fetched), "{fetched}");
    }
    // Two files with four plots each, and two profiles; the others are samples of lines.
    assert_eq!(page.matches("role=\"img\"").count(), 10);
    for text in
        ["Residual against time", "Objective gap", "Active set", "share of problems", "prefers-color-scheme:dark"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("&lt;rail&gt; &amp; co.hdf5") && !page.contains("<rail>"));
    assert!(page.contains("signorini compare set --html r.html --solvers interior-point,semismooth-newton"));
    let here = folder.path().display().to_string();
    assert!(!page.contains(&here), "no path the user did not type");
    for tag in ["details", "table", "svg", "g", "ul", "li", "div", "nav", "p", "pre"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn an_unknown_solver_is_exit_code_2_and_the_nearest_names_are_listed() {
    let folder = folder();
    let run = folder.run(&["compare", "set", "--solvers", "interior-point,semismoth-newton"]).exits(2);
    run.says("there is no solver `semismoth-newton`; nearest: semismooth-newton")
        .says("there are: auto, interior-point");
    folder.run(&["solve", "set", "--solver", "interior-pont"]).exits(2).says("interior-point");
}

#[test]
fn a_missed_tolerance_is_marked_and_exit_code_1() {
    let folder = folder();
    let run = folder.run(&[&["compare", "set", "--max-iter", "1", "--json"][..], &TWO].concat()).exits(1);
    let missed: Vec<Value> = run.objects().into_iter().filter(|object| object["met"] == false).collect();
    assert!(!missed.is_empty());
    assert!(
        missed.iter().all(|object| object["status"] == "iteration-limit" && object["seconds_to_tolerance"].is_null())
    );
    folder
        .run(&[&["compare", "set", "--max-iter", "1"][..], &TWO].concat())
        .exits(1)
        .shows("> 1 ")
        .shows("iteration-limit");
}

#[test]
fn files_that_cannot_be_used_are_exit_code_2_and_the_others_are_compared() {
    let folder = folder();
    folder.bytes("set/bad.hdf5", b"text");
    let args = [&["compare", "set", "--html", "r.html", "--json"][..], &TWO].concat();
    let run = folder.run(&args).exits(2).says("error: set/bad.hdf5: not an HDF5 file");
    let statuses: Vec<Value> = run.objects().iter().map(|object| object["status"].clone()).collect();
    assert_eq!(statuses.iter().filter(|status| *status == "error").count(), 1);
    assert_eq!(statuses.iter().filter(|status| *status == "converged").count(), 4);
    assert!(folder.read("r.html").contains("bad.hdf5: not an HDF5 file"));
}

#[test]
fn outputs_never_destroy_inputs() {
    let folder = folder();
    let before = std::fs::read(folder.path().join("set/fall-1.hdf5")).unwrap();
    for option in ["--csv", "--html"] {
        let run = folder.run(&["compare", "set", option, "set/fall-1.hdf5"]).exits(2);
        run.says("is an input and is not overwritten");
        folder.run(&["compare", "set", option, "nowhere/x"]).exits(2).says("cannot write the");
        folder.run(&["compare", "set", option, "set"]).exits(2).says("cannot write the");
    }
    folder.run(&["compare", "set", "--csv", "x", "--html", "x"]).exits(2).says("name two files");
    assert_eq!(std::fs::read(folder.path().join("set/fall-1.hdf5")).unwrap(), before);
}

#[test]
fn every_law_and_every_solver_can_be_compared() {
    let folder = folder();
    for law in ["relaxed", "lagged", "exact"] {
        let run = folder.run(&[&["compare", "set", "--friction", law, "--html", "r.html"][..], &TWO].concat()).exits(0);
        run.shows("4 reached");
    }
    let names = folder.run(&["solvers", "--json"]).objects().len();
    let run = folder.run(&["compare", "example:incline", "--json"]);
    assert_eq!(run.objects().len(), names);
}
