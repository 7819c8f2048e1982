//! `[joints.NAME]`.
//!
//! `frames` reads joints of a point and axes, `motion` what is imposed on hinges and sliders, `ropes` joints of points, `wheels` gears
//! and racks, `wire` curves.

mod frames;
mod motion;
mod ropes;
mod wheels;
mod wire;

use super::Builder;
use crate::reader::{Range, Table};
use frames::{Framed, FramedKind};
use glam::DVec3;
use ropes::{Rope, RopeKind};
use signorini_mechanics::joint::Joint;
use signorini_mechanics::{BodyId, Pose};
use wheels::{GearPair, Rack};
use wire::Wire;

#[derive(Clone, Copy)]
enum Kind {
    Framed(FramedKind),
    Rope(RopeKind),
    Gear,
    RackPinion,
    PointOnCurve,
}

const KINDS: [(&str, Kind); 19] = [
    ("spherical", Kind::Framed(FramedKind::Spherical)),
    ("fixed", Kind::Framed(FramedKind::Fixed)),
    ("revolute", Kind::Framed(FramedKind::Revolute)),
    ("prismatic", Kind::Framed(FramedKind::Prismatic)),
    ("cylindrical", Kind::Framed(FramedKind::Cylindrical)),
    ("screw", Kind::Framed(FramedKind::Screw)),
    ("planar", Kind::Framed(FramedKind::Planar)),
    ("point-on-line", Kind::Framed(FramedKind::PointOnLine)),
    ("point-on-plane", Kind::Framed(FramedKind::PointOnPlane)),
    ("point-on-curve", Kind::PointOnCurve),
    ("universal", Kind::Framed(FramedKind::Universal)),
    ("constant-velocity", Kind::Framed(FramedKind::ConstantVelocity)),
    ("parallel", Kind::Framed(FramedKind::Parallel)),
    ("perpendicular", Kind::Framed(FramedKind::Perpendicular)),
    ("distance", Kind::Rope(RopeKind::Distance)),
    ("rope", Kind::Rope(RopeKind::Rope)),
    ("pulley", Kind::Rope(RopeKind::Pulley)),
    ("gear", Kind::Gear),
    ("rack-pinion", Kind::RackPinion),
];

/// Where a joint is put: its bodies, where they start, and the point that those of the file count from.
struct Site {
    bodies: [BodyId; 2],
    poses: [Pose; 2],
    origin: DVec3,
}

impl Site {
    /// A point of the file in the axes of a body.
    fn on_body(&self, side: usize, point: DVec3) -> DVec3 {
        self.poses[side].inverse() * (self.origin + point)
    }
}

/// What a kind of joint needs.
enum Parts {
    Framed(Framed),
    Rope(Rope),
    Gear(GearPair),
    Rack(Rack),
    Wire(Wire),
}

/// A joint without its bodies.
pub(crate) struct JointSpec {
    parts: Parts,
    /// The shapes of the two bodies may touch.
    collide: bool,
}

impl JointSpec {
    /// Reads all fields but the bodies, and leaves the table to be finished.
    pub(crate) fn read(table: &Table<'_>) -> Option<Self> {
        let kind = table.require_choice("type", &KINDS)?;
        let collide = table.boolean("collide").unwrap_or(true);
        let parts = match kind {
            Kind::Framed(kind) => Parts::Framed(Framed::read(kind, table)?),
            Kind::Rope(kind) => Parts::Rope(Rope::read(kind, table)?),
            Kind::Gear => Parts::Gear(GearPair::read(table)?),
            Kind::RackPinion => Parts::Rack(Rack::read(table)?),
            Kind::PointOnCurve => Parts::Wire(Wire::read(table)?),
        };
        Some(Self { parts, collide })
    }

    /// Adds the joint between two bodies where they start; points of the spec count from `origin`.
    pub(crate) fn add<'a>(
        &self,
        name: String,
        bodies: [BodyId; 2],
        origin: DVec3,
        table: &Table<'a>,
        builder: &mut Builder<'a>,
    ) {
        let site = Site { bodies, poses: bodies.map(|body| builder.pose(body)), origin };
        let joint: Box<dyn Joint> = match &self.parts {
            Parts::Framed(framed) => framed.joint(&site),
            Parts::Rope(rope) => rope.joint(&site),
            Parts::Gear(gear) => gear.joint(&site),
            Parts::Rack(rack) => rack.joint(&site),
            Parts::Wire(wire) => match wire.joint(&site) {
                Ok(joint) => joint,
                Err(error) => return table.error(format_args!("`curve`: {error}")),
            },
        };
        if !self.collide {
            builder.model.exclude(bodies[0], bodies[1]);
        }
        builder.joint(name, joint, table);
    }
}

/// Two points, one on each body.
fn two_points(table: &Table<'_>, field: &'static str, expected: &str) -> Option<[DVec3; 2]> {
    let [a, b] = table.require(field)?.list_of::<2>(expected)?.map(|point| point.vector(Range::COORDINATE));
    Some([a?, b?])
}

/// `axes`, one for each body.
fn two_axes(table: &Table<'_>) -> Option<[DVec3; 2]> {
    let [a, b] = table.require("axes")?.list_of::<2>("two axes, one of each body")?.map(|axis| axis.direction());
    Some([a?, b?])
}

/// `axis` for both bodies, or `axes`.
fn one_or_two_axes(table: &Table<'_>) -> Option<[DVec3; 2]> {
    match (table.get("axis"), table.has("axes")) {
        (Some(_), true) => {
            table.get("axes");
            table.error("both `axis` and `axes` are given, expected one of them");
            None
        }
        (Some(axis), false) => {
            table.get("axes");
            axis.direction().map(|axis| [axis; 2])
        }
        (None, true) => two_axes(table),
        (None, false) => {
            table.get("axes");
            table.error("`axis` is missing (or `axes`, one of each body)");
            None
        }
    }
}

/// Reads `[joints]` of the document.
pub(super) fn read<'a>(document: &Table<'a>, builder: &mut Builder<'a>) {
    let Some(joints) = document.table("joints") else { return };
    for (name, table) in joints.named_tables() {
        let names = table.require("bodies").and_then(|value| value.list_of::<2>("two names"));
        let bodies = names.map(|names| names.map(|name| builder.body(&name)));
        let spec = JointSpec::read(&table);
        if let Some(spec) = spec {
            table.finish();
            if let Some([Some(a), Some(b)]) = bodies {
                spec.add(name.to_owned(), [a, b], DVec3::ZERO, &table, builder);
            }
        }
    }
}
