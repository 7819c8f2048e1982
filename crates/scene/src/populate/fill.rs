//! Bodies at random places, none of which overlap: each is tried until it fits.

use super::random::Random;
use crate::document::{Builder, Prototype};
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::Pose;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A body that finds no place this many times does not fit.
const MOST_TRIES: u64 = 20_000;
/// All bodies together are given up after this many tries each on average.
const TRIES_A_BODY: u64 = 50;

/// What is filled; bodies stay inside with their whole ball.
#[derive(Clone, Copy)]
enum Region {
    Box {
        least: DVec3,
        most: DVec3,
    },
    /// Upright, from the middle of its foot.
    Cylinder {
        foot: DVec3,
        radius: f64,
        height: f64,
    },
}

impl Region {
    fn read(table: &Table<'_>) -> Option<Self> {
        let boxed = table.table("box").map(|table| {
            let least = table.require("min").and_then(|value| value.vector(Range::COORDINATE));
            let most = table.require("max").and_then(|value| value.vector(Range::COORDINATE));
            table.finish();
            Some(Self::Box { least: least?, most: most? })
        });
        let round = table.table("cylinder").map(|table| {
            let foot = table.vector("foot", Range::COORDINATE).unwrap_or(DVec3::ZERO);
            let radius = table.require("radius").and_then(|value| value.number(Range::LENGTH));
            let height = table.require("height").and_then(|value| value.number(Range::LENGTH));
            table.finish();
            Some(Self::Cylinder { foot, radius: radius?, height: height? })
        });
        match (boxed, round) {
            (Some(region), None) | (None, Some(region)) => region,
            _ => {
                if table.has("box") == table.has("cylinder") {
                    table.error("expected one of `box` and `cylinder`: what is to be filled");
                }
                None
            }
        }
    }

    /// The places of the middle of a ball inside; `None` if it is too big.
    fn shrunk(self, radius: f64) -> Option<Self> {
        match self {
            Self::Box { least, most } => {
                let (least, most) = (least + radius, most - radius);
                least.cmple(most).all().then_some(Self::Box { least, most })
            }
            Self::Cylinder { foot, radius: outer, height } => {
                let (inner, height) = (outer - radius, height - 2.0 * radius);
                let foot = foot + radius * DVec3::Z;
                (inner >= 0.0 && height >= 0.0).then_some(Self::Cylinder { foot, radius: inner, height })
            }
        }
    }

    fn point(&self, random: &mut Random) -> DVec3 {
        match *self {
            Self::Box { least, most } => {
                let mut along = |axis: usize| random.between(least[axis], most[axis]);
                DVec3::new(along(0), along(1), along(2))
            }
            Self::Cylinder { foot, radius, height } => {
                // The square root makes every part of the disc equally likely.
                let (r, angle) = (radius * random.unit().sqrt(), TAU * random.unit());
                foot + DVec3::new(r * angle.cos(), r * angle.sin(), height * random.unit())
            }
        }
    }
}

/// Poses of the bodies of a fill.
pub(super) fn poses(
    table: &Table<'_>,
    turned: DQuat,
    prototype: Option<&Prototype>,
    random: &mut Random,
    builder: &Builder<'_>,
) -> Option<Vec<Pose>> {
    let count = table.require("count").and_then(|value| value.whole(1, u64::from(u32::MAX)));
    let distance = table.number("distance", Range::LENGTH_OR_ZERO).unwrap_or(0.0);
    let tumbled = table.boolean("random-rotation").unwrap_or(false);
    let region = Region::read(table);
    let (count, region, prototype) = (count?, region?, prototype?);
    if !builder.has_room_for(count as f64, 1, table) {
        return None;
    }
    let radius = ball_about_reference(prototype);
    if !radius.is_finite() || radius <= 0.0 {
        table.error("bodies of a fill need shapes of finite size");
        return None;
    }
    let Some(region) = region.shrunk(radius) else {
        table.error(format_args!("not one body fits: its ball of radius {radius} m is larger than the region"));
        return None;
    };
    let mut cells = Cells::new(2.0 * radius + distance);
    let mut poses = Vec::new();
    let mut tries = MOST_TRIES + TRIES_A_BODY * count;
    for _ in 0..count {
        let mut places = (0..MOST_TRIES.min(tries)).map(|_| {
            tries -= 1;
            region.point(random)
        });
        let place = places.find(|point| cells.is_free(*point));
        let Some(place) = place else {
            let hint = "many random places were tried for the next; try a larger region, fewer or smaller bodies";
            table.error_with(format_args!("{} of {count} bodies fit", poses.len()), hint);
            return None;
        };
        cells.take(place);
        poses.push(Pose::new(place, if tumbled { random.rotation() } else { turned }));
    }
    Some(poses)
}

/// The ball about the reference frame that holds the whole body, however it is turned.
fn ball_about_reference(prototype: &Prototype) -> f64 {
    let reference = -prototype.centre();
    let radii = prototype
        .colliders()
        .iter()
        .map(|collider| collider.shape.bounding_radius(collider.pose.inverse() * reference) + collider.margin);
    radii.fold(0.0, f64::max)
}

/// Points by cells as wide as the least distance: only neighbours have to be looked at.
struct Cells {
    distance: f64,
    points: BTreeMap<[i64; 3], Vec<DVec3>>,
}

impl Cells {
    fn new(distance: f64) -> Self {
        Self { distance, points: BTreeMap::new() }
    }
    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point / self.distance).floor().to_array().map(|x| x as i64)
    }
    fn is_free(&self, point: DVec3) -> bool {
        let [x, y, z] = self.cell(point);
        let square = self.distance * self.distance;
        (-1..=1).all(|i| {
            (-1..=1).all(|j| {
                let row = [x.saturating_add(i), y.saturating_add(j), z.saturating_sub(1)];
                let end = [row[0], row[1], z.saturating_add(1)];
                let near = self.points.range(row..=end).flat_map(|(_, points)| points);
                near.into_iter().all(|other| other.distance_squared(point) >= square)
            })
        })
    }
    fn take(&mut self, point: DVec3) {
        self.points.entry(self.cell(point)).or_default().push(point);
    }
}
