//! What a step of a pile at rest spends on preparing rather than on the step: layout, analysis, colours, set-up of the
//! measurement, checks and copies.

use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::Simulation;
use signorini_scene::{Overrides, load};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of balls
    #[arg(long, default_value_t = 8192)]
    balls: usize,
    /// Steps before the measurement: the pile comes to rest
    #[arg(long, default_value_t = 300)]
    settle: u32,
    /// Steps that are measured
    #[arg(long, default_value_t = 50)]
    steps: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let set = vec![("count".to_owned(), arguments.balls.to_string())];
    let scene = load("balls-in-box", &Overrides { set, ..Overrides::default() })?;
    let mut simulation = Simulation::new(scene.model, scene.settings)?;
    for _ in 0..arguments.settle {
        simulation.step()?;
    }
    let titles =
        ["steps", "contacts", "iterations", "collision", "assembly", "solve", "set-up", "step", "set-up / step"];
    let mut table = Table::new(&titles);
    let (mut parts, mut contacts, mut iterations, mut whole) = ([0.0; 4], 0, 0, 0.0);
    for _ in 0..arguments.steps {
        let started = Instant::now();
        let report = simulation.step()?;
        whole += started.elapsed().as_secs_f64();
        let times = report.timings;
        let found = [times.collision, times.assembly, times.solve, times.setup];
        parts.iter_mut().zip(found).for_each(|(sum, time)| *sum += time);
        contacts += report.contacts;
        iterations += report.iterations;
    }
    let steps = f64::from(arguments.steps);
    let mut row = vec![
        Value::Count(arguments.steps as usize),
        Value::Count(contacts / arguments.steps as usize),
        Value::Ratio(f64::from(iterations) / steps),
    ];
    row.extend(parts.iter().map(|sum| Value::Seconds(sum / steps)));
    row.push(Value::Seconds(whole / steps));
    row.push(Value::Ratio(parts[3] / whole));
    table.push(row);
    table.finish(arguments.csv.as_deref())
}
