//! How steps are taken: settings, the steppers, the simulation that goes from step to step.

pub(crate) mod context;
pub(crate) mod hard;
pub(crate) mod memory;
pub(crate) mod method;
pub(crate) mod promises;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod simulation;
pub(crate) mod smooth;
pub(crate) mod stepper;
pub(crate) mod usable;
