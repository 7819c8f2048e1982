//! Real contact problems with reference answers, where the set is at hand: every one solved, to the accuracy promised.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use signorini_solver::fclib::{self, FclibProblem};
use signorini_solver::problem::{Remark, from_fclib};
use signorini_solver::{
    ConeProblem, InteriorPoint, KktForm, Method, SemismoothNewton, SolverSettings, Status, Tolerance, solve,
};
use signorini_testkit::{sample_problems, table};
use std::path::Path;

struct Reference {
    name: String,
    problem: ConeProblem,
    /// Dual objective and how far it may be from the minimum, relative.
    objective: f64,
    gap: f64,
    shift: f64,
    /// Relative velocities at the reference solution.
    u: Vec<f64>,
    scaled_error: f64,
}

/// The problem whose solutions are published: its bodies move by the symmetric part of M without contacts too, whereas [`from_fclib`]
/// keeps the motion of M as given.
fn symmetric(mut problem: FclibProblem) -> ConeProblem {
    if let FclibProblem::Global(global) = &mut problem {
        global.m = global.m.symmetric_part().0;
    }
    from_fclib(&problem).unwrap()
}

/// All problems with a relaxed reference solution.
fn references(test: &str) -> Vec<Reference> {
    let Some(folder) = sample_problems(test) else { return Vec::new() };
    let rows = table(&folder.join("reference.csv")).unwrap();
    let mut out = Vec::new();
    for row in rows {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let file = fclib::read(&folder.join(&row["file"])).unwrap();
        out.push(Reference {
            name: row["instance"].clone(),
            problem: symmetric(file.problem),
            objective: number("ccp_objective"),
            gap: number("ccp_gap_rel"),
            shift: number("ccp_shift"),
            u: file.solution_ccp.unwrap().u,
            scaled_error: number("ccp_scaled_error"),
        });
    }
    // The piles are described in the README of the set.
    for (name, objective, scaled_error) in [
        ("ChronoBalls-128-mu0", -2.2959165603789e-01, 7.8e-11),
        ("ChronoBalls-512-mu0.3", -5.0622778146366e-01, 9.3e-08),
        ("ChronoBalls-1024-mu0.3", -2.3386731523257, 2.8e-08),
    ] {
        let file = fclib::read(&folder.join("chrono").join(format!("{name}.hdf5"))).unwrap();
        let problem = from_fclib(&file.problem).unwrap();
        out.push(Reference {
            name: name.into(),
            problem,
            objective,
            gap: 1e-9,
            shift: 0.0,
            u: file.solution_ccp.unwrap().u,
            scaled_error,
        });
    }
    out
}

fn solved(reference: &Reference, settings: SolverSettings) -> signorini_solver::Solution {
    solve(&reference.problem, &settings).unwrap()
}

fn to(tolerance: f64) -> SolverSettings {
    with(InteriorPoint::default(), tolerance)
}

fn with(method: impl Into<Method>, tolerance: f64) -> SolverSettings {
    SolverSettings::from(method).to(Tolerance::Relative(tolerance))
}

#[test]
fn the_interior_point_alone_reaches_1e_6_on_all() {
    for reference in references("interior point alone") {
        let solution = solved(&reference, with(InteriorPoint { polish: false, ..InteriorPoint::default() }, 1e-6));
        let report = &solution.report;
        assert_eq!(report.status, Status::Converged, "{}: {:?}", reference.name, report.residuals);
        assert!(report.residuals.natural_map_relative <= 1e-6, "{}", reference.name);
    }
}

#[test]
fn with_polish_all_reach_1e_8_and_four_in_five_1e_12() {
    let references = references("polish");
    let mut accurate = 0;
    for reference in &references {
        let solution = solved(reference, to(1e-12));
        let reached = solution.report.residuals.natural_map_relative;
        assert!(reached <= 1e-8, "{}: {reached:.1e}", reference.name);
        accurate += usize::from(reached <= 1e-12);
        // The objective of the reference, and the shift it was computed with.
        let difference = (solution.report.objective - reference.objective).abs();
        let allowed = (reference.gap + 1e-9) * reference.objective.abs();
        assert!(difference <= allowed, "{}: objective {:.13e}", reference.name, solution.report.objective);
        let shift = reference.problem.remarks().iter().find_map(|remark| match remark {
            Remark::Shifted { shift, .. } => Some(*shift),
            _ => None,
        });
        let shift = shift.unwrap_or(0.0);
        assert!((shift - reference.shift).abs() <= 1e-6 * reference.shift, "{}: shift {shift:e}", reference.name);
        // Relative velocities are unique: ours and the reference's differ by the accuracy of the reference.
        let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
        let free = signorini_solver::Delassus::new(&reference.problem).unwrap().free_velocity().to_vec();
        let apart = norm(&mut solution.relative_velocity.iter().zip(&reference.u).map(|(a, b)| a - b));
        let relative = apart / norm(&mut free.iter().copied());
        eprintln!(
            "{}: u differs by {relative:.1e}, reference accurate to {:.1e}",
            reference.name, reference.scaled_error
        );
        assert!(relative <= 1e-9 + 10.0 * reference.scaled_error, "{}: {relative:.1e}", reference.name);
    }
    assert!(5 * accurate >= 4 * references.len(), "{accurate} of {} reach 1e-12", references.len());
}

#[test]
fn every_form_and_the_newton_method_agree() {
    for reference in references("agreement of forms") {
        // The unsymmetric form takes seconds on the large piles.
        let small = reference.problem.row_count() < 1500;
        let mut settings: Vec<SolverSettings> = vec![with(SemismoothNewton::default(), 1e-10)];
        for kkt in [KktForm::QuasiDefinite, KktForm::Augmented] {
            if small || kkt == KktForm::QuasiDefinite {
                settings.push(with(InteriorPoint { kkt, ..InteriorPoint::default() }, 1e-10));
            }
        }
        let expected = solved(&reference, to(1e-10));
        for settings in settings {
            let solution = solve(&reference.problem, &settings).unwrap();
            assert_eq!(
                solution.report.status,
                Status::Converged,
                "{} {settings:?}: {:?}",
                reference.name,
                solution.report
            );
            let difference = (solution.report.objective - expected.report.objective).abs();
            // An impulse off its cone by 1e-10 of the free velocity changes the objective to first order, by up to that
            // times the ratio of the impulses' work to the objective: below 100 here.
            assert!(difference <= 1e-8 * expected.report.objective.abs(), "{}: {difference:e}", reference.name);
        }
    }
}

#[test]
fn the_jammed_pile_reaches_1e_8() {
    let Some(folder) = sample_problems("jammed pile") else { return };
    let file = fclib::read(&folder.join("chrono/ChronoBalls-512-jammed.hdf5")).unwrap();
    let problem = from_fclib(&file.problem).unwrap();
    let solution = solve(&problem, &to(1e-8)).unwrap();
    assert_eq!(solution.report.status, Status::Converged, "{:?}", solution.report.residuals);
    assert!((solution.report.objective / -1.1859549997614e+05 - 1.0).abs() < 1e-6);
}

#[test]
fn a_problem_written_by_us_is_the_same_problem() {
    let Some(folder) = sample_problems("writing") else { return };
    for name in [
        "fc/Box_Stacks-i0122-82-5.hdf5",
        "fc/Capsules-i101-404.hdf5",
        "fc/gfc2d_granularflowonwall_00069_00350.hdf5",
        "fc/Chute-ndof-768-nc-4-3.hdf5",
        "fc/rockfall_14_25792.hdf5",
    ] {
        let file = fclib::read(Path::new(&folder).join(name).as_path()).unwrap();
        let problem = from_fclib(&file.problem).unwrap();
        let written = signorini_solver::problem::to_fclib(&problem).unwrap();
        assert_eq!(matches!(written, FclibProblem::Local(_)), matches!(file.problem, FclibProblem::Local(_)));
        assert_eq!(written.mu_r(), file.problem.mu_r());
        let again = from_fclib(&written).unwrap();
        let (a, b) = (solve(&problem, &to(1e-9)).unwrap(), solve(&again, &to(1e-9)).unwrap());
        assert!((a.report.objective / b.report.objective - 1.0).abs() < 1e-12, "{name}");
    }
}

/// The four rolling problems of the set, one by one: all that the others promise, and more digits.
#[test]
fn rolling_problems_reach_1e_12() {
    let rolls = |reference: &Reference| {
        reference.problem.cones().iter().any(|cone| matches!(cone, signorini_solver::Cone::Rolling { .. }))
    };
    let found: Vec<Reference> = references("rolling").into_iter().filter(rolls).collect();
    assert!(found.is_empty() || found.len() == 4);
    for reference in found {
        for polish in [true, false] {
            let tolerance = if polish { 1e-12 } else { 1e-7 };
            let solution = solved(&reference, with(InteriorPoint { polish, ..InteriorPoint::default() }, tolerance));
            let (report, reached) = (&solution.report, solution.report.residuals.natural_map_relative);
            eprintln!(
                "{} (polish {polish}): {reached:.1e} after {} {:?}, objective {:.13e}, reference {:.13e}",
                reference.name, report.iterations, report.phases, report.objective, reference.objective
            );
            assert_eq!(report.status, Status::Converged, "{}: {reached:.1e}", reference.name);
        }
    }
}
