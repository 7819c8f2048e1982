//! Gears and racks: axes stay where they are in the world.

use super::{Site, one_or_two_axes};
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::joint::{Gear, Joint, RackPinion};

/// More teeth than any wheel has.
const MOST_TEETH: u64 = 1_000_000;

/// A pair of gears without its bodies.
pub(super) struct GearPair {
    axes: [DVec3; 2],
    teeth: [u32; 2],
    is_internal: bool,
}

impl GearPair {
    pub(super) fn read(table: &Table<'_>) -> Option<Self> {
        let axes = one_or_two_axes(table)?;
        let numbers = table.require("teeth")?.list_of::<2>("two whole numbers, one for each body")?;
        let [a, b] = numbers.map(|number| number.whole(1, MOST_TEETH).map(|teeth| teeth as u32));
        let is_internal = table.boolean("internal").unwrap_or(false);
        Some(Self { axes, teeth: [a?, b?], is_internal })
    }

    pub(super) fn joint(&self, site: &Site) -> Box<dyn Joint> {
        let gear = Gear::new(site.bodies, site.poses.each_ref(), self.axes, self.teeth);
        Box::new(if self.is_internal { gear.internal() } else { gear })
    }
}

/// A pinion on a rack without its bodies.
pub(super) struct Rack {
    axis: DVec3,
    direction: DVec3,
    radius: f64,
}

impl Rack {
    pub(super) fn read(table: &Table<'_>) -> Option<Self> {
        let axis = table.require("axis")?.direction()?;
        let direction = table.require("direction")?.direction()?;
        let radius = table.require("radius")?.number(Range::LENGTH)?;
        Some(Self { axis, direction, radius })
    }

    pub(super) fn joint(&self, site: &Site) -> Box<dyn Joint> {
        let poses = site.poses.each_ref();
        Box::new(RackPinion::new(site.bodies, poses, self.axis, self.direction, self.radius))
    }
}
