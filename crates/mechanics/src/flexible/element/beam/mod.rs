//! A corotational beam of two nodes which have positions and rotations.
//!
//! In the axes of the beam (see `frame`) the deformations are the stretch u = l − L and the rotations θ₁, θ₂ of the ends:
//!
//! ```text
//! energy = ½ EA/L u² + ½ GJ/L (θ₂ₓ − θ₁ₓ)² + Σ_{y,z} ½ EI/(L(1+Φ)) [θ₁ θ₂] [4+Φ 2−Φ; 2−Φ 4+Φ] [θ₁ θ₂]ᵀ
//! ```
//!
//! with Φ = 12 EI / (κ G A L²) for Timoshenko's beam and 0 for Euler and Bernoulli's. Forces are its exact gradient: with
//! mᵢ = ∂energy/∂θᵢ, nᵢ = Tᵢᵀ mᵢ, s = n₁ + n₂, N = EA u/L and Wₓ, W_ωᵢ the derivatives of the frame's spin,
//!
//! ```text
//! force₂ = −force₁ = −E (N e₁ − Wₓᵀ s),   torqueᵢ = −Aᵢᵀ E (nᵢ − W_ωᵢᵀ s)  (axes of node i)
//! ```
//!
//! Rows and columns of tangents: x₁, ω₁, x₂, ω₂; positions in world axes, rotations ρ · exp(½ θ) in the axes of their node,
//! as velocities are everywhere.

mod frame;
mod section;

pub use section::Section;

use self::frame::{Frame, sections};
use super::ElementError;
use super::solid::Tangent;
use crate::flexible::material::Elastic;
use crate::motion::exponential;
use crate::{Mat3, ParameterError, Pose, Quat, Vec3};

/// Step of the differences of the exact tangent, relative to length or in rad: ∛ε, which balances h² and ε/h.
const DIFFERENCE: f64 = 6e-6;

/// Whether sections shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeamTheory {
    /// Sections stay across the axis: slender beams.
    EulerBernoulli,
    /// Sections shear.
    #[default]
    Timoshenko,
}

/// A beam of two nodes. 160 bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    length: f64,
    /// From the axes of the beam at rest to those of each node.
    offsets: [Quat; 2],
    /// EA/L, GJ/L.
    axial: f64,
    torsional: f64,
    /// EI/(L(1+Φ)) (4 + Φ) and (2 − Φ), about y and z.
    bending: [[f64; 2]; 2],
    /// A.
    area: f64,
    /// ρAL/2 and ρL/2 (I_y + I_z, I_y, I_z).
    mass: f64,
    inertia: Vec3,
}

/// The lumped mass of one node of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamMass {
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia in the axes of the node \[kg m²\].
    pub inertia: Mat3,
}

impl Beam {
    /// The beam between two nodes at rest. `y` is the direction of the section's y axis in the world; only its part across
    /// the beam counts.
    ///
    /// # Errors
    /// The nodes coincide, `y` is along the beam, or material or section are out of range.
    pub fn new(
        rest: &[Pose; 2],
        y: Vec3,
        section: &Section,
        material: &Elastic,
        theory: BeamTheory,
    ) -> Result<Self, ElementError> {
        material.validate()?;
        section.validate()?;
        let chord = rest[1].position - rest[0].position;
        let length = chord.length();
        let usable = length > 0.0 && length.is_finite();
        if !usable {
            return Err(ElementError::Length { length });
        }
        let e1 = chord / length;
        let e3 = e1.cross(y.normalize_or_zero());
        let across = e3.length() > 1e-6;
        if !across {
            let allowed = "> 1e-6: a direction across the beam";
            return Err(
                ParameterError::number("sine of the angle between beam and y axis", e3.length(), allowed).into()
            );
        }
        let e3 = e3.normalize();
        let axes = Quat::from_mat3(&Mat3::from_cols(e1, e3.cross(e1), e3));
        let (e, g) = (material.youngs_modulus, material.shear_modulus());
        let bending = [section.inertia_y, section.inertia_z].map(|inertia| {
            let shear = match theory {
                BeamTheory::EulerBernoulli => 0.0,
                BeamTheory::Timoshenko => {
                    12.0 * e * inertia / (section.shear_factor * g * section.area * length * length)
                }
            };
            let stiffness = e * inertia / (length * (1.0 + shear));
            [stiffness * (4.0 + shear), stiffness * (2.0 - shear)]
        });
        let half = 0.5 * material.density * length;
        let (iy, iz) = (section.inertia_y, section.inertia_z);
        Ok(Self {
            length,
            offsets: rest.map(|node| node.rotation.conjugate() * axes),
            axial: e * section.area / length,
            torsional: g * section.torsion / length,
            bending,
            area: section.area,
            mass: half * section.area,
            inertia: Vec3::new(iy + iz, iy, iz) * half,
        })
    }

    /// Area of the section \[m²\].
    #[must_use]
    pub fn area(&self) -> f64 {
        self.area
    }
    /// Length at rest \[m\].
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Elastic energy \[J\].
    ///
    /// # Errors
    /// The nodes coincide, or the beam is bent so much that it has no frame.
    pub fn energy(&self, now: &[Pose; 2]) -> Result<f64, ElementError> {
        let frame = self.frame(now)?;
        let [first, second] = frame.turns;
        let moments = self.moments(&frame.turns);
        let stretch = self.stretch(&frame);
        Ok(0.5 * (self.axial * stretch * stretch + first.dot(moments[0]) + second.dot(moments[1])))
    }

    /// Forces \[N\] on the nodes in world axes and torques \[N m\] in the axes of each node.
    ///
    /// # Errors
    /// As [`Beam::energy`].
    pub fn force(&self, now: &[Pose; 2], force: &mut [Vec3; 2], torque: &mut [Vec3; 2]) -> Result<(), ElementError> {
        let frame = self.frame(now)?;
        let moments = self.moments(&frame.turns);
        let n = [0, 1].map(|i| frame.tangents[i].transpose() * moments[i]);
        let s = n[0] + n[1];
        let pull = Vec3::X * (self.axial * self.stretch(&frame)) - frame.spin_by_chord.transpose() * s;
        force[0] = frame.axes * pull;
        force[1] = -force[0];
        for i in 0..2 {
            let moment = frame.axes * (n[i] - frame.spin_by_turn[i].transpose() * s);
            torque[i] = -(now[i].rotation.conjugate() * moment);
        }
        Ok(())
    }

    /// Writes the stiffness −∂(force, torque)/∂(x, θ), 12 × 12 by rows, in N/m, N and N m.
    ///
    /// `Positive` is BᵀKB + N⁺/l (I − e₁e₁ᵀ), symmetric positive semi-definite (B: deformations by positions, K: their
    /// stiffness, N⁺: tension). `Exact` is by central differences of the exact forces (24 of them, to about 1e-9 of the
    /// largest entry); where torques act it is not symmetric, as rotations do not commute.
    ///
    /// # Errors
    /// As [`Beam::energy`].
    pub fn tangent(&self, now: &[Pose; 2], which: Tangent, tangent: &mut [f64; 144]) -> Result<(), ElementError> {
        match which {
            Tangent::Positive => self.positive_tangent(now, true, tangent),
            Tangent::Exact => self.exact_tangent(now, tangent),
        }
    }

    /// Writes BᵀKB, 12 × 12 by rows: the stiffness against deformation alone. Rigid motion meets none of it, however large the
    /// tension, so β times it is a damping matrix that takes no momentum.
    ///
    /// # Errors
    /// As [`Beam::energy`].
    pub fn material_tangent(&self, now: &[Pose; 2], tangent: &mut [f64; 144]) -> Result<(), ElementError> {
        self.positive_tangent(now, false, tangent)
    }

    /// Half of the mass at each node, and half of the rotary inertia of the sections. The masses at the ends alone give a
    /// rigid beam three times its inertia m L²/12, so no more is added; it converges with the mesh as L².
    #[must_use]
    pub fn lumped_mass(&self) -> [BeamMass; 2] {
        self.offsets.map(|offset| {
            let axes = Mat3::from_quat(offset);
            BeamMass { mass: self.mass, inertia: axes * Mat3::from_diagonal(self.inertia) * axes.transpose() }
        })
    }

    fn frame(&self, now: &[Pose; 2]) -> Result<Frame, ElementError> {
        Frame::of([now[0].position, now[1].position], sections(now, &self.offsets))
    }

    fn stretch(&self, frame: &Frame) -> f64 {
        frame.length - self.length
    }

    /// ∂energy/∂θ of both ends.
    fn moments(&self, turns: &[Vec3; 2]) -> [Vec3; 2] {
        let [a, b] = *turns;
        let twist = self.torsional * (a.x - b.x);
        let [[near_y, far_y], [near_z, far_z]] = self.bending;
        [
            Vec3::new(twist, near_y * a.y + far_y * b.y, near_z * a.z + far_z * b.z),
            Vec3::new(-twist, far_y * a.y + near_y * b.y, far_z * a.z + near_z * b.z),
        ]
    }

    fn positive_tangent(
        &self,
        now: &[Pose; 2],
        has_tension: bool,
        tangent: &mut [f64; 144],
    ) -> Result<(), ElementError> {
        let frame = self.frame(now)?;
        let back = frame.axes.transpose();
        let to_beam = now.map(|node| back * Mat3::from_quat(node.rotation));
        // ∂θᵢ by x₁, ω₁, x₂, ω₂.
        let mut b = [[Mat3::ZERO; 4]; 2];
        for i in 0..2 {
            let t = frame.tangents[i];
            let chord = t * frame.spin_by_chord * back;
            (b[i][0], b[i][2]) = (chord, -chord);
            for j in 0..2 {
                let own = if i == j { Mat3::IDENTITY } else { Mat3::ZERO };
                b[i][2 * j + 1] = t * (own - frame.spin_by_turn[j]) * to_beam[j];
            }
        }
        let e1 = frame.axes.x_axis;
        let along = super::reference::outer(e1, e1);
        let stretch = self.stretch(&frame);
        let tension = if has_tension { (self.axial * stretch).max(0.0) / frame.length } else { 0.0 };
        let chord = along * self.axial + (Mat3::IDENTITY - along) * tension;
        let near = Mat3::from_diagonal(Vec3::new(self.torsional, self.bending[0][0], self.bending[1][0]));
        let far = Mat3::from_diagonal(Vec3::new(-self.torsional, self.bending[0][1], self.bending[1][1]));
        tangent.fill(0.0);
        for i in 0..4 {
            let (first, second) = (b[0][i].transpose(), b[1][i].transpose());
            let (first, second) = (first * near + second * far, first * far + second * near);
            for j in 0..4 {
                let mut block = first * b[0][j] + second * b[1][j];
                if i % 2 == 0 && j % 2 == 0 {
                    block += if i == j { chord } else { -chord };
                }
                super::solid::add_block(tangent, 4, i, j, block);
            }
        }
        Ok(())
    }

    fn exact_tangent(&self, now: &[Pose; 2], tangent: &mut [f64; 144]) -> Result<(), ElementError> {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for column in 0..12 {
            let (node, turns, axis) = (column / 6, column % 6 >= 3, axes[column % 3]);
            let step = if turns { DIFFERENCE } else { DIFFERENCE * self.length };
            let mut slopes = [Vec3::ZERO; 4];
            for sign in [1.0, -1.0] {
                let mut moved = *now;
                if turns {
                    moved[node].rotation *= exponential(axis * (sign * step));
                } else {
                    moved[node].position += axis * (sign * step);
                }
                let (mut force, mut torque) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
                self.force(&moved, &mut force, &mut torque)?;
                for i in 0..2 {
                    slopes[2 * i] -= force[i] * (sign / (2.0 * step));
                    slopes[2 * i + 1] -= torque[i] * (sign / (2.0 * step));
                }
            }
            for row in 0..12 {
                tangent[12 * row + column] = slopes[row / 3][row % 3];
            }
        }
        Ok(())
    }
}
