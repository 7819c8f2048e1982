//! How far things move that should stand still.

use crate::table::{Table, Value};
use anyhow::{Result, anyhow};
use signorini_mechanics::Simulation;
use signorini_scene::{Overrides, load};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Gallery scenes or scene files
    #[arg(default_values = ["brick-wall", "plank-tower", "card-tower"])]
    scenes: Vec<String>,
    /// Simulated seconds
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Parameters of the scenes, NAME=VALUE
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "scene",
        "bodies",
        "step",
        "steps",
        "missed",
        "contacts",
        "drift [m]",
        "speed [m/s]",
        "iterations",
        "time a step",
    ]);
    let set = arguments.set.iter().map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(|| anyhow!("`{pair}`: expected NAME=VALUE"))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let overrides = Overrides { set: set.collect::<Result<_>>()?, ..Overrides::default() };
    for name in &arguments.scenes {
        let scene = load(name, &overrides).map_err(|errors| anyhow!("{errors}"))?;
        let step = scene.settings.step;
        let mut simulation = Simulation::new(scene.model, scene.settings)?;
        let start = simulation.state().clone();
        let (mut missed, mut contacts, mut iterations) = (0, 0, 0);
        let steps = (arguments.seconds / step).round() as u32;
        let started = Instant::now();
        for _ in 0..steps {
            let report = simulation.step()?;
            missed += usize::from(!report.converged());
            contacts = contacts.max(report.contacts);
            iterations += report.iterations as usize;
        }
        let seconds = started.elapsed().as_secs_f64() / f64::from(steps.max(1));
        let state = simulation.state();
        let drift = state.poses.iter().zip(&start.poses).map(|(now, then)| (now.position - then.position).length());
        let speed = state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        table.push(vec![
            Value::text(name),
            Value::Count(simulation.model().moving()),
            Value::Seconds(step),
            Value::Count(steps as usize),
            Value::Count(missed),
            Value::Count(contacts),
            Value::Small(drift.fold(0.0, f64::max)),
            Value::Small(speed),
            Value::Count(iterations),
            Value::Seconds(seconds),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}
