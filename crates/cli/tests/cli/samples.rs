//! The shared set of contact problems with reference solutions, where it is at hand.

use crate::support::Folder;
use signorini_testkit::sample_problems;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Feasible only with enormous impulses; its reference reaches 5e-5. The solver's own tests deal with it.
const JAMMED: &str = "ChronoBalls-512-jammed";

fn stem(file: &str) -> String {
    Path::new(file).file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_sample_is_solved_and_checks() {
    let Some(samples) = sample_problems("solve and check") else { return };
    let folder = Folder::new();
    let (contacts, piles) = (samples.join("fc"), samples.join("chrono"));
    let inputs = [contacts.to_str().unwrap(), piles.to_str().unwrap()];
    let run = folder.run(&[&["solve", "--json", "--write", "out"], &inputs[..]].concat());
    // 1 if the jammed pile misses the tolerance; errors would be 2.
    assert!(matches!(run.code(), Some(0 | 1)), "{}", run.stderr());
    for object in run.objects() {
        match object["status"].as_str().unwrap() {
            "converged" => assert!(object["residual"]["natural_map_relative"].as_f64() <= Some(1e-8), "{object}"),
            _ => assert_eq!(stem(object["file"].as_str().unwrap()), JAMMED, "{object}"),
        }
    }
    assert!(run.objects().len() >= 40, "{}", run.objects().len());
    let _ = fs::remove_file(folder.path().join(format!("out/{JAMMED}.hdf5")));
    folder.run(&["check", "out", "--law", "relaxed", "--tol", "1e-8"]).exits(0).shows(" 0 not");
}

/// `check` computes the errors of the stored references as whoever made them did. They are printed with two digits;
/// errors at rounding level (below 1e-12) may differ by anything.
#[test]
fn check_agrees_with_the_published_errors_of_the_references() {
    let Some(samples) = sample_problems("published errors") else { return };
    let mut reader = csv::Reader::from_path(samples.join("reference.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let folder = Folder::new();
    let run = folder.run(&["check", samples.join("fc").to_str().unwrap(), "--json"]);
    assert!(matches!(run.code(), Some(0 | 1)), "{}", run.stderr());
    let mut compared = 0;
    for object in run.objects() {
        let name = stem(object["file"].as_str().unwrap());
        let row = rows.iter().find(|row| stem(&row["file"]) == name).unwrap();
        for solution in object["solutions"].as_array().unwrap() {
            let column = if solution["law"] == "exact" { "ncp_scaled_error" } else { "ccp_scaled_error" };
            let published: f64 = row[column].parse().unwrap();
            let found = solution["scaled_error"].as_f64().unwrap();
            assert!((found - published).abs() <= 0.06 * published + 1e-12, "{name} {column}: {found} {published}");
            compared += 1;
        }
    }
    assert!(compared >= 80, "{compared}");
}
