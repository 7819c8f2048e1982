//! Finite elements against closed forms, finite differences and beam theory.

mod beams;
mod cables;
mod cantilever;
mod derivatives;
mod invariance;
mod mass;
mod patch;
mod stress;
mod support;
