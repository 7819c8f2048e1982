//! The axes that turn with a beam, and how its ends have turned against them.
//!
//! e₁ runs along the chord; a = ½(a₁ + a₂) is the mean of the y axes of the two sections, e₃ = e₁ × a / |e₁ × a|,
//! e₂ = e₃ × e₁; E = (e₁ e₂ e₃). Section i has the rotation Eᵀ Aᵢ = exp(θᵢ) in these axes. With all components in E and
//! spins (δωᵢ of node i, δω of the frame) on the left,
//!
//! ```text
//! δω₂ = −(δx₂ − δx₁)₃ / l,   δω₃ = (δx₂ − δx₁)₂ / l
//! δω₁ = η δω₂ + ½ Σ (aᵢ₂ δωᵢ₁ − aᵢ₁ δωᵢ₂) / a·e₂,   η = a·e₁ / a·e₂       (e₃ stays across a)
//! δθᵢ = T(θᵢ) (δωᵢ − δω),   T = I − ½[θ]× + (1 − ½φ cot ½φ)/φ² [θ]×²,   φ = |θ|
//! ```

use crate::flexible::element::ElementError;
use crate::flexible::element::reference::cross_matrix;
use crate::{Mat3, Pose, Quat, Vec3};

/// How far the sections may lean against the chord on average \[rad\]: at π/2 the frame is not defined.
const LARGEST_LEAN: f64 = 1.5;
/// How far one section may turn against the frame \[rad\]: at π its rotation vector jumps to the other side, so that a turn is seen to
/// be too large only if no motion goes from here past 2π minus it at once.
const LARGEST_TURN: f64 = 2.0;

/// Axes, length and rotations of the ends.
pub(super) struct Frame {
    /// E, from the axes of the beam to the world.
    pub(super) axes: Mat3,
    /// l.
    pub(super) length: f64,
    /// θᵢ in the axes of the beam.
    pub(super) turns: [Vec3; 2],
    /// T(θᵢ).
    pub(super) tangents: [Mat3; 2],
    /// ∂ω/∂x₂ = −∂ω/∂x₁, in the axes of the beam.
    pub(super) spin_by_chord: Mat3,
    /// ∂ω/∂ωᵢ, in the axes of the beam.
    pub(super) spin_by_turn: [Mat3; 2],
}

impl Frame {
    /// `sections` are the rotations Aᵢ of the sections, from the axes of the beam at rest to the world.
    pub(super) fn of(positions: [Vec3; 2], sections: [Quat; 2]) -> Result<Self, ElementError> {
        let chord = positions[1] - positions[0];
        let length = chord.length();
        let usable = length > 0.0 && length.is_finite();
        if !usable {
            return Err(ElementError::Length { length });
        }
        let e1 = chord / length;
        let y_axes = sections.map(|section| section * Vec3::Y);
        let mean = (y_axes[0] + y_axes[1]) * 0.5;
        let normal = e1.cross(mean);
        let across = normal.length();
        let lean = across.min(1.0).acos();
        let upright = lean < LARGEST_LEAN;
        if !upright {
            return Err(ElementError::TooBent { angle: lean, limit: LARGEST_LEAN });
        }
        let e3 = normal / across;
        let axes = Mat3::from_cols(e1, e3.cross(e1), e3);
        let to_beam = Quat::from_mat3(&axes).conjugate();
        let turns = sections.map(|section| logarithm(to_beam * section));
        for turn in turns {
            let angle = turn.length();
            if angle > LARGEST_TURN {
                return Err(ElementError::TooBent { angle, limit: LARGEST_TURN });
            }
        }
        let eta = e1.dot(mean) / across;
        let spin_by_chord =
            Mat3::from_cols(Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0), Vec3::new(-eta, -1.0, 0.0)) * length.recip();
        let spin_by_turn = y_axes.map(|y| {
            let local = axes.transpose() * y * (0.5 / across);
            Mat3::from_cols(Vec3::X * local.y, Vec3::X * -local.x, Vec3::ZERO)
        });
        Ok(Self { axes, length, turns, tangents: turns.map(turn_by_spin), spin_by_chord, spin_by_turn })
    }
}

/// The rotation vector of a unit quaternion, of length ≤ π.
fn logarithm(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = Vec3::new(q.x, q.y, q.z);
    let sine = v.length();
    // 2 atan2(s, c)/s → 2/c for small s: the next term is s²/3 relative.
    let ratio = if sine < 1e-8 { 2.0 / q.w } else { 2.0 * sine.atan2(q.w) / sine };
    v * ratio
}

/// T(θ): how a rotation vector changes with a spin on the left.
fn turn_by_spin(theta: Vec3) -> Mat3 {
    let angle = theta.length();
    let half = 0.5 * angle;
    // (1 − x cot x)/(4x²) = 1/12 + x²/180 + x⁴/1890 + …, by its series where the quotient loses digits.
    let square = half * half;
    let factor = if half < 0.05 {
        1.0 / 12.0 + square / 180.0 + square * square / 1890.0 + square.powi(3) / 18900.0
    } else {
        (1.0 - half / half.tan()) / (4.0 * square)
    };
    let cross = cross_matrix(theta);
    Mat3::IDENTITY - cross * 0.5 + cross * cross * factor
}

/// The rotations of the two sections from the poses of the nodes and what turns a node's axes to its section's.
pub(super) fn sections(now: &[Pose; 2], offsets: &[Quat; 2]) -> [Quat; 2] {
    [now[0].rotation * offsets[0], now[1].rotation * offsets[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::exponential;

    #[test]
    fn the_logarithm_inverts_the_exponential() {
        for angle in [0.0, 1e-12, 1e-6, 0.1, 1.0, 3.0] {
            let theta = Vec3::new(0.6, 0.0, 0.8) * angle;
            assert!((logarithm(exponential(theta)) - theta).length() < 1e-14 * (1.0 + angle), "{angle}");
            assert!((logarithm(-exponential(theta)) - theta).length() < 1e-14 * (1.0 + angle), "{angle}");
        }
    }

    #[test]
    fn rotation_vectors_change_with_spins_as_said() {
        let step = 1e-6;
        for angle in [1e-3, 0.09, 0.11, 1.0, 2.9] {
            let theta = Vec3::new(0.48, -0.6, 0.64) * angle;
            let matrix = turn_by_spin(theta);
            for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let at = |h: f64| logarithm(exponential(axis * h) * exponential(theta));
                let slope = (at(step) - at(-step)) / (2.0 * step);
                assert!((slope - matrix.col(k)).length() < 1e-8, "{angle} {k} {slope} {matrix}");
            }
        }
    }
}
