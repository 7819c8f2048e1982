//! Angles that do not care how often something has turned.

use crate::{Quat, Vec3};
use std::f64::consts::{PI, TAU};

/// The angle in [−π, π] that differs from `angle` by whole turns.
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// The angle α about z of a rotation ρ = (w, u), and g with α̇ = g·Ω for the angular velocity Ω in the rotated axes.
///
/// ```text
/// α = 2 atan2(u_z, w),   ρ̇ = ½ρ∘Ω   ⇒   α̇ = [w²Ω_z + w (u × Ω)_z + u_z (u·Ω)]/(w² + u_z²)
/// ```
///
/// A rotation by half a turn about an axis across z (w = u_z = 0) has no such angle: then α = 0 and g = z.
pub(crate) fn twist(rotation: Quat) -> (f64, Vec3) {
    let (w, u) = (rotation.w, Vec3::new(rotation.x, rotation.y, rotation.z));
    let about_z = w * w + u.z * u.z;
    if about_z < f64::EPSILON * f64::EPSILON {
        return (0.0, Vec3::Z);
    }
    // (u × Ω)_z = Ω·(z × u)
    let gradient = (w * w * Vec3::Z + w * Vec3::Z.cross(u) + u.z * u) / about_z;
    (wrapped(2.0 * u.z.atan2(w)), gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_angle_is_near_zero_and_differs_by_whole_turns() {
        for k in -40..40 {
            let angle = 0.37 * f64::from(k) * 3.0;
            let near = wrapped(angle);
            let turns = (angle - near) / TAU;
            assert!(near.abs() <= PI + 1e-12 && (turns - turns.round()).abs() < 1e-12, "{angle} {near}");
        }
    }

    #[test]
    fn the_twist_of_a_rotation_about_z_is_its_angle_whatever_the_sign_of_the_quaternion() {
        for k in -30..=30 {
            let angle = 0.1 * f64::from(k);
            let rotation = Quat::from_rotation_z(angle);
            for rotation in [rotation, -rotation] {
                let (found, gradient) = twist(rotation);
                assert!((found - angle).abs() < 1e-14 && (gradient - Vec3::Z).length() < 1e-14, "{angle}");
            }
        }
    }
}
