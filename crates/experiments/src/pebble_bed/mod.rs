//! Experiments of the QP solver paper (PB-*): the pebble-bed reactor with friction pyramids.

mod energies;
mod fill;
mod fills;
mod needs;
mod one_problem;
mod orderings;
mod power_law;
mod replay;
mod solvers;
mod whole_reactor;

use crate::Experiment;

pub use needs::{Need, need_of};

const SOURCE: &str = "paper on QP solvers for large multibody systems (2008)";

const FILLING: &str = "Pebbles of radius 1 fall into a cylinder of radius 60 above a truncated cone (small radius 20, height 40) whose outlet is shut; \
                       plastic impacts, friction pyramids of three facets, friction 0.3, h = 0.05, until the kinetic energy is small. The fill is ours.";

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "PB-1",
        title: "800 pebbles until they rest, by every solver",
        source: SOURCE,
        description: FILLING,
        seconds: [0.4, 140.0],
        run: fills::first,
    },
    Experiment {
        id: "PB-2",
        title: "1600 pebbles until they rest, by every solver",
        source: SOURCE,
        description: FILLING,
        seconds: [0.7, 180.0],
        run: fills::second,
    },
    Experiment {
        id: "PB-3",
        title: "3200 pebbles until they rest, by every solver",
        source: SOURCE,
        description: FILLING,
        seconds: [1.0, 430.0],
        run: fills::third,
    },
    Experiment {
        id: "PB-4",
        title: "One problem of 1000 pebbles with 62,760 rows",
        source: SOURCE,
        description: "A step of the fill at t = 3.3 s with so wide an envelope that the problem has as many rows as published: iterations and time an \
                      iteration of interior point (Cholesky, LDLᵀ, augmented), BLMVM and TRON.",
        seconds: [2.1, 16.0],
        run: one_problem::run,
    },
    Experiment {
        id: "PB-5",
        title: "Memory against the number of pebbles",
        source: SOURCE,
        description: "Peak resident memory of interior point (Cholesky), BLMVM and APGD on packings of up to 20,000 pebbles, fitted by a power law \
                      and extrapolated to the memory of machines.",
        seconds: [1.7, 140.0],
        run: needs::run,
    },
    Experiment {
        id: "PB-6",
        title: "Kinetic energy against time with different solvers",
        source: SOURCE,
        description: "The fill of 800 pebbles by interior point in two forms and by BLMVM: whether the kinetic energies agree until the pile rests.",
        seconds: [0.3, 300.0],
        run: energies::run,
    },
    Experiment {
        id: "PB-7",
        title: "The full reactor: 400,000 pebbles",
        source: SOURCE,
        description: "Steps of the loose fill of 400,000 pebbles with `auto` and round friction cones: time and memory. The paper names it as the goal.",
        seconds: [0.1, 120.0],
        run: whole_reactor::run,
    },
];
