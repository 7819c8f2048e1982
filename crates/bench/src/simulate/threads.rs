//! Whole steps of balls, or of many small heaps, by number of threads: what is gained, part by part, and that the bits stay the same. Parts and `step` are
//! medians over the steps, which differ much: of few iterations in free fall, of hundreds where the pile hits the floor.

use super::balls::BallDrop;
use super::heaps;
use crate::table::{Table, Value};
use anyhow::{Context, Result, ensure};
use signorini_mechanics::{Settings, Simulation, StepTimings};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of balls
    #[arg(long, default_value_t = 32_000)]
    balls: usize,
    /// Layers they start on
    #[arg(long, default_value_t = 20)]
    layers: usize,
    /// So many heaps of five boxes that have nothing to do with each other, instead of the balls
    #[arg(long)]
    heaps: Option<usize>,
    /// Steps before those that are measured
    #[arg(long, default_value_t = 0)]
    settle: u32,
    /// Numbers of threads, each with a run of its own
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Steps of 0.01 s that are measured
    #[arg(long, default_value_t = 20)]
    steps: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The middle of some times: a machine that is busy now and then does not count.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let titles = [
        "threads",
        "contacts",
        "iterations",
        "collision",
        "assembly",
        "solve",
        "of that set-up",
        "step",
        "gain",
        "all steps",
        "gain of all",
    ];
    let mut table = Table::new(&titles);
    let drop = BallDrop { count: arguments.balls, layers: arguments.layers, friction: 0.3, at_rest: false };
    let model = || arguments.heaps.map_or_else(|| drop.model(), heaps::model);
    let (mut alone, mut all_alone, mut hash) = (None, None, None);
    for &threads in &arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("no threads")?;
        let settings = Settings { step: 0.01, parallel: threads > 1, sleeping: false, ..Settings::default() };
        let mut simulation = Simulation::new(model()?, settings)?;
        let (mut parts, mut contacts, mut iterations) = (vec![Vec::new(); 5], 0, 0);
        pool.install(|| -> Result<()> {
            (0..arguments.settle).try_for_each(|_| simulation.step().map(|_| ()))?;
            for _ in 0..arguments.steps {
                let started = Instant::now();
                let report = simulation.step()?;
                let seconds = started.elapsed().as_secs_f64();
                let StepTimings { collision, assembly, solve, setup } = report.timings;
                let times = [collision, assembly, solve, setup, seconds];
                parts.iter_mut().zip(times).for_each(|(list, time)| list.push(time));
                contacts = contacts.max(report.contacts);
                iterations += report.iterations;
            }
            Ok(())
        })?;
        let reached = simulation.state().hash();
        ensure!(
            *hash.get_or_insert(reached) == reached,
            "{threads} threads give other bits than {}",
            arguments.threads[0]
        );
        let all: f64 = parts[4].iter().sum();
        let all_first = *all_alone.get_or_insert(all);
        let medians: Vec<f64> = parts.iter_mut().map(|times| median(times)).collect();
        let step = medians[4];
        let first = *alone.get_or_insert(step);
        let mut row = vec![Value::Count(threads), Value::Count(contacts)];
        row.push(Value::Ratio(f64::from(iterations) / f64::from(arguments.steps)));
        row.extend(medians.iter().map(|seconds| Value::Seconds(*seconds)));
        row.push(Value::Ratio(first / step));
        row.push(Value::Seconds(all));
        row.push(Value::Ratio(all_first / all));
        table.push(row);
    }
    table.finish(arguments.csv.as_deref())
}
