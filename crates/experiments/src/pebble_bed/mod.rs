//! Experiments of the QP solver paper: the pebble-bed reactor (PB-*).

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[];
