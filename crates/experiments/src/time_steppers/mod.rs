//! Statements of the notes on time-steppers (TS-*).

mod dilation;
mod dissipation;
mod drift;
pub(crate) mod energy;
pub(crate) mod motions;
mod multipliers;
mod orders;
mod painleve;
pub(crate) mod steppers;

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    orders::EXPERIMENT,
    dissipation::EXPERIMENT,
    multipliers::EXPERIMENT,
    drift::EXPERIMENT,
    painleve::EXPERIMENT,
    dilation::EXPERIMENT,
    energy::EXPERIMENT,
];
