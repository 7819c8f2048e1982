//! What can be wrong with an element.

use crate::ParameterError;

/// An element that cannot be used, and why. The caller knows which one it is and names it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// A material or section out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// An element inverted or flat at rest.
    #[error(
        "volume at rest is {volume} m³ at quadrature point {point}, expected > 0 (nodes in the order of VTK, not flat)"
    )]
    RestVolume {
        /// The quadrature point, counted from 0.
        point: usize,
        /// Its share of the volume \[m³\].
        volume: f64,
    },
    /// An element that has been turned inside out, of a material which has no stress there.
    #[error("det F is {determinant} at quadrature point {point}, expected > 0: the element is inverted")]
    Inverted {
        /// The quadrature point, counted from 0.
        point: usize,
        /// J = det F there.
        determinant: f64,
    },
    /// A beam or cable without a length.
    #[error("length is {length} m, expected a finite value > 0")]
    Length {
        /// What was found \[m\].
        length: f64,
    },
    /// A beam whose section has turned across its axis.
    #[error("a section of the beam has turned by {angle} rad against its chord, expected < {limit}")]
    TooBent {
        /// How far the section of a node has turned \[rad\].
        angle: f64,
        /// How far it may \[rad\].
        limit: f64,
    },
}
