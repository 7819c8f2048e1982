//! One file a command; each returns how it ended and writes through the printer only.

mod analysis;
mod browser;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod doctor;
mod drawn;
pub(crate) mod equilibrium;
pub(crate) mod examples;
pub(crate) mod export;
pub(crate) mod gallery;
mod history;
pub(crate) mod inverse;
mod left_out;
pub(crate) mod modes;
mod outcome;
pub(crate) mod plot;
pub(crate) mod render;
pub(crate) mod reproduce;
pub(crate) mod resume;
pub(crate) mod run;
mod scene_check;
mod scene_errors;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod steppers;
mod store;
pub(crate) mod view;
