//! Shapes and poses in, contact points out.
//!
//! A [`Detector`] is made once from the [`Collider`]s of a model; every step it is given the poses of the bodies and
//! writes the [`Contact`]s whose gap is smaller than asked. It knows neither masses nor friction nor time. A
//! [`SurfaceDetector`] adds those of surfaces whose nodes move freely.

mod broad;
mod collider;
mod contact;
mod detector;
mod error;
mod narrow;
mod pose;
#[cfg(test)]
mod random;
pub mod shape;
mod surface;

pub use broad::BroadPhase;
pub use collider::{Collider, Groups};
pub use contact::{Contact, NO_FACE};
pub use detector::{Detector, Mobility, Nearest, Statistics};
pub use error::ShapeError;
pub use pose::Pose;
pub use shape::{MassProperties, Mesh, MeshDefects, MeshTopology, PrincipalAxes, Shape};
pub use surface::{DeformableSurface, SurfaceDetector};
