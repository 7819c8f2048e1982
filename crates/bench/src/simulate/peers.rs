//! Processor time and overlap of a step: ours against Rapier's, on the same balls in one run.

use super::balls::{BallDrop, deepest_overlap};
use super::cpu;
use super::rapier_run::RapierRun;
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Settings, Simulation, Vec3};
use signorini_solver::{FrictionLaw, Method, Tolerance};
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Numbers of balls
    #[arg(long, value_delimiter = ',', default_value = "1024,4096")]
    balls: Vec<usize>,
    /// Layers they start on
    #[arg(long, default_value_t = 16)]
    layers: usize,
    /// Steps of 0.01 s
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Residual for a second run of ours [m/s], with its own row; none without it
    #[arg(long, value_name = "SPEED")]
    also: Option<f64>,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const STEP: f64 = 0.01;
const FRICTION: f64 = 0.3;

/// What one engine did.
struct Outcome {
    cpu: f64,
    wall: f64,
    overlap: f64,
    missed: Option<u32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table = Table::new(&[
        "balls",
        "engine",
        "cpu a step",
        "wall a step",
        "cpu / rapier",
        "worst overlap [mm]",
        "rapier's overlap / ours",
        "steps missed",
    ]);
    for &count in &arguments.balls {
        let drop = BallDrop { count, layers: arguments.layers, friction: FRICTION, at_rest: false };
        let rapier = rapier(&drop, arguments.steps);
        let mut rows = vec![("rapier".to_owned(), rapier)];
        for law in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
            let settings = Settings { step: STEP, friction: law, ..Settings::default() };
            rows.push((format!("ours, default tolerance, {}", law.name()), ours(&drop, arguments.steps, settings)?));
        }
        if let Some(speed) = arguments.also {
            let tolerance = Some(Tolerance::Velocity(speed));
            let method = Method::named("interior-point").unwrap_or_default();
            let friction = FrictionLaw::Relaxed;
            let settings = Settings { step: STEP, tolerance, method, friction, ..Settings::default() };
            rows.push((format!("ours, {speed:e} m/s, interior point"), ours(&drop, arguments.steps, settings)?));
        }
        let (cpu, overlap) = (rows[0].1.cpu, rows[0].1.overlap);
        for (name, outcome) in rows {
            table.push(vec![
                Value::Count(count),
                Value::text(name),
                Value::Seconds(outcome.cpu),
                Value::Seconds(outcome.wall),
                Value::Ratio(outcome.cpu / cpu),
                Value::Small(1e3 * outcome.overlap),
                Value::Ratio(overlap / outcome.overlap),
                outcome.missed.map_or(Value::Missing, |missed| Value::Count(missed as usize)),
            ]);
        }
    }
    table.finish(arguments.csv.as_deref())
}

fn ours(drop: &BallDrop, steps: u32, settings: Settings) -> Result<Outcome> {
    let mut simulation = Simulation::new(drop.model()?, settings)?;
    let first = simulation.model().bodies().len() - drop.count;
    let mut missed = 0;
    let mut outcome = timed(drop, steps, || {
        let report = simulation.step()?;
        missed += u32::from(!report.converged());
        Ok(simulation.state().poses[first..].iter().map(|pose| pose.position).collect())
    })?;
    outcome.missed = Some(missed);
    Ok(outcome)
}

fn rapier(drop: &BallDrop, steps: u32) -> Outcome {
    let mut world = RapierRun::new(drop, STEP);
    let step = || {
        world.step();
        Ok(world.centres())
    };
    timed(drop, steps, step).unwrap_or(Outcome { cpu: 0.0, wall: 0.0, overlap: 0.0, missed: None })
}

/// Takes steps and measures them; looking for overlaps is left out of the times.
fn timed(drop: &BallDrop, steps: u32, mut step: impl FnMut() -> Result<Vec<Vec3>>) -> Result<Outcome> {
    let (mut cpu, mut wall, mut overlap) = (0.0, 0.0, 0.0_f64);
    for _ in 0..steps {
        let (cpu_before, wall_before) = (cpu::seconds(), Instant::now());
        let centres = step()?;
        wall += wall_before.elapsed().as_secs_f64();
        cpu += cpu::seconds().zip(cpu_before).map_or(f64::NAN, |(after, before)| after - before);
        overlap = overlap.max(deepest_overlap(&centres, &drop.planes()));
    }
    let steps = f64::from(steps.max(1));
    Ok(Outcome { cpu: cpu / steps, wall: wall / steps, overlap, missed: None })
}
