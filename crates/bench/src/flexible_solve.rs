//! One step of a slab of finite elements on a floor, against the time of one Cholesky factorisation of its H.

use crate::table::{Table, Value};
use anyhow::{Context, Result, bail};
use signorini_experiments::memory::{peak_bytes, reset_peak};
use signorini_linalg::{Cholesky, SparseAnalysis, SparseFactor, SymbolicFactor, Threads, order_symmetric};
use signorini_solver::family::{ElasticSlab, GRAVITY};
use signorini_solver::problem::Inertia;
use signorini_solver::{Method, Solution, SolverSettings, Tolerance, solve};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// About how many tetrahedra; the slab is square and ten nodes thick
    #[arg(long, default_value_t = 100_000)]
    tetrahedra: usize,
    /// Frictional contacts under it
    #[arg(long, default_value_t = 2_000)]
    contacts: usize,
    /// Young's moduli in Pa, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1e6")]
    young: Vec<f64>,
    /// Methods, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "auto,apgd,spg,gpminres,jacobi")]
    methods: Vec<String>,
    /// Threads; 0: as many as there are processors
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seconds after which a method is stopped
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// Runs of which the fastest counts
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE", default_value = "bench/results/flexible-solve.csv")]
    csv: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    pool.install(|| measure(arguments))
}

fn measure(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "Young Pa",
        "method",
        "tolerance",
        "status",
        "iterations",
        "whole solve",
        "solve / Cholesky",
        "natural map m/s",
        "relative",
        "peak MB",
    ]);
    for &young in &arguments.young {
        let slab = ElasticSlab { young, ..ElasticSlab::of_tetrahedra(arguments.tetrahedra, arguments.contacts) };
        measure_slab(arguments, &slab, &mut table)?;
    }
    table.finish(Some(&arguments.csv))
}

/// The fastest of some runs, in seconds, and what the last one made.
fn fastest<T>(repeat: usize, mut work: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let mut best = f64::INFINITY;
    let mut made = None;
    for _ in 0..repeat.max(1) {
        drop(made.take());
        let started = Instant::now();
        made = Some(work()?);
        best = best.min(started.elapsed().as_secs_f64());
    }
    made.map(|made| (best, made)).context("nothing was run")
}

fn measure_slab(arguments: &Arguments, slab: &ElasticSlab, table: &mut Table) -> Result<()> {
    let repeat = arguments.repeat;
    let (matrix, mass) = slab.inertia()?;
    let (analysis_time, analysis) = fastest(1, || Ok(Arc::new(SparseAnalysis::of(&matrix)?)))?;
    let (cholesky, factor) = fastest(repeat, || Ok(SparseFactor::new(analysis.clone(), &matrix, Threads::Pool)?))?;
    let (mut x, mut space) = (vec![1.0; matrix.nrows()], factor.space_for_all());
    let (pair, ()) = fastest(3 * repeat, || {
        factor.solve_by(&mut x, &mut space, Threads::Pool);
        Ok(())
    })?;
    drop((factor, space));
    let lower = matrix.lower_triangle();
    let symbolic = Arc::new(SymbolicFactor::analyse(&lower, &order_symmetric(&matrix))?);
    let mut other = Cholesky::new(symbolic, Threads::Pool);
    let (faer, ()) = fastest(repeat, || Ok(other.factorise(&lower)?))?;
    drop(other);
    println!(
        "{} tetrahedra, E = {:.0e} Pa: n = {}, rows = {}, nnz(H) = {}, nnz(L) = {} ({:.0} MB), {:.2} Gflop, {} threads",
        slab.tetrahedra(),
        slab.young,
        matrix.nrows(),
        3 * slab.contacts,
        matrix.nnz(),
        analysis.factor_entries(),
        8e-6 * analysis.factor_entries() as f64,
        1e-9 * analysis.flops(),
        rayon::current_num_threads(),
    );
    println!(
        "analysis {:.0} ms, Cholesky {:.0} ms (faer's supernodal one {:.0} ms), pair of triangular solves {:.1} ms",
        1e3 * analysis_time,
        1e3 * cholesky,
        1e3 * faer,
        1e3 * pair,
    );
    let step = Tolerance::Velocity(0.05 * GRAVITY * slab.step);
    for name in &arguments.methods {
        let Some(method) = Method::named(name) else { bail!("no method is called `{name}`") };
        for (label, tolerance) in [("step", step), ("1e-6", Tolerance::Relative(1e-6))] {
            let settings =
                SolverSettings { tolerance, time_limit: Some(arguments.limit), ..SolverSettings::from(method.clone()) };
            reset_peak();
            let whole = || -> Result<Solution> {
                let inertia = Inertia::sparse_with(matrix.clone(), &analysis);
                let problem = slab.problem_of(inertia, &mass)?;
                Ok(solve(&problem, &settings)?)
            };
            let outcome = fastest(repeat, whole);
            let peak = peak_bytes().map(|bytes| bytes as f64);
            let mut row = vec![Value::Small(slab.young), Value::text(name), Value::text(label)];
            match outcome {
                Ok((seconds, solution)) => {
                    let report = &solution.report;
                    row.extend([
                        Value::text(format!("{} by {}", report.status, report.method)),
                        Value::Count(report.iterations as usize),
                        Value::Seconds(seconds),
                        Value::Ratio(seconds / cholesky),
                        Value::Small(report.residuals.natural_map),
                        Value::Small(report.residuals.natural_map_relative),
                    ]);
                }
                Err(error) => {
                    row.push(Value::text(error.to_string()));
                    row.extend(std::iter::repeat_n(Value::Missing, 5));
                }
            }
            row.push(peak.map_or(Value::Missing, |bytes| Value::Ratio(1e-6 * bytes)));
            table.push(row);
        }
    }
    Ok(())
}
