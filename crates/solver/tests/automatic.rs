//! The automatic choice: what it picks, what it reports, and how it gets on when a method fails.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::{Chain, Gaps, Net, SpherePacking};
use signorini_solver::{
    Auto, Cone, ConeProblem, Control, FrictionLaw, InteriorPoint, Iterate, Method, SolverSettings, Status, Stopping,
    Tolerance, solve, solve_with,
};

fn first_choice(problem: &ConeProblem, settings: &SolverSettings) -> &'static str {
    let solution = solve(problem, settings).unwrap();
    assert_eq!(solution.report.attempts[0].method, solution.report.method, "{:?}", solution.report.attempts);
    assert_eq!(solution.report.attempts.len(), 1);
    assert_eq!(solution.report.status, Status::Converged);
    solution.report.method
}

#[test]
fn the_default_is_automatic_and_chooses_by_the_problem() {
    let settings = SolverSettings::default();
    assert_eq!(settings.method.name(), "auto");
    let exact = SolverSettings { friction: FrictionLaw::Exact, ..settings.clone() };
    assert_eq!(first_choice(&Chain::default().problem().unwrap(), &settings), "direct");
    assert_eq!(first_choice(&Net::default().problem().unwrap(), &settings), "interior-point");
    assert_eq!(first_choice(&Net::default().problem().unwrap(), &exact), "proximal-newton");
    let thesis = InteriorPoint { stopping: Stopping::Thesis, ..InteriorPoint::default() };
    let thesis = SolverSettings::from(Auto { interior_point: thesis });
    let pile = SpherePacking { bodies: 30, gaps: Gaps::Loosened, ..Default::default() }.problem().unwrap();
    assert_eq!(first_choice(&pile, &thesis), "interior-point");
}

/// Many contacts and few digits: a method that does not factorise.
#[test]
fn many_contacts_and_a_loose_tolerance_need_no_factorisation() {
    let pile = SpherePacking { bodies: 16_000, gaps: Gaps::Closed, ..Default::default() }.problem().unwrap();
    let settings = SolverSettings::default().to(Tolerance::Relative(5e-2));
    let solution = solve(&pile, &settings).unwrap();
    assert_eq!(solution.report.status, Status::Converged, "{:?}", solution.report.attempts);
    assert_eq!(solution.report.factor_entries, 0, "{}", solution.report.method);
}

/// No velocity satisfies the exact law here: a block is pushed from both sides. Every method of the plan is tried, each
/// with its reason, and none is reported as a success.
#[test]
fn what_failed_is_reported() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0; 3]).linear(&[0.0, 0.3, 0.0]);
    for sign in [1.0, -1.0] {
        let rows: [&[(usize, f64)]; 3] = [&[(0, sign)], &[(1, 1.0)], &[(2, 1.0)]];
        builder.rows(Cone::Friction { mu: 0.5 }, &rows, &[1.0, 0.0, 0.0]);
    }
    let problem = builder.build().unwrap();
    let settings = SolverSettings { friction: FrictionLaw::Exact, time_limit: Some(20.0), ..Default::default() };
    let solution = solve(&problem, &settings).unwrap();
    let report = &solution.report;
    assert_ne!(report.status, Status::Converged);
    assert!(report.attempts.len() >= 2, "{:?}", report.attempts);
    assert!(report.attempts.iter().all(|attempt| attempt.status != Status::Converged && !attempt.reason.is_empty()));
    assert!(solution.velocity().iter().chain(solution.impulse()).all(|x| x.is_finite()));
    let total: u32 = report.attempts.iter().map(|attempt| attempt.iterations).sum();
    assert_eq!(report.iterations, total);
}

/// A limit of the user holds for all attempts together.
#[test]
fn limits_hold_for_all_attempts_together() {
    let pile = SpherePacking { bodies: 60, friction: 0.4, ..Default::default() }.problem().unwrap();
    let settings = SolverSettings { friction: FrictionLaw::Exact, max_iterations: Some(7), ..Default::default() };
    let solution = solve(&pile, &settings.to(Tolerance::Relative(1e-12))).unwrap();
    assert_eq!((solution.report.status, solution.report.iterations), (Status::IterationLimit, 7));
    assert_eq!(solution.report.attempts.len(), 1);
}

/// A speed is loose or not compared with the free relative velocity.
#[test]
fn a_loose_speed_on_many_contacts_needs_no_factorisation() {
    let pile = SpherePacking { bodies: 1_000, gaps: Gaps::Closed, ..Default::default() }.problem().unwrap();
    for law in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
        let settings = SolverSettings { friction: law, ..Default::default() };
        let loose = solve(&pile, &settings.clone().to(Tolerance::Velocity(2e-3))).unwrap();
        assert_eq!(loose.report.status, Status::Converged, "{:?}", loose.report.attempts);
        assert_eq!(loose.report.method, "accelerated-sor", "{:?}", loose.report.attempts);
        assert!(loose.report.residuals.natural_map <= 2e-3);
    }
    let sharp = solve(&pile, &SolverSettings::default().to(Tolerance::Velocity(1e-9))).unwrap();
    assert_eq!((sharp.report.status, sharp.report.method), (Status::Converged, "interior-point"));
}

/// An answer handed back as the warm start is returned as it is, whatever the method and the law.
#[test]
fn a_warm_start_that_solves_the_problem_costs_no_iteration_and_no_factorisation() {
    let pile = SpherePacking { bodies: 40, friction: 0.4, gaps: Gaps::Closed, ..Default::default() }.problem().unwrap();
    for friction in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
        let first = SolverSettings { friction, ..Default::default() }.to(Tolerance::Relative(1e-9));
        let answer = solve(&pile, &first).unwrap();
        assert_eq!(answer.report.status, Status::Converged, "{:?}", answer.report.attempts);
        for method in Method::all().into_iter().filter(|method| method.accept(&pile).is_ok()) {
            let name = method.name();
            let settings = SolverSettings { method, friction, ..Default::default() }.to(Tolerance::Relative(1e-8));
            // The velocities of a warm start are those of the step before: impulses count.
            let warm = Iterate { velocity: vec![0.0; pile.velocities()], impulse: answer.impulse().to_vec() };
            let again = solve_with(&pile, &settings, &Control { warm: Some(&warm), cancel: None }).unwrap();
            let report = &again.report;
            assert_eq!((report.status, report.iterations, report.factor_entries), (Status::Converged, 0, 0), "{name}");
            assert_eq!(again.impulse(), answer.impulse(), "{name}");
            let apart = again.velocity().iter().zip(answer.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-10 && report.residuals.momentum < 1e-12, "{name}: {apart:e} {:?}", report.residuals);
        }
    }
}

#[test]
fn every_method_has_a_name_of_its_own_and_is_found_by_it() {
    let all = Method::all();
    for method in &all {
        assert_eq!(Method::named(method.name()).as_ref(), Some(method));
    }
    assert!(Method::named("interior_point").is_none());
}
