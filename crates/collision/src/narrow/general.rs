//! Pairs of shapes without a closed form of their own.

use crate::{Pose, Shape, ShapeError};
use glam::DVec3;

/// A shape made ready for the tests against others.
pub(crate) struct Prepared {
    /// Lower and upper corner in the frame of the shape.
    corners: [DVec3; 2],
}

/// Buffers of the tests.
#[derive(Default)]
pub(crate) struct Workspace;

impl Prepared {
    /// # Errors
    /// A shape that cannot be used.
    pub(crate) fn new(shape: &Shape, margin: f64) -> Result<Self, ShapeError> {
        let [low, high] = corners(shape);
        Ok(Self { corners: [low - margin, high + margin] })
    }

    /// Corners of the box along the axes of the world that holds the shape.
    pub(crate) fn aabb(&self, pose: &Pose) -> (DVec3, DVec3) {
        boxed(pose, self.corners)
    }
}

/// Every contact of two shapes with a gap below `reach`.
pub(crate) fn contacts(
    _workspace: &mut Workspace,
    _a: &Prepared,
    _pose_a: &Pose,
    _b: &Prepared,
    _pose_b: &Pose,
    _reach: f64,
    _emit: &mut dyn FnMut(u64, [DVec3; 2], DVec3, f64),
) {
}

fn boxed(pose: &Pose, [low, high]: [DVec3; 2]) -> (DVec3, DVec3) {
    if !low.is_finite() || !high.is_finite() {
        return (DVec3::NEG_INFINITY, DVec3::INFINITY);
    }
    let (centre, half) = (*pose * ((low + high) / 2.0), (high - low) / 2.0);
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.rotation * axis).abs());
    let extent = x * half.x + y * half.y + z * half.z;
    (centre - extent, centre + extent)
}

fn hull(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
}

fn corners(shape: &Shape) -> [DVec3; 2] {
    let half = match shape {
        Shape::Sphere { radius } => DVec3::splat(*radius),
        Shape::Cuboid { half } => *half,
        Shape::Capsule { half_height, radius } => DVec3::new(*radius, *radius, half_height + radius),
        Shape::Cylinder { half_height, radius } | Shape::Cone { half_height, radius } => {
            DVec3::new(*radius, *radius, *half_height)
        }
        Shape::ConvexHull { points } => return hull(points.iter().copied()),
        Shape::TriangleMesh(mesh) => return hull(mesh.vertices.iter().copied()),
        Shape::HeightField { heights, size, .. } => {
            let [low, high] = hull(heights.iter().map(|z| DVec3::new(0.0, 0.0, *z)));
            let half = DVec3::new(size[0] / 2.0, size[1] / 2.0, 0.0);
            return [low - half, high + half];
        }
        Shape::Compound { parts } => {
            return hull(parts.iter().flat_map(|(pose, part)| {
                let (low, high) = boxed(pose, corners(part));
                [low, high]
            }));
        }
        Shape::HalfSpace { .. } | Shape::InsideCylinder { .. } | Shape::InsideCone { .. } => DVec3::INFINITY,
    };
    [-half, half]
}
