//! ME-10: the deflection of a cantilever.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::{SceneRun, body};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Series};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-10",
    title: "The deflection of a cantilever",
    source: BEYOND,
    description: "Gallery: beam-cantilever, a steel bar of 1 m with a load at its tip, swung to rest. Euler and Bernoulli: F L³/(3 E I), with Timoshenko's \
                  F L/(k G A). Quick: one number of elements.",
    seconds: [0.5, 3.0],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome> {
    let (length, width, height, force, young) = (1.0_f64, 0.02_f64, 0.01_f64, 10.0_f64, 210e9_f64);
    let inertia = width * height.powi(3) / 12.0;
    let shear = young / (2.0 * 1.3);
    let exact = force * length.powi(3) / (3.0 * young * inertia) + force * length / (5.0 / 6.0 * shear * width * height);
    let mut table = DataTable::new("cantilever", "Deflection of a cantilever", &["elements", "deflection [m]", "closed form [m]"]);
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for &elements in context.choose(&[8][..], &[2, 4, 8, 16]) {
        let run = SceneRun::of("beam-cantilever").set("elements", elements);
        let at = run.scene()?.model.body_named("bar/end").map_or(0, |body| body.index());
        let mut seen = Vec::new();
        let finished = run.follow(context, |simulation, report| {
            seen.push([report.time, -simulation.state().poses[at].position.z]);
        })?;
        let found = -finished.simulation.state().poses[body(&finished.simulation, "bar/end")?].position.z;
        table.push([f64::from(elements), found, exact].map(Into::into).to_vec());
        let form = ClosedForm {
            quantity: &format!("deflection of the tip, {elements} elements"),
            formula: "F L³/(3 E I) + F L/(k G A)",
            unit: "m",
            exact,
            found,
            slack: 2e-3 * exact,
            because: "what the damper leaves of the swing, and (w/L)² of large deflections",
        };
        rows.push(form.row(run.command()));
        series.push(Series::new(&format!("{elements} elements"), seen));
    }
    let figure = Figure {
        name: "cantilever".into(),
        title: "Tip of a cantilever under a load".into(),
        x: "time [s]".into(),
        y: "deflection [m]".into(),
        series,
        rules: vec![("closed form".into(), exact)],
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}
