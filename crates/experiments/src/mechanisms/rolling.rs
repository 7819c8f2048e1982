//! ME-8: a ball goes from sliding to rolling.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::SceneRun;
use crate::{Context, Experiment, Figure, Outcome, Series};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-8",
    title: "A ball goes from sliding to rolling at 5/7 of its speed",
    source: BEYOND,
    description: "Gallery: rolling-sphere, 5 m/s, friction 0.2. Sliding ends after 2 v₀/(7 μ g) at 5/7 v₀, whatever the friction.",
    seconds: [0.1, 0.1],
    run,
};

const SPEED: f64 = 5.0;
const FRICTION: f64 = 0.2;
const RADIUS: f64 = 0.1;

fn run(context: &Context<'_>) -> Result<Outcome> {
    let step = context.choose(0.005, 0.001);
    let run = SceneRun::of("rolling-sphere").step(step).tolerance(1e-10);
    let at = run.scene()?.model.body_named("ball").map_or(0, |body| body.index());
    let (mut seen, mut turning, mut rolls, mut last) = (Vec::new(), Vec::new(), f64::NAN, f64::NAN);
    run.follow(context, |simulation, report| {
        let state = simulation.state();
        let spin = state.poses[at].rotation * state.angular_velocities[at];
        last = state.velocities[at].x;
        // The point of contact no longer slides.
        if rolls.is_nan() && (last - RADIUS * spin.y).abs() < 1e-6 {
            rolls = report.time;
        }
        seen.push([report.time, last]);
        turning.push([report.time, RADIUS * spin.y]);
    })?;
    let forms = [
        ClosedForm {
            quantity: "speed when it rolls",
            formula: "5/7 v₀",
            unit: "m/s",
            exact: 5.0 / 7.0 * SPEED,
            found: last,
            slack: 1e-6,
            because: "momentum about the floor is kept, whatever the steps",
        },
        ClosedForm {
            quantity: "time until it rolls",
            formula: "2 v₀/(7 μ g)",
            unit: "s",
            exact: 2.0 * SPEED / (7.0 * FRICTION * 9.81),
            found: rolls,
            slack: step,
            because: "a step",
        },
    ];
    let figure = Figure {
        name: "rolling-sphere".into(),
        title: "A ball goes from sliding to rolling".into(),
        x: "time [s]".into(),
        y: "[m/s]".into(),
        series: vec![Series::new("speed", seen), Series::new("spin times radius", turning)],
        rules: vec![("5/7 v₀".into(), 5.0 / 7.0 * SPEED)],
        ..Figure::default()
    };
    let rows = forms.iter().map(|form| form.row(run.command())).collect();
    Ok(Outcome { rows, figures: vec![figure], ..Outcome::default() })
}
