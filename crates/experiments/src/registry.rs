//! The list of experiments.

use crate::{Experiment, contact_problems, interior_point, krylov, mechanisms, pebble_bed, time_steppers};

/// The groups of experiments: by publication, then those that go beyond the papers.
#[must_use]
pub fn groups() -> [&'static [Experiment]; 6] {
    [
        interior_point::EXPERIMENTS,
        krylov::EXPERIMENTS,
        pebble_bed::EXPERIMENTS,
        time_steppers::EXPERIMENTS,
        mechanisms::EXPERIMENTS,
        contact_problems::EXPERIMENTS,
    ]
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
