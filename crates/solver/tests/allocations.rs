//! A problem of the same pattern is solved again without one allocation, by every method.
#![allow(clippy::unwrap_used)]

use signorini_solver::family::{Chain, SpherePacking};
use signorini_solver::{ConeProblem, FrictionLaw, Limits, Method, Solver, SolverSettings, Tolerance};
use signorini_testkit::counting::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Solves a problem, and two more whose c and b differ; returns the allocations of the last two solves.
fn allocations_of_solves(problem: &ConeProblem, settings: SolverSettings) -> [usize; 2] {
    let mut solver = Solver::new(settings).unwrap();
    *solver.problem_mut() = problem.clone();
    let limits = Limits::default();
    // The first solve sizes the buffers, the second those that only a warm start or a fallback uses.
    solver.solve(None, &limits).unwrap();
    let start = solver.solution().iterate.clone();
    solver.solve(Some(&start), &limits).unwrap();
    let shifted = |scale: f64, of: &[f64]| -> Vec<f64> {
        of.iter().enumerate().map(|(i, x)| x * (1.0 + scale * (1.7 * i as f64).sin())).collect()
    };
    let first = shifted(1e-3, problem.linear());
    solver.problem_mut().set_linear(&first).unwrap();
    solver.solve(None, &limits).unwrap();
    solver.problem_mut().set_linear(&first).unwrap();
    let (cold, ()) = allocations(|| _ = solver.solve(None, &limits).unwrap());
    let second = shifted(-1e-3, problem.linear());
    solver.problem_mut().set_linear(&second).unwrap();
    solver.solve(Some(&start), &limits).unwrap();
    solver.problem_mut().set_linear(&second).unwrap();
    let (warm, ()) = allocations(|| _ = solver.solve(Some(&start), &limits).unwrap());
    [cold, warm]
}

fn settings(method: Method, friction: FrictionLaw) -> SolverSettings {
    SolverSettings {
        friction,
        parallel: false,
        max_iterations: Some(300),
        ..SolverSettings::from(method).to(Tolerance::Relative(1e-6))
    }
}

#[test]
fn a_second_solve_of_the_same_pattern_allocates_nothing_whatever_the_method() {
    let rough = SpherePacking { bodies: 14, friction: 0.3, ..Default::default() }.problem().unwrap();
    let smooth = SpherePacking { bodies: 14, friction: 0.0, ..Default::default() }.problem().unwrap();
    let linear = Chain { links: 12, floor: None, ..Default::default() }.problem().unwrap();
    let mut failures = Vec::new();
    for method in Method::all() {
        for problem in [&rough, &smooth, &linear] {
            if method.accept(problem).is_err() {
                continue;
            }
            for law in [FrictionLaw::Relaxed, FrictionLaw::Lagged, FrictionLaw::Exact] {
                let found = allocations_of_solves(problem, settings(method.clone(), law));
                if found != [0, 0] {
                    failures.push((method.name(), problem.cones().len(), law.name(), found));
                }
            }
        }
    }
    assert!(failures.is_empty(), "allocations of a cold and of a warm solve: {failures:#?}");
}

#[test]
fn solving_again_with_other_offsets_allocates_nothing() {
    let problem = SpherePacking { bodies: 14, friction: 0.3, ..Default::default() }.problem().unwrap();
    for law in FrictionLaw::ALL {
        let mut solver = Solver::new(settings(Method::default(), law)).unwrap();
        *solver.problem_mut() = problem.clone();
        solver.solve(None, &Limits::default()).unwrap();
        let offset = |by: f64| -> Vec<f64> { problem.offset().iter().map(|b| b + by).collect() };
        let offsets = [offset(1e-3), offset(2e-3)];
        // There and back twice: the way from one answer to the other is then known as well.
        for k in [0, 1, 0, 1] {
            solver.solve_again(&offsets[k]).unwrap();
        }
        let (found, ()) = allocations(|| _ = solver.solve_again(&offsets[0]).unwrap());
        assert_eq!(found, 0, "{} law", law.name());
    }
}
