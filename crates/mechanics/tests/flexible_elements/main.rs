//! Finite elements against closed forms, finite differences and beam theory.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod beams;
mod cables;
mod cantilever;
mod derivatives;
mod invariance;
mod mass;
mod patch;
mod stress;
mod support;
