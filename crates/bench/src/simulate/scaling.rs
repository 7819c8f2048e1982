//! Time and memory of a step against the number of bodies, at a fixed number of iterations of a first-order method.

use super::balls::BallDrop;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_experiments::memory::{peak_bytes, reset_peak};
use signorini_mechanics::{Settings, Simulation};
use signorini_solver::{FrictionLaw, Method, Tolerance};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Numbers of balls
    #[arg(long, value_delimiter = ',', default_value = "1000,4000,16000,64000,100000")]
    balls: Vec<usize>,
    /// Layers of the pile: the same for all, so that piles are equally deep
    #[arg(long, default_value_t = 10)]
    layers: usize,
    /// Iterations of every step
    #[arg(long, default_value_t = 50)]
    iterations: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "balls",
        "contacts",
        "collision",
        "assembly",
        "solve",
        "µs a ball and step",
        "peak MB",
        "kB a ball, less 1 kB a contact",
        "B a contact, less 2 kB a ball",
    ]);
    for &count in &arguments.balls {
        let drop = BallDrop { count, layers: arguments.layers, friction: 0.3, at_rest: true };
        let before = reset_peak();
        let settings = Settings {
            method: Method::named("apgd").unwrap_or_default(),
            // Out of reach: every step takes all its iterations.
            tolerance: Some(Tolerance::Velocity(1e-12)),
            max_iterations: Some(arguments.iterations),
            friction: FrictionLaw::Relaxed,
            ..Settings::default()
        };
        let mut simulation = Simulation::new(drop.model()?, settings)?;
        // The first step only: later ones would have to undo what so few iterations leave.
        let started = Instant::now();
        let report = simulation.step()?;
        let seconds = started.elapsed().as_secs_f64();
        let (times, contacts) = (report.timings, report.contacts);
        let used = before.zip(peak_bytes()).map(|(before, peak)| peak.saturating_sub(before) as f64);
        let or_missing = |value: Option<f64>| value.map_or(Value::Missing, Value::Ratio);
        let (balls, pairs) = (count as f64, contacts as f64);
        table.push(vec![
            Value::Count(count),
            Value::Count(contacts),
            Value::Seconds(times.collision),
            Value::Seconds(times.assembly),
            Value::Seconds(times.solve),
            Value::Ratio(1e6 * seconds / balls),
            or_missing(used.map(|used| used / 1e6)),
            or_missing(used.map(|used| (used - 1024.0 * pairs) / 1024.0 / balls)),
            or_missing(used.map(|used| (used - 2048.0 * balls) / pairs)),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}
