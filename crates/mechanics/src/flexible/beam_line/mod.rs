//! Beams as chains of rigid bodies and forces.
//!
//! The nodes of a beam are bodies with the lumped mass and rotary inertia of the elements beside them; every element is a
//! [`BeamForce`] between two of them. So joints, motors, loads, contacts, all steppers and all analyses work with beams as they are.
//!
//! ```text
//! NAME/0 ──NAME/0── NAME/1 ──NAME/1── NAME/2 …       bodies (nodes) and the forces (elements) between them
//! ```
//!
//! The axes of a node: x along the beam (the mean of the elements beside it), z as near to `up` as can be. Node rotations are those of
//! the sections, so a fixed node is a clamped end, and a joint at a node is one at a section.
//!
//! ```
//! use signorini_mechanics::analysis::{EquilibriumSettings, static_equilibrium};
//! use signorini_mechanics::flexible::beam_line::BeamLine;
//! use signorini_mechanics::flexible::element::Section;
//! use signorini_mechanics::flexible::material::Elastic;
//! use signorini_mechanics::force::Load;
//! use signorini_mechanics::{Model, State, Vec3};
//! // A steel cantilever of 1 m under 10 N: F L³/(3 E I) = 19.05 mm, and 0.6 µm of shear.
//! let mut model = Model::builder();
//! model.gravity(Vec3::ZERO);
//! let (section, steel) = (Section::rectangle(0.01, 0.01)?, Elastic::new(210e9, 0.3, 7850.0)?);
//! let arm = BeamLine::straight("arm", [Vec3::ZERO, Vec3::X], 4, section, steel).clamped([true, false]);
//! let nodes = arm.add_to(&mut model)?.nodes;
//! model.force("tip", Load::new(nodes[4]).force(Vec3::Z * -10.0, None));
//! let model = model.build()?;
//! let rest = static_equilibrium(&model, &State::start_of(&model), &EquilibriumSettings::default())?.state;
//! let exact = -10.0 / (3.0 * 210e9 * 1e-8 / 12.0);
//! assert!((rest.poses[nodes[4].index()].position.z / exact - 1.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod element_force;
mod error;
mod path;
mod plan;

pub use element_force::BeamForce;
pub use error::BeamError;
pub use path::Arc;
pub use plan::BeamPlan;

use crate::flexible::element::{BeamTheory, Section};
use crate::flexible::material::Elastic;
use crate::{BodyId, Groups, MaterialId, ModelBuilder, Vec3};

/// What a beam touches other things with: one capsule a node, from the middle of the element before it to the middle of the one
/// after, turning with the node's section.
///
/// At a kink the capsule cuts the corner, so make elements short there. Capsules of nodes that are neighbours, or have less than four
/// radii of beam between them, do not touch each other. It adds no mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSkin {
    /// Radius of the capsules \[m\].
    pub radius: f64,
    /// Material of their surface.
    pub material: MaterialId,
    /// What they touch.
    pub groups: Groups,
    /// Contacts are found this much farther out \[m\].
    pub margin: f64,
}

impl BeamSkin {
    /// A skin that touches everything.
    #[must_use]
    pub fn new(radius: f64, material: MaterialId) -> Self {
        Self { radius, material, groups: Groups::ALL, margin: 0.0 }
    }
}

/// A beam along a polyline, still to be put into a model.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamLine {
    name: String,
    points: Vec<Vec3>,
    section: Section,
    material: Elastic,
    theory: BeamTheory,
    up: Option<Vec3>,
    clamped: [bool; 2],
    skin: Option<BeamSkin>,
    velocity: Vec3,
    angular_velocity: Vec3,
}

/// Which bodies of a model the nodes of a beam are, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeamNodes {
    /// One a node.
    pub nodes: Vec<BodyId>,
}

impl BeamLine {
    /// A beam with a node in each of these points \[m\], one element from each to the next.
    #[must_use]
    pub fn through(name: impl Into<String>, points: Vec<Vec3>, section: Section, material: Elastic) -> Self {
        Self {
            name: name.into(),
            points,
            section,
            material,
            theory: BeamTheory::default(),
            up: None,
            clamped: [false; 2],
            skin: None,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }

    /// A straight beam of equal elements between two points \[m\].
    #[must_use]
    pub fn straight(
        name: impl Into<String>,
        ends: [Vec3; 2],
        divisions: usize,
        section: Section,
        material: Elastic,
    ) -> Self {
        Self::polyline(name, &ends, divisions, section, material)
    }

    /// A beam along a polyline \[m\] with `divisions` equal elements on every side of it.
    #[must_use]
    pub fn polyline(
        name: impl Into<String>,
        corners: &[Vec3],
        divisions: usize,
        section: Section,
        material: Elastic,
    ) -> Self {
        Self::through(name, path::divided(corners, divisions), section, material)
    }

    /// A beam along an arc of a circle, with nodes on it at equal angles.
    #[must_use]
    pub fn arc(name: impl Into<String>, arc: &Arc, divisions: usize, section: Section, material: Elastic) -> Self {
        Self::through(name, arc.points(divisions), section, material)
    }

    /// The same with sections that shear (Timoshenko, the default) or do not (Euler and Bernoulli).
    #[must_use]
    pub fn theory(mut self, theory: BeamTheory) -> Self {
        self.theory = theory;
        self
    }
    /// The same with the section's z axis, along which a rectangle has its height, as near to this direction as can be. Without it:
    /// the first of z, y, x and (1, 1, 1) that is along no element.
    #[must_use]
    pub fn up(mut self, up: Vec3) -> Self {
        self.up = Some(up);
        self
    }
    /// The same with its start or its end, or both, held in the world: the node is a fixed body.
    #[must_use]
    pub fn clamped(mut self, ends: [bool; 2]) -> Self {
        self.clamped = ends;
        self
    }
    /// The same with a surface that touches other bodies.
    #[must_use]
    pub fn skin(mut self, skin: BeamSkin) -> Self {
        self.skin = Some(skin);
        self
    }
    /// The same moving as a rigid body at the start: velocity of the centre of mass \[m/s\] and angular velocity \[rad/s\], both in
    /// the world.
    #[must_use]
    pub fn moving(mut self, velocity: Vec3, angular_velocity: Vec3) -> Self {
        (self.velocity, self.angular_velocity) = (velocity, angular_velocity);
        self
    }

    /// The bodies, forces and shapes it is made of.
    ///
    /// # Errors
    /// The first thing that is wrong with it, by the name of the beam.
    pub fn plan(&self) -> Result<BeamPlan, BeamError> {
        plan::of(self)
    }

    /// Adds it to a model.
    ///
    /// # Errors
    /// As [`BeamLine::plan`]; nothing is added then.
    pub fn add_to(&self, model: &mut ModelBuilder) -> Result<BeamNodes, BeamError> {
        let plan = self.plan()?;
        let nodes: Vec<BodyId> = plan.nodes.iter().map(|node| model.body(node.clone())).collect();
        plan.connect(&nodes, model);
        Ok(BeamNodes { nodes })
    }
}
