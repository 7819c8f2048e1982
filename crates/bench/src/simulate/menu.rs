//! Whether `auto` chooses well: whole steps of every scene of the gallery by `auto` and by each method of its menu, all else by default.
//!
//! A method that misses more steps than `auto` is no choice. One that takes far longer than the best so far is given up.

use crate::table::{Table, Value};
use anyhow::{Result, anyhow};
use signorini_mechanics::{Model, Settings, Simulation};
use signorini_scene::{Overrides, gallery, load};
use signorini_solver::Method;
use std::path::PathBuf;
use std::time::Instant;

/// What `auto` chooses from.
const MENU: [&str; 5] = ["accelerated-sor", "interior-point", "proximal-newton", "nsgs", "spg"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Gallery scenes or scene files; without any, the whole gallery
    scenes: Vec<String>,
    /// Steps of every scene, at most
    #[arg(long, default_value_t = 200)]
    steps: u64,
    /// Seconds after which a scene is stopped: later steps are not compared
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// How often `auto` and the best of the others are measured, by turns; the least time counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// A method that takes this many times as long as the best so far is given up.
const GIVEN_UP: f64 = 4.0;

/// Some steps by one method.
#[derive(Clone, Copy)]
struct Taken {
    seconds: f64,
    steps: u64,
    missed: u64,
}

/// Takes steps until there are enough of them, or the time is over.
fn take(model: &Model, settings: &Settings, steps: u64, limit: f64) -> Result<Taken> {
    let mut simulation = Simulation::new(model.clone(), settings.clone())?;
    let started = Instant::now();
    let mut taken = Taken { seconds: 0.0, steps: 0, missed: 0 };
    while taken.steps < steps && taken.seconds < limit {
        let Ok(report) = simulation.step() else { break };
        taken.steps += 1;
        taken.missed += u64::from(!report.converged());
        taken.seconds = started.elapsed().as_secs_f64();
    }
    Ok(taken)
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let titles: Vec<&str> =
        ["scene", "steps", "missed", "auto"].into_iter().chain(MENU).chain(["best", "auto / best"]).collect();
    let mut table = Table::new(&titles);
    let all: Vec<String> = gallery::list().iter().map(|entry| entry.name.to_owned()).collect();
    for name in if arguments.scenes.is_empty() { &all } else { &arguments.scenes } {
        let scene = load(name, &Overrides::default()).map_err(|errors| anyhow!("{errors}"))?;
        let with = |method: Method| Settings { method, ..scene.settings.clone() };
        if !scene.settings.stepper.has_hard_contacts() {
            continue;
        }
        let auto = take(&scene.model, &with(Method::default()), arguments.steps.min(scene.steps()), arguments.seconds)?;
        let mut row = vec![
            Value::text(name),
            Value::Count(auto.steps as usize),
            Value::Count(auto.missed as usize),
            Value::Missing,
        ];
        let mut best: Option<(f64, Method)> = None;
        for word in MENU {
            let method = Method::named(word).ok_or_else(|| anyhow!("`{word}` is no method"))?;
            let limit = GIVEN_UP * best.as_ref().map_or(auto.seconds, |best| best.0.min(auto.seconds));
            let taken = take(&scene.model, &with(method.clone()), auto.steps, limit)?;
            let is_choice = taken.steps == auto.steps && taken.missed <= auto.missed;
            row.push(if is_choice { Value::Seconds(taken.seconds / taken.steps as f64) } else { Value::Missing });
            if is_choice && best.as_ref().is_none_or(|best| taken.seconds < best.0) {
                best = Some((taken.seconds, method));
            }
        }
        let mut least = [auto.seconds, best.as_ref().map_or(f64::INFINITY, |best| best.0)];
        for _ in 1..arguments.repeat {
            let methods = [Some(Method::default()), best.as_ref().map(|best| best.1.clone())];
            for (least, method) in least.iter_mut().zip(methods) {
                let Some(method) = method else { continue };
                let taken = take(&scene.model, &with(method), auto.steps, f64::INFINITY)?;
                *least = least.min(taken.seconds);
            }
        }
        row[3] = Value::Seconds(least[0] / auto.steps as f64);
        row.push(best.map_or(Value::Missing, |(_, method)| Value::text(method.name())));
        row.push(Value::Ratio(least[0] / least[1].min(least[0])));
        table.push(row);
    }
    table.finish(arguments.csv.as_deref())
}
