//! Problems with a sparse H (finite elements): every method, one factor, any number of threads.
#![allow(clippy::unwrap_used)]

mod support;

use signorini_linalg::{CscMatrix, SparseAnalysis};
use signorini_solver::family::{ElasticSlab, GRAVITY};
use signorini_solver::problem::{Compliance, Inertia, RowBlocks};
use signorini_solver::{Cone, ConeProblem, Delassus, Method, Solution, SolveError, SolverSettings, Tolerance, solve};
use signorini_testkit::{DenseContact, DenseProblem};
use std::sync::Arc;
use support::DenseParts;

fn small(held: usize) -> ElasticSlab {
    ElasticSlab { cells: [3, 2, 1], contacts: 8, held, ..ElasticSlab::default() }
}

/// The same without friction: the normal rows of contacts, and the bilateral rows; or these alone.
fn rows_kept(problem: &ConeProblem, contacts: bool) -> ConeProblem {
    let (mut rows, mut cones, mut offset) = (RowBlocks::new(), Vec::new(), Vec::new());
    for (k, (range, cone)) in problem.each_block().enumerate() {
        let block = problem.rows().block(k);
        let (count, kept) = match cone {
            Cone::Free => (range.len(), Cone::Free),
            _ if contacts => (1, Cone::NonNegative),
            _ => continue,
        };
        rows.push_dense(block.columns, count, &block.values[..count * block.columns.len()]);
        cones.push(kept);
        offset.extend_from_slice(&problem.offset()[range.start..range.start + count]);
    }
    let (h, c) = (problem.inertia().clone(), problem.linear().to_vec());
    ConeProblem::assembled(h, c, rows, cones, offset, Compliance::Zero).unwrap()
}

/// The same with H as one dense block.
fn with_dense_block(problem: &ConeProblem) -> ConeProblem {
    let n = problem.velocities();
    let dense: Vec<f64> = DenseParts::new(problem).h.concat();
    let mut blocks = signorini_solver::problem::BlockDiagonal::new();
    blocks.push(n, &dense);
    let (c, b) = (problem.linear().to_vec(), problem.offset().to_vec());
    let (rows, cones) = (problem.rows().clone(), problem.cones().to_vec());
    ConeProblem::assembled(Inertia::BlockDiagonal(blocks), c, rows, cones, b, problem.compliance().clone()).unwrap()
}

/// Relative velocities Jv − b by dense Gauss-Seidel, which shares no code with the solver.
fn reference(problem: &ConeProblem) -> Vec<f64> {
    let parts = DenseParts::new(problem);
    let contact = |cone: &Cone| match *cone {
        Cone::Free => DenseContact::Free,
        Cone::NonNegative => DenseContact::Unilateral,
        Cone::Friction { mu } => DenseContact::Friction(mu),
        Cone::Rolling { mu, mu_r } => DenseContact::Rolling(mu, mu_r),
    };
    let blocks =
        problem.cones().iter().enumerate().map(|(k, cone)| (contact(cone), problem.rows().rows_of(k).len())).collect();
    let (c, b) = (problem.linear(), problem.offset());
    let dense = DenseProblem::from_velocity_form(&parts.h, c, &parts.j, b, &parts.e, blocks);
    dense.relative_velocity(&dense.gauss_seidel(20_000))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn every_method_finds_the_motion_of_dense_gauss_seidel_with_h_sparse_and_dense() {
    let mut solved = Vec::new();
    for held in [0, 2] {
        let friction = small(held).problem().unwrap();
        let mut problems = vec![friction.clone(), rows_kept(&friction, true)];
        problems.extend((held > 0).then(|| rows_kept(&friction, false)));
        for problem in &problems {
            let expected = reference(problem);
            let dense = with_dense_block(problem);
            for method in Method::all().into_iter().filter(|method| method.accept(problem).is_ok()) {
                let name = method.name();
                let settings = SolverSettings::from(method).to(Tolerance::Relative(1e-9));
                let (found, from_dense) = (solve(problem, &settings).unwrap(), solve(&dense, &settings).unwrap());
                // Free velocities are a few h g ≈ 0.4 m/s; 1e-9 of the whole norm, N has a condition below 1e3.
                for (solution, h) in [(&found, "sparse"), (&from_dense, "dense")] {
                    let error = apart(&solution.relative_velocity, &expected);
                    assert!(error < 1e-6, "{name}, {h} H, {held} held: {error:.1e}, {}", solution.report.status);
                }
                let error = apart(found.velocity(), from_dense.velocity());
                assert!(error < 1e-6, "{name}, {held} held: velocities {error:.1e} apart");
                solved.push(name);
            }
        }
    }
    for method in Method::all() {
        assert!(solved.contains(&method.name()), "{} was asked nothing", method.name());
    }
}

#[test]
fn some_contacts_of_a_soft_slab_stick_some_slide_some_part() {
    // Soft enough for the end that is not sheared to stay where it is; a stiffer one slides as a whole.
    let problem = ElasticSlab { young: 1e4, ..ElasticSlab::default() }.problem().unwrap();
    let solution = solve(&problem, &SolverSettings::default()).unwrap();
    let (mut stick, mut slide, mut part) = (0, 0, 0);
    for (g, y) in solution.impulse().chunks(3).zip(solution.relative_velocity.chunks(3)) {
        match (g[0] > 1e-9, y[1].hypot(y[2]) > 1e-6) {
            (false, _) => part += 1,
            (true, true) => slide += 1,
            (true, false) => stick += 1,
        }
    }
    assert!(stick > 0 && slide > 0 && part > 0, "{stick} stick, {slide} slide, {part} part");
}

fn bits(solution: &Solution) -> Vec<u64> {
    solution.velocity().iter().chain(solution.impulse()).map(|x| x.to_bits()).collect()
}

/// Large enough for the factorisation and the triangular solves to be shared, and for the diagonal of N to be sampled.
fn shared() -> ElasticSlab {
    ElasticSlab { cells: [13, 13, 4], contacts: 120, ..ElasticSlab::default() }
}

#[test]
fn threads_do_not_change_a_bit_of_a_sparse_solve() {
    let slab = shared();
    let solved = |threads: usize, settings: &SolverSettings| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // The problem is built inside: its factor is that of the pool.
        bits(&pool.install(|| solve(&slab.problem().unwrap(), settings).unwrap()))
    };
    for name in ["auto", "spg", "apgd", "gpminres", "nsgs", "interior-point"] {
        let method = Method::named(name).unwrap();
        let settings = SolverSettings { max_iterations: Some(15), ..method.into() };
        let alone = solved(1, &SolverSettings { parallel: false, ..settings.clone() });
        for threads in [1, 2, 5] {
            assert!(alone == solved(threads, &settings), "{name}, {threads} threads");
        }
    }
}

#[test]
fn an_analysis_handed_in_changes_no_bit_and_one_of_another_pattern_is_not_used() {
    let slab = shared();
    let settings = SolverSettings::default().to(Tolerance::Velocity(1e-3));
    let fresh = slab.problem().unwrap();
    let (matrix, _) = slab.inertia().unwrap();
    let own = Arc::new(SparseAnalysis::of(&matrix).unwrap());
    let other = Arc::new(SparseAnalysis::of(&small(0).inertia().unwrap().0).unwrap());
    let expected = bits(&solve(&fresh, &settings).unwrap());
    for analysis in [&own, &other] {
        let again = slab.problem_with(analysis).unwrap();
        assert_eq!(again, fresh);
        assert!(bits(&solve(&again, &settings).unwrap()) == expected);
    }
    let Inertia::Sparse(kept) = fresh.inertia() else { panic!("H is sparse") };
    assert!(kept.analysis().is_some_and(|analysis| analysis.fits(&matrix)));
}

#[test]
fn an_indefinite_sparse_matrix_is_refused_by_its_velocity() {
    let entries = (0..40).map(|i| (i, i, if i == 17 { -1.0 } else { 2.0 }));
    let coupled = entries.chain((1..40).flat_map(|i| [(i, i - 1, 0.1), (i - 1, i, 0.1)]));
    let matrix = CscMatrix::from_triplets(40, 40, coupled).unwrap();
    let error = ConeProblem::builder().sparse_inertia(matrix).build().unwrap_err();
    assert_eq!(error.to_string(), "velocity 17: the mass matrix is not positive definite");
}

#[test]
fn the_sampled_diagonal_of_n_is_exact_on_the_sample_and_right_in_the_mean() {
    let problem = shared().problem().unwrap();
    let mut delassus = Delassus::new(&problem).unwrap();
    let m = problem.row_count();
    assert!(m > 300);
    let (mut unit, mut column, mut exact) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    for row in 0..m {
        unit[row] = 1.0;
        delassus.apply(&problem, &unit, &mut column);
        unit[row] = 0.0;
        exact[row] = column[row];
    }
    let estimate = delassus.diagonal();
    let equal = estimate.iter().zip(&exact).filter(|(a, b)| (*a - *b).abs() <= 1e-12 * **b).count();
    assert!(equal >= 48, "{equal} rows exact, 16 blocks of 3 expected");
    let ratio = estimate.iter().sum::<f64>() / exact.iter().sum::<f64>();
    assert!((0.8..1.25).contains(&ratio), "mean of the estimate over that of the diagonal: {ratio}");
}

#[test]
fn a_matrix_too_large_to_be_written_out_is_refused_with_its_size() {
    // More contacts than nodes: rows without end on a small H.
    let problem = ElasticSlab { contacts: 5500, ..ElasticSlab::default() }.problem().unwrap();
    for name in ["nsgs", "sor", "accelerated-sor"] {
        let error = solve(&problem, &Method::named(name).unwrap().into()).unwrap_err();
        assert!(matches!(error, SolveError::WrittenOut { rows: 16500, .. }), "{name}: {error}");
        assert!(error.to_string().starts_with("N would have 16500 × 16500 rows and columns"), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn the_automatic_choice_reaches_the_tolerance_of_a_step_and_a_tight_one() {
    for young in [1e5, 1e6, 1e8] {
        let slab = ElasticSlab { young, held: 2, ..shared() };
        let problem = slab.problem().unwrap();
        let step = Tolerance::Velocity(0.05 * GRAVITY * slab.step);
        for tolerance in [step, Tolerance::Relative(1e-6), Tolerance::Relative(1e-9)] {
            let report = solve(&problem, &SolverSettings::default().to(tolerance)).unwrap().report;
            assert!(tolerance.met(&report.residuals), "E = {young:e}, {tolerance:?}: {:?}", report.residuals);
        }
    }
}
