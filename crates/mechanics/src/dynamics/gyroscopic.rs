//! The gyroscopic torque of a body over one step.

use crate::force::cross_matrix;
use crate::{Mat3, Vec3};

/// How the torque −ω × Iω is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// One Newton step of implicit Euler, body by body, in parts where one would gain energy: stable for fast spins.
    #[default]
    Implicit,
    /// As a force of the step's start: first order, gains energy.
    Explicit,
    /// Left out.
    Off,
}

/// h τ of the gyroscopic torque τ = −ω × Iω. Implicitly: one Newton step δ of I(ω⁺ − ω) + h ω⁺ × Iω⁺ = 0, whose matrix is
/// I + h(ω̃ I − (Iω)~); the impulse is Iδ. It changes the energy by
///
/// ```text
/// ω⁺ᵀIω⁺ − ωᵀIω = −[δᵀIδ + 2h δ·(ω × Iδ)]
/// ```
///
/// which is a loss as long as h|ω| √(I_max/I_min) ≤ ½. Beyond that it may be a gain, and the matrix even singular (spin about the
/// middle axis): the step is then cut into parts, none of which gains energy.
pub(crate) fn impulse(inertia: Mat3, omega: Vec3, h: f64, treatment: Gyroscopic) -> Vec3 {
    match treatment {
        Gyroscopic::Off => Vec3::ZERO,
        Gyroscopic::Explicit => -h * omega.cross(inertia * omega),
        Gyroscopic::Implicit => {
            let mut parts = (0..=CUTS).map(|cuts| 1_u32 << (2 * cuts));
            // A spin too fast for any of them keeps its axis in the body.
            parts.find_map(|parts| in_parts(inertia, omega, h, parts)).unwrap_or(Vec3::ZERO)
        }
    }
}

/// A step is cut into up to 4 to the power of this many parts.
const CUTS: u32 = 6;

/// The implicit impulse in equal parts; `None` if one of them gains energy.
fn in_parts(inertia: Mat3, omega: Vec3, h: f64, parts: u32) -> Option<Vec3> {
    let h = h / f64::from(parts);
    let (mut omega, mut impulse) = (omega, Vec3::ZERO);
    for _ in 0..parts {
        let momentum = inertia * omega;
        let matrix = inertia + h * (cross_matrix(omega) * inertia - cross_matrix(momentum));
        let change = matrix.inverse() * (-h * omega.cross(momentum));
        let part = inertia * change;
        let loss = change.dot(part) + 2.0 * h * change.dot(omega.cross(part));
        // Not a number is no loss.
        if loss.is_nan() || loss < 0.0 {
            return None;
        }
        (omega, impulse) = (omega + change, impulse + part);
    }
    Some(impulse)
}
