//! The answer has the same bits for any number of threads.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::{Gaps, SpherePacking};
use signorini_solver::{ParallelSor, Solution, SolverSettings, Tolerance, solve};

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

/// Sweeps over colours large enough to be shared: the schedule of the threads must not show.
#[test]
fn threads_do_not_change_a_bit_of_parallel_sor() {
    for (bodies, friction) in [(1500, 0.0), (700, 0.3)] {
        let problem = SpherePacking { bodies, friction, ..Default::default() }.problem().unwrap();
        let settings = |parallel| SolverSettings {
            parallel,
            max_iterations: Some(250),
            ..SolverSettings::from(ParallelSor::default()).to(Tolerance::Relative(1e-14))
        };
        let alone = solve(&problem, &settings(false)).unwrap();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shared = pool.install(|| solve(&problem, &settings(true))).unwrap();
            assert_eq!(alone.report.residuals, shared.report.residuals);
            assert_eq!(bits(&alone), bits(&shared), "friction {friction}, {threads} threads");
        }
    }
}
