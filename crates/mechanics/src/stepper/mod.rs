//! Time-steppers: from a state to the problem of one step.

pub(crate) mod dvi;
mod gyroscopic;
