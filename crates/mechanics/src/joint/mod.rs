//! Joints: rows Ψ(q, t) = 0 (bilateral) or ≥ 0 (limits, ropes), their Jacobians and time derivatives.

use crate::{BodyId, Pose};

/// Most rows a joint may have.
pub const MAX_ROWS: usize = 8;

/// How a row is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Ψ = 0.
    Equal,
    /// Ψ ≥ 0.
    AtLeastZero,
}

/// One scalar constraint row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Equation or inequality.
    pub kind: RowKind,
    /// Ψ \[m or rad\].
    pub value: f64,
    /// ∂Ψ/∂t \[m/s or rad/s\], of imposed motion.
    pub rate: f64,
    /// dΨ/dv of both bodies: velocity in the world, then angular velocity in body axes.
    pub jacobian: [[f64; 6]; 2],
    /// Whether Ψ is an angle (for reports).
    pub is_angle: bool,
}

impl Row {
    /// An empty bilateral row.
    pub const ZERO: Self =
        Self { kind: RowKind::Equal, value: 0.0, rate: 0.0, jacobian: [[0.0; 6]; 2], is_angle: false };
}

/// A connection of two bodies.
pub trait Joint: std::fmt::Debug + Send + Sync {
    /// What kind of joint it is, for messages.
    fn kind(&self) -> &'static str;
    /// The two bodies it connects.
    fn bodies(&self) -> [BodyId; 2];
    /// How many rows it has, at most [`MAX_ROWS`]; always the same.
    fn rows(&self) -> usize;
    /// Fills the first [`Joint::rows`] rows for the two poses at a time.
    fn evaluate(&self, poses: [&Pose; 2], time: f64, rows: &mut [Row]);
}
