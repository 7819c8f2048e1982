//! Boxes and balls around shapes.

use super::Shape;
use crate::Pose;
use glam::{DMat3, DVec3};

impl Shape {
    /// The smallest box with the shape's axes around it: lowest and highest corner. Infinite for half-spaces, infinitely
    /// deep for height fields; that of a container holds its wall and what is inside.
    #[must_use]
    pub fn local_aabb(&self) -> (DVec3, DVec3) {
        self.aabb(Pose::IDENTITY)
    }

    /// A box around the shape in the frame the pose is given in; exact but for compounds of rotated meshes.
    #[must_use]
    pub fn aabb(&self, pose: Pose) -> (DVec3, DVec3) {
        let axis = pose.rotation * DVec3::Z;
        let about = |centre: DVec3, reach: DVec3| (centre - reach, centre + reach);
        // Extent of a disc of radius r with normal `axis` along x, y, z: r √(1 − axisᵢ²).
        let disc = |radius: f64| (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt) * radius;
        match self {
            Self::Sphere { radius } => about(pose.position, DVec3::splat(*radius)),
            Self::Cuboid { half } => {
                let rotation = DMat3::from_quat(pose.rotation);
                let reach =
                    rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
                about(pose.position, reach)
            }
            Self::Capsule { half_height, radius } => {
                about(pose.position, axis.abs() * *half_height + DVec3::splat(*radius))
            }
            Self::Cylinder { half_height, radius } => about(pose.position, axis.abs() * *half_height + disc(*radius)),
            Self::Cone { half_height, radius } => {
                let tip = pose.position + axis * *half_height;
                let (low, high) = about(pose.position - axis * *half_height, disc(*radius));
                (low.min(tip), high.max(tip))
            }
            Self::ConvexHull { points } => around(points.iter().map(|&p| pose * p)),
            Self::TriangleMesh(mesh) => {
                around(mesh.triangles.iter().flatten().map(|&corner| pose * mesh.vertices[corner as usize]))
            }
            Self::HalfSpace { .. } => (DVec3::NEG_INFINITY, DVec3::INFINITY),
            Self::InsideCylinder { radius, half_height, thickness } => {
                about(pose.position, axis.abs() * *half_height + disc(radius + thickness))
            }
            Self::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
                let [bottom, top] = outer_radii([*bottom_radius, *top_radius], *half_height, *thickness);
                let (low, high) = about(pose.position - axis * *half_height, disc(bottom));
                let (l, h) = about(pose.position + axis * *half_height, disc(top));
                (low.min(l), high.max(h))
            }
            Self::HeightField { heights, size, .. } => {
                if pose.rotation.xyz().abs().max_element() > 0.0 {
                    return (DVec3::NEG_INFINITY, DVec3::INFINITY);
                }
                let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let low = DVec3::new(-0.5 * size[0], -0.5 * size[1], f64::NEG_INFINITY);
                (pose.position + low, pose.position + DVec3::new(0.5 * size[0], 0.5 * size[1], high))
            }
            Self::Compound { parts } => {
                let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                parts.iter().fold(start, |(low, high), (part_pose, part)| {
                    let (l, h) = part.aabb(pose * *part_pose);
                    (low.min(l), high.max(h))
                })
            }
        }
    }

    /// The largest distance of a point of the shape from a point in its frame. Infinite for unbounded shapes; for height
    /// fields that of the surface.
    #[must_use]
    pub fn bounding_radius(&self, centre: DVec3) -> f64 {
        let farthest =
            |points: &mut dyn Iterator<Item = DVec3>| points.map(|point| (point - centre).length()).fold(0.0, f64::max);
        // Farthest point of a circle about z at height z: its far side seen from the centre.
        let circle = |radius: f64, z: f64| (centre.truncate().length() + radius).hypot(z - centre.z);
        match self {
            Self::Sphere { radius } => centre.length() + radius,
            Self::Cuboid { half } => (centre.abs() + *half).length(),
            Self::Capsule { half_height, radius } => {
                centre.truncate().length().hypot(centre.z.abs() + half_height) + radius
            }
            Self::Cylinder { half_height, radius } => circle(*radius, *half_height).max(circle(*radius, -half_height)),
            Self::Cone { half_height, radius } => circle(0.0, *half_height).max(circle(*radius, -half_height)),
            Self::ConvexHull { points } => farthest(&mut points.iter().copied()),
            Self::TriangleMesh(mesh) => {
                farthest(&mut mesh.triangles.iter().flatten().map(|&corner| mesh.vertices[corner as usize]))
            }
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::InsideCylinder { radius, half_height, thickness } => {
                circle(radius + thickness, *half_height).max(circle(radius + thickness, -half_height))
            }
            Self::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
                let [bottom, top] = outer_radii([*bottom_radius, *top_radius], *half_height, *thickness);
                circle(bottom, -half_height).max(circle(top, *half_height))
            }
            Self::HeightField { heights, columns, size } => farthest(
                &mut (0..heights.len()).map(|sample| super::height_field_point(heights, *columns, *size, sample)),
            ),
            Self::Compound { parts } => {
                parts.iter().map(|(pose, part)| part.bounding_radius(pose.inverse() * centre)).fold(0.0, f64::max)
            }
        }
    }
}

/// Outer radii of the ends of a container. Its wall leans by α, tan α = (top − bottom) / 2h, so a thickness t across it is
/// t / cos α along the radius.
pub(crate) fn outer_radii(inner: [f64; 2], half_height: f64, thickness: f64) -> [f64; 2] {
    let slope = (inner[1] - inner[0]) / (2.0 * half_height);
    inner.map(|radius| radius + thickness * slope.hypot(1.0))
}

fn around(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Points of the surface of round shapes, from their definition.
    fn surface(shape: &Shape, random: &mut Random) -> DVec3 {
        let angle = random.between(0.0, std::f64::consts::TAU);
        let rim = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let t = random.between(-1.0, 1.0);
        match shape {
            Shape::Cylinder { half_height, radius } => rim * *radius + DVec3::Z * (t.signum() * half_height),
            Shape::Cone { half_height, radius } => rim * (*radius * 0.5 * (1.0 - t)) + DVec3::Z * (t * half_height),
            Shape::Capsule { half_height, radius } => {
                random.direction() * *radius + DVec3::Z * (t.signum() * half_height)
            }
            Shape::Cuboid { half } => *half * random.point().signum(),
            Shape::InsideCylinder { half_height, radius, thickness } => {
                rim * (radius + thickness) + DVec3::Z * (t.signum() * half_height)
            }
            // The wall leans by 45°, so that its thickness is √2 t along the radius.
            Shape::InsideCone { half_height, bottom_radius, top_radius, thickness } => {
                let inner = if t > 0.0 { top_radius } else { bottom_radius };
                rim * (inner + thickness * 2.0_f64.sqrt()) + DVec3::Z * (t.signum() * half_height)
            }
            other => unreachable!("{}", other.kind()),
        }
    }

    #[test]
    fn boxes_and_balls_hold_the_surface_and_touch_it() {
        let mut random = Random::new(11);
        let shapes = [
            Shape::Cylinder { half_height: 0.7, radius: 0.3 },
            Shape::Cone { half_height: 0.7, radius: 0.3 },
            Shape::Capsule { half_height: 0.7, radius: 0.3 },
            Shape::Cuboid { half: DVec3::new(0.2, 0.5, 0.9) },
            Shape::InsideCylinder { half_height: 0.7, radius: 0.3, thickness: 0.1 },
            Shape::InsideCone { half_height: 0.1, bottom_radius: 0.5, top_radius: 0.3, thickness: 0.1 },
        ];
        for shape in shapes {
            for _ in 0..20 {
                let (pose, centre) = (random.pose(1.0), random.point());
                let (low, high) = shape.aabb(pose);
                let radius = shape.bounding_radius(centre);
                let (mut found_low, mut found_high, mut found) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
                for _ in 0..40_000 {
                    let local = surface(&shape, &mut random);
                    let point = pose * local;
                    (found_low, found_high) = (found_low.min(point), found_high.max(point));
                    found = found.max((local - centre).length());
                }
                let kind = shape.kind();
                assert!(
                    (found_low - low).min_element() > -1e-12 && (high - found_high).min_element() > -1e-12,
                    "{kind}"
                );
                assert!((found_low - low).max_element() < 0.01 && (high - found_high).max_element() < 0.01, "{kind}");
                assert!(found <= radius + 1e-12 && radius - found < 0.01, "{kind}: {found} of {radius}");
            }
        }
    }
}
