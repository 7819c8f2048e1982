//! PB-7: the full reactor of 400,000 pebbles, which the paper never ran.

use super::fill::{STEP, simulation};
use crate::memory::{peak_bytes, reset_peak};
use crate::{Context, DataTable, Outcome, Row, Verdict};
use signorini_solver::{Auto, FrictionLaw};
use std::time::Instant;

const PEBBLES: usize = 400_000;
/// The paper's fills of 800 to 3200 pebbles took 284 to 487 steps; a full vessel is filled from higher up.
const FILL_STEPS: f64 = 600.0;
const GIGABYTE: f64 = (1_u64 << 30) as f64;

pub(super) fn run(context: &Context<'_>) -> anyhow::Result<Outcome> {
    let (pebbles, steps) = context.choose((2_000, 3_u32), (PEBBLES, 6));
    context.at(&format!("{pebbles} pebbles: places"))?;
    let before = reset_peak();
    // Round cones and the tolerance of a simulation: a run that is used, not a comparison.
    let mut simulation = simulation(pebbles, |settings| {
        settings.method = Auto::default().into();
        settings.friction = FrictionLaw::Relaxed;
        settings.facets = None;
        settings.tolerance = None;
    })?;
    let columns = ["step", "contacts", "method", "iterations", "time [s]", "status"];
    let mut table = DataTable::new("pb-7", "Steps of the full reactor", &columns);
    let mut seconds = Vec::new();
    let mut contacts = 0;
    for step in 1..=steps {
        context.at(&format!("{pebbles} pebbles, step {step} of {steps}"))?;
        let started = Instant::now();
        let report = simulation.step_with(Some(context.stop))?;
        seconds.push(started.elapsed().as_secs_f64());
        contacts = report.contacts;
        table.push(vec![
            step.into(),
            report.contacts.into(),
            report.method.into(),
            report.iterations.into(),
            seconds.last().copied().into(),
            report.status.name().into(),
        ]);
    }
    let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
    let memory = before.and_then(|before| Some(peak_bytes()?.saturating_sub(before) as f64));
    let mut outcome = Outcome { tables: vec![table], ..Outcome::default() };
    let effort = if context.is_quick() { " --quick" } else { "" };
    let mut push = |quantity: &str, published: &str, ours: String, note: String| {
        outcome.rows.push(Row {
            quantity: quantity.into(),
            published: published.into(),
            ours,
            ratio: None,
            verdict: Verdict::Informative,
            command: format!("signorini reproduce PB-7{effort}"),
            note,
        });
    };
    push(
        "time of a step",
        "never run",
        format!("{mean:.2} s with {pebbles} pebbles, {contacts} contacts"),
        String::new(),
    );
    let gigabytes = memory.map_or("unknown here".into(), |bytes| format!("{:.2} GB", bytes / GIGABYTE));
    push("peak memory", "600,000 pebbles in 32 GB, by extrapolation", gigabytes, String::new());
    let hours = mean * FILL_STEPS / 3600.0;
    let note = "Extrapolated from the first steps of the fall, when few pebbles touch: a lower bound. A settled bed has about three contacts a \
                pebble and takes a first-order method 50 to 500 iterations a step.";
    let words = format!("{hours:.1} h for {FILL_STEPS:.0} steps of {STEP} s");
    push("the whole fill, at least", "never run", words, note.into());
    Ok(outcome)
}
