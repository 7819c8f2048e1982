//! What is written is what is read.

use proptest::prelude::*;
use signorini_solver::fclib;

use crate::random::any_file;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_problem_survives_writing_and_reading(file in any_file()) {
        let bytes = fclib::to_bytes(&file).unwrap();
        prop_assert_eq!(fclib::read_bytes("round trip", bytes).unwrap(), file);
    }
}
