//! Joints: rows Ψ(q, t) = 0 (bilateral) or ≥ 0 (limits, ropes), their Jacobians and time derivatives.
//!
//! The two frames of a joint coincide where it is undeformed; its axis is their z. Angles and displacements are those of B
//! relative to A. Gears, racks and pulleys have axes and points that are fixed in the world instead, and a [`Curve`] is one of A.
//!
//! ```
//! use signorini_mechanics::joint::{Anchors, Law, Revolute};
//! use signorini_mechanics::{Body, Mat3, Model, Pose, Settings, Simulation, Vec3};
//! // A wheel driven at one turn a second about the world's z.
//! let mut model = Model::builder();
//! let ground = model.body(Body::fixed("ground"));
//! let wheel = model.body(Body::new("wheel", 2.0, Mat3::from_diagonal(Vec3::splat(0.1))));
//! let anchors = Anchors::from_world([ground, wheel], [&Pose::IDENTITY; 2], Pose::IDENTITY);
//! model.joint("motor", Revolute::new(anchors).driven(Law::linear(0.0, std::f64::consts::TAU)));
//! let mut simulation = Simulation::new(model.build()?, Settings { step: 0.01, ..Settings::default() })?;
//! for _ in 0..25 {
//!     simulation.step()?;
//! }
//! // A quarter of a turn: its x axis is along the world's y.
//! let x = simulation.state().poses[wheel.index()].rotation * Vec3::X;
//! assert!((x - Vec3::Y).length() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchors;
mod angle;
mod constant_velocity;
mod curve;
mod cylindrical;
mod distance;
mod drive;
mod fixed;
mod forces;
mod gear;
pub(crate) mod kinematics;
mod law;
mod limits;
mod parallel;
mod parameter;
mod perpendicular;
mod planar;
mod point_on_curve;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod pulley;
mod rack_pinion;
mod revolute;
mod rope;
mod screw;
pub(crate) mod span;
mod spherical;
mod spindle;
mod universal;

pub use anchors::{Anchors, JointPlace};
pub(crate) use angle::{twist, wrapped};
pub use constant_velocity::ConstantVelocity;
pub use curve::{Curve, CurveError};
pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use fixed::Fixed;
pub use forces::{DriveLoad, JointLoad};
pub use gear::Gear;
pub use law::{Law, LawError};
pub use parallel::Parallel;
pub use parameter::JointParameter;
pub use perpendicular::Perpendicular;
pub use planar::Planar;
pub use point_on_curve::PointOnCurve;
pub use point_on_line::PointOnLine;
pub use point_on_plane::PointOnPlane;
pub use prismatic::Prismatic;
pub use pulley::Pulley;
pub use rack_pinion::RackPinion;
pub use revolute::Revolute;
pub use rope::Rope;
pub use screw::Screw;
pub use spherical::Spherical;
pub use universal::Universal;

use crate::{BodyId, ParameterError, Pose, Vec3};

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
    /// Where it is drawn; at the centres of mass if it says nothing else.
    fn place(&self) -> JointPlace {
        JointPlace { points: [Vec3::ZERO; 2], axis: None }
    }
    /// Its numbers by the names that scene files have for them: with these, its points and the poses of its bodies, others can compute
    /// by how much it is open. Lengths are in m, angles in rad. An imposed motion is a function of time and not among them.
    fn parameters(&self) -> Vec<(&'static str, JointParameter)> {
        Vec::new()
    }
    /// How many rows it has, at most [`MAX_ROWS`]; always the same.
    fn rows(&self) -> usize;
    /// Fills the first [`Joint::rows`] rows for the two poses at a time.
    fn evaluate(&self, poses: [&Pose; 2], time: f64, rows: &mut [Row]);
    /// Points of both bodies, in body axes, that its first three rows hold together along the axes of the world; `None` for a joint without such rows. Saying it
    /// makes steps faster: how reactions change as bodies turn is then known in closed form.
    fn held_points(&self) -> Option<[Vec3; 2]> {
        None
    }
    /// Pairs of axes a of A and b of B, in body axes, that rows three and on keep at right angles: these rows are a·b where they are closed, to first order and
    /// better. Only for a joint that has held points. Saying it makes steps faster, too.
    fn held_axes(&self) -> Vec<[Vec3; 2]> {
        Vec::new()
    }
    /// The row that imposes a motion, and what it imposes at a time: position and speed \[m, m/s or rad, rad/s\]; `None` for a joint
    /// that is not driven. The multiplier of that row is the force or torque of the drive.
    fn motion(&self, _time: f64) -> Option<(usize, [f64; 2])> {
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
