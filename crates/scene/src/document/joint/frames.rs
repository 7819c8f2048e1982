//! Joints of a point and one or two axes.

use super::motion::{Drive, Motion};
use super::{Site, one_or_two_axes, two_axes};
use crate::reader::{Range, Table};
use glam::{DQuat, DVec3};
use signorini_mechanics::Pose;
use signorini_mechanics::joint::{
    Anchors, ConstantVelocity, Cylindrical, Fixed, Joint, Parallel, Perpendicular, Planar, PointOnLine, PointOnPlane,
    Prismatic, Revolute, Screw, Spherical, Universal,
};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum FramedKind {
    Spherical,
    Fixed,
    Revolute,
    Prismatic,
    Cylindrical,
    Screw,
    Planar,
    PointOnLine,
    PointOnPlane,
    Universal,
    ConstantVelocity,
    Parallel,
    Perpendicular,
}

use FramedKind as Kind;

/// Such a joint without its bodies.
pub(super) struct Framed {
    kind: Kind,
    point: DVec3,
    /// Of A and of B; the same where there is one.
    axes: [DVec3; 2],
    /// \[m a turn\], of screws.
    pitch: f64,
    motion: Motion,
}

impl Framed {
    pub(super) fn read(kind: Kind, table: &Table<'_>) -> Option<Self> {
        let point = match kind {
            // Only directions matter.
            Kind::Parallel | Kind::Perpendicular => DVec3::ZERO,
            _ => table.require("point")?.vector(Range::COORDINATE)?,
        };
        let axes = match kind {
            Kind::Spherical | Kind::Fixed => [DVec3::Z; 2],
            Kind::Universal | Kind::Perpendicular => two_axes(table)?,
            Kind::ConstantVelocity => one_or_two_axes(table)?,
            _ => [table.require("axis")?.direction()?; 2],
        };
        let pitch = if kind == Kind::Screw { pitch(table)? } else { 0.0 };
        let motion = match kind {
            Kind::Revolute => Motion::of_angle(table)?,
            Kind::Prismatic => Motion::of_displacement(table)?,
            _ => Motion::default(),
        };
        Some(Self { kind, point, axes, pitch, motion })
    }

    pub(super) fn joint(&self, site: &Site) -> Box<dyn Joint> {
        let anchors = self.anchors(site);
        match self.kind {
            Kind::Spherical => Box::new(Spherical::new(anchors)),
            Kind::Fixed => Box::new(Fixed::new(anchors)),
            Kind::Cylindrical => Box::new(Cylindrical::new(anchors)),
            Kind::Screw => Box::new(Screw::new(anchors, self.pitch)),
            Kind::Planar => Box::new(Planar::new(anchors)),
            Kind::PointOnLine => Box::new(PointOnLine::new(anchors)),
            Kind::PointOnPlane => Box::new(PointOnPlane::new(anchors)),
            Kind::Universal => Box::new(Universal::new(anchors)),
            Kind::ConstantVelocity => Box::new(ConstantVelocity::new(anchors)),
            Kind::Parallel => Box::new(Parallel::new(anchors)),
            Kind::Perpendicular => Box::new(Perpendicular::new(anchors)),
            Kind::Revolute => {
                let mut joint = Revolute::new(anchors);
                joint = match &self.motion.drive {
                    Some(Drive::Position(law)) => joint.driven(law.clone()),
                    Some(Drive::Speed(law)) => joint.speed_driven(law.clone(), 0.0),
                    None => joint,
                };
                Box::new(self.motion.limits.iter().fold(joint, |joint, [min, max]| joint.limited(*min, *max)))
            }
            Kind::Prismatic => {
                let mut joint = Prismatic::new(anchors);
                joint = match &self.motion.drive {
                    Some(Drive::Position(law)) => joint.driven(law.clone()),
                    Some(Drive::Speed(law)) => joint.speed_driven(law.clone(), 0.0),
                    None => joint,
                };
                Box::new(self.motion.limits.iter().fold(joint, |joint, [min, max]| joint.limited(*min, *max)))
            }
        }
    }

    /// Frames in the world: z along the axes; where there are two, what each kind of joint measures on either body lies along them.
    fn anchors(&self, site: &Site) -> Anchors {
        let [a, b] = self.axes;
        let along_z = DQuat::from_rotation_arc(DVec3::Z, a);
        let rotations = match self.kind {
            // The arms of the cross: x of A's frame, y of B's.
            Kind::Universal => [DQuat::from_rotation_arc(DVec3::X, a), DQuat::from_rotation_arc(DVec3::Y, b)],
            Kind::Perpendicular => [along_z, DQuat::from_rotation_arc(DVec3::X, b)],
            // Bent the shortest way, so that neither half is turned.
            Kind::ConstantVelocity => [along_z, DQuat::from_rotation_arc(a, b) * along_z],
            _ => [along_z; 2],
        };
        let point = site.origin + self.point;
        let frames = [0, 1].map(|side| site.poses[side].inverse() * Pose::new(point, rotations[side]));
        Anchors { bodies: site.bodies, frames }
    }
}

/// Metres a turn; negative for a left-hand thread.
fn pitch(table: &Table<'_>) -> Option<f64> {
    let value = table.require("pitch")?;
    let pitch = value.number(Range::COORDINATE)?;
    if pitch.abs() < 1e-12 {
        value.error(format_args!("is {pitch}, expected metres a turn other than 0 (negative: a left-hand thread)"));
        return None;
    }
    Some(pitch)
}
