//! How far things move that should stand still, how many of their contacts change from step to step, and what a step costs in the last quarter of the time.

use crate::table::{Table, Value};
use anyhow::{Result, anyhow};
use signorini_collision::Contact;
use signorini_mechanics::{Settings, Simulation};
use signorini_scene::{Overrides, load};
use std::collections::BTreeSet;
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
    /// With the tolerance, friction law and method of somebody who asks for none, whatever the scene says
    #[arg(long)]
    defaults: bool,
    /// Nobody falls asleep
    #[arg(long)]
    awake: bool,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Contacts are compared after this time \[s\].
const SETTLING: f64 = 0.5;

/// What tells contacts apart.
fn names(contacts: &[Contact]) -> BTreeSet<([u32; 2], u64)> {
    contacts.iter().map(|contact| (contact.colliders, contact.feature)).collect()
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
        "changed",
        "time a step",
        "at rest",
    ]);
    let set = arguments.set.iter().map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(|| anyhow!("`{pair}`: expected NAME=VALUE"))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let overrides = Overrides { set: set.collect::<Result<_>>()?, ..Overrides::default() };
    for name in &arguments.scenes {
        let scene = load(name, &overrides).map_err(|errors| anyhow!("{errors}"))?;
        let step = scene.settings.step;
        let mut settings = scene.settings;
        if arguments.defaults {
            let Settings { tolerance, friction, method, .. } = Settings::default();
            settings = Settings { tolerance, friction, method, ..settings };
        }
        settings.sleeping &= !arguments.awake;
        let mut simulation = Simulation::new(scene.model, settings)?;
        let start = simulation.state().clone();
        let (mut missed, mut contacts, mut iterations) = (0, 0, 0);
        let steps = (arguments.seconds / step).round() as u32;
        let settled = (SETTLING / step).round() as u32;
        let (mut changed, mut compared, mut at_rest, mut resting, mut speed) = (0, 0, 0.0, 0_u32, 0.0_f64);
        let started = Instant::now();
        for k in 0..steps {
            let before = (k >= settled).then(|| names(simulation.contacts()));
            let stepped = Instant::now();
            let report = simulation.step()?;
            if k >= steps - steps / 4 {
                at_rest += stepped.elapsed().as_secs_f64();
                resting += 1;
                let speeds = simulation.state().velocities.iter().map(|v| v.length());
                speed = speeds.fold(speed, f64::max);
            }
            if let Some(before) = before {
                let now = names(simulation.contacts());
                changed += before.symmetric_difference(&now).count();
                compared += before.len();
            }
            missed += usize::from(!report.converged());
            contacts = contacts.max(report.contacts);
            iterations += report.iterations as usize;
        }
        let seconds = started.elapsed().as_secs_f64() / f64::from(steps.max(1));
        let state = simulation.state();
        let drift = state.poses.iter().zip(&start.poses).map(|(now, then)| (now.position - then.position).length());
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
            Value::Small(changed as f64 / compared.max(1) as f64),
            Value::Seconds(seconds),
            Value::Seconds(at_rest / f64::from(resting.max(1))),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}
