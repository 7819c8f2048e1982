//! GPMINRES against projected Jacobi on a frictionless packing: the comparison KS-1.

use crate::table::{Table, Value};
use anyhow::Result;
use signorini_solver::family::SpherePacking;
use signorini_solver::{
    ConeProblem, FacePreconditioner, Gpminres, GpminresP, HistoryEntry, InteriorPoint, Jacobi, Kucera, Method, Report,
    SolverSettings, Tolerance, solve,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of spheres
    #[arg(long, default_value_t = 1000)]
    bodies: usize,
    /// Chooses another pile
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Iterations of Jacobi in the paper; its third row is the one GPMINRES is compared with.
const JACOBI: [u32; 4] = [1_000, 10_000, 43_000, 100_000];
const COMPARED: usize = 2;
/// Iterations of GPMINRES in the paper.
const GPMINRES: [u32; 2] = [1_000, 10_000];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let packing = SpherePacking { bodies: arguments.bodies, friction: 0.0, seed: arguments.seed, ..Default::default() };
    let problem = packing.problem()?;
    let best = solve(&problem, &SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-12)))?;
    let least = best.report.objective;
    println!("{} spheres, {} contacts, least objective {least:.9}", arguments.bodies, problem.blocks());

    let columns = ["method", "iterations", "objective", "above least", "residual", "time", "same as jacobi", "ratio"];
    let mut table = Table::new(&columns);
    let mut target = None;
    for (row, &iterations) in JACOBI.iter().enumerate() {
        let report = limited(&problem, Jacobi::default().into(), iterations, false)?;
        table.push(line("jacobi", &report, least, None, None));
        if row == COMPARED {
            target = Some((report.objective, seconds(&report)));
        }
    }
    let complete = GpminresP { preconditioner: FacePreconditioner::Complete, ..Default::default() };
    let incomplete = GpminresP { preconditioner: FacePreconditioner::Incomplete, ..Default::default() };
    let mut methods: Vec<(&str, Method, u32)> = Vec::new();
    methods.extend(GPMINRES.map(|iterations| ("gpminres", Gpminres::default().into(), iterations)));
    methods.push(("gpminres-p, complete", complete.into(), GPMINRES[0]));
    methods.push(("gpminres-p, incomplete", incomplete.into(), GPMINRES[0]));
    methods.push(("kucera", Kucera::default().into(), GPMINRES[0]));
    methods.push(("kucera", Kucera::default().into(), GPMINRES[1]));
    for (name, method, iterations) in methods {
        // The history costs time that its clock leaves out; the whole time is taken without it.
        let report = limited(&problem, method.clone(), iterations, false)?;
        let history = limited(&problem, method, iterations, true)?.history;
        let equal = target.and_then(|(objective, _)| first_below(&history, objective));
        let ratio = target.zip(equal).map(|((_, jacobi), equal)| jacobi / equal);
        table.push(line(name, &report, least, equal, ratio));
    }
    table.finish(arguments.csv.as_deref())
}

/// One run to an iteration limit; the tolerance is out of reach, so that only rounding ends it earlier.
fn limited(problem: &ConeProblem, method: Method, iterations: u32, history: bool) -> Result<Report> {
    let tolerance = Tolerance::Relative(1e-15);
    let limits = SolverSettings { max_iterations: Some(iterations), history, parallel: false, ..Default::default() };
    Ok(solve(problem, &SolverSettings { method, tolerance, ..limits })?.report)
}

fn seconds(report: &Report) -> f64 {
    report.timings.setup + report.timings.iterations
}

/// Seconds after which a run had an objective as low as `objective`.
fn first_below(history: &[HistoryEntry], objective: f64) -> Option<f64> {
    history.iter().find(|entry| entry.objective <= objective).map(|entry| entry.seconds)
}

fn line(name: &str, report: &Report, least: f64, equal: Option<f64>, ratio: Option<f64>) -> Vec<Value> {
    vec![
        Value::text(name),
        Value::Count(report.iterations as usize),
        Value::text(format!("{:.9}", report.objective)),
        Value::Small(report.objective - least),
        Value::Small(report.residuals.natural_map_relative),
        Value::Seconds(seconds(report)),
        equal.map_or(Value::Missing, Value::Seconds),
        ratio.map_or(Value::Missing, Value::Ratio),
    ]
}
