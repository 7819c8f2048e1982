//! `signorini run`: a scene in, a run folder out.

use super::outcome;
use crate::args::RunArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::printer::Printer;
use crate::words::counted;
use anyhow::Result;
use signorini_scene::run::{FlexibleRecord, Run, RunError, RunOptions, steps_until};
use signorini_scene::{Overrides, load};
use std::path::PathBuf;

pub(crate) fn run(args: &RunArgs, printer: &mut Printer) -> Result<Exit> {
    interrupt::flag();
    outcome::start_threads(args.threads)?;
    let overrides = Overrides { set: args.set.clone(), seed: args.seed, stepper: args.stepper };
    let mut scene = match load(&args.scene, &overrides) {
        Ok(scene) => scene,
        Err(errors) => return Ok(outcome::refused(&args.scene, &RunError::Scene(errors), printer)),
    };
    args.apply(&mut scene.settings);
    scene.warnings.extend(args.idle(&scene.settings.stepper));
    scene.warnings.iter().for_each(|warning| printer.warning(&args.scene, warning));
    scene.until = args.until.unwrap_or(scene.until);
    scene.stop_after = if args.keep_going { 0 } else { scene.stop_after };
    scene.output.contacts |= args.contacts || args.view;
    scene.output.forces |= args.forces || args.view;
    scene.output.vtk |= args.vtk;
    scene.output.checkpoint_every = args.checkpoint_every.or(scene.output.checkpoint_every);
    let steps = args.steps.unwrap_or_else(|| steps_until(scene.until, scene.settings.step));
    if steps == 0 && args.steps.is_none() {
        let error = RunError::NoSteps { until: scene.until, step: scene.settings.step };
        return Ok(outcome::refused(&args.scene, &error, printer));
    }
    let (bodies, joints) = (scene.model.bodies().len(), scene.model.joints().len());
    let links = scene.model.links().len();
    let (step, stepper) = (scene.settings.step, scene.settings.stepper.name());
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}-run", scene.name)));
    let name = scene.name.clone();
    let last = (steps as f64 - 1.0) * step;
    for time in args.dump_problem.iter().filter(|time| **time > last + 1e-6 * step) {
        let warning = format!("no step starts at {time} s or after, the last does at {last} s: no problem is stored");
        printer.warning(&args.scene, &warning);
        scene.warnings.push(warning);
    }
    let options = RunOptions { overwrite: args.force, steps: Some(steps), problems_at: args.dump_problem.clone() };
    match Run::create(&out, scene, &overrides, &options) {
        Ok(run) => {
            let some = |count: usize, what: &str| match count {
                0 => String::new(),
                _ => format!(", {}", counted(count, what)),
            };
            let joints = some(joints, "joint") + &some(links, "link");
            let flexible = flexible(&run.manifest().flexible);
            let bodies = match (bodies, flexible.is_empty()) {
                (0, false) => flexible,
                (1, true) => "1 body".into(),
                (1, false) => format!("1 body, {flexible}"),
                (many, true) => format!("{many} bodies"),
                (many, false) => format!("{many} bodies, {flexible}"),
            };
            let steps = counted(steps, "step");
            printer.line(&format!("{}: {bodies}{joints}, {steps} of {step} s ({})", args.scene, stepper));
            Ok(outcome::go(run, args.view, printer))
        }
        Err(error) => Ok(outcome::refused(&name, &error, printer)),
    }
}

/// Flexible bodies as the first line has them; nothing without any.
fn flexible(bodies: &[FlexibleRecord]) -> String {
    let sum = |of: fn(&FlexibleRecord) -> usize| bodies.iter().map(of).sum::<usize>();
    let (nodes, elements) = (counted(sum(|body| body.nodes), "node"), counted(sum(|body| body.elements), "element"));
    match bodies.len() {
        0 => String::new(),
        1 => format!("1 flexible body ({nodes}, {elements})"),
        many => format!("{many} flexible bodies ({nodes}, {elements})"),
    }
}
