//! What the interior point does with an answer it already has, by the stopping rules of the papers.
#![allow(clippy::unwrap_used)]

use signorini_solver::family::Stack;
use signorini_solver::{
    Cone, ConeProblem, Control, InteriorPoint, Iterate, Solution, SolverSettings, Status, Stopping, WarmStart, solve,
    solve_with,
};

/// A block that slides on a rough floor, and a stack of ten: friction and unilateral rows.
fn problems() -> [ConeProblem; 2] {
    let mut sliding = ConeProblem::builder();
    sliding.diagonal_body(&[2.0, 2.0, 2.0]).linear(&[1.0, -3.0, 0.5]);
    sliding.rows(Cone::Friction { mu: 0.3 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
    [sliding.build().unwrap(), Stack::default().problem().unwrap()]
}

fn settings(stopping: Stopping, warm_start: WarmStart) -> SolverSettings {
    InteriorPoint { stopping, warm_start, polish: false, ..InteriorPoint::default() }.into()
}

fn from(problem: &ConeProblem, settings: &SolverSettings, warm: &Iterate) -> Solution {
    solve_with(problem, settings, &Control { warm: Some(warm), ..Control::default() }).unwrap()
}

#[test]
fn an_answer_that_meets_the_rule_is_taken_as_it_is_without_an_iteration() {
    for (problem, stopping) in problems().iter().flat_map(|p| [(p, Stopping::Paper), (p, Stopping::Thesis)]) {
        let settings = settings(stopping, WarmStart::Full);
        let cold = solve(problem, &settings).unwrap();
        assert!(cold.report.status == Status::Converged && cold.report.iterations > 0);
        let again = from(problem, &settings, &cold.iterate);
        assert_eq!((again.report.status, again.report.iterations), (Status::Converged, 0));
        // The residual is that of the answer it was given, up to rounding.
        let (before, after) = (cold.report.residuals.natural_map, again.report.residuals.natural_map);
        assert!(after <= before * (1.0 + 1e-6) + 1e-15, "{before:e} → {after:e}");
    }
}

#[test]
fn an_answer_to_another_problem_is_not_taken_for_one() {
    for problem in &problems() {
        let settings = settings(Stopping::Paper, WarmStart::Full);
        let mut warm = solve(problem, &settings).unwrap().iterate;
        warm.impulse.iter_mut().for_each(|impulse| *impulse *= 1.001);
        let solution = from(problem, &settings, &warm);
        assert!(solution.report.status == Status::Converged && solution.report.iterations > 0);
        warm.velocity.iter_mut().for_each(|velocity| *velocity = f64::NAN);
        assert_ne!(from(problem, &settings, &warm).report.iterations, 0, "no number meets no rule");
    }
}

#[test]
fn starts_that_take_no_impulses_over_iterate_as_before() {
    for (problem, warm_start) in problems().iter().flat_map(|p| [(p, WarmStart::None), (p, WarmStart::Partial)]) {
        let settings = settings(Stopping::Paper, warm_start);
        let cold = solve(problem, &settings).unwrap();
        assert!(from(problem, &settings, &cold.iterate).report.iterations > 0);
    }
}
