//! Projected SOR in its three orders: answers of the interior point, closed forms, and what holds for every sweep.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_linalg::CscMatrix;
use signorini_solver::family::{Brick, Chain, Gaps, Net, RandomProblem, SpherePacking, Stack};
use signorini_solver::{
    BlockStep, Cone, ConeProblem, Control, Delassus, InteriorPoint, Method, Order, ParallelSor, Solution, SolveError,
    SolverSettings, Sor, Status, SymmetricSor, Tolerance, solve, solve_with,
};

fn to(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance))
}

fn three() -> [Method; 3] {
    [Sor::default().into(), SymmetricSor::default().into(), ParallelSor::default().into()]
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    // Not `f64::max`, which drops NaN.
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, |m, e| if e <= m { m } else { e })
}

fn fastest(v: &[f64]) -> f64 {
    apart(v, &vec![0.0; v.len()])
}

/// The same problem in impulses alone: N and r by products of the problem's own operator.
fn condensed(problem: &ConeProblem) -> ConeProblem {
    let mut delassus = Delassus::new(problem).unwrap();
    let m = problem.row_count();
    let mut triplets = Vec::new();
    let mut column = vec![0.0; m];
    for j in 0..m {
        let unit: Vec<f64> = (0..m).map(|i| f64::from(u8::from(i == j))).collect();
        delassus.apply(problem, &unit, &mut column);
        triplets.extend(column.iter().enumerate().filter(|(_, n)| **n != 0.0).map(|(i, n)| (i, j, *n)));
    }
    // Rounding makes N_ij and N_ji differ in the last digit.
    let symmetric = triplets.iter().flat_map(|&(i, j, n)| [(i, j, 0.5 * n), (j, i, 0.5 * n)]);
    let n = CscMatrix::from_triplets(m, m, symmetric.collect::<Vec<_>>()).unwrap();
    let cones: Vec<(Cone, usize)> = problem.each_block().map(|(rows, cone)| (cone, rows.len())).collect();
    ConeProblem::condensed(n, delassus.free_velocity().to_vec(), &cones).unwrap()
}

/// Relative velocities (and velocities, where there are any) of both answers agree.
fn agrees(name: &str, problem: &ConeProblem, method: Method, tolerance: f64, allowed: f64) -> Solution {
    let exact = solve(problem, &to(InteriorPoint::default(), 1e-11)).unwrap();
    let found = solve(problem, &to(method, tolerance)).unwrap();
    let report = &found.report;
    assert_eq!(report.status, Status::Converged, "{name}, {}: {:?}", report.method, report.residuals);
    let free = Delassus::new(problem).unwrap().free_velocity().iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    let errors = [(found.velocity(), exact.velocity()), (&*found.relative_velocity, &*exact.relative_velocity)]
        .map(|(a, b)| apart(a, b));
    eprintln!(
        "{name:24} {:14} {:6} sweeps, errors {:.1e} {:.1e} of {free:.1e} m/s",
        report.method, report.iterations, errors[0], errors[1]
    );
    assert!(errors.iter().all(|error| *error <= allowed * free.max(1e-3)), "{name}, {}: {errors:?}", report.method);
    found
}

#[test]
fn piles_without_friction_move_as_the_interior_point_says() {
    let problem = SpherePacking { bodies: 60, friction: 0.0, ..Default::default() }.problem().unwrap();
    for method in three() {
        _ = agrees("pile without friction", &problem, method.clone(), 1e-9, 1e-7);
        _ = agrees("the same condensed", &condensed(&problem), method, 1e-9, 1e-7);
    }
}

/// With friction sweeps gain less and less: a pile of 60 is at some 1e-5 after 100 000 of them. So the error is held against
/// what any impulses in K promise: f(g) − f* ≥ ½‖v − v*‖² in the norm of H, with f* and v* of the interior point.
#[test]
fn piles_with_friction_approach_the_answer_of_the_interior_point() {
    for (bodies, gaps) in [(60, Gaps::Settled), (60, Gaps::Loosened), (12, Gaps::Settled)] {
        let problem = SpherePacking { bodies, gaps, ..Default::default() }.problem().unwrap();
        let exact = solve(&problem, &to(InteriorPoint::default(), 1e-12)).unwrap();
        for method in three() {
            let mut last = f64::INFINITY;
            for sweeps in [100, 1000, 10_000] {
                let settings = SolverSettings { max_iterations: Some(sweeps), ..to(method.clone(), 1e-10) };
                let found = solve(&problem, &settings).unwrap();
                let scale = exact.report.objective.abs();
                let gap = (found.report.objective - exact.report.objective) / scale;
                let change: Vec<f64> = found.velocity().iter().zip(exact.velocity()).map(|(a, b)| a - b).collect();
                let energy: f64 =
                    problem.inertia().triplets().iter().map(|&(i, j, h)| 0.5 * h * change[i] * change[j]).sum();
                let name = format!("pile of {bodies}, {}, {} after {sweeps}", gaps.name(), method.name());
                eprintln!(
                    "{name}: residual {:.1e}, gap {gap:.1e}, energy {:.1e}",
                    found.report.residuals.natural_map_relative,
                    energy / scale
                );
                assert!(energy / scale <= gap + 1e-12, "{name}: energy of the error {energy:.1e}, gap {gap:.1e}");
                assert!(gap < last, "{name}: gap {gap:.1e}");
                last = gap + 1e-12;
            }
        }
    }
}

/// What the interior point found is a fixed point: sweeps stay there to the digits it has.
#[test]
fn sweeps_stay_at_the_answer() {
    let pile = SpherePacking { bodies: 200, ..Default::default() }.problem().unwrap();
    let chain = Chain { links: 30, doubled: true, floor: Some(0.4), ..Default::default() }.problem().unwrap();
    let net = Net::default().problem().unwrap();
    for problem in [&pile, &chain, &net] {
        let exact = solve(problem, &to(InteriorPoint::default(), 1e-11)).unwrap();
        let control = Control { warm: Some(&exact.iterate), cancel: None };
        for method in three() {
            let settings = SolverSettings { history: true, max_iterations: Some(250), ..to(method, 1e-300) };
            let report = solve_with(problem, &settings, &control).unwrap().report;
            let worst = report.history.iter().map(|entry| entry.residuals.natural_map_relative).fold(0.0, f64::max);
            eprintln!(
                "{} sweeps from {:.1e}, at most {worst:.1e}",
                report.history.len(),
                exact.report.residuals.natural_map_relative
            );
            assert!(worst < 1e-10, "{worst:.1e} {:?}", report.status);
        }
    }
}

#[test]
fn chains_and_nets_move_as_the_interior_point_says() {
    for (links, doubled, floor) in [(4, false, None), (4, true, None), (5, false, Some(0.4)), (3, true, Some(0.4))] {
        let problem = Chain { links, doubled, floor, ..Default::default() }.problem().unwrap();
        for method in three() {
            let name = format!("chain {links} {doubled} {floor:?}");
            _ = agrees(&name, &problem, method.clone(), 1e-10, 1e-6);
            _ = agrees(&format!("condensed {name}"), &condensed(&problem), method, 1e-10, 1e-6);
        }
    }
    for (stiffness, supported_everywhere) in [(10.0, false), (1000.0, true)] {
        let net = Net { nodes: [8, 4], stiffness, supported_everywhere, ..Default::default() };
        let sag = net.exact_sag();
        for method in three() {
            let found = agrees(&format!("net {stiffness}"), &net.problem().unwrap(), method, 1e-10, 1e-7);
            for (i, v) in found.velocity().iter().enumerate() {
                let expected = if i % 3 == 2 { sag[i / 3 % net.nodes[0]] } else { 0.0 };
                assert!((v - expected).abs() < 1e-8, "{net:?}, velocity {i}: {v} instead of {expected}");
            }
        }
    }
}

/// Velocities are known by construction, with mixed cones, dense bodies, redundant and soft rows.
#[test]
fn random_problems_have_the_velocity_they_were_made_from() {
    for seed in 0..60 {
        let softness = if seed % 2 == 0 { 0.3 } else { 0.0 };
        let made = RandomProblem { bodies: 6, blocks: 7, softness, seed, ..Default::default() }.generate().unwrap();
        for method in three() {
            let settings = SolverSettings { max_iterations: Some(400_000), ..to(method, 1e-11) };
            let found = solve(&made.problem, &settings).unwrap();
            assert_eq!(found.report.status, Status::Converged, "seed {seed}: {:?}", found.report);
            let error = apart(found.velocity(), &made.velocity);
            assert!(error < 1e-6, "seed {seed}, {}: {error:.1e} {:?}", found.report.method, found.report.residuals);
        }
    }
}

#[test]
fn a_stack_carries_the_weight_above_and_a_brick_slides_as_the_closed_form_says() {
    let stack = Stack { levels: 8, ..Default::default() };
    let exact = stack.exact_impulses();
    for method in three() {
        let found = solve(&stack.problem().unwrap(), &to(method.clone(), 1e-12)).unwrap();
        let error = found.impulse().iter().zip(&exact).map(|(f, e)| (f / e - 1.0).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{}: relative force error {error:.1e}", found.report.method);
        let brick = Brick { incline: 0.6, friction: 0.3, ..Default::default() };
        let answer = brick.answer();
        let found = solve(&brick.problem().unwrap(), &to(method, 1e-11)).unwrap();
        let total: f64 = found.impulse().chunks(3).map(|contact| contact[0]).sum();
        assert!(!brick.sticks() && (total / answer.total_impulse - 1.0).abs() < 1e-7, "{total} {answer:?}");
    }
}

/// Descent of the objective and impulses in K after every sweep, for every setting that promises it.
#[test]
fn every_sweep_lowers_the_objective_and_stays_in_the_cones() {
    let packing = SpherePacking { bodies: 40, ..Default::default() }.problem().unwrap();
    let chain = Chain { links: 4, floor: Some(0.4), ..Default::default() }.problem().unwrap();
    let net = Net { nodes: [6, 3], ..Default::default() }.problem().unwrap();
    let orders = [Order::Natural, Order::Reverse, Order::Random { seed: 3 }];
    for (problem, order) in [&packing, &chain, &net].into_iter().flat_map(|p| orders.map(|order| (p, order))) {
        for (omega, lambda, block_step, block_steps) in [
            (1.0, 1.0, BlockStep::Largest, 1),
            (1.0, 1.0, BlockStep::Largest, 5),
            (1.8, 0.7, BlockStep::Largest, 3),
            (0.6, 1.0, BlockStep::Mean, 1),
        ] {
            let sor = Sor { omega, lambda, block_step, block_steps, order };
            let symmetric = SymmetricSor { omega, lambda, block_step, block_steps, order };
            let parallel = ParallelSor { omega, lambda, block_step, block_steps, order };
            for method in [Method::from(sor), symmetric.into(), parallel.into()] {
                let settings = SolverSettings { history: true, max_iterations: Some(150), ..to(method.clone(), 1e-13) };
                let report = solve(problem, &settings).unwrap().report;
                assert!(report.history.len() > 5);
                let size = report.history.iter().fold(0.0_f64, |m, entry| m.max(entry.objective.abs()));
                for pair in report.history.windows(2) {
                    let rise = pair[1].objective - pair[0].objective;
                    assert!(rise <= 1e-13 * size, "{method:?}, sweep {}: rises by {rise:e}", pair[1].iteration);
                    assert!(pair[1].residuals.dual <= 1e-15, "{method:?} {:?}", pair[1].residuals);
                }
            }
        }
    }
}

#[test]
fn random_orders_repeat_with_their_seed() {
    let problem = SpherePacking { bodies: 50, ..Default::default() }.problem().unwrap();
    let impulses = |method: Method| {
        let settings = SolverSettings { max_iterations: Some(20), ..to(method, 1e-14) };
        solve(&problem, &settings).unwrap().impulse().to_vec()
    };
    let sor = |seed| impulses(Sor { order: Order::Random { seed }, ..Default::default() }.into());
    let symmetric = |seed| impulses(SymmetricSor { order: Order::Random { seed }, ..Default::default() }.into());
    let parallel = |seed| impulses(ParallelSor { order: Order::Random { seed }, ..Default::default() }.into());
    for of_seed in [&sor as &dyn Fn(u64) -> Vec<f64>, &symmetric, &parallel] {
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1), of_seed(2));
    }
}

#[test]
fn a_warm_start_from_the_answer_needs_no_sweep() {
    let problem = SpherePacking { bodies: 50, friction: 0.0, ..Default::default() }.problem().unwrap();
    for method in three() {
        let cold = solve(&problem, &to(method.clone(), 1e-8)).unwrap();
        let control = Control { warm: Some(&cold.iterate), cancel: None };
        let warm = solve_with(&problem, &to(method, 1e-8), &control).unwrap();
        assert_eq!((warm.report.status, warm.report.iterations), (Status::Converged, 0));
    }
}

/// Contradictory rows have no answer, and a step that is too long has none either: the run ends, with numbers.
#[test]
fn what_cannot_converge_ends_with_finite_numbers() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).linear(&[0.0]);
    builder.row(Cone::Free, &[(0, 1.0)], 1.0).row(Cone::Free, &[(0, 1.0)], -1.0);
    let contradiction = builder.build().unwrap();
    // λ_max(N_kk) is almost three times the mean diagonal: single steps of the mean overshoot.
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 1e3, 1e3]).linear(&[1.0, 2.0, 3.0]);
    builder.rows(Cone::Friction { mu: 50.0 }, &[&[(1, 1.0)], &[(0, 1.0)], &[(2, 1.0)]], &[0.1, 0.0, 0.0]);
    let lopsided = builder.build().unwrap();
    for (problem, omega, block_step) in [
        (&contradiction, 1.0, BlockStep::Largest),
        (&lopsided, 1.9, BlockStep::Mean),
        (&lopsided, 1.9, BlockStep::Largest),
    ] {
        let (block_steps, lambda, order) = (1, 1.0, Order::Natural);
        let sor = Sor { omega, lambda, block_step, block_steps, order };
        let symmetric = SymmetricSor { omega, lambda, block_step, block_steps, order };
        let parallel = ParallelSor { omega, lambda, block_step, block_steps, order };
        for method in [Method::from(sor), symmetric.into(), parallel.into()] {
            let settings = SolverSettings { max_iterations: Some(50_000), ..to(method, 1e-9) };
            let found = solve(problem, &settings).unwrap();
            assert!(found.velocity().iter().chain(found.impulse()).all(|x| x.is_finite()), "{:?}", found.report);
            let feasible = !std::ptr::eq(problem, &raw const contradiction);
            let converges = feasible && block_step == BlockStep::Largest;
            assert_eq!(found.report.status == Status::Converged, converges, "{omega} {:?}", found.report);
        }
    }
}

/// Asked for more than doubles can hold, the run ends by itself and says why.
#[test]
fn rounding_ends_a_run() {
    let problem = Stack { levels: 6, ratio: 0.3, ..Default::default() }.problem().unwrap();
    for method in three() {
        let found = solve(&problem, &to(method, 1e-300)).unwrap();
        assert!(matches!(found.report.status, Status::Stalled(_) | Status::Converged), "{:?}", found.report);
        assert!(found.report.iterations < 20_000 && fastest(found.velocity()) < 1e-14, "{:?}", found.report);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let problem = Stack::default().problem().unwrap();
    let refused = |sor: Sor, expected: &str| {
        let error = solve(&problem, &SolverSettings::from(sor)).unwrap_err();
        assert!(matches!(&error, SolveError::Setting { name, .. } if *name == expected), "{error}");
    };
    refused(Sor { omega: 2.0, ..Default::default() }, "omega");
    refused(Sor { omega: f64::NAN, ..Default::default() }, "omega");
    refused(Sor { lambda: 1.1, ..Default::default() }, "lambda");
    refused(Sor { lambda: 0.0, ..Default::default() }, "lambda");
    refused(Sor { block_steps: 0, ..Default::default() }, "block-steps");
    for (method, name) in three().iter().zip(["sor", "symmetric-sor", "parallel-sor"]) {
        assert_eq!((method.name(), Method::named(name).as_ref()), (name, Some(method)));
    }
}
