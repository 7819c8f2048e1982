//! Measurements of whole simulations.

mod balls;
pub(crate) mod cpu;
pub(crate) mod drops;
pub(crate) mod mechanisms;
pub(crate) mod peers;
mod rapier_run;
pub(crate) mod rest;
pub(crate) mod scaling;
pub(crate) mod stand;
pub(crate) mod threads;
