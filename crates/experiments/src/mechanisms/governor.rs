//! ME-4: the angle at which the arms of a governor stand.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::{SceneRun, body};
use crate::{Context, Experiment, Figure, Outcome, Series};
use anyhow::Result;
use std::f64::consts::PI;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-4",
    title: "A flyball governor with a stiff spring",
    source: BEYOND,
    description: "Two loops, a driven shaft and a stiff spring (gallery: flyball-governor). The swing of the sleeve dies out and the arms stand where \
                  ½ ω² dJ/dθ = dV/dθ.",
    seconds: [0.3, 0.4],
    run,
};

/// Of the scene.
const LENGTH: f64 = 0.3;
const OFFSET: f64 = 0.04;
const SLEEVE: f64 = 2.0;
const DENSITY: f64 = 7800.0;
const ROD_RADIUS: f64 = 0.006;
const BALL_RADIUS: f64 = 0.035;

/// ½ ω² dJ/dθ − dV/dθ, with J(θ) = 2 m_b (o + l s)² + 4 m_r ((o + l s/2)² + across s² + along c²) + … and
/// V(θ) = −g (2 m_b + 4 m_r + 2 m_s) l c + ½ k (2 l c − slack)²,  s = sin θ, c = cos θ.
fn torque(theta: f64, spin: f64, stiffness: f64) -> f64 {
    let (ball, rod) = (DENSITY * 4.0 / 3.0 * PI * BALL_RADIUS.powi(3), DENSITY * PI * ROD_RADIUS * ROD_RADIUS * LENGTH);
    // Rods of radius r have r²/2 about their axis and l²/12 + r²/4 across it, for a unit of mass.
    let (along, across) = (0.5 * ROD_RADIUS * ROD_RADIUS, LENGTH * LENGTH / 12.0 + 0.25 * ROD_RADIUS * ROD_RADIUS);
    let slack = 2.0 * LENGTH * 30_f64.to_radians().cos();
    let (s, c) = theta.sin_cos();
    let spread = 4.0 * ball * (OFFSET + LENGTH * s) * LENGTH * c
        + 4.0 * rod * ((OFFSET + 0.5 * LENGTH * s) * LENGTH * c + 2.0 * (across - along) * s * c);
    let weight = 9.81 * (2.0 * ball + 4.0 * rod + 2.0 * SLEEVE) * LENGTH * s;
    0.5 * spin * spin * spread - weight + stiffness * (2.0 * LENGTH * c - slack) * 2.0 * LENGTH * s
}

/// Where the torque vanishes, by bisection.
fn balance(spin: f64, stiffness: f64) -> f64 {
    let (mut low, mut high) = (0.1, 1.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if torque(middle, spin, stiffness) > 0.0 { low = middle } else { high = middle }
    }
    low
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for (spin, stiffness) in [(20.0, 5e5), (25.0, 5e4)] {
        let run = SceneRun::of("flyball-governor").set("spin", spin).set("stiffness", stiffness).step(4e-4).until(0.6);
        let at = run.scene()?.model.body_named("sleeve").map_or(0, |body| body.index());
        let angle = |height: f64| (-height / (2.0 * LENGTH)).acos();
        let mut seen = Vec::new();
        let finished = run.follow(context, |simulation, report| {
            seen.push([report.time, angle(simulation.state().poses[at].position.z).to_degrees()]);
        })?;
        let found = angle(finished.simulation.state().poses[body(&finished.simulation, "sleeve")?].position.z);
        let exact = balance(spin, stiffness);
        let moved = exact - 30_f64.to_radians();
        let form = ClosedForm {
            quantity: &format!("angle of the arms, {spin} rad/s, {stiffness:e} N/m"),
            formula: "½ ω² dJ/dθ = dV/dθ",
            unit: "rad",
            exact,
            found,
            slack: 1e-4 * moved,
            because: "a ten-thousandth of the way from the start, what the damper leaves in 0.6 s",
        };
        rows.push(form.row(run.command()));
        series.push(Series::new(&format!("{spin} rad/s, {stiffness:e} N/m"), seen));
    }
    let figure = Figure {
        name: "governor".into(),
        title: "Arms of a flyball governor".into(),
        x: "time [s]".into(),
        y: "angle from the shaft [degrees]".into(),
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, figures: vec![figure], ..Outcome::default() })
}
