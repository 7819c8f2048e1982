//! A wall of bricks in running bond, half bricks at the ends of every other row.

use super::Course;
use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::{Pose, Shape};

/// Whole bricks, then half bricks. Along x from `origin`, the middle of the wall's foot.
pub(super) fn courses(table: &Table<'_>, builder: &Builder<'_>) -> Option<Vec<Course>> {
    let columns = table.require("columns").and_then(|value| value.whole(1, 1_000_000));
    let rows = table.require("rows").and_then(|value| value.whole(1, 1_000_000));
    let size = table.require("size").and_then(|value| value.vector(Range::LENGTH));
    let gap = table.number("gap", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let origin = table.vector("origin", Range::COORDINATE).unwrap_or(DVec3::ZERO);
    let (columns, rows, size) = (columns?, rows?, size?);
    if size.x <= gap {
        table.error(format_args!("`gap` is {gap}, expected less than the length of a brick, {}", size.x));
        return None;
    }
    if !builder.has_room_for(rows as f64 * (columns + 1) as f64, 1, table) {
        return None;
    }
    // Two half bricks and the gap between them are as long as a brick.
    let half = DVec3::new(0.5 * (size.x - gap), size.y, size.z);
    let pitch = size.x + gap;
    let (mut whole, mut halves) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let z = (row as f64 + 0.5) * size.z;
        let place = |x: f64| Pose::at(origin + DVec3::new(x, 0.0, z));
        let is_shifted = row % 2 == 1;
        let count = if is_shifted { columns - 1 } else { columns };
        whole.extend((0..count).map(|column| place((column as f64 - 0.5 * (count as f64 - 1.0)) * pitch)));
        if is_shifted {
            let end = 0.5 * (columns as f64 * pitch - gap - half.x);
            halves.extend([place(-end), place(end)]);
        }
    }
    let course = |size: DVec3, poses: Vec<Pose>| Course { shape: Shape::Cuboid { half: 0.5 * size }, poses };
    let mut courses = vec![course(size, whole)];
    if !halves.is_empty() {
        courses.push(course(half, halves));
    }
    Some(courses)
}
