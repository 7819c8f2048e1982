//! Clarabel on one problem, made as accurate as asked by our residual.

use crate::clarabel_form::ClarabelForm;
use anyhow::{Result, anyhow};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};
use signorini_solver::{ConeProblem, ResidualMeter};
use std::time::Instant;

/// Factorisations Clarabel can use here: its own, and supernodal by faer.
pub(crate) const BACKENDS: [&str; 2] = ["qdldl", "faer"];
/// Tolerances asked of Clarabel, one after the other, until our residual is met.
const LEVELS: [f64; 8] = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13];
/// A backend that is this many times slower than the other at the first level is not tried further.
const HOPELESS: f64 = 3.0;

/// What one run gave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClarabelRun {
    pub(crate) backend: &'static str,
    /// Units of the data.
    pub(crate) units: &'static str,
    /// Tolerance asked of Clarabel.
    pub(crate) level: f64,
    pub(crate) seconds: f64,
    pub(crate) iterations: u32,
    /// Our residual of its answer, `natural_map_relative`.
    pub(crate) residual: f64,
}

/// One run: set-up and solve are timed, making P, q, A, b is not.
pub(crate) fn run(
    form: &ClarabelForm,
    problem: &ConeProblem,
    meter: &mut ResidualMeter,
    backend: &'static str,
    level: f64,
    threads: usize,
) -> Result<ClarabelRun> {
    let settings = DefaultSettings::<f64> {
        verbose: false,
        tol_gap_abs: level,
        tol_gap_rel: level,
        tol_feas: level,
        // What counts as almost solved: we judge the answer ourselves, whatever it is called.
        reduced_tol_gap_abs: 1e-3,
        reduced_tol_gap_rel: 1e-3,
        reduced_tol_feas: 1e-3,
        direct_solve_method: backend.into(),
        max_threads: threads as u32,
        ..DefaultSettings::default()
    };
    let started = Instant::now();
    let mut solver = DefaultSolver::new(&form.p, &form.q, &form.a, &form.b, &form.cones, settings)
        .map_err(|error| anyhow!("Clarabel: {error}"))?;
    solver.solve();
    let seconds = started.elapsed().as_secs_f64();
    let (v, g) = form.answer(&solver.solution.x, &solver.solution.z);
    let residual = meter.measure(problem, &v, &g).natural_map_relative;
    Ok(ClarabelRun {
        backend,
        units: form.units.name,
        level,
        seconds,
        iterations: solver.solution.iterations,
        residual,
    })
}

/// The fastest run that meets `tolerance`, over backends and levels; when none does, the most accurate run.
pub(crate) fn fastest(
    form: &ClarabelForm,
    problem: &ConeProblem,
    meter: &mut ResidualMeter,
    tolerance: f64,
    backends: &[&'static str],
    threads: usize,
) -> Result<ClarabelRun> {
    let mut first = Vec::new();
    for backend in backends {
        first.push(run(form, problem, meter, backend, LEVELS[0], threads)?);
    }
    let quickest = first.iter().map(|run| run.seconds).fold(f64::INFINITY, f64::min);
    let mut best: Option<ClarabelRun> = None;
    for candidate in first.into_iter().filter(|run| run.seconds <= HOPELESS * quickest) {
        let mut candidate = candidate;
        keep_better(&mut best, candidate, tolerance);
        for &level in &LEVELS[1..] {
            if candidate.residual <= tolerance {
                break;
            }
            candidate = run(form, problem, meter, candidate.backend, level, threads)?;
            keep_better(&mut best, candidate, tolerance);
        }
    }
    best.ok_or_else(|| anyhow!("Clarabel gave no answer"))
}

/// Whether a run serves better than an older one: met before missed, then the faster, or else the more accurate.
pub(crate) fn is_better(run: &ClarabelRun, old: &ClarabelRun, tolerance: f64) -> bool {
    match (old.residual <= tolerance, run.residual <= tolerance) {
        (true, met) => met && run.seconds < old.seconds,
        (false, true) => true,
        (false, false) => run.residual < old.residual || old.residual.is_nan(),
    }
}

fn keep_better(best: &mut Option<ClarabelRun>, run: ClarabelRun, tolerance: f64) {
    if best.is_none_or(|old| is_better(&run, &old, tolerance)) {
        *best = Some(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clarabel_form::Units;
    use signorini_solver::family::SpherePacking;
    use signorini_solver::{InteriorPoint, SolverSettings, Tolerance, solve};

    #[test]
    fn clarabel_and_our_solver_find_the_same_velocity() {
        for friction in [0.0, 0.3] {
            let problem = SpherePacking { bodies: 40, friction, ..Default::default() }.problem().unwrap();
            let mut meter = ResidualMeter::new(&problem).unwrap();
            let units = Units::natural(&mut meter, problem.row_count());
            let form = ClarabelForm::new(&problem, units).unwrap();
            let answer = fastest(&form, &problem, &mut meter, 1e-6, &BACKENDS, 1).unwrap();
            assert!(answer.residual < 1e-6, "{answer:?}");
            // Measured last with another level perhaps: run again to have its velocity in the meter.
            run(&form, &problem, &mut meter, answer.backend, answer.level, 1).unwrap();
            let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
            let ours = solve(&problem, &settings).unwrap();
            let apart = ours.velocity().iter().zip(meter.velocity()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Free fall over the step gives 0.1 m/s; the residual is relative to √contacts times that.
            assert!(apart < 1e-3, "friction {friction}: velocities differ by {apart} m/s");
        }
    }
}
