//! What a user is told.

use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, LocalProblem, StoredSolution};

use crate::raw::{self, Contents, Data};

fn message(contents: &Contents) -> String {
    fclib::read_bytes("a.hdf5", raw::bytes(contents)).unwrap_err().to_string()
}

/// The message for the valid local problem with one data set replaced.
fn local_with(path: &str, data: Data) -> String {
    let mut contents = raw::local();
    contents.insert(format!("fclib_local/{path}"), data);
    message(&contents)
}

fn local_without(path: &str) -> String {
    let mut contents = raw::local();
    let prefix = format!("fclib_local/{path}");
    contents.retain(|name, _| !name.starts_with(&prefix));
    message(&contents)
}

#[test]
fn the_examples_are_valid_before_they_are_broken() {
    for contents in [raw::local(), raw::global()] {
        fclib::read_bytes("valid", raw::bytes(&contents)).unwrap();
    }
}

#[test]
fn other_bytes_are_not_hdf5() {
    let told = |bytes: &[u8]| fclib::read_bytes("a.hdf5", bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(told(b""), "a.hdf5: not an HDF5 file: no HDF5 signature in its 0 bytes");
    assert_eq!(told(b"t, x, y\n1, 2, 3\n"), "a.hdf5: not an HDF5 file: no HDF5 signature in its 16 bytes");
    let whole = raw::bytes(&raw::local());
    let half = whole.len() / 2;
    assert_eq!(
        told(&whole[..half]),
        format!("a.hdf5: truncated: it has {half} bytes, its header announces {}", whole.len())
    );
    assert!(told(&whole[..20]).starts_with("a.hdf5: the HDF5 structure is damaged at /: "), "{}", told(&whole[..20]));
}

#[test]
fn a_file_without_a_problem_lists_its_groups() {
    let mut contents = Contents::new();
    contents.insert("lcp/M".into(), Data::Reals(vec![1.0]));
    contents.insert("notes".into(), Data::Empty);
    assert_eq!(
        message(&contents),
        "a.hdf5: no contact problem: found the groups lcp, notes, expected one of the groups fclib_local, \
         fclib_global, fclib_local_rolling, fclib_global_rolling"
    );
    contents.clear();
    contents.insert("x".into(), Data::Reals(vec![1.0]));
    assert!(message(&contents).contains("found no groups at all"), "{}", message(&contents));
    let mut both = raw::local();
    both.append(&mut raw::global());
    assert_eq!(message(&both), "a.hdf5: found the groups fclib_local, fclib_global, expected only one contact problem");
}

#[test]
fn missing_parts_are_named() {
    assert_eq!(local_without("W/"), "a.hdf5: /fclib_local/W is missing: expected a matrix");
    assert_eq!(local_without("W/p"), "a.hdf5: /fclib_local/W/p is missing: expected integers");
    assert_eq!(local_without("vectors/mu"), "a.hdf5: /fclib_local/vectors/mu is missing: expected real numbers");
    assert_eq!(local_without("spacedim"), "a.hdf5: /fclib_local/spacedim is missing: expected integers");
    let mut rolling = Contents::new();
    for (path, data) in raw::local() {
        rolling.insert(path.replace("fclib_local", "fclib_local_rolling"), data);
    }
    assert_eq!(message(&rolling), "a.hdf5: /fclib_local_rolling/vectors/mu_r is missing: expected real numbers");
    let mut guesses = raw::local();
    guesses.insert("guesses/number_of_guesses".into(), Data::Ints(vec![2]));
    assert_eq!(message(&guesses), "a.hdf5: /guesses/1 is missing: needed because /guesses/number_of_guesses is 2");
    guesses.insert("guesses/number_of_guesses".into(), Data::Ints(vec![-2]));
    assert_eq!(message(&guesses), "a.hdf5: /guesses/number_of_guesses is -2, expected a number ≥ 0");
}

#[test]
fn bilateral_constraints_come_complete_or_not_at_all() {
    let mut contents = raw::local();
    contents.insert("fclib_local/vectors/s".into(), Data::Reals(vec![1.0]));
    let together = "V, R and vectors/s are given together or not at all";
    assert_eq!(message(&contents), format!("a.hdf5: /fclib_local/V is missing: {together}"));
    let mut contents = raw::global();
    raw::columns(&mut contents, "fclib_global/G", 2);
    assert_eq!(
        message(&contents),
        "a.hdf5: /fclib_global/vectors/b is missing: needed because /fclib_global/G is given"
    );
}

#[test]
fn wrong_types_are_named() {
    assert_eq!(
        local_with("W/p", Data::Reals(vec![0.0; 7])),
        "a.hdf5: /fclib_local/W/p holds real numbers, expected integers"
    );
    assert_eq!(
        local_with("vectors/q", Data::Ints(vec![0; 6])),
        "a.hdf5: /fclib_local/vectors/q holds integers, expected real numbers (float32 or float64)"
    );
    assert_eq!(
        local_with("info/title", Data::Reals(vec![1.0])),
        "a.hdf5: /fclib_local/info/title holds real numbers, expected a string"
    );
    assert_eq!(
        local_with("spacedim", Data::Text("three")),
        "a.hdf5: /fclib_local/spacedim holds a string, expected integers"
    );
    let mut contents = raw::local();
    contents.insert("guesses".into(), Data::Reals(vec![1.0]));
    assert_eq!(message(&contents), "a.hdf5: /guesses holds a data set, expected a group");
    contents = raw::local();
    contents.insert("solution/u".into(), Data::Empty);
    assert_eq!(message(&contents), "a.hdf5: /solution/u holds a group, expected a data set");
    contents = raw::local();
    contents.insert("fclib_local/info".into(), Data::Reals(vec![1.0]));
    assert_eq!(message(&contents), "a.hdf5: /fclib_local/info holds a data set, expected a group");
}

#[test]
fn wrong_sizes_are_named() {
    assert_eq!(
        local_with("vectors/mu", Data::Reals(vec![0.1; 3])),
        "a.hdf5: /fclib_local/vectors/mu has 3 entries, expected 2 entries: one for 3 of the 6 in \
         /fclib_local/vectors/q"
    );
    assert_eq!(
        local_with("vectors/q", Data::Reals(vec![0.1; 7])),
        "a.hdf5: /fclib_local/W/m is 6, expected 7, the length of /fclib_local/vectors/q"
    );
    assert_eq!(
        local_with("spacedim", Data::Ints(vec![3, 3])),
        "a.hdf5: /fclib_local/spacedim has 2 entries, expected 1 entry"
    );
    assert_eq!(local_with("W/p", Data::Ints(vec![0, 4])), "a.hdf5: /fclib_local/W/p has 2 entries, expected 7 entries");
    assert_eq!(
        local_with("vectors/q", Data::Table(vec![0.0; 6], vec![2, 3])),
        "a.hdf5: /fclib_local/vectors/q has the shape [2, 3], expected one dimension"
    );
    assert_eq!(
        local_with("W/nz", Data::Ints(vec![5])),
        "a.hdf5: /fclib_local/W/i has 4 entries, expected at least 5 entries, the value of /fclib_local/W/nz"
    );
    let mut contents = raw::local();
    contents.insert("solution/u".into(), Data::Reals(vec![0.0; 5]));
    contents.insert("solution/r".into(), Data::Reals(vec![0.0; 6]));
    assert_eq!(message(&contents), "a.hdf5: /solution/u has 5 entries, expected 6 entries");
    let mut contents = raw::global();
    contents.insert("fclib_global/spacedim".into(), Data::Ints(vec![3]));
    assert_eq!(
        message(&contents),
        "a.hdf5: /fclib_global/vectors/w has 2 entries, expected a multiple of 3, the value of /fclib_global/spacedim"
    );
}

#[test]
fn wrong_values_are_named() {
    assert_eq!(
        local_with("spacedim", Data::Ints(vec![5])),
        "a.hdf5: /fclib_local/spacedim is 5, expected 2 or 3 (5 with rolling friction only)"
    );
    assert_eq!(
        local_with("vectors/mu", Data::Reals(vec![0.3, -0.25])),
        "a.hdf5: /fclib_local/vectors/mu[1] is -0.25, expected a finite number ≥ 0"
    );
    assert_eq!(
        local_with("vectors/q", Data::Reals(vec![0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0])),
        "a.hdf5: /fclib_local/vectors/q[2] is NaN, expected a finite number"
    );
    assert_eq!(
        local_with("W/x", Data::Reals(vec![1.0, 2.0, f64::NEG_INFINITY, 4.0])),
        "a.hdf5: /fclib_local/W/x[2] is -inf, expected a finite number"
    );
    assert_eq!(
        local_with("W/i", Data::Ints(vec![0, 1, -1, 1])),
        "a.hdf5: /fclib_local/W/i[2] is -1, expected a row index in 0..6"
    );
    assert_eq!(
        local_with("W/i", Data::Ints(vec![0, 1, 0, 6])),
        "a.hdf5: /fclib_local/W/i[3] is 6, expected a row index in 0..6"
    );
    assert_eq!(
        local_with("W/nz", Data::Ints(vec![-3])),
        "a.hdf5: /fclib_local/W/nz is -3, expected -1 (compressed columns), -2 (compressed rows) or the number of \
         triplets"
    );
    assert_eq!(
        local_with("W/nzmax", Data::Ints(vec![3])),
        "a.hdf5: /fclib_local/W/nzmax is 3, expected at least 4, the number of entries"
    );
    assert_eq!(
        local_with("W/p", Data::Ints(vec![0, 2, 1, 4, 4, 4, 4])),
        "a.hdf5: /fclib_local/W/p[2] is 1, expected a pointer in 2..=4, never less than the one before"
    );
    assert_eq!(
        local_with("W/p", Data::Ints(vec![1, 2, 3, 4, 4, 4, 4])),
        "a.hdf5: /fclib_local/W/p[0] is 1, expected 0"
    );
    assert_eq!(
        local_with("W/m", Data::Ints(vec![i32::MAX])),
        "a.hdf5: /fclib_local/W/m is 2147483647, expected 6, the length of /fclib_local/vectors/q"
    );
    let mut contents = raw::local();
    contents.insert("fclib_local/W/i".into(), Data::Ints(vec![0, 0, 0, 1]));
    contents.insert("fclib_local/W/x".into(), Data::Reals(vec![f64::MAX, f64::MAX, 1.0, 1.0]));
    assert_eq!(
        message(&contents),
        "a.hdf5: the entry of /fclib_local/W at row 0, column 0 is inf, expected a finite number"
    );
}

fn valid() -> (LocalProblem, StoredSolution) {
    let problem = LocalProblem {
        dimension: 2,
        w: CscMatrix::diagonal(&[1.0, 2.0]),
        v: None,
        r: None,
        q: vec![-1.0, 0.0],
        s: None,
        mu: vec![0.5],
        mu_r: None,
    };
    (problem, StoredSolution { v: None, u: vec![0.0; 2], r: vec![1.0, 0.0], l: None })
}

/// The message for writing the valid problem after a change.
fn written(change: impl FnOnce(&mut LocalProblem, &mut StoredSolution, &mut Info)) -> String {
    let (mut problem, mut solution) = valid();
    let mut info = Info::default();
    change(&mut problem, &mut solution, &mut info);
    let mut file = FclibFile::new(FclibProblem::Local(problem), info);
    file.solution = Some(solution);
    fclib::to_bytes(&file).unwrap_err().to_string()
}

#[test]
fn data_that_break_a_rule_are_not_written() {
    assert_eq!(
        written(|p, _, _| p.mu = vec![f64::NAN]),
        "FCLIB data: /fclib_local/vectors/mu[0] is NaN, expected a finite number ≥ 0"
    );
    assert_eq!(
        written(|p, _, _| p.w = CscMatrix::zeros(2, 3)),
        "FCLIB data: /fclib_local/W has 2 rows and 3 columns, expected 2 rows and 2 columns"
    );
    assert_eq!(
        written(|p, _, _| p.w.values_mut()[1] = f64::INFINITY),
        "FCLIB data: the entry of /fclib_local/W at row 1, column 1 is inf, expected a finite number"
    );
    assert_eq!(
        written(|p, _, _| p.dimension = 5),
        "FCLIB data: /fclib_local/spacedim is 5, expected 2 or 3 (5 with rolling friction only)"
    );
    assert_eq!(
        written(|p, _, _| p.mu_r = Some(vec![0.1])),
        "FCLIB data: /fclib_local_rolling/spacedim is 2, expected 5 with rolling friction"
    );
    assert_eq!(
        written(|_, s, _| s.v = Some(vec![])),
        "FCLIB data: /solution/v has 0 entries, expected none: only a global problem has it"
    );
    assert_eq!(written(|_, s, _| s.r[1] = f64::NAN), "FCLIB data: /solution/r[1] is NaN, expected a finite number");
    assert_eq!(
        written(|_, _, i| i.title = "a\0b".into()),
        "FCLIB data: /fclib_local/info/title is \"a\\0b\", expected text without NUL"
    );
}
