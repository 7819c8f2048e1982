//! What is imposed on a hinge or slider: `motion`, `speed`, `limits`.

use crate::document::law;
use crate::reader::{Range, Table};
use signorini_mechanics::joint::Law;
use std::f64::consts::TAU;

/// Imposed motion.
pub(super) enum Drive {
    /// An angle or displacement.
    Position(Law),
    /// Its speed; it starts at 0.
    Speed(Law),
}

/// Imposed motion and limits.
#[derive(Default)]
pub(super) struct Motion {
    pub(super) drive: Option<Drive>,
    pub(super) limits: Option<[f64; 2]>,
}

impl Motion {
    /// Of a hinge; `None` for an error.
    pub(super) fn of_angle(table: &Table<'_>) -> Option<Self> {
        let drive = drive(table)?;
        let limits = match (limits(table, "limits", true)?, limits(table, "limits-degrees", false)?) {
            (Some(_), Some(_)) => {
                table.error("both `limits` and `limits-degrees` are given, expected one of them");
                return None;
            }
            (limits, degrees) => limits.or(degrees.map(|pair| pair.map(f64::to_radians))),
        };
        Some(Self { drive, limits })
    }

    /// Of a slider; `None` for an error.
    pub(super) fn of_displacement(table: &Table<'_>) -> Option<Self> {
        Some(Self { drive: drive(table)?, limits: limits(table, "limits", false)? })
    }
}

/// `motion` or `speed`; `None` for an error.
fn drive(table: &Table<'_>) -> Option<Option<Drive>> {
    match (table.get("motion"), table.get("speed")) {
        (Some(_), Some(_)) => {
            table.error("both `motion` and `speed` are given, expected one of them");
            None
        }
        (Some(motion), None) => Some(Some(Drive::Position(law::read(&motion)?))),
        (None, Some(speed)) => {
            let law = match speed.is_table() {
                true => law::read(&speed)?,
                false => Law::constant(speed.number(Range::SPEED)?),
            };
            Some(Some(Drive::Speed(law)))
        }
        (None, None) => Some(None),
    }
}

/// Two numbers; `None` for an error. Those in radians are less than a turn apart.
fn limits(table: &Table<'_>, field: &'static str, in_radians: bool) -> Option<Option<[f64; 2]>> {
    let Some(value) = table.get(field) else { return Some(None) };
    let [min, max] = value.list_of::<2>("two numbers [least, most]")?.map(|part| part.number(Range::ANY));
    let (min, max) = (min?, max?);
    if in_radians && max - min >= TAU {
        let problem =
            format_args!("are {} rad apart, expected less than 2π: whole turns cannot be told from a pose", max - min);
        value.error_with(problem, "`limits-degrees` takes degrees");
        return None;
    }
    Some(Some([min, max]))
}
