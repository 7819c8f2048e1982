//! TS-6: the gap that the relaxed friction law opens under what slides.

use crate::rules::order;
use crate::scene_run::{SceneRun, body};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict, fit};
use anyhow::Result;
use signorini_mechanics::Stepper;
use signorini_solver::FrictionLaw;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-6",
    title: "Dilation of the relaxed friction law against the step",
    source: "notes on time-steppers",
    description: "A box slides on a floor (gallery: box-slide) and is looked at after 0.2 s, in full slip. The notes: a gap of h μ s builds up under it, \
                  s being the speed of sliding, and does not grow further. Coulomb's own law opens none; the lagged law, with the slip of the step before, \
                  must lie between.",
    seconds: [0.1, 0.4],
    run,
};

/// s: long enough that the start is forgotten, short of the stop at 0.51 s.
const UNTIL: f64 = 0.2;
/// Of the scene: m/s, and the height of the middle of the box \[m\].
const SPEED: f64 = 2.0;
const FRICTION: f64 = 0.4;
const HEIGHT: f64 = 0.05;
/// m/s: steps are solved to this.
const TOLERANCE: f64 = 1e-10;
/// m: what is below is no gap (steps are solved to 1e-10 m/s; boxes are found to touch with rounding).
const NO_GAP: f64 = 1e-9;

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut table = DataTable::new(
        "dilation",
        "Gap under a box that slides, after 0.2 s",
        &["law", "step [s]", "gap [m]", "speed [m/s]", "gap / (h mu s)"],
    );
    let count = context.choose(4, 6);
    let (mut rows, mut series, mut relaxed) = (Vec::new(), Vec::new(), f64::NAN);
    for law in FrictionLaw::ALL {
        let mut points = Vec::new();
        let mut ratio = f64::NAN;
        for k in 0..count {
            let step = 0.01 / f64::from(1 << k);
            let run = run_of(law, step);
            let finished = run.follow(context, |_, _| ())?;
            let state = finished.simulation.state();
            let at = body(&finished.simulation, "box")?;
            let (gap, speed) = (state.poses[at].position.z - HEIGHT, state.velocities[at].x);
            ratio = gap / (step * FRICTION * speed);
            table.push(vec![law.name().into(), step.into(), gap.into(), speed.into(), ratio.into()]);
            points.push([step, gap]);
        }
        let largest = points.iter().fold(0.0_f64, |most, [_, gap]| most.max(gap.abs()));
        if law == FrictionLaw::Relaxed {
            relaxed = largest;
        }
        rows.extend(rows_of(law, &points, ratio, relaxed));
        // A logarithm has no place for no gap.
        series.push(Series::new(law.name(), points.iter().map(|[h, gap]| [*h, gap.abs().max(1e-16)])).with_dots());
    }
    let exact =
        (0..count).map(|k| 0.01 / f64::from(1 << k)).map(|h| [h, h * FRICTION * (SPEED - FRICTION * 9.81 * UNTIL)]);
    series.push(Series::new("h μ s", exact));
    let figure = Figure {
        name: "dilation".into(),
        title: "Gap under a sliding box after 0.2 s".into(),
        x: "step h [s]".into(),
        y: "gap [m]".into(),
        log: [true, true],
        series,
        ..Figure::default()
    };
    let notes = vec!["Gaps below 1e-16 m are drawn there.".into()];
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], notes })
}

fn run_of(law: FrictionLaw, step: f64) -> SceneRun {
    SceneRun::of("box-slide").stepper(Stepper::DviEuler).friction(law).step(step).until(UNTIL).tolerance(TOLERANCE)
}

/// `ratio`: gap/(h μ s) with the shortest step; `relaxed`: the largest gap of the relaxed law.
fn rows_of(law: FrictionLaw, points: &[[f64; 2]], ratio: f64, relaxed: f64) -> Vec<Row> {
    let command = run_of(law, 0.01).command();
    let largest = points.iter().fold(0.0_f64, |most, [_, gap]| most.max(gap.abs()));
    let slope = fit::power(points);
    let row = |quantity: &str, published: &str, ours: String, ratio: Option<f64>, verdict: Verdict, note: &str| Row {
        quantity: format!("{} law: {quantity}", law.name()),
        published: published.into(),
        ours,
        ratio,
        verdict,
        command: command.clone(),
        note: note.into(),
    };
    match law {
        FrictionLaw::Relaxed => vec![
            row("power of h in the gap", "gap ∝ h", format!("{slope:.3}"), Some(slope), order(slope, 1.0), ""),
            row(
                "gap over h μ s, shortest step",
                "1",
                format!("{ratio:.4}"),
                Some(ratio),
                Verdict::holds((ratio - 1.0).abs() <= 0.01),
                "Asked: within a hundredth.",
            ),
        ],
        FrictionLaw::Lagged => vec![row(
            "largest gap, all steps",
            "between none and that of the relaxed law",
            format!("{largest:.1e} m (relaxed: {relaxed:.1e} m)"),
            None,
            Verdict::holds(largest < relaxed),
            "The notes do not have this law.",
        )],
        FrictionLaw::Exact => vec![row(
            "largest gap, all steps",
            "none",
            format!("{largest:.1e} m"),
            None,
            Verdict::holds(largest <= NO_GAP),
            "Asked: at most 1e-9 m, what the tolerance of steps leaves.",
        )],
    }
}
