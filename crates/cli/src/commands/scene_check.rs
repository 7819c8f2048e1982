//! The part of `signorini check` for scenes: all errors, or what the scene is made of.

use super::scene_errors;
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use serde_json::json;
use signorini_mechanics::{Model, Simulation};
use signorini_scene::{Overrides, Scene, gallery, load};
use std::path::Path;

/// Whether an argument means a scene: a .toml file, or a name of the gallery that is no file.
pub(super) fn is_scene(argument: &Path) -> bool {
    argument.extension().is_some_and(|ending| ending == "toml")
        || (!argument.exists() && argument.to_str().is_some_and(|name| gallery::find(name).is_some()))
}

/// Checks one scene.
pub(super) fn check(argument: &Path, printer: &mut Printer) -> Exit {
    let name = argument.display().to_string();
    match load(&name, &Overrides::default()) {
        Ok(mut scene) => {
            if let Some(error) = refusal(&mut scene) {
                printer.error(Some(&name), &error, None);
                printer.object(&json!({ "file": name, "status": "error", "errors": [{ "message": error }] }));
                return Exit::CouldNotRun;
            }
            scene.warnings.iter().for_each(|warning| printer.warning(&name, warning));
            show(&name, &scene, printer);
            Exit::Done
        }
        Err(errors) => {
            scene_errors::tell(&errors, printer);
            printer.object(&json!({ "file": name, "status": "error", "errors": scene_errors::objects(&errors) }));
            let count = errors.0.len();
            printer.line(&format!("{name}: {count} {}", if count == 1 { "error" } else { "errors" }));
            Exit::CouldNotRun
        }
    }
}

/// Why a scene that reads well cannot be run: what its stepper cannot hold, joints that contradict each other.
fn refusal(scene: &mut Scene) -> Option<String> {
    // Simulations own their models; an empty one takes its place meanwhile.
    let empty = Model::builder().build().ok()?;
    let model = std::mem::replace(&mut scene.model, empty);
    match Simulation::new(model, scene.settings.clone()) {
        Ok(simulation) => {
            scene.model = simulation.into_model();
            None
        }
        Err(error) => Some(error.to_string()),
    }
}

fn show(name: &str, scene: &Scene, printer: &mut Printer) {
    let model = &scene.model;
    let joints: Vec<String> = model.joints().map(|(name, joint)| format!("{name} ({})", joint.kind())).collect();
    let forces: Vec<String> = model.forces().map(|(name, force)| format!("{name} ({})", force.kind())).collect();
    let links: Vec<String> = model.links().iter().map(|(name, link)| format!("{name} ({})", link.kind())).collect();
    let loads = model.flexible_loads().iter();
    let loads: Vec<String> = loads.map(|(name, load)| format!("{name} ({})", load.kind())).collect();
    let flexible: Vec<String> = model.flexible().iter().map(|body| body.name.clone()).collect();
    printer.object(&json!({
        "file": name,
        "status": "ok",
        "scene": scene.name,
        "title": scene.title,
        "bodies": model.bodies().len(),
        "moving": model.moving(),
        "shapes": model.colliders().len(),
        "materials": model.materials().len(),
        "joints": joints,
        "forces": forces,
        "flexible": flexible,
        "nodes": model.node_masses().len(),
        "links": links,
        "loads": loads,
        "stepper": scene.settings.stepper.name(),
        "step": scene.settings.step,
        "max_iterations": scene.settings.iteration_limit(),
        "stop_after": scene.stop_after,
        "until": scene.until,
        "steps": scene.steps(),
        "parameters": scene.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>(),
        "warnings": scene.warnings,
    }));
    let names = model.bodies().iter().map(|body| body.name.clone());
    let materials = model.materials().iter().map(|material| material.name.clone());
    let parameters = scene.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
    let mut rows = vec![
        ("scene", if scene.title.is_empty() { scene.name.clone() } else { scene.title.clone() }),
        ("bodies", format!("{} ({} moving): {}", model.bodies().len(), model.moving(), listed(names))),
        (
            "flexible bodies",
            match flexible.len() {
                0 => String::new(),
                count => format!("{count} ({} nodes): {}", model.node_masses().len(), listed(flexible.into_iter())),
            },
        ),
        ("shapes", model.colliders().len().to_string()),
        ("materials", listed(materials)),
        ("joints", listed(joints.into_iter())),
        ("forces", listed(forces.into_iter())),
        ("links", listed(links.into_iter())),
        ("loads", listed(loads.into_iter())),
        ("steps", format!("{} of {} s, until {} s", scene.steps(), scene.settings.step, scene.until)),
        ("stepper", scene.settings.stepper.name().to_owned()),
        ("solver", scene.settings.solver_name().to_owned()),
        (
            "iterations",
            match scene.settings.iteration_limit().filter(|_| scene.settings.stepper.has_hard_contacts()) {
                Some(limit) => format!("at most {limit} a step"),
                None => String::new(),
            },
        ),
        (
            "steps without an answer",
            match scene.stop_after {
                0 => "the run goes on".to_owned(),
                steps => format!("the run stops after {steps} in a row"),
            },
        ),
        ("friction", scene.settings.friction.name().to_owned()),
        ("parameters", listed(parameters)),
    ];
    rows.retain(|(_, text)| !text.is_empty());
    let rows = rows.into_iter().map(|(what, text)| vec![what.to_owned(), text]).collect();
    printer.table(&[Column::words(""), Column::words("")], rows);
    let warnings = scene.warnings.len();
    let warned = if warnings > 0 { format!(", {warnings} warnings") } else { String::new() };
    printer.line(&format!("{name}: ok{warned}"));
}

/// The first names of a list, and how many more there are.
fn listed(names: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 8;
    let all: Vec<String> = names.collect();
    match all.len() {
        n if n > SHOWN => format!("{}, … {} more", all[..SHOWN].join(", "), n - SHOWN),
        _ => all.join(", "),
    }
}
