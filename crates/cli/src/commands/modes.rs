//! `signorini modes`: small motions about a state.

use super::analysis::{array, freedoms, number, read, refused, vector};
use super::left_out;
use crate::args::{ModesArgs, name_of};
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use serde_json::{Value, json};
use signorini_mechanics::analysis::{
    ContactLeftOut, EquilibriumSettings, Mode, ModeKind, Modes, modes, static_equilibrium,
};
use signorini_mechanics::{Model, State};

pub(crate) fn run(args: &ModesArgs, printer: &mut Printer) -> Exit {
    let scene = match read(&args.common, printer) {
        Ok(scene) => scene,
        Err(exit) => return exit,
    };
    let mut state = State::start_of(&scene.model);
    let mut at_rest = None;
    if args.at_equilibrium {
        match static_equilibrium(&scene.model, &state, &EquilibriumSettings::default()) {
            Ok(found) => {
                state = found.state;
                at_rest = Some(found.contacts_left_out);
            }
            Err(error) => return refused(&args.common, &error, printer),
        }
    }
    let found = match modes(&scene.model, &state) {
        Ok(found) => found,
        Err(error) => return refused(&args.common, &error, printer),
    };
    if !found.is_steady {
        // Motions imposed on joints go on, also where everything else is at rest.
        let note = match args.at_equilibrium {
            true => "a motion imposed on a joint goes on: these are the modes of an instant",
            false => {
                "the start is no equilibrium: these are the modes of an instant, `--at-equilibrium` those about rest"
            }
        };
        printer.note(Some(&args.common.scene), note);
    }
    left_out::memory(&args.common, &scene.model, printer);
    // Those of the equilibrium are compared with the start of the scene.
    let contacts = at_rest.as_ref().unwrap_or(&found.contacts_left_out);
    let place = |_: &ContactLeftOut| if args.at_equilibrium { "at the equilibrium" } else { "at the start" }.to_owned();
    let overlaps = left_out::contacts(&args.common, contacts, place, printer);
    let objects = found.modes.iter().map(|mode| object(&scene.model, mode));
    printer.object(&json!({
        "scene": scene.name,
        "status": if found.is_stable() { "stable" } else { "unstable" },
        "at_equilibrium": args.at_equilibrium,
        "steady": found.is_steady,
        "freedoms": found.freedoms,
        "contacts_left_out": contacts,
        "modes": objects.collect::<Vec<_>>(),
    }));
    show(args, &scene.model, &found, printer);
    if found.is_stable() && !overlaps { Exit::Done } else { Exit::Missed }
}

fn object(model: &Model, mode: &Mode) -> Value {
    let shape = model.bodies().iter().zip(&mode.shape).filter(|(body, _)| !body.is_fixed).map(|(body, part)| {
        json!({
            "body": body.name,
            "displacement": part.displacement.map(array),
            "rotation": part.rotation.map(array),
        })
    });
    json!({
        "kind": mode.kind,
        "eigenvalue": mode.eigenvalue,
        "frequency": mode.frequency,
        "natural_frequency": mode.natural_frequency,
        "damping_ratio": mode.damping_ratio,
        "unstable": mode.is_unstable,
        "shape": shape.collect::<Vec<_>>(),
    })
}

/// The body that takes part most, displacements and rotations as they are.
fn leader(model: &Model, mode: &Mode) -> String {
    let size = |at: usize| {
        let part = &mode.shape[at];
        part.displacement.iter().chain(&part.rotation).map(|v| v.length_squared()).sum::<f64>()
    };
    // The first of equals.
    let most = (0..mode.shape.len()).map(size).fold(0.0, f64::max);
    let found = (0..mode.shape.len()).find(|&at| size(at) >= most * (1.0 - 1e-6));
    found.map(|at| model.bodies()[at].name.clone()).unwrap_or_default()
}

fn show(args: &ModesArgs, model: &Model, found: &Modes, printer: &mut Printer) {
    let rows = found.modes.iter().enumerate().map(|(k, mode)| {
        let [re, im] = mode.eigenvalue;
        let eigenvalue = match mode.kind {
            ModeKind::Rigid => "0".into(),
            ModeKind::Aperiodic => number(re),
            ModeKind::Oscillating => format!("{} ± {} i", number(re), number(im)),
        };
        vec![
            (k + 1).to_string(),
            name_of(&mode.kind),
            number(mode.frequency),
            if mode.kind == ModeKind::Oscillating { number(mode.damping_ratio) } else { "-".into() },
            eigenvalue,
            leader(model, mode),
            if mode.is_unstable { "unstable".into() } else { String::new() },
        ]
    });
    let columns = [
        Column::number("mode"),
        Column::words("kind"),
        Column::number("Hz"),
        Column::number("damping"),
        Column::words("eigenvalue 1/s"),
        Column::words("moves most"),
        Column::words(""),
    ];
    printer.table(&columns, rows.collect());
    if args.shapes {
        for (k, mode) in found.modes.iter().enumerate() {
            printer.line("");
            printer.line(&format!("mode {}, {} Hz:", k + 1, number(mode.frequency)));
            let parts = model.bodies().iter().zip(&mode.shape).filter(|(body, _)| !body.is_fixed);
            // Rounding of a shape whose largest component is 1.
            let clean = |v: signorini_mechanics::Vec3| v.map(|x| if x.abs() < 1e-9 { 0.0 } else { x });
            let both = |[re, im]: [signorini_mechanics::Vec3; 2]| match clean(im) == signorini_mechanics::Vec3::ZERO {
                true => vector(clean(re)),
                false => format!("{} + i({})", vector(clean(re)), vector(clean(im))),
            };
            let rows = parts.map(|(body, part)| vec![body.name.clone(), both(part.displacement), both(part.rotation)]);
            let columns = [Column::words("body"), Column::words("displacement"), Column::words("rotation")];
            printer.table(&columns, rows.collect());
        }
    }
    let unstable = found.modes.iter().filter(|mode| mode.is_unstable).count();
    let verdict = match unstable {
        0 => "none grows".to_owned(),
        1 => "1 grows".to_owned(),
        n => format!("{n} grow"),
    };
    printer.line("");
    printer.line(&format!(
        "{}: {} {} of {}, {verdict}",
        args.common.scene,
        found.modes.len(),
        if found.modes.len() == 1 { "mode" } else { "modes" },
        freedoms(found.freedoms)
    ));
}
