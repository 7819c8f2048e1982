//! How a run went: shared by `run` and `resume`.

use super::scene_errors;
use super::solve::seconds;
use super::view;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::{Column, Printer};
use crate::progress::StepProgress;
use crate::words::counted;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;
use signorini_mechanics::{StepReport, Work};
use signorini_scene::run::{Ending, Observer, Run, RunError, Summary};
use std::path::{Path, PathBuf};

/// Shows steps as they are taken.
struct Watcher {
    progress: StepProgress,
    stored: Vec<PathBuf>,
}

impl Observer for Watcher {
    fn step(&mut self, report: &StepReport) {
        self.progress.step(report);
    }
    fn stored(&mut self, problem: &Path) {
        self.stored.push(problem.to_path_buf());
    }
}

/// What scripts are told; the fields they depend on come first.
#[derive(Serialize)]
struct Object<'a> {
    scene: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
    out: String,
    status: &'static str,
    error: Option<String>,
    steps_asked: u64,
    steps_missed: u64,
    friction: &'static str,
    tolerance: signorini_solver::Tolerance,
    problems: &'a [PathBuf],
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
    warnings: &'a [String],
}

/// Starts as many threads as asked.
pub(super) fn start_threads(threads: u16) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
    pool.build_global().context("cannot start the threads")
}

/// A run that could not begin.
pub(super) fn refused(scene: &str, error: &RunError, printer: &mut Printer) -> Exit {
    match error {
        RunError::Scene(errors) => {
            scene_errors::tell(errors, printer);
            let errors = scene_errors::objects(errors);
            printer.object(&json!({ "scene": scene, "status": "error", "errors": errors }));
        }
        _ => {
            // Nothing was written yet that could be resumed.
            let hint = error.hint().filter(|_| !matches!(error, RunError::Write { .. }));
            printer.error(None, &error.to_string(), hint);
            printer.object(&json!({ "scene": scene, "status": "error", "error": error.to_string() }));
        }
    }
    Exit::CouldNotRun
}

/// Takes all steps and says how it went; then shows the run if asked.
pub(super) fn go(mut run: Run, view: bool, printer: &mut Printer) -> Exit {
    let (steps, done) = (run.manifest().steps, run.simulation().state().step);
    let progress = StepProgress::new(steps, done, printer.is_quiet());
    let mut watcher = Watcher { progress, stored: Vec::new() };
    let outcome = run.go(Some(interrupt::flag()), &mut watcher);
    watcher.progress.finish();
    let (mut exit, status) = match &outcome {
        Err(_) => (Exit::CouldNotRun, "failed"),
        Ok(Ending::Interrupted) => (Exit::Interrupted, "interrupted"),
        Ok(Ending::Stopped) => (Exit::Missed, "stopped"),
        Ok(Ending::Finished) if run.summary().steps_missed() > 0 => (Exit::Missed, "finished"),
        Ok(Ending::Finished) => (Exit::Done, "finished"),
    };
    let error = outcome.as_ref().err();
    if let Some(error) = error {
        printer.error(None, &error.to_string(), error.hint());
    }
    let stopped = run.manifest().message.clone().filter(|_| matches!(outcome, Ok(Ending::Stopped)));
    if let Some(why) = &stopped {
        printer.error(None, why, Some("--keep-going takes the other steps all the same; what was computed is kept"));
    }
    let page = match view && exit != Exit::Interrupted {
        true => {
            let (page, shown) = view::after_run(run.folder(), !printer.is_json(), printer);
            exit = exit.max(shown);
            page
        }
        false => None,
    };
    let manifest = run.manifest();
    printer.object(&Object {
        scene: &manifest.scene.name,
        summary: run.summary(),
        out: run.folder().display().to_string(),
        status,
        error: error.map(ToString::to_string).or(stopped),
        steps_asked: manifest.steps,
        steps_missed: run.summary().steps_missed(),
        friction: manifest.settings.friction.name(),
        tolerance: run.simulation().tolerance(),
        problems: &watcher.stored,
        page,
        warnings: &manifest.scene.warnings,
    });
    printer.table(&[Column::words(""), Column::words("")], rows(&run, &watcher.stored));
    if let Some(note) = created_energy(&run) {
        printer.note(None, &note);
    }
    if exit == Exit::Interrupted {
        let taken = run.summary().steps;
        let folder = run.folder().display();
        printer.note(
            None,
            &format!(
                "interrupted after {taken} of {}: `signorini resume {folder}` takes the others",
                counted(steps, "step")
            ),
        );
    }
    exit
}

/// Energy that appears in one step, as a share of all that the energy of the run changed by, is worth a word from here on.
const CREATED: f64 = 0.01;

/// A word about energy that nothing but the method can have put into flexible bodies: they turn too far in a step.
fn created_energy(run: &Run) -> Option<String> {
    let model = run.simulation().model();
    let is_loaded = model.forces().len() > 0 || !model.flexible_loads().is_empty();
    let summary = run.summary();
    let created = summary.energy.work?.numerical_most;
    let [least, largest] = summary.energy.range;
    let is_much = created > CREATED * (largest - least) && created > 1e-9 * largest.abs().max(least.abs());
    (!model.flexible().is_empty() && !is_loaded && is_much).then(|| {
        format!(
            "one step put {created:.3e} J into bodies that turn and are flexible, so stresses are too large: take shorter steps, \
             `flexible-iterations` or a smooth stepper"
        )
    })
}

/// Violations above this are those of joints that do not hold \[m, rad\].
const NAMED_VIOLATION: f64 = 1e-3;

/// An energy to the microjoule, or with an exponent where that would be a long row of digits.
fn joules(energy: f64) -> String {
    if energy.abs() < 1e9 { format!("{energy:.6} J") } else { format!("{energy:.6e} J") }
}

/// What changed the energy of a run, without what is nothing to the microjoule.
fn balance(work: &Work) -> String {
    let parts = [
        ("joints", work.joints),
        ("contacts", work.contacts),
        ("drives and loads", work.drives),
        ("damping", work.damping),
        ("the method itself", work.numerical),
    ];
    let told = parts.iter().filter(|(_, energy)| energy.abs() >= 5e-7);
    let told: Vec<String> = told.map(|(what, energy)| format!("{what} {}", joules(*energy))).collect();
    told.join(", ")
}

/// The summary for people.
fn rows(run: &Run, stored: &[PathBuf]) -> Vec<Vec<String>> {
    let Summary { steps, time_end, contacts, solver, energy, .. } = run.summary();
    let summary = run.summary();
    let missed = match summary.steps_missed() {
        0 => String::new(),
        missed => format!(", {missed} broke a promise"),
    };
    let each = |total: f64| seconds(total / (*steps).max(1) as f64);
    let model = run.simulation().model();
    let joints = match model.joints().len() + model.links().len() {
        0 => String::new(),
        _ => {
            let [(metres, first), (radians, second)] = run.simulation().joint_violation();
            // Links are counted after joints.
            let name = |index: usize| match index.checked_sub(model.joints().len()) {
                None => format!("joint `{}`", model.joint(index).map_or("", |(name, _)| name)),
                Some(link) => format!("link `{}`", model.links().get(link).map_or("", |(name, _)| name)),
            };
            // Joints that hold need no name.
            let worst = match (metres > NAMED_VIOLATION, radians > NAMED_VIOLATION) {
                (true, _) => format!("; at the end {} misses by {metres:.1e} m", name(first)),
                (_, true) => format!("; at the end {} misses by {radians:.1e} rad", name(second)),
                _ => String::new(),
            };
            let (most, angle) = (summary.joint_violation_max, summary.joint_angle_violation_max);
            format!("{most:.1e} m, {angle:.1e} rad{worst}")
        }
    };
    let substeps = match summary.substeps {
        parts if parts.taken == *steps && run.manifest().settings.adaptive.is_none() => String::new(),
        parts => format!("{}, shortest {:.3e} s, {} taken again", parts.taken, parts.shortest, parts.repeated),
    };
    let error = summary.error_estimate.map_or(String::new(), |[metres, radians]| {
        format!("{metres:.1e} m, {radians:.1e} rad since the start, of the shorter steps: estimated and removed")
    });
    let elastic = match summary.flexible.bodies {
        0 => String::new(),
        _ => format!(" + elastic {}", joules(energy.elastic)),
    };
    let balance = summary.energy.work.map_or(String::new(), |work| balance(&work.sum));
    let paths: Vec<String> = stored.iter().map(|path| path.display().to_string()).collect();
    let rows = [
        ("steps", format!("{steps} to t = {time_end:.6} s: {} converged{missed}", solver.steps_converged)),
        ("contacts", format!("mean {:.1}, most {}", contacts.mean, contacts.max)),
        ("iterations", format!("mean {:.1}, most {} ({})", solver.iterations_mean, solver.iterations_max, solver.name)),
        ("sub-steps", substeps),
        ("error", error),
        ("residual", format!("worst {:.1e} m/s", solver.residual_worst)),
        ("penetration", format!("most {:.1e} m", summary.penetration_max)),
        ("joint violation", joints),
        (
            "energy",
            format!(
                "{} = kinetic {} + potential {}{elastic}",
                joules(energy.total),
                joules(energy.kinetic),
                joules(energy.potential)
            ),
        ),
        ("energy balance", balance),
        (
            "energy range",
            format!(
                "{} at the start, {} to {}",
                joules(energy.start),
                joules(energy.range[0]),
                joules(energy.range[1])
            ),
        ),
        (
            "time a step",
            format!(
                "{} (collision {}, assembly {}, solve {}, writing and other {})",
                seconds(summary.wall_seconds_per_step),
                each(summary.seconds.collision),
                each(summary.seconds.assembly),
                each(summary.seconds.solve),
                each((summary.wall_seconds - summary.seconds.total()).max(0.0)),
            ),
        ),
        ("total time", seconds(summary.wall_seconds)),
        ("state", summary.state_hash.clone()),
        ("problems", paths.join(", ")),
        ("results", run.folder().display().to_string()),
    ];
    let rows = rows.into_iter().filter(|(_, text)| !text.is_empty());
    let mut rows: Vec<Vec<String>> = rows.map(|(what, text)| vec![what.into(), text]).collect();
    // Right below the steps: what was promised and not kept.
    let broken = summary.broken.iter().map(|broken| {
        let count = counted(broken.steps, "step");
        let text = format!("{count}, worst at t = {} s: {}", broken.at, broken.worst);
        vec![format!("broken: {}", broken.promise.name()), text]
    });
    rows.splice(1..1, broken);
    rows
}
