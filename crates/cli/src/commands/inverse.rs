//! `signorini inverse`: what drives must deliver.

use super::analysis::{freedoms, number, read, refused};
use super::left_out;
use crate::args::InverseArgs;
use crate::exit::Exit;
use crate::printer::{Column, Printer};
use crate::words::counted;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use signorini_mechanics::analysis::{
    ContactLeftOut, Drive, FreeMotion, InverseDynamics, InverseSettings, inverse_dynamics,
};
use signorini_mechanics::{Model, State};
use std::path::Path;

pub(crate) fn run(args: &InverseArgs, printer: &mut Printer) -> Result<Exit> {
    let scene = match read(&args.common, printer) {
        Ok(scene) => scene,
        Err(exit) => return Ok(exit),
    };
    let settings = InverseSettings {
        until: args.until.unwrap_or(scene.until),
        step: args.dt.unwrap_or(scene.settings.step),
        free: if args.kinematic { FreeMotion::Refuse } else { FreeMotion::Simulate },
    };
    let found = match inverse_dynamics(&scene.model, &State::start_of(&scene.model), &settings) {
        Ok(found) => found,
        Err(error) => return Ok(refused(&args.common, &error, printer)),
    };
    if found.free > 0 {
        let are = if found.free == 1 { "is" } else { "are" };
        let note = format!("{} {are} not imposed: what is free is simulated (generalised-alpha)", freedoms(found.free));
        printer.note(Some(&args.common.scene), &note);
    }
    let place = |contact: &ContactLeftOut| format!("at t = {} s", number(contact.time));
    let overlaps = left_out::contacts(&args.common, &found.contacts_left_out, place, printer);
    if let Some(path) = &args.csv {
        write_csv(path, &scene.model, &found).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let joints = scene.model.joints().enumerate().map(|(index, (name, joint))| {
        let force: Vec<_> = found.reactions.iter().map(|at| at[index].force.to_array()).collect();
        let torque: Vec<_> = found.reactions.iter().map(|at| at[index].torque.to_array()).collect();
        let on = &scene.model.bodies()[joint.bodies()[1].index()].name;
        json!({ "name": name, "type": joint.kind(), "on": on, "force": force, "torque": torque })
    });
    printer.object(&json!({
        "scene": scene.name,
        "status": if found.free == 0 { "kinematic" } else { "simulated" },
        "free": found.free,
        "times": found.times,
        "drives": found.drives.iter().map(drive_object).collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
        "contacts_left_out": found.contacts_left_out,
        "csv": args.csv,
    }));
    show(args, &scene.model, &found, printer);
    Ok(if overlaps { Exit::Missed } else { Exit::Done })
}

fn powers(drive: &Drive) -> Vec<f64> {
    (0..drive.force.len()).map(|at| drive.power(at)).collect()
}

fn drive_object(drive: &Drive) -> Value {
    let units = if drive.is_angle { ["rad", "rad/s", "N m"] } else { ["m", "m/s", "N"] };
    json!({
        "name": drive.name,
        "units": units,
        "position": drive.position,
        "speed": drive.speed,
        "force": drive.force,
        "power": powers(drive),
    })
}

/// A line a time; the first names columns with units.
fn write_csv(path: &Path, model: &Model, found: &InverseDynamics) -> Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    let mut header = vec!["time_s".to_owned()];
    for drive in &found.drives {
        let units = if drive.is_angle { ["rad", "rad_s", "Nm"] } else { ["m", "m_s", "N"] };
        let what = ["position", "speed", "force"];
        header.extend(what.iter().zip(units).map(|(what, unit)| format!("{}_{what}_{unit}", drive.name)));
        header.push(format!("{}_power_W", drive.name));
    }
    for (name, _) in model.joints() {
        header.extend(["x", "y", "z"].map(|axis| format!("{name}_reaction_force_{axis}_N")));
        header.extend(["x", "y", "z"].map(|axis| format!("{name}_reaction_torque_{axis}_Nm")));
    }
    writer.write_record(&header)?;
    for (at, time) in found.times.iter().enumerate() {
        let mut numbers = vec![*time];
        for drive in &found.drives {
            numbers.extend([drive.position[at], drive.speed[at], drive.force[at], drive.power(at)]);
        }
        for reaction in &found.reactions[at] {
            numbers.extend(reaction.force.to_array().into_iter().chain(reaction.torque.to_array()));
        }
        writer.write_record(numbers.iter().map(f64::to_string))?;
    }
    writer.flush()?;
    Ok(())
}

fn show(args: &InverseArgs, model: &Model, found: &InverseDynamics, printer: &mut Printer) {
    let last = found.times.len().saturating_sub(1);
    let length = found.times.get(last).zip(found.times.first()).map_or(0.0, |(end, start)| end - start);
    let rows = found.drives.iter().map(|drive| {
        let least = drive.force.iter().copied().fold(f64::INFINITY, f64::min);
        let most = drive.force.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let peak = first_peak(&drive.force);
        let square = trapezoid(&drive.force.iter().map(|force| force * force).collect::<Vec<_>>(), &found.times);
        let power = powers(drive);
        let strongest = power.get(first_peak(&power)).copied().unwrap_or(0.0);
        let work = trapezoid(&power, &found.times);
        vec![
            drive.name.clone(),
            if drive.is_angle { "N m".into() } else { "N".into() },
            number(least),
            number(most),
            number(if length > 0.0 { (square / length).sqrt() } else { 0.0 }),
            number(found.times[peak]),
            number(strongest),
            // What comes back out of the mechanism cancels up to rounding.
            number(if work.abs() < 1e-12 * length * strongest.abs() { 0.0 } else { work }),
        ]
    });
    let columns = [
        Column::words("drive"),
        Column::words("unit"),
        Column::number("least"),
        Column::number("most"),
        Column::number("r.m.s."),
        Column::number("peak at s"),
        Column::number("largest ±W"),
        Column::number("work J"),
    ];
    printer.table(&columns, rows.collect());
    let rows = model.joints().enumerate().map(|(index, (name, _))| {
        let force = found.reactions.iter().map(|at| at[index].force.length()).fold(0.0, f64::max);
        let torque = found.reactions.iter().map(|at| at[index].torque.length()).fold(0.0, f64::max);
        vec![name.to_owned(), number(force), number(torque)]
    });
    let columns = [Column::words("joint"), Column::number("largest force N"), Column::number("largest torque N m")];
    printer.line("");
    printer.table(&columns, rows.collect());
    let how = if found.free == 0 { "by kinematics" } else { "by simulation" };
    let kept = match &args.csv {
        Some(path) => format!(", all of them in {}", path.display()),
        None => String::new(),
    };
    printer.line("");
    printer.line(&format!(
        "{}: {} over {} s, {how}{kept}",
        args.common.scene,
        counted(found.times.len(), "time"),
        number(length)
    ));
}

/// Where the largest absolute value is, for the first time up to the six digits that are shown.
fn first_peak(values: &[f64]) -> usize {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    values.iter().position(|value| value.abs() >= (1.0 - 1e-6) * largest).unwrap_or(0)
}

/// The integral of samples over time.
fn trapezoid(values: &[f64], times: &[f64]) -> f64 {
    let parts = values.windows(2).zip(times.windows(2));
    parts.map(|(value, time)| 0.5 * (value[0] + value[1]) * (time[1] - time[0])).sum()
}

#[cfg(test)]
mod tests {
    use super::first_peak;

    #[test]
    fn the_peak_is_the_first_of_equals_and_may_be_negative() {
        assert_eq!(first_peak(&[2.0, 2.0 + 1e-9, 2.0]), 0);
        assert_eq!(first_peak(&[1.0, -3.0, 2.0, 3.0]), 1);
        assert_eq!((first_peak(&[0.0, 0.0]), first_peak(&[])), (0, 0));
    }
}
