//! Mechanisms of the gallery against closed forms. Geometry, energies and constraints are written here a second time, from poses
//! and velocities alone.

mod contacts;
mod governor;
mod linkages;
mod pendulums;
mod singular;
mod squeezer;
mod support;
