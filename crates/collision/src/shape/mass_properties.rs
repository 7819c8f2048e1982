//! Volume, centre of mass and inertia of shapes of density 1.

use super::hull::Hull;
use super::{Mesh, Shape, surface_integrals};
use crate::{Pose, ShapeError};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// What a body of density 1 in the shape weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume \[m³\].
    pub volume: f64,
    /// Centre of mass in the shape's frame \[m\].
    pub centre: DVec3,
    /// Inertia about the centre of mass in the shape's axes, density 1 \[m⁵\].
    pub inertia: DMat3,
}

impl MassProperties {
    /// The same body seen from the frame the pose is given in: c' = R c + x, I' = R I Rᵀ.
    #[must_use]
    pub fn moved(&self, pose: Pose) -> Self {
        let rotation = DMat3::from_quat(pose.rotation);
        let inertia = rotation * self.inertia * rotation.transpose();
        Self { volume: self.volume, centre: pose * self.centre, inertia }
    }

    /// Two bodies as one. Volumes add, centres by their weight; inertias move to the common centre by parallel axes,
    /// I + V (d·d 1 − d dᵀ). Where the bodies overlap the volume counts twice.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        let centre = (self.centre * self.volume + other.centre * other.volume) / volume;
        let shifted = |part: &Self| part.inertia + point_inertia(part.volume, part.centre - centre);
        Self { volume, centre, inertia: shifted(self) + shifted(other) }
    }
}

/// Inertia of a point mass at d: m (d·d 1 − d dᵀ).
fn point_inertia(mass: f64, d: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * mass
}

fn about_z(volume: f64, centre_z: f64, across: f64, along: f64) -> MassProperties {
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, along));
    MassProperties { volume, centre: DVec3::new(0.0, 0.0, centre_z), inertia }
}

pub(super) fn of(shape: &Shape) -> Result<MassProperties, ShapeError> {
    super::check::check(shape)?;
    let no_volume = |problem: &str| Err(ShapeError::NoVolume { shape: shape.kind(), problem: problem.to_owned() });
    let properties = match shape {
        Shape::Sphere { radius } => {
            let volume = 4.0 / 3.0 * PI * radius.powi(3);
            about_z(volume, 0.0, 0.4 * volume * radius * radius, 0.4 * volume * radius * radius)
        }
        Shape::Cuboid { half } => {
            let volume = 8.0 * half.x * half.y * half.z;
            let s = *half * *half * (volume / 3.0);
            let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
            MassProperties { volume, centre: DVec3::ZERO, inertia }
        }
        Shape::Capsule { half_height, radius } => capsule(*half_height, *radius),
        Shape::Cylinder { half_height, radius } => {
            // I_z = V r²/2, I_x = V (r²/4 + h²/3) with h half of the height.
            let (h, r) = (*half_height, *radius);
            let volume = 2.0 * PI * r * r * h;
            about_z(volume, 0.0, volume * (r * r / 4.0 + h * h / 3.0), volume * r * r / 2.0)
        }
        Shape::Cone { half_height, radius } => {
            // Height H = 2h: centre H/4 above the base, I_z = 3/10 V r², I_x = V (3/20 r² + 3/80 H²).
            let (h, r) = (*half_height, *radius);
            let volume = 2.0 / 3.0 * PI * r * r * h;
            about_z(volume, -h / 2.0, volume * (0.15 * r * r + 0.15 * h * h), 0.3 * volume * r * r)
        }
        Shape::ConvexHull { points } => {
            let hull = Hull::new(points)?;
            surface_integrals::solid(&hull.vertices, &hull.triangles)
        }
        Shape::TriangleMesh(mesh) => closed_mesh(mesh)?,
        Shape::Compound { parts } => compound(parts)?,
        Shape::HalfSpace { .. } => return no_volume("it is unbounded"),
        Shape::HeightField { .. } => return no_volume("it is a surface without a bottom"),
        Shape::InsideCylinder { .. } | Shape::InsideCone { .. } => {
            return no_volume("it is a container: give its mass and inertia");
        }
    };
    // Sizes near the limits of the number format: r⁵ under- or overflows long before r does.
    let usable = |value: f64| value.is_finite() && value > 0.0;
    let inertia = properties.inertia;
    if !usable(properties.volume) || [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z].iter().any(|&i| !usable(i))
    {
        let problem = format!("volume {:e} m³ or inertia out of the range of numbers", properties.volume);
        return Err(ShapeError::NoVolume { shape: shape.kind(), problem });
    }
    Ok(properties)
}

/// A cylinder and two half balls, whose centres are 3r/8 beyond the ends.
fn capsule(h: f64, r: f64) -> MassProperties {
    let cylinder = 2.0 * PI * r * r * h;
    let balls = 4.0 / 3.0 * PI * r.powi(3);
    let along = cylinder * r * r / 2.0 + balls * 0.4 * r * r;
    // Half ball about its own centre: 83/320 m r²; moved by h + 3r/8.
    let offset = h + 0.375 * r;
    let across = cylinder * (r * r / 4.0 + h * h / 3.0) + balls * (83.0 / 320.0 * r * r + offset * offset);
    about_z(cylinder + balls, 0.0, across, along)
}

fn closed_mesh(mesh: &Mesh) -> Result<MassProperties, ShapeError> {
    let refused = |problem: String| Err(ShapeError::NoVolume { shape: "mesh", problem });
    let topology = mesh.topology();
    let edge = |ends: [u32; 2]| {
        let [p, q] = ends.map(|end| mesh.vertices[end as usize]);
        format!("the first from {p} to {q} m")
    };
    if let Some(first) = topology.first_open_edge {
        return refused(format!(
            "{} of {} edges are open, {}; weld equal vertices, or close the surface",
            topology.open_edges,
            topology.edges,
            edge(first)
        ));
    }
    if let Some(first) = topology.first_crowded_edge {
        return refused(format!("{} edges have more than two triangles, {}", topology.crowded_edges, edge(first)));
    }
    if let Some(first) = topology.first_inconsistent_edge {
        let count = topology.inconsistent_edges;
        return refused(format!("its triangles are not oriented alike: at {count} edges, {}", edge(first)));
    }
    let properties = surface_integrals::solid(&mesh.vertices, &mesh.triangles);
    if properties.volume > 0.0 {
        let inside_out = mesh.inside_out();
        let Some(first) = inside_out.first() else { return Ok(properties) };
        let (count, triangle) = (inside_out.len(), first.triangle);
        let ([at, ..], volume) = (mesh.corners(triangle as usize), first.volume);
        return refused(format!(
            "pieces that are inside out: {count}, the first of {volume:.3e} m³ at {at} m; reverse them"
        ));
    }
    let volume = properties.volume;
    refused(if volume < 0.0 {
        format!("its volume is {volume} m³: the triangles are clockwise seen from outside, reverse them")
    } else {
        format!("its volume is {volume} m³")
    })
}

fn compound(parts: &[(Pose, Shape)]) -> Result<MassProperties, ShapeError> {
    let mut sum: Option<MassProperties> = None;
    for (index, (pose, part)) in parts.iter().enumerate() {
        let part = of(part).map_err(|error| ShapeError::NoVolume {
            shape: "compound",
            problem: format!("part {index} of {}: {error}", parts.len()),
        })?;
        let part = part.moved(*pose);
        sum = Some(sum.map_or(part, |sum| sum.plus(&part)));
    }
    sum.ok_or_else(|| ShapeError::NoVolume { shape: "compound", problem: "it has no parts".into() })
}

#[cfg(test)]
#[path = "mass_properties_tests.rs"]
mod tests;
