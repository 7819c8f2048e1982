//! Mechanisms of the multibody community, and problems with closed forms (ME-*): beyond the papers.

mod cantilever;
mod catenary;
mod coulomb_oscillator;
mod governor;
mod impacts;
mod incline;
mod linkages;
mod pendulum;
mod rolling;
mod squeezer;
mod top;

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    squeezer::EXPERIMENT,
    linkages::FOUR_BARS,
    linkages::BRICARD,
    governor::EXPERIMENT,
    pendulum::EXPERIMENT,
    incline::EXPERIMENT,
    impacts::EXPERIMENT,
    rolling::EXPERIMENT,
    top::EXPERIMENT,
    cantilever::EXPERIMENT,
    catenary::EXPERIMENT,
    coulomb_oscillator::EXPERIMENT,
];

/// What is not of a publication.
const BEYOND: &str = "beyond the papers";
