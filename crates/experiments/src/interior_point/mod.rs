//! Experiments of the interior-point publications (IP-*).

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[];
