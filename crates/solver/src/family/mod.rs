//! Generated problems, the same for the same parameters: piles and stacks.
//!
//! Each family is one file. All but the packings have an answer known without solving.
//!
//! | family | what it exercises | known |
//! |---|---|---|
//! | [`SpherePacking`] | size; settled contacts with and without friction | |
//! | [`Stack`] | mass ratios | all impulses |

mod generator;
mod packing;
mod stack;

pub use generator::Generator;
pub use packing::{PackedContact, Packing, SpherePacking};
pub use stack::Stack;

/// Standard gravity \[m/s²\].
pub const GRAVITY: f64 = 9.81;
