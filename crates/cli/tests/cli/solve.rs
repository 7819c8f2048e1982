//! Solving: results, formats, options, files written.

use crate::support::{FALL, Folder, MU, falling, local};
use serde_json::Value;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, StoredSolution};

#[test]
fn a_table_shows_what_was_reached() {
    let folder = Folder::new();
    let run = folder.problem("a.hdf5", falling(3)).run(&["solve", "a.hdf5"]).exits(0);
    let run = run.shows("a.hdf5").shows("interior-point, reduced").shows("converged").shows("1 problem: 1 converged");
    assert_eq!(run.stderr(), "");
    assert!(run.stdout().starts_with("file "), "{}", run.stdout());
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let folder = Folder::new();
    let run = folder.problem("a.hdf5", falling(3)).run(&["solve", "a.hdf5", "--json"]).exits(0);
    let object = &run.objects()[0];
    assert_eq!(run.objects().len(), 1);
    assert_eq!((&object["file"], &object["status"]), (&Value::from("a.hdf5"), &Value::from("converged")));
    assert_eq!(object["solver"], "interior-point");
    assert_eq!(object["contacts"], 3);
    assert_eq!(object["velocities"], 9);
    assert_eq!(object["tolerance"]["relative"], 1e-8);
    for field in ["iterations", "wall_seconds", "objective", "factor_entries", "setup_seconds"] {
        assert!(object[field].is_number(), "{field}: {object}");
    }
    for field in ["natural_map", "natural_map_relative", "primal", "dual", "complementarity", "momentum"] {
        assert!(object["residual"][field].is_number(), "{field}: {object}");
    }
    assert!(object["residual"]["natural_map_relative"].as_f64() <= Some(1e-8));
    assert!(object["kkt"].is_string() && object["phases"].is_array() && object["remarks"].is_array());
    if cfg!(target_os = "linux") {
        assert!(object["peak_memory_bytes"].as_u64() > Some(100_000), "{object}");
    }
}

/// Slides: s = |u_T| and n = r_N obey n = fall + μ s and s = speed − μ n; the objective is −½ r·(−q) at u ⟂ r.
#[test]
fn the_objective_is_that_of_the_closed_form() {
    let folder = Folder::new();
    let run = folder.problem("a.hdf5", falling(1)).run(&["solve", "a.hdf5", "--json", "--tol", "1e-12"]).exits(0);
    let speed = 0.1f64.hypot(0.05);
    let s = (speed - MU * FALL) / (1.0 + MU * MU);
    assert!(s > 0.0);
    let n = FALL + MU * s;
    let expected = -0.5 * n * (FALL + MU * speed);
    let found = run.objects()[0]["objective"].as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn the_embedded_example_is_solved_by_every_solver_and_form() {
    let folder = Folder::new();
    folder.run(&["solve", "example:incline"]).exits(0).shows("example:incline");
    for solver in ["interior-point", "semismooth-newton"] {
        for kkt in ["auto", "augmented", "quasi-definite", "reduced"] {
            let run = folder.run(&["solve", "example:incline", "--json", "--solver", solver, "--kkt", kkt]).exits(0);
            let object = &run.objects()[0];
            assert_eq!(object["solver"], solver);
            assert!((object["objective"].as_f64().unwrap() + 0.0091142439).abs() < 1e-9, "{object}");
        }
    }
}

#[test]
fn every_option_is_understood() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(2));
    for options in [
        &["--start", "nocedal"][..],
        &["--start", "dapuzzo", "--steps", "split"],
        &["--start", "cvxopt", "--correctors", "2"],
        &["--no-polish", "--tol", "1e-6"],
        &["--tol", "1e-6m/s"],
        &["--stopping", "paper"],
        &["--warm", "full"],
        &["--threads", "2", "--time-limit", "60", "--max-iter", "100"],
    ] {
        folder.run(&[&["solve", "a.hdf5"], options].concat()).exits(0);
    }
    let object = &folder.run(&["solve", "a.hdf5", "--json", "--tol", "1e-6m/s"]).objects()[0];
    assert_eq!(object["tolerance"]["velocity"], 1e-6);
    assert!(object["residual"]["natural_map"].as_f64() <= Some(1e-6));
}

#[test]
fn a_missed_tolerance_is_exit_code_1() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(4));
    for solver in ["interior-point", "semismooth-newton"] {
        let run = folder.run(&["solve", "a.hdf5", "--max-iter", "1", "--json", "--solver", solver]).exits(1);
        assert_eq!(run.objects()[0]["status"], "iteration-limit");
    }
    folder.run(&["solve", "a.hdf5", "--max-iter", "1"]).exits(1).shows("iteration-limit");
}

#[test]
fn folders_and_patterns_are_expanded_sorted_and_without_duplicates() {
    let folder = Folder::new();
    for name in ["set/b.hdf5", "set/deep/a.h5", "set/a.hdf5", "set/.hidden.hdf5"] {
        folder.problem(name, falling(1));
    }
    folder.bytes("set/notes.txt", b"not a problem");
    let files = |args: &[&str]| -> Vec<String> {
        let run = folder.run(&[&["solve", "--json"], args].concat()).exits(0);
        run.objects().iter().map(|object| object["file"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(files(&["set"]), ["set/a.hdf5", "set/b.hdf5", "set/deep/a.h5"]);
    assert_eq!(files(&["set/?.hdf5"]), ["set/a.hdf5", "set/b.hdf5"]);
    assert_eq!(files(&["s*/*/*.h5"]), ["set/deep/a.h5"]);
    assert_eq!(files(&["set/b.hdf5", "set", "./set/b.hdf5"]), ["set/b.hdf5", "set/a.hdf5", "set/deep/a.h5"]);
}

#[test]
fn quiet_says_nothing_when_all_is_well() {
    let folder = Folder::new();
    let run = folder.problem("a.hdf5", falling(2)).run(&["solve", "a.hdf5", "-q"]).exits(0);
    assert_eq!((run.stdout(), run.stderr()), (String::new(), String::new()));
}

#[test]
fn a_mended_matrix_is_remarked_on_stderr_and_in_json() {
    let folder = Folder::new();
    let entries = [(0, 0, 1.0), (1, 1, 2.0), (2, 2, 2.0), (0, 1, 0.1), (1, 0, 0.101)];
    let w = signorini_linalg::CscMatrix::from_triplets(3, 3, entries).unwrap();
    let mut problem = local();
    problem.w = w;
    folder.problem("skew.hdf5", FclibProblem::Local(problem));
    let run = folder.run(&["solve", "skew.hdf5", "--tol", "1e-2", "--json"]).exits(0);
    let run = run.says("note: skew.hdf5: W is not symmetric");
    assert!(run.objects()[0]["remarks"][0].as_str().unwrap().contains("not symmetric"));
    // The same repair is more than a tolerance of 1e-8: the answer is that of another matrix, which is told and is no success.
    let run = folder.run(&["solve", "skew.hdf5", "--tol", "1e-8", "--json"]).exits(1);
    let run = run.says("error: skew.hdf5: mending W moves relative velocities by").says("hint: `--friction exact`");
    assert!(run.objects()[0]["moved_by_repair"]["velocity"].as_f64() > Some(0.0));
    folder.run(&["solve", "skew.hdf5", "--tol", "1e-8", "--friction", "exact"]).exits(0);
}

#[test]
fn the_history_has_every_iteration_of_every_file() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(2)).problem("b.hdf5", falling(3));
    let run = folder.run(&["solve", "a.hdf5", "b.hdf5", "--history", "h.csv", "--json"]).exits(0);
    let text = folder.read("h.csv");
    let header = "file,iteration,phase,seconds,natural_map,natural_map_relative,primal,dual,complementarity,momentum,\
                  objective";
    assert_eq!(text.lines().next(), Some(header));
    for object in run.objects() {
        let file = object["file"].as_str().unwrap();
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split(',').collect()).filter(|row: &Vec<&str>| row[0] == file).collect();
        assert_eq!(rows.len() as u64, object["iterations"].as_u64().unwrap() + 1);
        assert!(rows.iter().enumerate().all(|(at, row)| row.len() == 11 && row[1] == at.to_string()));
        let last: f64 = rows.last().unwrap()[5].parse().unwrap();
        assert!(last <= 1e-8, "{last}");
    }
}

#[test]
fn a_stored_guess_is_used_when_asked_for() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(3));
    folder.run(&["solve", "a.hdf5", "--write", "solved.hdf5", "--tol", "1e-13"]).exits(0);
    let mut file = fclib::read(&folder.path().join("solved.hdf5")).unwrap();
    file.guesses = vec![file.solution_ccp.take().unwrap()];
    folder.file("guess.hdf5", &file);
    let iterations = |warm: &str| {
        let args = ["solve", "guess.hdf5", "--json", "--solver", "semismooth-newton", "--warm", warm];
        folder.run(&args).exits(0).objects()[0]["iterations"].as_u64().unwrap()
    };
    assert_eq!(iterations("full"), 0, "the guess is the answer");
    assert!(iterations("none") > 0);
}

#[test]
fn a_guess_without_velocities_and_multipliers_is_filled_up() {
    let folder = Folder::new();
    let mut file = FclibFile::new(falling(1), Info::default());
    file.guesses = vec![StoredSolution { v: None, u: vec![0.0; 3], r: vec![1.0, 0.0, 0.0], l: None }];
    folder.file("a.hdf5", &file).run(&["solve", "a.hdf5", "--warm", "full"]).exits(0);
}

#[test]
fn several_files_are_written_to_a_folder_and_the_rest_of_each_is_kept() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(2)).problem("b.hdf5", FclibProblem::Local(local()));
    folder.run(&["solve", "a.hdf5", "b.hdf5", "example:incline", "--write", "out"]).exits(0);
    for (name, count) in [("a", 6), ("b", 3), ("incline", 3)] {
        let file = fclib::read(&folder.path().join(format!("out/{name}.hdf5"))).unwrap();
        assert_eq!(file.solution_ccp.unwrap().r.len(), count);
        assert!(file.solution.is_none());
    }
    let before = fclib::read(&folder.path().join("a.hdf5")).unwrap();
    let after = fclib::read(&folder.path().join("out/a.hdf5")).unwrap();
    assert_eq!(before.problem, after.problem);
}
