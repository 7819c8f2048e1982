//! Projected SOR in its three orders: what a sweep costs, and what sweeps gain.

use crate::cases::{Case, PackingArguments};
use crate::table::{Table, Value};
use anyhow::{Context, Result};
use signorini_solver::{Method, ParallelSor, Report, SolverSettings, Sor, SymmetricSor, Tolerance, solve};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    packings: PackingArguments,
    /// Numbers of threads, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_name = "N,…")]
    threads: Vec<usize>,
    /// Sweeps after which the residual is shown, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "100,1000,10000", value_name = "N,…")]
    after: Vec<u32>,
    /// Sweeps of a timed run
    #[arg(long, default_value_t = 200)]
    timed: u32,
    /// The best of so many timed runs is taken
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Write the table as CSV, all digits; one line for each number of sweeps
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table =
        Table::new(&["packing", "contacts", "method", "threads", "colours", "contact and sweep", "sweeps", "residual"]);
    for case in arguments.packings.cases(&[1000, 10_000])? {
        let colours = ParallelSor::colours(&case.problem)?;
        let methods: [Method; 3] =
            [Sor::default().into(), SymmetricSor::default().into(), ParallelSor::default().into()];
        for method in methods {
            // Threads change times only.
            let residuals = residuals(&case, &method, &arguments.after)?;
            let parallel = matches!(method, Method::ParallelSor(_));
            for &threads in arguments.threads.iter().take(if parallel { usize::MAX } else { 1 }) {
                let seconds = sweep_seconds(&case, &method, threads, arguments)?;
                for (sweeps, residual) in &residuals {
                    table.push(vec![
                        Value::text(&case.name),
                        Value::Count(case.problem.contacts()),
                        Value::text(method.name()),
                        Value::Count(threads),
                        if parallel { Value::Count(colours) } else { Value::Missing },
                        Value::Seconds(seconds / case.problem.contacts() as f64),
                        Value::Count(*sweeps as usize),
                        Value::Small(*residual),
                    ]);
                }
            }
        }
    }
    table.finish(arguments.csv.as_deref())
}

/// A run of so many sweeps, whatever it reaches.
fn sweeps(case: &Case, method: &Method, count: u32, history: bool) -> Result<Report> {
    let settings = SolverSettings {
        max_iterations: Some(count),
        history,
        ..SolverSettings::from(method.clone()).to(Tolerance::Relative(f64::MIN_POSITIVE))
    };
    Ok(solve(&case.problem, &settings).with_context(|| case.name.clone())?.report)
}

/// Seconds of one sweep, the share of the measurements that come every 50 sweeps included.
fn sweep_seconds(case: &Case, method: &Method, threads: usize, arguments: &Arguments) -> Result<f64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut best = f64::INFINITY;
    for _ in 0..arguments.repeat.max(1) {
        let report = pool.install(|| sweeps(case, method, arguments.timed, false))?;
        best = best.min(report.timings.iterations / f64::from(report.iterations.max(1)));
    }
    Ok(best)
}

/// Residuals of the first iterates recorded from each number of sweeps on: the history thins out as it gets longer.
fn residuals(case: &Case, method: &Method, after: &[u32]) -> Result<Vec<(u32, f64)>> {
    let report = sweeps(case, method, after.iter().copied().max().unwrap_or(0), true)?;
    let at = |&count: &u32| {
        let entry = report.history.iter().find(|entry| entry.iteration >= count).or(report.history.last());
        entry.map(|entry| (entry.iteration, entry.residuals.natural_map_relative))
    };
    Ok(after.iter().filter_map(at).collect())
}
