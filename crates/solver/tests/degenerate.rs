//! Inputs at the edge: nothing to solve, linear problems, contradictions, redundancy, odd units.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_linalg::CscMatrix;
use signorini_solver::family::Stack;
use signorini_solver::{
    Cone, ConeProblem, InteriorPoint, KktForm, SemismoothNewton, Solution, Start, Status, Stopping, solve,
};

fn default_solution(problem: &ConeProblem) -> Solution {
    solve(problem, &InteriorPoint::default().into()).unwrap()
}

fn each_form(problem: &ConeProblem, check: impl Fn(&Solution, &str)) {
    for kkt in KktForm::ALL {
        for polish in [true, false] {
            let settings = InteriorPoint { kkt, polish, ..InteriorPoint::default() };
            let solution = solve(problem, &settings.into()).unwrap();
            assert!(solution.velocity().iter().chain(solution.impulse()).all(|x| x.is_finite()), "{}", kkt.name());
            check(&solution, kkt.name());
        }
    }
}

#[test]
fn nothing_at_all() {
    let problem = ConeProblem::builder().build().unwrap();
    each_form(&problem, |s, form| assert_eq!((s.report.status, s.report.iterations), (Status::Converged, 0), "{form}"));
    let condensed = ConeProblem::condensed(CscMatrix::zeros(0, 0), vec![], &[]).unwrap();
    assert_eq!(default_solution(&condensed).report.status, Status::Converged);
}

#[test]
fn bodies_without_constraints_fall_freely() {
    let problem = ConeProblem::builder().dense_body(2, &[2.0, 1.0, 1.0, 2.0]).linear(&[-3.0, 0.0]).build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!((s.report.status, s.report.iterations), (Status::Converged, 0), "{form}");
        assert!((s.velocity()[0] - 2.0).abs() < 1e-14 && (s.velocity()[1] + 1.0).abs() < 1e-14, "{:?}", s.velocity());
    });
}

/// Two masses m, M tied together and pushed with impulse p: v = p/(m+M), tie impulse M v.
#[test]
fn bilateral_rows_alone_are_one_linear_solve() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).diagonal_body(&[3.0]).linear(&[-8.0, 0.0]);
    builder.row(Cone::Free, &[(0, -1.0), (1, 1.0)], 0.0);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Converged, "{form}: {:?}", s.report);
        assert!(s.report.iterations <= 1, "{form}: {} iterations", s.report.iterations);
        assert!(s.velocity().iter().all(|v| (v - 2.0).abs() < 1e-10), "{form}: {:?}", s.velocity());
        assert!((s.impulse()[0] - 6.0).abs() < 1e-9, "{form}: {:?}", s.impulse());
    });
}

#[test]
fn a_joint_written_three_times_is_still_one_joint() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).diagonal_body(&[3.0]).linear(&[-8.0, 0.0]);
    for _ in 0..3 {
        builder.row(Cone::Free, &[(0, -1.0), (1, 1.0)], 0.0);
    }
    builder.row(Cone::NonNegative, &[(1, -1.0)], -1.5); // a stop: v₁ ≤ 1.5
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Converged, "{form}: {:?}", s.report);
        assert!(s.velocity().iter().all(|v| (v - 1.5).abs() < 1e-7), "{form}: {:?}", s.velocity());
        let tie: f64 = s.impulse()[..3].iter().sum();
        // The stop takes 8 − 4·1.5 = 2; the tie moves mass 3 to 1.5 against it: 4.5 + 2.
        assert!((tie - 6.5).abs() < 1e-6 && (s.impulse()[3] - 2.0).abs() < 1e-6, "{form}: {:?}", s.impulse());
    });
}

#[test]
fn contradictory_joints_are_called_infeasible_and_share_the_violation() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).linear(&[0.0]);
    builder.row(Cone::Free, &[(0, 1.0)], 1.0).row(Cone::Free, &[(0, 1.0)], 3.0);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Infeasible, "{form}: {:?}", s.report);
        assert!((s.velocity()[0] - 2.0).abs() < 1e-4, "{form}: {:?}", s.velocity());
    });
}

/// A ball between two walls that close in on each other: v ≥ 1 and v ≤ −1.
#[test]
fn a_squeezed_ball_is_infeasible_with_the_least_violation() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[2.0]).linear(&[0.1]);
    builder.row(Cone::NonNegative, &[(0, 1.0)], 1.0).row(Cone::NonNegative, &[(0, -1.0)], 1.0);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Infeasible, "{form}: {:?}", s.report);
        assert!(s.velocity()[0].abs() < 1e-4, "{form}: {:?}", s.velocity());
        assert!((s.report.residuals.primal - 1.0).abs() < 1e-3, "{form}: {:?}", s.report.residuals);
    });
    let friction = |mu| {
        let mut builder = ConeProblem::builder();
        builder.diagonal_body(&[2.0, 2.0]).linear(&[0.0, -0.3]);
        builder.rows(Cone::Friction { mu }, &[&[(0, 1.0)], &[(1, 1.0)]], &[1.0, 0.0]);
        builder.rows(Cone::Friction { mu }, &[&[(0, -1.0)], &[(1, 1.0)]], &[1.0, 0.0]);
        builder.build().unwrap()
    };
    assert_eq!(default_solution(&friction(0.5)).report.status, Status::Infeasible);
}

/// The same walls with compliance: the closed form of two springs is v = 0 by symmetry, impulse 1/E each.
#[test]
fn compliance_makes_it_solvable() {
    let e = 0.01;
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[2.0]).linear(&[0.0]);
    builder.row(Cone::NonNegative, &[(0, 1.0)], 1.0).compliance(e);
    builder.row(Cone::NonNegative, &[(0, -1.0)], 1.0).compliance(e);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Converged, "{form}: {:?}", s.report);
        assert!(s.impulse().iter().all(|g| (g * e - 1.0).abs() < 1e-6), "{form}: {:?}", s.impulse());
    });
}

#[test]
fn open_contacts_carry_no_force() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 1.0, 1.0]).linear(&[-1.0, -0.2, 0.0]);
    builder.rows(Cone::Friction { mu: 0.5 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[-0.1, 0.0, 0.0]);
    builder.row(Cone::NonNegative, &[(0, 1.0)], -5.0);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Converged, "{form}");
        assert!(s.impulse().iter().all(|g| g.abs() < 1e-7), "{form}: {:?}", s.impulse());
        assert!((s.velocity()[0] - 1.0).abs() < 1e-7, "{form}: {:?}", s.velocity());
    });
}

#[test]
fn zero_friction_is_no_friction() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 1.0, 1.0]).linear(&[2.0, -3.0, 0.0]);
    builder.rows(Cone::Friction { mu: 0.0 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
    let problem = builder.build().unwrap();
    each_form(&problem, |s, form| {
        assert_eq!(s.report.status, Status::Converged, "{form}");
        assert!((s.impulse()[0] - 2.0).abs() < 1e-7 && s.impulse()[1..] == [0.0, 0.0], "{form}: {:?}", s.impulse());
        assert!((s.velocity()[1] - 3.0).abs() < 1e-12, "{form}");
    });
}

/// A block on a slope of 30°: first step from rest, relaxed law (closed form), in ordinary and in absurd units.
#[test]
fn units_do_not_matter() {
    let (mu, theta, h, g) = (0.3f64, 30f64.to_radians(), 0.01, 9.81);
    let slide = h * g * (theta.sin() - mu * theta.cos()) / (1.0 + mu * mu);
    for mass in [1e-9, 1.0, 1e9] {
        for speed in [1e-12, 1.0, 1e12] {
            let mut builder = ConeProblem::builder();
            let p = mass * h * g * speed;
            builder.diagonal_body(&[mass; 3]).linear(&[p * theta.cos(), -p * theta.sin(), 0.0]);
            builder.rows(Cone::Friction { mu }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
            let solution = default_solution(&builder.build().unwrap());
            assert_eq!(solution.report.status, Status::Converged, "mass {mass:e} speed {speed:e}");
            let v: Vec<f64> = solution.velocity().iter().map(|v| v / speed).collect();
            assert!(
                (v[1] - slide).abs() < 1e-8 && (v[0] - mu * slide).abs() < 1e-8,
                "mass {mass:e} speed {speed:e}: {v:?}"
            );
        }
    }
}

#[test]
fn newton_alone_solves_from_zero_or_falls_back() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 1.0, 1.0]).linear(&[2.0, -3.0, 0.5]);
    builder.rows(Cone::Friction { mu: 0.4 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
    let problem = builder.build().unwrap();
    let by_newton = solve(&problem, &SemismoothNewton::default().into()).unwrap();
    assert_eq!(by_newton.report.status, Status::Converged);
    let by_interior_point = default_solution(&problem);
    for (a, b) in by_newton.velocity().iter().zip(by_interior_point.velocity()) {
        assert!((a - b).abs() < 1e-7);
    }
}

#[test]
fn small_impulses_are_no_proof_of_infeasibility() {
    for start in Start::ALL {
        // v = 0 is admissible (b = 0), so no start may call these infeasible, however far off it begins.
        let problem = Stack { levels: 60, ratio: 10.0, ..Stack::default() }.problem().unwrap();
        let solution = solve(&problem, &InteriorPoint { start, ..InteriorPoint::default() }.into()).unwrap();
        assert_ne!(solution.report.status, Status::Infeasible, "stack from {}", start.name());
        let mut builder = ConeProblem::builder();
        builder.diagonal_body(&[1e12; 3]).linear(&[1e12, -1e11, 0.0]);
        builder.rows(Cone::Friction { mu: 0.5 }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
        let solution =
            solve(&builder.build().unwrap(), &InteriorPoint { start, ..InteriorPoint::default() }.into()).unwrap();
        assert_ne!(solution.report.status, Status::Infeasible, "heavy block from {}", start.name());
    }
}

/// Touching bodies in free flight: relative velocities are nothing but rounding, and that is good enough.
#[test]
fn bodies_that_fly_together_are_solved() {
    for bodies in [2, 3, 5, 20] {
        let mut builder = ConeProblem::builder();
        let mut c = Vec::new();
        for body in 0..bodies {
            let mass = 1.0 + 0.37 * body as f64;
            builder.diagonal_body(&[mass; 3]);
            c.extend([-3.1 * mass, 0.098 * mass, -0.7 * mass]);
        }
        builder.linear(&c);
        for body in 1..bodies {
            let (a, b) = (3 * (body - 1), 3 * body);
            let row =
                |n: [f64; 3]| -> Vec<(usize, f64)> { (0..3).flat_map(|i| [(a + i, -n[i]), (b + i, n[i])]).collect() };
            let (s, t) = (0.6, 0.8);
            let rows = [row([s, t, 0.0]), row([-t, s, 0.0]), row([0.0, 0.0, 1.0])];
            builder.rows(Cone::Friction { mu: 0.4 }, &[&rows[0], &rows[1], &rows[2]], &[0.0; 3]);
        }
        let solution = default_solution(&builder.build().unwrap());
        assert_eq!(solution.report.status, Status::Converged, "{bodies}: {:?}", solution.report.residuals);
        for v in solution.velocity().chunks(3) {
            assert!((v[0] - 3.1).abs() < 1e-12 && (v[1] + 0.098).abs() < 1e-12 && (v[2] - 0.7).abs() < 1e-12, "{v:?}");
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let error = |builder: &mut signorini_solver::ProblemBuilder| builder.build().unwrap_err().to_string();
    let found = error(ConeProblem::builder().dense_body(3, &[1.0; 4]));
    assert!(found.contains("mass matrix of body 0: found 4, expected 3 × 3"), "{found}");
    let found = error(ConeProblem::builder().dense_body(2, &[1.0, 0.9, 0.0, 1.0]));
    assert!(found.contains("not symmetric"), "{found}");
    let slightly = ConeProblem::builder().dense_body(2, &[1.0, 1e-5, 0.0, 1.0]).build().unwrap();
    assert_eq!(slightly.remarks().len(), 1);
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0]).rows(Cone::NonNegative, &[&[(0, 1.0)]], &[0.0, 5.0]);
    let found = error(&mut builder);
    assert!(found.contains("b of contact 0: found 2, expected 1"), "{found}");
    let found = error(ConeProblem::builder().diagonal_body(&[1.0]).linear(&[1e200]));
    assert!(found.contains("c[0]") && found.contains("1e75"), "{found}");
}

#[test]
fn the_papers_rules_hold_for_linear_problems_from_any_start() {
    for start in Start::ALL {
        for stopping in [Stopping::Residual, Stopping::Paper, Stopping::Thesis] {
            let mut builder = ConeProblem::builder();
            builder.diagonal_body(&[1.0]).diagonal_body(&[3.0]).linear(&[-8.0, 0.0]);
            builder.row(Cone::Free, &[(0, -1.0), (1, 1.0)], 0.0);
            let settings = InteriorPoint { start, stopping, polish: false, ..InteriorPoint::default() };
            let solution = solve(&builder.build().unwrap(), &settings.into()).unwrap();
            assert_eq!(solution.report.status, Status::Converged, "{} {stopping:?}", start.name());
            assert!((solution.velocity()[0] - 2.0).abs() < 1e-9);
        }
    }
}

#[test]
fn newton_refuses_stopping_rules_that_are_not_its_own() {
    let problem = ConeProblem::builder().diagonal_body(&[1.0]).build().unwrap();
    let fallback = InteriorPoint { stopping: Stopping::Paper, ..InteriorPoint::default() };
    let error = solve(&problem, &SemismoothNewton { fallback, ..Default::default() }.into()).unwrap_err();
    assert!(error.to_string().contains("stops by the residual only"), "{error}");
    assert!(error.hint().is_some());
}
