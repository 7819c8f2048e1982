//! What is written is what is read.

use proptest::prelude::*;
use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, LocalProblem, StoredSolution};

use crate::random::any_file;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_problem_survives_writing_and_reading(file in any_file()) {
        let bytes = fclib::to_bytes(&file).unwrap();
        prop_assert_eq!(fclib::read_bytes("round trip", bytes).unwrap(), file);
    }
}

/// The protection against endless reading must not stop a large file that is in order.
#[test]
fn a_thousand_guesses_are_read() {
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
    let mut file = FclibFile::new(FclibProblem::Local(problem), Info::default());
    file.guesses = (0..1000)
        .map(|k| StoredSolution { v: None, u: vec![f64::from(k), 0.5], r: vec![1.0, f64::from(k)], l: None })
        .collect();
    assert_eq!(fclib::read_bytes("many guesses", fclib::to_bytes(&file).unwrap()).unwrap(), file);
}
