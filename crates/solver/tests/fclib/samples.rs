//! The shared set of contact problems with reference solutions, where it is at hand.

use std::fs;

use signorini_solver::fclib::{self, FclibProblem, GlobalProblem, LocalProblem, StoredSolution};
use signorini_testkit::{sample_problems, table};

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// ‖u − (W r + q)‖ over the size of its terms. The references use the symmetric part of W, shifted.
fn local_residual(problem: &LocalProblem, solution: &StoredSolution, shift: f64) -> f64 {
    let (w, _) = problem.w.symmetric_part();
    let mut u = problem.q.clone();
    w.mul_add(1.0, &solution.r, &mut u);
    let difference: Vec<f64> = (0..u.len()).map(|k| u[k] + shift * solution.r[k] - solution.u[k]).collect();
    norm(&difference) / (norm(&problem.q) + w.max_abs() * norm(&solution.r))
}

/// The larger of ‖M v − (H r + f)‖ and ‖u − (Hᵀ v + w)‖ over the size of their terms; symmetric part of M.
fn global_residual(problem: &GlobalProblem, solution: &StoredSolution) -> f64 {
    let v = solution.v.as_ref().expect("a global solution has velocities");
    let (m, _) = problem.m.symmetric_part();
    let mut balance = problem.f.clone();
    problem.h.mul_add(1.0, &solution.r, &mut balance);
    m.mul_add(-1.0, v, &mut balance);
    let mut u = problem.w.clone();
    problem.h.mul_transpose_add(1.0, v, &mut u);
    let difference: Vec<f64> = u.iter().zip(&solution.u).map(|(a, b)| a - b).collect();
    let balance = norm(&balance) / (norm(&problem.f) + m.max_abs() * norm(v));
    balance.max(norm(&difference) / (norm(&problem.w) + problem.h.max_abs() * norm(v)))
}

#[test]
fn every_sample_problem_is_read_and_its_solution_fits() {
    let Some(folder) = sample_problems("every sample problem") else { return };
    let rows = table(&folder.join("reference.csv")).unwrap();
    let mut worst = Vec::new();
    for row in &rows {
        let file = fclib::read(&folder.join(&row["file"])).unwrap();
        let (name, problem) = (&row["instance"], &file.problem);
        let number = |column: &str| row[column].parse::<usize>().unwrap();
        assert_eq!(problem.contacts(), number("n_contacts"), "{name}");
        assert_eq!(problem.unknowns(), number("n_unknowns"), "{name}");
        assert_eq!(problem.dimension(), number("space_dim"), "{name}");
        if let Some(velocities) = problem.velocities() {
            assert_eq!(velocities, number("dof"), "{name}");
        }
        assert_eq!(row["formulation"].starts_with("local"), matches!(problem, FclibProblem::Local(_)), "{name}");
        let mu = problem.mu();
        let (least, most) = mu.iter().fold((f64::MAX, 0.0f64), |(a, b), &mu| (a.min(mu), b.max(mu)));
        for (found, column) in [(least, "mu_min"), (most, "mu_max")] {
            let stated: f64 = row[column].parse().unwrap();
            assert!((found - stated).abs() <= 1e-3 * stated, "{name}: {column} {found}, stated {stated}");
        }
        assert!(file.solution.is_some() && !file.info.title.is_empty(), "{name}");
        let shift: f64 = row["ccp_shift"].parse().unwrap();
        let solution = file.solution_ccp.as_ref().expect("every sample has one");
        let residual = match problem {
            FclibProblem::Local(local) => local_residual(local, solution, shift),
            FclibProblem::Global(global) => global_residual(global, solution),
        };
        worst.push((residual, name.clone()));
    }
    finish(worst, 40);
}

#[test]
fn every_chrono_pile_is_read_and_its_solution_fits() {
    let Some(folder) = sample_problems("Chrono piles") else { return };
    let expected = [
        ("ChronoBalls-128-mu0", 502, 768, 0.0),
        ("ChronoBalls-512-mu0.3", 1832, 3072, 0.3),
        ("ChronoBalls-1024-mu0.3", 3841, 6144, 0.3),
        ("ChronoBalls-512-jammed", 1943, 3072, 0.3),
    ];
    let mut worst = Vec::new();
    for (name, contacts, velocities, mu) in expected {
        let file = fclib::read(&folder.join(format!("chrono/{name}.hdf5"))).unwrap();
        let FclibProblem::Global(problem) = &file.problem else { panic!("{name} is global") };
        assert_eq!((file.problem.contacts(), problem.f.len(), problem.w.len()), (contacts, velocities, 3 * contacts));
        assert!(problem.mu.iter().all(|&found| found == mu), "{name}");
        worst.push((global_residual(problem, file.solution_ccp.as_ref().unwrap()), name.to_string()));
    }
    finish(worst, 4);
}

/// The stored vectors were computed from one another: rounding only, also with entries over eight orders of magnitude.
fn finish(mut residuals: Vec<(f64, String)>, at_least: usize) {
    residuals.sort_by(|a, b| b.0.total_cmp(&a.0));
    eprintln!("{} problems; largest residuals {:?}", residuals.len(), &residuals[..residuals.len().min(5)]);
    assert!(residuals.len() >= at_least, "only {} problems found", residuals.len());
    assert!(residuals[0].0 < 1e-11, "{:?}", residuals[0]);
}

#[test]
fn every_sample_survives_writing_and_reading() {
    let Some(folder) = sample_problems("round trip of samples") else { return };
    for sub in ["fc", "chrono"] {
        for entry in fs::read_dir(folder.join(sub)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "hdf5") {
                continue;
            }
            let file = fclib::read(&path).unwrap();
            let again = fclib::read_bytes("again", fclib::to_bytes(&file).unwrap()).unwrap();
            assert_eq!(again, file, "{}", path.display());
        }
    }
}

#[test]
fn other_sample_files_are_refused_with_their_groups() {
    let Some(folder) = sample_problems("LCP samples") else { return };
    let error = fclib::read(&folder.join("lcp/lcp_CPS_1.hdf5")).unwrap_err().to_string();
    assert!(error.contains("no contact problem: found the group lcp, expected one of"), "{error}");
}
