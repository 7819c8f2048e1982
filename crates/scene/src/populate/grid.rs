//! Rows, columns and layers.

use super::random::Random;
use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::DVec3;

/// Points of a grid, x first, then y, then z.
pub(super) fn positions(table: &Table<'_>, random: &mut Random, builder: &Builder<'_>) -> Option<Vec<DVec3>> {
    let count = table.require("count").and_then(|value| {
        let [x, y, z] = value.list_of::<3>("three numbers [along x, along y, along z]")?;
        let most = u64::from(u32::MAX);
        let (x, y, z) = (x.whole(1, most), y.whole(1, most), z.whole(1, most));
        Some([x?, y?, z?])
    });
    let spacing = table.require("spacing").and_then(|value| match value.value.get_ref().is_array() {
        true => value.vector(Range::COORDINATE),
        false => value.number(Range::LENGTH).map(DVec3::splat),
    });
    let origin = table.vector("origin", Range::COORDINATE).unwrap_or(DVec3::ZERO);
    let jitter = table.number("jitter", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let limit = table.get("limit").map(|value| value.whole(1, u64::from(u32::MAX)));
    let ([nx, ny, nz], spacing) = (count?, spacing?);
    let all = nx as f64 * ny as f64 * nz as f64;
    let most = match limit {
        Some(limit) => (limit? as f64).min(all),
        None => all,
    };
    if !builder.has_room_for(most, 1, table) {
        return None;
    }
    let mut shift = || if jitter > 0.0 { random.between(-jitter, jitter) } else { 0.0 };
    let points = (0..most as u64).map(|at| {
        let cell = DVec3::new((at % nx) as f64, (at / nx % ny) as f64, (at / nx / ny) as f64);
        origin + spacing * cell + DVec3::new(shift(), shift(), shift())
    });
    Some(points.collect())
}
