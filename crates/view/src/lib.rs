//! Pages and pictures of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`recording`] | what can be shown of a run folder, damaged ones included |

pub mod recording;

pub use recording::{Recording, ViewError};
