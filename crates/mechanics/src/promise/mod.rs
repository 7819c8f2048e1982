//! What a step promises, and which of it was broken: the one place that decides whether a step has converged.
//!
//! | promise | kept if, at the end of the step | bound |
//! |---|---|---|
//! | residual | the natural map of the solve is small | `tolerance` |
//! | joints | joints, ropes, limits and links are closed | `joint-tolerance`, or [`bounds`] |
//! | overlap | no overlap was made or deepened that is deeper | `contact-tolerance`, or [`bounds`] |
//! | elastic | nodes of flexible bodies stay where elastic forces were taken | a share of an element |
//! | energy | energy has not grown beyond the work done on the system | [`energy`] |
//!
//! Sub-steps of smooth steppers need no entry: one that cannot be accepted ends the run with an error.
//!
//! Every judge is a pure function of plain values. A step that breaks nothing has converged; every other one lists what it broke,
//! with the joint, contact or body that broke it most, and who stands against it ([`opponents`]).

pub(crate) mod bounds;
mod broken;
pub(crate) mod elastic;
pub(crate) mod energy;
pub(crate) mod joints;
pub(crate) mod opponents;
pub(crate) mod overlap;
pub(crate) mod residual;
pub(crate) mod work;

pub use broken::{Broken, Culprit, CulpritKind, Promise};
pub use energy::EnergyAccount;
