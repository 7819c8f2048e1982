//! `signorini equilibrium`: where a scene comes to rest.

use super::analysis::{array, freedoms, number, read, refused, vector};
use super::left_out;
use crate::args::{EquilibriumArgs, name_of};
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use crate::words::counted;
use serde_json::json;
use signorini_mechanics::analysis::{ContactLeftOut, Equilibrium, EquilibriumSettings, Stability, static_equilibrium};
use signorini_mechanics::{Model, State};

pub(crate) fn run(args: &EquilibriumArgs, printer: &mut Printer) -> Exit {
    let scene = match read(&args.common, printer) {
        Ok(scene) => scene,
        Err(exit) => return exit,
    };
    let settings =
        EquilibriumSettings { tolerance: args.tol, max_iterations: args.max_iter, leave_unstable: !args.keep_unstable };
    let start = State::start_of(&scene.model);
    let found = match static_equilibrium(&scene.model, &start, &settings) {
        Ok(found) => found,
        Err(error) => return refused(&args.common, &error, printer),
    };
    left_out::memory(&args.common, &scene.model, printer);
    let place = |_: &ContactLeftOut| "at the equilibrium".to_owned();
    let overlaps = left_out::contacts(&args.common, &found.contacts_left_out, place, printer);
    object(&scene.name, &scene.model, &found, printer);
    show(&args.common.scene, &scene.model, &start, &found, printer);
    if overlaps || found.stability == Stability::Unstable { Exit::Missed } else { Exit::Done }
}

fn object(scene: &str, model: &Model, found: &Equilibrium, printer: &mut Printer) {
    let bodies = model.bodies().iter().zip(&found.state.poses).map(|(body, pose)| {
        let rotation = pose.rotation;
        json!({ "name": body.name, "position": array(pose.position), "rotation_xyzw": rotation.to_array() })
    });
    let joints = model.joints().zip(&found.reactions).map(|((name, joint), reaction)| {
        json!({
            "name": name,
            "type": joint.kind(),
            "on": model.bodies()[joint.bodies()[1].index()].name,
            "force": array(reaction.force),
            "torque": array(reaction.torque),
            "rows": reaction.rows,
        })
    });
    printer.object(&json!({
        "scene": scene,
        "status": "found",
        "stability": found.stability,
        "freedoms": found.freedoms,
        "softest": found.softest,
        "residual": found.residual,
        "force_scale": found.force_scale,
        "iterations": found.iterations,
        "left_behind": found.left_behind,
        "contacts_left_out": found.contacts_left_out,
        "bodies": bodies.collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
    }));
}

fn show(name: &str, model: &Model, start: &State, found: &Equilibrium, printer: &mut Printer) {
    let moving = model.bodies().iter().enumerate().filter(|(_, body)| !body.is_fixed);
    let rows = moving.map(|(i, body)| {
        let (pose, before) = (&found.state.poses[i], &start.poses[i]);
        let turn = (before.rotation.conjugate() * pose.rotation).to_scaled_axis().length().to_degrees();
        vec![
            body.name.clone(),
            vector(pose.position),
            number((pose.position - before.position).length()),
            // Rounding of a quaternion is an angle of 1e-6 degrees.
            if turn < 1e-5 { "0".into() } else { number(turn) },
        ]
    });
    let columns =
        [Column::words("body"), Column::words("position m"), Column::number("moved m"), Column::number("turned °")];
    printer.table(&columns, rows.collect());
    let rows = model.joints().zip(&found.reactions).map(|((name, joint), reaction)| {
        let scale = found.force_scale;
        // What is below the residual's own rounding is none.
        let clean = |v: signorini_mechanics::Vec3| v.map(|x| if x.abs() < 1e-12 * scale { 0.0 } else { x });
        vec![
            name.to_owned(),
            model.bodies()[joint.bodies()[1].index()].name.clone(),
            vector(clean(reaction.force)),
            vector(clean(reaction.torque)),
        ]
    });
    let columns =
        [Column::words("joint"), Column::words("acts on"), Column::words("force N"), Column::words("torque N m")];
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        printer.line("");
    }
    printer.table(&columns, rows);
    let softest = match found.softest {
        Some(square) if square > 0.0 && found.stability == Stability::Stable => {
            format!(" (softest motion {} Hz)", number(square.sqrt() / std::f64::consts::TAU))
        }
        _ => String::new(),
    };
    let left = match found.left_behind {
        0 => String::new(),
        1 => ", 1 unstable equilibrium left".into(),
        n => format!(", {n} unstable equilibria left"),
    };
    printer.line("");
    printer.line(&format!(
        "{name}: {}{softest}, {}, {}{left}, {}",
        name_of(&found.stability),
        freedoms(found.freedoms),
        counted(found.iterations, "iteration"),
        balance(found)
    ));
}

/// How well forces balance.
fn balance(found: &Equilibrium) -> String {
    let scale = number(found.force_scale);
    match (found.residual, found.force_scale) {
        (_, 0.0) => "no forces act".into(),
        (0.0, _) => format!("nothing left of {scale} N"),
        (left, _) => format!("{left:.1e} N left of {scale} N"),
    }
}
