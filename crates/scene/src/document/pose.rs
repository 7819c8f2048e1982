//! `position` and `rotation`.

use crate::reader::{Range, Table, Value};
use glam::{DQuat, DVec3};
use signorini_mechanics::Pose;

/// The fields `position` and `rotation` of a table; the origin and no turn without them.
pub(super) fn pose(table: &Table<'_>) -> Pose {
    Pose::new(table.vector("position", Range::COORDINATE).unwrap_or(DVec3::ZERO), rotation(table))
}

/// The field `rotation` of a table.
pub(crate) fn rotation(table: &Table<'_>) -> DQuat {
    table.get("rotation").and_then(|value| read(&value)).unwrap_or(DQuat::IDENTITY)
}

fn read(value: &Value<'_>) -> Option<DQuat> {
    if !value.is_table() {
        let ways =
            "{ euler-degrees = [x, y, z] }, { axis = [x, y, z], angle-degrees = … } or { quaternion = [w, x, y, z] }";
        value.error_with("says no kind of rotation, expected a table", format!("one of {ways}"));
        return None;
    }
    let table = value.table(value.what.clone())?;
    let quaternion = table.get("quaternion");
    let euler = table.get("euler-degrees");
    let axis = table.get("axis");
    let angle = table.number("angle", Range::ANY);
    let degrees = table.number("angle-degrees", Range::ANY);
    let is_known = table.finish();
    let ways = [quaternion.is_some(), euler.is_some(), axis.is_some()].iter().filter(|given| **given).count();
    if ways != 1 {
        if !is_known {
            return None;
        }
        table.error("expected one of `quaternion`, `euler-degrees` or `axis` with `angle` or `angle-degrees`");
        return None;
    }
    if let Some(value) = quaternion {
        let [w, x, y, z] = value.list_of::<4>("four numbers [w, x, y, z]")?.map(|part| part.number(Range::SPEED));
        let quaternion = DQuat::from_xyzw(x?, y?, z?, w?);
        return match quaternion.length() > 1e-9 {
            true => Some(quaternion.normalize()),
            false => {
                value.error("has no direction, expected four numbers that are not all 0");
                None
            }
        };
    }
    if let Some(value) = euler {
        let [x, y, z] = value.vector(Range::ANY)?.to_array().map(f64::to_radians);
        return Some((DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)).normalize());
    }
    let axis = axis?.direction()?;
    match (angle, degrees) {
        (Some(angle), None) => Some(DQuat::from_axis_angle(axis, angle).normalize()),
        (None, Some(degrees)) => Some(DQuat::from_axis_angle(axis, degrees.to_radians()).normalize()),
        _ if !is_known || table.has("angle") != table.has("angle-degrees") => None,
        _ => {
            table.error("`axis` needs one of `angle` (radians) and `angle-degrees`");
            None
        }
    }
}
