//! The first-order methods against the interior point, which shares no code with them, and against closed forms.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_linalg::CscMatrix;
use signorini_solver::family::{Brick, Chain, Gaps, Net, RandomProblem, SpherePacking, Stack};
use signorini_solver::{
    AcceleratedSor, Apgd, Cone, ConeProblem, Control, InteriorPoint, Jacobi, Method, ResidualMeter, Solution,
    SolveError, SolverSettings, Spg, Status, Tolerance, solve, solve_with,
};

fn with(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance))
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

fn fast() -> Vec<Method> {
    vec![
        AcceleratedSor::default().into(),
        Apgd::default().into(),
        Apgd { precondition: false, ..Apgd::default() }.into(),
        Apgd { relax: 0.98, ..Apgd::default() }.into(),
        Spg::default().into(),
        Spg { precondition: false, ..Spg::default() }.into(),
        Spg { memory: 1, ..Spg::default() }.into(),
        Spg { bb2_share: 0.25, ..Spg::default() }.into(),
    ]
}

/// With friction and gaps of other kinds spheres wedge between walls: first-order methods take 10⁵ iterations for 1e-6.
fn packing(bodies: usize, friction: f64) -> ConeProblem {
    SpherePacking { bodies, friction, gaps: Gaps::Closed, ..Default::default() }.problem().unwrap()
}

fn condensed() -> ConeProblem {
    let w = [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.5), (3, 3, 1.0), (0, 3, 0.3), (3, 0, 0.3), (1, 2, 0.1), (2, 1, 0.1)];
    let w = CscMatrix::from_triplets(4, 4, w).unwrap();
    let cones = [(Cone::Friction { mu: 0.4 }, 3), (Cone::NonNegative, 1)];
    ConeProblem::condensed(w, vec![-1.0, 0.2, 0.1, -0.5], &cones).unwrap()
}

fn check(name: &str, problem: &ConeProblem, method: &Method, tolerance: f64, reference: &Solution) {
    let found = solve(problem, &with(method.clone(), tolerance)).unwrap();
    let report = &found.report;
    assert_eq!(report.status, Status::Converged, "{name} {method:?}: {report:?}");
    // What holds still has no velocity to measure by: the free relative velocity is the scale then.
    let free = ResidualMeter::new(problem).unwrap().free_norm() / (problem.row_count() as f64).sqrt();
    let size = largest(reference.velocity()).max(free);
    let apart = worst(&found.relative_velocity, &reference.relative_velocity);
    assert!(apart <= 1e-5 * size, "{name} {method:?}: y differs by {apart:e} of {size:e}");
    let apart = worst(found.velocity(), reference.velocity());
    assert!(apart <= 1e-5 * size, "{name} {method:?}: v differs by {apart:e} of {size:e}");
}

#[test]
fn velocities_are_those_of_the_interior_point() {
    let cases = [
        ("packing with friction", packing(40, 0.3)),
        ("packing without friction", packing(60, 0.0)),
        ("chain", Chain { links: 8, ..Default::default() }.problem().unwrap()),
        ("net", Net::default().problem().unwrap()),
        ("condensed", condensed()),
    ];
    for (name, problem) in &cases {
        let reference = solve(problem, &with(InteriorPoint::default(), 1e-11)).unwrap();
        for method in fast() {
            check(name, problem, &method, 1e-9, &reference);
        }
    }
}

#[test]
fn velocities_are_those_random_problems_were_made_from() {
    for seed in 0..60 {
        let softness = if seed % 3 == 0 { 0.5 } else { 0.0 };
        let random = RandomProblem { bodies: 4, blocks: 6, softness, seed, ..Default::default() };
        let known = random.generate().unwrap();
        for method in fast() {
            let found = solve(&known.problem, &with(method.clone(), 1e-8)).unwrap();
            assert_eq!(found.report.status, Status::Converged, "seed {seed} {method:?}: {:?}", found.report.residuals);
            let apart = worst(found.velocity(), &known.velocity);
            assert!(apart <= 1e-4 * largest(&known.velocity).max(1.0), "seed {seed} {method:?}: {apart:e}");
        }
    }
}

#[test]
fn jacobi_gets_there_too() {
    let cases = [
        ("packing with friction", packing(30, 0.3)),
        ("packing without friction", packing(8, 0.0)),
        ("net", Net::default().problem().unwrap()),
        ("condensed", condensed()),
    ];
    for (name, problem) in &cases {
        let reference = solve(problem, &with(InteriorPoint::default(), 1e-11)).unwrap();
        for method in [Jacobi::default(), Jacobi { omega: Some(0.25), lambda: 0.9 }] {
            check(name, problem, &method.into(), 1e-8, &reference);
        }
    }
}

/// A stack of equal boxes at rest: contact i carries the weight of all above it.
#[test]
fn a_stack_carries_its_weight() {
    let stack = Stack { levels: 6, ratio: 1.0, ..Default::default() };
    let problem = stack.problem().unwrap();
    let exact = stack.exact_impulses();
    for method in fast().into_iter().chain([Jacobi::default().into()]) {
        let found = solve(&problem, &with(method.clone(), 1e-10)).unwrap();
        assert_eq!(found.report.status, Status::Converged, "{method:?}");
        let apart = worst(found.impulse(), &exact) / largest(&exact);
        assert!(apart < 1e-7, "{method:?}: {apart:e}");
        assert!(largest(found.velocity()) < 1e-8, "{method:?}");
    }
}

/// The total normal impulse under a brick is its weight, however many contacts share it.
#[test]
fn a_brick_stays() {
    let brick = Brick::default();
    let (problem, answer) = (brick.problem().unwrap(), brick.answer());
    for method in fast() {
        let found = solve(&problem, &with(method.clone(), 1e-10)).unwrap();
        assert_eq!(found.report.status, Status::Converged, "{method:?}");
        let total: f64 = problem.each_block().map(|(rows, _)| found.impulse()[rows.start]).sum();
        assert!((total / answer.total_impulse - 1.0).abs() < 1e-7, "{method:?}: {total} {}", answer.total_impulse);
    }
}

#[test]
fn a_warm_start_from_the_answer_is_the_answer() {
    let problem = packing(40, 0.3);
    for method in fast() {
        let cold = solve(&problem, &with(method.clone(), 1e-8)).unwrap();
        let control = Control { warm: Some(&cold.iterate), cancel: None };
        // A little looser: the start is projected again, which rounds.
        let warm = solve_with(&problem, &with(method.clone(), 1.01e-8), &control).unwrap();
        assert_eq!((warm.report.status, warm.report.iterations), (Status::Converged, 0), "{method:?}");
    }
}

/// Two walls that approach each other with a body between: impulses grow without bound, answers stay numbers.
#[test]
fn contradictions_end_with_numbers() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).linear(&[0.3]);
    builder.row(Cone::NonNegative, &[(0, 1.0)], 1.0).row(Cone::NonNegative, &[(0, -1.0)], 1.0);
    let problem = builder.build().unwrap();
    for method in fast().into_iter().chain([Jacobi::default().into()]) {
        let settings = SolverSettings { max_iterations: Some(20_000), ..with(method.clone(), 1e-8) };
        let found = solve(&problem, &settings).unwrap();
        assert_ne!(found.report.status, Status::Converged, "{method:?}");
        assert!(found.velocity().iter().chain(found.impulse()).all(|x| x.is_finite()), "{method:?}");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let problem = condensed();
    let wrong: [(Method, &str); 9] = [
        (Spg { bb2_share: -0.1, ..Default::default() }.into(), "bb2-share"),
        (Apgd { relax: 0.0, ..Default::default() }.into(), "relax"),
        (Apgd { tighten: 1.0, ..Default::default() }.into(), "tighten"),
        (Spg { memory: 0, ..Default::default() }.into(), "memory"),
        (Spg { decrease: 0.5, ..Default::default() }.into(), "decrease"),
        (Spg { alpha_min: f64::NAN, ..Default::default() }.into(), "alpha-min"),
        (Spg { alpha_max: f64::INFINITY, ..Default::default() }.into(), "alpha-max"),
        (Jacobi { omega: Some(2.0), ..Default::default() }.into(), "omega"),
        (Jacobi { lambda: 0.0, ..Default::default() }.into(), "lambda"),
    ];
    for (method, expected) in wrong {
        let refused = solve(&problem, &method.into());
        assert!(matches!(refused, Err(SolveError::Setting { name, .. }) if name == expected), "{expected}");
    }
}
