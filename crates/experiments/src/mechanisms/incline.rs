//! ME-6: a block on a slope sticks or slides.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::{SceneRun, body};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Series};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-6",
    title: "A block on a slope: stick, slip and the first step",
    source: BEYOND,
    description: "Gallery: incline, friction 0.3. Below 16.7° the block stays, above it slides with g (sin φ − μ cos φ): its speed after 0.5 s, and \
                  after the first step, which must already slip as much as Coulomb's law says.",
    seconds: [0.1, 0.3],
    run,
};

const FRICTION: f64 = 0.3;

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "incline",
        "A block on a slope",
        &["angle [degrees]", "time [s]", "speed [m/s]", "closed form [m/s]"],
    );
    let (mut rows, mut points, mut closed) = (Vec::new(), Vec::new(), Vec::new());
    for &angle in context.choose(&[10, 16, 17, 30][..], &[0, 5, 10, 15, 16, 17, 18, 20, 25, 30, 40, 50]) {
        for until in [0.01, 0.5] {
            let run = SceneRun::of("incline").set("angle", angle).until(until).tolerance(1e-10);
            let finished = run.follow(context, |_, _| ())?;
            let at = body(&finished.simulation, "block")?;
            let found = finished.simulation.state().velocities[at].length();
            let slope = f64::from(angle).to_radians();
            let exact = (until * 9.81 * (slope.sin() - FRICTION * slope.cos())).max(0.0);
            table.push([f64::from(angle), until, found, exact].map(Into::into).to_vec());
            let form = ClosedForm {
                quantity: &format!("speed at {angle}° after {until} s"),
                formula: if exact > 0.0 { "g t (sin φ − μ cos φ)" } else { "sticks" },
                unit: "m/s",
                exact,
                found,
                slack: 1e-8,
                because: "steps are solved to 1e-10 m/s and Euler's steps are exact for constant forces",
            };
            rows.push(form.row(run.command()));
            if until > 0.1 {
                points.push([f64::from(angle), found]);
                closed.push([f64::from(angle), exact]);
            }
        }
    }
    let figure = Figure {
        name: "incline".into(),
        title: "Speed of a block on a slope after 0.5 s, friction 0.3".into(),
        x: "angle [degrees]".into(),
        y: "speed [m/s]".into(),
        series: vec![Series::new("closed form", closed), Series::new("found", points).with_dots()],
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() })
}
