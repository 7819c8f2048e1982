//! `type = "motor"`: a torque or a force by a function of time or by a controller.

use super::{about, anchored, bodies, law};
use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::force::{Drive, Motor, Pid, SpeedControl};
use signorini_mechanics::{Force, Pose};

/// What says how strong a motor is.
const DRIVES: [&str; 3] = ["law", "pid", "speed-control"];

/// `true` for what turns.
const KINDS: [(&str, bool); 2] = [("torque", true), ("force", false)];

/// Reads a motor, and leaves the table to be finished.
pub(super) fn read<'a>(table: &Table<'a>, builder: &mut Builder<'a>) -> Option<Box<dyn Force>> {
    let bodies = bodies(table, builder);
    let axis = table.require("axis").and_then(|value| value.direction());
    let turns = table.get("kind").map_or(Some(true), |value| value.choice(&KINDS));
    // A torque acts the same wherever its axis is.
    let point = match turns {
        Some(false) => table.require("point").and_then(|value| value.vector(Range::COORDINATE)),
        _ => None,
    };
    let drive = drive(table);
    let (bodies, axis, drive) = (bodies?, axis?, drive?);
    Some(Box::new(match turns? {
        true => Motor::torque(about(bodies, axis, builder), drive),
        false => {
            let frame = Pose::new(point?, DQuat::from_rotation_arc(DVec3::Z, axis));
            Motor::force(anchored(bodies, frame, builder), drive)
        }
    }))
}

fn drive(table: &Table<'_>) -> Option<Drive> {
    let law = table.get("law").map(|value| law::read_or_constant(&value).map(Drive::Law));
    let pid = table.table("pid").map(|table| position_control(&table).map(Drive::Position));
    let speed = table.table("speed-control").map(|table| speed_control(&table).map(Drive::Speed));
    if DRIVES.iter().filter(|field| table.has(field)).count() != 1 {
        table.error("expected one of `law`, `pid` and `speed-control`");
        return None;
    }
    [law, pid, speed].into_iter().flatten().next()?
}

fn position_control(table: &Table<'_>) -> Option<Pid> {
    let proportional = table.require("proportional").and_then(|value| value.number(Range::NOT_NEGATIVE));
    let integral = table.number("integral", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let derivative = table.number("derivative", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let target = table.require("target").and_then(|value| law::read_or_constant(&value));
    let limit = table.number("limit", Range::POSITIVE);
    table.finish();
    Some(Pid { proportional: proportional?, integral, derivative, target: target?, limit })
}

fn speed_control(table: &Table<'_>) -> Option<SpeedControl> {
    let proportional = table.require("proportional").and_then(|value| value.number(Range::NOT_NEGATIVE));
    let integral = table.number("integral", Range::NOT_NEGATIVE).unwrap_or(0.0);
    let target = table.require("target").and_then(|value| law::read_or_constant(&value));
    let limit = table.number("limit", Range::POSITIVE);
    table.finish();
    Some(SpeedControl { proportional: proportional?, integral, target: target?, limit })
}
