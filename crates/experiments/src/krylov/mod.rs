//! Experiments of the Krylov and spectral methods paper (KS-*).

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[];
