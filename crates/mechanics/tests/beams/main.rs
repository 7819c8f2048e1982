//! Beams in models against closed forms of beam theory.

mod cantilever;
mod dynamics;
mod large;
mod refusal;
mod skin;
mod vibration;
