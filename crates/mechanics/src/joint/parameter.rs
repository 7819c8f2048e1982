//! The numbers a joint is made of, beside its place: lengths, ratios, limits.

use crate::Vec3;

/// A number of a joint, or several that belong together.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum JointParameter {
    /// A choice between two kinds of the joint.
    Flag(bool),
    /// One number.
    Number(f64),
    /// Two numbers: of A and of B, or the least and the largest.
    Pair([f64; 2]),
    /// A direction in the world.
    Vector([f64; 3]),
    /// A point or a direction in the world of A, and one of B.
    Vectors([[f64; 3]; 2]),
}

impl From<bool> for JointParameter {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for JointParameter {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<[f64; 2]> for JointParameter {
    fn from(pair: [f64; 2]) -> Self {
        Self::Pair(pair)
    }
}

impl From<Vec3> for JointParameter {
    fn from(vector: Vec3) -> Self {
        Self::Vector(vector.to_array())
    }
}

impl From<[Vec3; 2]> for JointParameter {
    fn from(vectors: [Vec3; 2]) -> Self {
        Self::Vectors(vectors.map(|vector| vector.to_array()))
    }
}
