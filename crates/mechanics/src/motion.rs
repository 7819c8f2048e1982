//! q ⊕ h v (§1 of the theory): positions add, rotations are multiplied by the exponential; and how fast points of a body move.

use crate::{Pose, Quat, Vec3};
use std::f64::consts::{PI, TAU};

/// Where a body is after moving at constant velocity (world) and angular velocity (body axes) for `h` seconds:
/// x + h ẋ, ρ · exp(½ h ω).
#[must_use]
pub(crate) fn moved(pose: &Pose, velocity: Vec3, angular_velocity: Vec3, h: f64) -> Pose {
    let rotation = (pose.rotation * exponential(angular_velocity * h)).normalize();
    Pose { position: pose.position + velocity * h, rotation }
}

/// exp(½θ) = (cos ½|θ|, θ/|θ| sin ½|θ|), the unit quaternion of the rotation vector θ.
#[must_use]
pub(crate) fn exponential(theta: Vec3) -> Quat {
    let half = 0.5 * theta.length();
    // sin(x)/x by its series where the quotient loses digits: the next term is x⁴/120 < ε.
    let ratio = if half < 1e-4 { 1.0 - half * half / 6.0 } else { half.sin() / half };
    let axis = theta * (0.5 * ratio);
    Quat::from_xyzw(axis.x, axis.y, axis.z, half.cos())
}

/// The rotation vector from one pose to another in body axes, the shorter way round \[rad\].
#[must_use]
pub(crate) fn turn_between(from: &Pose, to: &Pose) -> Vec3 {
    let turn = (from.rotation.conjugate() * to.rotation).to_scaled_axis();
    if turn.length() > PI { turn - turn.normalize() * TAU } else { turn }
}

/// The part of a row that belongs to one body: the velocity of its point along a direction is
/// d·(ẋ + A(ω × s̄)) = [d ; Aᵀ(s × d)]·(ẋ, ω) with the lever arm s = A s̄ from the centre of mass.
#[must_use]
pub(crate) fn point_row(pose: &Pose, point: Vec3, direction: Vec3) -> [f64; 6] {
    let turn = pose.rotation.conjugate() * (point - pose.position).cross(direction);
    [direction.x, direction.y, direction.z, turn.x, turn.y, turn.z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_the_rotation_about_the_axis_by_the_angle() {
        for angle in [0.0, 1e-9, 1e-5, 1e-4, 0.1, 1.0, 3.0, 7.0] {
            let axis = Vec3::new(0.6, 0.0, 0.8);
            let (ours, exact) = (exponential(axis * angle), Quat::from_axis_angle(axis, angle));
            assert!((ours.to_array().iter().zip(exact.to_array()).all(|(a, b)| (a - b).abs() < 1e-15)), "{angle}");
        }
    }

    #[test]
    fn angular_velocity_is_in_body_axes() {
        // A body turned by 90° about z, spinning about its own x axis, turns about the world's y axis.
        let pose = Pose::new(Vec3::ZERO, Quat::from_rotation_z(std::f64::consts::FRAC_PI_2));
        let next = moved(&pose, Vec3::ZERO, Vec3::X, 0.1);
        let expected = Quat::from_rotation_y(0.1) * pose.rotation;
        assert!(next.rotation.dot(expected).abs() > 1.0 - 1e-15);
    }
}
