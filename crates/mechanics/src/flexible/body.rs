//! A flexible body as a model describes it: what it is made of, where it is held, what its skin meets.

use super::material::Elastic;
use super::mesh::VolumeMesh;
use crate::{Groups, MaterialId, Vec3};

/// Which flexible body of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlexibleId(pub(crate) u32);

impl FlexibleId {
    /// Its place among the flexible bodies of the model.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How stress follows from strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StressLaw {
    /// Linear elasticity in axes that turn with each element: large turns, small strains.
    #[default]
    Corotational,
    /// Neo-Hookean: large strains too; an element that is turned inside out stops the run.
    NeoHookean,
}

/// How the mass of elements goes to their nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassMatrix {
    /// A mass at every node.
    #[default]
    Lumped,
    /// ρ ∫ Nᵢ Nⱼ dV: neighbours are coupled.
    Consistent,
}

/// What a flexible body is built of.
#[derive(Clone, Debug, PartialEq)]
pub enum Structure {
    /// Solid elements.
    Solid {
        /// The mesh, at rest where it starts, in the world.
        mesh: VolumeMesh,
        /// The stress law.
        law: StressLaw,
        /// The mass matrix.
        mass: MassMatrix,
    },
    /// Straight cables between nodes, which pull and never push; masses at nodes.
    Cables {
        /// Where nodes start \[m\].
        nodes: Vec<Vec3>,
        /// The two nodes of every cable.
        cables: Vec<[u32; 2]>,
        /// Area of the cross-section \[m²\].
        area: f64,
        /// Length at rest as a share of the length at the start: below 1 for cables that start taut.
        slack: f64,
        /// Triangles of the skin, counter-clockwise seen from outside: what a net catches others with.
        skin: Vec<[u32; 3]>,
    },
}

/// The outside of a flexible body, where it meets others.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Its surface.
    pub material: MaterialId,
    /// Which others it meets.
    pub groups: Groups,
    /// The skin is grown by this \[m\].
    pub margin: f64,
    /// Whether it meets itself.
    pub touches_itself: bool,
    /// The face set that is the skin; all of the outside without one.
    pub face_set: Option<String>,
}

impl Skin {
    /// The whole outside, which meets everything but itself.
    #[must_use]
    pub fn new(material: MaterialId) -> Self {
        Self { material, groups: Groups::ALL, margin: 0.0, touches_itself: false, face_set: None }
    }
}

/// A flexible body.
#[derive(Clone, Debug, PartialEq)]
pub struct FlexibleBody {
    /// Its name, unique among all bodies of a model.
    pub name: String,
    /// Its elements.
    pub structure: Structure,
    /// What they are made of.
    pub material: Elastic,
    /// Velocity at the start \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity at the start about the centre of mass, in the world \[rad/s\].
    pub angular_velocity: Vec3,
    /// Nodes that never move.
    pub fixed: Vec<u32>,
    /// Where it meets others; `None` for nowhere.
    pub skin: Option<Skin>,
}

impl FlexibleBody {
    /// A corotational solid with lumped mass, free, at rest, without a skin.
    #[must_use]
    pub fn solid(name: impl Into<String>, mesh: VolumeMesh, material: Elastic) -> Self {
        let structure = Structure::Solid { mesh, law: StressLaw::default(), mass: MassMatrix::default() };
        Self::new(name, structure, material)
    }

    /// Any structure, free, at rest, without a skin.
    #[must_use]
    pub fn new(name: impl Into<String>, structure: Structure, material: Elastic) -> Self {
        let (velocity, angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        Self { name: name.into(), structure, material, velocity, angular_velocity, fixed: Vec::new(), skin: None }
    }

    /// The same with a skin.
    #[must_use]
    pub fn with_skin(mut self, skin: Skin) -> Self {
        self.skin = Some(skin);
        self
    }

    /// The same with nodes that never move.
    #[must_use]
    pub fn held_at(mut self, nodes: &[u32]) -> Self {
        self.fixed.extend_from_slice(nodes);
        self
    }

    /// Where its nodes start \[m\].
    #[must_use]
    pub fn nodes(&self) -> &[Vec3] {
        match &self.structure {
            Structure::Solid { mesh, .. } => &mesh.nodes,
            Structure::Cables { nodes, .. } => nodes,
        }
    }
}
