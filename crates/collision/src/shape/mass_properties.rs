//! Volume, centre of mass and inertia of shapes of density 1.

use super::Shape;
use crate::ShapeError;
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

pub(super) fn of(shape: &Shape) -> Result<MassProperties, ShapeError> {
    match shape {
        Shape::Sphere { radius } => {
            let volume = 4.0 / 3.0 * PI * radius.powi(3);
            let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * volume * radius * radius));
            Ok(MassProperties { volume, centre: DVec3::ZERO, inertia })
        }
        Shape::Cuboid { half } => {
            let volume = 8.0 * half.x * half.y * half.z;
            let s = *half * *half * (volume / 3.0);
            let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
            Ok(MassProperties { volume, centre: DVec3::ZERO, inertia })
        }
        other => Err(ShapeError::NoVolume { shape: other.kind(), problem: "it has no inside".into() }),
    }
}
