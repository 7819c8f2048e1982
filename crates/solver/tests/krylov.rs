//! GPMINRES, Kučera's method, MINRES and the direct solver: agreement with the interior point, which shares no code with
//! them but the products, closed forms, and what their theory promises.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_linalg::CscMatrix;
use signorini_solver::family::{Brick, Chain, Gaps, Net, RandomProblem, SpherePacking, Stack};
use signorini_solver::{
    Cone, ConeProblem, Control, Direct, FacePreconditioner, Gpminres, GpminresP, InteriorPoint, Iterate, KktForm,
    Kucera, Method, Minres, Solution, SolveError, SolverSettings, Status, Tolerance, solve, solve_with,
};

/// Relative residual asked for. ½‖v − v*‖²_H is at most the residual times an impulse, so velocities are good to its root.
const TOLERANCE: f64 = 1e-10;
const VELOCITY: f64 = 1e-5;

fn active_set_methods() -> Vec<Method> {
    let preconditioners = [FacePreconditioner::Complete, FacePreconditioner::Incomplete, FacePreconditioner::Diagonal];
    let mut methods: Vec<Method> = vec![Gpminres::default().into(), Kucera::default().into()];
    methods.extend(preconditioners.map(|preconditioner| GpminresP { preconditioner, ..Default::default() }.into()));
    methods
}

fn to(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance))
}

fn speed(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| v.abs().max(m))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, |m, e| if e <= m { m } else { e })
}

/// Velocity before any constraint acts: the scale of errors.
fn free_speed(problem: &ConeProblem) -> f64 {
    let mut delassus = signorini_solver::Delassus::new(problem).unwrap();
    let mut v = vec![0.0; problem.velocities()];
    delassus.velocity(problem, &vec![0.0; problem.row_count()], &mut v);
    speed(&v).max(speed(delassus.free_velocity()))
}

fn check(name: &str, problem: &ConeProblem, methods: &[Method]) {
    let expected = solve(problem, &to(InteriorPoint::default(), 1e-12)).unwrap();
    let scale = free_speed(problem);
    for method in methods {
        let solution = solve(problem, &to(method.clone(), TOLERANCE)).unwrap();
        let report = &solution.report;
        let error = apart(solution.velocity(), expected.velocity()) / scale;
        eprintln!("{name}, {method:?}: {} {:?} {error:.1e}", report.iterations, report.status);
        assert_eq!(report.status, Status::Converged, "{name}, {method:?}: {:?}", report.residuals);
        assert!(error < VELOCITY, "{name}, {method:?}: velocities differ by {error:.1e}");
        assert!(report.residuals.dual <= 1e-12 * speed(solution.impulse()), "{name}: forces outside K");
    }
}

#[test]
fn packings_without_friction_agree_with_the_interior_point() {
    for gaps in Gaps::ALL {
        let packing = SpherePacking { bodies: 120, friction: 0.0, gaps, ..Default::default() };
        check(gaps.name(), &packing.problem().unwrap(), &active_set_methods());
    }
}

#[test]
fn packings_with_friction_agree_with_the_interior_point() {
    let packing = SpherePacking { bodies: 20, friction: 0.3, gaps: Gaps::Loosened, ..Default::default() };
    let methods: [Method; 2] = [Gpminres::default().into(), Kucera::default().into()];
    check("packing", &packing.problem().unwrap(), &methods);
}

#[test]
fn chains_nets_boxes_and_condensed_problems_agree_with_the_interior_point() {
    let methods = active_set_methods();
    check("chain", &Chain { links: 6, floor: Some(0.4), ..Default::default() }.problem().unwrap(), &methods);
    check("doubled", &Chain { links: 4, doubled: true, ..Default::default() }.problem().unwrap(), &methods);
    check("net", &Net::default().problem().unwrap(), &methods);
    check("brick", &Brick::default().problem().unwrap(), &methods);
    let sliding = Brick { push: 50.0, ..Default::default() };
    check("sliding brick", &sliding.problem().unwrap(), &methods);
    let w = [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.5), (3, 3, 1.0), (0, 3, 0.3), (3, 0, 0.3), (1, 2, 0.1), (2, 1, 0.1)];
    let w = CscMatrix::from_triplets(4, 4, w).unwrap();
    let cones = [(Cone::Friction { mu: 0.4 }, 3), (Cone::NonNegative, 1)];
    let condensed = ConeProblem::condensed(w, vec![-1.0, 0.9, 0.1, -0.5], &cones).unwrap();
    let expected = solve(&condensed, &to(InteriorPoint::default(), 1e-12)).unwrap();
    for method in methods {
        let solution = solve(&condensed, &to(method.clone(), 1e-12)).unwrap();
        let error = apart(solution.impulse(), expected.impulse());
        assert!(error < 1e-10, "{method:?}: {error:.1e}");
    }
}

#[test]
fn random_problems_with_soft_rows_have_their_known_velocity() {
    for seed in 0..40 {
        let known =
            RandomProblem { bodies: 4, blocks: 7, softness: 0.3, seed, ..Default::default() }.generate().unwrap();
        let scale = free_speed(&known.problem);
        for method in active_set_methods() {
            let solution = solve(&known.problem, &to(method.clone(), TOLERANCE)).unwrap();
            let error = apart(solution.velocity(), &known.velocity) / scale;
            let report = &solution.report;
            assert_eq!(report.status, Status::Converged, "seed {seed}, {method:?}: {:?}", report.residuals);
            assert!(error < VELOCITY, "seed {seed}, {method:?}: {error:.1e} at {:?}", report.residuals);
        }
    }
}

#[test]
fn forces_of_a_stack_are_the_weights_above() {
    let stack = Stack { levels: 8, ratio: 2.0, ..Default::default() };
    let problem = stack.problem().unwrap();
    for method in active_set_methods() {
        let solution = solve(&problem, &to(method.clone(), 1e-12)).unwrap();
        for (found, exact) in solution.impulse().iter().zip(stack.exact_impulses()) {
            // Forces are unique here: their error is the residual times cond N ≈ 1e3.
            assert!((found / exact - 1.0).abs() < 1e-8, "{method:?}: {found}, not {exact}");
        }
    }
}

#[test]
fn the_objective_never_grows_and_forces_stay_in_their_cones() {
    for friction in [0.0, 0.3] {
        let problem = SpherePacking { bodies: 60, friction, ..Default::default() }.problem().unwrap();
        for method in active_set_methods() {
            let limits = SolverSettings { history: true, max_iterations: Some(150), ..to(method.clone(), 1e-14) };
            let history = solve(&problem, &limits).unwrap().report.history;
            assert!(history.len() > 20, "{method:?}: {} entries", history.len());
            let scale = history.iter().fold(0.0_f64, |m, entry| m.max(entry.objective.abs()));
            for pair in history.windows(2) {
                let rise = pair[1].objective - pair[0].objective;
                // Rounding of the sum the objective is.
                assert!(rise <= 1e-13 * scale, "{method:?}, iteration {}: {rise:.1e}", pair[1].iteration);
                assert!(pair[1].residuals.dual <= 1e-15, "{method:?}: {:?}", pair[1].residuals);
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let problem = SpherePacking { bodies: 700, friction: 0.3, ..Default::default() }.problem().unwrap();
    let bits = |s: &Solution| s.velocity().iter().chain(s.impulse()).map(|x| x.to_bits()).collect::<Vec<_>>();
    for method in [Method::from(Gpminres::default()), Kucera::default().into(), GpminresP::default().into()] {
        let settings = |parallel| SolverSettings { parallel, max_iterations: Some(60), ..to(method.clone(), 1e-12) };
        let alone = solve(&problem, &settings(false)).unwrap();
        for threads in [2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shared = pool.install(|| solve(&problem, &settings(true))).unwrap();
            assert_eq!(bits(&alone), bits(&shared), "{method:?}, {threads} threads");
        }
    }
}

#[test]
fn a_warm_start_at_the_answer_needs_next_to_nothing() {
    let problem = SpherePacking { bodies: 60, friction: 0.0, ..Default::default() }.problem().unwrap();
    let answer = solve(&problem, &to(InteriorPoint::default(), 1e-12)).unwrap();
    let warm = Iterate { velocity: answer.velocity().to_vec(), impulse: answer.impulse().to_vec() };
    for method in active_set_methods() {
        let control = Control { warm: Some(&warm), ..Default::default() };
        let solution = solve_with(&problem, &to(method.clone(), 1e-9), &control).unwrap();
        assert_eq!(solution.report.iterations, 0, "{method:?}");
    }
}

#[test]
fn contradictions_end_without_numbers_that_are_not() {
    // A body between two walls that close in on it.
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).linear(&[0.0]);
    builder.row(Cone::NonNegative, &[(0, 1.0)], 1.0).row(Cone::NonNegative, &[(0, -1.0)], 1.0);
    let problem = builder.build().unwrap();
    for method in active_set_methods() {
        let limits = SolverSettings { max_iterations: Some(2000), ..to(method.clone(), 1e-8) };
        let solution = solve(&problem, &limits).unwrap();
        assert_ne!(solution.report.status, Status::Converged, "{method:?}");
        assert!(solution.velocity().iter().all(|v| v.is_finite()), "{method:?}: {:?}", solution.report);
    }
}

fn linear_methods() -> Vec<Method> {
    let mut methods: Vec<Method> = vec![Minres::default().into(), Minres { scaled: true }.into()];
    methods.extend(KktForm::ALL.map(|kkt| Direct { kkt }.into()));
    methods
}

#[test]
fn linear_methods_hang_chains_single_and_doubled() {
    for links in [1, 2, 20] {
        for doubled in [false, true] {
            let chain = Chain { links, doubled, ..Default::default() };
            let problem = chain.problem().unwrap();
            for method in linear_methods() {
                let solution = solve(&problem, &to(method.clone(), TOLERANCE)).unwrap();
                assert_eq!(solution.report.status, Status::Converged, "{chain:?}, {method:?}: {:?}", solution.report);
                // h g = 0.1 m/s times the tolerance, more for the spin of short links.
                assert!(speed(solution.velocity()) < 1e-8, "{chain:?}, {method:?}");
                for (joint, exact) in chain.exact_joint_impulses().iter().enumerate() {
                    let rows = &solution.impulse()[3 * chain.copies() * joint..3 * chain.copies() * (joint + 1)];
                    let lift: f64 = rows.chunks(3).map(|block| block[2]).sum();
                    assert!((lift / exact - 1.0).abs() < 1e-7, "{method:?}, joint {joint}: {lift}, not {exact}");
                }
            }
        }
    }
}

/// Copies of a row share its force equally when the answer has least length.
#[test]
fn minres_gives_the_shortest_forces_of_redundant_rows() {
    let chain = Chain { links: 5, doubled: true, ..Default::default() };
    let solution = solve(&chain.problem().unwrap(), &to(Minres::default(), 1e-12)).unwrap();
    for joint in solution.impulse().chunks(6) {
        assert!(apart(&joint[..3], &joint[3..]) < 1e-9, "{joint:?}");
    }
}

#[test]
fn soft_and_condensed_linear_problems_are_solved() {
    // N = 2 + 0.5, r = −1: g = 0.4.
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[0.5]).linear(&[0.0]).row(Cone::Free, &[(0, 1.0)], 1.0).compliance(0.5);
    let soft = builder.build().unwrap();
    let w = CscMatrix::from_triplets(2, 2, [(0, 0, 2.0), (1, 0, 1.0), (0, 1, 1.0), (1, 1, 3.0)]).unwrap();
    let condensed = ConeProblem::condensed(w, vec![-1.0, 2.0], &[(Cone::Free, 1), (Cone::Free, 1)]).unwrap();
    for method in linear_methods() {
        let solution = solve(&soft, &to(method.clone(), 1e-12)).unwrap();
        assert!((solution.impulse()[0] - 0.4).abs() < 1e-12, "{method:?}: {:?}", solution.impulse());
        // [2 1; 1 3] g = (1, −2): g = (1, −1).
        let solution = solve(&condensed, &to(method.clone(), 1e-12)).unwrap();
        assert!(apart(solution.impulse(), &[1.0, -1.0]) < 1e-11, "{method:?}: {:?}", solution.impulse());
    }
}

#[test]
fn problems_without_rows_are_answered_at_once() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[2.0]).linear(&[-3.0]);
    let problem = builder.build().unwrap();
    for method in linear_methods().into_iter().chain(active_set_methods()) {
        let solution = solve(&problem, &to(method.clone(), 1e-12)).unwrap();
        assert_eq!((solution.report.status, solution.report.iterations), (Status::Converged, 0), "{method:?}");
        assert!((solution.velocity()[0] - 1.5).abs() < 1e-15, "{method:?}");
    }
}

#[test]
fn linear_methods_name_those_that_can_do_contacts() {
    let problem = SpherePacking { bodies: 3, ..Default::default() }.problem().unwrap();
    for method in [Method::from(Minres::default()), Direct::default().into()] {
        match solve(&problem, &SolverSettings::from(method)) {
            Err(SolveError::NotAccepted { able, .. }) => {
                assert!(able.contains(&"gpminres") && able.contains(&"kucera"))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let problem = Stack::default().problem().unwrap();
    let refused: [Method; 6] = [
        Gpminres { sufficient_decrease: 0.5, ..Default::default() }.into(),
        Gpminres { minres_iterations: 0, ..Default::default() }.into(),
        Gpminres { departure: f64::NAN, ..Default::default() }.into(),
        GpminresP { search: Gpminres { gradient_decrease: -1.0, ..Default::default() }, ..Default::default() }.into(),
        Kucera { step: 2.0, ..Default::default() }.into(),
        Kucera { proportioning: 0.0, ..Default::default() }.into(),
    ];
    for method in refused {
        assert!(matches!(solve(&problem, &method.clone().into()), Err(SolveError::Setting { .. })), "{method:?}");
    }
}
