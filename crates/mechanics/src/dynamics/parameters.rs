//! Numbers of a step besides the model and its state.

use crate::{Gyroscopic, RestitutionLaw};

/// What forces and rows of a step are made with besides model and state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// h \[s\].
    pub(crate) step: f64,
    /// η_s: overlaps are undone no faster \[m/s\].
    pub(crate) recovery_speed: f64,
    /// Overlaps of hard bodies are deep from here on \[m\]: more than a step that was not solved well leaves behind.
    pub(crate) deep_overlap: f64,
    /// Radius of the smallest body that moves \[m\]: it turns η_s into an angular speed.
    pub(crate) radius: f64,
    /// Slower bodies rest \[m/s\]; 0 without gravity.
    pub(crate) resting_speed: f64,
    /// Slower approaches do not rebound \[m/s\].
    pub(crate) restitution_threshold: f64,
    /// How rebounds are kept from gaining energy.
    pub(crate) restitution_law: RestitutionLaw,
    /// How the torque −ω × Iω is treated.
    pub(crate) gyroscopic: Gyroscopic,
}
