//! Forces on bodies: springs, dampers, bushings, motors, applied loads.

mod bushing;
mod controller;
mod load;
pub(crate) mod memory;
mod motor;
pub(crate) mod problem;
mod rotational_spring;
mod semidefinite;
mod spring;

pub use bushing::{Bushing, Matrix6};
pub use controller::{Pid, SpeedControl};
pub use load::Load;
pub use memory::MemoryLayout;
pub use motor::{Drive, Motor};
pub use rotational_spring::RotationalSpring;
pub use spring::Spring;

use crate::{BodyId, Mat3, ParameterError, Pose, Vec3};

/// A force in the world and a torque in body axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force at the centre of mass, world axes \[N\].
    pub force: Vec3,
    /// Torque about the centre of mass, body axes \[N m\].
    pub torque: Vec3,
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// world_from_body.
    pub pose: Pose,
    /// World \[m/s\].
    pub velocity: Vec3,
    /// Body axes \[rad/s\].
    pub angular_velocity: Vec3,
}

/// −∂f/∂q and −∂f/∂v of a force between two bodies, 12 × 12, row-major over (v_A, ω_A, v_B, ω_B); symmetric and positive
/// semi-definite, as H must stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// K = −∂f/∂q \[N/m …\].
    pub stiffness: [[f64; 12]; 12],
    /// R = −∂f/∂v \[N s/m …\].
    pub damping: [[f64; 12]; 12],
}

impl Tangent {
    /// No stiffness, no damping.
    pub const ZERO: Self = Self { stiffness: [[0.0; 12]; 12], damping: [[0.0; 12]; 12] };
}

/// A force between two bodies, or on one (then both are the same and the second wrench stays zero).
pub trait Force: std::fmt::Debug + Send + Sync {
    /// What kind of force it is, for messages.
    fn kind(&self) -> &'static str;
    /// The bodies it acts on.
    fn bodies(&self) -> [BodyId; 2];
    /// The wrenches on both bodies; `memory` are the force's own numbers, [`Force::memory`] of them.
    fn wrench(&self, motions: [&Motion; 2], time: f64, memory: &[f64]) -> [Wrench; 2];
    /// Its tangents, for a force that is to be treated implicitly; `None` for an explicit one.
    fn tangent(&self, motions: [&Motion; 2], time: f64, memory: &[f64]) -> Option<Tangent>;
    /// Energy stored in it \[J\].
    fn energy(&self, motions: [&Motion; 2], time: f64, memory: &[f64]) -> f64;
    /// Whether it can give no more energy than it has stored, as springs and dampers do; other forces do work on the system.
    fn is_passive(&self) -> bool {
        false
    }
    /// How many numbers z it keeps from step to step, 0 at the start; always the same.
    fn memory(&self) -> usize {
        0
    }
    /// Fills ż, [`Force::memory`] numbers that are 0 before.
    fn memory_rate(&self, _motions: [&Motion; 2], _time: f64, _memory: &[f64], _rate: &mut [f64]) {}
    /// What is wrong where its bodies are, for a force that does not exist everywhere; its wrenches are then NaN. A step that ends
    /// there, or finds no way round, fails with this text.
    fn problem(&self, _motions: [&Motion; 2], _time: f64) -> Option<String> {
        None
    }
    /// A length of its own that motions of its bodies are compared with \[m\]; 0 for none. Bodies have their radius of gyration, which
    /// says little where forces reach much farther.
    fn length(&self) -> f64 {
        0.0
    }
    /// Radius of the rod between its bodies that stands for it in pictures \[m\]; `None` for forces nobody sees.
    fn drawn_radius(&self) -> Option<f64> {
        None
    }
    /// Whether its numbers can be used.
    ///
    /// # Errors
    /// The first number out of range.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// Wrenches −tension · G of a generalised coordinate with the gradient G over (v_A, ω_A, v_B, ω_B).
fn along(gradient: &[[f64; 6]; 2], tension: f64) -> [Wrench; 2] {
    gradient.map(|part| Wrench {
        force: Vec3::from_slice(&part[..3]) * -tension,
        torque: Vec3::from_slice(&part[3..]) * -tension,
    })
}

/// Rate G·v of a generalised coordinate.
fn rate(gradient: &[[f64; 6]; 2], motions: [&Motion; 2]) -> f64 {
    let part = |side: usize| {
        let (linear, angular) = gradient[side].split_at(3);
        Vec3::from_slice(linear).dot(motions[side].velocity)
            + Vec3::from_slice(angular).dot(motions[side].angular_velocity)
    };
    part(0) + part(1)
}

/// Adds factor · a aᵀ.
fn add_outer(matrix: &mut [[f64; 12]; 12], a: &[[f64; 6]; 2], factor: f64) {
    let a = a.as_flattened();
    for (row, x) in matrix.iter_mut().zip(a) {
        row.iter_mut().zip(a).for_each(|(entry, y)| *entry += factor * x * y);
    }
}

/// Whether a stiffness or damping can be used.
fn check_at_least_zero(what: &'static str, value: f64, allowed: &'static str) -> Result<(), ParameterError> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(ParameterError::number(what, value, allowed)),
    }
}

/// The matrix s̃ with s̃ u = s × u.
#[must_use]
pub fn cross_matrix(s: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, s.z, -s.y), Vec3::new(-s.z, 0.0, s.x), Vec3::new(s.y, -s.x, 0.0))
}
