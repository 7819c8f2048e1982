//! Overlaps judged from outside: shapes by their formulas, walls by their faces, nothing of the contact detection.

mod ground;
mod random;
mod solid;

pub use ground::Ground;
pub use random::Random;
pub use solid::{Place, Solid, overlap};
