//! Rigid bodies.

use crate::{Mat3, Pose, Shape, ShapeError, Vec3};

/// Which body of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// Its place among the bodies of the model and in [`crate::State`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rigid body. Its frame sits in the centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name, unique in a model.
    pub name: String,
    /// Mass \[kg\]; of no use for a fixed body.
    pub mass: f64,
    /// Inertia about the centre of mass in body axes \[kg m²\], symmetric.
    pub inertia: Mat3,
    /// Never moves.
    pub is_fixed: bool,
    /// Where it starts: world_from_body, the origin being the centre of mass.
    pub start: Pose,
    /// Velocity of the centre of mass at the start, in the world \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity at the start, in body axes \[rad/s\].
    pub angular_velocity: Vec3,
}

impl Body {
    /// A body of given mass and inertia, at the origin and at rest.
    #[must_use]
    pub fn new(name: impl Into<String>, mass: f64, inertia: Mat3) -> Self {
        Self {
            name: name.into(),
            mass,
            inertia,
            is_fixed: false,
            start: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }

    /// A body that never moves.
    #[must_use]
    pub fn fixed(name: impl Into<String>) -> Self {
        Self { is_fixed: true, ..Self::new(name, 0.0, Mat3::ZERO) }
    }

    /// A body of uniform density \[kg/m³\]. The shape's centre of mass must be its origin, as it is for all but hulls, meshes,
    /// cones and compounds; those need [`Shape::mass_properties`] and a collider moved by −centre.
    ///
    /// # Errors
    /// A shape without volume.
    pub fn of_shape(name: impl Into<String>, shape: &Shape, density: f64) -> Result<Self, ShapeError> {
        let properties = shape.mass_properties()?;
        Ok(Self::new(name, density * properties.volume, properties.inertia * density))
    }

    /// The same, starting elsewhere.
    #[must_use]
    pub fn at(mut self, position: Vec3) -> Self {
        self.start.position = position;
        self
    }
    /// The same, starting elsewhere and turned.
    #[must_use]
    pub fn posed(mut self, pose: Pose) -> Self {
        self.start = pose;
        self
    }
    /// The same with another velocity at the start (world \[m/s\], body axes \[rad/s\]).
    #[must_use]
    pub fn moving(mut self, velocity: Vec3, angular_velocity: Vec3) -> Self {
        (self.velocity, self.angular_velocity) = (velocity, angular_velocity);
        self
    }
}
