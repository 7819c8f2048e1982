//! A house of cards: pairs of leaning cards, flat cards across their tops, the next storey on those.
//!
//! A card of length L and thickness t leaning at θ from the vertical is H = L cos θ + t sin θ high and L sin θ + t cos θ deep.
//! Two of them touch along one edge at the top, so a pair is p = 2(L sin θ + t cos θ) deep: the pitch. Flat cards are cut to
//! the pitch. Then the foot of a card, L sin θ from the middle of its pair, stands exactly above the edge the flat card lies on.

use super::Course;
use crate::document::Builder;
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::{Pose, Shape};

/// Leaning cards, then flat cards, from the ground up along x; `origin` is the middle of the foot.
pub(super) fn courses(table: &Table<'_>, builder: &Builder<'_>) -> Option<Vec<Course>> {
    let storeys = table.require("storeys").and_then(|value| value.whole(1, 10_000));
    let size = table.require("size").and_then(|value| value.vector(Range::LENGTH));
    let lean = table.number("lean-degrees", Range::closed(1.0, 60.0, "an angle from 1 to 60 degrees")).unwrap_or(25.0);
    let gap = table.number("gap", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let origin = table.vector("origin", Range::COORDINATE).unwrap_or(DVec3::ZERO);
    let (storeys, size) = (storeys?, size?);
    if !builder.has_room_for(storeys as f64 * (storeys + 1) as f64 * 1.5, 1, table) {
        return None;
    }
    let [length, width, thickness] = size.to_array();
    let (sin, cos) = lean.to_radians().sin_cos();
    let (height, pitch) = (length * cos + thickness * sin, 2.0 * (length * sin + thickness * cos));
    if gap >= pitch {
        table.error(format_args!("`gap` is {gap}, expected less than the width of a pair of cards, {pitch}"));
        return None;
    }
    let (mut leaning, mut flat) = (Vec::new(), Vec::new());
    for storey in 0..storeys {
        let foot = storey as f64 * (height + thickness);
        let pairs = storeys - storey;
        let middle = |pair: u64| (pair as f64 - 0.5 * (pairs as f64 - 1.0)) * pitch;
        for pair in 0..pairs {
            for side in [-1.0, 1.0] {
                let x = middle(pair) + 0.25 * side * pitch;
                let turn = DQuat::from_rotation_y(-side * lean.to_radians());
                leaning.push(Pose::new(origin + DVec3::new(x, 0.0, foot + 0.5 * height), turn));
            }
        }
        for pair in 1..pairs {
            let x = middle(pair) - 0.5 * pitch;
            flat.push(Pose::at(origin + DVec3::new(x, 0.0, foot + height + 0.5 * thickness)));
        }
    }
    let card = |sides: DVec3, poses| Course { shape: Shape::Cuboid { half: 0.5 * sides }, poses };
    let mut courses = vec![card(DVec3::new(thickness, width, length), leaning)];
    if !flat.is_empty() {
        courses.push(card(DVec3::new(pitch - gap, width, thickness), flat));
    }
    Some(courses)
}
