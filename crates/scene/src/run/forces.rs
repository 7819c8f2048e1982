//! forces.csv: what joints, forces, links and held nodes of flexible bodies do, in every frame.
//!
//! The wrench of a joint is Σ λ_k J_k on body B, that of a force the one on body B (on its one body, if there is one only):
//! the force in world axes, the torque about the body's centre of mass in world axes.

use super::RunError;
use super::contacts::csv_field;
use super::error::{damaged, reading};
use super::step_row::number;
use serde::{Deserialize, Serialize};
use signorini_mechanics::flexible::Link;
use signorini_mechanics::joint::{DriveLoad, MAX_ROWS};
use signorini_mechanics::{Resultant, Simulation};
use std::fmt::Write;
use std::path::Path;

/// Columns before those of the rows of a joint.
const FIRST: &str = "step,time_s,kind,name,type,body";
/// Columns after them.
const LAST: &str = "fx_N,fy_N,fz_N,tx_N_m,ty_N_m,tz_N_m,drive_N,drive_N_m";

/// What a line of forces.csv is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForceKind {
    /// `[joints.NAME]`.
    Joint,
    /// `[forces.NAME]`.
    Force,
    /// A link of a flexible body.
    Link,
    /// The nodes of a flexible body that never move, under its name.
    Held,
}

/// One line of forces.csv. What a joint does is only known after the first step.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceRow {
    /// The step.
    pub step: u64,
    /// Time after it \[s\].
    pub time: f64,
    /// Joint, force, link or held nodes.
    pub kind: ForceKind,
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_name: String,
    /// The body that force and torque act on: body B, or the only one, or the flexible one.
    pub body: String,
    /// Multipliers of the rows of a joint: \[N\] for lengths, \[N m\] for angles.
    pub rows: [Option<f64>; MAX_ROWS],
    /// Force on the body, world axes \[N\].
    pub force: Option<[f64; 3]>,
    /// Torque on the body about its centre of mass, world axes \[N m\].
    pub torque: Option<[f64; 3]>,
    /// Force of the drive of a joint, or of an imposed displacement \[N\].
    pub drive_force: Option<f64>,
    /// Torque of the drive of a joint \[N m\].
    pub drive_torque: Option<f64>,
}

/// A line as it is stored, field by field.
type Fields = (
    (u64, f64, ForceKind, String, String, String),
    [Option<f64>; MAX_ROWS],
    [Option<f64>; 3],
    [Option<f64>; 3],
    [Option<f64>; 2],
);

impl From<Fields> for ForceRow {
    fn from((first, rows, force, torque, [drive_force, drive_torque]): Fields) -> Self {
        let (step, time, kind, name, type_name, body) = first;
        let vector = |[x, y, z]: [Option<f64>; 3]| Some([x?, y?, z?]);
        let (force, torque) = (vector(force), vector(torque));
        Self { step, time, kind, name, type_name, body, rows, force, torque, drive_force, drive_torque }
    }
}

pub(super) fn header() -> String {
    let rows: String = (0..MAX_ROWS).map(|k| format!(",row{k}_N_or_N_m")).collect();
    format!("{FIRST}{rows},{LAST}\n")
}

/// Adds the lines of one frame. `bodies` are the names of all, flexible ones last, ready for CSV.
pub(super) fn write(simulation: &Simulation, bodies: &[String], lines: &mut String) {
    let (model, state) = (simulation.model(), simulation.state());
    let start = |lines: &mut String, kind: &str, name: &str, type_name: &str, body: usize| {
        let (step, time, name) = (state.step, number(state.time), csv_field(name));
        // As scene files spell it.
        let type_name = type_name.replace(' ', "-");
        // Writing to a string cannot fail.
        let _ = write!(lines, "{step},{time},{kind},{name},{type_name},{}", bodies[body]);
    };
    for ((name, joint), load) in model.joints().zip(simulation.joint_loads()) {
        start(lines, "joint", name, joint.kind(), joint.bodies()[1].index());
        let rows = load.as_ref().map_or(&[][..], |load| load.rows.as_slice());
        (0..MAX_ROWS).for_each(|k| field(rows.get(k).copied(), lines));
        for vector in [load.as_ref().map(|load| load.force), load.as_ref().map(|load| load.torque)] {
            (0..3).for_each(|axis| field(vector.map(|vector| vector[axis]), lines));
        }
        let [along, about] = match load.and_then(|load| load.drive) {
            Some(DriveLoad::Force(force)) => [Some(force), None],
            Some(DriveLoad::Torque(torque)) => [None, Some(torque)],
            None => [None; 2],
        };
        [along, about].into_iter().for_each(|drive| field(drive, lines));
        lines.push('\n');
    }
    for (index, (name, force)) in model.forces().enumerate() {
        let [a, b] = force.bodies();
        // A force on one body has its wrench in the first place.
        let (side, body) = if a == b { (0, a) } else { (1, b) };
        start(lines, "force", name, force.kind(), body.index());
        (0..MAX_ROWS).for_each(|_| field(None, lines));
        let wrench = simulation.force_wrenches(index).map(|wrenches| wrenches[side]);
        let rotation = state.poses[body.index()].rotation;
        for vector in [wrench.map(|wrench| wrench.force), wrench.map(|wrench| rotation * wrench.torque)] {
            (0..3).for_each(|axis| field(vector.map(|vector| vector[axis]), lines));
        }
        (0..2).for_each(|_| field(None, lines));
        lines.push('\n');
    }
    let reactions = simulation.reactions();
    let finish = |lines: &mut String, on: Option<Resultant>, drive: Option<f64>| {
        (0..MAX_ROWS).for_each(|_| field(None, lines));
        for vector in [on.map(|on| on.force), on.map(|on| on.torque)] {
            (0..3).for_each(|axis| field(vector.map(|vector| vector[axis]), lines));
        }
        [drive, None].into_iter().for_each(|drive| field(drive, lines));
        lines.push('\n');
    };
    let rigid = model.bodies().len();
    for (index, (name, load)) in model.flexible_loads().iter().enumerate() {
        start(lines, "force", name, load.kind(), rigid + load.flexible().index());
        finish(lines, simulation.flexible_load(index), None);
    }
    for (index, (name, link)) in model.links().iter().enumerate() {
        start(lines, "link", name, link.kind(), rigid + link.flexible().index());
        let load = reactions.as_ref().and_then(|reactions| reactions.links.get(index));
        // All rows of an imposed displacement are along its direction.
        let drive = load.filter(|_| matches!(link, Link::Imposed { .. })).map(|load| load.rows.iter().sum());
        finish(lines, load.map(|load| load.on_flexible), drive);
    }
    for (index, body) in model.flexible().iter().enumerate().filter(|(_, body)| !body.fixed.is_empty()) {
        start(lines, "held", &body.name, "nodes", rigid + index);
        finish(lines, reactions.as_ref().and_then(|reactions| reactions.held.get(index).copied()), None);
    }
}

/// One more field of a line, empty where there is no number.
fn field(value: Option<f64>, line: &mut String) {
    line.push(',');
    if let Some(value) = value {
        let _ = write!(line, "{}", number(value));
    }
}

/// Reads the lines of steps up to `last`: those that are complete.
pub(super) fn read(path: &Path, last: u64) -> Result<Vec<ForceRow>, RunError> {
    let text = std::fs::read(path).map_err(reading(path))?;
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(&text[..end]).deserialize::<Fields>() {
        match row.map(ForceRow::from) {
            Ok(row) if row.step <= last => rows.push(row),
            // Lines of a step that was cut short: what comes is no longer of interest.
            Ok(_) => break,
            Err(error) => return Err(damaged(path, error.to_string())),
        }
    }
    Ok(rows)
}

/// The rows of all complete lines, one at a time.
pub(super) fn rows(path: &Path) -> Result<impl Iterator<Item = Result<ForceRow, RunError>> + use<>, RunError> {
    Ok(super::rows::rows::<Fields>(path)?.map(|row| row.map(ForceRow::from)))
}
