//! A triangle in the plane, as billiard balls are racked.

use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::DVec3;

/// Row k has k + 1 points; the tip is at `origin`, the rows follow along x.
pub(super) fn positions(table: &Table<'_>, builder: &Builder<'_>) -> Option<Vec<DVec3>> {
    let rows = table.require("rows").and_then(|value| value.whole(1, 100_000));
    let spacing = table.require("spacing").and_then(|value| value.number(Range::LENGTH));
    let origin = table.vector("origin", Range::COORDINATE).unwrap_or(DVec3::ZERO);
    let (rows, spacing) = (rows?, spacing?);
    if !builder.has_room_for(0.5 * rows as f64 * (rows + 1) as f64, 1, table) {
        return None;
    }
    let row_distance = 0.75_f64.sqrt() * spacing;
    let row = |k: u64| (0..=k).map(move |i| (k as f64, i as f64 - 0.5 * k as f64));
    let points = (0..rows).flat_map(row);
    Some(points.map(|(k, y)| origin + DVec3::new(k * row_distance, y * spacing, 0.0)).collect())
}
