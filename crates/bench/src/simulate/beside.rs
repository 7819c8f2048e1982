//! What something coupled costs beside a pile of balls that has nothing to do with it: two boxes with a joint, servo, spring or bushing, against the same two boxes free.

use super::cpu;
use crate::table::{Table, Value};
use anyhow::{Context, Result, anyhow};
use signorini_mechanics::Simulation;
use signorini_scene::{Overrides, parse};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Steps of 0.01 s
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// How often everything is measured, by turns; the least time counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The pile and two boxes beside it.
const SCENE: &str = r#"
signorini = 1
[materials.m]
friction = 0.4
[bodies.tray]
fixed = true
shapes = [
    { type = "half-space" },
    { type = "half-space", normal = [1, 0, 0], position = [-0.5, 0, 0] },
    { type = "half-space", normal = [-1, 0, 0], position = [6, 0, 0] },
    { type = "half-space", normal = [0, 1, 0], position = [0, -0.5, 0] },
    { type = "half-space", normal = [0, -1, 0], position = [0, 0.5, 0] },
]
[[populate]]
name = "ball"
pattern = "grid"
count = [6, 5, 10]
spacing = 0.108
origin = [-0.44, -0.44, 0.054]
jitter = 0.003
shape = { type = "sphere", radius = 0.05 }
density = 1000
[bodies.p]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2] }
density = 1000
position = [4, 0, 0.1]
[bodies.q]
shape = { type = "cuboid", size = [0.2, 0.2, 0.2] }
density = 1000
position = [4.6, 0, 0.1]
[stepper]
step = 0.01
"#;

const SLIDE: &str = r#"
[joints.slide]
type = "prismatic"
bodies = ["p", "q"]
point = [4.3, 0, 0.1]
axis = [1, 0, 0]
"#;

const SERVO: &str = r#"
[forces.servo]
type = "motor"
bodies = ["p", "q"]
axis = [1, 0, 0]
point = [4.5, 0, 0.1]
kind = "force"
pid = { proportional = 500, integral = 10, derivative = 20, target = 0.1 }
"#;

const SPRING: &str = r#"
[forces.spring]
type = "spring"
bodies = ["p", "q"]
points = [[4.1, 0, 0.1], [4.5, 0, 0.1]]
stiffness = 200
damping = 5
"#;

const BUSHING: &str = r#"
[forces.bushing]
type = "bushing"
bodies = ["p", "q"]
point = [4.3, 0, 0.1]
stiffness = [200, 200, 200, 20, 20, 20]
damping = [5, 5, 5, 1, 1, 1]
"#;

/// Processor time per step \[s\].
fn seconds_per_step(text: &str, steps: u32) -> Result<f64> {
    let scene = parse(text, "beside.toml", None, &Overrides::default()).map_err(|errors| anyhow!("{errors}"))?;
    let mut simulation = Simulation::new(scene.model, scene.settings)?;
    let started = cpu::seconds().context("processor time is not known here")?;
    for _ in 0..steps {
        simulation.step()?;
    }
    let ended = cpu::seconds().context("processor time is not known here")?;
    Ok((ended - started) / f64::from(steps))
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let cases = [
        ("nothing", String::new()),
        ("a joint", SLIDE.to_owned()),
        ("a joint and a servo", [SLIDE, SERVO].concat()),
        ("a spring", SPRING.to_owned()),
        ("a bushing", BUSHING.to_owned()),
    ];
    let mut least = [f64::INFINITY; 5];
    for _ in 0..arguments.repeat {
        for (least, (_, more)) in least.iter_mut().zip(&cases) {
            *least = least.min(seconds_per_step(&[SCENE, more].concat(), arguments.steps)?);
        }
    }
    let mut table = Table::new(&["beside the pile", "steps", "cpu per step", "over the pile alone"]);
    for ((name, _), seconds) in cases.iter().zip(least) {
        table.push(vec![
            Value::text(*name),
            Value::Count(arguments.steps as usize),
            Value::Seconds(seconds),
            Value::Ratio(seconds / least[0]),
        ]);
    }
    table.finish(arguments.csv.as_deref())
}
