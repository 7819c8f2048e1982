//! Whatever is wrong with the input: a message that names it, exit code 2, and the other files are still solved.

use crate::support::{FALL, Folder, MU, falling, forged, local};
use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info};

#[test]
fn files_that_are_no_problems_are_named_with_the_reason() {
    let folder = Folder::new();
    let whole = fclib::to_bytes(&FclibFile::new(falling(3), Info::default())).unwrap();
    folder.bytes("truncated.hdf5", &whole[..whole.len() / 2]).bytes("text.hdf5", b"not a problem at all\n");
    folder.bytes("empty.hdf5", b"");
    folder.bytes("nan.hdf5", &forged(FclibProblem::Local(local()), -FALL, f64::NAN));
    folder.bytes("mu.hdf5", &forged(falling(2), MU, -MU));
    for (file, message) in [
        ("missing.hdf5", "cannot read it"),
        ("truncated.hdf5", "truncated: it has"),
        ("text.hdf5", "not an HDF5 file"),
        ("empty.hdf5", "not an HDF5 file"),
        ("nan.hdf5", "/fclib_local/vectors/q[0] is NaN, expected a finite number"),
        ("mu.hdf5", "/fclib_global/vectors/mu[0] is -0.31415926, expected a finite number ≥ 0"),
    ] {
        let run = folder.run(&["solve", file]).exits(2).says(&format!("error: {file}: {message}"));
        assert_eq!(run.stderr().matches(file).count(), 1, "the file is named once: {}", run.stderr());
        let run = folder.run(&["solve", file, "--json"]).exits(2);
        let object = &run.objects()[0];
        assert_eq!((object["file"].as_str(), object["status"].as_str()), (Some(file), Some("error")));
        assert!(object["error"].as_str().unwrap().contains(message), "{object}");
    }
}

#[test]
fn matrices_that_make_no_problem_are_refused() {
    let folder = Folder::new();
    let with = |entries: &[(usize, usize, f64)]| {
        let w = CscMatrix::from_triplets(3, 3, entries.iter().copied()).unwrap();
        FclibProblem::Local(signorini_solver::fclib::LocalProblem { w, ..local() })
    };
    folder.problem("skew.hdf5", with(&[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0), (0, 1, 0.9)]));
    folder.problem("indefinite.hdf5", with(&[(0, 0, 1.0), (1, 1, -1.0), (2, 2, 1.0)]));
    folder.problem("zero.hdf5", with(&[(1, 1, 1.0), (2, 2, 1.0)]));
    let FclibProblem::Global(mut global) = falling(1) else { panic!("a global problem") };
    global.m = CscMatrix::diagonal(&[1.0, -1.0, 1.0]);
    folder.problem("mass.hdf5", FclibProblem::Global(global));
    folder.run(&["solve", "skew.hdf5"]).exits(2).says("error: skew.hdf5: W is not symmetric");
    folder.run(&["solve", "indefinite.hdf5"]).exits(2).says("W is not positive semi-definite");
    folder.run(&["solve", "zero.hdf5"]).exits(2).says("every entry of the row is zero");
    folder.run(&["solve", "mass.hdf5"]).exits(2).says("not positive definite");
}

#[test]
fn the_other_files_are_still_solved() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(1)).bytes("b.hdf5", b"text").problem("c.hdf5", falling(2));
    let run = folder.run(&["solve", "a.hdf5", "b.hdf5", "c.hdf5", "none*.hdf5"]).exits(2);
    run.says("error: b.hdf5: not an HDF5 file").says("hint: ").shows("4 problems: 2 converged, 2 error");
    let run = folder.run(&["solve", ".", "--json"]).exits(2);
    let status: Vec<_> = run.objects().iter().map(|object| object["status"].clone()).collect();
    assert_eq!(status, ["converged", "error", "converged"]);
    // 2 outweighs the 1 of a missed tolerance.
    folder.run(&["solve", ".", "--max-iter", "0"]).exits(2).shows("2 iteration-limit");
}

#[test]
fn arguments_that_lead_nowhere_are_errors() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    folder.run(&["solve", "empty"]).exits(2).says("error: empty: the folder holds no .hdf5 or .h5 file");
    folder.run(&["solve", "no*.hdf5"]).exits(2).says("error: no*.hdf5: no file matches this pattern");
    folder.run(&["solve", "none/no*.hdf5"]).exits(2).says("no file matches this pattern");
    folder.run(&["solve", "example:inclin"]).exits(2).says("did you mean `incline`?");
    folder.run(&["solve"]).exits(2).says("<FILE>...");
}

#[test]
fn wrong_options_list_what_is_allowed() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(1));
    let solve = |options: &[&str]| folder.run(&[&["solve", "a.hdf5"], options].concat()).exits(2);
    solve(&["--solver", "interior-pont"]).says("semismooth-newton").says("a similar value exists: 'interior-point'");
    solve(&["--kkt", "reduce"]).says("auto, augmented, quasi-definite, reduced").says("'reduced'");
    for bad in ["0", "-1e-8", "nan", "inf", "1e-6mm/s", "tight"] {
        solve(&["--tol", bad]).says("expected a number > 0 (relative, 1e-8) or a speed (1e-6m/s)");
    }
    solve(&["--time-limit", "-1"]).says("expected a number of seconds > 0");
    solve(&["--max-iter", "-1"]);
    solve(&["--threads", "0"]).says("1..=1024");
    solve(&["--colour"]).says("unexpected argument '--colour'");
}

#[test]
fn outputs_that_cannot_be_written_are_known_before_the_work() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(1)).problem("deep/a.hdf5", falling(1));
    let before = std::fs::read(folder.path().join("a.hdf5")).unwrap();
    for (options, message) in [
        (&["--history", "none/h.csv"][..], "cannot write the history to none/h.csv"),
        (&["--history", "deep"], "it is a folder"),
        (&["--history", "a.hdf5"], "a.hdf5 is an input and is not overwritten"),
        (&["--write", "a.hdf5"], "a.hdf5 is an input and is not overwritten"),
        (&["--write", "none/out.hdf5"], "there is no folder none"),
        (&["--write", "a.hdf5/out/"], "cannot make the folder a.hdf5/out/"),
        (&["deep/a.hdf5", "--write", "out"], "both a.hdf5 and deep/a.hdf5 would be written to out/a.hdf5"),
    ] {
        let run = folder.run(&[&["solve", "a.hdf5"], options].concat()).exits(2).says(message);
        assert_eq!(run.stdout(), "", "nothing was solved: {options:?}");
    }
    assert_eq!(std::fs::read(folder.path().join("a.hdf5")).unwrap(), before);
}

#[test]
fn what_a_method_cannot_do_is_refused_and_others_are_named() {
    let folder = Folder::new();
    folder
        .run(&["solve", "example:incline", "--solver", "tron"])
        .exits(2)
        .says("tron cannot take round friction cones; methods that can: auto, interior-point")
        .says("hint: `--facets 8`");
    folder
        .run(&["solve", "example:incline", "--solver", "minres"])
        .exits(2)
        .says("minres cannot take round friction cones");
    folder
        .run(&["solve", "example:incline", "--solver", "apgd", "--stopping", "paper", "--no-polish"])
        .exits(2)
        .says("apgd has no use for --stopping, --no-polish");
    folder
        .run(&["solve", "example:incline", "--facets", "8", "--friction", "exact"])
        .exits(2)
        .says("friction pyramids obey the relaxed law only");
    folder.run(&["compare", "example:incline", "--facets", "8", "--friction", "exact"]).exits(2);
    folder.run(&["compare", "example:incline", "--solvers", "minres,direct"]).exits(1);
}

#[test]
fn limits_give_the_best_iterate_so_far() {
    let folder = Folder::new();
    for solver in ["jacobi", "spg", "nsgs", "kucera"] {
        let run = folder.run(&["solve", "example:mixed", "--solver", solver, "--max-iter", "3", "--json"]).exits(1);
        let object = &run.objects()[0];
        assert_eq!((object["status"].as_str(), object["iterations"].as_u64()), (Some("iteration-limit"), Some(3)));
        let residual = object["residual"]["natural_map_relative"].as_f64().unwrap();
        assert!(residual > 0.0 && residual <= 1.0, "{solver}: {residual}");
    }
    let run = folder.run(&["solve", "example:pile", "--solver", "jacobi", "--time-limit", "0.05", "--json"]).exits(1);
    assert_eq!(run.objects()[0]["status"], "time-limit");
}
