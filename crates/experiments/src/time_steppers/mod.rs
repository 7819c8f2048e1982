//! Figures of the notes on time-steppers (TS-*).

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[];
