//! One element of a beam as a force between its nodes.
//!
//! ```text
//! f = −∂energy/∂q − (α M + β BᵀKB) v          −∂f/∂q ≈ BᵀKB + tension,  −∂f/∂v = α M + β BᵀKB
//! ```
//!
//! M is the element's share of the nodes' mass and inertia, and BᵀKB meets deformation alone, so that β takes no momentum. The
//! tangent given for the implicit step is positive semi-definite, as H must stay; methods that want the exact one take differences of
//! the wrench.

use crate::flexible::element::{Beam, BeamMass, Tangent as Which};
use crate::flexible::material::Rayleigh;
use crate::force::{Motion, Tangent, Wrench};
use crate::{BodyId, Force, Mat3, ParameterError, Vec3};

/// An element of a beam between two bodies, treated implicitly.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamForce {
    bodies: [BodyId; 2],
    beam: Beam,
    masses: [BeamMass; 2],
    damping: Rayleigh,
}

/// What bodies feel where the element does not exist: nothing that could be taken for a force.
const NONE: [Wrench; 2] = [Wrench { force: Vec3::NAN, torque: Vec3::NAN }; 2];

impl BeamForce {
    /// An element between two bodies whose frames are its nodes.
    #[must_use]
    pub fn new(bodies: [BodyId; 2], beam: Beam, damping: Rayleigh) -> Self {
        Self { bodies, masses: beam.lumped_mass(), beam, damping }
    }

    /// The element.
    #[must_use]
    pub fn beam(&self) -> &Beam {
        &self.beam
    }

    fn add_damping(&self, motions: [&Motion; 2], wrenches: &mut [Wrench; 2]) {
        let Rayleigh { mass: alpha, stiffness: beta } = self.damping;
        for ((wrench, motion), own) in wrenches.iter_mut().zip(motions).zip(&self.masses) {
            wrench.force -= motion.velocity * (alpha * own.mass);
            wrench.torque -= own.inertia * motion.angular_velocity * alpha;
        }
        if beta == 0.0 {
            return;
        }
        let mut stiffness = [0.0; 144];
        if self.beam.material_tangent(&motions.map(|motion| motion.pose), &mut stiffness).is_err() {
            *wrenches = NONE;
            return;
        }
        let mut v = [0.0; 12];
        for (part, motion) in v.chunks_exact_mut(6).zip(motions) {
            part[..3].copy_from_slice(&motion.velocity.to_array());
            part[3..].copy_from_slice(&motion.angular_velocity.to_array());
        }
        let resisted =
            |row: usize| -beta * stiffness[12 * row..12 * row + 12].iter().zip(v).map(|(k, v)| k * v).sum::<f64>();
        for (side, wrench) in wrenches.iter_mut().enumerate() {
            let at = 6 * side;
            wrench.force += Vec3::new(resisted(at), resisted(at + 1), resisted(at + 2));
            wrench.torque += Vec3::new(resisted(at + 3), resisted(at + 4), resisted(at + 5));
        }
    }
}

/// The matrix by rows, to the last bit symmetric.
fn symmetric(flat: &[f64; 144]) -> [[f64; 12]; 12] {
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (flat[12 * i + j] + flat[12 * j + i])))
}

/// Adds α M.
fn add_mass(matrix: &mut [[f64; 12]; 12], alpha: f64, masses: &[BeamMass; 2]) {
    for (side, BeamMass { mass, inertia }) in masses.iter().enumerate() {
        let at = 6 * side;
        for k in 0..3 {
            matrix[at + k][at + k] += alpha * mass;
            for l in 0..3 {
                let entry = |m: &Mat3| 0.5 * (m.col(l)[k] + m.col(k)[l]);
                matrix[at + 3 + k][at + 3 + l] += alpha * entry(inertia);
            }
        }
    }
}

impl Force for BeamForce {
    fn kind(&self) -> &'static str {
        "beam"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn drawn_radius(&self) -> Option<f64> {
        // A circle of the section's area.
        Some((self.beam.area() / std::f64::consts::PI).sqrt())
    }
    fn wrench(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let (mut force, mut torque) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
        if self.beam.force(&motions.map(|motion| motion.pose), &mut force, &mut torque).is_err() {
            return NONE;
        }
        let mut wrenches = [0, 1].map(|side| Wrench { force: force[side], torque: torque[side] });
        if self.damping != Rayleigh::default() {
            self.add_damping(motions, &mut wrenches);
        }
        wrenches
    }
    fn tangent(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        let poses = motions.map(|motion| motion.pose);
        let mut flat = [0.0; 144];
        // Without a tangent there is no wrench either, which is what stops the step.
        self.beam.tangent(&poses, Which::Positive, &mut flat).ok()?;
        let mut tangent = Tangent { stiffness: symmetric(&flat), ..Tangent::ZERO };
        if self.damping.stiffness > 0.0 {
            self.beam.material_tangent(&poses, &mut flat).ok()?;
            tangent.damping = symmetric(&flat);
            tangent.damping.as_flattened_mut().iter_mut().for_each(|entry| *entry *= self.damping.stiffness);
        }
        add_mass(&mut tangent.damping, self.damping.mass, &self.masses);
        Some(tangent)
    }
    fn energy(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        self.beam.energy(&motions.map(|motion| motion.pose)).unwrap_or(f64::NAN)
    }
    fn is_passive(&self) -> bool {
        true
    }
    fn problem(&self, motions: [&Motion; 2], _time: f64) -> Option<String> {
        self.beam.energy(&motions.map(|motion| motion.pose)).err().map(|error| error.to_string())
    }
    fn length(&self) -> f64 {
        self.beam.length()
    }
    fn check(&self) -> Result<(), ParameterError> {
        let Rayleigh { mass, stiffness } = self.damping;
        for (what, value, allowed) in
            [("mass damping", mass, "a finite value ≥ 0 1/s"), ("stiffness damping", stiffness, "a finite value ≥ 0 s")]
        {
            if value < 0.0 || !value.is_finite() {
                return Err(ParameterError::number(what, value, allowed));
            }
        }
        Ok(())
    }
}
