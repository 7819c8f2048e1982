//! Friction laws on top of the convex problem (THEORY §3, §8).
//!
//! Coulomb's law is y = u + s(u) e_n ∈ K*, g ∈ K, g·y = 0 with de Saxcé's term s(u) = μ‖u_t‖. The convex methods solve it
//! for s given: s = 0 is the relaxed law, under which a body that slides also lifts at the speed s; s from the step before
//! is the lagged law; s consistent with u is the exact law.

mod anderson;
pub(crate) mod exact;
pub(crate) mod lagged;
