//! The rules a problem obeys, read or to be written.

use signorini_linalg::CscMatrix;

use super::FclibError;
use super::dataset::length;
use super::error::Blame;
use super::matrix::check_finite;
use super::problem::{FclibFile, FclibProblem, GlobalProblem, Info, LocalProblem, StoredSolution};

/// Checks dimension, sizes, signs and finiteness of everything in a file.
pub(super) fn check(blame: Blame<'_>, file: &FclibFile) -> Result<(), FclibError> {
    let (problem, group) = (&file.problem, file.problem.group());
    check_dimension(blame, problem)?;
    match problem {
        FclibProblem::Local(local) => check_local(blame, group, local)?,
        FclibProblem::Global(global) => check_global(blame, group, global)?,
    }
    check_contacts(blame, problem)?;
    check_info(blame, group, &file.info)?;
    for (path, solution) in [("/solution", &file.solution), ("/solution_ccp", &file.solution_ccp)] {
        if let Some(solution) = solution {
            check_solution(blame, path, problem, solution)?;
        }
    }
    for (at, guess) in file.guesses.iter().enumerate() {
        check_solution(blame, &format!("/guesses/{}", at + 1), problem, guess)?;
    }
    Ok(())
}

fn check_dimension(blame: Blame<'_>, problem: &FclibProblem) -> Result<(), FclibError> {
    let path = format!("{}/spacedim", problem.group());
    match (problem.dimension(), problem.mu_r().is_some()) {
        (2 | 3, false) | (5, true) => Ok(()),
        (found, false) => Err(blame.bad_value(path, found, "2 or 3 (5 with rolling friction only)")),
        (found, true) => Err(blame.bad_value(path, found, "5 with rolling friction")),
    }
}

fn check_local(blame: Blame<'_>, group: &str, problem: &LocalProblem) -> Result<(), FclibError> {
    let unknowns = problem.q.len();
    check_vector(blame, &format!("{group}/vectors/q"), &problem.q, unknowns)?;
    check_matrix(blame, &format!("{group}/W"), &problem.w, unknowns, unknowns)?;
    let (path_v, path_r, path_s) = (format!("{group}/V"), format!("{group}/R"), format!("{group}/vectors/s"));
    match (&problem.v, &problem.r, &problem.s) {
        (None, None, None) => Ok(()),
        (Some(v), Some(r), Some(s)) => {
            check_vector(blame, &path_s, s, s.len())?;
            check_matrix(blame, &path_v, v, unknowns, s.len())?;
            check_matrix(blame, &path_r, r, s.len(), s.len())
        }
        (v, r, _) => {
            let absent = if v.is_none() { path_v } else { [path_s, path_r][usize::from(r.is_none())].clone() };
            Err(blame.missing(absent, "V, R and vectors/s are given together or not at all"))
        }
    }
}

fn check_global(blame: Blame<'_>, group: &str, problem: &GlobalProblem) -> Result<(), FclibError> {
    let (velocities, unknowns) = (problem.f.len(), problem.w.len());
    check_vector(blame, &format!("{group}/vectors/f"), &problem.f, velocities)?;
    check_vector(blame, &format!("{group}/vectors/w"), &problem.w, unknowns)?;
    check_matrix(blame, &format!("{group}/M"), &problem.m, velocities, velocities)?;
    check_matrix(blame, &format!("{group}/H"), &problem.h, velocities, unknowns)?;
    let (path_g, path_b) = (format!("{group}/G"), format!("{group}/vectors/b"));
    match (&problem.g, &problem.b) {
        (None, None) => Ok(()),
        (Some(g), Some(b)) => {
            check_vector(blame, &path_b, b, b.len())?;
            check_matrix(blame, &path_g, g, velocities, b.len())
        }
        (g, _) => {
            let absent = if g.is_none() { path_g } else { path_b };
            Err(blame.missing(absent, "G and vectors/b are given together or not at all"))
        }
    }
}

fn check_contacts(blame: Blame<'_>, problem: &FclibProblem) -> Result<(), FclibError> {
    let (group, dimension) = (problem.group(), problem.dimension());
    let constant = if matches!(problem, FclibProblem::Local(_)) { "q" } else { "w" };
    let (path, unknowns) = (format!("{group}/vectors/{constant}"), problem.unknowns());
    if unknowns % dimension != 0 {
        let expected = format!("a multiple of {dimension}, the value of {group}/spacedim");
        return Err(blame.wrong_size(path, length(unknowns), expected));
    }
    let contacts = unknowns / dimension;
    for (name, coefficients) in [("mu", Some(problem.mu())), ("mu_r", problem.mu_r())] {
        let (at, Some(coefficients)) = (format!("{group}/vectors/{name}"), coefficients) else { continue };
        if coefficients.len() != contacts {
            let expected = format!("{}: one for {dimension} of the {unknowns} in {path}", length(contacts));
            return Err(blame.wrong_size(at, length(coefficients.len()), expected));
        }
        // NaN fails this test too.
        if let Some(bad) = coefficients.iter().position(|&mu| !(mu >= 0.0 && mu.is_finite())) {
            return Err(blame.bad_value(format!("{at}[{bad}]"), coefficients[bad], "a finite number ≥ 0"));
        }
    }
    Ok(())
}

fn check_info(blame: Blame<'_>, group: &str, info: &Info) -> Result<(), FclibError> {
    for (name, text) in [("title", &info.title), ("description", &info.description), ("math_info", &info.math_info)] {
        if text.contains('\0') {
            return Err(blame.bad_value(format!("{group}/info/{name}"), format!("{text:?}"), "text without NUL"));
        }
    }
    Ok(())
}

fn check_solution(
    blame: Blame<'_>,
    path: &str,
    problem: &FclibProblem,
    solution: &StoredSolution,
) -> Result<(), FclibError> {
    check_vector(blame, &format!("{path}/u"), &solution.u, problem.unknowns())?;
    check_vector(blame, &format!("{path}/r"), &solution.r, problem.unknowns())?;
    for (name, values, size, owner) in [
        ("v", &solution.v, problem.velocities(), "a global problem"),
        ("l", &solution.l, problem.bilaterals(), "a problem with bilateral constraints"),
    ] {
        let (at, Some(values)) = (format!("{path}/{name}"), values) else { continue };
        match size {
            Some(size) => check_vector(blame, &at, values, size)?,
            None => return Err(blame.wrong_size(at, length(values.len()), format!("none: only {owner} has it"))),
        }
    }
    Ok(())
}

fn check_vector(blame: Blame<'_>, path: &str, values: &[f64], size: usize) -> Result<(), FclibError> {
    if values.len() != size {
        return Err(blame.wrong_size(path, length(values.len()), length(size)));
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(blame.bad_value(format!("{path}[{at}]"), values[at], "a finite number")),
    }
}

fn check_matrix(blame: Blame<'_>, path: &str, matrix: &CscMatrix, rows: usize, cols: usize) -> Result<(), FclibError> {
    if (matrix.nrows(), matrix.ncols()) != (rows, cols) {
        let found = format!("{} rows and {} columns", matrix.nrows(), matrix.ncols());
        return Err(blame.wrong_size(path, found, format!("{rows} rows and {cols} columns")));
    }
    check_finite(blame, path, matrix)
}
