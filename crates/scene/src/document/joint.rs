//! `[joints.NAME]`.

use super::{Builder, law};
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::joint::{
    Anchors, Cylindrical, Distance, Fixed, Joint, Law, PointOnLine, PointOnPlane, Prismatic, Revolute, Rope, Spherical,
};
use signorini_mechanics::{BodyId, Pose};
use std::f64::consts::TAU;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Spherical,
    Fixed,
    Revolute,
    Prismatic,
    Cylindrical,
    PointOnLine,
    PointOnPlane,
    Distance,
    Rope,
}

const KINDS: [(&str, Kind); 9] = [
    ("spherical", Kind::Spherical),
    ("fixed", Kind::Fixed),
    ("revolute", Kind::Revolute),
    ("prismatic", Kind::Prismatic),
    ("cylindrical", Kind::Cylindrical),
    ("point-on-line", Kind::PointOnLine),
    ("point-on-plane", Kind::PointOnPlane),
    ("distance", Kind::Distance),
    ("rope", Kind::Rope),
];

/// A joint without its bodies; lengths from a point that is given later.
pub(crate) struct JointSpec {
    kind: Kind,
    point: DVec3,
    axis: DVec3,
    /// The ends of distances and ropes.
    points: [DVec3; 2],
    length: Option<f64>,
    motion: Option<Law>,
    limits: Option<[f64; 2]>,
    /// The shapes of the two bodies may touch.
    collide: bool,
}

impl JointSpec {
    /// Reads all fields but the bodies, and leaves the table to be finished.
    pub(crate) fn read(table: &Table<'_>) -> Option<Self> {
        let kind = table.require_choice("type", &KINDS)?;
        let mut spec = Self {
            kind,
            point: DVec3::ZERO,
            axis: DVec3::Z,
            points: [DVec3::ZERO; 2],
            length: None,
            motion: None,
            limits: None,
            collide: table.boolean("collide").unwrap_or(true),
        };
        match kind {
            Kind::Distance | Kind::Rope => {
                let points = table.require("points")?.list_of::<2>("two points, one on each body")?;
                let [a, b] = points.map(|point| point.vector(Range::COORDINATE));
                spec.points = [a?, b?];
                spec.length = table.number("length", Range::LENGTH);
            }
            _ => spec.point = table.require("point")?.vector(Range::COORDINATE)?,
        }
        if !matches!(kind, Kind::Distance | Kind::Rope | Kind::Spherical | Kind::Fixed) {
            spec.axis = table.require("axis")?.direction()?;
        }
        if matches!(kind, Kind::Revolute | Kind::Prismatic | Kind::Distance)
            && let Some(value) = table.get("motion")
        {
            spec.motion = Some(law::read(&value)?);
        }
        if matches!(kind, Kind::Revolute | Kind::Prismatic) {
            spec.limits = limits(table, kind)?;
        }
        Some(spec)
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
        let poses = bodies.map(|body| builder.pose(body));
        let frame = Pose::new(origin + self.point, DQuat::from_rotation_arc(DVec3::Z, self.axis));
        let anchors = Anchors::from_world(bodies, poses.each_ref(), frame);
        let ends = self.points.map(|point| origin + point);
        let points = [poses[0].inverse() * ends[0], poses[1].inverse() * ends[1]];
        let length = self.length.unwrap_or_else(|| (ends[1] - ends[0]).length());
        let joint: Box<dyn Joint> = match self.kind {
            Kind::Spherical => Box::new(Spherical::new(anchors)),
            Kind::Fixed => Box::new(Fixed::new(anchors)),
            Kind::Cylindrical => Box::new(Cylindrical::new(anchors)),
            Kind::PointOnLine => Box::new(PointOnLine::new(anchors)),
            Kind::PointOnPlane => Box::new(PointOnPlane::new(anchors)),
            Kind::Rope => Box::new(Rope::new(bodies, points, length)),
            Kind::Distance => {
                let joint = Distance::new(bodies, points, length);
                Box::new(match &self.motion {
                    Some(law) => joint.driven(law.clone()),
                    None => joint,
                })
            }
            Kind::Revolute => {
                let mut joint = Revolute::new(anchors);
                joint = self.motion.iter().fold(joint, |joint, law| joint.driven(law.clone()));
                Box::new(self.limits.iter().fold(joint, |joint, [min, max]| joint.limited(*min, *max)))
            }
            Kind::Prismatic => {
                let mut joint = Prismatic::new(anchors);
                joint = self.motion.iter().fold(joint, |joint, law| joint.driven(law.clone()));
                Box::new(self.limits.iter().fold(joint, |joint, [min, max]| joint.limited(*min, *max)))
            }
        };
        if !self.collide {
            builder.model.exclude(bodies[0], bodies[1]);
        }
        builder.joint(name, joint, table);
    }
}

/// `limits` in radians or metres, `limits-degrees` for hinges; `None` for an error.
fn limits(table: &Table<'_>, kind: Kind) -> Option<Option<[f64; 2]>> {
    let two = |field| match table.get(field) {
        None => Some(None),
        Some(value) => {
            let [min, max] = value.list_of::<2>("two numbers [least, most]")?.map(|part| part.number(Range::ANY));
            let (min, max) = (min?, max?);
            if kind == Kind::Revolute && field == "limits" && max - min >= TAU {
                let problem = format_args!(
                    "are {} rad apart, expected less than 2π: whole turns cannot be told from a pose",
                    max - min
                );
                value.error_with(problem, "`limits-degrees` takes degrees");
                return None;
            }
            Some(Some([min, max]))
        }
    };
    let limits = two("limits")?;
    if kind != Kind::Revolute {
        return Some(limits);
    }
    match (limits, two("limits-degrees")?) {
        (Some(_), Some(_)) => {
            table.error("both `limits` and `limits-degrees` are given, expected one of them");
            None
        }
        (limits, degrees) => Some(limits.or(degrees.map(|pair| pair.map(f64::to_radians)))),
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
