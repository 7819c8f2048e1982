//! Measurements of whole simulations.

mod balls;
pub(crate) mod beside;
pub(crate) mod cpu;
pub(crate) mod drops;
mod heaps;
pub(crate) mod mechanisms;
pub(crate) mod menu;
pub(crate) mod peers;
mod rapier_run;
pub(crate) mod rest;
pub(crate) mod scaling;
pub(crate) mod stand;
pub(crate) mod threads;
