//! A tower of planks, every layer turned by a right angle against the one below.

use super::Course;
use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::{Pose, Shape};
use std::f64::consts::FRAC_PI_2;

/// Planks lie flat; those of a layer are spread evenly over the length of a plank. `origin` is the middle of the foot.
pub(super) fn courses(table: &Table<'_>, builder: &Builder<'_>) -> Option<Vec<Course>> {
    let layers = table.require("layers").and_then(|value| value.whole(1, 1_000_000));
    let planks = table.require("per-layer").and_then(|value| value.whole(1, 100_000));
    let size = table.require("size").and_then(|value| value.vector(Range::LENGTH));
    let origin = table.vector("origin", Range::COORDINATE).unwrap_or(DVec3::ZERO);
    let (layers, planks, size) = (layers?, planks?, size?);
    if planks as f64 * size.y > size.x * (1.0 + 1e-9) {
        let least = planks as f64 * size.y;
        table.error(format_args!(
            "{planks} planks beside each other are {least} m wide, longer than a plank, {} m",
            size.x
        ));
        return None;
    }
    if !builder.has_room_for(layers as f64 * planks as f64, 1, table) {
        return None;
    }
    // One plank alone lies in the middle.
    let pitch = if planks > 1 { (size.x - size.y) / (planks as f64 - 1.0) } else { 0.0 };
    let pose = |at: u64| {
        let (layer, plank) = (at / planks, at % planks);
        let turn = DQuat::from_rotation_z(if layer % 2 == 1 { FRAC_PI_2 } else { 0.0 });
        let across = (plank as f64 - 0.5 * (planks as f64 - 1.0)) * pitch;
        let height = (layer as f64 + 0.5) * size.z;
        Pose::new(origin + turn * DVec3::new(0.0, across, 0.0) + height * DVec3::Z, turn)
    };
    Some(vec![Course { shape: Shape::Cuboid { half: 0.5 * size }, poses: (0..layers * planks).map(pose).collect() }])
}
