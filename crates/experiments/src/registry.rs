//! The list of experiments.

use crate::{Experiment, interior_point, krylov, pebble_bed, time_steppers};

/// The groups of experiments, by publication.
#[must_use]
pub fn groups() -> [&'static [Experiment]; 4] {
    [interior_point::EXPERIMENTS, krylov::EXPERIMENTS, pebble_bed::EXPERIMENTS, time_steppers::EXPERIMENTS]
}

/// All experiments, in the order of the list.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    groups().into_iter().flatten()
}

/// The experiment of an id; capitals do not matter.
#[must_use]
pub fn find(id: &str) -> Option<&'static Experiment> {
    all().find(|experiment| experiment.id.eq_ignore_ascii_case(id))
}
