//! The equations of a step, whatever the way it is taken: velocities and rows, masses, forces, contacts.

pub(crate) mod columns;
pub(crate) mod contact;
pub(crate) mod flexible_motion;
pub(crate) mod free_motion;
pub(crate) mod gyroscopic;
pub(crate) mod held_nodes;
pub(crate) mod inertia;
pub(crate) mod mean_rows;
pub(crate) mod parameters;
pub(crate) mod penalty;
pub(crate) mod rebound;
pub(crate) mod rotation;
pub(crate) mod rows;
pub(crate) mod smooth;
