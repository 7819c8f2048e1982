//! Resistance to rolling against closed forms, and the cases in which it is no more than friction.
#![allow(clippy::unwrap_used)]

use signorini_linalg::CscMatrix;
use signorini_solver::problem::{from_fclib, solution_to_fclib, to_fclib};
use signorini_solver::{Cone, ConeProblem, InteriorPoint, KktForm, Solution, SolverSettings, Status, Tolerance, solve};

const RADIUS: f64 = 0.3;
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
/// Weight times step: the impulse that presses the ball on the floor.
const WEIGHT: f64 = MASS * 9.81 * 1e-3;

/// A ball on a floor, pushed at its centre along x. Velocities (x, y, z; ω_x, ω_y, ω_z), z up, contact below the centre.
fn pushed_ball(cone: Cone, push: f64) -> ConeProblem {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[MASS, MASS, MASS, INERTIA, INERTIA, INERTIA]).linear(&[-push, 0.0, WEIGHT, 0.0, 0.0, 0.0]);
    // Velocity of the point of contact: v + ω × (0, 0, −ρ) = (v_x − ρω_y, v_y + ρω_x, v_z).
    let rows: [&[(usize, f64)]; 5] =
        [&[(2, 1.0)], &[(0, 1.0), (4, -RADIUS)], &[(1, 1.0), (3, RADIUS)], &[(3, 1.0)], &[(4, 1.0)]];
    let count = if matches!(cone, Cone::Rolling { .. }) { 5 } else { 3 };
    builder.rows(cone, &rows[..count], &[0.0; 5][..count]);
    builder.build().unwrap()
}

fn solved(problem: &ConeProblem) -> Solution {
    let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-11));
    let solution = solve(problem, &settings).unwrap();
    assert_eq!(solution.report.status, Status::Converged, "{:?}", solution.report.residuals);
    solution
}

/// The ball needs the moment ρ·push to stay, and has at most μ_r·weight.
#[test]
fn a_ball_stays_below_the_resistance_and_rolls_above_it() {
    let (mu, mu_r) = (0.8, 0.05);
    let threshold = mu_r * WEIGHT / RADIUS;
    for share in [0.5, 0.99] {
        let solution = solved(&pushed_ball(Cone::Rolling { mu, mu_r }, share * threshold));
        assert!(solution.velocity().iter().all(|v| v.abs() < 1e-11), "{share}: {:?}", solution.velocity());
        assert!((solution.impulse()[0] - WEIGHT).abs() < 1e-11);
        // Friction holds the centre, the rolling moment holds the ball against friction.
        assert!((solution.impulse()[1] + share * threshold).abs() < 1e-11);
        assert!((solution.impulse()[4] + share * threshold * RADIUS).abs() < 1e-11, "{:?}", solution.impulse());
    }
    for share in [1.01, 2.0, 5.0] {
        let push = share * threshold;
        let solution = solved(&pushed_ball(Cone::Rolling { mu, mu_r }, push));
        // Rolling without sliding, v_x = ρω; the relaxed law lifts it by v_z = μ_r ω, so the normal impulse is
        // weight + m μ_r ω: ω (I + mρ² + mμ_r²) = ρ push − μ_r weight.
        let spin = (RADIUS * push - mu_r * WEIGHT) / (INERTIA + MASS * (RADIUS * RADIUS + mu_r * mu_r));
        let expected = [RADIUS * spin, 0.0, mu_r * spin, 0.0, spin, 0.0];
        for (v, expected) in solution.velocity().iter().zip(expected) {
            assert!((v - expected).abs() < 1e-10, "{share}: {:?} {expected:?}", solution.velocity());
        }
    }
}

/// Pushed hard enough on little friction the ball slides and rolls at once: both limits are reached.
#[test]
fn a_ball_slides_and_rolls() {
    let (mu, mu_r, push) = (0.1, 0.01, 2.0 * WEIGHT);
    let solution = solved(&pushed_ball(Cone::Rolling { mu, mu_r }, push));
    // Slip s = v_x − ρω > 0, spin ω > 0, v_z = μ s + μ_r ω; impulses N, −μN, −μ_r N.
    // m v_x = push − μN, m v_z = N − weight, I ω = ρμN − μ_r N.
    let spin_per_impulse = (RADIUS * mu - mu_r) / INERTIA;
    // N = weight + m(μ(v_x − ρω) + μ_r ω), linear in N.
    let slope = mu * (-mu - MASS * RADIUS * spin_per_impulse) + MASS * mu_r * spin_per_impulse;
    let normal = (WEIGHT + mu * push) / (1.0 - slope);
    let (spin, speed) = (spin_per_impulse * normal, (push - mu * normal) / MASS);
    assert!(spin > 0.0 && speed > RADIUS * spin);
    let v = solution.velocity();
    let lift = mu * (speed - RADIUS * spin) + mu_r * spin;
    for (v, expected) in [(v[0], speed), (v[2], lift), (v[4], spin)] {
        assert!((v - expected).abs() < 1e-10, "{v} {expected}");
    }
    assert!((solution.impulse()[0] - normal).abs() < 1e-10);
}

#[test]
fn without_one_coefficient_a_smaller_cone_is_left() {
    let push = 3.0 * WEIGHT;
    let same = |a: &Solution, b: &Solution| {
        let apart = a.velocity().iter().zip(b.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-10, "{:?} {:?}", a.velocity(), b.velocity());
    };
    // No rolling resistance: friction alone. No friction at all: the ball slides off and does not turn.
    let friction = solved(&pushed_ball(Cone::Friction { mu: 0.4 }, push));
    let rolling = solved(&pushed_ball(Cone::Rolling { mu: 0.4, mu_r: 0.0 }, push));
    same(&friction, &rolling);
    assert_eq!(rolling.impulse()[3..], [0.0; 2]);
    same(
        &solved(&pushed_ball(Cone::Friction { mu: 0.0 }, push)),
        &solved(&pushed_ball(Cone::Rolling { mu: 0.0, mu_r: 0.0 }, push)),
    );
    // Nearly none is the limit of some.
    same(&friction, &solved(&pushed_ball(Cone::Rolling { mu: 0.4, mu_r: 1e-13 }, push)));
    // Rolling resistance alone, on a spinning ball: I ω = I ω₀ − μ_r N, N = weight + m μ_r ω.
    let (mu_r, spin) = (0.02, 1.0);
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[MASS, INERTIA, INERTIA]).linear(&[WEIGHT, -INERTIA * spin, 0.0]);
    let rows: [&[(usize, f64)]; 5] = [&[(0, 1.0)], &[], &[], &[(1, 1.0)], &[(2, 1.0)]];
    builder.rows(Cone::Rolling { mu: 0.0, mu_r }, &rows, &[0.0; 5]);
    let solution = solved(&builder.build().unwrap());
    let expected = (INERTIA * spin - mu_r * WEIGHT) / (INERTIA + MASS * mu_r * mu_r);
    assert!((solution.velocity()[1] - expected).abs() < 1e-11, "{:?} {expected}", solution.velocity());
}

#[test]
fn every_form_agrees_with_compliance_too() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[MASS, MASS, MASS, INERTIA, INERTIA, INERTIA]);
    builder.linear(&[-3.0 * WEIGHT, 0.4 * WEIGHT, WEIGHT, 0.0, 0.01 * WEIGHT, 0.0]);
    let rows: [&[(usize, f64)]; 5] =
        [&[(2, 1.0)], &[(0, 1.0), (4, -RADIUS)], &[(1, 1.0), (3, RADIUS)], &[(3, 1.0)], &[(4, 1.0)]];
    builder.rows(Cone::Rolling { mu: 0.2, mu_r: 0.02 }, &rows, &[0.0; 5]).compliance(0.05);
    let problem = builder.build().unwrap();
    let expected = solved(&problem);
    for kkt in KktForm::ALL {
        for polish in [true, false] {
            let tolerance = Tolerance::Relative(1e-8);
            let method = InteriorPoint { kkt, polish, ..InteriorPoint::default() };
            let settings = SolverSettings::from(method).to(tolerance);
            let solution = solve(&problem, &settings).unwrap();
            assert_eq!(solution.report.status, Status::Converged, "{} {polish}", kkt.name());
            let apart = solution.velocity().iter().zip(expected.velocity()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-8, "{}", kkt.name());
        }
    }
}

/// A floor and a ceiling that close: no velocity satisfies both, and the answer shares the violation.
#[test]
fn contradicting_rolling_contacts_are_infeasible() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 1.0, 1.0, 0.1, 0.1]).linear(&[1.0, -0.5, 0.0, 0.1, 0.0]);
    for side in [1.0, -1.0] {
        let rows: [&[(usize, f64)]; 5] =
            [&[(0, side)], &[(1, 1.0), (3, 0.2)], &[(2, 1.0), (4, 0.3)], &[(3, 1.0)], &[(4, 1.0)]];
        builder.rows(Cone::Rolling { mu: 0.5, mu_r: 0.1 }, &rows, &[1.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let solution = solve(&builder.build().unwrap(), &InteriorPoint::default().into()).unwrap();
    assert_eq!(solution.report.status, Status::Infeasible);
    assert!(solution.velocity().iter().all(|v| v.is_finite()) && solution.velocity()[0].abs() < 0.1);
}

#[test]
fn what_cannot_be_is_named() {
    let error = |cone: Cone, count: usize| {
        let rows: Vec<&[(usize, f64)]> = vec![&[(0, 1.0)]; count];
        let mut builder = ConeProblem::builder();
        builder.diagonal_body(&[1.0]).rows(cone, &rows, &vec![0.0; count]).build().unwrap_err().to_string()
    };
    let rolling = |mu, mu_r| Cone::Rolling { mu, mu_r };
    assert_eq!(
        error(rolling(0.1, 0.1), 3),
        "rows of the rolling friction block contact 0: found 3, expected 5 (normal, two tangents, two rolling axes)"
    );
    assert_eq!(error(rolling(-0.1, 0.1), 5), "contact 0: friction coefficient is -0.1, expected a finite value ≥ 0");
    for bad in [-0.2, f64::NAN, f64::INFINITY] {
        let expected = format!("contact 0: rolling friction coefficient is {bad}, expected a finite value ≥ 0");
        assert_eq!(error(rolling(0.1, bad), 5), expected);
    }
}

/// Rolling, frictional and frictionless contacts and a joint in one file.
#[test]
fn mixed_contacts_survive_the_way_through_fclib() {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[1.0, 2.0, 1.5, 0.3, 0.4]).diagonal_body(&[1.0, 1.0, 1.0]);
    builder.linear(&[1.0, -0.7, 0.3, 0.2, 0.1, 1.0, -2.0, 0.3]);
    let rows: [&[(usize, f64)]; 5] = [&[(0, 1.0)], &[(1, 1.0), (3, 0.2)], &[(2, 1.0)], &[(3, 1.0)], &[(4, 1.0)]];
    builder.rows(Cone::Rolling { mu: 0.3, mu_r: 0.05 }, &rows, &[0.0; 5]);
    builder.rows(Cone::Friction { mu: 0.2 }, &[&[(5, 1.0)], &[(6, 1.0)], &[(7, 1.0)]], &[0.0; 3]);
    builder.row(Cone::NonNegative, &[(0, 1.0), (5, -1.0)], -0.1).row(Cone::Free, &[(2, 1.0), (7, -1.0)], 0.0);
    let problem = builder.build().unwrap();
    let written = to_fclib(&problem).unwrap();
    assert_eq!((written.dimension(), written.mu()), (5, &[0.3, 0.2, 0.0][..]));
    assert_eq!(written.mu_r(), Some(&[0.05, 0.0, 0.0][..]));
    let (ours, again) = (solved(&problem), solved(&from_fclib(&written).unwrap()));
    assert!((ours.report.objective - again.report.objective).abs() < 1e-12 * ours.report.objective.abs());
    let stored = solution_to_fclib(&problem, ours.velocity(), ours.impulse(), &ours.relative_velocity).unwrap();
    assert_eq!((stored.r.len(), &stored.r[..5]), (15, &ours.impulse()[..5]));
    // In contact space likewise.
    let condensed = ConeProblem::condensed(
        CscMatrix::diagonal(&[1.0; 8]),
        vec![-1.0, 0.4, 0.0, 0.3, 0.1, -1.0, 0.2, 0.5],
        &[(Cone::Rolling { mu: 0.3, mu_r: 0.1 }, 5), (Cone::Friction { mu: 0.5 }, 3)],
    )
    .unwrap();
    let again = from_fclib(&to_fclib(&condensed).unwrap()).unwrap();
    let (ours, again) = (solved(&condensed), solved(&again));
    assert!((ours.report.objective - again.report.objective).abs() < 1e-12 * ours.report.objective.abs());
}
