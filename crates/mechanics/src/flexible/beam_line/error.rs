//! What can be wrong with a beam.

use crate::ParameterError;
use crate::flexible::element::ElementError;

/// A beam that cannot be made, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BeamError {
    /// A line of fewer than two points.
    #[error("beam `{beam}` has {found} points, expected at least 2 (and at least 1 division)")]
    TooFewPoints {
        /// The beam.
        beam: String,
        /// What was found.
        found: usize,
    },
    /// A coordinate that is no number.
    #[error("beam `{beam}`: point {index} is {point:?}, expected finite numbers")]
    NotFinite {
        /// The beam.
        beam: String,
        /// The point, counted from 0.
        index: usize,
        /// Where it is.
        point: [f64; 3],
    },
    /// Two points in one place.
    #[error("beam `{beam}`: points {index} and {} are both at {point:?}, expected points apart", index + 1)]
    RepeatedPoint {
        /// The beam.
        beam: String,
        /// The first of them, counted from 0.
        index: usize,
        /// Where they are.
        point: [f64; 3],
    },
    /// No section can be turned as was asked for.
    #[error("beam `{beam}`: `up` is {up:?}, along element {element}, expected a direction across every element")]
    Up {
        /// The beam.
        beam: String,
        /// The direction.
        up: [f64; 3],
        /// The element, counted from 0.
        element: usize,
    },
    /// All its nodes are held.
    #[error("beam `{beam}` has one element and both ends clamped: nothing can move, expected at least 2 elements")]
    NothingMoves {
        /// The beam.
        beam: String,
    },
    /// Section, material, skin or velocity out of range.
    #[error("beam `{beam}`: {error}")]
    Parameter {
        /// The beam.
        beam: String,
        /// What is wrong.
        error: ParameterError,
    },
    /// An element that cannot be made.
    #[error("beam `{beam}`, element {element}: {error}")]
    Element {
        /// The beam.
        beam: String,
        /// The element, counted from 0.
        element: usize,
        /// What is wrong.
        error: ElementError,
    },
}
