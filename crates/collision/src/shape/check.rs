//! Is every number of a shape usable?

use super::hull::Hull;
use super::{Mesh, Shape};
use crate::{Pose, ShapeError};
use glam::DVec3;

/// How far from 1 the length of a unit vector or a unit quaternion may be.
const UNIT: f64 = 1e-6;

pub(super) fn check(shape: &Shape) -> Result<(), ShapeError> {
    let kind = shape.kind();
    match shape {
        Shape::Sphere { radius } => positive(kind, "radius", *radius),
        Shape::Cuboid { half } => {
            positive(kind, "half of side x", half.x)?;
            positive(kind, "half of side y", half.y)?;
            positive(kind, "half of side z", half.z)
        }
        Shape::Capsule { half_height, radius }
        | Shape::Cylinder { half_height, radius }
        | Shape::Cone { half_height, radius } => {
            positive(kind, "half-height", *half_height)?;
            positive(kind, "radius", *radius)
        }
        Shape::InsideCylinder { half_height, radius, thickness } => {
            positive(kind, "half-height", *half_height)?;
            positive(kind, "radius", *radius)?;
            positive(kind, "thickness", *thickness)
        }
        Shape::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
            positive(kind, "half-height", *half_height)?;
            positive(kind, "thickness", *thickness)?;
            non_negative(kind, "bottom radius", *bottom_radius)?;
            non_negative(kind, "top radius", *top_radius)?;
            // Both zero: there is no inside.
            positive(kind, "larger of bottom and top radius", bottom_radius.max(*top_radius))
        }
        Shape::ConvexHull { points } => Hull::new(points).map(drop),
        Shape::HalfSpace { normal } => unit(kind, "normal", *normal),
        Shape::TriangleMesh(mesh) => mesh.check(),
        Shape::HeightField { heights, columns, size } => height_field(heights, *columns, *size),
        Shape::Compound { parts } => compound(parts),
    }
}

fn number(shape: &'static str, what: &'static str, value: f64, allowed: &'static str) -> ShapeError {
    ShapeError::Number { shape, what, value, allowed }
}

fn positive(shape: &'static str, what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(number(shape, what, value, "a finite length > 0 m")) }
}

fn non_negative(shape: &'static str, what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(number(shape, what, value, "a finite length ≥ 0 m")) }
}

fn unit(shape: &'static str, what: &'static str, vector: DVec3) -> Result<(), ShapeError> {
    let length = vector.length();
    if (length - 1.0).abs() <= UNIT {
        return Ok(());
    }
    let problem = format!("{what} is {vector}, of length {length}, expected a unit vector");
    Err(ShapeError::Geometry { shape, problem })
}

/// The first non-finite point, by index.
pub(super) fn finite_points(shape: &'static str, points: &[DVec3]) -> Result<(), ShapeError> {
    match points.iter().position(|point| !point.is_finite()) {
        None => Ok(()),
        Some(index) => {
            let problem = format!("point {index} of {} is {}, expected finite numbers", points.len(), points[index]);
            Err(ShapeError::Geometry { shape, problem })
        }
    }
}

impl Mesh {
    /// Indices in range, finite corners, no triangle without area.
    ///
    /// # Errors
    /// The first thing found wrong, with its index and how many there are.
    pub fn check(&self) -> Result<(), ShapeError> {
        const SHAPE: &str = "mesh";
        let geometry = |problem: String| Err(ShapeError::Geometry { shape: SHAPE, problem });
        finite_points(SHAPE, &self.vertices)?;
        let (vertices, triangles) = (self.vertices.len(), self.triangles.len());
        if triangles == 0 {
            return geometry("it has no triangles".into());
        }
        for (index, corners) in self.triangles.iter().enumerate() {
            if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= vertices) {
                return geometry(format!(
                    "triangle {index} of {triangles} uses vertex {corner}, but there are {vertices} (0 to {})",
                    vertices as i64 - 1
                ));
            }
        }
        let mut flat = (0..triangles).filter(|&index| self.is_degenerate(index));
        let Some(first) = flat.next() else { return Ok(()) };
        let count = 1 + flat.count();
        geometry(format!(
            "triangle {first} (vertices {:?}) has no area; {count} of {triangles} triangles are degenerate",
            self.triangles[first]
        ))
    }
}

fn height_field(heights: &[f64], columns: usize, size: [f64; 2]) -> Result<(), ShapeError> {
    const SHAPE: &str = "height-field";
    let geometry = |problem: String| Err(ShapeError::Geometry { shape: SHAPE, problem });
    let samples = heights.len();
    if columns < 2 {
        return geometry(format!("it has {columns} samples along x, expected at least 2"));
    }
    if !samples.is_multiple_of(columns) {
        return geometry(format!("{samples} heights are no multiple of its {columns} samples along x"));
    }
    if samples / columns < 2 {
        return geometry(format!("it has {} samples along y, expected at least 2", samples / columns));
    }
    if let Some(index) = heights.iter().position(|height| !height.is_finite()) {
        let (ix, iy) = (index % columns, index / columns);
        return geometry(format!("height ({ix}, {iy}) is {}, expected a finite number", heights[index]));
    }
    positive(SHAPE, "side along x", size[0])?;
    positive(SHAPE, "side along y", size[1])
}

fn compound(parts: &[(Pose, Shape)]) -> Result<(), ShapeError> {
    let geometry = |problem: String| Err(ShapeError::Geometry { shape: "compound", problem });
    if parts.is_empty() {
        return geometry("it has no parts".into());
    }
    let count = parts.len();
    for (index, (pose, part)) in parts.iter().enumerate() {
        if !pose.position.is_finite() {
            return geometry(format!("part {index} of {count} is at {}, expected finite numbers", pose.position));
        }
        let length = pose.rotation.length();
        if length.is_nan() || (length - 1.0).abs() > UNIT {
            return geometry(format!("rotation of part {index} of {count} has length {length}, expected 1"));
        }
        if matches!(part, Shape::Compound { .. }) {
            return geometry(format!("part {index} of {count} is a compound itself: put its parts in directly"));
        }
        if let Err(error) = check(part) {
            return geometry(format!("part {index} of {count}: {error}"));
        }
    }
    Ok(())
}
