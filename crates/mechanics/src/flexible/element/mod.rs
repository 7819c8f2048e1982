//! Finite elements: forces, tangents, energy, mass and stress of one element at a time, over slices of its nodes.
//!
//! Solids ([`Solid`]) are [`Corotational`] (linear elasticity in axes that turn with the element) or [`Hyperelastic`]
//! (neo-Hookean); both take TET4, TET10 and HEX8 through a [`Reference`], which holds shape functions and quadrature.
//! [`Beam`] and [`Cable`] have two nodes. Nothing is allocated while forces and tangents are formed.
//!
//! ```
//! use signorini_mechanics::Vec3;
//! use signorini_mechanics::flexible::element::{Corotational, Reference, Solid};
//! use signorini_mechanics::flexible::material::Elastic;
//! let rubber = Elastic::new(1e6, 0.3, 1000.0)?;
//! let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let element = Corotational::new(&Reference::tet4(), &rest, &rubber)?;
//! // Turned by 90° about z and moved: no forces.
//! let now = rest.map(|x| Vec3::new(-x.y, x.x, x.z) + Vec3::splat(5.0));
//! let mut force = [Vec3::ZERO; 4];
//! element.force(&now, &mut force)?;
//! assert!(force.iter().all(|f| f.length() < 1e-8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beam;
mod cable;
mod corotational;
mod error;
mod hyperelastic;
pub mod mass;
mod polar;
mod quadrature;
mod reference;
pub mod shape;
mod solid;
mod stress;

pub use beam::{Beam, BeamMass, BeamTheory, Section};
pub use cable::Cable;
pub use corotational::Corotational;
pub use error::ElementError;
pub use hyperelastic::Hyperelastic;
pub use polar::SignedSvd;
pub use reference::{Reference, Rest};
pub(crate) use solid::sized;
pub use solid::{Solid, Tangent};
pub use stress::{NodalMean, PointState, von_mises};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_need_the_memory_they_say() {
        assert_eq!(
            [size_of::<Corotational<4>>(), size_of::<Corotational<10>>(), size_of::<Corotational<8>>()],
            [1368, 7704, 5016]
        );
        assert_eq!(
            [size_of::<Hyperelastic<4, 1>>(), size_of::<Hyperelastic<10, 4>>(), size_of::<Hyperelastic<8, 8>>()],
            [120, 1008, 1616]
        );
        assert_eq!([size_of::<Rest<4, 1>>(), size_of::<Rest<10, 4>>(), size_of::<Rest<8, 8>>()], [104, 992, 1600]);
        assert_eq!([size_of::<Beam>(), size_of::<Cable>()], [160, 32]);
    }
}
