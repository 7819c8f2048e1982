//! ME-10: the deflection of a cantilever.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::SceneRun;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Series};
use anyhow::{Result, anyhow};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-10",
    title: "The deflection of a cantilever",
    source: BEYOND,
    description: "Gallery: beam-cantilever, a steel bar of 1 m with a load at its tip, swung to rest. Euler and Bernoulli: F L³/(3 E I), with Timoshenko's \
                  F L/(k G A). Quick: eight elements only.",
    seconds: [0.1, 3.0],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome> {
    let (length, width, height, young) = (1.0_f64, 0.02_f64, 0.01_f64, 210e9_f64);
    let inertia = width * height.powi(3) / 12.0;
    let shear = young / (2.0 * 1.3);
    let flexibility = length.powi(3) / (3.0 * young * inertia) + length / (5.0 / 6.0 * shear * width * height);
    let columns = ["load [N]", "elements", "deflection [m]", "closed form [m]"];
    let mut table = DataTable::new("cantilever", "Deflection of a cantilever", &columns);
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for &(force, elements) in
        context.choose(&[(10.0, 8), (0.1, 8)][..], &[(10.0, 8), (0.1, 1), (0.1, 4), (0.1, 8), (0.1, 16)])
    {
        let run = SceneRun::of("beam-cantilever").set("force", force).set("elements", elements);
        let scene = run.scene()?;
        let tip = scene.model.bodies().iter().rposition(|body| body.name.starts_with("bar/"));
        let tip = tip.ok_or_else(|| anyhow!("the bar has no nodes"))?;
        let exact = force * flexibility;
        let mut seen = Vec::new();
        run.follow(context, |simulation, report| {
            seen.push([report.time, -simulation.state().poses[tip].position.z / exact]);
        })?;
        let found = seen.last().map_or(f64::NAN, |last| last[1] * exact);
        table.push([force, f64::from(elements), found, exact].map(Into::into).to_vec());
        let form = ClosedForm {
            quantity: &format!("deflection of the tip, {force} N, {elements} elements"),
            formula: "F L³/(3 E I) + F L/(k G A)",
            unit: "m",
            exact,
            found,
            slack: exact * (1e-6 + 10.0 * (exact / length).powi(2)),
            because: "what the damper leaves in 3 s, and ten times (w/L)² for large deflections",
        };
        rows.push(form.row(run.command()));
        series.push(Series::new(&format!("{force} N, {elements} elements"), seen));
    }
    let figure = Figure {
        name: "cantilever".into(),
        title: "Tip of a cantilever under a load".into(),
        x: "time [s]".into(),
        y: "deflection over the closed form".into(),
        series,
        rules: vec![("closed form".into(), 1.0)],
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}
