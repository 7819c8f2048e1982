//! The same body in other sizes.

use glam::DVec3;
use signorini_mechanics::{Mesh, Pose, Shape};
use std::sync::Arc;

/// A pose in a figure that is drawn `scale` times as large.
pub(crate) fn pose(pose: Pose, scale: f64) -> Pose {
    Pose::new(pose.position * scale, pose.rotation)
}

/// A shape `scale` times as large.
pub(crate) fn shape(original: &Shape, scale: f64) -> Shape {
    let points = |points: &[DVec3]| points.iter().map(|point| *point * scale).collect::<Vec<_>>();
    match original {
        Shape::Sphere { radius } => Shape::Sphere { radius: radius * scale },
        Shape::Cuboid { half } => Shape::Cuboid { half: *half * scale },
        Shape::Capsule { half_height, radius } => {
            Shape::Capsule { half_height: half_height * scale, radius: radius * scale }
        }
        Shape::Cylinder { half_height, radius } => {
            Shape::Cylinder { half_height: half_height * scale, radius: radius * scale }
        }
        Shape::Cone { half_height, radius } => Shape::Cone { half_height: half_height * scale, radius: radius * scale },
        Shape::ConvexHull { points: hull } => Shape::ConvexHull { points: points(hull).into() },
        Shape::HalfSpace { normal } => Shape::HalfSpace { normal: *normal },
        Shape::TriangleMesh(mesh) => {
            Shape::TriangleMesh(Arc::new(Mesh { vertices: points(&mesh.vertices), triangles: mesh.triangles.clone() }))
        }
        Shape::HeightField { heights, columns, size } => Shape::HeightField {
            heights: heights.iter().map(|height| height * scale).collect(),
            columns: *columns,
            size: size.map(|side| side * scale),
        },
        Shape::Compound { parts } => {
            let parts = parts.iter().map(|(at, part)| (pose(*at, scale), shape(part, scale)));
            Shape::Compound { parts: parts.collect() }
        }
        Shape::InsideCylinder { radius, half_height, thickness } => Shape::InsideCylinder {
            radius: radius * scale,
            half_height: half_height * scale,
            thickness: thickness * scale,
        },
        Shape::InsideCone { bottom_radius, top_radius, half_height, thickness } => Shape::InsideCone {
            bottom_radius: bottom_radius * scale,
            top_radius: top_radius * scale,
            half_height: half_height * scale,
            thickness: thickness * scale,
        },
    }
}
