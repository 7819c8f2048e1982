//! Generated problems, the same for the same parameters: piles, stacks, bricks, chains, nets and random ones.
//!
//! Each family is one file. All but the packings and the slab have an answer known without solving.
//!
//! | family | what it exercises | known |
//! |---|---|---|
//! | [`SpherePacking`] | size; settled contacts with and without friction | |
//! | [`CylinderPacking`] | contacts that carry a pile at rest, or a heavy lid | |
//! | [`Stack`] | mass ratios | all impulses |
//! | [`Brick`] | hyperstatic contacts, stick and slip | velocity, total impulse |
//! | [`Chain`] | joints, doubled joints, joints with contacts | velocity, impulses |
//! | [`Net`] | a sparse H | velocity |
//! | [`ElasticSlab`] | finite elements: a large sparse H | |
//! | [`RandomProblem`] | mixed cones, compliance, redundancy | velocity |

mod brick;
mod chain;
mod net;
mod packing;
mod random;
mod slab;
mod stack;

pub use crate::generator::Generator;
pub use brick::{Brick, BrickAnswer};
pub use chain::Chain;
pub use net::Net;
pub use packing::{Container, CylinderPacking, Gaps, Lid, PackedContact, PackedLid, Packing, SpherePacking};
pub use random::{RandomProblem, SolvedProblem};
pub use slab::ElasticSlab;
pub use stack::Stack;

/// Standard gravity \[m/s²\].
pub const GRAVITY: f64 = 9.81;
