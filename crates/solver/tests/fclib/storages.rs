//! The three storages of a matrix, and what the format leaves open.

use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibProblem};

use crate::raw::{self, Contents, Data};

fn h_of(contents: &Contents) -> CscMatrix {
    match fclib::read_bytes("storage", raw::bytes(contents)).unwrap().problem {
        FclibProblem::Global(problem) => problem.h,
        FclibProblem::Local(_) => panic!("expected a global problem"),
    }
}

/// Three degrees of freedom, one plane contact: H is 3 × 2, so that rows and columns cannot be mixed up.
fn with_h(nz: i32, nzmax: i32, p: &[i32], i: &[i32], x: &[f64]) -> Contents {
    let mut contents = raw::global();
    contents.insert("fclib_global/vectors/f".into(), Data::Reals(vec![0.0; 3]));
    raw::columns(&mut contents, "fclib_global/M", 3);
    for (name, data) in [
        ("m", Data::Ints(vec![3])),
        ("n", Data::Ints(vec![2])),
        ("nz", Data::Ints(vec![nz])),
        ("nzmax", Data::Ints(vec![nzmax])),
        ("p", Data::Ints(p.to_vec())),
        ("i", Data::Ints(i.to_vec())),
        ("x", Data::Reals(x.to_vec())),
    ] {
        contents.insert(format!("fclib_global/H/{name}"), data);
    }
    contents
}

#[test]
fn all_storages_give_the_same_matrix() {
    // [1 .]
    // [2 4]
    // [. 5]
    let expected = CscMatrix::from_triplets(3, 2, [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 4.0), (2, 1, 5.0)]).unwrap();
    let columns = with_h(-1, 4, &[0, 2, 4], &[0, 1, 1, 2], &[1.0, 2.0, 4.0, 5.0]);
    let unsorted_columns = with_h(-1, 4, &[0, 2, 4], &[1, 0, 2, 1], &[2.0, 1.0, 5.0, 4.0]);
    let rows = with_h(-2, 4, &[0, 1, 3, 4], &[0, 0, 1, 1], &[1.0, 2.0, 4.0, 5.0]);
    let triplets = with_h(4, 4, &[1, 0, 1, 0], &[2, 0, 1, 1], &[5.0, 1.0, 4.0, 2.0]);
    let duplicates = with_h(5, 5, &[1, 0, 1, 0, 1], &[2, 0, 1, 1, 1], &[5.0, 1.0, 3.0, 2.0, 1.0]);
    let spare_room = with_h(-1, 100, &[0, 2, 4], &[0, 1, 1, 2, 99], &[1.0, 2.0, 4.0, 5.0, 7.0, 8.0]);
    let spare_triplets = with_h(4, 6, &[1, 0, 1, 0], &[2, 0, 1, 1], &[5.0, 1.0, 4.0, 2.0, 0.0, 0.0]);
    for (name, contents) in [
        ("columns", columns),
        ("unsorted columns", unsorted_columns),
        ("rows", rows),
        ("triplets", triplets),
        ("duplicates", duplicates),
        ("spare room", spare_room),
        ("spare triplets", spare_triplets),
    ] {
        assert_eq!(h_of(&contents), expected, "{name}");
    }
}

#[test]
fn other_number_widths_are_converted() {
    let mut contents = raw::local();
    contents.insert("fclib_local/spacedim".into(), Data::LongInts(vec![3]));
    contents.insert("fclib_local/W/i".into(), Data::LongInts(vec![0, 1, 0, 1]));
    contents.insert("fclib_local/vectors/mu".into(), Data::Singles(vec![0.25, 0.5]));
    let file = fclib::read_bytes("widths", raw::bytes(&contents)).unwrap();
    assert_eq!(file.problem.mu(), [0.25, 0.5]);
    assert_eq!(file.problem.dimension(), 3);
}

#[test]
fn vectors_may_be_stored_as_one_column() {
    let mut contents = raw::local();
    contents.insert("fclib_local/vectors/mu".into(), Data::Table(vec![0.25, 0.5], vec![2, 1]));
    assert_eq!(fclib::read_bytes("column", raw::bytes(&contents)).unwrap().problem.mu(), [0.25, 0.5]);
}

#[test]
fn what_a_local_problem_has_no_use_for_is_ignored() {
    let mut contents = raw::local();
    for name in ["u", "r", "v", "l"] {
        contents.insert(format!("solution/{name}"), Data::Reals(vec![0.5; 6]));
    }
    let solution = fclib::read_bytes("extra", raw::bytes(&contents)).unwrap().solution.unwrap();
    assert_eq!((solution.v, solution.l, solution.u), (None, None, vec![0.5; 6]));
}

#[test]
fn no_contacts_is_an_empty_problem() {
    let mut contents = raw::local();
    contents.insert("fclib_local/vectors/q".into(), Data::Reals(vec![]));
    contents.insert("fclib_local/vectors/mu".into(), Data::Reals(vec![]));
    for (name, values) in [("m", vec![0]), ("n", vec![0]), ("nzmax", vec![0]), ("p", vec![0]), ("i", vec![])] {
        contents.insert(format!("fclib_local/W/{name}"), Data::Ints(values));
    }
    contents.insert("fclib_local/W/x".into(), Data::Reals(vec![]));
    contents.insert("solution".into(), Data::Empty);
    let file = fclib::read_bytes("empty", raw::bytes(&contents)).unwrap();
    assert_eq!((file.problem.contacts(), file.problem.unknowns()), (0, 0));
    assert_eq!(file.solution.unwrap().u, [0.0; 0]);
}
