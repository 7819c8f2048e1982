//! Every experiment of the papers as a function: the published numbers, ours, and a verdict.
//!
//! An [`Experiment`] has the id of the benchmark list (`IP-1`, `KS-2`, `PB-3`, `TS-4`; `ME-5` and `BP-1` go beyond the papers), runs with an [`Effort`] and gives an
//! [`Outcome`]: rows, each with what was published, what was found and a [`Verdict`] that the code computed; tables with all
//! numbers; plots in the style of the papers' figures. An outcome is plain data that survives as JSON, so that `signorini
//! reproduce` can be stopped and resumed between experiments.

pub mod bending;
mod contact_problems;
mod context;
mod experiment;
mod fit;
pub mod hardware;
mod interior_point;
mod krylov;
mod mechanisms;
pub mod memory;
mod outcome;
mod pebble_bed;
mod registry;
mod rules;
mod scene_run;
mod time_steppers;

pub use context::{Context, Effort, Interrupted};
pub use experiment::Experiment;
pub use outcome::{Cell, DataTable, Figure, Outcome, Row, Series, Verdict};
pub use pebble_bed::{Need, need_of};
pub use registry::{all, find, groups};
