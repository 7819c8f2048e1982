//! `[run]` and `[output]`.

use crate::Output;
use crate::reader::{Range, Table};
use crate::scene::USUAL_STOP;

/// More steps are refused.
const MOST_STEPS: u64 = 1_000_000_000;
/// How long a scene runs that does not say \[s\].
const USUAL_END: f64 = 1.0;

/// When the scene ends \[s\], after how many steps without an answer it does so early, and what a run writes.
pub(super) fn read(document: &Table<'_>, step: f64) -> (f64, u32, Output) {
    let mut stop_after = USUAL_STOP;
    let until = document.table("run").map_or(USUAL_END, |table| {
        let until = table.number("until", Range::TIME);
        let steps = table.get("steps").and_then(|value| value.whole(1, MOST_STEPS));
        let stop = table.get("stop-after").and_then(|value| value.whole(0, u64::from(u32::MAX)));
        stop_after = stop.map_or(USUAL_STOP, |steps| steps as u32);
        if table.has("until") && table.has("steps") {
            table.error("both `until` and `steps` are given, expected one of them");
        }
        if let Some(until) = until.filter(|until| until / step > MOST_STEPS as f64) {
            table.error(format_args!(
                "{until} s in steps of {step} s are {:e} steps, expected at most 1e9",
                until / step
            ));
        }
        if let Some(until) = until.filter(|until| (until / step).round() < 1.0) {
            table.error(format_args!(
                "`until` is {until} s, expected at least half a step of {step} s: no step would be taken"
            ));
        }
        table.finish();
        steps.map(|steps| steps as f64 * step).or(until).unwrap_or(USUAL_END)
    });
    let mut output = Output::default();
    if let Some(table) = document.table("output") {
        let steps = |field| table.get(field).and_then(|value| value.whole(1, u64::from(u32::MAX))).map(|n| n as u32);
        output.every = steps("every").unwrap_or(output.every);
        output.checkpoint_every = steps("checkpoint-every");
        output.contacts = table.boolean("contacts").unwrap_or(output.contacts);
        output.forces = table.boolean("forces").unwrap_or(output.forces);
        output.vtk = table.boolean("vtk").unwrap_or(output.vtk);
        table.finish();
    }
    (until, stop_after, output)
}
