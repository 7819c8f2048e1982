//! Speed of one iteration of the first-order methods, beside the time the memory needs for the same bytes.

use crate::table::{Table, Value};
use anyhow::{Context, Result};
use rayon::prelude::*;
use signorini_solver::family::SpherePacking;
use signorini_solver::{Apgd, ConeProblem, Jacobi, Method, SolverSettings, Spg, Tolerance, solve};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of spheres; a packing has about three contacts a sphere
    #[arg(long, default_value_t = 33_000)]
    bodies: usize,
    /// Coefficient of friction
    #[arg(long, default_value_t = 0.3)]
    friction: f64,
    /// Numbers of threads, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Runs of which the fastest counts
    #[arg(long, default_value_t = 7)]
    repeat: usize,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// What one iteration reads and writes: passes over J, vectors of the rows, vectors of the velocities.
struct Traffic {
    method: Method,
    passes: f64,
    rows: f64,
    columns: f64,
}

/// Every vector counts once for each time an iteration has to read or write it from end to end.
fn methods() -> [Traffic; 3] {
    [
        // Rows: r, x, x₋, x⁺. Bodies: v_y read and written; p and v of x and x₋ read, of x⁺ written; H⁻¹.
        Traffic { method: Apgd::default().into(), passes: 1.0, rows: 4.0, columns: 9.0 },
        // Rows: r, x, x⁺, d twice. Bodies: v three times, p_d, v_d, H⁻¹; every other time J and v_d again.
        Traffic { method: Spg::default().into(), passes: 1.5, rows: 5.0, columns: 6.5 },
        // Rows: r, g twice. Bodies: v twice, p, H⁻¹.
        Traffic {
            method: Jacobi { omega: Some(0.3), ..Jacobi::default() }.into(),
            passes: 1.0,
            rows: 3.0,
            columns: 4.0,
        },
    ]
}

impl Traffic {
    fn bytes(&self, problem: &ConeProblem) -> f64 {
        let entries: usize = (0..problem.blocks())
            .map(|k| problem.rows().rows_of(k).len() * problem.rows().block(k).columns.len())
            .sum();
        let (rows, columns) = (problem.row_count() as f64, problem.velocities() as f64);
        8.0 * (self.passes * entries as f64 + self.rows * rows + self.columns * columns)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { bodies, friction, repeat, .. } = *arguments;
    let problem = SpherePacking { bodies, friction, ..SpherePacking::default() }.problem().context("packing")?;
    println!("{bodies} spheres, {} contacts", problem.contacts());
    let mut table = Table::new(&[
        "method",
        "threads",
        "ns/contact",
        "MB/iteration",
        "iteration",
        "streaming",
        "GB/s",
        "iteration / streaming",
        "1 thread / this",
    ]);
    for traffic in methods() {
        let bytes = traffic.bytes(&problem);
        let mut alone = None;
        for &threads in &arguments.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let (mut seconds, mut streaming) = (f64::INFINITY, f64::INFINITY);
            let buffer = vec![1.0; bytes as usize / 8];
            for _ in 0..repeat {
                seconds = seconds.min(pool.install(|| iteration_seconds(&problem, &traffic.method))?);
                streaming = streaming.min(pool.install(|| streaming_seconds(&buffer)));
            }
            let alone = *alone.get_or_insert(seconds);
            table.push(vec![
                Value::text(traffic.method.name()),
                Value::Count(threads),
                Value::Ratio(1e9 * seconds / problem.contacts() as f64),
                Value::Ratio(bytes / 1e6),
                Value::Seconds(seconds),
                Value::Seconds(streaming),
                Value::Ratio(bytes / streaming / 1e9),
                Value::Ratio(seconds / streaming),
                Value::Ratio(alone / seconds),
            ]);
        }
    }
    table.finish(arguments.csv.as_deref())
}

/// Iterations of a run, between two measurements of the residual by the driver.
const ITERATIONS: u32 = 49;

/// Seconds of one iteration: what a run takes beyond one of a single iteration, which has the same setup and
/// measurements.
fn iteration_seconds(problem: &ConeProblem, method: &Method) -> Result<f64> {
    let time = |iterations: u32| -> Result<f64> {
        let settings = SolverSettings { max_iterations: Some(iterations), ..SolverSettings::from(method.clone()) };
        let report = solve(problem, &settings.to(Tolerance::Relative(1e-14)))?.report;
        Ok(report.timings.iterations)
    };
    Ok((time(ITERATIONS)? - time(1)?) / f64::from(ITERATIONS - 1))
}

/// Seconds to add up the numbers of a buffer.
fn streaming_seconds(buffer: &[f64]) -> f64 {
    let sum = |part: &[f64]| {
        let mut sums = [0.0; 16];
        for chunk in part.as_chunks::<16>().0 {
            (0..16).for_each(|i| sums[i] += chunk[i]);
        }
        sums.iter().sum::<f64>()
    };
    let passes = 10;
    let started = Instant::now();
    for _ in 0..passes {
        std::hint::black_box(std::hint::black_box(buffer).par_chunks(1 << 15).map(sum).sum::<f64>());
    }
    started.elapsed().as_secs_f64() / f64::from(passes)
}
