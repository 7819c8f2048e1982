//! What closing joints without energy costs: whole steps of the mechanisms of the gallery by `dvi-passive`, against those of `dvi-euler`.

use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Simulation, Stepper};
use signorini_scene::{Overrides, load};
use std::path::PathBuf;
use std::time::Instant;

/// Scenes of bodies that joints hold together; of these only the last has contacts.
const SCENES: [&str; 9] = [
    "pendulum",
    "double-pendulum",
    "pendulum-chain",
    "bricard",
    "n-four-bar",
    "andrews-squeezer",
    "gear-train",
    "redundant-joints",
    "slider-crank-clearance",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Steps of every scene
    #[arg(long, default_value_t = 1000)]
    steps: u32,
    /// How often everything is measured, by turns; the best counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&["scene", "steps", "dvi-euler", "dvi-passive", "dvi-passive / dvi-euler"]);
    for scene in SCENES {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..arguments.repeat {
            for (best, stepper) in best.iter_mut().zip([Stepper::DviEuler, Stepper::DviPassive]) {
                *best = best.min(seconds_per_step(scene, stepper, arguments.steps)?);
            }
        }
        let [euler, passive] = best;
        let mut row = vec![Value::text(scene), Value::Count(arguments.steps as usize)];
        row.extend(best.map(Value::Seconds));
        row.push(Value::Ratio(passive / euler));
        table.push(row);
    }
    table.finish(arguments.csv.as_deref())
}

/// The mean over the first steps of a scene.
fn seconds_per_step(name: &str, stepper: Stepper, steps: u32) -> Result<f64> {
    let scene = load(name, &Overrides { stepper: Some(stepper), ..Overrides::default() })?;
    let mut simulation = Simulation::new(scene.model, scene.settings)?;
    let started = Instant::now();
    for _ in 0..steps {
        simulation.step()?;
    }
    Ok(started.elapsed().as_secs_f64() / f64::from(steps))
}
