//! What can be wrong with a shape.

/// A shape that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length or another number out of range.
    #[error("{shape}: {what} is {value}, expected {allowed}")]
    Number {
        /// The kind of shape.
        shape: &'static str,
        /// The number.
        what: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A set of points or triangles that makes no usable shape.
    #[error("{shape}: {problem}")]
    Geometry {
        /// The kind of shape.
        shape: &'static str,
        /// What is wrong with it, with counts and indices.
        problem: String,
    },
    /// A mass was asked of a shape that has no volume.
    #[error("{shape} encloses no volume: give mass and inertia instead of a density ({problem})")]
    NoVolume {
        /// The kind of shape.
        shape: &'static str,
        /// Why.
        problem: String,
    },
}
