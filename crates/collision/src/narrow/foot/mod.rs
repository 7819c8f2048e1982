//! Where a point is relative to a solid: what every pair of a sphere and a simple solid comes down to.
//!
//! A sphere (centre c, radius r) and a solid grown by m touch with the gap d(c) − m − r, where d is the signed distance
//! of c from the surface and n = ∇d its unit normal. The points of contact lie on the line c − s n.

mod capsule;
mod container;
mod cuboid;
mod half_space;

pub(crate) use container::Wall;

use crate::{Pose, Shape};
use glam::DVec3;

/// The nearest piece of a surface seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Foot {
    /// Unit normal out of the solid, in the frame the foot was asked in.
    pub(crate) normal: DVec3,
    /// Signed distance \[m\]: negative inside the solid.
    pub(crate) distance: f64,
}

/// A solid whose distance from a point is a closed form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Solid {
    HalfSpace {
        normal: DVec3,
    },
    Cuboid {
        half: DVec3,
    },
    /// The axis of a capsule; its radius counts as growth.
    Segment {
        half_height: f64,
    },
    Wall(Wall),
}

/// Most feet a solid has: a ball that nearly fills a container touches its wall all around.
pub(crate) const FEET: usize = 3;

impl Solid {
    /// The solid with closed form a shape is, and by how much it is grown to give the shape; `None` for the others.
    pub(crate) fn of(shape: &Shape) -> Option<(Self, f64)> {
        match *shape {
            Shape::HalfSpace { normal } => Some((Self::HalfSpace { normal: normal.normalize_or(DVec3::Z) }, 0.0)),
            Shape::Cuboid { half } => Some((Self::Cuboid { half }, 0.0)),
            Shape::Capsule { half_height, radius } => Some((Self::Segment { half_height }, radius)),
            Shape::InsideCylinder { radius, half_height, thickness } => {
                Some((Self::Wall(Wall::new([radius, radius], half_height, thickness)), 0.0))
            }
            Shape::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
                Some((Self::Wall(Wall::new([bottom_radius, top_radius], half_height, thickness)), 0.0))
            }
            _ => None,
        }
    }

    /// Whether it reaches to infinity.
    pub(crate) fn is_unbounded(&self) -> bool {
        matches!(self, Self::HalfSpace { .. })
    }

    /// The feet of a point of the world, nearest first; `visit` gets their number among [`FEET`] as well.
    #[inline]
    pub(crate) fn feet(&self, pose: &Pose, point: DVec3, mut visit: impl FnMut(u64, Foot)) {
        let world = |foot: Foot| Foot { normal: pose.rotation * foot.normal, ..foot };
        let offset = point - pose.position;
        if let Self::HalfSpace { normal } = self {
            // In the world: the turned normal is needed anyway.
            return visit(0, half_space::foot(pose.rotation * *normal, offset));
        }
        let local = pose.rotation.conjugate() * offset;
        match self {
            Self::HalfSpace { .. } => {}
            Self::Cuboid { half } => visit(0, world(cuboid::foot(*half, local))),
            Self::Segment { half_height } => visit(0, world(capsule::foot(*half_height, local))),
            Self::Wall(wall) => wall.feet(local, |index, foot| visit(index, world(foot))),
        }
    }

    /// A lower bound of the distance of every foot from all points within `radius` of this one, less that radius.
    ///
    /// d is 1-Lipschitz, but for the feet of containers beside the nearest one.
    pub(crate) fn least_distance(&self, pose: &Pose, point: DVec3, radius: f64) -> f64 {
        if let Self::Wall(wall) = self {
            let local = pose.rotation.conjugate() * (point - pose.position);
            return wall.least_distance(local, radius);
        }
        let mut least = f64::INFINITY;
        self.feet(pose, point, |_, foot| least = least.min(foot.distance));
        least - radius
    }
}
