//! ME-12: a mass on a spring with dry friction.

use super::BEYOND;
use crate::rules::{ClosedForm, order};
use crate::scene_run::SceneRun;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict, fit};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-12",
    title: "A mass on a spring with dry friction",
    source: BEYOND,
    description: "Gallery: coulomb-oscillator. Every half swing loses 2 μ m g/k of its amplitude, and it stops where friction holds the spring. \
                  Steps of first order also damp: the turning points must come to the closed form as h.",
    seconds: [0.2, 1.5],
    run,
};

/// 2 μ m g/k of the scene \[m\].
const LOSS: f64 = 2.0 * 0.3 * 9.81 / 1000.0;
const START: f64 = 0.05;
/// Half swings that are compared.
const TURNS: usize = 4;

fn run(context: &Context<'_>) -> Result<Outcome> {
    let count = context.choose(3, 4);
    let mut table = DataTable::new(
        "coulomb-oscillator",
        "Turning points",
        &["step [s]", "half swing", "place [m]", "closed form [m]"],
    );
    let (mut errors, mut series, mut rest) = (Vec::new(), Vec::new(), f64::NAN);
    let run_of = |k: u32| SceneRun::of("coulomb-oscillator").step(1e-3 / f64::from(1 << k)).tolerance(1e-9);
    for k in 0..count {
        let run = run_of(k);
        let at = run.scene()?.model.body_named("block").map_or(0, |body| body.index());
        let (mut before, mut way, mut turns, mut seen) = (START, -1.0, Vec::new(), Vec::new());
        run.follow(context, |simulation, report| {
            let x = simulation.state().poses[at].position.x;
            if way * (x - before) < 0.0 && simulation.state().velocities[at].x.abs() > 1e-6 {
                turns.push(before);
                way = -way;
            }
            before = x;
            seen.push([report.time, x]);
        })?;
        rest = before;
        let step = 1e-3 / f64::from(1 << k);
        let mut worst = if turns.len() < TURNS { f64::NAN } else { 0.0_f64 };
        for (n, turn) in turns.iter().take(TURNS).enumerate() {
            let exact = if n % 2 == 0 { -1.0 } else { 1.0 } * (START - (n + 1) as f64 * LOSS);
            table.push([step, (n + 1) as f64, *turn, exact].map(Into::into).to_vec());
            worst = if (turn - exact).abs() <= worst { worst } else { (turn - exact).abs() };
        }
        errors.push([step, worst]);
        series.push(Series::new(&format!("h = {step} s"), seen));
    }
    let power = fit::power(&errors);
    let command = run_of(count - 1).command();
    let [step, worst] = errors.last().copied().unwrap_or([f64::NAN; 2]);
    // Implicit Euler takes about π hω/2 of the amplitude in a half swing.
    let slack = TURNS as f64 * 0.5 * std::f64::consts::PI * step * 1000_f64.sqrt() * START;
    let forms = ClosedForm {
        quantity: "largest error of the first four turning points",
        formula: "x_n = ±(x₀ − 2 n μ m g/k), error",
        unit: "m",
        exact: 0.0,
        found: worst,
        slack,
        because: "π hω/2 of the amplitude a half swing",
    };
    let rows = vec![
        forms.row(command.clone()),
        Row {
            quantity: "order of the turning points".into(),
            published: "1".into(),
            ours: format!("{power:.2}"),
            ratio: Some(power),
            verdict: order(power, 1.0),
            command: command.clone(),
            note: String::new(),
        },
        Row {
            quantity: "where it stops".into(),
            published: format!("|x| ≤ μ m g/k = {:.4} m", 0.5 * LOSS),
            ours: format!("{rest:.4} m"),
            ratio: None,
            verdict: Verdict::holds(rest.abs() <= 0.5 * LOSS + 1e-6),
            command,
            note: String::new(),
        },
    ];
    let figure = Figure {
        name: "coulomb-oscillator".into(),
        title: "A mass on a spring with dry friction".into(),
        x: "time [s]".into(),
        y: "place [m]".into(),
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}
