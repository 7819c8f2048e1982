//! Shapes in their own frame. The axis of capsules, cylinders, cones and containers is z; lengths are in metres.

mod bounds;
mod check;
pub(crate) mod hull;
mod mass_properties;
mod mesh;
mod mesh_crossings;
mod mesh_defects;
mod mesh_pieces;
mod mesh_rims;
mod mesh_topology;
mod principal_axes;
mod surface_integrals;

pub use hull::hull_faces;
pub use mass_properties::MassProperties;
pub use mesh::Mesh;
pub use mesh_crossings::Crossings;
pub use mesh_defects::MeshDefects;
pub use mesh_pieces::InsideOut;
pub use mesh_rims::{Hole, Seam};
pub use mesh_topology::MeshTopology;
pub use principal_axes::{PrincipalAxes, check_moments};

use crate::{Pose, ShapeError};
use glam::DVec3;
use std::sync::Arc;

/// A shape in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box about the origin.
    Cuboid {
        /// Half of its sides.
        half: DVec3,
    },
    /// A cylinder with half balls at both ends.
    Capsule {
        /// Half of the distance of the balls' centres.
        half_height: f64,
        /// Radius of cylinder and balls.
        radius: f64,
    },
    /// A solid cylinder from z = −half_height to half_height.
    Cylinder {
        /// Half of its height.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// A solid cone, tip at z = half_height, base at −half_height.
    Cone {
        /// Half of its height.
        half_height: f64,
        /// Radius of the base.
        radius: f64,
    },
    /// The convex hull of points.
    ConvexHull {
        /// The points.
        points: Arc<[DVec3]>,
    },
    /// Everything below the plane through the origin.
    HalfSpace {
        /// Unit normal, out of the solid.
        normal: DVec3,
    },
    /// A surface of triangles, solid where it is closed.
    TriangleMesh(Arc<Mesh>),
    /// A surface z(x, y) over a regular grid about the origin, solid below.
    HeightField {
        /// Heights, row by row: `heights[iy * columns + ix]`.
        heights: Arc<[f64]>,
        /// Number of samples along x.
        columns: usize,
        /// Sides of the whole field along x and y.
        size: [f64; 2],
    },
    /// Several shapes that move as one.
    Compound {
        /// Shapes and where they sit.
        parts: Arc<[(Pose, Shape)]>,
    },
    /// A container: the wall around the inside of a cylinder, open at both ends, of this height about the origin.
    InsideCylinder {
        /// Inner radius.
        radius: f64,
        /// Half of its height.
        half_height: f64,
        /// Thickness of the wall.
        thickness: f64,
    },
    /// A container: the wall around the inside of a truncated cone, open at both ends. Its ends are flat rings.
    InsideCone {
        /// Inner radius at z = −half_height.
        bottom_radius: f64,
        /// Inner radius at z = half_height.
        top_radius: f64,
        /// Half of its height.
        half_height: f64,
        /// Thickness of the wall, across it.
        thickness: f64,
    },
}

impl Shape {
    /// How messages call it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Cuboid { .. } => "cuboid",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::ConvexHull { .. } => "convex-hull",
            Self::HalfSpace { .. } => "half-space",
            Self::TriangleMesh(_) => "mesh",
            Self::HeightField { .. } => "height-field",
            Self::Compound { .. } => "compound",
            Self::InsideCylinder { .. } => "inside-cylinder",
            Self::InsideCone { .. } => "inside-cone",
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), ShapeError> {
        check::check(self)
    }

    /// Volume, centre and inertia for density 1.
    ///
    /// # Errors
    /// A shape without volume: half-spaces, height fields, containers, open meshes.
    pub fn mass_properties(&self) -> Result<MassProperties, ShapeError> {
        mass_properties::of(self)
    }
}

/// A sample of a height field in its frame; the field is centred on the origin.
pub(crate) fn height_field_point(heights: &[f64], columns: usize, size: [f64; 2], sample: usize) -> DVec3 {
    let rows = heights.len() / columns;
    let (ix, iy) = (sample % columns, sample / columns);
    let x = size[0] * (ix as f64 / (columns - 1) as f64 - 0.5);
    let y = size[1] * (iy as f64 / (rows - 1) as f64 - 0.5);
    DVec3::new(x, y, heights[sample])
}
