//! Homokinetic joint: a bent shaft whose two halves turn by the same angle at any bend.
//!
//! ```text
//! Ψ = (p_B − p_A,  α)      α the angle about z of ρ = (w, u), the rotation of B's frame relative to A's: tan(α/2) = u_z/w
//! Ψ̇ = (ṗ_B − ṗ_A,  α̇),  Ψ_t = 0
//! C: the rows of a ball joint and of α
//! ```
//!
//! α = 0 means u_z = 0: B's frame is A's turned about an axis across a_z, hence the shortest way from a_z to b_z, and the two halves
//! are each other's mirror image in the plane that bisects their axes, which is where the balls of a real joint are kept.
//!
//! Why it turns evenly: write ρ as the two complex numbers w + iu_z and u_x + iu_y. A turn of A by φ about a_z and of B by χ about b_z
//! makes it exp(−φk/2) ∘ ρ ∘ exp(χk/2), which multiplies the first number by exp(i(χ − φ)/2) and leaves its modulus alone, so that
//! α becomes α + χ − φ whatever the bend. Holding α = 0 therefore holds χ = φ, and passes on the same torque.

use super::kinematics::{Kinematics, separate_in_world};
use super::{Anchors, Joint, JointPlace, Row, twist};
use crate::{BodyId, ParameterError, Pose, Vec3};

/// Homokinetic joint: the origins of the frames coincide, and both halves turn by the same angle at any bend below half a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantVelocity {
    anchors: Anchors,
}

impl ConstantVelocity {
    /// A joint in the origins of the frames, between shafts along their z.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self { anchors }
    }
}

impl Joint for ConstantVelocity {
    fn kind(&self) -> &'static str {
        "constant-velocity"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.anchors.bodies
    }
    fn place(&self) -> JointPlace {
        self.anchors.place(false)
    }
    fn rows(&self) -> usize {
        4
    }
    fn held_points(&self) -> Option<[Vec3; 2]> {
        Some(self.anchors.frames.map(|frame| frame.position))
    }
    fn evaluate(&self, poses: [&Pose; 2], _time: f64, rows: &mut [Row]) {
        let kinematics = Kinematics::new(&self.anchors, poses);
        separate_in_world(&self.anchors, poses, rows);
        let (angle, gradient) = twist(kinematics.relative_rotation());
        rows[3] = Row { value: angle, ..kinematics.turning(gradient) };
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.anchors.check()
    }
}
