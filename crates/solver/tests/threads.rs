//! The answer has the same bits for any number of threads, for every method.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::{Chain, Gaps, SpherePacking};
use signorini_solver::{ConeProblem, FrictionLaw, Method, Solution, SolverSettings, Tolerance, solve};

fn bits(solution: &Solution) -> Vec<u64> {
    solution.velocity().iter().chain(solution.impulse()).map(|x| x.to_bits()).collect()
}

fn assert_same_bits(problem: &ConeProblem, settings: &SolverSettings, what: &str) {
    let alone = solve(problem, &SolverSettings { parallel: false, ..settings.clone() }).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let shared = pool.install(|| solve(problem, &SolverSettings { parallel: true, ..settings.clone() })).unwrap();
        assert_eq!(alone.report.residuals, shared.report.residuals, "{what}, {threads} threads");
        assert_eq!(bits(&alone), bits(&shared), "{what}, {threads} threads");
    }
}

#[test]
fn threads_do_not_change_a_bit_of_the_interior_point() {
    // Large enough to be shared between threads: over 1e8 operations a factorisation.
    for (bodies, friction) in [(2000, 0.0), (700, 0.3)] {
        let packing = SpherePacking { bodies, friction, gaps: Gaps::Loosened, ..Default::default() };
        assert_same_bits(&packing.problem().unwrap(), &SolverSettings::default(), &format!("friction {friction}"));
    }
}

/// Every method on the hardest kind of problem it takes. Those that only multiply by N get one with several parts of blocks,
/// several chunks of bodies, and more velocities than one thread is given.
#[test]
fn threads_do_not_change_a_bit_of_any_method() {
    let pile = |bodies, friction| {
        SpherePacking { bodies, friction, gaps: Gaps::Loosened, ..Default::default() }.problem().unwrap()
    };
    let (large, small) = (pile(3000, 0.3), pile(700, 0.3));
    let (bounds, linear) = (pile(1500, 0.0), Chain::default().problem().unwrap());
    assert!(large.velocities() > 16384 && large.contacts() > 8192);
    for method in Method::all() {
        let name = method.name();
        let matrix_free = ["jacobi", "apgd", "spg", "accelerated-sor"].contains(&name);
        let problem = [if matrix_free { &large } else { &small }, &bounds, &linear]
            .into_iter()
            .find(|problem| method.accept(problem).is_ok())
            .unwrap();
        let settings = SolverSettings { max_iterations: Some(40), ..method.into() }.to(Tolerance::Relative(1e-14));
        assert_same_bits(problem, &settings, name);
    }
    let exact = SolverSettings { friction: FrictionLaw::Exact, max_iterations: Some(10), ..Default::default() };
    assert_same_bits(&pile(200, 0.3), &exact, "exact law");
}
