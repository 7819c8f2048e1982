//! Joints of two points: rods, ropes, ropes over sheaves.

use super::{Site, two_points};
use crate::document::law;
use crate::reader::{Range, Table};
use glam::DVec3;
use signorini_mechanics::joint::{Distance, Joint, Law, Pulley, Rope as RopeJoint};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RopeKind {
    Distance,
    Rope,
    Pulley,
}

/// Such a joint without its bodies.
pub(super) struct Rope {
    kind: RopeKind,
    /// One on each body.
    points: [DVec3; 2],
    /// In place of that at the start.
    length: Option<f64>,
    motion: Option<Law>,
    /// Of pulleys.
    sheaves: [DVec3; 2],
    ratio: f64,
    has_slack: bool,
}

impl Rope {
    pub(super) fn read(kind: RopeKind, table: &Table<'_>) -> Option<Self> {
        let points = two_points(table, "points", "two points, one on each body")?;
        let length = table.number("length", Range::LENGTH);
        let mut rope =
            Self { kind, points, length, motion: None, sheaves: [DVec3::ZERO; 2], ratio: 1.0, has_slack: false };
        match kind {
            RopeKind::Distance => {
                if let Some(value) = table.get("motion") {
                    rope.motion = Some(law::read(&value)?);
                }
            }
            RopeKind::Rope => {}
            RopeKind::Pulley => {
                rope.sheaves = two_points(table, "sheaves", "two points, one above each body")?;
                rope.ratio = table.number("ratio", Range::POSITIVE).unwrap_or(1.0);
                rope.has_slack = table.boolean("slack").unwrap_or(false);
            }
        }
        Some(rope)
    }

    pub(super) fn joint(&self, site: &Site) -> Box<dyn Joint> {
        let [a, b] = self.points;
        let points = [site.on_body(0, a), site.on_body(1, b)];
        let length = |at_start: f64| self.length.unwrap_or(at_start);
        match self.kind {
            RopeKind::Rope => Box::new(RopeJoint::new(site.bodies, points, length((b - a).length()))),
            RopeKind::Distance => {
                let joint = Distance::new(site.bodies, points, length((b - a).length()));
                Box::new(self.motion.iter().fold(joint, |joint, law| joint.driven(law.clone())))
            }
            RopeKind::Pulley => {
                let [over_a, over_b] = self.sheaves;
                let at_start = (a - over_a).length() + self.ratio * (b - over_b).length();
                let sheaves = self.sheaves.map(|sheave| site.origin + sheave);
                let joint = Pulley::new(site.bodies, points, sheaves, length(at_start)).ratio(self.ratio);
                Box::new(if self.has_slack { joint.slack() } else { joint })
            }
        }
    }
}
