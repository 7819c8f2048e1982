//! One file a command; each returns how it ended and writes through the printer only.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod examples;
mod history;
pub(crate) mod solve;
pub(crate) mod solvers;
mod store;
