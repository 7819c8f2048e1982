//! Checking stored solutions.

use crate::support::{Folder, falling, local, local_with_a_bilateral_row, on_a_rail, rolling, without_contacts};
use signorini_solver::fclib::{self, FclibProblem};

#[test]
fn what_solve_writes_check_accepts() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(5)).problem("b.hdf5", FclibProblem::Local(local()));
    folder.problem("c.hdf5", rolling());
    folder.run(&["solve", "a.hdf5", "b.hdf5", "c.hdf5", "--write", "out/"]).exits(0);
    let run = folder.run(&["check", "out", "--tol", "1e-8"]).exits(0);
    run.shows("relaxed").shows("3 solutions: 3 within 1e-8, 0 not");
    for object in folder.run(&["check", "out", "--json"]).exits(0).objects() {
        assert_eq!(object["status"], "ok");
        let solution = &object["solutions"][0];
        assert_eq!(solution["law"], "relaxed");
        assert!(solution["scaled_error"].as_f64() <= Some(1e-8), "{object}");
        for field in ["cone_violation", "dual_violation", "complementarity", "objective", "velocity_difference"] {
            assert!(solution[field].is_number(), "{field}: {object}");
        }
    }
}

#[test]
fn bilateral_rows_and_the_lack_of_contacts_are_checked_too() {
    let folder = Folder::new();
    folder.problem("rail.hdf5", on_a_rail()).problem("local.hdf5", local_with_a_bilateral_row());
    folder.problem("free.hdf5", without_contacts());
    folder.run(&["solve", ".", "--write", "out", "--tol", "1e-10"]).exits(0);
    folder.run(&["check", "out", "--tol", "1e-10"]).exits(0).shows("3 solutions: 3 within");
    for name in ["out/rail.hdf5", "out/local.hdf5"] {
        let mut file = fclib::read(&folder.path().join(name)).unwrap();
        let solution = file.solution_ccp.as_mut().unwrap();
        solution.l.as_mut().unwrap()[0] += 1e-3;
        folder.file("spoiled.hdf5", &file).run(&["check", "spoiled.hdf5"]).exits(1);
        file.solution_ccp.as_mut().unwrap().l = None;
        folder.file("spoiled.hdf5", &file).run(&["check", "spoiled.hdf5"]).exits(2).says("no multipliers `l`");
    }
}

/// Each part of the stored solution is spoiled in turn, by a relative 1e-3.
#[test]
fn a_spoiled_solution_is_exit_code_1() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(2)).run(&["solve", "a.hdf5", "--write", "good.hdf5"]).exits(0);
    folder.run(&["check", "good.hdf5"]).exits(0);
    for part in ["r", "u", "v"] {
        let mut file = fclib::read(&folder.path().join("good.hdf5")).unwrap();
        let solution = file.solution_ccp.as_mut().unwrap();
        match part {
            "r" => solution.r[0] *= 1.001,
            "u" => solution.u[1] *= 1.001,
            _ => solution.v.as_mut().unwrap()[1] *= 1.001,
        }
        let run = folder.file("spoiled.hdf5", &file).run(&["check", "spoiled.hdf5", "--json"]).exits(1);
        assert_eq!(run.objects()[0]["status"], "missed", "{part}");
        folder.run(&["check", "spoiled.hdf5", "--tol", "1e-1"]).exits(0);
    }
}

/// Sliding contacts lift under the relaxed law, so its answer is none of the exact law.
#[test]
fn the_two_laws_are_told_apart() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(2)).run(&["solve", "a.hdf5", "--write", "good.hdf5"]).exits(0);
    let mut file = fclib::read(&folder.path().join("good.hdf5")).unwrap();
    file.solution = file.solution_ccp.clone();
    folder.file("both.hdf5", &file);
    folder.run(&["check", "both.hdf5"]).exits(1).shows("exact").shows("1 within 1e-6, 1 not");
    folder.run(&["check", "both.hdf5", "--law", "relaxed"]).exits(0);
    folder.run(&["check", "both.hdf5", "--law", "exact"]).exits(1);
}

#[test]
fn a_shifted_matrix_is_checked_as_it_was_solved() {
    let folder = Folder::new();
    // Eigenvalues of the first block: 1 and −1e-7 along (0.6, 0.8) turned.
    let (c, s, e) = (0.6, 0.8, 1e-7);
    let off = c * s * (1.0 + e);
    let entries = [(0, 0, c * c - e * s * s), (0, 1, off), (1, 0, off), (1, 1, s * s - e * c * c), (2, 2, 1.0)];
    let mut problem = local();
    problem.w = signorini_linalg::CscMatrix::from_triplets(3, 3, entries).unwrap();
    folder.problem("a.hdf5", FclibProblem::Local(problem));
    // The shift moves the answer by 4e-7 m/s, which is more than the tolerance of 1e-8: told, and no success.
    let run = folder.run(&["solve", "a.hdf5", "--write", "out.hdf5"]).exits(1).says("was added to its diagonal");
    run.says("mending W moves relative velocities by");
    let run = folder.run(&["check", "out.hdf5", "--tol", "1e-8", "--json"]).exits(0);
    let run = run.says("the relaxed solution is checked against that matrix");
    assert!(run.objects()[0]["solutions"][0]["shift"].as_f64() > Some(1e-7));
}

#[test]
fn nothing_to_check_is_exit_code_2() {
    let folder = Folder::new();
    folder.problem("a.hdf5", falling(1));
    folder.run(&["check", "a.hdf5"]).exits(2).says("error: a.hdf5: no stored solution").says("hint: ");
    folder.run(&["check", "missing.hdf5"]).exits(2).says("error: missing.hdf5: cannot read it");
    folder.run(&["check", "example:incline"]).exits(2).says("no stored solution");
    folder.run(&["check", "a.hdf5", "--tol", "0"]).exits(2).says("expected a number > 0");
}
