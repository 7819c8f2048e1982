//! The smooth equations of motion M a = f + Cᵀλ, Ψ = 0 and the linear systems made of them.

mod conjugate;
pub(crate) mod consistent;
pub(crate) mod equations;
mod nodes;
pub(crate) mod rows;
pub(crate) mod saddle;
pub(crate) mod tangents;

use crate::Model;
use equations::Equations;

/// A model and what its equations are made of.
#[derive(Clone, Copy)]
pub(crate) struct System<'a> {
    pub(crate) model: &'a Model,
    pub(crate) equations: &'a Equations,
}

/// Joints that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contradiction {
    pub(crate) joint: usize,
    /// What is left of its worst row: \[m\] or \[rad\] for positions, per second for speeds, per second squared for accelerations;
    /// not a number where forces are not finite.
    pub(crate) left: f64,
    /// Whether that row is an angle.
    pub(crate) is_angle: bool,
    /// Positions, speeds or accelerations.
    pub(crate) of: &'static str,
}
