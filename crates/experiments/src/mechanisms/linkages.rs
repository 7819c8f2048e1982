//! ME-2 and ME-3: linkages that pass singular positions, or have redundant joints, for ten seconds.

use super::BEYOND;
use crate::rules::ClosedForm;
use crate::scene_run::{SceneRun, body};
use crate::time_steppers::energy::EnergyDrift;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::Energy;

pub(super) const FOUR_BARS: Experiment = Experiment {
    id: "ME-2",
    title: "A chain of four-bar windows through its singular positions",
    source: BEYOND,
    description: "N windows, 2N + 1 rods of 1 m and 1 kg, started upright at 1 m/s, 10 s (gallery: n-four-bar). Where the bars lie flat the mechanism has N + 1 \
                  freedoms. The energy must stay, and the top passes the level of the feet at a speed known in closed form. Quick: 2 windows, 2 s; \
                  full: 2 and 40 windows, 10 s.",
    seconds: [0.1, 16.0],
    run: four_bars,
};

pub(super) const BRICARD: Experiment = Experiment {
    id: "ME-3",
    title: "Bricard's linkage: over-constrained, yet it moves",
    source: BEYOND,
    description: "Five rods of 1 m and 1 kg on six hinges (gallery: bricard), 10 s (quick: 2 s). Counting leaves no freedom, there is one. \
                  The energy must stay and the hinges must hold.",
    seconds: [0.1, 0.8],
    run: bricard,
};

/// Energy may drift by this share of the largest |E|.
const ENERGY: f64 = 1e-4;
/// m: hinges may open by so much.
const OPEN: f64 = 1e-8;

/// What a linkage did.
struct Followed {
    drift: EnergyDrift,
    violation: f64,
    seen: Vec<[f64; 2]>,
    /// Steps that missed their tolerance.
    missed: u64,
    /// The largest speed of the first body that is named.
    speed_when_flat: f64,
}

fn follow(context: &Context<'_>, run: &SceneRun, crank: &str) -> Result<Followed> {
    let scene = run.scene()?;
    let at = scene.model.body_named(crank).map_or(0, |body| body.index());
    let start = signorini_mechanics::State::start_of(&scene.model);
    let mut drift = EnergyDrift::of(&Energy::of(&scene.model, &start));
    let (mut violation, mut seen, mut flat) = (0.0_f64, Vec::new(), f64::NAN);
    let mut before: Option<(f64, f64)> = None;
    let finished = run.follow(context, |simulation, report| {
        drift.see(&report.energy);
        violation = violation.max(report.joint_violation);
        if report.step % 20 == 0 {
            seen.push([report.time, drift.last / drift.total]);
        }
        // The middle of the crank passes the level of its foot: ω there, between two steps.
        let height = simulation.state().poses[at].position.y;
        let speed = simulation.state().angular_velocities[at].z.abs();
        if let Some((high, fast)) = before
            && flat.is_nan()
            && high > 0.0
            && height <= 0.0
        {
            flat = fast + (speed - fast) * high / (high - height);
        }
        before = Some((height, speed));
    })?;
    body(&finished.simulation, crank)?;
    Ok(Followed { drift, violation, seen, missed: finished.missed, speed_when_flat: flat })
}

fn rows_of(name: &str, command: &str, followed: &Followed) -> Vec<Row> {
    let drift = followed.drift.largest / followed.drift.total;
    let row = |quantity: &str, published: &str, ours: String, holds: bool, note: String| Row {
        quantity: format!("{name}: {quantity}"),
        published: published.into(),
        ours,
        ratio: None,
        verdict: Verdict::holds(holds && followed.missed == 0),
        command: command.into(),
        note,
    };
    vec![
        row(
            "energy drift over the largest |E|",
            "0: no losses",
            format!("{drift:.1e}"),
            drift <= ENERGY,
            format!("Asked: at most {ENERGY:.0e}; steps that missed their tolerance: {}.", followed.missed),
        ),
        row(
            "hinges open at most",
            "0",
            format!("{:.1e} m", followed.violation),
            followed.violation <= OPEN,
            format!("Asked: at most {OPEN:.0e} m."),
        ),
    ]
}

fn outcome(name: &str, title: &str, rows: Vec<Row>, runs: &[(String, Followed)]) -> Outcome {
    let mut table = DataTable::new(
        name,
        title,
        &["mechanism", "energy drift / largest |E|", "energy drift / largest kinetic", "violation [m]", "steps missed"],
    );
    for (name, followed) in runs {
        let drift = &followed.drift;
        table.push(vec![
            name.as_str().into(),
            (drift.largest / drift.total).into(),
            drift.relative().into(),
            followed.violation.into(),
            (followed.missed as f64).into(),
        ]);
    }
    let figure = Figure {
        name: format!("{name}-energy"),
        title: format!("{title}: energy"),
        x: "time [s]".into(),
        y: "(E − E₀) / largest |E|".into(),
        series: runs.iter().map(|(name, followed)| Series::new(name, followed.seen.iter().copied())).collect(),
        ..Figure::default()
    };
    Outcome { rows, tables: vec![table], figures: vec![figure], ..Outcome::default() }
}

fn four_bars(context: &Context<'_>) -> Result<Outcome> {
    let (mut rows, mut runs) = (Vec::new(), Vec::new());
    for &windows in context.choose(&[2_u32][..], &[2, 40]) {
        let run = SceneRun::of("n-four-bar").set("windows", windows).until(context.choose(2.0, 10.0));
        let name = format!("n-four-bar, {windows} windows");
        let followed = follow(context, &run, "crank-0001")?;
        rows.extend(rows_of(&name, &run.command(), &followed));
        // ½ v² ((N+1)/3 + N) m gains the weight of N + 1 cranks over ½ m and N couplers over 1 m.
        let n = f64::from(windows);
        let speed = (1.0 + 2.0 * 9.81 * ((n + 1.0) / 2.0 + n) / ((n + 1.0) / 3.0 + n)).sqrt();
        let form = ClosedForm {
            quantity: &format!("{name}: speed of the top where all bars lie flat"),
            formula: "√(1 + 2g((N+1)/2 + N)/((N+1)/3 + N))",
            unit: "m/s",
            exact: speed,
            found: followed.speed_when_flat,
            slack: 1e-4 * speed,
            because: "the error of second order of steps of 1 ms",
        };
        rows.push(form.row(run.command()));
        runs.push((name, followed));
    }
    Ok(outcome("four-bars", "N-four-bar, generalised-alpha, h = 1 ms", rows, &runs))
}

fn bricard(context: &Context<'_>) -> Result<Outcome> {
    let run = SceneRun::of("bricard").until(context.choose(2.0, 10.0));
    let followed = follow(context, &run, "rod-1")?;
    let mut rows = rows_of("bricard", &run.command(), &followed);
    let moved = followed.drift.kinetic;
    rows.push(Row {
        quantity: "bricard: largest kinetic energy".into(),
        published: "it moves: more than 0".into(),
        ours: format!("{moved:.2} J"),
        ratio: None,
        verdict: Verdict::holds(moved > 1.0),
        command: run.command(),
        note: "Six hinges of five rows hold five bodies of six freedoms: 0 by counting.".into(),
    });
    Ok(outcome("bricard", "Bricard's linkage, generalised-alpha, h = 2 ms", rows, &[("bricard".into(), followed)]))
}
