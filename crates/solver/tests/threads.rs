//! The answer has the same bits for any number of threads.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{Apgd, Jacobi, Method, Solution, SolverSettings, Spg, solve};

fn bits(solution: &Solution) -> Vec<u64> {
    solution.velocity().iter().chain(solution.impulse()).map(|x| x.to_bits()).collect()
}

#[test]
fn threads_do_not_change_a_bit() {
    // Large enough to be shared between threads: over 1e8 operations a factorisation.
    for (bodies, friction) in [(2000, 0.0), (700, 0.3)] {
        let packing = SpherePacking { bodies, friction, gaps: Gaps::Loosened, ..Default::default() };
        let problem = packing.problem().unwrap();
        let alone = solve(&problem, &SolverSettings { parallel: false, ..Default::default() }).unwrap();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shared =
                pool.install(|| solve(&problem, &SolverSettings { parallel: true, ..Default::default() })).unwrap();
            assert_eq!(bits(&alone), bits(&shared), "friction {friction}, {threads} threads");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_of_first_order_methods() {
    // Several parts of blocks, several chunks of bodies, and more velocities than one thread is given.
    let packing = SpherePacking { bodies: 3000, gaps: Gaps::Loosened, ..Default::default() };
    let problem = packing.problem().unwrap();
    assert!(problem.velocities() > 16384 && problem.contacts() > 8192);
    let methods: [Method; 3] = [Apgd::default().into(), Spg::default().into(), Jacobi::default().into()];
    for method in methods {
        let name = method.name();
        let settings = SolverSettings { max_iterations: Some(120), ..method.into() };
        let alone = solve(&problem, &SolverSettings { parallel: false, ..settings.clone() }).unwrap();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shared = pool.install(|| solve(&problem, &settings)).unwrap();
            assert_eq!(bits(&alone), bits(&shared), "{name}, {threads} threads");
        }
    }
}
