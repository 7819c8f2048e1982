//! ME-5: the period of a pendulum with large swings.

use super::BEYOND;
use crate::rules::{ClosedForm, order};
use crate::scene_run::SceneRun;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, fit};
use anyhow::Result;
use signorini_mechanics::Stepper;
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-5",
    title: "The period of a pendulum with swings of 70°",
    source: BEYOND,
    description: "Gallery: pendulum. T = 2π √(I/(m g l))/agm(1, cos(θ₀/2)), the complete elliptic integral by the arithmetic-geometric mean; \
                  the time between two passages of the lowest place.",
    seconds: [0.7, 7.0],
    run,
};

/// The limit of arithmetic and geometric means.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let (length, radius) = (0.8_f64, 0.08_f64);
    let exact = TAU * ((length * length + 0.4 * radius * radius) / (9.81 * length)).sqrt()
        / agm(1.0, 35_f64.to_radians().cos());
    let mut table =
        DataTable::new("pendulum", "Period of a pendulum", &["stepper", "step [s]", "period [s]", "error [s]"]);
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for stepper in [Stepper::DviEuler, Stepper::DviRattle, Stepper::GeneralisedAlpha { rho: 0.9 }, Stepper::Rk4] {
        let mut points = Vec::new();
        for k in 0..context.choose(2, 4) {
            let run = run_of(stepper, 4e-3 / f64::from(1 << k));
            let found = period(context, &run)?;
            let step = run.scene()?.settings.step;
            table.push(vec![stepper.name().into(), step.into(), found.into(), (found - exact).into()]);
            points.push([step, (found - exact).abs(), found]);
        }
        let Some(&[step, _, found]) = points.last() else { continue };
        // Second order with √(l/g) = 0.29 s as its time; passages are between steps along a line.
        let form = ClosedForm {
            quantity: &format!("{}: period, h = {step} s", stepper.name()),
            formula: "2π √(I/(m g l))/agm(1, cos(θ₀/2))",
            unit: "s",
            exact,
            found,
            slack: exact * (step / 0.29).powi(2),
            because: "(h/τ)² of the period with τ = √(l/g)",
        };
        rows.push(form.row(run_of(stepper, step).command()));
        let errors: Vec<[f64; 2]> = points.iter().map(|[h, error, _]| [*h, *error]).collect();
        if points.len() > 2 && stepper != Stepper::Rk4 {
            let power = fit::power(&errors);
            rows.push(Row {
                quantity: format!("{}: order of the period", stepper.name()),
                published: "2".into(),
                ours: format!("{power:.2}"),
                ratio: Some(power / 2.0),
                verdict: order(power, 2.0),
                command: run_of(stepper, step).command(),
                note: "First-order steps that are symmetric in time have the period to second order.".into(),
            });
        }
        series.push(Series::new(stepper.name(), errors).with_dots());
    }
    let figure = Figure {
        name: "pendulum-period".into(),
        title: "Period of a pendulum with swings of 70°".into(),
        x: "step h [s]".into(),
        y: "error of the period [s]".into(),
        log: [true, true],
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}

fn run_of(stepper: Stepper, step: f64) -> SceneRun {
    SceneRun::of("pendulum").stepper(stepper).step(step).until(3.0)
}

/// Time between the first two passages of the lowest place from the right.
fn period(context: &Context<'_>, run: &SceneRun) -> Result<f64> {
    let at = run.scene()?.model.body_named("bob").map_or(0, |body| body.index());
    let (mut before, mut passed) = (None::<[f64; 2]>, Vec::new());
    run.follow(context, |simulation, report| {
        let x = simulation.state().poses[at].position.x;
        if let Some([time, last]) = before
            && last > 0.0
            && x <= 0.0
        {
            passed.push(time + (report.time - time) * last / (last - x));
        }
        before = Some([report.time, x]);
    })?;
    Ok(if let [first, second, ..] = passed[..] { second - first } else { f64::NAN })
}
