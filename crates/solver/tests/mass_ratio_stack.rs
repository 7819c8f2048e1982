//! A stack on one axis, each mass ten times the one below: forces differ by up to 10⁵⁹ and are known exactly.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::family::Stack;
use signorini_solver::{Cone, ConeProblem, InteriorPoint, KktForm, SolverSettings, Status, Tolerance, solve};

const GRAVITY_STEP: f64 = 9.81 * 0.05;

fn stack(levels: usize, ratio: f64) -> (ConeProblem, Vec<f64>) {
    let masses: Vec<f64> = (0..levels).map(|level| ratio.powi(level as i32)).collect();
    let mut builder = ConeProblem::builder();
    masses.iter().for_each(|mass| _ = builder.diagonal_body(&[*mass]));
    let c: Vec<f64> = masses.iter().map(|mass| mass * GRAVITY_STEP).collect();
    builder.linear(&c).row(Cone::NonNegative, &[(0, 1.0)], 0.0);
    for level in 1..levels {
        builder.row(Cone::NonNegative, &[(level - 1, -1.0), (level, 1.0)], 0.0);
    }
    let exact = (0..levels).map(|level| GRAVITY_STEP * masses[level..].iter().sum::<f64>()).collect();
    (builder.build().unwrap(), exact)
}

fn worst_relative_error(found: &[f64], exact: &[f64]) -> f64 {
    // Not `f64::max`, which drops NaN.
    found.iter().zip(exact).map(|(f, e)| (f / e - 1.0).abs()).fold(0.0, |m, e| if e <= m { m } else { e })
}

#[test]
fn forces_of_stacks_with_mass_ratio_ten_are_exact() {
    for kkt in [KktForm::Reduced, KktForm::QuasiDefinite, KktForm::Augmented] {
        for levels in [5, 15, 30, 60] {
            let (problem, exact) = stack(levels, 10.0);
            let method = InteriorPoint { kkt, ..InteriorPoint::default() };
            let settings = SolverSettings::from(method).to(Tolerance::Relative(1e-12));
            let solution = solve(&problem, &settings).unwrap();
            let error = worst_relative_error(solution.impulse(), &exact);
            let report = &solution.report;
            eprintln!(
                "{} {levels}: {error:.1e} {} iterations {:?} {} {:?}",
                kkt.name(),
                report.iterations,
                report.phases,
                report.status,
                report.residuals
            );
            assert_eq!(report.status, Status::Converged, "{} with {levels} levels", kkt.name());
            assert!(error < 1e-11, "{} with {levels} levels: force error {error:.1e}", kkt.name());
        }
    }
}

/// Heights 5, 20 and 80: iterations may grow a little with the height, and do not depend on the mass at all.
#[test]
fn iterations_do_not_depend_on_the_mass() {
    let iterations = |mass: f64| {
        [5, 20, 80].map(|levels| {
            let problem = Stack { levels, mass, ..Stack::default() }.problem().unwrap();
            solve(&problem, &InteriorPoint::default().into()).unwrap().report.iterations
        })
    };
    let light = iterations(1.0);
    assert!(light.iter().all(|i| *i <= 16), "{light:?}");
    for mass in [100.0, 1e6, 1e12] {
        assert_eq!(iterations(mass), light, "mass {mass:e}");
    }
}
